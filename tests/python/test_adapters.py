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
    at = pin.SE3(np.eye(3), np.array([0.7, 0.0, 0.0]))
    post = geometry.addGeometryObject(pin.GeometryObject("post", 0, at, coal.Box(0.1, 0.1, 0.6)))
    for link in range(2):
        geometry.addCollisionPair(pin.CollisionPair(link, post))
    space, check = adapters.pinocchio(model, geometry)
    assert check(np.array([1.0, 0.0])) and not check(np.array([0.0, 0.0]))
    roadmap = psmp.Roadmap.halton(space, 200, nearest=10)
    ends = (-0.6, 0.1), (0.6, 0.1)
    result = psmp.plan(roadmap, *ends, check=check, resolution=0.05, seed=0, stop=psmp.checks(2000)).finish()
    assert result.path is not None and all(check(q) for q in result.path)
