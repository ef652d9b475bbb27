"""A planner that lives on, scenes that change, and paths by themselves."""

from __future__ import annotations

import pickle

import numpy as np
import psmp
import pytest
from conftest import GOAL, START, wall, wall_in_batches

ENDS = [-0.9, 0.1, 0.1], [0.9, -0.1, -0.1]


@pytest.fixture(scope="module")
def arm():
    return psmp.Arm("planar-3")


def post(scene, name="post", pose=(0.75, 0, 0)):
    scene.add(name, box=(0.1, 0.1, 0.4), pose=pose)
    return scene


def test_a_scene_is_put_together_and_changed(arm):
    scene = post(psmp.Scene())
    check = arm.checker(scene)
    assert check.contact([0, 0, 0]) is not None
    scene.move("post", (0, 0, 5))
    # A checker has the scene as it was.
    assert check.contact([0, 0, 0]) is not None and arm.checker(scene).contact([0, 0, 0]) is None
    scene.remove("post")
    assert scene.objects == [] and scene == psmp.Scene()
    cloud = np.array([[0.75, 0, 0], [0.75, 0.01, 0]], np.float32)
    scene.add("seen", points=cloud, radius=0.02)
    assert arm.checker(scene).contact([0, 0, 0])[1] == "seen"
    with pytest.warns(UserWarning, match="no points"):
        scene.add("unseen", points=np.zeros((0, 3)), radius=0.02)


def ahead(pose, way):
    """A pose so far along its own x axis."""
    step = np.eye(4)
    step[0, 3] = way
    return pose @ step


def test_what_is_taken_up_moves_with_its_link_and_is_put_down_again(arm):
    tip = arm.links[-1]
    start, other = [0.5, 0.0, 0.0], [-0.5, 0.0, 0.0]
    held = arm.pose(start, tip)
    scene = psmp.Scene()
    scene.add("rod", box=(0.2, 0.02, 0.02), pose=ahead(held, 0.6))
    post(scene, pose=ahead(arm.pose(other, tip), 0.65)[:3, 3])
    assert arm.checker(scene).contact(other) is None
    scene.attach("rod", tip, held)
    assert scene.attached == [("rod", tip)] and scene.objects == ["post"]
    check = arm.checker(scene)
    assert check.contact(start) is None and set(check.contact(other)) == {"rod", "post"}
    scene.detach("rod", arm.pose(other, tip))
    assert scene.attached == [] and scene.objects == ["post", "rod"]
    assert arm.checker(scene).contact(other) is None


def test_what_makes_no_sense_in_a_scene_is_refused():
    scene = post(psmp.Scene())
    with pytest.raises(ValueError, match="already"):
        post(scene)
    with pytest.raises(TypeError, match="one shape, got 0"):
        scene.add("nothing")
    with pytest.raises(TypeError, match="one shape, got 2"):
        scene.add("both", sphere=1, box=(1, 1, 1))
    with pytest.raises(TypeError, match="points and radius"):
        scene.add("cloud", points=[[0, 0, 0]])
    with pytest.raises(ValueError, match="shape"):
        scene.add("ball", sphere=-1)
    with pytest.raises(ValueError, match="pose must have shape"):
        scene.add("ball", sphere=1, pose=(1, 2))
    with pytest.raises(TypeError, match="vertices"):
        scene.add("mesh", mesh=3)
    with pytest.raises(KeyError, match="there is post"):
        scene.move("ball", (0, 0, 0))
    with pytest.raises(KeyError, match="no link holds"):
        scene.detach("post", (0, 0, 0))


def test_a_planner_does_not_check_again_what_it_knows(arm):
    planner = psmp.Planner(arm, post(psmp.Scene()), vertices=400, proposer="lazysp", seed=0)
    first = planner.plan(*ENDS)
    again = planner.plan(*ENDS)
    assert first.path is not None and again.total_configurations * 2 < first.total_configurations
    assert planner.memory.known > 0 and "known" in repr(planner)
    back = planner.plan(*reversed(ENDS))
    assert back.length == pytest.approx(first.length) and back.total_configurations * 2 < first.total_configurations


