"""Same seed, same events: the Rust library, the command line and Python, in one world."""

from __future__ import annotations

import csv
import json
import subprocess

import numpy as np
import pytest
from conftest import built

import psmp

WORLD, SEED = 37, 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "forest"
    command = [built("bin", "psmp"), "generate", "forest", "--worlds", "60", "-o", folder]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def lines(event: psmp.Event) -> list[str]:
    """An event as the Rust example prints it, numbers to the last bit."""

    def number(x):
        return "-" if x is None else np.float64(x).tobytes()[::-1].hex()

    return [
        event.kind,
        number(event.length),
        event.source or "-",
        "-" if event.edge is None else str(event.edge),
        "-" if event.free is None else str(event.free).lower(),
        "-" if event.cost is None else str(event.cost),
        str(event.configurations),
        str(event.edges),
        str(event.proposals),
        number(event.best_length),
        number(event.lower_bound),
    ]


def image_checker(dataset: psmp.Dataset, world: int) -> psmp.Checker:
    """A checker that a user would write: the world's image, in numpy."""
    free = dataset.image(world)
    height, width = free.shape

    @psmp.on_batches
    def check(q):
        column = np.floor(q[:, 0] * (width - 1) + 0.5).astype(int)
        row = height - 1 - np.floor(q[:, 1] * (height - 1) + 0.5).astype(int)
        return free[row, column]

    return check


def test_rust_the_command_line_and_python_do_the_same(folder, tmp_path):
    dataset = psmp.Dataset.open(folder)
    # `psmp bench` plans with all worlds as experience when they are all said to be seen.
    belief = psmp.FiniteSet(dataset.table)

    def python(check):
        return psmp.plan(dataset.roadmap, dataset.start, dataset.goal, check=check, belief=belief, proposer="psmp",
                         seed=SEED)  # fmt: skip

    run = python(dataset.check(WORLD))
    events = list(run)
    assert events[-1].kind == "optimal" and len(events) > 20

    # The Rust library, by a program that knows nothing of Python.
    command = [built("example", "events"), folder, str(WORLD + 1), str(SEED)]
    rust = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert rust == [" ".join(lines(event)) for event in events]

    # The command line: every better path, and the hash of all events.
    common = ["--seed", str(SEED)]
    command = [built("bin", "psmp"), "plan", "--dataset", folder, "--world", str(WORLD + 1), "--planner", "psmp:fs"]
    told = subprocess.run([*command, "--json", *common], check=True, capture_output=True, text=True).stdout
    told = [json.loads(line) for line in told.splitlines()]
    ours = [e for e in events if e.kind in ("improved", "optimal")]
    assert [(t["event"], t["configurations"], t["edges"], t["proposals"], t["length"], t["lower_bound"]) for t in told] == [
        (e.kind, e.configurations, e.edges, e.proposals, e.best_length, e.lower_bound) for e in ours
    ]
    rows = tmp_path / "rows.csv"
    command = [built("bin", "psmp"), "bench", folder, "--planners", "psmp:fs", "--experience", "seen", "--worlds",
               str(WORLD + 1), "--seeds", "1", *common, "-o", rows]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    with open(rows, newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["events"] == run.fingerprint

    # A checker in Python on the same image is as good as Rust's own.
    assert list(python(image_checker(dataset, WORLD))) == events

    # And a sweep from Python has the same row as the command line.
    swept = psmp.sweep(dataset, ["psmp:fs"], worlds=[WORLD], seeds=[SEED], experience="seen").to_pylist()[0]
    for column, value in row.items():
        if column != "seconds":
            expected = swept[column]
            assert value == ("" if expected is None else str(expected)) or float(value) == expected, column


def test_a_kept_belief_is_the_same_as_on_the_command_line(folder, tmp_path, roadmap):
    file = tmp_path / "forest.belief"
    subprocess.run([built("bin", "psmp"), "learn", folder, "-o", file], check=True, capture_output=True)
    dataset = psmp.Dataset.open(folder)
    belief = psmp.open_belief(file, dataset.roadmap)
    run = psmp.plan(dataset.roadmap, dataset.start, dataset.goal, check=dataset.check(WORLD), belief=belief, seed=SEED)
    ours = [(e.kind, e.configurations, e.proposals, e.best_length) for e in run if e.kind in ("improved", "optimal")]
    assert run.planner == "ei:ensemble"
    command = [built("bin", "psmp"), "plan", "--dataset", folder, "--world", str(WORLD + 1), "--belief", file,
               "--planner", "ei:ensemble", "--json", "--seed", str(SEED)]  # fmt: skip
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    told = [json.loads(line) for line in told.splitlines()]
    assert ours == [(t["event"], t["configurations"], t["proposals"], t["length"]) for t in told]

    with pytest.raises(OSError, match="another roadmap"):
        psmp.open_belief(file, roadmap)
    with pytest.raises(FileNotFoundError):
        psmp.open_belief(tmp_path / "none.belief", roadmap)
