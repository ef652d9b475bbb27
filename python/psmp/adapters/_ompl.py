"""psmp as a planner of OMPL's: in any state space of real vectors, SO(2) and compounds of them, SE(2) among them.

States are checked by the space information, motions by states on them that lie no farther apart than the space's longest
valid segment. A path is told once its motions have passed the space information's own check too, which may look between
those states; where it finds a collision, it is planned anew, looking twice as finely. What is made short is the length of the
path, by a distance that is OMPL's on real vectors and on SO(2); on a compound it is the root of the sum of the squares of the
weighted distances of its parts, where OMPL takes their sum.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from psmp import _psmp
from psmp.adapters._adapted import Array
from psmp.planner import Planner
from psmp.planning import Run
from psmp.result import Result

__all__ = ["ompl"]


class _States:
    """How the states of an OMPL space are configurations.

    Axes of a compound are measured in steps, so that one resolution suits parts as different as metres and radians.
    """

    def __init__(self, information: Any) -> None:
        from ompl import base

        if not information.isSetup():
            information.setup()
        self.information, self.of = information, information.getStateSpace()
        lows: list[float] = []
        highs: list[float] = []
        scales: list[float] = []
        weights: list[float] = []
        wraps: list[bool] = []

        def add(part: Any, weight: float) -> None:
            if isinstance(part, base.CompoundStateSpace):
                for place in range(part.getSubspaceCount()):
                    inner = part.getSubspace(place)
                    if part.getSubspaceWeight(place) <= 0:
                        raise self._refusal(f"its part {inner.getName()} has no weight: give it one above 0")
                    add(inner, weight * part.getSubspaceWeight(place))
                return
            if isinstance(part, base.RealVectorStateSpace):
                bounds = part.getBounds()
                limits = list(zip(bounds.low, bounds.high, strict=True))
            elif isinstance(part, base.SO2StateSpace):
                limits = [(-math.pi, math.pi)]
            else:
                raise self._refusal(f"its part {part.getName()} is neither a real vector, nor SO(2), nor a compound of these")
            self.step = part.getLongestValidSegmentLength() / part.getValidSegmentCountFactor()
            for low, high in limits:
                if not low < high:
                    raise self._refusal(f"an axis has bounds {low} to {high}: give a lower one below the upper")
                lows.append(low)
                highs.append(high)
                # A step may go along all axes of a part at once.
                scales.append(self.step / math.sqrt(len(limits)))
                weights.append(weight)
                wraps.append(isinstance(part, base.SO2StateSpace))

        add(self.of, 1.0)
        if not lows:
            raise self._refusal("it has no axes")
        self.is_compound = bool(self.of.isCompound())
        self.low, self.high = np.array(lows), np.array(highs)
        # One part needs no scale: its steps are distances.
        self.scale = np.array(scales) if self.is_compound else np.ones(len(scales))
        bounds = np.column_stack([self.low, self.high]) / self.scale[:, None]
        self.space = _psmp.Space(bounds, weights=np.array(weights) * self.scale, wraps=wraps)
        self._compare(np.array(wraps))

    def _refusal(self, why: str) -> ValueError:
        return ValueError(f"psmp cannot plan in the space {self.of.getName()}: {why}")

    def resolution(self) -> dict[str, float]:
        """How finely motions are asked about, as psmp.plan takes it."""
        return {"axis_resolution": 1.0} if self.is_compound else {"resolution": self.step}

    def asks_all(self) -> bool:
        """Whether OMPL, left to itself, asks about a motion just where psmp does. In a compound it may count other steps."""
        from ompl import base

        # OMPL's usual one has no name of its own in Python; any other is of a class derived from this.
        return not self.is_compound and type(self.information.getMotionValidator()) is base.MotionValidator

    def configuration(self, state: Any) -> Array:
        return self._reals(state) / self.scale

    def _reals(self, state: Any) -> Array:
        # What has an address in C++ is a value here.
        return np.array([self.of.getValueAddressAtIndex(state, axis) for axis in range(len(self.low))])

    def write(self, q: Array, state: Any) -> None:
        # Scaling may round beyond a bound.
        self.of.copyFromReals(state, np.clip(q * self.scale, self.low, self.high).tolist())

    def _compare(self, wraps: Any) -> None:
        """Sees that motions are straight, and asked about as finely as OMPL does: a space that is derived from one of these may
        have other ideas, as Dubins' has."""
        random = np.random.default_rng(1)
        extent = self.high - self.low
        a, b, between = (self.of.allocState() for _ in range(3))

        def way(x: Array, y: Array) -> Array:
            return np.where(wraps, y - x - extent * np.round((y - x) / extent), y - x)

        for _ in range(16):
            ends = self.low + random.random((2, len(extent))) * extent
            for reals, state in zip(ends, (a, b), strict=True):
                self.of.copyFromReals(state, reals.tolist())
            share = random.random()
            self.of.interpolate(a, b, share, between)
            along = way(*ends)
            if (np.abs(way(self._reals(between), ends[0] + along * share)) > 1e-6 * extent).any():
                raise self._refusal("its motions are not straight")
            steps = np.abs(along / self.scale).max() if self.is_compound else np.linalg.norm(along) / self.step
            if math.ceil(steps * (1 + 1e-9)) < self.of.validSegmentCount(a, b):
                raise self._refusal("it wants motions to be checked more finely than by the longest valid segments of its parts")


