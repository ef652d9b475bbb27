"""What is kept and sent: pickled, copied, compared, saved and opened again."""

from __future__ import annotations

import copy
import inspect
import multiprocessing
import pickle
import pkgutil
import importlib

import numpy as np
import psmp
import pytest
from conftest import GOAL, START, wall, wall_in_batches

QUERY = [-0.9, 0.1, 0.1], [0.9, -0.1, -0.1]


def again(thing):
    """What comes out of a pickle."""
    return pickle.loads(pickle.dumps(thing))


@pytest.fixture(scope="module")
def table(roadmap):
    rows = np.random.default_rng(0).random((12, roadmap.edge_count)) < 0.8
    return psmp.Table(rows)


@pytest.fixture(scope="module")
def arm():
    return psmp.Arm("planar-3")


def a_scene() -> psmp.Scene:
    scene = psmp.Scene()
    scene.add("post", box=(0.1, 0.1, 0.4), pose=(0.75, 0, 0))
    scene.add("ball", sphere=0.1, pose=(-0.5, 0.5, 2, 0, 0, 0, 1))
    scene.add("seen", points=np.random.default_rng(0).random((20, 3), np.float32) + 2, radius=0.01)
    tetrahedron = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    scene.add("stone", mesh=tetrahedron, pose=(0, 0, 3))
    scene.add("roof", half_space=True, pose=[[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 4], [0, 0, 0, 1]])
    scene.allow("post", "link1")
    return scene


def test_what_has_a_value_comes_back_equal(roadmap, table, arm, tmp_path):
    pixels = np.full((40, 60), 255, np.uint8)
    pixels[:30, 28:32] = 0
    (tmp_path / "map.pgm").write_bytes(b"P5 60 40 255\n" + pixels.tobytes())
    scene = a_scene()
    dataset = psmp.Dataset.make("one-wall", 6)
    things = [
        roadmap.space,
        roadmap,
        table,
        psmp.learn(table),
        psmp.FiniteSet(table, worlds=[1, 3, 5]),
        psmp.Constant(0.25),
        psmp.NearestNeighbour(eta=30.0),
        psmp.Local(),
        psmp.checks(50) | psmp.gap(0.1) & psmp.seconds(2.5),
        psmp.Map(tmp_path / "map.pgm", robot_radius=0.03),
        arm,
        scene,
        arm.checker(scene),
        dataset,
        dataset.check(2),
    ]
    for thing in things:
        for other in (again(thing), copy.copy(thing), copy.deepcopy(thing)):
            assert type(other) is type(thing) and other == thing and repr(other) == repr(thing)
        assert thing != 3 and not thing == "another"
        if not isinstance(thing, psmp.Scene):
            assert hash(again(thing)) == hash(thing)


def test_what_differs_is_not_equal(roadmap, table):
    rows = table.to_numpy()
    rows[3, 4] ^= True
    assert psmp.Table(rows) != table and psmp.learn(psmp.Table(rows)) != psmp.learn(table)
    assert psmp.learn(table) != psmp.SoftSet(table)
    assert psmp.FiniteSet(table, worlds=[1]) != psmp.FiniteSet(table, worlds=[2])
    assert psmp.Roadmap.halton([(0, 1), (0, 1)], 301) != roadmap
    assert psmp.checks(5) != psmp.checks(6) and psmp.checks(5) | psmp.gap(1) != psmp.checks(5) & psmp.gap(1)
    assert psmp.Arm("planar-3") == psmp.Arm("planar-3") != psmp.Arm("planar-4")
    scene = a_scene()
    other = scene.copy()
    other.move("ball", (0, 0, 2))
    assert other != scene and scene == a_scene()


def test_what_was_sent_plans_the_same(roadmap, table, arm):
    plan = {"seed": 3, "stop": psmp.checks(2000)}
    here = psmp.plan(roadmap, START, GOAL, check=wall, belief=psmp.learn(table), **plan).finish()
    sent = again((roadmap, psmp.learn(table), plan))
    there = psmp.plan(sent[0], START, GOAL, check=wall, belief=sent[1], **sent[2]).finish()
    assert there == here and again(here) == here and hash(again(here)) == hash(here)
    assert psmp.plan(roadmap, START, GOAL, check=wall, seed=4, stop=psmp.checks(2000)).finish() != here
    check = arm.checker(a_scene())
    ways = [psmp.plan(arm.roadmap(300), *QUERY, check=c, **plan).finish() for c in (check, again(check))]
    assert ways[0] == ways[1] and ways[0].path is not None
    assert check(QUERY[0]) == again(check)(QUERY[0]) and again(arm).trajectory(ways[0].path).duration > 0
    trajectory = arm.trajectory(ways[0].path)
    assert np.array_equal(again(trajectory).positions, trajectory.positions)
    assert again(trajectory).joints == trajectory.joints


