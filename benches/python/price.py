"""Who is the fastest at which price of a check: the default beside other planners of psmp and OMPL's, by the clock.

    python benches/python/price.py
    python benches/python/price.py --problems 3 --datasets dataset_2d_1 --figure docs/prices.svg

A run takes `checks x price + thinking`. Thinking is measured, as the processor time of the run less that of the checker,
and the price is put in: so one run of a planner that does not know the price tells what it would have taken at any. The
default is told the price, and what a thought of its own takes, which is measured in a run before, and is run anew for each
price. All planners are given the same function on one configuration, which
`growing.py` makes for the Panda and `two_d.py` for images and generated mazes, and are counted by the same counter;
`curves.py` says how.

Two figures, of each the median over problems and seeds of its ratio to the best of all planners:
*first*, the time to a first path; and *regret*, how much longer than the best path that anyone has found the path is, in
the mean over time, until four times the moment when the first of all has a path within 5% of that. Before its
first path a planner counts as three times as long. Exits with 1 if at any price the default takes more than 1.5 times the
best to a first path, or has more than 1.25 times the least regret, or from 50 us on is not ahead of every planner of OMPL's.

Needs psmp, ompl 2.0.1, numpy and the published data that PSMP_DATA names; matplotlib for the figure.
"""

from __future__ import annotations

import argparse
import functools
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import growing
import numpy as np
import numpy.typing as npt
import two_d
from curves import OF_OMPL, Curve, Problem, curve_of

import psmp

PRICES = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
OURS = ("default", "rrtconnect+shortcut", "lazysp")
PLANNERS = (*OURS, *OF_OMPL)
MOST = 5_000
BEFORE_FIRST = 3.0
WITHIN, LONGER = 1.05, 4.0
FIRST, REGRET = 1.5, 1.25
AHEAD_FROM = 5e-5
IN_THE_PLANE = two_d.DATASETS + two_d.FAMILIES

#: The time to a first path and the regret, for each price and planner.
Figures = npt.NDArray[np.float64]


def times(curve: Curve, price: float) -> list[tuple[float, float]]:
    """When each better path was found, and how long it is."""
    return [(found.checks * price + found.thinking, found.length) for found in curve.found]


def regret(found: list[tuple[float, float]], best: float, until: float) -> float:
    """The mean excess over the best, as a share of it."""
    total, at, length = 0.0, 0.0, BEFORE_FIRST * best
    for when, shorter in found:
        if when >= until:
            break
        total += (when - at) * (length / best - 1)
        at, length = when, min(length, shorter)
    return (total + (until - at) * (length / best - 1)) / until


def thought_in(problem: Problem, seed: int) -> float:
    """What a thought takes the default in this problem, in seconds."""
    dear = psmp.plan(
        problem.roadmap,
        problem.start,
        problem.goal,
        check=slow(problem),
        seed=seed,
        resolution=problem.step,
        stop=psmp.checks(MOST) | psmp.seconds(2),
        price="measured",
    )
    prices = [event.price for event in dear if event.price]
    return prices[-1][1] if prices else 3e-8


def slow(problem: Problem) -> Callable[[npt.NDArray[np.float64]], bool]:
    """Its checker, slowed down until it is worth thinking."""

    def check(q: npt.NDArray[np.float64]) -> bool:
        time.sleep(1e-3)
        return problem.is_free(q)

    return check


def figures_of(name: str, number: int, seed: int) -> Figures | None:
    """Figures of all planners at all prices; nothing where there is no problem or nobody has a path."""
    problem = two_d.problem_of(name, number)[0] if name in IN_THE_PLANE else growing.problem_of(name, number)
    if problem is None:
        return None
    thought = thought_in(problem, seed)
    # Ours one after the other: a run of a quarter of a millisecond takes longer after somebody else's.
    defaults = [curve_of("default", problem, seed, MOST, price=[(price, thought)]) for price in PRICES]
    fixed = {planner: curve_of(planner, problem, seed, MOST) for planner in PLANNERS[1:]}
    figures = np.full((len(PRICES), len(PLANNERS), 2), math.inf)
    for place, (price, default) in enumerate(zip(PRICES, defaults, strict=True)):
        curves = {"default": default, **fixed}
        found = [times(curves[planner], price) for planner in PLANNERS]
        best = min((length for of in found for _, length in of), default=math.inf)
        if not math.isfinite(best):
            return None
        until = LONGER * min(when for of in found for when, length in of if length <= WITHIN * best)
        for planner, of in enumerate(found):
            if of:
                figures[place, planner] = of[0][0], regret(of, best, until)
            else:
                figures[place, planner, 1] = BEFORE_FIRST - 1
    return figures


