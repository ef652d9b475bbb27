"""What planning from Python costs beside the checker, and RRTConnect of OMPL's Python bindings beside it.

    python benches/python/overhead.py

Needs ompl. The Panda's part needs pin, coal, pyyaml and the published data that PSMP_DATA names.
Every run is made several times and the quickest counts, so that other work on the machine does not. Exits
with 1 if a limit is passed: 3% of the time outside a batch checker of 0.1 ms a configuration, 5 microseconds
an event, half of OMPL's time outside the checker to a first path. There all planners are given the same
checker, a Python function on one configuration, in turns. OMPL gets it as a practised user would write it:
one array that is filled again and again, or the state itself where the checker only looks at its numbers.
Roadmaps are made before; start and goal are joined to them on the clock. A planner that is given batches is
shown for comparison and counts for nothing.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import psmp

ROOT = Path(__file__).resolve().parents[2]
SEEDS = 7
TRIES = 5
now = time.perf_counter


class Timed:
    """A checker, and the time spent in it. ``call`` is a plain function, because that is the quickest to call."""

    def __init__(self, check: Callable[[Any], Any]) -> None:
        self.seconds, self.calls = 0.0, 0

        def call(q: Any) -> Any:
            began = now()
            answer = check(q)
            self.seconds += now() - began
            self.calls += 1
            return answer

        self.call = call


def wall(q: np.ndarray) -> bool:
    return not 0.45 < q[0] < 0.55 or bool(q[1] > 0.8)


def wall_in_batches(q: np.ndarray) -> np.ndarray:
    return ~((0.45 < q[:, 0]) & (q[:, 0] < 0.55)) | (q[:, 1] > 0.8)


def wall_of_a_tenth_of_a_millisecond(q: np.ndarray) -> np.ndarray:
    """The wall in batches, at the price of a real robot's checker."""
    until = now() + 1e-4 * len(q)
    free = wall_in_batches(q)
    while now() < until:
        pass
    return free


def share_outside(proposer: str, belief: psmp.Belief | None) -> float:
    """The share of a run's time that is not the checker's, on a roadmap that stays as it is, to at most 1% over its shortest."""
    roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 300)
    shares = []
    for seed in range(5):
        check = Timed(wall_of_a_tenth_of_a_millisecond)
        began = now()
        run = psmp.plan(roadmap, (0.1, 0.1), (0.9, 0.9), check=psmp.on_batches(check.call), proposer=proposer,
                        belief=belief, seed=seed, stop=psmp.gap(0.01), fixed_roadmap=True)  # fmt: skip
        run.finish()
        shares.append(1 - check.seconds / (now() - began))
    return min(shares)


def seconds_an_event() -> float:
    """What an event costs beside the step that it tells of."""
    forest = psmp.Dataset.make("forest", 50, test=20)
    belief = psmp.FiniteSet(forest.table, worlds=forest.train)
    over, events = 0.0, 0
    for world in forest.test:
        run = psmp.plan(forest.roadmap, forest.start, forest.goal, check=forest.check(world), belief=belief, proposer="psmp")
        began = time.perf_counter()
        for event in run:
            if event.kind == "improved":
                event.path
        over += time.perf_counter() - began - run.seconds
        events += run.events
    return over / events


# Planners of ours on a roadmap, from the most thoughtful to the quickest.
ON_ROADMAP = {
    "ei:local": ("ei", None),
    "maxprob:nn": ("maxprob", psmp.NearestNeighbour()),
    "psmp:nn": ("psmp", psmp.NearestNeighbour()),
    "psmp:0.9": ("psmp", psmp.Constant(0.9)),
    "lazysp": ("lazysp", None),
}
# And without one: RRTConnect as we set it, and as OMPL does.
SET_AS_OMPL = "rrtconnect set as OMPL's"
OMPL, BATCHES = "RRTConnect of OMPL", "rrtconnect on batches (for comparison)"
OURS = ("rrtconnect", SET_AS_OMPL, *ON_ROADMAP)
# Beyond so many checks a run without a path counts as one that found none.
MOST_CHECKS = 5000


