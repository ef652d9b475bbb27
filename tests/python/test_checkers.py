"""The user's checker: its kinds, its exceptions, its wrong answers."""

from __future__ import annotations

import gc
import pickle
import time
import weakref
from typing import Any

import numpy as np
import pytest
from conftest import GOAL, START, wall, wall_in_batches

import psmp


def test_batches_and_single_configurations_give_the_same_events(roadmap):
    def events(check):
        return list(psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=check, validator="failfast", resolution=0.01))

    assert events(wall) == events(psmp.on_batches(wall_in_batches))
    # Partial checks of edges are larger where many configurations are checked at once.
    single = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01).finish()
    batch = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=psmp.on_batches(wall_in_batches), resolution=0.01).finish()
    assert (single.length, single.ending) == (batch.length, batch.ending)


def test_a_batch_is_an_edge_in_bisection_order(roadmap):
    batches = []

    @psmp.on_batches
    def check(q):
        batches.append(q)
        return np.ones(len(q), dtype=bool)

    run = psmp.plan(roadmap, 3, 200, check=check, resolution=0.01, validator="failfast")
    events = [e for e in run if e.kind == "checked"]
    assert len(batches) == len(events)
    for q, event in zip(batches, events, strict=True):
        assert q.shape == (event.cost, 2) and q.flags.c_contiguous
        a, b = run.roadmap.configurations[run.roadmap.edges[event.edge]]
        assert np.array_equal(q[0], a) and np.array_equal(q[1], b)
        middle = (event.cost - 1) // 2 / (event.cost - 1)
        assert np.allclose(q[2], a + (b - a) * middle)
    # They were kept, and are still what they were: each is an array of its own.
    assert len({q.ctypes.data for q in batches}) == len(batches)


def test_an_array_is_filled_again_only_where_nobody_has_it(roadmap):
    """Whatever a function does with its configurations, what it keeps stays, and what it is given is right."""
    begun = [
        lambda q: q,
        lambda q: q[1:],
        lambda q: memoryview(q),
        lambda q: q.setflags(write=False),
        lambda q: setattr(q, "shape", (2, 1)),
        lambda q: setattr(q, "dtype", np.int64),
        lambda q: q.fill(np.nan),
        lambda q: None,
        lambda q: q.resize(5, refcheck=False),
        lambda q: weakref.ref(q),
        # The arguments that it is called with.
        lambda q: [arguments for arguments in gc.get_referrers(q) if type(arguments) is tuple],
    ]
    seen, kept = [], []

    def check(q):
        assert q.shape == (2,) and q.dtype == np.float64 and q.flags.writeable
        seen.append(tuple(q))
        mine = begun[len(seen) % len(begun)](q)
        if mine is not None and not isinstance(mine, weakref.ref):
            kept.append((mine, np.array(mine)))
        return wall(np.array(seen[-1]))

    for _ in range(2):
        psmp.plan(roadmap, 3, 200, check=check, resolution=0.01, stop=psmp.checks(500)).finish()
    half = len(seen) // 2
    assert half > 100 and seen[:half] == seen[half:]
    for mine, as_it_was in kept:
        assert np.array_equal(mine, as_it_was)


