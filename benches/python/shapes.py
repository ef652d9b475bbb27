"""How long a configuration takes by the true shapes, and by pinocchio and coal beside it; and whether they agree.

    python benches/python/shapes.py

Needs pin, coal, numpy, pyyaml, cargo, and the published data that PSMP_DATA names. In every problem of a set
configurations drawn over all of joint space, and those along the straight motion from start to goal, are
checked by `RefinedWorld` (the example `shape_verdicts`), and then by coal, one at a time on one core. Links whose
meshes are convex are solid here and surfaces there, so that coal calls free what is wholly within such a link.
Exits with 1 if a configuration takes longer than a limit on average, or if a verdict is "free" where coal's is
not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as pin
import yaml

ROOT = Path(__file__).resolve().parents[2]
# A robot, a set of problems, and the most microseconds that a configuration may take.
SETS = (("panda", "cage", 10.0), ("ur5", "table_pick", 60.0))


def read(path: Path) -> Any:
    return yaml.load(path.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def pose(given: dict[str, Any]) -> pin.SE3:
    return pin.XYZQUATToSE3(np.array([*given["position"], *given["orientation"]], dtype=float))


class Scene:
    """The arm among the obstacles of a problem, with the joints that are not planned for held still."""

    def __init__(self, folder: Path, problems: Path, number: int, joints: list[str]) -> None:
        urdf = str(folder / f"{folder.name}.urdf")
        model = pin.buildModelFromUrdf(urdf)
        geometry = pin.buildGeomFromUrdf(model, urdf, pin.COLLISION, package_dirs=[str(folder)])
        scene, request = (read(problems / f"{kind}{number:04}.yaml") for kind in ("scene", "request"))
        held = pin.neutral(model)
        for state in (scene["robot_state"]["joint_state"], request["start_state"]["joint_state"]):
            for name, value in zip(state["name"], state["position"], strict=True):
                if model.existJointName(name) and model.joints[model.getJointId(name)].nq == 1:
                    held[model.joints[model.getJointId(name)].idx_q] = value
        locked = [number for number, name in enumerate(model.names) if number > 0 and name not in joints]
        self.model, self.geometry = pin.buildReducedModel(model, geometry, locked, held)
        self.order = [self.model.joints[self.model.getJointId(name)].idx_q for name in joints]
        allowed = matrix(scene.get("allowed_collision_matrix") or {})
        self.geometry.addAllCollisionPairs()
        pin.removeCollisionPairs(self.model, self.geometry, str(folder / f"{folder.name}.srdf"))
        known = {(pair.first, pair.second) for pair in self.geometry.collisionPairs}
        self.geometry.removeAllCollisionPairs()
        links = list(self.geometry.geometryObjects)
        names = [self.model.frames[link.parentFrame].name for link in links]
        for one in range(len(links)):
            for other in range(one + 1, len(links)):
                checked = not allowed.get((names[one], names[other]), (one, other) not in known)
                if checked and links[one].parentJoint != links[other].parentJoint:
                    self.geometry.addCollisionPair(pin.CollisionPair(one, other))
        for thing in scene["world"]["collision_objects"]:
            whole = pose(thing["pose"]) if "pose" in thing else pin.SE3.Identity()
            for shape, place in zip(thing["primitives"], thing["primitive_poses"], strict=True):
                size = shape["dimensions"]
                solid = coal.Box(*size) if shape["type"] == "box" else coal.Cylinder(size[1], size[0])
                obstacle = pin.GeometryObject(thing["id"], 0, whole * pose(place), solid)
                added = self.geometry.addGeometryObject(obstacle)
                for link, name in enumerate(names):
                    if links[link].parentJoint > 0 and not allowed.get((name, thing["id"]), False):
                        self.geometry.addCollisionPair(pin.CollisionPair(link, added))
        self.data, self.contacts = self.model.createData(), self.geometry.createData()

    def free(self, configurations: list[list[float]]) -> tuple[list[bool], float]:
        """Which are free, and how many seconds that takes."""
        found = []
        q = pin.neutral(self.model)
        started = time.perf_counter()
        for configuration in configurations:
            q[self.order] = configuration
            found.append(not pin.computeCollisions(self.model, self.data, self.geometry, self.contacts, q, True))
        return found, time.perf_counter() - started


def matrix(given: dict[str, Any]) -> dict[tuple[str, str], bool]:
    """What an allowed collision matrix says of two names."""
    names, rows = given.get("entry_names", []), given.get("entry_values", [])
    return {(a, b): value for a, row in zip(names, rows, strict=True) for b, value in zip(names, row, strict=True)}


def main() -> None:
    data = Path(os.environ.get("PSMP_DATA", ROOT.parent / "shared" / "data")).resolve() / "motion_bench_maker"
    good = True
    print(f"{'robot':6} {'set':11} {'kind':6} {'configurations':>14} {'free':>5} {'us':>7} {'coal us':>8} {'ratio':>6} {'only we':>8} {'only coal':>9}")
    for robot, name, limit in SETS:
        folder = data / robot
        example = ["cargo", "run", "--quiet", "--release", "-p", "psmp-arm", "--example", "shape_verdicts", "--"]
        said = subprocess.run([*example, str(folder), name], cwd=ROOT, check=True, capture_output=True).stdout
        problems = json.loads(said)
        # Some meshes are named from the folder on.
        os.chdir(folder)
        scenes = [Scene(folder, folder / "problems" / name, p["number"], p["joints"]) for p in problems]
        for kind in ("drawn", "along"):
            count, ours, theirs, free, only_we, only_coal = 0, 0.0, 0.0, 0, 0, 0
            for problem, scene in zip(problems, scenes, strict=True):
                checked = problem[kind]
                found, seconds = scene.free(checked["configurations"])
                count += len(found)
                ours += checked["nanoseconds"] * len(found) / 1e3
                theirs += seconds * 1e6
                for we, coal_does in zip(checked["free"], found, strict=True):
                    free += we
                    only_we += we and not coal_does
                    only_coal += coal_does and not we
            print(
                f"{robot:6} {name:11} {kind:6} {count:14} {free / count:5.0%} {ours / count:7.2f} {theirs / count:8.1f} "
                f"{theirs / ours:6.1f} {only_we:8} {only_coal:9}"
            )
            good = good and ours / count <= limit and only_we == 0
    if not good:
        sys.exit("error: a configuration takes too long, or is called free where coal finds a collision")


if __name__ == "__main__":
    main()
