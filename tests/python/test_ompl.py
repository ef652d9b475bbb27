"""OMPL both ways, with its own wheel: psmp as its planner, and its planners as rows beside psmp's."""

from __future__ import annotations

import json
import math
import subprocess

import numpy as np
import psmp
import pytest
from conftest import built

pytest.importorskip("ompl")
from ompl import base, geometric, util  # noqa: E402


@pytest.fixture(autouse=True)
def quiet():
    util.setLogLevel(util.LOG_ERROR)


def real_vectors(*bounds: tuple[float, float]) -> base.RealVectorStateSpace:
    space, limits = base.RealVectorStateSpace(len(bounds)), base.RealVectorBounds(len(bounds))
    for axis, (low, high) in enumerate(bounds):
        limits.setLow(axis, low)
        limits.setHigh(axis, high)
    space.setBounds(limits)
    return space


def problem(space, is_valid, start, goal):
    """An OMPL user's problem."""
    setup = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(is_valid)
    setup.getSpaceInformation().setup()
    ends = [space.allocState(), space.allocState()]
    for state, values in zip(ends, (start, goal), strict=True):
        space.copyFromReals(state, list(values))
    setup.setStartAndGoalStates(*ends)
    return setup


def values(space, state):
    return [space.getValueAddressAtIndex(state, axis) for axis in range(space.getDimension())]


def wall(state) -> bool:
    return not 0.45 < state[0] < 0.55 or state[1] > 0.8


def test_an_ompl_script_with_one_line_more():
    space = real_vectors((0, 1), (0, 1))
    setup = problem(space, wall, (0.1, 0.1), (0.9, 0.9))
    planner = psmp.adapters.ompl(setup, seed=1)
    setup.setPlanner(planner)
    assert setup.solve(10.0) and setup.haveExactSolutionPath()
    path = setup.getSolutionPath()
    # The shortest leads round both corners of the gap; a step may cut one by its half.
    shortest = math.dist((0.1, 0.1), (0.45, 0.8)) + 0.1 + math.dist((0.55, 0.8), (0.9, 0.9))
    assert shortest * 0.98 <= path.length() < shortest * 1.02 and path.check()
    assert values(space, path.getState(0)) == [0.1, 0.1]
    assert values(space, path.getState(path.getStateCount() - 1)) == [0.9, 0.9]
    assert planner.result.length == pytest.approx(path.length())
    assert setup.getSolutionPlannerName() == "psmp"


class ThinWall(base.MotionValidator):
    """Sees whole motions, and a wall at 0.5 too thin for states to hit."""

    def checkMotion(self, a, b) -> bool:
        share = (0.5 - a[0]) / (b[0] - a[0]) if a[0] != b[0] else -1
        return not 0 <= share <= 1 or a[1] + share * (b[1] - a[1]) > 0.8


def test_a_path_passes_the_check_of_motions_that_the_user_has_set():
    space = real_vectors((0, 1), (0, 1))
    setup = problem(space, lambda state: abs(state[0] - 0.5) > 0.002 or state[1] > 0.8, (0.1, 0.1), (0.9, 0.1))
    information = setup.getSpaceInformation()
    information.setMotionValidator(ThinWall(information))
    setup.setPlanner(psmp.adapters.ompl(setup, seed=1))
    assert setup.solve(20.0) and setup.haveExactSolutionPath()
    assert setup.getSolutionPath().check() and setup.getSolutionPath().length() > 1.6


def test_states_are_asked_about_as_finely_as_ompl_does():
    """By whom a motion is checked, the most that lies between two of its states is the longest valid segment."""
    space = real_vectors((0, 4), (0, 1))
    seen = []
    setup = problem(space, lambda state: bool(seen.append((state[0], state[1])) or True), (0.5, 0.5), (3.5, 0.5))
    setup.getSpaceInformation().setStateValidityCheckingResolution(0.02)
    setup.getSpaceInformation().setup()
    seen.clear()
    setup.setPlanner(psmp.adapters.ompl(setup, seed=0))
    assert setup.solve(10.0)
    along = sorted({x for x, _ in seen})
    assert np.diff(along).max() <= space.getLongestValidSegmentLength() * (1 + 1e-9)
    assert len(along) == math.ceil(3 / (0.02 * math.hypot(4, 1))) + 1