class Problem(NamedTuple):
    check: Callable[[Any], bool]
    check_batch: Callable[[np.ndarray], np.ndarray]
    bounds: np.ndarray
    roadmap: psmp.Roadmap
    start: np.ndarray
    goal: np.ndarray
    resolution: float
    # Makes of a checker what OMPL calls on a state.
    on_state: Callable[[Callable[[Any], bool]], Callable[[Any], bool]]


def first_path(who: str, problem: Problem, seed: int, most: int = MOST_CHECKS) -> tuple[float, int, float]:
    """Seconds outside the checker until the first path, the configurations that took, and its length."""
    if who == OMPL:
        return rrt_connect_of_ompl(problem, seed)
    timed = Timed(problem.check_batch if who == BATCHES else problem.check)
    check = psmp.on_batches(timed.call) if who == BATCHES else timed.call
    ends, stop = (problem.start, problem.goal), psmp.checks(most)
    began = now()
    if who in ON_ROADMAP:
        proposer, belief = ON_ROADMAP[who]
        run = psmp.plan(problem.roadmap, *ends, check=check, proposer=proposer, belief=belief, seed=seed,
                        resolution=problem.resolution, stop=stop)  # fmt: skip
    else:
        options = {"range": 0.2 * np.linalg.norm(np.ptp(problem.bounds, axis=1)), "intermediate_states": False}
        run = psmp.plan_without_roadmap(problem.bounds, *ends, check=check, seed=seed, resolution=problem.resolution,
                                        stop=stop, **(options if who == SET_AS_OMPL else {}))  # fmt: skip
    for event in run:
        if event.kind == "improved":
            break
    spent = now() - began - timed.seconds
    return spent, run.configurations, run.best_length or np.nan


def rrt_connect_of_ompl(problem: Problem, seed: int) -> tuple[float, int, float]:
    from ompl import base, geometric, util

    util.setLogLevel(util.LOG_NONE)
    util.RNG.setSeed(seed + 1)
    dimension = len(problem.bounds)
    space = base.RealVectorStateSpace(dimension)
    limits = base.RealVectorBounds(dimension)
    for axis, (low, high) in enumerate(problem.bounds):
        limits.setLow(axis, float(low))
        limits.setHigh(axis, float(high))
    space.setBounds(limits)
    timed = Timed(problem.check)
    setup = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(problem.on_state(timed.call))
    setup.getSpaceInformation().setStateValidityCheckingResolution(problem.resolution / space.getMaximumExtent())
    ends = []
    for q in (problem.start, problem.goal):
        state = space.allocState()
        for axis, value in enumerate(q):
            state[axis] = float(value)
        ends.append(state)
    setup.setStartAndGoalStates(*ends)
    setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
    began = now()
    solved = setup.solve(30.0)
    spent = now() - began - timed.seconds
    return spent, timed.calls, setup.getSolutionPath().length() if solved else np.nan


def into_an_array(check: Callable[[Any], bool], dimension: int) -> Callable[[Any], bool]:
    """Writes the numbers of a state into one array, which costs less than a new one each time."""
    q = np.empty(dimension)

    def of_two(s: Any) -> bool:
        q[:] = (s[0], s[1])
        return check(q)

    def of_seven(s: Any) -> bool:
        q[:] = (s[0], s[1], s[2], s[3], s[4], s[5], s[6])
        return check(q)

    return {2: of_two, 7: of_seven}[dimension]


