"""RRTConnect beside OMPL's, on the published problems of the Panda, with the same checker.

    python benches/python/rrtconnect.py
    python benches/python/rrtconnect.py --sets cage --problems 20 --seeds 5

Needs ompl and the published data that PSMP_DATA names. Both are given the same function on one configuration
(an arm that psmp checks by spheres and true shapes), ask about motions at the same steps of 1/32 rad of
distance and take turns; each with its own default range. Neither proves anything between configurations,
because a function on configurations cannot. Exits with 1 if ours takes more configurations, or more
processor time, to a first path in the median of any set.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from overhead import OMPL, Problem, first_path, into_an_array

import psmp

ROOT = Path(__file__).resolve().parents[2]
SETS = ("bookshelf_small", "box", "cage", "table_pick", "table_under_pick")
OURS = "rrtconnect"
STEP = 1 / 32
# So many configurations are never needed.
MOST = 1_000_000


def problem_of(arm: psmp.Arm, folder: Path, number: int) -> Problem | None:
    """One published problem; nothing if an end of it touches something."""
    request = psmp.Request(folder / f"request{number:04}.yaml")
    scene = psmp.Scene(folder / f"scene{number:04}.yaml")
    check = arm.checker(scene, state=request.start)
    ends = arm.configuration(request.start), arm.configuration(request.goal)
    if not check(np.array(ends)).all():
        return None

    def is_free(q: np.ndarray) -> bool:
        return bool(check(q))

    array = partial(into_an_array, dimension=7)
    bounds = np.asarray(arm.space.bounds)
    return Problem(is_free, check, bounds, psmp.Roadmap.halton(bounds, 10), *ends, STEP, array)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--problems", type=int, default=10, help="the first so many of each set")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    panda = Path(os.environ.get("PSMP_DATA", ROOT.parent / "shared" / "data")) / "motion_bench_maker" / "panda"
    if not panda.exists():
        print(f"SKIPPED: {panda} is not there; set PSMP_DATA", file=sys.stderr)
        return 0
    arm = psmp.Arm(panda / "panda.urdf", srdf=panda / "panda.srdf", group="panda_arm")
    behind = []
    print(f"{'set':18} {'runs':>5} {'configurations, OMPL':>21} {'ours':>7} {'ms, OMPL':>9} {'ours':>7} {'unsolved':>9}")
    for name in options.sets:
        runs: dict[str, list[tuple[float, int]]] = {OMPL: [], OURS: []}
        unsolved = {OMPL: 0, OURS: 0}
        for number, seed in product(range(1, options.problems + 1), range(options.seeds)):
            problem = problem_of(arm, panda / "problems" / name, number)
            if problem is None:
                continue
            for who in runs:
                began = time.process_time()
                _, configurations, length = first_path(who, problem, seed, MOST)
                spent = time.process_time() - began
                unsolved[who] += int(np.isnan(length))
                runs[who].append((spent * 1e3, configurations))
        (their_time, theirs), (our_time, ours) = (np.median(runs[who], axis=0) for who in (OMPL, OURS))
        lost = f"{unsolved[OMPL]}, {unsolved[OURS]}"
        print(f"{name:18} {len(runs[OURS]):5} {theirs:21.0f} {ours:7.0f} {their_time:9.1f} {our_time:7.1f} {lost:>9}")
        if our_time > their_time or ours > theirs:
            behind.append(name)
    print(f"behind in {', '.join(behind)}" if behind else "ahead in every set")
    return int(bool(behind))


if __name__ == "__main__":
    sys.exit(main())
