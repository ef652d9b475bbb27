"""OMPL's planners in the worlds of a dataset, as rows beside those of psmp's own.

Each is as OMPL sets it and is given the image that psmp's planners without a roadmap are given: the same question of one
configuration at a time, at the same steps, counted where it is asked. What it has found is looked up at each check. Some go on for
thousands of checks before they look whether to stop; a row tells of the run as it stood when its budget was spent. Time is the run's less
that of the checks, which are a look-up there and take Python a microsecond here.
"""

from __future__ import annotations

import math
import threading
import time
from importlib import metadata
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from psmp import _psmp

__all__ = ["PREFIX", "Curve", "planner_named", "run"]

#: Begins the name of a planner of OMPL's, as in `ompl:RRTConnect`.
PREFIX = "ompl:"
#: These plan in a thread of their own, which waits for ever for the Python that checks.
THREADED = ("PRM", "PRMstar")
#: All planners of a process draw from one stream of random numbers, which is begun anew for each run.
_one_at_a_time = threading.Lock()


class Curve(NamedTuple):
    """What came of a run: each better path as checks, length and seconds, then checks and seconds in all."""

    found: list[tuple[int, float, float]]
    checks: int
    seconds: float
    #: Whether it would have gone on.
    stopped: bool
    #: What the planner is of, with its version.
    library: str


def planner_named(name: str) -> Any:
    """The class of a planner of OMPL's, such as ``ompl:BITstar`` or ``ompl:BIT*``."""
    from ompl import base, geometric

    bare = name.removeprefix(PREFIX).replace("*", "star")
    found = getattr(geometric, bare, None)
    if not (isinstance(found, type) and issubclass(found, base.Planner)) or bare in THREADED:
        known = (getattr(geometric, other) for other in sorted(dir(geometric)))
        names = [one.__name__ for one in known if isinstance(one, type) and issubclass(one, base.Planner)]
        known_names = ", ".join(PREFIX + one for one in names if one not in THREADED)
        raise ValueError(f"planners: OMPL's module has no `{bare}` that can be called from here; it has {known_names}")
    return found


def run(dataset: _psmp.Dataset, world: int, name: str, seed: int, resolution: float | None, budget: int | None) -> Curve:
    """Runs a planner of OMPL's in a world, counted from 0, until it ends or has spent its budget."""
    from ompl import base, util

    make, roadmap, check = planner_named(name), dataset.roadmap, dataset.check(world)
    space, places = roadmap.space, roadmap.configurations
    if space is None or places is None or dataset.image(world) is None:
        raise ValueError(f"planners: `{name}` plans in images, and dataset `{dataset.name}` has none: leave it out")
    if (space.weights != 1).any() or space.wraps.any() or space.dimension != 2:
        raise ValueError(f"planners: `{name}` plans in a plane, and the space of dataset `{dataset.name}` is none: leave it out")
    bounds = space.bounds
    step = resolution if resolution is not None else float(np.ptp(bounds, axis=1).max()) / 1000
    with _one_at_a_time:
        level = util.getLogLevel()
        util.setLogLevel(util.LOG_NONE)
        try:
            # 0 would be none.
            util.RNG.setSeed(seed % (2**32 - 1) + 1)
            return _driven(base, make, check, bounds, places[[dataset.start, dataset.goal]], step, budget)
        finally:
            util.setLogLevel(level)


def _driven(base: Any, make: Any, check: Any, bounds: Any, ends: Any, step: float, budget: int | None) -> Curve:
    plane = base.RealVectorStateSpace(2)
    limits = base.RealVectorBounds(2)
    for axis, (low, high) in enumerate(bounds):
        limits.setLow(axis, float(low))
        limits.setHigh(axis, float(high))
    plane.setBounds(limits)
    information = base.SpaceInformation(plane)
    definition = base.ProblemDefinition(information)
    start, goal = plane.allocState(), plane.allocState()
    for state, q in zip((start, goal), ends, strict=True):
        state[0], state[1] = float(q[0]), float(q[1])

    def reported() -> float:
        path = definition.getSolutionPath() if definition.hasExactSolution() else None
        if path is None or path.getStateCount() < 2:
            return math.inf
        # Where the straight motion is free a path of AORRTC's leads from goal to goal.
        first, last = path.getState(0), path.getState(path.getStateCount() - 1)
        is_whole = plane.equalStates(first, start) and plane.equalStates(last, goal)
        return float(path.length()) if is_whole else math.inf

    best = reported
    found: list[tuple[int, float, float]] = []
    checks, off_the_clock = 0, 0.0
    seconds: float | None = None
    q = np.empty(2)

    def look(at: float) -> None:
        length = best()
        if length < (found[-1][1] if found else math.inf) and (budget is None or checks <= budget):
            found.append((checks, length, at - began - off_the_clock))

    def is_free(state: Any) -> bool:
        nonlocal checks, off_the_clock, seconds
        asked = time.perf_counter()
        look(asked)
        if checks == budget and seconds is None:
            seconds = asked - began - off_the_clock
        q[0], q[1] = state[0], state[1]
        free = bool(check(q))
        checks += 1
        off_the_clock += time.perf_counter() - asked
        return free

    began = time.perf_counter()
    information.setStateValidityChecker(is_free)
    information.setStateValidityCheckingResolution(step / plane.getMaximumExtent())
    information.setup()
    definition.setStartAndGoalStates(start, goal)
    definition.setOptimizationObjective(base.PathLengthOptimizationObjective(information))
    planner = make(information)
    planner.setProblemDefinition(definition)
    planner.setup()
    # Those that keep to one tree or graph know their best cost before they report a path; AORRTC reports each.
    if hasattr(planner, "bestCost") and make.__name__ != "AORRTC":
        best = lambda: float(planner.bestCost().value())  # noqa: E731
    over = base.PlannerTerminationCondition(lambda: budget is not None and checks >= budget)
    try:
        planner.solve(over)
        ended = time.perf_counter()
        look(ended)
        seconds = seconds if seconds is not None else ended - began - off_the_clock
    finally:
        # What it calls holds it, a ring that goes through OMPL, where the garbage collector does not see it.
        information.setStateValidityChecker(lambda state: False)
    stopped = budget is not None and checks >= budget
    return Curve(found, min(checks, budget or checks), seconds, stopped, f"ompl {metadata.version('ompl')}")