def draw(file: str, ratios: Figures) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "psmp"
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    picture, panels = plt.subplots(1, 2, figsize=(10, 4), sharex=True)
    for panel, (which, title) in zip(panels, enumerate(("time to a first path", "regret by the clock")), strict=True):
        for place, planner in enumerate(PLANNERS):
            is_ours = planner == "default"
            style = {"linewidth": 2.5, "color": "black", "zorder": 3} if is_ours else {"linewidth": 1.2}
            label = "psmp, the default" if is_ours else f"OMPL {planner}" if planner in OF_OMPL else f"psmp {planner}"
            panel.plot(PRICES, ratios[:, place, which], marker="o", markersize=3, label=label, **style)
        panel.set(xscale="log", yscale="log", xlabel="price of a check, in seconds", ylabel="times the best of all", title=title)
        panel.grid(alpha=0.3)
        panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_major_formatter(FormatStrFormatter("%g"))
        panel.yaxis.set_minor_formatter(NullFormatter())
    lines, labels = panels[0].get_legend_handles_labels()
    picture.legend(lines, labels, fontsize=8, ncols=len(PLANNERS), loc="lower center", frameon=False)
    picture.tight_layout(rect=(0, 0.06, 1, 1))
    picture.savefig(file, metadata={"Date": None} if file.endswith(".svg") else None, dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", choices=growing.SETS, default=growing.SETS, help="of the Panda; all by default")
    in_the_plane = ("dataset_2d_1", "dataset_2d_3", "maze")
    parser.add_argument("--datasets", nargs="*", choices=IN_THE_PLANE, default=in_the_plane, help="in the plane (%(default)s)")
    parser.add_argument("--problems", type=int, default=5, help="the first so many of each (%(default)s)")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each planner on each problem (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time (%(default)s)")
    parser.add_argument("--figure", help="a file for the picture, such as prices.svg")
    options = parser.parse_args()
    if not growing.PANDA.exists():
        print(f"SKIPPED: {growing.PANDA} is not there; set PSMP_DATA", file=sys.stderr)
        return 0
    growing.arm()
    began, of_all = time.monotonic(), []
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for name in (*options.sets, *options.datasets):
            numbers = range(1, options.problems + 1)
            if name in IN_THE_PLANE:
                test = two_d.dataset(name).test
                assert test is not None
                numbers = [int(world) for world in test[: options.problems]]
            work = functools.partial(figures_of, name)
            runs = list(product(numbers, range(options.seeds)))
            figures = [of for of in pool.map(work, *zip(*runs, strict=True)) if of is not None]
            of_all.extend(figures)
            print(f"{name}: {len(figures)} runs, {time.monotonic() - began:.0f} s", flush=True)
    figures = np.array(of_all)
    with np.errstate(invalid="ignore"):
        ratios = np.nan_to_num(figures / figures.min(axis=2, keepdims=True), nan=1.0, posinf=math.inf)
    ratios = np.median(ratios, axis=0)
    failed = False
    for which, (words, most) in enumerate((("time to a first path", FIRST), ("regret by the clock", REGRET))):
        print(f"\n{words}, times that of the best of all, in the median of {len(figures)} runs")
        print(f"{'price':>8}" + "".join(f"{planner:>21}" for planner in PLANNERS))
        for place, price in enumerate(PRICES):
            row = ratios[place, :, which]
            behind = price >= AHEAD_FROM and any(row[0] >= of for of in row[len(OURS) :])
            verdict = "TOO SLOW" if row[0] > most else "BEHIND" if behind else "ok"
            failed |= verdict != "ok"
            print(f"{price:8.0e}" + "".join(f"{of:21.2f}" for of in row) + f"  {verdict}")
    if options.figure:
        draw(options.figure, ratios)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