def in_another_process(sent):
    roadmap, check, stop = sent
    return psmp.plan(roadmap, *QUERY, check=check, seed=0, stop=stop).finish()


def test_other_processes_take_them_as_they_are(arm):
    roadmap, check = arm.roadmap(300), arm.checker(a_scene())
    sent = (roadmap, check, psmp.checks(1000))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(in_another_process, [sent]) == [in_another_process(sent)]


def test_a_belief_of_maps_is_sent_with_its_roadmap(tmp_path):
    for number, gap in enumerate((10, 20, 30, 12)):
        pixels = np.full((40, 40), 255, np.uint8)
        pixels[:, 18:22] = 0
        pixels[gap - 5 : gap + 5, 18:22] = 255
        (tmp_path / f"{number}.pgm").write_bytes(b"P5 40 40 255\n" + pixels.tobytes())
    maps = [tmp_path / f"{number}.pgm" for number in range(4)]
    belief = psmp.learn_maps(maps, tmp_path / "maps.belief", vertices=60)
    sent = again(belief)
    assert sent == belief and sent.roadmap == belief.roadmap and sent.map(maps[1]) == belief.map(maps[1])
    belief.save(tmp_path / "again.belief")
    assert psmp.open_belief(tmp_path / "again.belief") == belief
    with pytest.raises(TypeError, match="leave it out"):
        belief.save(tmp_path / "again.belief", belief.roadmap)


def test_files_are_those_of_the_command_line(roadmap, table, tmp_path):
    roadmap.save(tmp_path / "map.graphml")
    assert psmp.Roadmap.read_graphml(tmp_path / "map.graphml") == roadmap
    table.save(tmp_path / "worlds.table")
    assert psmp.Table.open(tmp_path / "worlds.table") == table
    belief = psmp.learn(table, worlds=[0, 1, 2, 3, 7])
    belief.save(tmp_path / "worlds.belief", roadmap)
    opened = psmp.open_belief(tmp_path / "worlds.belief", roadmap)
    assert opened == belief and again(opened) == opened
    with pytest.raises(TypeError, match="roadmap must be given"):
        belief.save(tmp_path / "worlds.belief")
    with pytest.raises(TypeError, match=r"psmp\.learn"):
        psmp.Constant(0.5).save(tmp_path / "constant.belief", roadmap)
    scene = psmp.Scene()
    scene.add("post", box=(0.1, 0.2, 0.4), pose=(0.75, 0, 0))
    scene.add("can", cylinder=(0.1, 0.3), pose=(0, 0.75, 0))
    scene.save(tmp_path / "scene.yaml")
    assert psmp.Scene(tmp_path / "scene.yaml") == scene
    with pytest.raises(OSError, match="not written"):
        a_scene().save(tmp_path / "scene.yaml")


def test_a_run_says_what_to_send_instead(roadmap):
    run = psmp.plan(roadmap, START, GOAL, check=wall, seed=0)
    with pytest.raises(TypeError, match=r"run\.result\(\)"):
        pickle.dumps(run)


def test_a_table_takes_numpy_alone(roadmap, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    table = psmp.table(roadmap, [0, 1], lambda _: psmp.on_batches(wall_in_batches), workers=1)
    assert table.shape == (2, roadmap.edge_count)


def documented(name, thing, seen):
    """All names of a module or class that have no documentation at run time."""
    for part, value in vars(thing).items():
        public = not part.startswith("_") and callable(value) or isinstance(value, (property, staticmethod, classmethod))
        public |= inspect.isgetsetdescriptor(value) and part not in ("__dict__", "__weakref__")
        if part.startswith("_") or not public or id(value) in seen:
            continue
        seen.add(id(value))
        whose = getattr(value, "__module__", "psmp") or "psmp"
        if not whose.startswith("psmp"):
            continue
        if not inspect.getdoc(getattr(thing, part)):
            yield f"{name}.{part}"
        if inspect.isclass(value):
            yield from documented(f"{name}.{part}", value, seen)


def test_everything_is_documented_at_run_time():
    missing, seen = [], set()
    for module in pkgutil.walk_packages(psmp.__path__, "psmp."):
        if module.name == "psmp.plot":
            pytest.importorskip("matplotlib")
        module = importlib.import_module(module.name)
        assert module.__doc__, module
        missing += documented(module.__name__, module, seen)
    assert not missing
