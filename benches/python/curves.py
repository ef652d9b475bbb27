"""How short paths are as a planner goes on: planners of psmp and of OMPL, all asking one and the same checker.

`curve_of` drives a planner and writes down each better path with what it had taken until then: how often the checker
had been asked, and how long the planner had thought. Checks are counted where they are made, and thinking is the
processor time of the run less that of the checker, for all planners alike. `Curve.after_checks` and
`Curve.after_seconds` say how short the path was by then.

Planners of OMPL are as OMPL sets them. What they have by a check is looked up at each check: of BIT* its best cost, of
AORRTC the path that it has reported, which it shortens in place. RRTConnect is simplified by OMPL's simplifier, as
SimpleSetup would, then begins again until the checks are used up, and the best of all counts, even that of a path not
yet simplified to the end. BLIT* tells nothing before it is stopped, so it is stopped every few checks and goes on.

OMPL runs in a process of its own, within limits of memory and time: where it ends before its time, what it had
reported counts. BLIT* sometimes follows parents in a circle, until there is no memory left.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from blitstar import BLITstar
from ompl import base, geometric, util

import psmp

OF_OMPL = ("AORRTC", "BLIT*", "RRTConnect", "BIT*")
TREES = ("rrtconnect", "rrtconnect+shortcut", "rrtstar", "bitstar")
BELIEFS = {"ensemble": psmp.Ensemble, "local": psmp.Local, "nn": psmp.NearestNeighbour}
# BLIT* is asked what it has every so many checks.
SLICE = 20
# One run of OMPL takes less memory than this, in bytes, and is never silent for so many seconds.
MEMORY, SECONDS = 1 << 28, 120

now = time.process_time

#: What a check and a thought cost, in seconds, one after the other; or as it is measured on the way.
Price = list[tuple[float, float]] | Literal["measured"]


class Problem(NamedTuple):
    """A point that moves in a box from a start to a goal; motions are asked about at steps of equal length."""

    is_free: Callable[[npt.NDArray[np.float64]], bool]
    bounds: npt.NDArray[np.float64]
    start: npt.NDArray[np.float64]
    goal: npt.NDArray[np.float64]
    step: float
    #: What planners of ours that need a roadmap begin with.
    roadmap: psmp.Roadmap


class Found(NamedTuple):
    """A better path: its length, and what it had taken until then."""

    checks: int
    thinking: float
    length: float


@dataclass
class Curve:
    """Ever better paths."""

    found: list[Found] = field(default_factory=list)
    checks: int = 0
    thinking: float = 0.0

    def after_checks(self, checks: int) -> float:
        """The length after so many checks; infinite where there was no path."""
        return min((found.length for found in self.found if found.checks <= checks), default=math.inf)

    def after_seconds(self, seconds: float, price: float) -> float:
        """The length after so much time, if every check took as long as the price says."""
        in_time = (found.length for found in self.found if found.checks * price + found.thinking <= seconds)
        return min(in_time, default=math.inf)

    def first_within(self, length: float) -> Found | None:
        """The first path at most so long."""
        return next((found for found in self.found if found.length <= length), None)


class Meter:
    """Counts checks and the time they take, and writes down what has been found in between.

    ``best`` says how long the planner's best path is; it is asked before every check, off the clock. ``check`` is a
    plain function, because that is the quickest to call.
    """

    def __init__(self, is_free: Callable[[Any], bool], best: Callable[[], float]) -> None:
        self.curve, self.best = Curve(), best
        self.began, self.off_the_clock = now(), 0.0

        def check(q: Any) -> bool:
            began = now()
            self.look(began)
            free = is_free(q)
            self.curve.checks += 1
            self.off_the_clock += now() - began
            return free

        self.check = check

    def look(self, at: float | None = None) -> None:
        """Writes down the best path if it is better than the last."""
        length = self.best()
        found = self.curve.found
        if length < (found[-1].length if found else math.inf):
            thinking = (now() if at is None else at) - self.began - self.off_the_clock
            found.append(Found(self.curve.checks, thinking, length))

    def finish(self) -> Curve:
        """The whole curve, at the end of a run."""
        self.look()
        self.curve.thinking = now() - self.began - self.off_the_clock
        return self.curve


def curve_of(
    planner: str, problem: Problem, seed: int, most: int, good: float = 0.0, price: Price | None = None
) -> Curve:
    """Drives a planner until it has checked most often, or has a path that is good.

    Names of OMPL's are in `OF_OMPL`. All others are ours: `default` is what `psmp.plan` does unless told, and may be told
    what checks and thoughts cost, `ei:local` and the like a proposer and a belief on the roadmap, `lazysp` and the like one
    that needs no belief, on the roadmap as it is, and names in `TREES` plan without one.
    """
    if planner not in OF_OMPL:
        return of_ours(planner, problem, seed, most, good, price)
    apart = multiprocessing.get_context("fork")
    here, there = apart.Pipe(duplex=False)
    process = apart.Process(target=of_ompl, args=(planner, problem, seed, most, good, there))
    process.start()
    there.close()
    curve = Curve()
    with suppress(EOFError):
        while here.poll(SECONDS):
            curve = here.recv()
    process.kill()
    process.join()
    return curve


def of_ours(planner: str, problem: Problem, seed: int, most: int, good: float, price: Price | None) -> Curve:
    length = math.inf
    meter = Meter(problem.is_free, lambda: length)
    ends = (problem.start, problem.goal)
    options: dict[str, Any] = {
        "check": meter.check,
        "seed": seed,
        "resolution": problem.step,
        "stop": psmp.checks(most),
    }
    if planner in TREES:
        run = psmp.plan_without_roadmap(problem.bounds, *ends, planner=planner, **options)
    elif planner == "default":
        run = psmp.plan(problem.roadmap, *ends, price=price, **options)
    elif ":" not in planner:
        run = psmp.plan(problem.roadmap, *ends, proposer=planner, fixed_roadmap=True, **options)
    else:
        proposer, belief = planner.split(":")
        run = psmp.plan(problem.roadmap, *ends, proposer=proposer, belief=BELIEFS[belief](), **options)
    for event in run:
        if event.kind == "improved":
            length = run.best_length or math.inf
            meter.look()
            if length <= good:
                break
    length = run.best_length or math.inf
    return meter.finish()


def of_ompl(planner: str, problem: Problem, seed: int, most: int, good: float, report: Connection) -> None:
    """Sends the curve when there is more of it, and at the end."""
    has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (has + MEMORY, has + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Where it ends before its time it has words for that, and what nobody needs to read.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    util.setLogLevel(util.LOG_NONE)
    util.RNG.setSeed(seed + 1)
    space = box(problem.bounds)
    information = base.SpaceInformation(space)
    definition = base.ProblemDefinition(information)
    start, goal = (state_of(space, q) for q in (problem.start, problem.goal))

    def reported() -> float:
        # BLIT* reports even that it has none, and where the straight motion is free AORRTC's path leads from goal to goal.
        path = definition.getSolutionPath() if definition.hasExactSolution() else None
        if path is None or path.getStateCount() < 2:
            return math.inf
        first, last = path.getState(0), path.getState(path.getStateCount() - 1)
        is_whole = space.equalStates(first, start) and space.equalStates(last, goal)
        return float(path.length()) if is_whole else math.inf

    meter = Meter(problem.is_free, reported)
    information.setStateValidityChecker(into_an_array(meter.check, len(problem.bounds)))
    information.setStateValidityCheckingResolution(problem.step / space.getMaximumExtent())
    information.setup()
    definition.setStartAndGoalStates(start, goal)
    definition.setOptimizationObjective(base.PathLengthOptimizationObjective(information))
    curve = meter.curve

    def over() -> bool:
        return curve.checks >= most or (bool(curve.found) and curve.found[-1].length <= good)

    enough = base.PlannerTerminationCondition(over)
    match planner:
        case "RRTConnect":
            restarts(information, definition, meter, enough)
        case "BLIT*":
            lazily = BLITstar(information, definition)
            while not over():
                pause, known = curve.checks + SLICE, len(curve.found)
                lazily.solve(base.PlannerTerminationCondition(lambda pause=pause: over() or curve.checks >= pause))
                meter.look()
                if len(curve.found) > known:
                    report.send(curve)
        case "BIT*":
            bit = geometric.BITstar(information)
            bit.setProblemDefinition(definition)
            meter.best = lambda: float(bit.bestCost().value())
            bit.solve(enough)
            meter.look()
        case "AORRTC":
            almost_surely = geometric.AORRTC(information)
            almost_surely.setProblemDefinition(definition)
            almost_surely.setup()
            almost_surely.solve(enough)
    report.send(meter.finish())


def restarts(
    information: base.SpaceInformation,
    definition: base.ProblemDefinition,
    meter: Meter,
    enough: base.PlannerTerminationCondition,
) -> None:
    """RRTConnect, simplified and begun again."""
    simplifier = geometric.PathSimplifier(information)
    while not enough():
        planner = geometric.RRTConnect(information)
        planner.setProblemDefinition(definition)
        definition.clearSolutionPaths()
        planner.solve(enough)
        if definition.hasExactSolution():
            simplifier.simplify(definition.getSolutionPath(), enough)
        meter.look()


def box(bounds: npt.NDArray[np.float64]) -> base.RealVectorStateSpace:
    space = base.RealVectorStateSpace(len(bounds))
    limits = base.RealVectorBounds(len(bounds))
    for axis, (low, high) in enumerate(bounds):
        limits.setLow(axis, float(low))
        limits.setHigh(axis, float(high))
    space.setBounds(limits)
    return space


def state_of(space: base.RealVectorStateSpace, q: npt.NDArray[np.float64]) -> base.State:
    state = space.allocState()
    for axis, value in enumerate(q):
        state[axis] = float(value)
    return state


def into_an_array(check: Callable[[Any], bool], dimension: int) -> Callable[[Any], bool]:
    """Writes the numbers of a state into one array, which costs less than a new one each time."""
    q = np.empty(dimension)
    axes = range(dimension)

    def of_state(state: Any) -> bool:
        for axis in axes:
            q[axis] = state[axis]
        return check(q)

    return of_state
