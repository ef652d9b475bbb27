"""Models and scenes of other libraries as a space and a checker, in one line each::

    space, check = psmp.adapters.mujoco(model)
    run = psmp.plan(psmp.Roadmap.halton(space, 1500, nearest=12), start, goal, check=check, axis_resolution=0.05)

A checker of MuJoCo, pinocchio or Drake serves several threads at once, each with data of its own, and can be pickled where its model
can. :func:`psmp.adapters.ompl` is the other way round: psmp as a planner of OMPL's, in its spaces and with its checkers.
"""

from psmp.adapters._adapted import Adapted
from psmp.adapters._drake import drake
from psmp.adapters._mujoco import mujoco
from psmp.adapters._ompl import ompl
from psmp.adapters._pinocchio import pinocchio
from psmp.adapters._pybullet import pybullet

__all__ = ["Adapted", "drake", "mujoco", "ompl", "pinocchio", "pybullet"]