def test_compounds_weights_and_angles():
    """A needle in metres and radians: it must turn to come through, and its angle goes round."""
    plane = real_vectors((0, 100), (0, 100))
    space = base.CompoundStateSpace()
    space.addSubspace(plane, 1.0)
    space.addSubspace(base.SO2StateSpace(), 5.0)

    def is_valid(state) -> bool:
        x, angle = state[0][0], state[1].value
        return not 45 < x < 55 or abs(abs(angle) - math.pi) < 0.4

    setup = problem(space, is_valid, (10, 10, 2.5), (90, 10, -2.5))
    planner = psmp.adapters.ompl(setup.getSpaceInformation(), seed=0)
    setup.setPlanner(planner)
    assert setup.solve(20.0)
    path = setup.getSolutionPath()
    assert path.check()
    angles = np.unwrap([values(space, path.getState(i))[2] for i in range(path.getStateCount())])
    # Through pi, and not the long way round.
    assert np.ptp(angles) < 2 * (math.pi - 2.5) + 0.1
    # By psmp's measure: the root of squares of weighted distances.
    straight = math.hypot(80, 5 * 2 * (math.pi - 2.5))
    assert straight <= planner.result.length * (1 + 1e-9) < straight * 1.02


def test_spaces_that_psmp_cannot_plan_in_are_refused():
    dubins = base.DubinsStateSpace(0.5)
    limits = base.RealVectorBounds(2)
    limits.setLow(0.0)
    limits.setHigh(1.0)
    dubins.setBounds(limits)
    quaternions = base.SO3StateSpace()
    for space, why in ((dubins, "not straight"), (quaternions, "neither a real vector")):
        information = base.SpaceInformation(space)
        information.setStateValidityChecker(lambda state: True)
        with pytest.raises(ValueError, match=why):
            psmp.adapters.ompl(information).setup()


def test_it_ends_when_ompl_says_so_and_goes_on_and_keeps_what_it_knows():
    asked = []
    space = real_vectors((0, 1), (0, 1))
    setup = problem(space, lambda state: bool(asked.append(1) or wall(state)), (0.1, 0.1), (0.9, 0.9))
    planner = psmp.adapters.ompl(setup, seed=0)
    setup.setPlanner(planner)
    setup.setup()
    asked.clear()
    few = base.PlannerTerminationCondition(lambda: len(asked) >= 40)
    assert not setup.solve(few) and 40 <= len(asked) <= 42
    more = base.PlannerTerminationCondition(lambda: len(asked) >= 3000)
    assert setup.solve(more)
    first = setup.getSolutionPath().length()
    setup.solve(base.PlannerTerminationCondition(lambda: len(asked) >= 6000))
    assert setup.getSolutionPath().length() <= first
    # The way back, with what is known.
    spent = len(asked)
    back = problem(space, wall, (0.9, 0.9), (0.1, 0.1)).getProblemDefinition()
    planner.clearQuery()
    planner.setProblemDefinition(back)
    assert planner.solve(base.PlannerTerminationCondition(lambda: len(asked) >= spent + 2000))
    assert back.getSolutionPath().length() == pytest.approx(first, rel=0.05)


