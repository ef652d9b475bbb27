"""Plans for an arm of five joints among posts, with MuJoCo as the checker.

    python examples/python/mujoco_arm.py

The arm is described below in MJCF. Needs mujoco.
"""

import mujoco
import numpy as np

import psmp

ARM = """
<mujoco>
  <compiler angle="degree"/>
  <default>
    <joint limited="true"/>
    <geom type="capsule" size="0.04" rgba="0.2 0.4 0.8 1"/>
    <default class="obstacle"><geom rgba="0.6 0.3 0.2 1"/></default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 0.1"/>
    <geom class="obstacle" type="box" size="0.06 0.06 0.5" pos="0.55 0.0 0.5"/>
    <geom class="obstacle" type="box" size="0.06 0.06 0.5" pos="-0.3 0.5 0.5"/>
    <geom class="obstacle" type="box" size="0.25 0.25 0.02" pos="0.35 0.6 0.45"/>
    <body name="base" pos="0 0 0.12">
      <joint name="turn" axis="0 0 1" range="-170 170"/>
      <geom fromto="0 0 0 0 0 0.2"/>
      <body name="upper" pos="0 0 0.2">
        <joint name="shoulder" axis="0 1 0" range="-100 100"/>
        <geom fromto="0 0 0.1 0 0 0.4"/>
        <body name="lower" pos="0 0 0.4">
          <joint name="elbow" axis="0 1 0" range="-140 140"/>
          <geom fromto="0 0 0.1 0 0 0.35"/>
          <body name="wrist" pos="0 0 0.35">
            <joint name="roll" axis="0 0 1" range="-170 170"/>
            <joint name="bend" axis="0 1 0" range="-110 110"/>
            <geom fromto="0 0 0.1 0 0 0.2" size="0.03"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def main() -> None:
    model = mujoco.MjModel.from_xml_string(ARM)
    space, is_free = psmp.adapters.mujoco(model)
    start = np.radians([60, 60, 30, 0, 0])  # on one side of a post
    goal = np.radians([-60, 60, 30, 0, 0])  # on the other
    assert is_free(start) and is_free(goal)
    roadmap = psmp.Roadmap.halton(space, 1500, nearest=12)
    run = psmp.plan(roadmap, start, goal, check=is_free, resolution=0.05, stop=psmp.gap(0.05) | psmp.checks(30_000))
    for event in run:
        if event.kind == "improved":
            print(f"{event.configurations:6} configurations: {event.length:.3f} rad, at most {event.gap_over_straight_line:.0%} over the straight line")
    result = run.result()
    print(result)
    if result.path is None:
        raise SystemExit("no path was found")
    print(np.array_str(np.degrees(result.path), precision=0, suppress_small=True))


if __name__ == "__main__":
    main()
