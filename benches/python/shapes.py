"""How long a configuration takes by the true shapes, and by pinocchio and coal beside it; and whether they agree.

    python benches/python/shapes.py

Needs pin, coal, numpy, pyyaml, cargo, and the published data that PSMP_DATA names. In every problem of a set
configurations drawn over all of joint space, and those along the straight motion from start to goal, are
checked by `RefinedWorld` (the example `shape_verdicts`), and then by coal, one at a time on one core. Links whose
meshes are convex are solid here and surfaces there, so that coal calls free what is wholly within such a link.
Exits with 1 if a configuration takes longer than a limit on average, or if a verdict is "free" where coal's is
not.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

from judge import ROOT, Judge, published

# A robot, a set of problems, and the most microseconds that a configuration may take.
SETS = (("panda", "cage", 10.0), ("ur5", "table_pick", 60.0))


def verdicts(judge: Judge, configurations: list[list[float]]) -> tuple[list[bool], float]:
    """Which are free, and how many seconds that takes."""
    started = time.perf_counter()
    found = [not judge.touches(configuration) for configuration in configurations]
    return found, time.perf_counter() - started


def main() -> None:
    good = True
    print(f"{'robot':6} {'set':11} {'kind':6} {'configurations':>14} {'free':>5} {'us':>7} {'coal us':>8} {'ratio':>6} {'only we':>8} {'only coal':>9}")
    for robot, name, limit in SETS:
        folder = published() / robot
        example = ["cargo", "run", "--quiet", "--release", "-p", "psmp-arm", "--example", "shape_verdicts", "--"]
        said = subprocess.run([*example, str(folder), name], cwd=ROOT, check=True, capture_output=True).stdout
        problems = json.loads(said)
        judges = [Judge(folder, folder / "problems" / name, p["number"], p["joints"]) for p in problems]
        for kind in ("drawn", "along"):
            count, ours, theirs, free, only_we, only_coal = 0, 0.0, 0.0, 0, 0, 0
            for problem, judge in zip(problems, judges, strict=True):
                checked = problem[kind]
                found, seconds = verdicts(judge, checked["configurations"])
                count += len(found)
                ours += checked["nanoseconds"] * len(found) / 1e3
                theirs += seconds * 1e6
                for we, coal_does in zip(checked["free"], found, strict=True):
                    free += we
                    only_we += we and not coal_does
                    only_coal += coal_does and not we
            print(
                f"{robot:6} {name:11} {kind:6} {count:14} {free / count:5.0%} {ours / count:7.2f} {theirs / count:8.1f} "
                f"{theirs / ours:6.1f} {only_we:8} {only_coal:9}"
            )
            good = good and ours / count <= limit and only_we == 0
    if not good:
        sys.exit("error: a configuration takes too long, or is called free where coal finds a collision")


if __name__ == "__main__":
    main()
