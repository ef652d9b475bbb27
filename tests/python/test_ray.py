"""Sweeps and tables on a real Ray cluster of two nodes on this machine; a worker is killed on the way, and then a whole node."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import psmp

ray = pytest.importorskip("ray")

pytestmark = pytest.mark.alone

# Where workers leave word of which node they are on.
NODES = Path(tempfile.gettempdir()) / f"psmp-test-nodes-{os.getuid()}"
WORLDS = [(x, y, 0.15) for x in np.linspace(0.2, 0.8, 6) for y in np.linspace(0.2, 0.8, 5)]


@pytest.fixture
def cluster():
    from ray.cluster_utils import Cluster

    # Workers must find the modules of the tests, as those of a user's program.
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ["PYTHONPATH"] = path
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    cluster.wait_for_nodes()
    yield cluster, second
    ray.shutdown()
    cluster.shutdown()


def slow_disc(world):
    """A round obstacle, and a checker that takes its time and leaves word of its node."""
    x, y, radius = world
    node = ray.get_runtime_context().get_node_id() if ray.is_initialized() else "none"
    (NODES / node).write_text(str(os.getpid()))
    time.sleep(0.2)
    return psmp.on_batches(lambda q: np.hypot(q[:, 0] - x, q[:, 1] - y) > radius)


def test_a_node_dies_and_the_work_is_done(cluster, tmp_path):
    cluster, second = cluster
    roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 60)
    shards = tmp_path / "shards"
    killed, workers_killed = [], []
    shutil.rmtree(NODES, ignore_errors=True)
    NODES.mkdir()

    def kill_half_way():
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            done = len(list(shards.glob("*/0*.parquet")))
            if done >= 2 and not workers_killed:
                # A worker on the node that stays.
                for word in NODES.iterdir():
                    if word.name != second.node_id and (number := word.read_text()):
                        workers_killed.append(int(number))
                        os.kill(int(number), signal.SIGKILL)
            if done >= 5 and workers_killed and len(list(NODES.iterdir())) == 2:
                killed.append(done)
                cluster.remove_node(second, allow_graceful=False)
                return
            time.sleep(0.01)

    killer = threading.Thread(target=kill_half_way)
    killer.start()
    made = psmp.table(roadmap, WORLDS, slow_disc, resolution=0.02, shard=2, folder=shards, ray=True)
    killer.join()
    assert killed and killed[0] < 15, "both nodes were at work, and one was killed before it was done"
    assert len(workers_killed) == 1
    deadline = time.monotonic() + 60
    while sum(node["Alive"] for node in ray.nodes()) > 1 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert sum(node["Alive"] for node in ray.nodes()) == 1
    local = psmp.table(roadmap, WORLDS, slow_disc, resolution=0.02, workers=1)
    assert np.array_equal(made.by_world, local.by_world)
    (folder,) = shards.iterdir()
    assert sorted(f.name for f in folder.glob("*.parquet")) == [f"{i:06d}.parquet" for i in range(15)]

    # On the node that is left, a sweep: its rows come back through Ray, without a folder.
    maze = psmp.Dataset.make("maze", 20, test=6)
    planners = ["psmp:fs", "lazysp"]
    there = psmp.sweep(maze, planners, shard=2, ray=True).drop_columns(["seconds", "curve_seconds"])
    here = psmp.sweep(maze, planners, workers=1).drop_columns(["seconds", "curve_seconds"])
    assert there.equals(here)
    with pytest.raises(ValueError, match="no proposer"):
        psmp.sweep(maze, ["rrt"], ray=True)
