"""How soon paths in images are within 1% of the shortest there is, beside OMPL's planners with the same checker.

    python benches/python/two_d.py
    python benches/python/two_d.py --worlds 5 --seeds 1 --planner rrtconnect+shortcut

Worlds are the images of published data, each a point robot among black pixels, planned for from the start of the dataset
to its goal. All planners are given the same function on one configuration, ask about motions at the same steps of
0.005 of the side, and are counted by the same counter; rivals are as OMPL 2.0.1 sets them, and `curves.py` says how.
Ours begins with the dataset's roadmap, in which it knows nothing of the image; edges are as long as their ends are apart,
which the files round. The shortest there is comes from a
visibility graph of all corners of black pixels, and is exact but for a pixel, a thousandth of the side; steps may cut
corners by less than half of themselves.

Of each world the median over seeds counts; what takes more than 20,000 checks has not got there. `ms` is a planner's own
processor time to get there, and `in the end` how many times as long as the shortest its path is when it has got there or
its checks are used up. Exits with 1 if against any rival ours is not the sooner, in checks, in more worlds than it is
the later.

Needs psmp, ompl 2.0.1, numpy and the published data that PSMP_DATA names.
"""

from __future__ import annotations

import argparse
import functools
import heapq
import math
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from curves import OF_OMPL, Problem, curve_of

import psmp

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("PSMP_DATA", ROOT.parent / "shared" / "data")).resolve() / "graph_collision_checking"
DATASETS = ("dataset_2d_1", "dataset_2d_3", "dataset_2d_5")
#: Worlds made on the spot.
FAMILIES = ("maze",)
RIVALS = ("BIT*", "AORRTC")
STEP = 0.005
MOST = 20_000
WITHIN = 1.01

Points = npt.NDArray[np.float64]


def is_free_in(image: npt.NDArray[np.bool_]) -> Callable[[Points], bool]:
    """The image as a function on one configuration; its first row is on top, and pixel centres span the unit square."""
    # Looking a number up in bytes takes a third of the time that it takes in an array.
    rows = [bytes(row) for row in image]
    across, up = image.shape[1] - 1, image.shape[0] - 1

    def is_free(q: Points) -> bool:
        return rows[int((1 - q[1]) * up + 0.5)][int(q[0] * across + 0.5)] == 1

    return is_free


def shortest(image: npt.NDArray[np.bool_], start: Points, goal: Points) -> float:
    """The length of the shortest path from start to goal; infinite if there is none.

    Such a path is straight between corners that it bends around. So the graph of all corners is searched by A*, which
    looks for what can be seen from a corner when it gets there.
    """
    size = np.array([image.shape[1] - 1, image.shape[0] - 1])
    ends = [np.array([q[0], 1 - q[1]]) * size for q in (start, goal)]
    points = np.vstack([*ends, corners(image)])
    to_goal = np.linalg.norm(points - points[1], axis=1)
    best = np.full(len(points), math.inf)
    best[0] = 0.0
    done = np.zeros(len(points), dtype=bool)
    queue = [(float(to_goal[0]), 0)]
    while queue:
        _, here = heapq.heappop(queue)
        if here == 1:
            # Pixels are as wide as they are high.
            return float(best[1] / size[0])
        if done[here]:
            continue
        done[here] = True
        length = best[here] + np.linalg.norm(points - points[here], axis=1)
        better = np.flatnonzero(~done & (length < best))
        for there in better[sees(image, points[here], points[better])]:
            best[there] = length[there]
            heapq.heappush(queue, (float(best[there] + to_goal[there]), int(there)))
    return math.inf


def corners(image: npt.NDArray[np.bool_]) -> Points:
    """Where one of four pixels around a point is black, a little away from it: a path can bend nowhere else."""
    black = ~image
    around = [black[:-1, :-1], black[:-1, 1:], black[1:, :-1], black[1:, 1:]]
    alone = np.sum(around, axis=0) == 1
    found = []
    for pixel, (up, left) in zip(around, product((-1, 1), repeat=2), strict=True):
        rows, columns = np.nonzero(alone & pixel)
        away = 0.01
        found.append(np.column_stack([columns + 0.5 - left * away, rows + 0.5 - up * away]))
    return np.vstack(found)


