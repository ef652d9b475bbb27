"""How short paths of the Panda are after 500, 2,000 and 10,000 checks, beside OMPL's planners with the same checker.

    python benches/python/growing.py
    python benches/python/growing.py --sets cage box --problems 3 --seeds 1
    python benches/python/growing.py --planner rrtconnect+shortcut

All planners are given the same function on one configuration (the arm that psmp checks by spheres and true shapes),
ask about motions at the same steps of 1/32 rad of distance, and are counted by the same counter. None proves anything
between configurations, because a function on configurations cannot. Rivals are AORRTC, BLIT*, RRTConnect with
simplification and restarts, and BIT* of OMPL 2.0.1, as OMPL sets them; `curves.py` says how. Ours begins with the
roadmap that the arm has for any scene (`Arm.roadmap`), in which it knows nothing of this one.

Of each problem the median over seeds counts, and no path is infinitely long. Lengths within 0.1% are equal. The second
table is the same after 1, 4 and 20 seconds, where every check is taken to cost 2 ms and a planner's own processor time
counts besides. Exits with 1 if a claim fails: against each rival ours is shorter in more problems than it is longer in,
at each of the three counts; and after 10,000 checks it is at most 1.02 times as long as the best of all, in the median.

Needs psmp, ompl 2.0.1, numpy and the published data that PSMP_DATA names.
"""

from __future__ import annotations

import argparse
import functools
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from curves import OF_OMPL, Problem, curve_of

import psmp

ROOT = Path(__file__).resolve().parents[2]
PANDA = Path(os.environ.get("PSMP_DATA", ROOT.parent / "shared" / "data")).resolve() / "motion_bench_maker" / "panda"
SETS = ("bookshelf_small", "box", "cage", "table_pick", "table_under_pick")
STEP = 1 / 32
COUNTS = (500, 2_000, 10_000)
# In seconds, and what a check is taken to cost. The last is no later than the last count.
DEADLINES = (1.0, 4.0, 20.0)
PRICE = 2e-3
EQUAL = 1e-3
OF_THE_BEST = 1.02

#: A length for each count, then one for each deadline.
Lengths = npt.NDArray[np.float64]


@functools.cache
def arm() -> tuple[psmp.Arm, psmp.Roadmap]:
    robot = psmp.Arm(PANDA / "panda.urdf", srdf=PANDA / "panda.srdf", group="panda_arm")
    return robot, robot.roadmap()


def problem_of(name: str, number: int) -> Problem | None:
    """One published problem; nothing if an end of it touches something."""
    robot, roadmap = arm()
    folder = PANDA / "problems" / name
    request = psmp.Request(folder / f"request{number:04}.yaml")
    check = robot.checker(psmp.Scene(folder / f"scene{number:04}.yaml"), state=request.start)
    ends = robot.configuration(request.start), robot.configuration(request.goal)
    if not check(np.array(ends)).all():
        return None
    return Problem(check, np.asarray(robot.space.bounds), *ends, STEP, roadmap)


def lengths_of(planners: Sequence[str], name: str, number: int, seed: int) -> list[Lengths] | None:
    """What each planner has after each count and at each deadline."""
    problem = problem_of(name, number)
    if problem is None:
        return None
    curves = [curve_of(planner, problem, seed, COUNTS[-1]) for planner in planners]
    return [
        np.array([curve.after_checks(n) for n in COUNTS] + [curve.after_seconds(s, PRICE) for s in DEADLINES])
        for curve in curves
    ]


def compared(ours: Lengths, theirs: Lengths) -> tuple[int, int, int]:
    """In how many problems ours is shorter, longer and equal."""
    shorter = int((ours < theirs * (1 - EQUAL)).sum())
    longer = int((ours * (1 - EQUAL) > theirs).sum())
    return shorter, longer, len(ours) - shorter - longer


def share(shorter: int, longer: int) -> str:
    """The share of problems where ours is shorter among those that are not equal, with Wilson's interval of 95%."""
    if (n := shorter + longer) == 0:
        return "none differ"
    z, p = 1.96, shorter / n
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{p:.0%} ({low:.0%} to {high:.0%})"