class _Collides(Exception):
    """A path does, between the states that were asked about."""


class _Over(Exception):
    """OMPL's condition is met, in the midst of a check."""


@functools.cache
def _class() -> type[Any]:
    """The planner. OMPL is imported where it is asked for, and not before."""
    from ompl import base, geometric

    class Psmp(base.Planner):  # type: ignore[misc]
        """psmp as a planner of OMPL's; made by :func:`psmp.adapters.ompl`."""

        def __init__(self, information: Any, vertices: int | None, goals: int, options: dict[str, Any]) -> None:
            super().__init__(information, "psmp")
            self._options, self._vertices, self._most_goals = options, vertices, goals
            self._states: _States | None = None
            self._forget()

        def _forget(self) -> None:
            self._planner: Planner | None = None
            self._share_of_step = 1.0
            self._forget_query()

        def _forget_query(self) -> None:
            self._run: Run | None = None
            self._start: Any = None
            self._goals: list[Any] = []
            self._best: Any = None

        def setup(self) -> None:
            super().setup()
            self._states = _States(self.getSpaceInformation())
            self._forget()

        def clear(self) -> None:
            super().clear()
            self._forget()

        def clearQuery(self) -> None:
            self.getPlannerInputStates().restart()
            self._forget_query()

        @property
        def result(self) -> Result | None:
            """What psmp has found so far, with its own lengths and counts."""
            return None if self._run is None else self._run.result()

        def solve(self, condition: Any, interval: float = 0.0) -> Any:
            # SimpleSetup says when; a user may give seconds, or a function.
            if isinstance(condition, (int, float)):
                condition = base.timedPlannerTerminationCondition(float(condition))
            elif not isinstance(condition, base.PlannerTerminationCondition):
                condition = base.PlannerTerminationCondition(condition, *([interval] if interval else []))
            status = base.PlannerStatus
            if self._states is None:
                self.setup()
            # As OMPL's own do: a planner without a problem is an error.
            self.checkValidity()
            definition = self.getProblemDefinition()
            if not definition.getGoal().hasType(base.GOAL_SAMPLEABLE_REGION):
                return status(status.UNRECOGNIZED_GOAL_TYPE)
            is_new = self._take_ends(definition.getGoal(), condition)
            if self._start is None:
                return status(status.INVALID_START)
            if not self._goals:
                return status(status.INVALID_GOAL)
            objective = (
                definition.getOptimizationObjective()
                if definition.hasOptimizationObjective()
                else base.PathLengthOptimizationObjective(self.getSpaceInformation())
            )
            self._drive(condition, objective, is_new)
            if self._best is None:
                return status(status.TIMEOUT)
            definition.addSolutionPath(self._best[0], False, 0.0, self.getName())
            return status(status.EXACT_SOLUTION)

        def _take_ends(self, goal: Any, condition: Any) -> bool:
            """Takes start and goals that have come since; whether there were any. Of several starts it is the first."""
            information, given = self.getSpaceInformation(), self.getPlannerInputStates()
            is_new = False
            while (start := given.nextStart()) is not None:
                if self._start is None:
                    self._start, is_new = information.cloneState(start), True
            all_of_them = goal.hasType(base.GOAL_STATES) or goal.hasType(base.GOAL_STATE)
            most = max(goal.maxSampleCount(), 1) if all_of_them else self._most_goals
            while len(self._goals) < most:
                state = given.nextGoal() if self._goals else given.nextGoal(condition)
                if state is None:
                    break
                self._goals.append(information.cloneState(state))
                is_new = True
            return is_new

        def _drive(self, condition: Any, objective: Any, is_new: bool) -> None:
            self._condition = condition
            if is_new or self._run is None:
                self._best = self._run = None
            while True:
                try:
                    for event in self._begun():
                        if event.kind == "improved" and event.path is not None:
                            self._take_path(event.path, objective)
                            if objective.isSatisfied(self._best[1]):
                                return
                        if condition():
                            return
                except _Over:
                    pass
                except _Collides:
                    # What was found out is of motions that are asked about too coarsely.
                    self._share_of_step /= 2
                    self._planner = self._run = None
                    continue
                return

        def _begun(self) -> Run:
            """The run, begun if there is none."""
            states, information = self._states, self.getSpaceInformation()
            assert states is not None
            if self._planner is None:
                asked = information.allocState()

                def check(q: Array) -> bool:
                    # A motion has many states, and the condition may be met at any of them.
                    if self._condition():
                        raise _Over
                    states.write(q, asked)
                    return bool(information.isValid(asked))

                space = states.space
                vertices = self._vertices or min(250 * 2 ** min(space.dimension, 10), 1000)
                roadmap = _psmp.Roadmap.halton(space, vertices, nearest=15)
                options = {**states.resolution(), **self._options}
                for steps in {"resolution", "axis_resolution"} & options.keys():
                    options[steps] *= self._share_of_step
                self._planner = Planner(roadmap, check=check, **options)
            if self._run is None:
                goals = np.array([states.configuration(goal) for goal in self._goals])
                self._run = self._planner.begin(states.configuration(self._start), goals)
            return self._run

        def _take_path(self, configurations: Array, objective: Any) -> None:
            states, information = self._states, self.getSpaceInformation()
            assert states is not None
            path, state = geometric.PathGeometric(information), information.allocState()
            for q in configurations:
                states.write(q, state)
                path.append(state)
            # Both ends exactly as they were given.
            first, last = path.getState(0), path.getState(path.getStateCount() - 1)
            information.copyState(first, self._start)
            information.copyState(last, min(self._goals, key=lambda goal: information.distance(goal, last)))
            cost = path.cost(objective)
            if self._best is not None and not objective.isCostBetterThan(cost, self._best[1]):
                return
            along = path.getStates()
            if not states.asks_all() and not all(map(information.checkMotion, along, along[1:])):
                raise _Collides
            self._best = (path, cost)

    return Psmp


def ompl(setup: Any, *, vertices: int | None = None, goals: int = 10, **options: Any) -> Any:
    """psmp as an ``ompl.base.Planner``, for a ``SimpleSetup`` or a ``SpaceInformation``::

        setup.setPlanner(psmp.adapters.ompl(setup))
        setup.solve(1.0)

    It plans in any space of real vectors, SO(2) and compounds of them, by the validity checker and as finely as the space
    information says. It gives a first path soon and shorter ones until the condition is met, the objective is satisfied, or
    for long nothing has made the path shorter. Solved again it goes on, and a new problem begins with what it has found out,
    until ``clear()``. Of several start states the first is planned from; of goals, all that a set has, or as many as ``goals``
    says of a region that is sampled. ``options`` are those of :func:`psmp.plan`, such as ``seed``, ``proposer``, ``belief`` or
    ``price``, and it begins with a roadmap of so many ``vertices``. ``planner.result`` is what psmp itself has to tell.
    """
    information = setup.getSpaceInformation() if hasattr(setup, "getSpaceInformation") else setup
    return _class()(information, vertices, goals, options)
