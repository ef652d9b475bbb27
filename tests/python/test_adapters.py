"""Models of other libraries as spaces and checkers, with the libraries themselves."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import psmp
import pytest
from psmp import adapters

ARM = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 0.1"/>
    <body pos="1.5 1.5 0.05"><freejoint/><geom name="cube" type="box" size="0.05 0.05 0.05"/></body>
    <geom name="post" type="box" size="0.05 0.05 0.3" pos="0.7 0 0.3"/>
    <body name="upper" pos="0 0 0.3">
      <joint name="turn" axis="0 0 1"/>
      <geom type="capsule" size="0.03" fromto="0.1 0 0 0.4 0 0"/>
      <body name="lower" pos="0.45 0 0">
        <joint name="bend" axis="0 0 1" range="-150 150" limited="true"/>
        <geom type="capsule" size="0.03" fromto="0.1 0 0 0.4 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def test_mujoco():
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(ARM)
    space, check = adapters.mujoco(model)
    assert space.wraps.tolist() == [True, False] and np.allclose(space.bounds[1], np.radians([-150, 150]))
    # The cube lies on the floor, which is no fault of the arm's; the post is in its way.
    assert check(np.array([1.0, 0.0])) and not check(np.array([0.0, 0.0]))
    roadmap = psmp.Roadmap.halton(space, 200, nearest=10)
    ends = (-0.6, 0.1), (0.6, 0.1)
    result = psmp.plan(roadmap, *ends, check=check, resolution=0.05, seed=0, stop=psmp.checks(2000)).finish()
    assert result.path is not None and all(check(q) for q in result.path)
    sent = pickle.loads(pickle.dumps(check))
    asked = np.random.default_rng(0).uniform(space.bounds[:, 0], space.bounds[:, 1], (50, 2))
    answers = [check(q) for q in asked]
    assert [sent(q) for q in asked] == answers and {True, False} == set(answers)
    told = [None] * 4
    threads = [threading.Thread(target=lambda i=i: told.__setitem__(i, [check(q) for q in asked])) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [answers] * 4
    one, _ = adapters.mujoco(model, ["bend"])
    assert one.dimension == 1
    with pytest.raises(ValueError, match="state must have shape"):
        adapters.mujoco(model, state=[0, 0])
    with pytest.raises(ValueError, match="no hinge"):
        adapters.mujoco(mujoco.MjModel.from_xml_string("<mujoco/>"))


def test_pinocchio_and_coal():
    pin, coal = pytest.importorskip("pinocchio"), pytest.importorskip("coal")
    model, geometry = pin.Model(), pin.GeometryModel()
    parent = 0
    for number, place in enumerate((0.0, 0.45)):
        at = pin.SE3(np.eye(3), np.array([place, 0.0, 0.0]))
        parent = model.addJoint(parent, pin.JointModelRZ(), at, f"joint{number}")
        model.lowerPositionLimit[number], model.upperPositionLimit[number] = -2.5, 2.5
        along = pin.SE3(pin.rpy.rpyToMatrix(0, np.pi / 2, 0), np.array([0.25, 0.0, 0.0]))
        geometry.addGeometryObject(pin.GeometryObject(f"link{number}", parent, along, coal.Capsule(0.03, 0.3)))
    with pytest.raises(ValueError, match="no collision pairs"):
        adapters.pinocchio(model, geometry)
    alone = geometry.copy()
    at = pin.SE3(np.eye(3), np.array([0.7, 0.0, 0.0]))
    post = geometry.addGeometryObject(pin.GeometryObject("post", 0, at, coal.Box(0.1, 0.1, 0.6)))
    for link in range(2):
        geometry.addCollisionPair(pin.CollisionPair(link, post))
    space, check = adapters.pinocchio(model, geometry)
    _, same = adapters.pinocchio(model, alone, {"post": (coal.Box(0.1, 0.1, 0.6), at)})
    asked = np.random.default_rng(0).uniform(-2.5, 2.5, (200, 2))
    assert [same(q) for q in asked] == [check(q) for q in asked] and alone.ngeoms == 2 and not alone.collisionPairs
    assert check(np.array([1.0, 0.0])) and not check(np.array([0.0, 0.0]))
    roadmap = psmp.Roadmap.halton(space, 200, nearest=10)
    ends = (-0.6, 0.1), (0.6, 0.1)
    result = psmp.plan(roadmap, *ends, check=check, resolution=0.05, seed=0, stop=psmp.checks(2000)).finish()
    assert result.path is not None and all(check(q) for q in result.path)


URDF = """
<robot name="arm">
  <link name="base"/>
  <link name="upper">{limb}</link>
  <link name="lower">{limb}</link>
  <link name="tip"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="bend" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0.45 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-2.6" upper="2.6" effort="1" velocity="1"/>
  </joint>
  <joint name="end" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="0.45 0 0"/></joint>
