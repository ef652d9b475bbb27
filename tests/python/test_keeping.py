"""What was grown is kept in a file, and the next run begins with it."""

from __future__ import annotations

from statistics import median

import psmp
import pytest

START, GOAL = (0.1, 0.1), (0.9, 0.1)


def wall(q):
    return not 0.45 < q[0] < 0.55 or q[1] > 0.8


@pytest.fixture
def roadmap():
    return psmp.Roadmap.halton([(0, 1), (0, 1)], 300)


def test_what_is_known_of_a_named_world_is_not_checked_again(roadmap, tmp_path):
    file = tmp_path / "wall.kept"

    def run(world=None, **more):
        run = psmp.plan(roadmap, START, GOAL, check=wall, proposer="lazysp", keep=file, world=world, **more)
        return run.finish()

    first = run("wall")
    again = run("wall")
    assert again.length == pytest.approx(first.length) and again.configurations * 10 < first.configurations
    # Of a function without a name nobody knows which world it is.
    assert run().configurations * 2 > first.configurations
    assert run("another").configurations * 2 > first.configurations
    assert run("another", resolution=0.01).configurations > 50


def test_a_growing_run_leaves_its_roadmap(roadmap, tmp_path):
    file = tmp_path / "wall.kept"
    run = psmp.plan(roadmap, START, GOAL, check=wall, keep=str(file), world="wall", stop=psmp.checks(20000))
    result = run.finish()
    assert file.exists() and result.length < 1.9
    assert run.roadmap.vertex_count > roadmap.vertex_count == 300
    next_run = psmp.plan(roadmap, START, GOAL, check=wall, keep=file, world="wall", stop=psmp.checks(2000))
    assert next_run.finish().length <= result.length * 1.001
    # Of what has grown that is kept which has come to something.
    assert next_run.roadmap.vertex_count > 300 and next_run.roadmap.edge_count > roadmap.edge_count


def test_closing_keeps_and_a_run_that_did_nothing_more_writes_nothing(roadmap, tmp_path):
    file = tmp_path / "wall.kept"
    run = psmp.plan(roadmap, START, GOAL, check=wall, proposer="lazysp", keep=file)
    next(run)
    assert not file.exists()
    run.close()
    written = file.read_bytes()
    run.close()
    assert file.read_bytes() == written


def test_another_space_a_damaged_file_and_senseless_requests_are_refused(roadmap, tmp_path):
    file = tmp_path / "wall.kept"
    psmp.plan(roadmap, START, GOAL, check=wall, proposer="lazysp", keep=file).finish()
    wide = psmp.Roadmap.halton([(0, 2), (0, 1)], 300)
    with pytest.raises(OSError, match="another space"):
        psmp.plan(wide, START, GOAL, check=wall, keep=file)
    other = psmp.Roadmap.halton([(0, 1), (0, 1)], 301)
    with pytest.raises(OSError, match="grown from another roadmap"):
        psmp.plan(other, START, GOAL, check=wall, keep=file)
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(OSError, match=r"wall\.kept"):
        psmp.plan(roadmap, START, GOAL, check=wall, keep=file)
    with pytest.raises(TypeError, match="vertex to vertex"):
        psmp.plan(roadmap, 3, 200, check=wall, keep=file)
    with pytest.raises(ValueError, match=r"leave out `\+grow`"):
        psmp.plan(roadmap, START, GOAL, check=wall, proposer="lazysp+grow", fixed_roadmap=True, seed=0)
    with pytest.raises(ValueError, match=r"leave out `\+grow`"):
        psmp.plan(roadmap, 3, 200, check=wall, proposer="lazysp+grow")


def test_growth_is_told_and_settles(roadmap):
    run = psmp.plan(roadmap, START, GOAL, check=wall)
    kinds = [event.kind for event in run]
    assert kinds[-1] == run.ending == "settled" and "tried" in kinds
    fixed = psmp.plan(roadmap, START, GOAL, check=wall, fixed_roadmap=True, seed=0).finish()
    grown = [psmp.plan(roadmap, START, GOAL, check=wall, seed=seed).finish().length for seed in range(15)]
    assert fixed.ending == "shortest-on-roadmap" and median(grown) < 0.99 * fixed.length
    lazy = psmp.plan(roadmap, START, GOAL, check=wall, proposer="lazysp+grow", stop=psmp.checks(20000))
    assert lazy.planner == "lazysp+grow" and lazy.finish().length <= fixed.length


def test_an_arm_keeps_what_still_holds_in_another_scene(tmp_path):
    post = '[[object]]\nname = "post"\nbox = [0.1, 0.1, 0.4]\nposition = [0.75, 0, 0]\n'
    far = '[[object]]\nname = "far"\nbox = [0.1, 0.1, 0.1]\nposition = [0, 0, 3]\n'
    (tmp_path / "post.toml").write_text(post)
    (tmp_path / "two.toml").write_text(far + post)
    arm = psmp.Arm("planar-3")
    roadmap = arm.roadmap(400)

    def run(scene):
        check = arm.checker(psmp.Scene(tmp_path / scene))
        ends = [-0.9, 0.1, 0.1], [0.9, -0.1, -0.1]
        return psmp.plan(roadmap, *ends, check=check, proposer="lazysp", keep=tmp_path / "arm.kept").finish()

    first = run("post.toml")
    assert run("post.toml").configurations * 2 < first.configurations
    assert run("two.toml").configurations * 2 < first.configurations
    with pytest.raises(TypeError, match="knows its scene"):
        check = arm.checker(psmp.Scene(tmp_path / "post.toml"))
        psmp.plan(roadmap, [-0.9, 0.1, 0.1], [0.9, -0.1, -0.1], check=check, keep=tmp_path / "a", world="w")
