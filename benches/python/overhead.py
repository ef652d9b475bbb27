"""What planning from Python costs beside the checker, and RRTConnect of OMPL's Python bindings beside it.

    python benches/python/overhead.py

Needs ompl. The Panda's part needs pin, coal, pyyaml and the published data that PSMP_DATA names.
Every run is made five times and the quickest counts, so that other work on the machine does not. Exits with 1 if a limit is
passed: 5% of the time outside a batch checker of 0.1 ms a configuration, 5 microseconds an event, half of
RRTConnect's time outside the checker to a first path. Both planners are given the same checker, a Python
function on one configuration, in turns; ours joins start and goal to a roadmap that was made before.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import psmp

ROOT = Path(__file__).resolve().parents[2]
SEEDS = 7
TRIES = 5
now = time.perf_counter


class Timed:
    """A checker, and the time spent in it."""

    def __init__(self, check: Callable[[np.ndarray], object]) -> None:
        self.check, self.seconds, self.calls = check, 0.0, 0

    def __call__(self, q: np.ndarray) -> object:
        began = now()
        answer = self.check(q)
        self.seconds += now() - began
        self.calls += 1
        return answer


def wall(q: np.ndarray) -> bool:
    return not 0.45 < q[0] < 0.55 or q[1] > 0.8


def wall_of_a_tenth_of_a_millisecond(q: np.ndarray) -> np.ndarray:
    """The wall in batches, at the price of a real robot's checker."""
    until = now() + 1e-4 * len(q)
    free = ~((0.45 < q[:, 0]) & (q[:, 0] < 0.55)) | (q[:, 1] > 0.8)
    while now() < until:
        pass
    return free


def share_outside(proposer: str, belief: psmp.Belief | None) -> float:
    """The share of a run's time that is not the checker's, to a certified 1%."""
    roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 300)
    shares = []
    for seed in range(5):
        check = Timed(wall_of_a_tenth_of_a_millisecond)
        began = now()
        run = psmp.plan(roadmap, (0.1, 0.1), (0.9, 0.9), check=psmp.on_batches(check), proposer=proposer,
                        belief=belief, seed=seed, stop=psmp.gap(0.01))  # fmt: skip
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


# Planners of ours, from the most thoughtful to the quickest.
OURS = {
    "ei:local": ("ei", None),
    "psmp:nn": ("psmp", psmp.NearestNeighbour()),
    "psmp:0.9": ("psmp", psmp.Constant(0.9)),
    "lazysp": ("lazysp", None),
}


def ours(who: str, check, roadmap: psmp.Roadmap, start, goal, resolution: float, seed: int):
    proposer, belief = OURS[who]
    timed = Timed(check)
    began = now()
    run = psmp.plan(roadmap, start, goal, check=timed, proposer=proposer, belief=belief, seed=seed, resolution=resolution)
    for event in run:
        if event.kind == "improved":
            break
    return now() - began - timed.seconds, timed.calls, run.best_length


def rrt_connect(check: Callable[[np.ndarray], bool], bounds: np.ndarray, start, goal, resolution: float, seed: int):
    from ompl import base, geometric, util

    util.setLogLevel(util.LOG_NONE)
    util.RNG.setSeed(seed + 1)
    dimension = len(bounds)
    space = base.RealVectorStateSpace(dimension)
    limits = base.RealVectorBounds(dimension)
    for axis, (low, high) in enumerate(bounds):
        limits.setLow(axis, float(low))
        limits.setHigh(axis, float(high))
    space.setBounds(limits)
    timed = Timed(check)
    setup = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(lambda state: bool(timed(np.array([state[i] for i in range(dimension)]))))
    setup.getSpaceInformation().setStateValidityCheckingResolution(resolution / space.getMaximumExtent())
    ends = []
    for q in (start, goal):
        state = space.allocState()
        for axis, value in enumerate(q):
            state[axis] = float(value)
        ends.append(state)
    setup.setStartAndGoalStates(*ends)
    setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
    began = now()
    solved = setup.solve(30.0)
    spent = now() - began - timed.seconds
    length = setup.getSolutionPath().length() if solved else None
    return spent, timed.calls, length


def problems():
    bounds = np.array([(0.0, 1.0), (0.0, 1.0)])
    yield "wall in the plane", wall, bounds, psmp.Roadmap.halton(bounds, 300), (0.1, 0.1), (0.9, 0.9), 0.01
    folder = Path(os.environ.get("PSMP_DATA", ROOT.parent / "shared" / "data")) / "motion_bench_maker" / "panda"
    if not folder.exists():
        print(f"SKIPPED: the Panda, because {folder} is not there; set PSMP_DATA", file=sys.stderr)
        return
    sys.path.insert(0, str(ROOT / "examples" / "python"))
    import panda
    import yaml

    problem = folder / "problems" / "table_under_pick"
    scene, request = (yaml.safe_load((problem / f"{kind}0002.yaml").read_text()) for kind in ("scene", "request"))
    arm = panda.Panda(folder, scene)
    start = np.array(request["start_state"]["joint_state"]["position"][:7], dtype=float)
    goal = np.array([joint["position"] for joint in request["goal_constraints"][0]["joint_constraints"]])
    bounds = np.column_stack([arm.model.lowerPositionLimit, arm.model.upperPositionLimit])
    yield "Panda under a table", arm.is_free, bounds, psmp.Roadmap.halton(bounds, 2000, nearest=12), start, goal, 0.05


def main() -> int:
    passed = []

    def limit(what: str, value: float, most: float, unit: str) -> None:
        good = value <= most
        passed.append(good)
        print(f"{what}: {value:.3g}{unit}, limit {most:.3g}{unit}: {'good' if good else 'TOO MUCH'}")

    for proposer, belief in [("ei", None), ("psmp", psmp.NearestNeighbour()), ("lazysp", None)]:
        share = share_outside(proposer, belief)
        limit(f"time outside a batch checker of 0.1 ms a configuration, {proposer}", share * 100, 5, "%")
    limit("an event", seconds_an_event() * 1e6, 5, " us")
    for name, check, bounds, roadmap, start, goal, resolution in problems():
        runs = {who: [] for who in ("RRTConnect", *OURS)}
        for seed in range(SEEDS):
            tries = {who: [] for who in runs}
            for _ in range(TRIES):
                for who in runs:
                    if who == "RRTConnect":
                        tries[who].append(rrt_connect(check, bounds, start, goal, resolution, seed))
                    else:
                        tries[who].append(ours(who, check, roadmap, start, goal, resolution, seed))
            for who in runs:
                runs[who].append(min(tries[who]))
        medians = {}
        for who in runs:
            medians[who], calls, length = (statistics.median(values) for values in zip(*runs[who], strict=True))
            spent = f"{medians[who] * 1e3:.2f} ms outside the checker"
            print(f"{name}, first path by {who}: {spent}, {calls:.0f} checks, length {length:.3f}")
        quickest = min(OURS, key=lambda who: medians[who])
        limit(f"{name}, {quickest} over RRTConnect", medians[quickest] / medians["RRTConnect"], 0.5, "")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
