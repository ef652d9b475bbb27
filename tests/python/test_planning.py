"""A run: its events, its pauses, its ends."""

from __future__ import annotations

import gc
import itertools
import operator
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest
from conftest import GOAL, START, wall, wall_in_batches

import psmp

pytestmark = pytest.mark.alone

#: A check that says so of every configuration, and runs no Python.
FREE_AT_ONCE = operator.attrgetter("flags.writeable")


def test_events_lead_to_the_shortest_path(roadmap):
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01)
    events = list(run)
    assert events[-1].kind == "shortest-on-roadmap" and events[-1].is_final
    assert run.ending == "shortest-on-roadmap" and run.gap_on_roadmap == 0.0
    lengths = [e.length for e in events if e.kind == "improved"]
    assert lengths == sorted(lengths, reverse=True) and lengths
    # Start and goal are checked and joined first; what bounds the paths of a roadmap is known then.
    bounds = [e.lower_bound_on_roadmap for e in events if e.kind != "probed"]
    assert all(a <= b for a, b in itertools.pairwise(bounds))
    path = events[-1].path
    assert path.dtype == np.float64 and path.shape == (len(events[-1].vertices), 2)
    assert np.array_equal(path[0], START) and np.array_equal(path[-1], GOAL)
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() == pytest.approx(run.best_length)
    for a, b in itertools.pairwise(path):
        count = int(np.ceil(np.linalg.norm(b - a) / 0.01)) + 1
        assert wall_in_batches(a + (b - a) * np.linspace(0, 1, count)[:, None]).all()
    checked = [e for e in events if e.kind == "checked"]
    costs = [e.cost for e in events if e.kind in ("checked", "partly-checked", "probed")]
    assert sum(costs) == events[-1].configurations == run.configurations
    assert len(checked) + 1 == run.edges, "these and the straight motion"
    assert len(events) == run.events


def test_no_path_is_certain_to_be_none(roadmap):
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=lambda q: not 0.45 < q[0] < 0.55, resolution=0.01)
    result = run.finish()
    assert result.ending == "no-path-on-roadmap" and result.path is None and result.length is None
    assert run.lower_bound_on_roadmap == np.inf
    assert run.straight_line is None and run.gap_over_straight_line is None


def test_the_straight_line_is_tried_first(roadmap):
    for stop in (None, psmp.gap(0.1), psmp.edges(1)):
        run = psmp.plan(roadmap, START, (0.4, 0.9), fixed_roadmap=True, seed=0, check=wall, stop=stop)
        result = run.finish()
        assert result.ending == "straight-line" and np.array_equal(result.path, [START, (0.4, 0.9)])
        assert result.vertices is None and run.path_edges is None and result.roadmap is roadmap
        assert result.gap_over_straight_line == 0 and result.gap_on_roadmap is None
        with pytest.raises(ValueError, match="believes nothing"):
            run.probabilities()


def test_joining_keeps_to_a_budget_and_is_gone_on_with(roadmap):
    whole = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall).finish()
    asked = 0

    def counted(q):
        nonlocal asked
        asked += 1
        return wall(q)

    for most in (0, 1, 2, 5, 8, 30):
        asked = 0
        run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=counted, stop=psmp.checks(most))
        assert run.finish().path is None and asked == run.configurations <= most
        assert run.until().finish().length == whole.length and asked == run.configurations


