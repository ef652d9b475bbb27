"""Arrays in and out: what they hold, and whose memory it is."""

from __future__ import annotations

import gc
import pickle

import numpy as np
import pytest
from conftest import GOAL, START, wall

import psmp


def test_configurations_are_the_roadmaps_own_memory():
    roadmap = psmp.Roadmap.uniform([(-1, 1), (0, 5)], 50, seed=2)
    q = roadmap.configurations
    assert q.shape == (50, 2) and q.dtype == np.float64
    assert q.ctypes.data == roadmap.configurations.ctypes.data, "no copy is made"
    assert not q.flags.writeable and not q.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        q[0, 0] = 0.0
    with pytest.raises(ValueError, match="WRITEABLE"):
        q.flags.writeable = True
    kept = q.copy()
    del roadmap
    gc.collect()
    assert np.array_equal(q, kept), "the array keeps the roadmap alive"


def test_configurations_go_in_and_come_out_the_same():
    given = np.random.default_rng(0).random((40, 3))
    roadmap = psmp.Roadmap.from_configurations(given, psmp.Space.unit(3), nearest=5)
    assert np.array_equal(roadmap.configurations, given)
    # Any layout and any kind of number will do.
    for other in (np.asfortranarray(given), given[::-1][::-1], given.tolist()):
        assert np.array_equal(psmp.Roadmap.from_configurations(other, psmp.Space.unit(3)).configurations, given)
    whole = psmp.Roadmap.from_configurations(np.array([[0, 0], [3, 4]], dtype=np.int32), [(0, 5), (0, 5)], radius=6)
    assert whole.lengths.tolist() == [5.0] and whole.edges.tolist() == [[0, 1]]
    single = psmp.Roadmap.from_configurations(given.astype(np.float32), psmp.Space.unit(3))
    assert np.array_equal(single.configurations, given.astype(np.float32).astype(np.float64))


def test_edges_go_in_and_come_out_the_same():
    edges = np.array([[0, 1], [2, 1], [0, 2]])
    roadmap = psmp.Roadmap.from_edges(edges, [1.0, 2.0, 3.5], directed=True)
    assert np.array_equal(roadmap.edges, edges) and roadmap.lengths.tolist() == [1.0, 2.0, 3.5]
    assert roadmap.directed and roadmap.space is None and roadmap.configurations is None
    points = [(0.0, 0.0), (0.3, 0.4), (1.0, 1.0)]
    embedded = psmp.Roadmap.from_edges(edges, configurations=points, space=psmp.Space.unit(2))
    assert embedded.lengths[0] == pytest.approx(0.5)


def test_spaces_measure():
    space = psmp.Space([(-np.pi, np.pi), (0, 1)], weights=[2, 1], wraps=[True, False])
    assert space.distance([3.0, 0], [-3.0, 0]) == pytest.approx(2 * (2 * np.pi - 6))
    assert space.dimension == 2 and space.wraps.tolist() == [True, False] and space.weights.tolist() == [2, 1]
    assert psmp.Space(space.bounds) == psmp.Space([(-np.pi, np.pi), (0, 1)]) != space


def test_roadmaps_and_spaces_travel():
    space = psmp.Space([(-1, 1), (0, 2)], weights=[1, 3], wraps=[True, False])
    for roadmap in (
        psmp.Roadmap.halton(space, 60, nearest=6),
        psmp.Roadmap.halton(space, 60, radius=0.8),
        psmp.Roadmap.from_edges([(0, 1), (1, 2)], [1, 2], directed=True),
    ):
        again = pickle.loads(pickle.dumps(roadmap))
        assert np.array_equal(again.edges, roadmap.edges) and np.array_equal(again.lengths, roadmap.lengths)
        assert repr(again) == repr(roadmap) and again.space == roadmap.space
        if roadmap.space is not None:
            # Start and goal are joined to it as they would have been.
            a, b = (psmp.plan(r, (0, 0.1), (0.5, 1.9), fixed_roadmap=True, seed=0, check=lambda q: True).finish() for r in (roadmap, again))
            assert a.fingerprint == b.fingerprint


def test_tables_hold_what_they_were_given(tmp_path):
    free = np.random.default_rng(1).random((130, 70)) < 0.6
    table = psmp.Table(free)
    assert table.shape == (130, 70) == (len(table), table.edge_count)
    assert np.array_equal(table.to_numpy(), free)
    assert np.array_equal(psmp.Table(np.asfortranarray(free)).to_numpy(), free)
    assert np.array_equal(psmp.Table(free[::2]).to_numpy(), free[::2])
    file = tmp_path / "worlds.table"
    table.save(file)
    opened = psmp.Table.open(file)
    for each in (table, opened):
        words = each.by_world
        assert words.shape == (130, 2) and not words.flags.writeable
        assert words.ctypes.data == each.by_world.ctypes.data, "no copy is made"
        bits = np.unpackbits(words.view(np.uint8), axis=1, count=70, bitorder="little")
        assert np.array_equal(bits.astype(bool), free)
        bits = np.unpackbits(each.by_edge.view(np.uint8), axis=1, count=130, bitorder="little")
        assert np.array_equal(bits.astype(bool), free.T)
    words = opened.by_edge
    del opened, each
    gc.collect()
    assert np.array_equal(words, table.by_edge), "the array keeps the table"
    assert psmp.Table(np.zeros((0, 5), dtype=bool)).by_world.size == 0
    damaged = bytearray(file.read_bytes())
    damaged[100] ^= 1
    file.write_bytes(damaged)
    with pytest.raises(OSError, match="checksum"):
        psmp.Table.open(file)


def test_a_belief_from_a_table_file_is_the_same(tmp_path):
    maze = psmp.Dataset.make("maze", 40)
    maze.table.save(tmp_path / "maze.table")
    opened = psmp.Table.open(tmp_path / "maze.table")
    prints = {
        psmp.plan(maze.roadmap, maze.start, maze.goal, check=maze.check(7), belief=psmp.FiniteSet(table),
                  proposer="psmp").finish().fingerprint
        for table in (maze.table, opened, psmp.Table(maze.table.to_numpy()))
    }  # fmt: skip
    assert len(prints) == 1


def test_paths_are_shared_and_cannot_be_spoiled(roadmap):
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01)
    events = list(run)
    last = events[-1].path
    assert last is run.path is events[-2].path
    with pytest.raises(ValueError, match="read-only"):
        last[0] = 0
