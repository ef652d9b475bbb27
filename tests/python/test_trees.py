"""Planning without a roadmap: trees that grow from start and goal."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import GOAL, START, wall, wall_in_batches

import psmp

BOUNDS = [(0, 1), (0, 1)]
NAMES = ["rrtconnect", "rrtconnect+shortcut", "rrtstar", "bitstar"]


def is_free_all_along(path: np.ndarray) -> bool:
    shares = np.linspace(0, 1, 200)[:, None]
    return all(wall_in_batches(a + shares * (b - a)).all() for a, b in zip(path, path[1:], strict=False))


@pytest.mark.parametrize("planner", NAMES)
def test_each_finds_a_free_path(planner):
    asked = 0

    def counted(q):
        nonlocal asked
        asked += 1
        return wall(q)

    stop = psmp.checks(5000)
    run = psmp.plan_without_roadmap(BOUNDS, START, GOAL, check=counted, planner=planner, stop=stop, resolution=0.002)
    lengths = [event.length for event in run if event.kind == "improved"]
    assert lengths and lengths == sorted(lengths, reverse=True) and lengths[-1] == run.best_length
    assert asked == run.configurations and run.planner == planner
    path = run.path
    assert np.array_equal(path[0], START) and np.array_equal(path[-1], GOAL)
    assert is_free_all_along(path)
    assert (np.diff(path, axis=0) != 0).any(axis=1).all(), "a waypoint twice in a row"
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() == pytest.approx(run.best_length)
    assert run.vertices is None and np.array_equal(run.roadmap.configurations, [START, GOAL])
    with pytest.raises(ValueError, match="without a roadmap"):
        run.probabilities()


def test_batches_and_seeds_give_the_same_events():
    def events(check, seed):
        return list(psmp.plan_without_roadmap(BOUNDS, START, GOAL, check=check, seed=seed, resolution=0.01))

    one = events(wall, 3)
    assert one == events(wall, 3) == events(psmp.on_batches(wall_in_batches), 3) != events(wall, 4)
    assert {event.kind for event in one} == {"probed", "improved", "gave-up"}
    assert sum(e.cost for e in one if e.kind == "probed") == one[-1].configurations


def test_a_range_makes_motions_short():
    """Straight to where a tree wants to be, or in steps; each step is one event."""
    far, near = (
        psmp.plan_without_roadmap(BOUNDS, START, GOAL, check=wall, resolution=0.01, **options)
        for options in ({"range": np.inf}, {"range": 0.1})
    )
    assert near.finish().ending == far.finish().ending == "gave-up"
    longest = [np.linalg.norm(np.diff(run.path, axis=0), axis=1).max() for run in (far, near)]
    assert longest[1] <= 0.1 + 1e-9 < longest[0]


def test_what_a_checker_raises_comes_through_and_the_run_goes_on():
    left = 50

    def moody(q):
        nonlocal left
        left -= 1
        if left == 0:
            raise RuntimeError("not now")
        return wall(q)

    run = psmp.plan_without_roadmap(BOUNDS, START, GOAL, check=moody, resolution=0.01)
    with pytest.raises(RuntimeError, match="not now"):
        run.finish()
    assert run.path is None
    assert run.finish().path is not None
    left = 1
    with pytest.raises(RuntimeError, match="not now"):
        psmp.plan_without_roadmap(BOUNDS, START, GOAL, check=moody)


def test_a_result_has_a_face_and_can_be_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import psmp.plot

    run = psmp.plan_without_roadmap(BOUNDS, START, GOAL, check=wall, planner="rrtstar", stop=psmp.checks(3000), resolution=0.01)
    result = run.finish()
    assert "rrtstar" in repr(result) and result.ending == "stopped" and len(result.checked) == 0
    # Trees know no roadmap: what they know of a path is how far it is over the straight line.
    assert "over the straight line" in repr(result) and "roadmap" not in repr(result)
    assert result.gap_on_roadmap is None and result.lower_bound_on_roadmap is None
    assert result.straight_line == pytest.approx(np.linalg.norm(np.subtract(GOAL, START)))
    assert result.gap_over_straight_line == pytest.approx(result.length / result.straight_line - 1)
    assert "gap_over_straight_line" in result.columns()
    assert psmp.plot.world(result) is not None and psmp.plot.anytime(result) is not None


def test_a_path_of_trees_is_straightened():
    runs = [psmp.plan_without_roadmap(BOUNDS, START, GOAL, check=wall, straighten=s) for s in (False, True)]
    plain, straight = (run.finish() for run in runs)
    assert straight.length < plain.length and straight.ending == plain.ending == "gave-up"


def test_an_arm_without_a_roadmap():
    arm = psmp.Arm("planar-3")
    run = psmp.plan_without_roadmap(arm.space, (-0.9, 0.1, 0.1), (0.9, -0.1, -0.1), check=arm.checker())
    assert run.finish().path is not None


def test_mistakes_are_told():
    grow = psmp.plan_without_roadmap
    forest = psmp.Dataset.make("forest", 2, test=1)
    for wrong, error, words in [
        (lambda: grow(BOUNDS, START, GOAL, check=wall, planner="prm"), ValueError, "rrtconnect"),
        (lambda: grow(BOUNDS, START, (0.9,), check=wall), ValueError, "goal must have shape"),
        (lambda: grow(BOUNDS, START, (0.9, 2.0), check=wall), ValueError, "goal .* outside"),
        (lambda: grow(BOUNDS, (0.5, 0.5), GOAL, check=wall), ValueError, "start .* in collision"),
        (lambda: grow(BOUNDS, START, GOAL, check=psmp.on_edges(lambda e: True)), TypeError, "no edges"),
        (lambda: grow(BOUNDS, START, GOAL, check=forest.check(0)), TypeError, "configurations"),
        (lambda: grow(BOUNDS, START, GOAL, check=wall, resolution=-1), ValueError, "resolution"),
        (lambda: grow(BOUNDS, START, GOAL, check=wall, range=0.0), ValueError, "range"),
        (lambda: grow(BOUNDS, START, GOAL, check=wall, planner="rrtstar", range=0.1), TypeError, "rrtstar"),
        (lambda: grow("plane", START, GOAL, check=wall), TypeError, "space must be"),
        (lambda: grow(BOUNDS, START, GOAL, check=lambda q: None), TypeError, "True where"),
    ]:
        with pytest.raises(error, match=words):
            wrong()
