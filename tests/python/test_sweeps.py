"""Tables and sweeps in shards: equal whatever the workers, resumable, whole or not at all."""

from __future__ import annotations

import numpy as np
import pytest

import psmp

pyarrow = pytest.importorskip("pyarrow")

PLANNERS = ["psmp:fs", "lazysp"]


@pytest.fixture(scope="module")
def roadmap():
    return psmp.Roadmap.halton([(0, 1), (0, 1)], 60)


WORLDS = [(x, y, 0.15) for x in (0.2, 0.35, 0.5, 0.65, 0.8) for y in (0.3, 0.5, 0.7)]


def disc(world):
    """A checker for a world with one round obstacle."""
    x, y, radius = world
    return psmp.on_batches(lambda q: np.hypot(q[:, 0] - x, q[:, 1] - y) > radius)


def test_a_table_is_what_checking_every_edge_says(roadmap):
    table = psmp.table(roadmap, WORLDS, disc, resolution=0.01, workers=1, shard=4)
    assert table.shape == (len(WORLDS), roadmap.edge_count)
    free = table.to_numpy()
    ends = roadmap.configurations[roadmap.edges]
    for world, row in zip(WORLDS, free, strict=True):
        for (a, b), length, is_free in zip(ends, roadmap.lengths, row, strict=True):
            steps = int(np.ceil(length / 0.01)) + 1
            points = a + (b - a) * np.linspace(0, 1, steps)[:, None]
            clear = np.hypot(*(points - world[:2]).T) - world[2]
            if abs(clear.min()) > 1e-9:
                assert is_free == (clear.min() > 0)
    assert 0.1 < free.mean() < 0.99


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("shard", [1, 4, 100])
def test_a_table_is_the_same_whatever_the_workers(roadmap, tmp_path, workers, shard):
    expected = psmp.table(roadmap, WORLDS, disc, resolution=0.02, workers=1)
    made = psmp.table(roadmap, WORLDS, disc, resolution=0.02, workers=workers, shard=shard, folder=tmp_path)
    assert np.array_equal(made.by_world, expected.by_world)


def test_what_is_there_is_not_done_again(roadmap, tmp_path, capfd):
    calls = []

    def counting(world):
        calls.append(world)
        return disc(world)

    arguments = {"resolution": 0.02, "workers": 1, "shard": 4, "folder": tmp_path, "progress": True}
    first = psmp.table(roadmap, WORLDS, counting, **arguments)
    assert calls == WORLDS and "4/4 shards" in capfd.readouterr().err
    (folder,) = tmp_path.iterdir()
    shards = sorted(folder.iterdir())
    assert [s.name for s in shards] == [f"{i:06d}.parquet" for i in range(4)], "and nothing else"

    psmp.table(roadmap, WORLDS, counting, **arguments)
    assert calls == WORLDS, "all was there"

    shards[1].unlink()
    shards[3].write_bytes(shards[3].read_bytes()[:-20])
    calls.clear()
    again = psmp.table(roadmap, WORLDS, counting, **arguments)
    assert calls == WORLDS[4:8] + WORLDS[12:], "what was lost or damaged is done again"
    assert "is damaged and will be done again" in capfd.readouterr().err
    assert np.array_equal(again.by_world, first.by_world)

    calls.clear()
    psmp.table(roadmap, WORLDS, counting, **{**arguments, "resolution": 0.03})
    assert calls == WORLDS and len(list(tmp_path.iterdir())) == 2, "another job is another folder"


