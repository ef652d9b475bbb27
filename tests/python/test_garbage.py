"""What a run holds is let go of: by garbage collection too, where a checker and its run hold each other."""

from __future__ import annotations

import gc
import weakref

import psmp
import pytest
from conftest import GOAL, START, wall


class Robot:
    """Keeps the run that its own method checks for."""

    def __init__(self, roadmap: psmp.Roadmap, kind: str) -> None:
        check = {"configuration": self.is_free, "batch": psmp.on_batches(self.are_free), "edge": psmp.on_edges(self.all_free)}
        self.run = psmp.plan(roadmap, START, GOAL, check=check[kind], seed=0, stop=psmp.checks(50))
        self.run.finish()

    def is_free(self, q):
        return wall(q)

    def are_free(self, q):
        return [wall(one) for one in q]

    def all_free(self, edge):
        return wall(edge.start) and wall(edge.end)


@pytest.mark.parametrize("kind", ["configuration", "batch", "edge"])
def test_a_ring_of_a_checker_and_its_run_is_collected(roadmap, kind):
    robots = [weakref.ref(Robot(roadmap, kind)) for _ in range(20)]
    gc.collect()
    assert [robot() for robot in robots] == [None] * 20


def test_a_run_that_is_held_is_not_collected(roadmap):
    robot = Robot(roadmap, "configuration")
    run = robot.run
    seen = weakref.ref(robot)
    del robot
    gc.collect()
    # The run's checker is a method of it.
    assert seen() is not None
    assert run.until(psmp.checks(500)).finish().total_configurations == 500
    run.close()
    del run
    gc.collect()
    assert seen() is None


def test_a_checker_may_collect_garbage(roadmap):
    def check(q):
        gc.collect()
        return wall(q)

    assert psmp.plan(roadmap, START, GOAL, check=check, seed=0, stop=psmp.checks(60)).finish().total_configurations <= 60


def test_runs_are_collected_although_they_are_few_objects(roadmap):
    """The collector would wait for thousands of objects, and each run weighs far more than it can know."""
    gc.collect()
    before = sum(isinstance(thing, Robot) for thing in gc.get_objects())
    for _ in range(300):
        Robot(roadmap, "configuration")
    left = sum(isinstance(thing, Robot) for thing in gc.get_objects()) - before
    assert left < 200
    gc.disable()
    try:
        for _ in range(150):
            Robot(roadmap, "configuration")
        assert sum(isinstance(thing, Robot) for thing in gc.get_objects()) - before >= 150
    finally:
        gc.enable()
        gc.collect()
