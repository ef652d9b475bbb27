"""What maps of one's own are worth: the default's regret in new maps, with none, 10, 100 and 1,000 of their kind known.

    python benches/python/maps.py
    python benches/python/maps.py --families maze --new 20 --fixed-roadmap

All of it by the command line, as a user would: `psmp generate` makes worlds of a family and draws them, `psmp learn` is
given the first 10, 100 and 1,000 of these pictures and nothing else, and `psmp plan --map` plans in later ones with
the file that came of it. The roadmap without experience is the same one. Regret is that of BENCHMARKS.md, by
configurations: best length over the shortest, 3 before the first path, in the mean over four times what it takes to
check the shortest path, less 1.5. The shortest is the best of all runs in this map, one of 20,000 configurations among
them; with `--fixed-roadmap` it is the roadmap's. Intervals are 95%, over maps; the last column is how much less regret
there is with the most maps than with none, map by map.

Needs `psmp` (on the PATH, or `--psmp FILE`) and numpy.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

KNOWN = (10, 100, 1000)
LONG = 20_000
RESOLUTION = 0.01


class Query(NamedTuple):
    """Where a family is planned from and to, and on how many vertices."""

    start: str
    goal: str
    vertices: int


def said(command: Sequence[object]) -> list[dict[str, Any]]:
    """The values that a command has said, one a line."""
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if run.returncode not in (0, 4):
        raise RuntimeError(f"{' '.join(map(str, command))}: {run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def regret(found: list[tuple[int, float]], shortest: float) -> float:
    """The score of these paths: what each had taken, and its length."""
    end = 4 * (shortest / RESOLUTION + 1)
    area, since, height = 0.0, 0.0, 3.0
    for configurations, length in found:
        at = min(configurations, end)
        area += (at - since) * height
        since, height = at, min(length / shortest, 3.0)
    return (area + (end - since) * height) / end - 1.5


def regrets_of(psmp: str, query: Query, beliefs: Sequence[Path], options: Sequence[str], picture: Path) -> list[float]:
    """In one map, without experience and with each belief."""
    given: list[list[object]] = [["--vertices", query.vertices], *[["--belief", belief] for belief in beliefs]]
    command = [psmp, "plan", "--json", "--map", picture, "--start", query.start, "--goal", query.goal, *options]
    runs = []
    for words in [*given, given[0]]:
        most = LONG if len(runs) == len(given) else 2_000
        events = said([*command, "--configurations", most, *words])
        found = [(e["configurations"], e["length"]) for e in events if e["event"] == "improved"]
        runs.append(found)
    lengths = [length for found in runs for _, length in found]
    return [regret(found, min(lengths)) for found in runs[:-1]] if lengths else []


def interval(values: np.ndarray) -> str:
    half = 1.96 * values.std(ddof=1) / len(values) ** 0.5
    return f"{values.mean():.3f} ± {half:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", default=["one-wall", "forest", "maze"])
    parser.add_argument("--new", type=int, default=100, help="how many maps to plan in")
    parser.add_argument("--vertices", type=int, default=500)
    parser.add_argument("--fixed-roadmap", action="store_true")
    parser.add_argument("--psmp", default="psmp")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    options = ["--fixed-roadmap"] if args.fixed_roadmap else []
    columns = ["none", *[f"{known:,}" for known in KNOWN]]
    print(f"| family | {' | '.join(columns)} | less with the most |")
    print("|---|" + "---|" * (len(columns) + 1))
    for family in args.families:
        with tempfile.TemporaryDirectory() as place:
            made = Path(place) / family
            worlds = KNOWN[-1] + args.new
            command = [args.psmp, "generate", family, "--worlds", worlds, "--test", args.new, "-o", made, "--json"]
            facts = said(command)[0]
            places = [line.replace(" ", ",") for line in (made / "coord_set.dat").read_text().split("\n")]
            query = Query(places[facts["start"] - 1], places[facts["goal"] - 1], args.vertices)
            pictures = [made / "environment_images" / f"world_{number + 1}.png" for number in range(worlds)]
            beliefs = []
            for known in KNOWN:
                beliefs.append(Path(place) / f"{known}.belief")
                maps = pictures[:known]
                said([args.psmp, "learn", *maps, "--vertices", args.vertices, "-o", beliefs[-1], "--json"])
            of_picture = partial(regrets_of, args.psmp, query, beliefs, options)
            with ThreadPoolExecutor(args.jobs) as pool:
                rows = pool.map(of_picture, pictures[KNOWN[-1] :])
                scores = np.array([row for row in rows if row])
            cells = [interval(column) for column in scores.T]
            print(f"| {family} | {' | '.join(cells)} | {interval(scores[:, 0] - scores[:, -1])} |", flush=True)


if __name__ == "__main__":
    main()
