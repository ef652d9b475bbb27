"""Prints where pinocchio puts the links of a robot.

Reads one configuration a line from standard input, joints in the order of the names given, and
prints for each link that pinocchio knows: the line's number, the link's name, the rotation by rows
and the translation.

    python3 link_poses.py panda.urdf panda_joint1 panda_joint2 ... < configurations
"""

import sys

import numpy as np
import pinocchio

urdf, names = sys.argv[1], sys.argv[2:]
model = pinocchio.buildModelFromUrdf(urdf)
data = model.createData()
places = [model.joints[model.getJointId(name)].idx_q for name in names]
for number, line in enumerate(sys.stdin):
    q = pinocchio.neutral(model)
    for place, word in zip(places, line.split(), strict=True):
        q[place] = float(word)
    pinocchio.framesForwardKinematics(model, data, q)
    for frame, pose in zip(model.frames, data.oMf):
        if frame.type == pinocchio.FrameType.BODY:
            values = np.concatenate([pose.rotation.flatten(), pose.translation])
            print(number, frame.name, *(repr(float(v)) for v in values))
