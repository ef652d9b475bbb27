"""Robot arms: what is read, what is checked, and plans among obstacles."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import published

import psmp

POST = """
[[object]]
name = "post"
box = [0.1, 0.1, 0.4]
position = [0.75, 0, 0]
"""
START, GOAL = (-0.9, 0.1, 0.1), (0.9, -0.1, -0.1)
KINDS = ["refined", "spheres", "exact"]


def request_text(start, goal) -> str:
    """A MoveIt request for the planar arm of three joints."""
    names = ["joint1", "joint2", "joint3"]
    joints = [f"      - {{joint_name: {name}, position: {at}}}" for name, at in zip(names, goal, strict=True)]
    return "\n".join(
        [
            "group_name: arm",
            "start_state:",
            f"  joint_state: {{name: [{', '.join(names)}], position: {list(start)}}}",
            "goal_constraints:",
            "  - joint_constraints:",
            *joints,
        ]
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arm")
    (folder / "post.toml").write_text(POST)
    (folder / "over.yaml").write_text(request_text(START, GOAL))
    return folder


@pytest.fixture(scope="module")
def arm() -> psmp.Arm:
    return psmp.Arm("planar-3")


@pytest.fixture(scope="module")
def scene(folder) -> psmp.Scene:
    return psmp.Scene(folder / "post.toml")


@pytest.fixture(scope="module")
def prm(arm) -> psmp.Roadmap:
    return arm.roadmap(400)


def test_what_an_arm_is(arm):
    assert (arm.name, arm.group, arm.dof) == ("planar3", "arm", 3)
    assert arm.joints == ["joint1", "joint2", "joint3"]
    assert "link3" in arm.links and arm.states == ["home"]
    assert arm.space.dimension == 3 and np.allclose(arm.space.bounds, [(-np.pi, np.pi)] * 3)
    assert np.array_equal(arm.configuration("home"), np.zeros(3))
    given = {"joint3": 0.3, "joint1": 0.1, "joint2": 0.2}
    assert np.array_equal(arm.configuration(given), [0.1, 0.2, 0.3])
    assert "planar3" in repr(arm)
    assert psmp.Arm("panda-like").dof == 7


def test_where_links_are(arm):
    """Against the formula of a planar arm whose links are a third of a metre each."""
    q = np.array([(0.3, -0.5, 0.9), (0.0, 0.0, 0.0)])
    poses = arm.pose(q)
    assert poses.shape == (2, 4, 4)
    turned = np.cumsum(q, axis=1)
    expected = np.stack([np.cos(turned[:, :2]).sum(1) / 3, np.sin(turned[:, :2]).sum(1) / 3], axis=1)
    assert np.allclose(poses[:, :2, 3], expected)
    assert np.allclose(poses[:, 0, 0], np.cos(turned[:, 2])) and np.allclose(poses[:, 1, 0], np.sin(turned[:, 2]))
    one = arm.pose(q[0], "link1")
    assert one.shape == (4, 4) and np.allclose(one[:2, 3], 0)
    with pytest.raises(KeyError, match="link3"):
        arm.pose(q[0], "hand")


def test_what_scenes_and_requests_hold(folder, scene, arm):
    assert scene.objects == ["post"] and scene.attached == [] and scene.robot is None and scene.state == {}
    request = psmp.Request(folder / "over.yaml")
    assert request.group == "arm"
    assert np.array_equal(arm.configuration(request.start), START)
    assert np.array_equal(arm.configuration(request.goal), GOAL)


@pytest.mark.parametrize("kind", KINDS)
def test_a_checker_answers_for_one_and_for_many(arm, scene, kind):
    check = arm.checker(scene, kind=kind)
    assert check.kind == kind and check.dof == 3
    assert check(START) is True and check((0, 0, 0)) is False
    many = check(np.array([START, (0.0, 0.0, 0.0), GOAL]))
    assert many.dtype == bool and many.tolist() == [True, False, True]
    assert check(np.empty((0, 3))).shape == (0,)
    assert check.contact(START) is None
    assert set(check.contact((0, 0, 0))) == {"link3", "post"}


def test_spheres_are_never_bolder_than_the_shapes(arm, scene):
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (3000, 3))
    spheres, exact, refined = (arm.checker(scene, kind=kind)(q) for kind in ("spheres", "exact", "refined"))
    assert not (spheres & ~exact).any() and np.array_equal(refined, exact)
    assert exact.any() and not exact.all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_is_free_all_the_way(arm, scene, prm, kind):
    check = arm.checker(scene, kind=kind)
    run = psmp.plan(prm, START, GOAL, fixed_roadmap=True, check=check, proposer="lazysp", resolution=0.05)
    result = run.finish()
    assert result.ending == "shortest-on-roadmap" and result.path is not None
    assert np.array_equal(result.path[0], START) and np.array_equal(result.path[-1], GOAL)
    trajectory = arm.trajectory(result.path)
    assert arm.checker(scene, kind="exact")(trajectory.positions).all()
    assert len(result.path) > 2, "straight, the arm would hit the post"
    assert run.roadmap.vertex_count >= 402


def test_a_plan_is_straightened_by_what_checks_configurations(arm, scene, prm):
    runs = [psmp.plan(prm, START, GOAL, fixed_roadmap=True, seed=0, check=arm.checker(scene), straighten=s) for s in (False, True)]
    plain, straight = (run.finish() for run in runs)
    assert straight.length < plain.length and straight.vertices is None
    assert arm.checker(scene, kind="exact")(arm.trajectory(straight.path).positions).all()
    joined, *ends = plain.roadmap, plain.vertices[0], plain.vertices[-1]
    again = psmp.plan(joined, *ends, check=arm.checker(scene), straighten=True).finish()
    assert again.length < plain.length


def test_joining_counts(arm, scene, prm):
    run = psmp.plan(prm, START, GOAL, fixed_roadmap=True, check=arm.checker(scene), proposer="lazysp")
    assert run.configurations > 0 and run.roadmap.vertex_count >= 402, "start and goal are joined by now"
    events = list(run)
    assert events[0].kind == "probed"
    assert events[-1].configurations == sum(e.cost for e in events if e.cost is not None)


def test_a_function_on_configurations_finds_the_same(arm, scene, prm):
    """The native checker, and the same one called from Python on vertices of the same roadmap."""
    check = arm.checker(scene, kind="exact")
    joined = psmp.plan(prm, START, GOAL, fixed_roadmap=True, seed=0, check=check).roadmap
    start, goal = 400, 401
    step = 0.02
    native = psmp.plan(joined, start, goal, check=check, proposer="lazysp", resolution=step)
    python = psmp.plan(joined, start, goal, check=lambda q: check(q), proposer="lazysp", resolution=step)
    assert native.finish().length == pytest.approx(python.finish().length)
    # Steps are measured by the joint that moves farthest, and so are fewer.
    assert native.configurations < python.configurations


def among(scene: str) -> psmp.ArmChecker:
    """A world: the arm in the scene of a file."""
    return psmp.Arm("planar-3").checker(psmp.Scene(scene))


def test_a_table_of_scenes(arm, folder, prm, scene):
    """Experience for an arm, made by two processes, and a belief from it."""
    files = []
    for x in (0.6, 0.7, 0.8):
        files.append(str(folder / f"post{x}.toml"))
        (folder / f"post{x}.toml").write_text(POST.replace("0.75", str(x)))
    table = psmp.table(prm, files, among, workers=2)
    assert table.shape == (3, prm.edge_count) and 0 < table.to_numpy().mean() < 1
    stop = psmp.gap(0.2) | psmp.checks(20_000)
    run = psmp.plan(prm, START, GOAL, fixed_roadmap=True, seed=0, check=arm.checker(scene), belief=psmp.learn(table), stop=stop)
    assert run.finish().path is not None


def test_a_roadmap_without_a_path_grows(folder, arm):
    """Few vertices have no way around; more do."""
    coarse = arm.roadmap(3, nearest=1)
    check = arm.checker(psmp.Scene(folder / "post.toml"), kind="exact")
    run = psmp.plan(coarse, START, GOAL, check=check, proposer="lazysp+grow", stop=psmp.checks(20000))
    kinds = [event.kind for event in run]
    assert run.path is not None and kinds.count("grown") >= 1
    assert run.roadmap.vertex_count > 3 + 2
    assert check(run.path).all()


def test_a_closed_in_arm_has_no_path(arm, folder):
    wall = "".join(
        f'[[object]]\nname = "wall{i}"\nbox = [2.4, 0.02, 0.4]\nposition = [0, {y}, 0]\n' for i, y in enumerate((-0.2, 0.2))
    )
    (folder / "walls.toml").write_text(wall)
    single = psmp.Arm("planar-1")
    check = single.checker(psmp.Scene(folder / "walls.toml"))
    run = psmp.plan(single.roadmap(50, nearest=4), [0.0], [3.1], check=check, proposer="lazysp")
    assert run.finish().ending == "no-path-on-roadmap" and run.path is None


def test_trajectories_keep_their_limits(arm):
    path = np.array([START, (0.0, 1.0, -0.5), GOAL])
    slow, fast = arm.trajectory(path, acceleration=0.5), arm.trajectory(path, acceleration=2.0)
    assert slow.duration > fast.duration > 0 and slow.joints == arm.joints
    for trajectory, most in ((slow, 0.5), (fast, 2.0)):
        n = len(trajectory.times)
        assert trajectory.positions.shape == trajectory.velocities.shape == trajectory.accelerations.shape == (n, 3)
        assert np.all(np.diff(trajectory.times) > 0) and np.diff(trajectory.times).max() < 0.0101
        assert trajectory.times[-1] == trajectory.duration
        assert np.abs(trajectory.accelerations).max() <= most + 1e-6
        assert np.abs(trajectory.velocities).max() <= 2 + 1e-6
        assert np.array_equal(trajectory.positions[0], path[0]) and np.array_equal(trajectory.positions[-1], path[-1])
    assert np.abs(arm.trajectory(path, velocity=0.1).velocities).max() <= 0.1 + 1e-6


def test_threads_share_a_checker(arm, scene, prm):
    check = arm.checker(scene)
    alone = psmp.plan(prm, START, GOAL, fixed_roadmap=True, check=check, proposer="lazysp").finish()
    found: list[str] = []

    def work():
        found.append(psmp.plan(prm, START, GOAL, fixed_roadmap=True, check=check, proposer="lazysp").finish().fingerprint)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone.fingerprint] * 4


def test_ctrl_c_is_heard_by_one_who_does_not_look(folder):
    """`finish` runs no Python, so that the run itself must listen."""
    program = textwrap.dedent(f"""
        import psmp, signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)
        arm = psmp.Arm("planar-3")
        check = arm.checker(psmp.Scene({str(folder / "post.toml")!r}))
        run = psmp.plan_without_roadmap(arm.space, {START}, {GOAL}, check=check, planner="rrtstar")
        print("begun", flush=True)
        try:
            run.finish()
        except KeyboardInterrupt:
            sys.exit(7)
    """)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    try:
        time.sleep(0.5)
        process.send_signal(2)
        assert process.wait(timeout=20) == 7
    finally:
        process.kill()


def test_mistakes_are_told(arm, scene, prm, folder, roadmap):
    check = arm.checker(scene)
    (folder / "broken.toml").write_text('[[object]]\nname = "ball"\nsphere = "large"\n')
    for wrong, error, words in [
        (lambda: psmp.Arm("elbow.urdf"), FileNotFoundError, "panda-like"),
        (lambda: psmp.Arm("planar-3", srdf="some.srdf"), TypeError, "srdf"),
        (lambda: psmp.Arm("planar-3", group="legs"), ValueError, "legs"),
        (lambda: psmp.Scene(folder / "none.yaml"), FileNotFoundError, "none.yaml"),
        (lambda: psmp.Scene(folder / "broken.toml"), OSError, "broken.toml.*line 3"),
        (lambda: psmp.Request(folder / "post.toml"), OSError, "post.toml"),
        (lambda: arm.configuration("work"), KeyError, "home"),
        (lambda: arm.configuration({"joint1": 0.0}), ValueError, "joint2"),
        (lambda: arm.configuration({"elbow": 0.0}), ValueError, "elbow"),
        (lambda: arm.configuration({"joint1": 9.0, "joint2": 0.0, "joint3": 0.0}), ValueError, "limits"),
        (lambda: arm.configuration([0.0, 0.0, 0.0]), TypeError, "dict"),
        (lambda: arm.checker(scene, kind="thorough"), ValueError, "refined"),
        (lambda: arm.checker(scene, state={"finger": 0.0}), ValueError, "finger"),
        (lambda: arm.roadmap(0), ValueError, "vertices"),
        (lambda: arm.roadmap(10, nearest=0), ValueError, "nearest"),
        (lambda: check([0.0, 0.0]), ValueError, r"\(3,\) or \(n, 3\), got \(2,\)"),
        (lambda: check("home"), TypeError, "q must be"),
        (lambda: psmp.plan(roadmap, (0.1, 0.1), (0.9, 0.9), fixed_roadmap=True, seed=0, check=check), ValueError, "3 joints"),
        (lambda: psmp.plan(roadmap, 0, 1, check=check), ValueError, "3 joints"),
        (lambda: psmp.plan(prm, (0, 0, 0), GOAL, check=check), ValueError, "start is in collision: `link3` touches `post`"),
        (lambda: psmp.plan(prm, START, (9, 0, 0), check=check), ValueError, "goal .* outside"),
        (lambda: psmp.plan(prm, START, GOAL, fixed_roadmap=True, seed=0, check=check, resolution=0.0), ValueError, "resolution"),
        (lambda: psmp.plan_without_roadmap([(0, 1)], [0.1], [0.2], check=check), ValueError, "arm.space"),
        (lambda: arm.trajectory([START, (9.0, 0.0, 0.0)]), ValueError, "row 1"),
        (lambda: arm.trajectory([START, GOAL], acceleration=0.0), ValueError, "acceleration"),
        (lambda: arm.trajectory([START, GOAL], period=0.0), ValueError, "period"),
    ]:
        with pytest.raises(error, match=words):
            wrong()


def test_the_published_panda():
    panda = published("motion_bench_maker", "panda")
    problems = panda / "problems" / "table_under_pick"
    arm = psmp.Arm(panda / "panda.urdf", srdf=panda / "panda.srdf", group="panda_arm")
    assert arm.dof == 7 and arm.joints[0] == "panda_joint1"
    scene, request = psmp.Scene(problems / "scene0002.yaml"), psmp.Request(problems / "request0002.yaml")
    assert request.group == "panda_arm" and scene.objects
    # Of its groups all that move anything move the same joints.
    assert psmp.Arm(panda / "panda.urdf", srdf=panda / "panda.srdf").group == "panda_arm"
    check = arm.checker(scene, state=request.start)
    start, goal = arm.configuration(request.start), arm.configuration(request.goal)
    assert check(start) and check(goal)
    step = 0.05
    run = psmp.plan(arm.roadmap(2000), start, goal, check=check, proposer="lazysp", resolution=step)
    for event in run:
        if event.kind == "improved":
            break
    assert run.path is not None
    exact = arm.checker(scene, kind="exact", state=request.start)
    for a, b in zip(run.path, run.path[1:], strict=False):
        steps = int(np.ceil(np.abs(b - a).max() / step))
        assert exact(a + np.linspace(0, 1, steps + 1)[:, None] * (b - a)).all()
    assert arm.trajectory(run.path).duration > 0


def test_files_name_only_what_is_theirs_or_allowed(tmp_path):
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / "m.obj").write_text("v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nf 1 2 3\n")
    scene, robot = own / "scene.toml", own / "r.urdf"
    scene.write_text('[[object]]\nname = "part"\nmesh = "../other/m.obj"\n')
    robot.write_text(
        '<robot name="r"><link name="a"/><link name="b"><collision><geometry><mesh filename="../other/m.obj"/>'
        '</geometry></collision></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )
    for read in (psmp.Scene, psmp.Arm):
        path = scene if read is psmp.Scene else robot
        with pytest.raises(OSError, match="allow_paths"):
            read(path)
        read(path, allow_paths=[other])


def test_nothing_in_a_scene_is_meant_or_a_mistake(tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text("")
    with pytest.raises(OSError, match="nothing in this scene"):
        psmp.Scene(scene)
    assert psmp.Scene(scene, empty=True).objects == []
    cloud = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\nnan nan nan\n"
    (tmp_path / "cloud.pcd").write_text(cloud)
    scene.write_text('[[object]]\nname = "seen"\npoints = { file = "cloud.pcd", radius = 0.01 }\n')
    with pytest.warns(UserWarning, match="`seen`"):
        assert psmp.Scene(scene).objects == ["seen"]


def test_an_arm_needs_a_sphere():
    with pytest.raises(ValueError, match="spheres"):
        psmp.Arm("planar-3", spheres=0)


def test_inverse_kinematics(arm):
    ur5 = psmp.Arm("ur5-like")
    home = ur5.configuration("home")
    pose = ur5.pose(home)
    found = ur5.inverse(pose, near="home")
    assert found.shape[1] == 6 and 2 <= len(found) <= 8
    assert np.allclose(found[0], home, atol=1e-4)
    assert np.allclose(ur5.pose(found), pose, atol=1e-5)
    assert np.array_equal(found, ur5.inverse(pose, near=home))
    assert len(ur5.inverse(pose, near=home, solutions=1)) == 1
    # A position alone, a position and a quaternion, and with room.
    at = ur5.inverse(pose[:3, 3])
    assert np.allclose(ur5.pose(at)[:, :3, 3], pose[:3, 3], atol=1e-5)
    upright = ur5.inverse([0.3, 0.2, 0.5, 0, 0, 0, 1], tolerance=(0.01, 0.1))
    off = ur5.pose(upright)[:, :3, 3] - [0.3, 0.2, 0.5]
    assert (np.linalg.norm(off, axis=1) <= 0.01 + 1e-6).all()
    with pytest.raises(ValueError, match=r"pose: no configuration was found.* misses by 4\..* m"):
        arm.inverse([5, 0, 0])
    with pytest.raises(ValueError, match="has no link `hand`.*link1"):
        arm.inverse([0.3, 0.3, 0], "hand")
    with pytest.raises(ValueError, match="length 0.7071"):
        arm.inverse([0.3, 0.3, 0, 0, 0, 0.5, 0.5])
    with pytest.raises(ValueError, match="no rotation"):
        arm.inverse(np.ones((4, 4)))
    with pytest.raises(ValueError, match=r"\(4, 4\), \(7,\) or \(3,\)"):
        arm.inverse([0.3, 0.3])
    with pytest.raises(ValueError, match="negative"):
        arm.inverse([0.3, 0.3, 0], tolerance=(-1, 0))


def test_named_ends_and_any_of_several_goals(arm, scene, prm, folder):
    check = arm.checker(scene)
    goal = dict(zip(arm.joints, GOAL, strict=True))
    plain = psmp.plan(prm, START, GOAL, fixed_roadmap=True, seed=0, check=check).finish()
    named = psmp.plan(prm, dict(zip(arm.joints, START, strict=True)), goal, fixed_roadmap=True, seed=0, check=check).finish()
    assert np.array_equal(plain.path, named.path)
    goals = arm.inverse(arm.pose(GOAL, "link3"), "link3", near=START, seed=3)
    assert len(goals) >= 2
    together = psmp.plan(prm, START, goals, fixed_roadmap=True, seed=0, check=check).finish()
    end = together.path[-1]
    assert np.isclose(goals, end).all(axis=1).any()
    assert np.allclose(arm.pose(end, "link3"), arm.pose(GOAL, "link3"), atol=1e-5)
    free = goals[np.asarray(check(goals))]
    alone = [psmp.plan(prm, START, q, fixed_roadmap=True, seed=0, check=check).finish().length for q in free]
    assert together.length <= min(length for length in alone if length is not None) + 1e-9
    tree = psmp.plan_without_roadmap(arm.space, START, goals, check=check).finish()
    assert np.isclose(goals, tree.path[-1]).all(axis=1).any()
    # A function knows no names, and home is at the post.
    with pytest.raises(ValueError, match="goal is in collision.*`post`"):
        psmp.plan(prm, START, "home", check=check)
    with pytest.raises(KeyError, match="no state `away`; it has home"):
        psmp.plan(prm, START, "away", check=check)
    with pytest.raises(TypeError, match="goal must be an array"):
        psmp.plan(prm, START, "home", check=lambda q: True)
    with pytest.raises(ValueError, match="none of the 2 goals"):
        psmp.plan(prm, START, np.zeros((2, 3)), check=check)


def test_a_request_for_a_pose(arm, scene, prm, folder):
    text = request_text(START, GOAL).split("goal_constraints")[0]
    text += """goal_constraints:
  - position_constraints:
      - link_name: link3
        constraint_region:
          primitives: [{type: sphere, dimensions: [0.02]}]
          primitive_poses: [{position: [0.3, 0.4, 0]}]
"""
    (folder / "pose.yaml").write_text(text)
    request = psmp.Request(folder / "pose.yaml")
    with pytest.raises(ValueError, match="arm.goals"):
        request.goal
    goals = arm.goals(request)
    off = arm.pose(goals, "link3")[:, :3, 3] - [0.3, 0.4, 0]
    assert (np.linalg.norm(off, axis=1) <= 0.02 + 1e-6).all()
    run = psmp.plan(prm, request.start, goals, fixed_roadmap=True, seed=0, check=arm.checker(scene))
    assert run.finish().path is not None
    assert np.array_equal(arm.goals(psmp.Request(folder / "over.yaml")), [GOAL])