def test_partial_checks_together_are_the_edge(roadmap):
    batches = []

    @psmp.on_batches
    def check(q):
        batches.append(q)
        return wall_in_batches(q)

    joined, start, goal = roadmap.with_query(START, GOAL)
    run = psmp.plan(joined, start, goal, check=check, resolution=0.001)
    events = [e for e in run if e.kind in ("partly-checked", "checked")]
    edges: dict[int, list] = {}
    free: dict[int, bool] = {}
    asked = iter(batches)
    for event in events:
        ends = run.roadmap.edges[event.edge]
        if event.cost == 0:
            # It ends where it was found in collision before.
            assert event.free is False and False in [free.get(end) for end in ends]
            continue
        # A large part may be divided, so that a stop is heard on the way.
        parts = [next(asked)]
        while wall_in_batches(parts[-1]).all() and sum(map(len, parts)) < event.cost:
            parts.append(next(asked))
        q = np.concatenate(parts)
        assert event.free == (None if event.kind == "partly-checked" else wall_in_batches(q).all())
        assert len(q) >= 32 or event.kind == "checked"
        # What is behind a collision was asked about in vain. The ends come first that nobody has asked about.
        q = q[: event.cost]
        for end, configuration in zip([end for end in ends if end not in free], q, strict=False):
            assert np.array_equal(configuration, run.roadmap.configurations[end])
            free[end] = bool(wall(configuration))
        edges.setdefault(event.edge, []).append((event, q))
    assert next(asked, None) is None
    every = np.concatenate([q for parts in edges.values() for _, q in parts])
    assert len(np.unique(every, axis=0)) == len(every)
    assert any(len(parts) > 1 for parts in edges.values())
    for edge, parts in edges.items():
        assert all(event.kind == "partly-checked" for event, _ in parts[:-1])
        order = np.concatenate([q for _, q in parts])
        a, b = run.roadmap.configurations[run.roadmap.edges[edge]]
        count = int(np.ceil(np.linalg.norm(b - a) / 0.001)) + 1
        if parts[-1][0].kind == "checked" and parts[-1][0].free:
            ways = [np.abs(order - end).sum(axis=1).min() == 0 for end in (a, b)]
            assert len(order) == count - 2 + sum(ways)
    assert "free so far" in repr(next(e for e in events if e.kind == "partly-checked"))


def test_a_checker_may_spoil_its_array(roadmap):
    def spoil(q):
        free = wall(q)
        q[:] = np.nan
        return free

    @psmp.on_batches
    def spoil_all(q):
        free = wall_in_batches(q)
        q[:] = np.nan
        return free

    pairs = ((wall, spoil), (psmp.on_batches(wall_in_batches), spoil_all))
    for check, spoils in pairs:
        expected = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=check, resolution=0.01).finish().fingerprint
        assert psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=spoils, resolution=0.01).finish().fingerprint == expected


def test_a_checker_of_edges(roadmap):
    seen = []

    @psmp.on_edges
    def check(edge):
        seen.append(edge)
        ts = np.linspace(0, 1, 50)[:, None]
        return bool(wall_in_batches(edge.start + (edge.end - edge.start) * ts).all())

    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=check)
    assert run.finish().ending == "shortest-on-roadmap"
    assert run.configurations == run.edges == len(seen)
    edge = seen[0]
    assert edge.vertices == tuple(run.roadmap.edges[edge.id])
    assert edge.length == pytest.approx(np.linalg.norm(edge.end - edge.start))
    assert isinstance(check, psmp.OnEdges) and check(edge) in (True, False)


def test_roadmaps_without_configurations():
    square = psmp.Roadmap.from_edges([(0, 1), (1, 3), (0, 2), (2, 3)], [1.0, 1.0, 2.0, 2.0])
    check = psmp.on_edges(lambda edge: edge.start is None and edge.id != 1)
    result = psmp.plan(square, 0, 3, check=check, belief=psmp.Constant(0.5)).finish()
    assert list(result.vertices) == [0, 2, 3] and result.length == 4.0 and result.path is None
    with pytest.raises(TypeError, match="belief must be given"):
        psmp.plan(square, 0, 3, check=check)
    with pytest.raises(ValueError, match="carries no configurations"):
        psmp.plan(square, 0, 3, check=lambda q: True, belief=psmp.Constant(0.5))


class Weather(Exception):
    """Not one of ours."""