</robot>
""".format(
    limb='<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    '<collision><origin xyz="0.25 0 0"/><geometry><box size="0.3 0.06 0.06"/></geometry></collision>'
)


def is_right(space, check):
    """The arm of the URDF beside a post, by either library."""
    assert space.wraps.tolist() == [True, False] and np.allclose(space.bounds[1], [-2.6, 2.6])
    # The post is in the way of the arm, and of its tip, which no planned joint moves by itself.
    free, hit, tip = np.array([1.0, 0.0]), np.array([0.0, 0.0]), np.array([0.07, 0.0])
    assert check(free) and not check(hit) and not check(tip)
    roadmap = psmp.Roadmap.halton(space, 200, nearest=10)
    ends = (-0.6, 0.1), (0.6, 0.1)
    result = psmp.plan(roadmap, *ends, check=check, axis_resolution=0.05, seed=0, stop=psmp.checks(2000)).finish()
    assert result.path is not None and all(check(q) for q in result.path)
    # Round the back, where the first joint has no limits, no step is larger than was asked for.
    asked = []
    told = lambda q: bool(asked.append(tuple(q)) or check(q))  # noqa: E731
    motion = psmp.plan(roadmap, (3.0, 0.1), (-3.0, 0.1), check=told, axis_resolution=0.05, seed=0).finish()
    assert motion.ending == "straight-line" and len(set(asked)) == np.ceil((2 * np.pi - 6) / 0.05) + 1


def test_pybullet(tmp_path):
    p = pytest.importorskip("pybullet")
    (tmp_path / "arm.urdf").write_text(URDF)
    client = p.connect(p.DIRECT)
    try:
        body = p.loadURDF(str(tmp_path / "arm.urdf"), useFixedBase=True, physicsClientId=client)
        post = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.05, 0.05, 0.3], physicsClientId=client)
        p.createMultiBody(0, post, basePosition=[0.88, 0, 0], physicsClientId=client)
        # Two things in each other are no fault of the arm's.
        for _ in range(2):
            p.createMultiBody(1, post, basePosition=[3, 3, 0], physicsClientId=client)
        is_right(*adapters.pybullet(body, client=client))
        one, _ = adapters.pybullet(body, ["bend"], client=client)
        assert one.dimension == 1
        with pytest.raises(ValueError, match="no joint `knee`; it has turn, bend, end"):
            adapters.pybullet(body, ["knee"], client=client)
        with pytest.raises(ValueError, match="neither turns nor slides"):
            adapters.pybullet(body, ["end"], client=client)
    finally:
        p.disconnect(client)


def test_drake(tmp_path):
    planning = pytest.importorskip("pydrake.planning")
    from pydrake.geometry import Box
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import CoulombFriction

    builder = planning.RobotDiagramBuilder()
    plant = builder.plant()
    builder.parser().AddModelsFromString(URDF, "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    at = RigidTransform([0.88, 0.0, 0.0])
    plant.RegisterCollisionGeometry(plant.world_body(), at, Box(0.1, 0.1, 0.6), "post", CoulombFriction(1.0, 1.0))
    plant.Finalize()
    diagram = builder.Build()
    space, check = adapters.drake(diagram)
    is_right(space, check)
    asked = np.random.default_rng(0).uniform(-0.5, 0.5, (50, 2))
    answers = [check(q) for q in asked]
    told = [None] * 2
    threads = [threading.Thread(target=lambda i=i: told.__setitem__(i, [check(q) for q in asked])) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [answers] * 2 and {True, False} == set(answers)
    # With the first joint turned away the other alone never meets the post.
    one, away = adapters.drake(diagram, ["bend"], state=[2.5, 0.0])
    assert one.dimension == 1 and away(np.array([0.0]))
    with pytest.raises(ValueError, match="state must have shape"):
        adapters.drake(diagram, state=[0.0])
