"""Wrong arguments: the error names the argument and the shape it had."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import GOAL, START, wall

import psmp

UNIT = [(0, 1), (0, 1)]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: psmp.Roadmap.halton([(0, 1, 2)], 10), ValueError, r"space must have shape \(d, 2\), got \(1, 3\)"),
        (lambda: psmp.Roadmap.halton([(1, 0)], 10), ValueError, r"space: axis bounds \[1, 0\]"),
        (lambda: psmp.Roadmap.halton("plane", 10), TypeError, "space must be an array"),
        (lambda: psmp.Roadmap.halton(UNIT, 10, radius=0.0), ValueError, "radius must be positive"),
        (lambda: psmp.Roadmap.halton(UNIT, 10, radius=1.0, nearest=3), TypeError, "not both"),
        (lambda: psmp.Roadmap.halton(UNIT, 10, nearest=0), ValueError, "nearest must be at least 1"),
        (lambda: psmp.Roadmap.lattice(UNIT, [3]), ValueError, "counts: a lattice in 2 dimensions"),
        (
            lambda: psmp.Roadmap.from_configurations(np.zeros((4, 3)), UNIT),
            ValueError,
            r"configurations must have shape \(n, 2\), got \(4, 3\)",
        ),
        (lambda: psmp.Roadmap.from_configurations([(0.5, 2.0)], UNIT), ValueError, "outside the space's bounds"),
        (lambda: psmp.Roadmap.from_configurations([(0.5, "x")], UNIT), TypeError, "configurations must be an array"),
        (
            lambda: psmp.Roadmap.from_edges(np.zeros((4, 2)), [1.0] * 4),
            TypeError,
            r"edges must be .* int64, got shape \(4, 2\) of float64",
        ),
        (lambda: psmp.Roadmap.from_edges([(0, 1)], [1.0, 2.0]), ValueError, r"lengths must have shape \(1,\), got \(2,\)"),
        (lambda: psmp.Roadmap.from_edges([(0, 1)], [-1.0]), ValueError, "edge 0 has length -1"),
        (lambda: psmp.Roadmap.from_edges([(0, -1)], [1.0]), ValueError, "edges has -1 in row 0"),
        (lambda: psmp.Roadmap.from_edges([(0, 5)], [1.0], vertices=3), ValueError, "names vertex 5"),
        (lambda: psmp.Roadmap.from_edges([(0, 5)], configurations=[(0.1, 0.1)], space=UNIT), ValueError, "row 0"),
        (lambda: psmp.Roadmap.from_edges([(0, 1)]), TypeError, "give lengths"),
        (lambda: psmp.Roadmap.from_edges([(0, 1)], configurations=[(0.1, 0.1)]), TypeError, "together"),
        (lambda: psmp.Roadmap.read_graphml("no/such.graphml"), FileNotFoundError, "no/such.graphml"),
        (lambda: psmp.Space([(0, 1)], weights=[1, 2]), ValueError, r"weights must have shape \(1,\), got \(2,\)"),
        (lambda: psmp.Space.unit(0), ValueError, "dimension"),
        (lambda: psmp.Table(np.ones(5, dtype=bool)), ValueError, r"free must have shape \(worlds, d\), got \(5,\)"),
        (lambda: psmp.Table(np.ones((5, 2))), TypeError, r"free must be .* bool, got shape \(5, 2\) of float64"),
        (lambda: psmp.Table.open("no/such.table"), FileNotFoundError, "no/such.table"),
        (lambda: psmp.Dataset.open("no/such"), OSError, "no/such"),
        (lambda: psmp.Dataset.make("desert"), ValueError, "choose one of one-wall"),
        (lambda: psmp.Dataset.make("maze", 3, test=4), ValueError, "got 3 and 4"),
        (lambda: psmp.FiniteSet(psmp.Table(np.ones((3, 4), dtype=bool)), worlds=[3]), ValueError, "worlds 0 to 2"),
        (lambda: psmp.FiniteSet(psmp.Table(np.ones((3, 4), dtype=bool)), worlds=[]), ValueError, "has none"),
        (lambda: psmp.learn(np.ones((3, 4), dtype=bool)), TypeError, "Table"),
        (lambda: psmp.Constant(1.5), ValueError, "1.5"),
        (lambda: psmp.NearestNeighbour(eta=0.0), ValueError, "eta must be positive"),
        (lambda: psmp.gap(-0.1), ValueError, "gap"),
        (lambda: psmp.seconds(float("nan")), ValueError, "seconds"),
    ],
)
def test_makers_name_what_is_wrong(make, error, words):
    with pytest.raises(error, match=words):
        make()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"start": (0.1, 0.1, 0.1)}, ValueError, r"start must have shape \(2,\), got \(3,\)"),
        ({"start": (0.5, 0.5)}, ValueError, "the start is in collision; move"),
        ({"goal": (0.1, 2.0)}, ValueError, r"goal \[0.1, 2.0\] is outside"),
        ({"start": 3}, TypeError, "both be vertices or both be configurations"),
        ({"start": 3, "goal": 300}, ValueError, "goal is vertex 300, but there are vertices 0 to 299"),
        ({"start": -1, "goal": 3}, ValueError, "start is vertex -1"),
        ({"start": "here"}, TypeError, "start must be an array"),
        ({"check": 5}, TypeError, "check must be a function, a world of a dataset, a map or an arm's checker, got int"),
        ({"proposer": "rrt"}, ValueError, "`rrt` is no proposer: choose one of `psmp`"),
        ({"validator": "quick"}, ValueError, "`quick` is no validator"),
        ({"resolution": 0.0}, ValueError, "resolution: a resolution of 0.0 cannot be used"),
        ({"resolution": 1e-9}, ValueError, "resolution: .* not tiny"),
        ({"belief": "fs"}, TypeError, "belief"),
        ({"seed": -1}, OverflowError, "negative"),
        ({"stop": 5}, TypeError, "stop"),
        ({"check": psmp.on_edges(lambda edge: True), "straighten": True}, TypeError, "straighten"),
    ],
)
def test_plan_names_what_is_wrong(roadmap, change, error, words):
    arguments = {"start": START, "goal": GOAL, "check": wall} | change
    start, goal = arguments.pop("start"), arguments.pop("goal")
    with pytest.raises(error, match=words):
        psmp.plan(roadmap, start, goal, **arguments)


def test_a_belief_must_fit_the_roadmap(roadmap):
    large = psmp.FiniteSet(psmp.Table(np.ones((3, roadmap.edge_count + 1), dtype=bool)))
    with pytest.raises(ValueError, match=rf"tells of {roadmap.edge_count + 1} edges, but the roadmap has"):
        psmp.plan(roadmap, 0, 1, check=wall, belief=large)


def test_a_world_must_fit_the_roadmap(roadmap):
    maze = psmp.Dataset.make("maze", 2)
    with pytest.raises(ValueError, match="plan on the dataset's roadmap"):
        psmp.plan(roadmap, 0, 1, check=maze.check(0))
    with pytest.raises(ValueError, match="its worlds are 0 to 1"):
        maze.check(2)