@pytest.mark.parametrize("kind", ["configuration", "batch", "edge"])
def test_an_exception_reaches_the_caller_and_the_planner_goes_on(roadmap, kind):
    calls, trouble = [0], Weather("rain")

    def failing(answer):
        def check(q):
            calls[0] += 1
            if calls[0] % 40 == 0:
                raise trouble
            return answer(q)

        return check

    def edge_free(edge):
        ts = np.linspace(0, 1, 50)[:, None]
        return bool(wall_in_batches(edge.start + (edge.end - edge.start) * ts).all())

    make = {
        "configuration": lambda f: failing(wall) if f else wall,
        "batch": lambda f: psmp.on_batches(failing(wall_in_batches) if f else wall_in_batches),
        "edge": lambda f: psmp.on_edges(failing(edge_free) if f else edge_free),
    }[kind]
    # Few enough configurations an edge that a check of one by one comes to its end at times.
    expected = list(psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=make(False), resolution=0.02))
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=make(True), resolution=0.02)
    events, raised = [], 0
    while run.ending is None:
        try:
            events += run
        except Weather as error:
            raised += 1
            assert error is trouble
            # The traceback shows where in the checker it was raised.
            assert error.__traceback__ is not None
            names = []
            trace = error.__traceback__
            while trace:
                names.append(trace.tb_frame.f_code.co_name)
                trace = trace.tb_next
            assert names[-1] == "check"
    assert raised > 0
    # Events that were given before an exception in the same loop are lost to `+=`, not to the run.
    assert run.result().length == expected[-1].best_length
    if kind == "configuration":
        # Nothing is asked twice: what was seen before an exception counts, and a check goes on from there.
        assert calls[0] == run.configurations + raised and run.configurations == expected[-1].configurations
    else:
        calm = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=make(False), resolution=0.02).finish()
        assert run.fingerprint == calm.fingerprint


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "got NoneType"),
        (1, "got int"),
        ("yes", "got str"),
        (np.array([True]), r"shape \(1,\) of bool"),
    ],
)
def test_an_answer_that_is_none_is_refused(roadmap, answer, words):
    with pytest.raises(TypeError, match=words):
        psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=lambda q: answer)
    run = psmp.plan(roadmap, 3, 200, check=lambda q: answer)
    with pytest.raises(TypeError, match=words):
        list(run)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (lambda n: np.ones(n - 1, dtype=bool), ValueError, r"what check returns must have shape \(\d+,\), got"),
        (lambda n: np.ones((n, 1), dtype=bool), ValueError, r"got \(\d+, 1\)"),
        (lambda n: np.ones(n), TypeError, "float64"),
        (lambda n: True, ValueError, r"got \(\)"),
        (lambda n: None, TypeError, "object"),
    ],
)
def test_a_wrong_answer_to_a_batch_is_refused(roadmap, answer, error, words):
    run = psmp.plan(roadmap, 3, 200, check=psmp.on_batches(lambda q: answer(len(q))))
    with pytest.raises(error, match=words):
        list(run)


def test_answers_of_numpy_and_lists_do(roadmap):
    def fingerprint(check):
        return psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=check, validator="failfast", resolution=0.01).finish().fingerprint

    for check in (
        lambda q: np.bool_(wall(q)),
        psmp.on_batches(lambda q: wall_in_batches(q).tolist()),
        psmp.on_batches(lambda q: np.repeat(wall_in_batches(q), 2)[::2]),
    ):
        assert fingerprint(check) == fingerprint(wall)


def slow_wall(q: np.ndarray) -> bool:
    time.sleep(0.002)
    return bool(wall(q))


def test_processes_make_the_same_run() -> None:
    def run(check: psmp.Checker) -> list[tuple[str, int]]:
        stop = psmp.checks(400)
        run = psmp.plan(psmp.Roadmap.halton([(0, 1), (0, 1)], 100), START, GOAL, check=check, resolution=0.02, stop=stop,
                        seed=0)  # fmt: skip
        return [(event.kind, event.configurations) for event in run]

    check = psmp.in_processes(slow_wall, 2)
    alone = run(slow_wall)
    assert len(alone) > 5
    assert run(check) == alone
    check.close()
    # They are begun again, in a copy too.
    copy = pickle.loads(pickle.dumps(check))
    assert run(copy) == alone
    copy.close()
    with pytest.raises(ValueError, match="at least 1"):
        psmp.in_processes(slow_wall, 0)


def test_a_price_is_measured_unless_it_or_a_seed_is_given(roadmap) -> None:
    def prices(**given: Any) -> list[tuple[float, float]]:
        run = psmp.plan(roadmap, START, GOAL, check=slow_wall, resolution=0.02, stop=psmp.checks(200), **given)
        return [event.price for event in run if event.price]

    measured = prices()
    assert measured and measured[-1][0] > 1e-3
    assert not prices(seed=0)
    assert prices(price=1e-5, seed=0)[0][0] == pytest.approx(1e-5)


def fails(q: np.ndarray) -> bool:
    raise RuntimeError("no answer")


def test_what_a_process_raises_is_raised() -> None:
    check = psmp.in_processes(fails, 2)
    with pytest.raises(RuntimeError, match="no answer"):
        psmp.plan(psmp.Roadmap.halton([(0, 1), (0, 1)], 100), START, GOAL, check=check).finish()
    check.close()