def test_a_roadmap_without_a_path_grows():
    coarse = psmp.Roadmap.halton([(0, 1), (0, 1)], 5, nearest=1)
    run = psmp.plan(coarse, START, GOAL, check=wall, proposer="lazysp+grow", resolution=0.01, stop=psmp.checks(6000))
    kinds = [event.kind for event in run]
    assert "grown" in kinds and run.path is not None and run.roadmap.vertex_count > 100


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("ends", [(START, GOAL), (3, 200)])
def test_a_path_is_straightened(roadmap, early, ends):
    longest = psmp.plan(roadmap, *ends, fixed_roadmap=True, seed=0, check=wall, resolution=0.01).finish().length
    run = psmp.plan(roadmap, *ends, fixed_roadmap=True, seed=0, check=wall, resolution=0.01, straighten=True)
    if early:
        longest = next(event.length for event in run if event.kind == "improved")
        run.end_planning()
    result = run.finish()
    assert result.length < longest and result.ending == ("stopped" if early else "shortest-on-roadmap")
    assert result.vertices is None, "no path of the roadmap"
    for a, b in itertools.pairwise(result.path):
        count = int(np.ceil(np.linalg.norm(b - a) / 0.01)) + 1
        assert wall_in_batches(a + (b - a) * np.linspace(0, 1, count)[:, None]).all()
    assert np.linalg.norm(np.diff(result.path, axis=0), axis=1).sum() == pytest.approx(result.length)


@pytest.mark.parametrize("proposer", ["ei", "psmp", "lazysp", "maxprob+", "pomp"])
@pytest.mark.parametrize("belief", [None, psmp.Local(), psmp.NearestNeighbour(), psmp.Constant(0.9)])
def test_any_proposer_with_any_belief_finds_the_same_length(roadmap, proposer, belief):
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=psmp.on_batches(wall_in_batches), proposer=proposer, belief=belief,
                    resolution=0.01)  # fmt: skip
    reference = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, check=wall, proposer="lazysp", resolution=0.01)
    assert run.finish().length == reference.finish().length


def test_the_same_seed_gives_the_same_events(roadmap):
    def events(seed):
        return list(psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, check=wall, proposer="psmp", seed=seed, resolution=0.01))

    assert events(3) == events(3)
    assert events(3) != events(4)


def test_a_run_is_stopped_gone_on_with_and_closed(roadmap):
    whole = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01)
    expected = list(whole)
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01, stop=psmp.edges(10))
    events = list(run)
    assert run.edges == 10 and run.ending is None
    assert list(run) == [], "the condition is still met"
    for event in run.until(psmp.edges(30) | psmp.gap(0.5)):
        events.append(event)
        if len(events) % 7 == 0:
            break
    events += run.until()
    assert events == expected and run.fingerprint == whole.fingerprint

    # A check that a budget breaks off is gone on with.
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01, stop=psmp.checks(101))
    list(run)
    assert run.configurations == 101 and run.ending is None
    list(run.until())
    assert run.ending == whole.ending and run.best_length == whole.best_length

    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01, stop=psmp.edges(30))
    list(run)
    checked = len(run.result().checked)
    run.close()
    assert run.closed and list(run.until()) == []
    assert run.edges - 1 == checked == len(run.result().checked) >= 29, "all but the straight motion"


def test_closing_lets_go_of_the_checker(roadmap):
    class Checker:
        def __call__(self, q):
            return wall(q)

    checker = Checker()
    gone = weakref.ref(checker)
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=checker, stop=psmp.edges(3))
    list(run)
    del checker
    gc.collect()
    assert gone() is not None
    run.close()
    assert gone() is None


def test_conditions_are_joined(roadmap):
    stop = (psmp.checks(50) | psmp.gap(0.5)) & psmp.edges(2)
    assert repr(stop) == "((checks(50) | gap(0.5)) & edges(2))"
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, stop=psmp.proposals(5))
    list(run)
    assert run.proposals == 5
    began = time.monotonic()
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=lambda q: time.sleep(0.001) or True, stop=psmp.seconds(0.1))
    list(run)
    assert 0.1 <= time.monotonic() - began < 5.0
    assert psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, stop=psmp.never()).finish().ending == "shortest-on-roadmap"


