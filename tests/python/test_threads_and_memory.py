"""Plans without end take no more memory than a few, and plans in two threads at once are planned at once."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import warnings
from pathlib import Path

import psmp
import pytest
from conftest import GOAL, START, wall

pytestmark = pytest.mark.alone


class Robot:
    """Keeps the run that its own method checks for: a ring that only the garbage collector breaks."""

    def __init__(self, roadmap: psmp.Roadmap) -> None:
        self.run = psmp.plan(roadmap, START, GOAL, check=self.is_free, seed=0, stop=psmp.checks(300))
        self.result = self.run.finish()

    def is_free(self, q):
        return wall(q)


def resident() -> int:
    """Memory that this process has now, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux says")
def test_memory_stays_as_it_is_over_plans_with_rings(roadmap):
    """PSMP_PLANS=10000 for longer. Without garbage collection 1,000 of these take some 300 MB."""
    plans = int(os.environ.get("PSMP_PLANS", "1000"))
    for _ in range(300):
        Robot(roadmap)
    gc.collect()
    before = resident()
    for _ in range(plans):
        Robot(roadmap)
    gc.collect()
    grown = resident() - before
    print(f"{plans} plans, {grown / 2**20:+.1f} MiB on {before / 2**20:.0f}")
    assert grown < 12 * 2**20


@pytest.fixture(scope="module")
def plan():
    """Plans for an arm, which no Python checks; so many configurations."""
    arm, scene = psmp.Arm("panda-like"), psmp.Scene()
    scene.add("post", box=(0.1, 0.1, 1), pose=(0.4, 0, 0.5))
    check, roadmap = arm.checker(scene), arm.roadmap(200)
    home = arm.configuration("home")
    ends = home + [-0.8, 0, 0, 0, 0, 0, 0], home + [0.8, 0, 0, 0, 0, 0, 0]
    return lambda seed, checks: psmp.plan(roadmap, *ends, check=check, seed=seed, stop=psmp.checks(checks)).finish()


def test_others_go_on_while_one_thread_plans(plan):
    """However busy the machine: a thread that is asked to give way after an hour keeps all others waiting, unless it lets go of the
    interpreter by itself."""
    ticks, over = 0, False

    def tick() -> None:
        nonlocal ticks
        while not over:
            ticks += 1
            time.sleep(0.0005)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    other = threading.Thread(target=tick)
    try:
        other.start()
        before = ticks
        # To keep the interpreter for one long sum is to keep others waiting.
        sum(range(3_000_000))
        kept = ticks - before
        while ticks < before + kept + 20:
            plan(0, 5000)
    finally:
        over = True
        sys.setswitchinterval(usual)
        other.join()
    assert kept <= 1


def test_two_threads_plan_twice_as_fast_as_one(plan):
    """Where the machine is quiet, which one thread alone tells: it has a core for itself."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one core")

    def seconds(count: int) -> tuple[float, float]:
        """How long so many threads take, each for its own plan, and how much of a core each has had."""
        threads = [threading.Thread(target=plan, args=(seed, 40_000)) for seed in range(count)]
        began, spent = time.monotonic(), time.process_time()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        passed = time.monotonic() - began
        return passed, (time.process_time() - spent) / passed / count

    plan(0, 1000)
    speeds: list[float] = []
    deadline = time.monotonic() + 10
    while (len(speeds) < 3 or max(speeds) < 1.7) and time.monotonic() < deadline:
        (alone, before), (both, _), (again, after) = seconds(1), seconds(2), seconds(1)
        if min(before, after) > 0.9:
            speeds.append((alone + again) / both)
    if not speeds:
        words = "SKIPPED: whether two threads plan twice as fast as one cannot be told on a machine that is busy"
        warnings.warn(words, stacklevel=1)
        pytest.skip(words)
    print(f"two threads plan {max(speeds):.2f} times as fast as one")
    assert max(speeds) > 1.5
