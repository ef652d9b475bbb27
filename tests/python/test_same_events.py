"""Same seed, same events: the Rust library, the command line and Python, in one world."""

from __future__ import annotations

import csv
import json
import subprocess

import numpy as np
import pytest
from conftest import built, published
from test_arms import GOAL as ARM_GOAL
from test_arms import POST, request_text
from test_arms import START as ARM_START

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
        number(event.lower_bound_on_roadmap),
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
    assert events[-1].kind == "shortest-on-roadmap" and len(events) > 20

    # The Rust library, by a program that knows nothing of Python.
    command = [built("example", "events"), folder, str(WORLD + 1), str(SEED)]
    rust = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert rust == [" ".join(lines(event)) for event in events]

    # The command line: every better path, and the hash of all events.
    common = ["--seed", str(SEED)]
    command = [built("bin", "psmp"), "plan", "--dataset", folder, "--world", str(WORLD + 1), "--planner", "psmp:fs"]
    told = subprocess.run([*command, "--json", *common], check=True, capture_output=True, text=True).stdout
    told = said(told)
    ours = [e for e in events if e.kind in ("improved", "shortest-on-roadmap")]
    assert [line(t) for t in told] == told_by(ours)
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
        if column not in ("seconds", "curve_seconds"):
            expected = swept[column]
            assert value == ("" if expected is None else str(expected)) or float(value) == expected, column


def test_a_kept_belief_is_the_same_as_on_the_command_line(folder, tmp_path, roadmap):
    file = tmp_path / "forest.belief"
    subprocess.run([built("bin", "psmp"), "learn", folder, "-o", file], check=True, capture_output=True)
    dataset = psmp.Dataset.open(folder)
    belief = psmp.open_belief(file, dataset.roadmap)
    run = psmp.plan(dataset.roadmap, dataset.start, dataset.goal, check=dataset.check(WORLD), belief=belief, seed=SEED)
    ours = [e for e in run if e.kind in ("improved", "shortest-on-roadmap")]
    ours = [(e.kind, e.configurations, e.proposals, e.best_length) for e in ours]
    assert run.planner == "ei:ensemble"
    command = [built("bin", "psmp"), "plan", "--dataset", folder, "--world", str(WORLD + 1), "--belief", file,
               "--planner", "ei:ensemble", "--json", "--seed", str(SEED)]  # fmt: skip
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    told = said(told)
    assert ours == [(t["event"], t["configurations"], t["proposals"], t["length"]) for t in told]

    with pytest.raises(OSError, match="another roadmap"):
        psmp.open_belief(file, roadmap)
    with pytest.raises(FileNotFoundError):
        psmp.open_belief(tmp_path / "none.belief", roadmap)


def said(out: str) -> list[dict]:
    """The lines of a run, but for the last, which tells what came of it."""
    *lines, result = [json.loads(line) for line in out.splitlines()]
    assert result["event"] == "result"
    return lines


def line(told: dict) -> tuple:
    """A line of the command line's, its lower bound under either name. JSON has no infinity."""
    bound = told["straight_line"] if "straight_line" in told else told["lower_bound_on_roadmap"]
    bound = np.inf if bound is None else bound
    return (told["event"], told["configurations"], told["edges"], told["proposals"], told["length"], bound)


def told_by_the_command_line(*words) -> list[tuple]:
    """Every better path, and the end, as the command line tells of them."""
    command = [built("bin", "psmp"), "plan", "--json", "--seed", str(SEED), *words]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    told = said(ran.stdout)
    # A run that has found no path says so by its exit code, too.
    assert ran.returncode == (4 if told[-1]["length"] is None else 0), ran.stderr
    return [line(t) for t in told]


def told_by(events) -> list[tuple]:
    told = [e for e in events if e.kind == "improved" or e.is_final]
    bounds = [e.lower_bound_on_roadmap if e.straight_line is None else e.straight_line for e in told]
    return [
        (e.kind, e.configurations, e.edges, e.proposals, e.best_length, b)
        for e, b in zip(told, bounds, strict=True)
    ]


@pytest.mark.parametrize("planner", ["lazysp", "ei:local"])
@pytest.mark.parametrize("kind", ["refined", "spheres"])
@pytest.mark.parametrize("vertices", [3, 400])
def test_an_arm_does_the_same_on_the_command_line(tmp_path, planner, kind, vertices):
    """Also where the roadmap has no path, as the one of three vertices."""
    scene, request = tmp_path / "post.toml", tmp_path / "over.yaml"
    scene.write_text(POST)
    request.write_text(request_text(ARM_START, ARM_GOAL))
    arm = psmp.Arm("planar-3")
    given = psmp.Request(request)
    run = psmp.plan(
        arm.roadmap(vertices),
        arm.configuration(given.start),
        arm.configuration(given.goal),
        check=arm.checker(psmp.Scene(scene), kind=kind, state=given.start),
        proposer=planner.split(":")[0],
        fixed_roadmap=True,
        seed=SEED,
    )
    told = told_by(run)
    assert told[-1][0] == ("no-path-on-roadmap" if vertices == 3 else "shortest-on-roadmap")
    assert told == told_by_the_command_line(
        "--robot", "planar-3", "--scene", scene, "--request", request, "--checker", kind, "--vertices", str(vertices),
        "--planner", planner, "--fixed-roadmap")  # fmt: skip


def test_the_published_panda_does_the_same_on_the_command_line():
    panda = published("motion_bench_maker", "panda")
    problem = panda / "problems" / "table_under_pick"
    scene, request = problem / "scene0002.yaml", problem / "request0002.yaml"
    robot, srdf = panda / "panda.urdf", panda / "panda.srdf"
    given = psmp.Request(request)
    arm = psmp.Arm(robot, srdf=srdf, group=given.group)
    start, goal = arm.configuration(given.start), arm.configuration(given.goal)
    check = arm.checker(psmp.Scene(scene), state=given.start)
    run = psmp.plan(arm.roadmap(1000), start, goal, check=check, proposer="lazysp", seed=SEED)
    assert told_by(run) == told_by_the_command_line(
        "--robot", robot, "--srdf", srdf, "--scene", scene, "--request", request, "--vertices", "1000",
        "--planner", "lazysp")  # fmt: skip


@pytest.mark.parametrize("planner", ["rrtconnect", "rrtconnect+shortcut", "rrtstar", "bitstar"])
def test_trees_do_the_same_on_the_command_line(folder, planner):
    dataset = psmp.Dataset.open(folder)
    space, q = dataset.roadmap.space, dataset.roadmap.configurations
    run = psmp.plan_without_roadmap(space, q[dataset.start], q[dataset.goal], check=image_checker(dataset, WORLD),
                                    planner=planner, seed=SEED, stop=psmp.checks(20_000))  # fmt: skip
    told = told_by(run)
    assert told and told == told_by_the_command_line(
        "--dataset", folder, "--world", str(WORLD + 1), "--planner", planner, "--configurations", "20000")  # fmt: skip
