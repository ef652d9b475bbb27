"""Whether the paths that psmp gives out for arms are free, as pinocchio and coal see it.

A path of an arm is given out when its motions are proved free all along, but for what is entered less deep than
TOLERANCE. Here the published problems are planned, and every path that is given out on the way is walked along in
steps of 0.005 rad of the joint that moves most, with somebody else's kinematics, meshes and collision checks. Exits
with 1 if coal finds anything deeper in another thing than that, or a path that does not lead from the start to the
goal within the joints' limits.

    python benches/python/free_paths.py --problems 5
    python benches/python/free_paths.py --sets panda/cage ur5/table_pick --planners rrtconnect --seed 3
    python benches/python/free_paths.py --problems 20 --resolution 0.2

The last checks so few configurations before a path is proved that without the proof most would touch something.

Needs psmp, pin, coal, numpy, pyyaml, and the published data that PSMP_DATA names. In the table, `ends` are problems
in which psmp says that the start or the goal touches something, and plans nothing; `no path` are those where the
roadmap has none, and `budget` those where the budget was spent before there was one. `paths` are all that were given
out on the way, `touch` those of them that coal finds a contact on, and `deepest` is how deep.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from judge import Contact, Judge, published

import psmp
from psmp.names import Proposer

SETS = (
    "panda/bookshelf_small",
    "panda/box",
    "panda/table_pick",
    "panda/table_under_pick",
    "panda/cage",
    "ur5/table_pick",
)
GROUPS = {"panda": "panda_arm", "ur5": "manipulator"}
PLANNERS = ("default", "lazysp", "rrtconnect")
# What a path may enter, in metres, as `psmp_arm::TOLERANCE` has it.
TOLERANCE = 5e-4
# Coal's own iterations end within 1e-6 m, and it has meshes in single precision: 1e-7 m at the length of an arm.
ROUNDING = 1e-5
STEP = 0.005

Path = npt.NDArray[np.float64]


@dataclass
class Judged:
    """What came of planning one problem with one planner, raw or straightened."""

    row: tuple[str, str, str]
    number: int
    #: `solved`, `ends`, `no path` or `budget`, and what was said where nothing was planned.
    outcome: str
    words: str = ""
    paths: int = 0
    motions: int = 0
    #: The deepest contact on each path that has one, and where it is.
    contacts: list[tuple[Contact, Path]] = field(default_factory=list)
    #: What is wrong with paths besides.
    wrong: list[str] = field(default_factory=list)


@functools.cache
def arm_of(robot: str) -> tuple[psmp.Arm, psmp.Roadmap]:
    folder = published() / robot
    arm = psmp.Arm(folder / f"{robot}.urdf", srdf=folder / f"{robot}.srdf", group=GROUPS[robot])
    return arm, arm.roadmap()


def planned(
    robot: str,
    check: psmp.ArmChecker,
    ends: tuple[Path, Path],
    planner: str,
    seed: int,
    budget: psmp.Stop,
    resolution: float | None,
) -> tuple[psmp.Run, list[Path], list[Path]]:
    """A run that has ended, every path that it gave out, and those that it straightened then."""
    arm, roadmap = arm_of(robot)
    if planner == "rrtconnect":
        run = psmp.plan_without_roadmap(
            arm.space, *ends, check=check, straighten=True, seed=seed, stop=budget, resolution=resolution
        )
    else:
        proposer: Proposer = "ei" if planner == "default" else "lazysp"
        run = psmp.plan(
            roadmap,
            *ends,
            check=check,
            proposer=proposer,
            straighten=True,
            seed=seed,
            stop=budget,
            resolution=resolution,
        )
    raw: list[Path] = []
    straightened: list[Path] = []
    for planning in (True, False):
        if not planning:
            # As far as it goes.
            run.end_planning().until()
        for event in run:
            if event.kind == "improved" and run.path is not None:
                # A straightened path is none of the roadmap; RRTConnect ends with its first one.
                (raw if planning and (run.vertices is not None or not raw) else straightened).append(run.path.copy())
    return run, raw, straightened


def judge_problem(
    name: str,
    number: int,
    planners: Sequence[str],
    seed: int,
    configurations: int,
    seconds: float,
    resolution: float | None,
) -> tuple[list[str], list[Judged]]:
    """Plans a problem with every planner, raw and straightened, and walks along all paths.

    Tells what touches at the start and the goal by coal, and what came of planning.
    """
    robot, folder = name.split("/")
    arm, _ = arm_of(robot)
    problems = published() / robot / "problems" / folder
    judge = Judge(published() / robot, problems, number, arm.joints)
    request = psmp.Request(problems / f"request{number:04}.yaml")
    check = arm.checker(psmp.Scene(problems / f"scene{number:04}.yaml"), state=request.start)
    ends = arm.configuration(request.start), arm.configuration(request.goal)
    # Paths share most of their motions.
    walked: dict[bytes, tuple[Contact, Path] | None] = {}
    found = []
    for planner in planners:
        raw, straightened = (Judged((name, planner, kind), number, "solved") for kind in ("raw", "straightened"))
        found += [raw, straightened]
        budget = psmp.checks(configurations) | psmp.seconds(seconds)
        try:
            run, *paths = planned(robot, check, ends, planner, seed, budget, resolution)
        except ValueError as refusal:
            for judged in (raw, straightened):
                judged.outcome, judged.words = "ends", str(refusal)
            continue
        for judged, these in zip((raw, straightened), paths, strict=True):
            if not paths[0]:
                judged.outcome = "no path" if run.ending == "no-path-on-roadmap" else "budget"
            for path in these:
                judge_path(judge, path, walked, judged)
    at_ends = (("start", judge.deepest(judge.start)), ("goal", judge.deepest(judge.goal)))
    return [f"{name} {number}: the {end} touches, {contact}" for end, contact in at_ends if contact], found


def judge_path(judge: Judge, path: Path, walked: dict[bytes, tuple[Contact, Path] | None], judged: Judged) -> None:
    judged.paths += 1
    if not (np.array_equal(path[0], judge.start) and np.array_equal(path[-1], judge.goal)):
        judged.wrong.append("a path does not lead from the start to the goal")
    if (path < judge.limits[0]).any() or (path > judge.limits[1]).any():
        judged.wrong.append("a path leaves the joints' limits")
    touched = []
    for one, other in itertools.pairwise(path):
        motion = one.tobytes() + other.tobytes()
        if motion not in walked:
            walked[motion] = deepest_on(judge, one, other)
            judged.motions += 1
        if (contact := walked[motion]) is not None:
            touched.append(contact)
    if touched:
        judged.contacts.append(max(touched, key=lambda contact: contact[0].depth))


def deepest_on(judge: Judge, one: Path, other: Path) -> tuple[Contact, Path] | None:
    """The deepest contact on a motion, and where it is."""
    steps = max(1, int(np.ceil(np.abs(other - one).max() / STEP)))
    along = one + np.linspace(0, 1, steps + 1)[:, None] * (other - one)
    contacts = [(contact, q) for q in along if (contact := judge.deepest(q)) is not None]
    return max(contacts, key=lambda contact: contact[0].depth, default=None)


def problems_of(name: str, most: int | None) -> list[int]:
    robot, folder = name.split("/")
    files = sorted((published() / robot / "problems" / folder).glob("request*.yaml"))
    if not files:
        sys.exit(f"error: no problems in {published() / robot / 'problems' / folder}; set PSMP_DATA")
    return [int(file.stem.removeprefix("request")) for file in files[:most]]


def table(found: list[Judged]) -> list[str]:
    """A line for each set, planner, and raw or straightened."""
    head = ("set", "planner", "path", "problems", "solved", "ends", "no path", "budget", "paths", "touch", "deepest")
    rows = [head]
    for row in dict.fromkeys(judged.row for judged in found):
        these = [judged for judged in found if judged.row == row]
        outcomes = Counter(judged.outcome for judged in these)
        depths = [contact.depth for judged in these for contact, _ in judged.contacts]
        counts = [len(these), *(outcomes[name] for name in head[4:8]), sum(judged.paths for judged in these), len(depths)]
        rows.append((*row, *map(str, counts), f"{1e3 * max(depths):.3f} mm" if depths else "-"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left, right = slice(0, 3), slice(3, None)
    return [
        "  ".join([word.ljust(width) for word, width in zip(row[left], widths[left], strict=True)]
                  + [word.rjust(width) for word, width in zip(row[right], widths[right], strict=True)])
        for row in rows
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, help="which sets of problems")
    parser.add_argument("--planners", nargs="+", choices=PLANNERS, default=PLANNERS)
    parser.add_argument("--problems", type=int, metavar="N", help="only the first N of each set")
    parser.add_argument("--configurations", type=int, default=20_000, help="most to plan with (default: 20000)")
    parser.add_argument("--seconds", type=float, default=2.0, help="most to plan for (default: 2)")
    parser.add_argument("--resolution", type=float, help="how far apart configurations are checked, in rad")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many at once (default: every core)")
    given = parser.parse_args()
    work = [(name, number) for name in given.sets for number in problems_of(name, given.problems)]
    began = time.monotonic()
    ends: list[str] = []
    found: list[Judged] = []
    with ProcessPoolExecutor(given.jobs) as pool:
        options = given.planners, given.seed, given.configurations, given.seconds, given.resolution
        tasks = [pool.submit(judge_problem, *problem, *options) for problem in work]
        for done, task in enumerate(as_completed(tasks), 1):
            at_ends, judged = task.result()
            ends += at_ends
            found += judged
            for one in judged:
                for contact, _ in one.contacts:
                    print(f"\r{' '.join(one.row)} {one.number}: {contact}", file=sys.stderr)
            paths, touching = sum(one.paths for one in found), sum(len(one.contacts) for one in found)
            words = f"\r{done} of {len(work)} problems, {paths} paths, {touching} touch "
            print(words, end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    found.sort(key=lambda judged: (SETS.index(judged.row[0]), PLANNERS.index(judged.row[1]), judged.row[2], judged.number))
    print("\n".join(table(found)))
    print(f"{sum(one.motions for one in found)} motions walked, {time.monotonic() - began:.0f} s")
    for line in ends:
        print(line)
    # One line for what every planner says of the same ends.
    for line in dict.fromkeys(f"{one.row[0]} {one.number}: {one.words}" for one in found if one.words):
        print(line)
    wrong = [f"{one.row} {one.number}: {words}" for one in found for words in one.wrong]
    for one in found:
        for contact, q in one.contacts:
            line = f"{one.row} {one.number}: {contact} at {q.tolist()}"
            print(line)
            if contact.depth > TOLERANCE + ROUNDING:
                wrong.append(line)
    if wrong:
        sys.exit("\n".join(["error: paths that are not free:", *wrong]))


if __name__ == "__main__":
    main()