@pytest.mark.parametrize("most", [1, 10, 300])
@pytest.mark.parametrize("validator", ["coarse", "failfast"])
def test_a_budget_of_checks_is_never_passed(roadmap, most, validator):
    asked = 0

    def one(q):
        nonlocal asked
        asked += 1
        return wall(q)

    def batch(q):
        nonlocal asked
        free = wall_in_batches(q)
        asked += len(q) if free.all() else int(np.argmin(free)) + 1
        return free

    for check in (one, psmp.on_batches(batch)):
        asked = 0
        run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=check, validator=validator, stop=psmp.checks(most))
        run.finish()
        assert asked == run.configurations == most
        run = psmp.plan_without_roadmap([(0, 1), (0, 1)], START, GOAL, check=check, planner="bitstar",
                                        resolution=0.001, stop=psmp.checks(most))  # fmt: skip
        run.finish()
        # Start and goal are asked about before the run begins.
        assert run.configurations == max(most, 2)


def test_time_is_kept_in_the_midst_of_thinking_and_of_a_slow_edge():
    large = psmp.Roadmap.halton([(0, 1), (0, 1)], 20_000)
    began = time.perf_counter()
    run = psmp.plan(large, START, GOAL, fixed_roadmap=True, seed=0, check=psmp.on_batches(wall_in_batches), stop=psmp.seconds(0.5))
    run.finish()
    assert time.perf_counter() - began < 1.5
    asked = 0

    def slow(q):
        nonlocal asked
        asked += 1
        time.sleep(0.05)
        return True

    small = psmp.Roadmap.halton([(0, 1), (0, 1)], 50)
    run = psmp.plan(small, START, GOAL, fixed_roadmap=True, check=slow, validator="failfast", proposer="lazysp", stop=psmp.seconds(0.3))
    began = time.perf_counter()
    run.finish()
    # One edge alone has hundreds of configurations.
    assert time.perf_counter() - began < 1.0
    assert 1 <= asked == run.configurations <= 8
    most = asked + 3
    run.until(psmp.checks(most)).finish()
    assert asked == run.configurations == most and run.ending is None

def test_start_and_goal_may_be_vertices(roadmap):
    result = psmp.plan(roadmap, 3, np.int64(200), check=wall).finish()
    assert result.vertices[0] == 3 and result.vertices[-1] == 200
    assert result.roadmap is roadmap
    joined, start, goal = roadmap.with_query(START, GOAL, nearest=10)
    assert (start, goal) == (300, 301) and joined.vertex_count == 302
    assert np.array_equal(joined.edges[: roadmap.edge_count], roadmap.edges)
    assert psmp.plan(joined, start, goal, check=wall).finish().ending == "shortest-on-roadmap"


def test_an_insured_run_follows_lazysp_where_its_belief_is_wrong(roadmap):
    truth = psmp.table(roadmap, [0], lambda _: psmp.on_batches(wall_in_batches), workers=1).to_numpy()
    wrong = psmp.Frequencies(psmp.Table(~truth))
    shortest = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, check=wall, proposer="lazysp").finish().length
    for proposer, insured, name, steps_in in [
        ("ei", None, "ei:freq", True),
        ("ei", False, "ei:freq:uninsured", False),
        ("psmp", None, "psmp:freq", False),
        ("psmp", True, "psmp:freq:insured", True),
    ]:
        run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, belief=wrong, proposer=proposer, insured=insured)
        assert any(event.source == "insurance" for event in run) == steps_in, name
        assert run.planner == name
        # What is left of the run after the first such event changes nothing about its end.
        assert run.finish().length == shortest


@pytest.mark.parametrize("make", [psmp.FiniteSet, psmp.SoftSet, psmp.Frequencies, psmp.Latent, psmp.Ensemble])
def test_any_belief_of_known_worlds_finds_the_shortest_path(make):
    walls = psmp.Dataset.make("one-wall", 30, test=3, seed=2)
    belief = make(walls.table, worlds=walls.train)
    for world in walls.test:
        query = (walls.roadmap, walls.start, walls.goal)
        run = psmp.plan(*query, check=walls.check(world), belief=belief)
        reference = psmp.plan(*query, check=walls.check(world), proposer="lazysp")
        assert run.finish().length == reference.finish().length


