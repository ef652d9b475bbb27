"""Plans for a Franka Panda in a scene of MotionBenchMaker, with pinocchio and coal as the checker.

    python examples/python/panda.py PANDA_FOLDER [--set table_under_pick] [--problem 2]

The folder holds `panda.urdf`, `panda.srdf`, `meshes/` and `problems/`. Needs pin, coal and pyyaml.
"""

import argparse
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin
import yaml

import psmp


class Panda:
    """The arm among the obstacles of a scene."""

    def __init__(self, folder: Path, scene: dict) -> None:
        # Mesh names begin with `package://meshes/`, so that the folder is where packages are.
        urdf = str(folder / "panda.urdf")
        self.model = pin.buildModelFromUrdf(urdf)
        self.geometry = pin.buildGeomFromUrdf(self.model, urdf, pin.COLLISION, package_dirs=[str(folder)])
        links = len(self.geometry.geometryObjects)
        self.geometry.addAllCollisionPairs()
        pin.removeCollisionPairs(self.model, self.geometry, str(folder / "panda.srdf"))
        for thing in scene["world"]["collision_objects"]:
            whole = pose(thing["pose"]) if "pose" in thing else pin.SE3.Identity()
            for shape, place in zip(thing["primitives"], thing["primitive_poses"], strict=True):
                size = shape["dimensions"]
                solid = coal.Box(*size) if shape["type"] == "box" else coal.Cylinder(size[1], size[0])
                obstacle = pin.GeometryObject(thing["id"], 0, whole * pose(place), solid)
                number = self.geometry.addGeometryObject(obstacle)
                # The base stands still, so only links that move can meet an obstacle.
                for link in range(links):
                    if self.geometry.geometryObjects[link].parentJoint > 0:
                        self.geometry.addCollisionPair(pin.CollisionPair(link, number))
        self.data, self.contacts = self.model.createData(), self.geometry.createData()

    def is_free(self, q: np.ndarray) -> bool:
        """The whole checker."""
        return not pin.computeCollisions(self.model, self.data, self.geometry, self.contacts, q, True)


def pose(given: dict) -> pin.SE3:
    return pin.XYZQUATToSE3(np.array([*given["position"], *given["orientation"]]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", default="table_under_pick")
    parser.add_argument("--problem", type=int, default=2)
    arguments = parser.parse_args()
    problems = arguments.folder / "problems" / arguments.set
    scene, request = (
        yaml.load((problems / f"{kind}{arguments.problem:04}.yaml").read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        for kind in ("scene", "request")
    )
    start = np.array(request["start_state"]["joint_state"]["position"][:7], dtype=float)
    goal = np.array([joint["position"] for joint in request["goal_constraints"][0]["joint_constraints"]])

    panda = Panda(arguments.folder, scene)
    for name, q in (("start", start), ("goal", goal)):
        if not panda.is_free(q):
            raise SystemExit(f"the {name} is in collision")
    bounds = np.column_stack([panda.model.lowerPositionLimit, panda.model.upperPositionLimit])
    roadmap = psmp.Roadmap.halton(bounds, 2000, nearest=12)
    run = psmp.plan(
        roadmap, start, goal, check=panda.is_free, resolution=0.05, stop=psmp.gap(0.1) | psmp.checks(20_000)
    )
    for event in run:
        if event.kind == "improved":
            print(f"{event.configurations:6} configurations: {event.length:.3f} rad, at most {event.gap_over_straight_line:.0%} over the straight line")
    result = run.result()
    print(result)
    if result.path is None:
        raise SystemExit("no path was found")
    print(np.array_str(result.path, precision=2, suppress_small=True))


if __name__ == "__main__":
    main()