def test_a_change_far_away_costs_nothing_and_one_in_the_way_is_seen(arm):
    scene = post(psmp.Scene())
    planner = psmp.Planner(arm, scene, vertices=400, proposer="lazysp", seed=0)
    first = planner.plan(*ENDS)
    known = planner.memory.known
    post(scene, "far", (0, 0, 5))
    unmoved = planner.plan(*ENDS)
    assert unmoved.total_configurations * 2 < first.total_configurations and planner.memory.known >= known
    scene.remove("far")
    middle = first.path[len(first.path) // 2]
    post(scene, "block", arm.pose(middle))
    around = planner.plan(*ENDS)
    assert around.path is None or psmp.certify(around.path, arm, scene)
    assert not psmp.certify(first.path, arm, scene)
    scene.remove("block")
    assert planner.plan(*ENDS).length == pytest.approx(first.length)


def test_a_planner_grows_and_lives_on_elsewhere(arm, tmp_path):
    planner = psmp.Planner(arm, post(psmp.Scene()), vertices=200, seed=0)
    first = planner.plan(*ENDS, stop=psmp.checks(1500))
    grown = planner.roadmap.vertex_count
    assert grown > 200
    planner.save(tmp_path / "planner.kept")
    other = psmp.Planner(arm, post(psmp.Scene()), vertices=200, seed=0)
    other.load(tmp_path / "planner.kept")
    sent = pickle.loads(pickle.dumps(planner))
    for one in (planner, other, sent):
        result = one.plan(*ENDS, stop=psmp.checks(1000))
        assert result.length <= first.length * 1.001 and one.roadmap.vertex_count >= grown
    # A run that is only begun is kept when the next one begins.
    run = planner.begin(*ENDS, stop=psmp.checks(100))
    next(run)
    planner.plan(*ENDS, stop=psmp.checks(100))
    assert run.closed


def test_poses_and_names_are_goals(arm):
    planner = psmp.Planner(arm, vertices=100, seed=0)
    pose = arm.pose([0.4, 0.3, -0.2])
    result = planner.plan([0, 0, 0], pose=pose, stop=psmp.checks(2000))
    assert np.allclose(arm.pose(result.path[-1]), pose, atol=1e-4)
    named = dict(zip(arm.joints, [0.0, 0.1, 0.0], strict=True))
    back = planner.plan(result.path[-1], named, stop=psmp.checks(2000))
    assert np.allclose(back.path[-1], [0, 0.1, 0])
    with pytest.raises(TypeError, match="goal or pose"):
        planner.plan([0, 0, 0])
    with pytest.raises(TypeError, match="give pose"):
        planner.plan([0, 0, 0], named, link=arm.links[-1])


def test_a_planner_on_a_roadmap_knows_the_world_of_a_function_until_told(roadmap):
    planner = psmp.Planner(roadmap, check=wall, proposer="lazysp", seed=0)
    first = planner.plan(START, GOAL)
    assert planner.plan(START, GOAL).total_configurations * 10 < first.total_configurations
    planner.forget()
    assert planner.memory.known == 0
    assert planner.plan(START, GOAL).total_configurations * 2 > first.total_configurations
    with pytest.raises(TypeError, match="check must be given"):
        psmp.Planner(roadmap)
    with pytest.raises(TypeError, match="scene or check"):
        psmp.Planner(psmp.Arm("planar-3"), psmp.Scene(), check=wall, vertices=50)
    with pytest.raises(TypeError, match="keep cannot be given"):
        psmp.Planner(roadmap, check=wall, keep="file")
    with pytest.raises(TypeError, match="pose is for an arm"):
        planner.plan(START, pose=(0, 0, 0))


def length(path):
    return np.linalg.norm(np.diff(path, axis=0), axis=1).sum()


def test_a_path_from_anywhere_is_made_shorter(roadmap, arm):
    detour = np.array([START, (0.1, 0.95), (0.5, 0.97), (0.9, 0.95), GOAL])
    shorter = psmp.shortcut(detour, psmp.on_batches(wall_in_batches), space=roadmap.space)
    assert length(shorter) < 0.9 * length(detour) and all(wall(q) for q in shorter)
    assert np.array_equal(shorter[[0, -1]], detour[[0, -1]])
    assert np.array_equal(shorter, psmp.shortcut(detour, wall, space=[(0, 1), (0, 1)]))
    assert np.array_equal(psmp.shortcut(detour, wall, space=roadmap.space, stop=psmp.checks(0)), detour)
    with pytest.raises(TypeError, match="space must be given"):
        psmp.shortcut(detour, wall)
    with pytest.raises(ValueError, match="row 1"):
        psmp.shortcut([(0.1, 0.1), (0.1, 3)], wall, space=roadmap.space)
    with pytest.raises(TypeError, match="configurations"):
        psmp.shortcut(detour, psmp.on_edges(lambda edge: True), space=roadmap.space)
    scene = post(psmp.Scene())
    found = psmp.plan_without_roadmap(arm.space, *ENDS, check=arm.checker(scene), seed=1).finish()
    straight = psmp.shortcut(found.path, arm.checker(scene))
    assert length(straight) <= length(found.path) + 1e-9 and psmp.certify(straight, arm, scene)


def test_what_a_checker_raises_comes_out_of_a_shortcut(roadmap):
    def broken(q):
        raise RuntimeError("no power")

    with pytest.raises(RuntimeError, match="no power"):
        psmp.shortcut([START, (0.1, 0.95), (0.9, 0.95)], broken, space=roadmap.space)


def test_a_certificate_says_where_a_path_is_not_free(arm):
    scene = post(psmp.Scene())
    certificate = psmp.certify(ENDS, arm, scene)
    assert not certificate and certificate.motion == 0 and certificate.contact[1] == "post"
    assert arm.checker(scene).contact(certificate.collision) == certificate.contact
    assert psmp.certify(ENDS, arm) and psmp.certify(ENDS[:1], arm, scene)
    with pytest.raises(ValueError, match="outside"):
        psmp.certify([[0, 0, 0], [0, 0, 99]], arm)