def median_of(ratios: Lengths) -> tuple[float, str]:
    """The median, and where it lies in 95% of bootstrap samples of the problems."""
    if len(ratios) == 0:
        return math.nan, ""
    drawn = np.random.default_rng(0).choice(ratios, (2000, len(ratios)))
    low, high = np.quantile(np.median(drawn, axis=1), (0.025, 0.975), method="nearest")
    return float(np.median(ratios)), f"{low:.3f} to {high:.3f}"


def of_the_best(lengths: Lengths) -> Lengths:
    """Ours, in the first column, over the best of all columns; problems that nobody has a path in are left out."""
    best = lengths.min(axis=1)
    some = np.isfinite(best)
    return lengths[some, 0] / best[some]


def table(moments: Sequence[str], at: int, by_set: dict[str, npt.NDArray[np.float64]]) -> None:
    """Ours beside each rival, by set and in all. Arrays have problems, then planners, ours first, then moments."""
    print(
        f"{'after':12} {'set':17}" + "".join(f"{rival:>13}" for rival in OF_OMPL) + f" {'of the best':>12} {'unsolved':>9}"
    )
    for place, moment in enumerate(moments, at):
        for name, lengths in by_set.items():
            lengths = lengths[:, :, place]
            rivals = ("-".join(map(str, compared(lengths[:, 0], lengths[:, 1 + i]))) for i in range(len(OF_OMPL)))
            ratio, _ = median_of(of_the_best(lengths))
            unsolved = int(np.isinf(lengths[:, 0]).sum())
            print(f"{moment:12} {name:17}" + "".join(f"{words:>13}" for words in rivals) + f" {ratio:12.3f} {unsolved:9}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, help="of the published problems; all by default")
    parser.add_argument("--problems", type=int, default=10, help="the first so many of each set (%(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each planner on each problem (%(default)s)")
    parser.add_argument("--planner", default="default", help="ours: default, rrtconnect+shortcut, ei:ensemble, ...")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time (%(default)s)")
    options = parser.parse_args()
    if not PANDA.exists():
        print(f"SKIPPED: {PANDA} is not there; set PSMP_DATA", file=sys.stderr)
        return 0
    # Made and kept once, before others ask for it.
    arm()
    planners, began = (options.planner, *OF_OMPL), time.monotonic()
    runs = list(product(range(1, options.problems + 1), range(options.seeds)))
    by_set: dict[str, npt.NDArray[np.float64]] = {}
    # Processes that are begun anew have no threads to lose.
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for name in options.sets:
            numbers, seeds = zip(*runs, strict=True)
            work = functools.partial(lengths_of, planners, name)
            of_runs = list(pool.map(work, numbers, seeds))
            of_problems = [
                np.median([of for of, (n, _) in zip(of_runs, runs, strict=True) if n == number and of is not None], axis=0)
                for number in range(1, options.problems + 1)
                if of_runs[runs.index((number, 0))] is not None
            ]
            by_set[name] = np.array(of_problems)
            print(
                f"{name}: {len(of_problems)} problems, {options.seeds} seeds, {time.monotonic() - began:.0f} s", flush=True
            )
    everywhere = np.concatenate(list(by_set.values()))
    by_set["all"] = everywhere
    print(
        f"\n{options.planner}: in how many problems shorter-longer-equal, and how long beside the best of all, in the median"
    )
    table([f"{n:,} checks" for n in COUNTS], 0, by_set)
    print(f"\nthe same at deadlines, a check at {PRICE * 1e3:.0f} ms")
    table([f"{s:.0f} s" for s in DEADLINES], len(COUNTS), by_set)
    print()
    failed = False
    for (place, count), (rival, who) in product(enumerate(COUNTS), enumerate(OF_OMPL, 1)):
        shorter, longer, equal = compared(everywhere[:, 0, place], everywhere[:, rival, place])
        holds = shorter > longer
        failed |= not holds
        words = f"{shorter} shorter, {longer} longer, {equal} equal, {share(shorter, longer)}"
        print(f"after {count:,} checks beside {who}: {words}: {'ok' if holds else 'BEHIND'}")
    ratio, interval = median_of(of_the_best(everywhere[:, :, len(COUNTS) - 1]))
    holds = ratio <= OF_THE_BEST
    words = f"{ratio:.3f} of the best of all in the median ({interval}), claimed at most {OF_THE_BEST}"
    print(f"after {COUNTS[-1]:,} checks: {words}: {'ok' if holds else 'TOO LONG'}")
    return int(failed or not holds)


if __name__ == "__main__":
    sys.exit(main())