def sees(image: npt.NDArray[np.bool_], here: Points, there: Points) -> npt.NDArray[np.bool_]:
    """To which points the straight line is free; looked at five times a pixel, first in few places and then in all."""
    seen = np.ones(len(there), dtype=bool)
    farthest = np.abs(there - here).max(initial=1.0)
    for places in (16, int(5 * farthest)):
        left = np.flatnonzero(seen)
        shares = np.linspace(0, 1, places + 1)
        for part in np.array_split(left, 1 + len(left) * places // 1_000_000):
            on_line = here + shares[:, None, None] * (there[part] - here)
            column, row = np.rint(on_line).astype(np.int32).transpose(2, 0, 1)
            seen[part] = image[row, column].all(axis=0)
    return seen


@functools.cache
def dataset(name: str) -> psmp.Dataset:
    return psmp.Dataset.make(name, 20, test=20) if name in FAMILIES else psmp.Dataset.open(DATA / name)


def problem_of(name: str, world: int) -> tuple[Problem, npt.NDArray[np.bool_]]:
    """A world, and its image."""
    data = dataset(name)
    image = data.image(world)
    assert image is not None
    vertices = np.asarray(data.roadmap.configurations)
    roadmap = psmp.Roadmap.from_edges(data.roadmap.edges, configurations=vertices, space=psmp.Space.unit(2))
    start, goal = (vertices[end] for end in (data.start, data.goal))
    return Problem(is_free_in(image), np.array([(0.0, 1.0)] * 2), start, goal, STEP, roadmap), image


def got_there(planners: tuple[str, ...], seeds: int, name: str, world: int) -> tuple[float, Points]:
    """The shortest length there is, and of each planner the median over seeds of the checks and seconds to come near it, and
    of how many times as long its path is in the end."""
    problem, image = problem_of(name, world)
    best = shortest(image, problem.start, problem.goal)
    took = np.full((len(planners), seeds, 3), math.inf)
    for (place, planner), seed in product(enumerate(planners), range(seeds)):
        if not math.isfinite(best):
            break
        curve = curve_of(planner, problem, seed, MOST, best * WITHIN)
        found = curve.first_within(best * WITHIN)
        if found is not None and found.checks <= MOST:
            took[place, seed, :2] = found.checks, found.thinking
        took[place, seed, 2] = curve.after_checks(MOST) / best
    return best, np.median(took, axis=1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", choices=DATASETS + FAMILIES, default=DATASETS, help="all published ones by default")
    parser.add_argument("--worlds", type=int, default=20, help="the first so many test worlds of each (%(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each planner in each world (%(default)s)")
    parser.add_argument("--planner", default="default", help="ours: default, rrtconnect+shortcut, ei:ensemble, ...")
    parser.add_argument("--rivals", nargs="+", choices=OF_OMPL, default=RIVALS, help="of OMPL; BIT* and AORRTC by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time (%(default)s)")
    options = parser.parse_args()
    if not DATA.exists():
        print(f"SKIPPED: {DATA} is not there; set PSMP_DATA", file=sys.stderr)
        return 0
    planners, began = (options.planner, *options.rivals), time.monotonic()
    behind = []
    # Processes that are begun anew have no threads to lose.
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        print(
            f"{'dataset':13} {'planner':20} {'got there':>11} {'checks':>7} {'ms':>8} {'in the end':>11} {'ours sooner-later-same':>23}"
        )
        for name in options.datasets:
            test = dataset(name).test
            assert test is not None
            work = functools.partial(got_there, planners, options.seeds, name)
            results = list(pool.map(work, map(int, test[: options.worlds])))
            took = np.array([of for best, of in results if math.isfinite(best)])
            for place, planner in enumerate(planners):
                checks, seconds, ends = took[:, place].T
                there = np.isfinite(checks)
                ours = took[:, 0, 0]
                sooner, later = int((ours < checks).sum()), int((ours > checks).sum())
                paired = "" if place == 0 else f"{sooner}-{later}-{len(took) - sooner - later}"
                share, ms = f"{there.sum()} of {len(took)}", np.median(seconds) * 1e3
                figures = f"{np.median(checks):7.0f} {ms:8.1f} {np.median(ends):11.3f}"
                print(f"{name:13} {planner:20} {share:>11} {figures} {paired:>23}")
                if place > 0 and sooner <= later:
                    behind.append(f"{planner} in {name}")
            print(f"{name}: {options.seeds} seeds, {time.monotonic() - began:.0f} s", flush=True)
    print(f"not ahead of {', '.join(behind)}" if behind else "ahead of every rival in every dataset")
    return int(bool(behind))


if __name__ == "__main__":
    sys.exit(main())