def test_an_ensemble_without_known_worlds_is_local(roadmap):
    runs = [psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, belief=b, resolution=0.01) for b in (psmp.Ensemble(), None)]
    assert runs[0].finish().length == runs[1].finish().length


def test_known_worlds_help():
    forest = psmp.Dataset.make("one-wall", 100, test=10, seed=1)
    known = psmp.learn(forest.table, worlds=forest.train)
    spent = {}
    for name, belief, proposer in [("learned", known, "ei"), ("none", None, "lazysp")]:
        runs = [
            psmp.plan(forest.roadmap, forest.start, forest.goal, check=forest.check(w), belief=belief,
                      proposer=proposer).finish()  # fmt: skip
            for w in forest.test
        ]
        assert all(run.ending == "shortest-on-roadmap" for run in runs)
        spent[name] = np.mean([run.configurations[0] for run in runs])
    assert spent["learned"] < spent["none"]


def test_probabilities_follow_the_checks(roadmap):
    run = psmp.plan(roadmap, 0, 250, check=wall, belief=psmp.Constant(0.7), stop=psmp.edges(10))
    list(run)
    p = run.probabilities()
    assert p.shape == (roadmap.edge_count,)
    assert run.edges > 3 and (p == 0.7).sum() == roadmap.edge_count - run.edges
    assert set(p) <= {0.0, 0.7, 1.0}


def test_two_planners_in_two_threads(roadmap):
    expected = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01).finish().fingerprint
    found = []

    def work():
        for _ in range(2):
            found.append(psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01).finish().fingerprint)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_one_run_is_driven_by_one_at_a_time(roadmap):
    inside, leave = threading.Event(), threading.Event()

    def check(q):
        inside.set()
        assert leave.wait(10)
        return True

    run = psmp.plan(roadmap, 3, 200, check=check, stop=psmp.edges(1))
    thread = threading.Thread(target=lambda: list(run))
    thread.start()
    assert inside.wait(10)
    with pytest.raises(ValueError, match="at work"):
        next(run)
    leave.set()
    thread.join()
    assert run.edges == 1

    mine: list[psmp.Run] = []

    def greedy(q):
        next(mine[0])
        return True

    mine.append(psmp.plan(roadmap, 3, 200, check=greedy))
    with pytest.raises(ValueError, match="its own checker"):
        list(mine[0])
    mine[0].close()


def test_rust_works_while_others_do():
    """The interpreter is let go while Rust works: another thread goes on counting meanwhile."""
    ticks, over = [0], threading.Event()

    def count():
        while not over.wait(0.001):
            ticks[0] += 1

    def ticks_during(work):
        before, began = ticks[0], time.perf_counter()
        work()
        return ticks[0] - before, time.perf_counter() - began

    thread = threading.Thread(target=count)
    thread.start()
    try:
        made, seconds = ticks_during(lambda: psmp.Roadmap.uniform([(0, 1), (0, 1)], 40_000, nearest=10))
        assert seconds > 0.02 and made >= 3
        # Worlds of half their edges on a lattice: a search that comes far, and finds nothing.
        lattice = psmp.Roadmap.lattice([(0, 1), (0, 1)], [400, 400])
        run = psmp.plan(lattice, 0, 400 * 400 - 1, check=lambda q: True, belief=psmp.Constant(0.52), proposer="psmp")
        steps = [ticks_during(lambda: next(run)) for _ in range(10)]
        made, seconds = max(steps, key=lambda step: step[1])
        assert seconds > 0.01 and made >= 2, steps
    finally:
        over.set()
        thread.join()


