"""Pinocchio and coal as judges of what psmp says: somebody else's kinematics, shapes and collision checks.

A `Judge` is the robot of a URDF, with its meshes, among what a MoveIt scene has. It shares no code with psmp: files
are read here once more. Needs pin, coal, numpy and pyyaml.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import coal
import numpy as np
import numpy.typing as npt
import pinocchio as pin
import yaml

ROOT = Path(__file__).resolve().parents[2]


def published() -> Path:
    """The robots and problems of MotionBenchMaker in the published data."""
    return Path(os.environ.get("PSMP_DATA", ROOT.parent / "shared" / "data")).resolve() / "motion_bench_maker"


def read(path: Path) -> Any:
    return yaml.load(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@dataclass(frozen=True)
class Contact:
    """Two things that touch, and how far one of them must be moved, in metres, to part them."""

    depth: float
    one: str
    other: str

    def __str__(self) -> str:
        return f"{1e3 * self.depth:.3f} mm, {self.one} and {self.other}"


class Judge:
    """The arm among the obstacles of a problem, with the joints that are not planned for held still."""

    def __init__(self, folder: Path, problems: Path, number: int, joints: list[str]) -> None:
        scene, request = (read(problems / f"{kind}{number:04}.yaml") for kind in ("scene", "request"))
        model, geometry = robot(folder)
        held = pin.neutral(model)
        for state in (scene["robot_state"]["joint_state"], request["start_state"]["joint_state"]):
            for name, value in zip(state["name"], state["position"], strict=True):
                if model.existJointName(name) and model.joints[model.getJointId(name)].nq == 1:
                    held[model.joints[model.getJointId(name)].idx_q] = value
        locked = [number for number, name in enumerate(model.names) if number > 0 and name not in joints]
        self.model, self.geometry = pin.buildReducedModel(model, geometry, locked, held)
        self.order = [self.model.joints[self.model.getJointId(name)].idx_q for name in joints]
        self.limits = self.model.lowerPositionLimit[self.order], self.model.upperPositionLimit[self.order]
        start = dict(zip(*(request["start_state"]["joint_state"][key] for key in ("name", "position")), strict=True))
        goal = {given["joint_name"]: given["position"] for given in request["goal_constraints"][0]["joint_constraints"]}
        self.start, self.goal = (np.array([end[name] for name in joints], dtype=float) for end in (start, goal))
        self.names = [self.model.frames[link.parentFrame].name for link in self.geometry.geometryObjects]
        self._choose_pairs(scene, str(folder / f"{folder.name}.srdf"))
        self.q = pin.neutral(self.model)
        self.data, self.contacts = self.model.createData(), self.geometry.createData()

    def _choose_pairs(self, scene: dict[str, Any], srdf: str) -> None:
        """Adds what the scene has, and says what must not touch what."""
        self.geometry.addAllCollisionPairs()
        pin.removeCollisionPairs(self.model, self.geometry, srdf)
        parted = {(pair.first, pair.second) for pair in self.geometry.collisionPairs}
        self.geometry.removeAllCollisionPairs()
        links = len(self.names)
        may_touch: dict[int, set[str]] = {}
        for given in scene["robot_state"].get("attached_collision_objects") or []:
            frame = self.model.getFrameId(given["link_name"])
            for added in self._add(given["object"], frame):
                may_touch[added] = {given["link_name"], *(given.get("touch_links") or [])}
        bodies = len(self.names)
        for thing in scene["world"]["collision_objects"]:
            self._add(thing, 0)
        allowed = matrix(scene.get("allowed_collision_matrix") or {})
        joints = [thing.parentJoint for thing in self.geometry.geometryObjects]
        for one in range(bodies):
            for other in range(one + 1, len(self.names)):
                if other < links:
                    unsaid = (one, other) not in parted
                else:
                    unsaid = self.names[one] in may_touch.get(other, ())
                if joints[one] != joints[other] and not allowed.get((self.names[one], self.names[other]), unsaid):
                    self.geometry.addCollisionPair(pin.CollisionPair(one, other))

    def _add(self, thing: dict[str, Any], frame: int) -> list[int]:
        """Adds a thing of a scene, fixed to a frame; gives the numbers of its shapes."""
        at = self.model.frames[frame]
        whole = at.placement * pose(thing.get("pose") or {})
        given = zip(thing.get("primitives") or [], thing.get("primitive_poses") or [], strict=True)
        meshes = zip(thing.get("meshes") or [], thing.get("mesh_poses") or [], strict=True)
        if unknown := {"planes", "type"} & thing.keys():
            raise ValueError(f"{thing['id']}: no shapes are made here of {', '.join(unknown)}")
        shapes = [(primitive(shape), place) for shape, place in given] + [(described(shape), place) for shape, place in meshes]
        added = []
        for shape, place in shapes:
            made = pin.GeometryObject(thing["id"], at.parentJoint, frame, whole * pose(place), shape)
            made.name = f"{thing['id']}/{len(self.names)}"
            added.append(self.geometry.addGeometryObject(made))
            self.names.append(thing["id"])
        return added

    def touches(self, q: npt.ArrayLike, *, all_pairs: bool = False) -> bool:
        """Whether anything touches what it must not in a configuration; the first contact will do, or all are found."""
        self.q[self.order] = q
        at = (self.model, self.data, self.geometry, self.contacts, self.q)
        return bool(pin.computeCollisions(*at, not all_pairs))

    def deepest(self, q: npt.ArrayLike) -> Contact | None:
        """What lies deepest in what in a configuration, if anything touches."""
        if not self.touches(q):
            return None
        self.touches(q, all_pairs=True)
        pairs = zip(self.geometry.collisionPairs, self.contacts.collisionResults, strict=True)
        touching = [(pair.first, pair.second) for pair, found in pairs if found.isCollision()]
        return max((self._contact(one, other) for one, other in touching), key=lambda contact: contact.depth)

    def _contact(self, one: int, other: int) -> Contact:
        things = [self.geometry.geometryObjects[number] for number in (one, other)]
        shapes = [thing.geometry for thing in things]
        # Triangles of two meshes have no depth in each other. That of their hulls is no less than the true one.
        if all(isinstance(shape, coal.BVHModelBase) for shape in shapes):
            shapes = [hull(shape) for shape in shapes]
        places = [self.contacts.oMg[number] for number in (one, other)]
        request, found = coal.CollisionRequest(), coal.CollisionResult()
        request.enable_contact, request.num_max_contacts = True, 1_000_000
        first, second = (coal.Transform3s(place.rotation, place.translation) for place in places)
        coal.collide(shapes[0], first, shapes[1], second, request, found)
        depth = max((-contact.penetration_depth for contact in found.getContacts()), default=0.0)
        return Contact(max(depth, 0.0), self.names[one], self.names[other])


@cache
def robot(folder: Path) -> tuple[pin.Model, pin.GeometryModel]:
    urdf = str(folder / f"{folder.name}.urdf")
    model = pin.buildModelFromUrdf(urdf)
    # Some meshes are named from the folder on.
    before = Path.cwd()
    os.chdir(folder)
    try:
        geometry = pin.buildGeomFromUrdf(model, urdf, pin.COLLISION, package_dirs=[str(folder)])
    finally:
        os.chdir(before)
    # Of a file with several materials pinocchio mixes up which triangle has which corners.
    for link in geometry.geometryObjects:
        if link.meshPath.endswith(".obj"):
            corners, triangles = read_obj(Path(link.meshPath))
            link.geometry = mesh(corners * link.meshScale, triangles)
    return model, geometry


def read_obj(path: Path) -> tuple[npt.NDArray[np.float64], list[list[int]]]:
    """The corners and triangles of a Wavefront file."""
    lines = [line.split() for line in path.read_text().splitlines()]
    corners = np.array([line[1:4] for line in lines if line[:1] == ["v"]], dtype=float)
    faces = [[int(corner.split("/")[0]) - 1 for corner in line[1:]] for line in lines if line[:1] == ["f"]]
    return corners, [[face[0], *face[i : i + 2]] for face in faces for i in range(1, len(face) - 1)]


def pose(given: dict[str, Any]) -> pin.SE3:
    position, orientation = given.get("position", (0, 0, 0)), given.get("orientation", (0, 0, 0, 1))
    return pin.XYZQUATToSE3(np.array([*position, *orientation], dtype=float))


def primitive(given: dict[str, Any]) -> Any:
    size = given["dimensions"]
    match given["type"]:
        case "box":
            return coal.Box(*size)
        case "sphere":
            return coal.Sphere(size[0])
        case "cylinder":
            return coal.Cylinder(size[1], size[0])
    raise ValueError(f"no shape is made here of a {given['type']}")


def described(given: dict[str, Any]) -> Any:
    corners = np.array(given["vertices"], dtype=float)
    return mesh(corners, [triangle["vertex_indices"] for triangle in given["triangles"]])


def mesh(corners: npt.NDArray[np.float64], triangles: list[list[int]]) -> Any:
    made = coal.BVHModelOBBRSS()
    made.beginModel(len(triangles), 3 * len(triangles))
    for triangle in triangles:
        made.addTriangle(*corners[triangle])
    made.endModel()
    return made


def hull(shape: Any) -> Any:
    shape.buildConvexHull(True, "Qt")
    return shape.convex


def matrix(given: dict[str, Any]) -> dict[tuple[str, str], bool]:
    """What an allowed collision matrix says of two names."""
    names, rows = given.get("entry_names", []), given.get("entry_values", [])
    return {(a, b): value for a, row in zip(names, rows, strict=True) for b, value in zip(names, row, strict=True)}