def problems() -> Iterator[tuple[str, list[Problem]]]:
    """Problems of a kind, which are taken together."""
    bounds = np.array([(0.0, 1.0), (0.0, 1.0)])
    roadmap = psmp.Roadmap.halton(bounds, 300)
    ends = np.array([0.1, 0.1]), np.array([0.9, 0.9])
    array = partial(into_an_array, dimension=2)
    yield "wall in the plane", [Problem(wall, wall_in_batches, bounds, roadmap, *ends, 0.01, array)]
    # The wall only looks at two numbers, for which OMPL's state is as good as an array.
    itself = "wall in the plane, OMPL's state given as it is"
    yield itself, [Problem(wall, wall_in_batches, bounds, roadmap, *ends, 0.01, lambda check: check)]
    folder = Path(os.environ.get("PSMP_DATA", ROOT.parent / "shared" / "data")) / "motion_bench_maker" / "panda"
    if not folder.exists():
        print(f"SKIPPED: the Panda, because {folder} is not there; set PSMP_DATA", file=sys.stderr)
        return
    sys.path.insert(0, str(ROOT / "examples" / "python"))
    import panda
    import yaml

    pandas: list[Problem] = []
    for number in range(1, 6):
        file = folder / "problems" / "table_under_pick"
        scene, request = (
            yaml.load((file / f"{kind}{number:04}.yaml").read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            for kind in ("scene", "request")
        )
        arm = panda.Panda(folder, scene)
        start = np.array(request["start_state"]["joint_state"]["position"][:7], dtype=float)
        goal = np.array([joint["position"] for joint in request["goal_constraints"][0]["joint_constraints"]])
        bounds = np.column_stack([arm.model.lowerPositionLimit, arm.model.upperPositionLimit])
        roadmap = pandas[0].roadmap if pandas else psmp.Roadmap.halton(bounds, 2000, nearest=12)
        batch = partial(free_up_to_the_first_collision, arm.is_free)
        array = partial(into_an_array, dimension=7)
        pandas.append(Problem(arm.is_free, batch, bounds, roadmap, start, goal, 0.05, array))
    yield "Panda under a table, 5 problems", pandas


def free_up_to_the_first_collision(is_free: Callable[[np.ndarray], bool], configurations: np.ndarray) -> np.ndarray:
    free = np.zeros(len(configurations), dtype=bool)
    for place, q in enumerate(configurations):
        if not is_free(q):
            break
        free[place] = True
    return free


def main() -> int:
    passed = []

    def limit(what: str, value: float, most: float, unit: str) -> None:
        good = value <= most
        passed.append(good)
        print(f"{what}: {value:.3g}{unit}, limit {most:.3g}{unit}: {'good' if good else 'TOO MUCH'}")

    for proposer, belief in [("ei", None), ("psmp", psmp.NearestNeighbour()), ("lazysp", None)]:
        share = share_outside(proposer, belief)
        limit(f"time outside a batch checker of 0.1 ms a configuration, {proposer}", share * 100, 3, "%")
    limit("an event", seconds_an_event() * 1e6, 5, " us")
    for name, some in problems():
        runs: dict[str, list[tuple[float, int, float]]] = {who: [] for who in (OMPL, *OURS, BATCHES)}
        for problem, seed in product(some, range(SEEDS)):
            tries: dict[str, list[tuple[float, int, float]]] = {who: [] for who in runs}
            for _ in range(TRIES):
                for who in runs:
                    # Who thinks for long is not disturbed by what lasts a moment.
                    if not tries[who] or min(tries[who])[0] < 0.05:
                        tries[who].append(first_path(who, problem, seed))
            for who in runs:
                runs[who].append(min(tries[who]))
        medians = {}
        for who in runs:
            found = [run for run in runs[who] if not np.isnan(run[2])]
            medians[who], checks, length = (float(np.median(values)) for values in zip(*found, strict=True))
            spent = f"{medians[who] * 1e3:.2f} ms outside the checker, {medians[who] / checks * 1e6:.2f} us a check"
            solved = f"{len(found)} of {len(runs[who])} runs"
            print(f"{name}, first path by {who}: {spent}, {checks:.0f} checks, length {length:.3f}, found in {solved}")
        # One that finds a path only where that is easy is not the quicker one.
        complete = [who for who in OURS if all(not np.isnan(run[2]) for run in runs[who])]
        quickest = min(complete, key=lambda who: medians[who])
        limit(f"{name}, {quickest} over {OMPL}", medians[quickest] / medians[OMPL], 0.5, "")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
