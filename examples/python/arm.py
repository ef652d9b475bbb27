"""Plans for a robot arm with psmp's own checker: from a URDF and a scene to a trajectory.

    python examples/python/arm.py
    python examples/python/arm.py --robot panda.urdf --srdf panda.srdf --scene scene0001.yaml --request request0001.yaml

Without a robot, a shipped arm that is like a Panda reaches over the wall of `table.toml`. Needs numpy alone.
"""

import argparse
from pathlib import Path

import numpy as np

import psmp

START, GOAL = (0.7, 0.4, 0.0, -2.0, 0.0, 2.2, 0.8), (-0.7, 0.4, 0.0, -1.7, 0.0, 2.2, 0.8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="panda-like")
    parser.add_argument("--srdf")
    parser.add_argument("--scene", type=Path, default=Path(__file__).with_name("table.toml"))
    parser.add_argument("--request")
    parser.add_argument("--vertices", type=int, default=2000)
    arguments = parser.parse_args()

    scene = psmp.Scene(arguments.scene)
    if arguments.request:
        request = psmp.Request(arguments.request)
        arm = psmp.Arm(arguments.robot, srdf=arguments.srdf, group=request.group)
        start, goal = arm.configuration(request.start), arm.configuration(request.goal)
        check = arm.checker(scene, state=request.start)
    else:
        arm = psmp.Arm(arguments.robot, srdf=arguments.srdf)
        start, goal = np.array(START), np.array(GOAL)
        check = arm.checker(scene)
    print(arm, scene)

    # A roadmap is made once for an arm and serves in all scenes.
    roadmap = arm.roadmap(arguments.vertices)
    run = psmp.plan(roadmap, start, goal, check=check, stop=psmp.gap(0.1) | psmp.checks(20_000) | psmp.seconds(60))
    for event in run:
        if event.kind == "improved":
            print(f"{event.configurations:6} configurations: length {event.length:.3f}, at most {event.gap_over_straight_line:.0%} over the straight line")
    if run.path is None:
        raise SystemExit("no path was found")

    trajectory = arm.trajectory(run.path)
    tool = arm.pose(trajectory.positions)[:, :3, 3]
    print(f"{trajectory.duration:.1f} s, the tool rises to {tool[:, 2].max():.2f} m")


if __name__ == "__main__":
    main()
