"""What planning from Python costs beside the checker, and RRTConnect of OMPL's Python bindings beside it.

    python benches/python/overhead.py

Needs ompl. The Panda's part needs pin, coal, pyyaml and the published data that PSMP_DATA names.
Exits with 1 if a limit is passed: 5% of the time outside a batch checker of 0.1 ms a configuration,
5 microseconds an event, half of RRTConnect's time outside the checker to a first path.
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
SEEDS = 15


class Timed:
    """A checker, and the time spent in it."""

    def __init__(self, check: Callable[[np.ndarray], object]) -> None:
        self.check, self.seconds, self.calls = check, 0.0, 0

    def __call__(self, q: np.ndarray) -> object:
        began = time.perf_counter()
        answer = self.check(q)
        self.seconds += time.perf_counter() - began
        self.calls += 1
        return answer


def wall(q: np.ndarray) -> bool:
    return not 0.45 < q[0] < 0.55 or q[1] > 0.8


def wall_of_a_tenth_of_a_millisecond(q: np.ndarray) -> np.ndarray:
    """The wall in batches, at the price of a real robot's checker."""
    until = time.perf_counter() + 1e-4 * len(q)
    free = ~((0.45 < q[:, 0]) & (q[:, 0] < 0.55)) | (q[:, 1] > 0.8)
    while time.perf_counter() < until:
        pass
    return free


def share_outside(proposer: str, belief: psmp.Belief | None) -> float:
    """The share of a run's time that is not the checker's, to a certified 1%."""
    roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 300)
    shares = []
    for seed in range(5):
        check = Timed(wall_of_a_tenth_of_a_millisecond)
        began = time.perf_counter()
        run = psmp.plan(roadmap, (0.1, 0.1), (0.9, 0.9), check=psmp.on_batches(check), proposer=proposer,
                        belief=belief, seed=seed, stop=psmp.gap(0.01))  # fmt: skip
        run.finish()
        shares.append(1 - check.seconds / (time.perf_counter() - began))
    return statistics.median(shares)


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


def ours(check: Callable[[np.ndarray], bool], roadmap: psmp.Roadmap, start, goal, resolution: float, seed: int):
    timed = Timed(check)
    began = time.perf_counter()
    run = psmp.plan(roadmap, start, goal, check=timed, seed=seed, resolution=resolution)
    for event in run:
        if event.kind == "improved":
            break
    return time.perf_counter() - began - timed.seconds, timed.calls, run.best_length


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
    began = time.perf_counter()
    solved = setup.solve(30.0)
    spent = time.perf_counter() - began - timed.seconds
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
        print(f"{what}: {value:.3g}{unit}, limit {most:.3g}{unit}: {'good' if good else 'PASSED'}")

    for proposer, belief in [("ei", None), ("psmp", psmp.NearestNeighbour()), ("lazysp", None)]:
        share = share_outside(proposer, belief)
        limit(f"time outside a batch checker of 0.1 ms a configuration, {proposer}", share * 100, 5, "%")
    limit("an event", seconds_an_event() * 1e6, 5, " us")
    for name, check, bounds, roadmap, start, goal, resolution in problems():
        times = {"ours": [], "rrt": []}
        notes = {}
        for seed in range(SEEDS):
            for who, run in (
                ("ours", lambda: ours(check, roadmap, start, goal, resolution, seed)),
                ("rrt", lambda: rrt_connect(check, bounds, start, goal, resolution, seed)),
            ):
                spent, calls, length = run()
                times[who].append(spent)
                notes.setdefault(who, []).append((calls, length))
        medians = {who: statistics.median(seconds) for who, seconds in times.items()}
        for who, words in (("ours", "psmp"), ("rrt", "RRTConnect")):
            calls = statistics.median(calls for calls, _ in notes[who])
            length = statistics.median(length for _, length in notes[who] if length is not None)
            print(f"{name}, {words}: {medians[who] * 1e3:.2f} ms outside the checker, {calls:.0f} checks, length {length:.3f}")
        limit(f"{name}, psmp over RRTConnect", medians["ours"] / medians["rrt"], 0.5, "")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