def test_what_goes_wrong_is_said():
    def broken(state):
        if 0.3 < state[0] < 0.7:
            raise LookupError("no map here")
        return True

    space = real_vectors((0, 1), (0, 1))
    setup = problem(space, broken, (0.1, 0.1), (0.2, 0.9))
    planner = psmp.adapters.ompl(setup, seed=0)
    planner.setProblemDefinition(setup.getProblemDefinition())
    assert planner.solve(lambda: False)
    setup = problem(space, broken, (0.1, 0.1), (0.9, 0.9))
    planner = psmp.adapters.ompl(setup, seed=0)
    planner.setProblemDefinition(setup.getProblemDefinition())
    with pytest.raises(LookupError, match="no map here"):
        planner.solve(1.0)
    away = problem(space, lambda state: state[1] < 0.3 or state[1] > 0.7, (0.1, 0.1), (0.1, 0.5))
    planner = psmp.adapters.ompl(away, seed=0)
    planner.setProblemDefinition(away.getProblemDefinition())
    assert planner.solve(0.2).getStatus() == base.PlannerStatus.INVALID_GOAL


PLANNERS = ["lazysp", "rrtconnect", "ompl:RRTConnect", "ompl:BIT*", "ompl:AORRTC"]


def test_ompls_planners_are_rows_beside_psmps(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    forest = psmp.Dataset.make("forest", 12, test=2)
    rows = psmp.sweep(forest, PLANNERS, budget=8000, seeds=2, workers=2, shard=1)
    assert rows.num_rows == 2 * len(PLANNERS) * 2
    frame = rows.to_pandas()
    theirs = frame[frame.planner.str.startswith("ompl:")]
    # One question, asked by all: where OMPL has a path it is free, so not shorter than the straight line, and of what costs what the
    # rows of one world agree.
    assert (theirs.cost_total <= 8000).all() and theirs.cost_to_first.notna().sum() > 8
    for _, world in frame.groupby("world"):
        assert world.limit.nunique() == 1 and world.shortest_on_roadmap.nunique() == 1
    solved = theirs[theirs.best_length.notna()]
    assert (solved.best_length >= solved.straight_line * (1 - 1e-9)).all() and (solved.best_length < 1.6 * solved.straight_line).all()
    for row in solved.itertuples():
        costs, lengths = zip(*((int(p[0]), float(p[2])) for p in (one.split(":") for one in row.curve.split())), strict=True)
        assert list(costs) == sorted(costs) and list(lengths) == sorted(lengths, reverse=True) and lengths[-1] == row.best_length
    assert theirs.version.str.endswith("with ompl 2.0.1").all()
    again = psmp.sweep(forest, PLANNERS, budget=8000, seeds=2, workers=1)
    times = ["seconds", "curve_seconds"]
    assert again.drop_columns(times).equals(rows.drop_columns(times)), "by the seed, whatever the workers"
    with pytest.raises(ValueError, match="no `RRTSharp`.*ompl:BITstar"):
        psmp.sweep(forest, ["ompl:RRTSharp"], budget=10)
    with pytest.raises(ValueError, match="give a budget"):
        psmp.sweep(forest, ["ompl:BIT*"])

    # And `psmp page` takes both files as one comparison.
    own = psmp.sweep(forest, ["ei:local+grow"], budget=8000, seeds=2, workers=1)
    parquet.write_table(rows, tmp_path / "ompl.parquet")
    parquet.write_table(own, tmp_path / "own.parquet")
    page = tmp_path / "all.html"
    command = [built("bin", "psmp"), "--json", "page", tmp_path / "ompl.parquet", tmp_path / "own.parquet", "-o", page]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert told["runs"] == rows.num_rows + own.num_rows
    assert told["films"] == 3 * 2, "of the planners that are psmp's, and in both worlds"
    text = page.read_text()
    assert all(f'"name":"{planner}"' in text for planner in (*PLANNERS, "ei:local+grow"))
    data = json.loads(text.split('id="comparison">')[1].split("</script>")[0])
    assert {planner["name"]: planner["ours"] for planner in data["planners"]}["ompl:BIT*"] is False
    assert len(data["sets"]) == 1, "one set of worlds"