def test_an_interrupted_table_goes_on(roadmap, tmp_path):
    calls = []

    def interrupted(world):
        calls.append(world)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return disc(world)

    arguments = {"resolution": 0.02, "workers": 1, "shard": 2, "folder": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        psmp.table(roadmap, WORLDS, interrupted, **arguments)
    calls.clear()
    calls.extend([None] * 20)
    table = psmp.table(roadmap, WORLDS, interrupted, **arguments)
    assert calls[20:] == WORLDS[8:]
    assert np.array_equal(table.by_world, psmp.table(roadmap, WORLDS, disc, resolution=0.02).by_world)


def test_shards_may_lie_elsewhere(roadmap):
    fsspec = pytest.importorskip("fsspec")
    folder = "memory://psmp-test"
    made = psmp.table(roadmap, WORLDS, disc, resolution=0.02, workers=1, folder=folder, shard=8)
    assert len(fsspec.filesystem("memory").find("/psmp-test")) == 2

    def never(world):
        raise AssertionError("all was there")

    again = psmp.table(roadmap, WORLDS, never, resolution=0.02, workers=1, folder=folder, shard=8)
    assert np.array_equal(made.by_world, again.by_world)


def test_shards_may_lie_in_s3(roadmap, monkeypatch):
    """Over the real protocol, written by two processes; a damaged shard is done again."""
    s3fs = pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(name, value)
        store = s3fs.S3FileSystem()
        store.mkdir("psmp-test")

        def made():
            return psmp.table(roadmap, WORLDS, disc, resolution=0.02, workers=2, folder="s3://psmp-test/tables", shard=8)

        here = psmp.table(roadmap, WORLDS, disc, resolution=0.02, workers=1)
        assert np.array_equal(made().by_world, here.by_world)
        store.invalidate_cache()
        one, other = sorted(store.find("psmp-test/tables"))
        kept = store.info(other)["LastModified"], store.info(other)["ETag"]
        store.pipe_file(one, b"half a shard")
        assert np.array_equal(made().by_world, here.by_world)
        store.invalidate_cache()
        assert store.cat_file(one)[:4] == b"PAR1"
        assert (store.info(other)["LastModified"], store.info(other)["ETag"]) == kept, "what is sound is not done again"
    finally:
        server.stop()


class Rain(Exception):
    pass


def raining(world):
    raise Rain("wet")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_checkers_exception_reaches_the_caller(roadmap, workers):
    with pytest.raises(Rain, match="wet"):
        psmp.table(roadmap, WORLDS, raining, workers=workers, shard=2)


def test_wrong_arguments_are_named(roadmap):
    for change, error, words in [
        ({"worlds": []}, ValueError, "worlds must have at least one"),
        ({"worlds": [lambda: 0]}, TypeError, r"worlds\[0\] cannot be pickled"),
        ({"shard": 0}, ValueError, "shard must be at least 1"),
        ({"workers": 0}, ValueError, "workers must be at least 1"),
    ]:
        arguments = {"worlds": WORLDS, "checker_for": disc} | change
        with pytest.raises(error, match=words):
            psmp.table(roadmap, **arguments)
    maze = psmp.Dataset.make("maze", 4)
    for change, error, words in [
        ({"planners": "psmp:fs"}, TypeError, "planners must be a sequence"),
        ({"planners": ["rrt"]}, ValueError, "planners: `rrt` is no proposer"),
        ({"planners": []}, ValueError, "one world and one planner"),
        ({"worlds": [9]}, ValueError, "worlds has world 9, but there are worlds 0 to 3"),
        ({"experience": "some"}, ValueError, "neither `seen` nor `unseen`"),
        ({"resolution": -1.0}, ValueError, "resolution"),
    ]:
        with pytest.raises(error, match=words):
            psmp.sweep(maze, **({"planners": PLANNERS} | change))


def without_time(rows):
    return rows.drop_columns(["seconds", "curve_seconds"])


def test_a_sweep_is_the_same_whatever_the_workers(tmp_path):
    maze = psmp.Dataset.make("maze", 20, test=7)
    one = psmp.sweep(maze, PLANNERS, seeds=2, workers=1)
    assert len(one) == 7 * 2 * 2
    assert one["planner"].unique().to_pylist() == PLANNERS
    assert one["world"].unique().to_pylist() == [w + 1 for w in maze.test]
    for workers, shard in [(2, 1), (3, 2), (1, 100)]:
        rows = psmp.sweep(maze, PLANNERS, seeds=[0, 1], workers=workers, shard=shard, folder=tmp_path)
        assert without_time(rows).equals(without_time(one))
    again = psmp.sweep(maze, PLANNERS, seeds=2, workers=2, shard=2, folder=tmp_path)
    kept = psmp.sweep(maze, PLANNERS, seeds=2, workers=1, shard=2, folder=tmp_path)
    assert again.equals(kept), "what is there is not done again, not even its time"


def test_a_sweep_of_some_worlds_and_a_budget():
    maze = psmp.Dataset.make("maze", 10)
    rows = psmp.sweep(maze, ["lazysp"], worlds=[3, 5], experience="seen", budget=100)
    assert rows["world"].to_pylist() == [4, 6] and set(rows["ending"].to_pylist()) == {"stopped"}