def test_others_have_their_turn_while_a_function_of_c_is_asked():
    """RRTConnect keeps the interpreter from check to check, and a function that is not Python's never lets go of it."""
    ticks, over = 0, threading.Event()

    def count():
        nonlocal ticks
        while not over.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        made = ticks
        run = psmp.plan_without_roadmap([(0, 1), (0, 1)], START, GOAL, check=FREE_AT_ONCE, resolution=2e-6)
        made = ticks - made
    finally:
        over.set()
        thread.join()
    assert run.configurations > 500_000
    assert run.seconds < 0.02 or made >= 2, (run.seconds, made)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_a_signal_is_heard_while_a_function_of_c_is_asked():
    def too_late(*_):
        raise TimeoutError

    usual = signal.signal(signal.SIGALRM, too_late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(TimeoutError):
            psmp.plan_without_roadmap([(0, 1), (0, 1)], START, GOAL, check=FREE_AT_ONCE, resolution=2e-6)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("check", ["lambda q: True", "forest.check(0)"])
def test_ctrl_c_ends_a_run_and_it_can_go_on(check):
    program = textwrap.dedent(f"""
        import psmp, signal, sys
        # Whoever runs the tests in the background of a shell has it ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        forest = psmp.Dataset.make("forest", 2, test=1)
        def events():
            while True:
                run = psmp.plan(forest.roadmap, forest.start, forest.goal, check={check})
                for event in run:
                    yield run
        try:
            print("begun", flush=True)
            for run in events():
                pass
        except KeyboardInterrupt:
            before = run.events
            run.until(psmp.edges(run.edges + 1))
            list(run)
            print("interrupted", run.events >= before, flush=True)
            sys.exit(7)
    """)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    try:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 7 and output == "interrupted True\n"


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
@pytest.mark.parametrize(
    "work",
    [
        "psmp.Roadmap.halton([(0, 1), (0, 1)], 300_000)",
        "psmp.plan(large, (0.1, 0.1), (0.9, 0.9), fixed_roadmap=True, seed=0, check=psmp.on_batches(free)).finish()",
        "psmp.plan(small, (0.1, 0.1), (0.9, 0.9), fixed_roadmap=True, seed=0, check=slow, proposer='lazysp').finish()",
    ],
    ids=["building", "thinking", "checking"],
)
def test_ctrl_c_is_heard_in_the_midst_of_work(work):
    program = textwrap.dedent(f"""
        import psmp, numpy as np, signal, sys, time
        signal.signal(signal.SIGINT, signal.default_int_handler)
        def free(q):
            return ~((0.45 < q[:, 0]) & (q[:, 0] < 0.55)) | (q[:, 1] > 0.99)
        def slow(q):
            time.sleep(0.02)
            return True
        large = psmp.Roadmap.halton([(0, 1), (0, 1)], 30_000)
        small = psmp.Roadmap.halton([(0, 1), (0, 1)], 20)
        print("begun", flush=True)
        try:
            {work}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.exit(7)
    """)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    try:
        time.sleep(0.5)
        assert process.poll() is None, "the work is too short to be interrupted"
        sent = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        heard = time.perf_counter() - sent
        process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 7
    assert heard < 1.0


def test_a_run_that_measures_prices_is_repeated_by_those_that_it_has_told(roadmap):
    def events(price):
        run = psmp.plan(roadmap, START, GOAL, check=wall, resolution=0.01, stop=psmp.checks(2000), price=price, seed=0)
        return [(e.kind, e.configurations, e.length, e.price) for e in run]

    measured = events("measured")
    told = [price for *_, price in measured if price]
    assert len(told) > 2 and all(len(price) == 2 for price in told)
    assert events(told) == measured
    assert events(1.0) != events(1e-8)
    # Where nothing is said, and a seed asks for the same run again, what is usual counts.
    assert events(None) == events([]) and not any(price for *_, price in events(None))


@pytest.mark.parametrize("price", [0.0, -1.0, float("nan"), 1e9, "soon", [(1.0, 0.0)]])
def test_prices_that_are_none(roadmap, price):
    with pytest.raises(ValueError, match="price"):
        psmp.plan(roadmap, START, GOAL, check=wall, price=price)
