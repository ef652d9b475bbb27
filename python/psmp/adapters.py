"""Models and scenes of other libraries as a space and a checker, in one line each::

    space, check = psmp.adapters.mujoco(model)
    run = psmp.plan(psmp.Roadmap.halton(space, 1500, nearest=12), start, goal, check=check, resolution=0.05)

A checker serves several threads at once, each with data of its own, and can be pickled where its model can.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from psmp._psmp import Space

__all__ = ["Adapted", "mujoco", "pinocchio"]

Array = npt.NDArray[np.float64]


class Adapted(NamedTuple):
    """A space of configurations, and what says of each whether it is free."""

    space: Space
    check: Callable[[Array], bool]


class _Mujoco:
    """Whether the bodies that planned joints move touch anything."""

    def __init__(self, model: Any, addresses: Array, moved: npt.NDArray[np.bool_], state: Array) -> None:
        self.model, self.addresses, self.moved, self.state = model, addresses, moved, state
        self._own = threading.local()

    def __call__(self, q: Array) -> bool:
        import mujoco

        data = getattr(self._own, "data", None)
        if data is None:
            data = self._own.data = mujoco.MjData(self.model)
        data.qpos[:] = self.state
        data.qpos[self.addresses] = q
        mujoco.mj_kinematics(self.model, data)
        mujoco.mj_collision(self.model, data)
        if data.ncon == 0:
            return True
        touching = data.contact.geom[data.contact.dist <= 0.0]
        return not self.moved[self.model.geom_bodyid[touching]].any()

    def __reduce__(self) -> tuple[type[_Mujoco], tuple[Any, ...]]:
        return _Mujoco, (self.model, self.addresses, self.moved, self.state)


def mujoco(model: Any, joints: Sequence[str] | None = None, *, state: npt.ArrayLike | None = None) -> Adapted:
    """An ``mujoco.MjModel``: hinges and slides, all of them or those that are named, among everything else.

    Other joints stay where ``state`` has them, as ``qpos`` of shape (nq,), by default the model's. A hinge without limits
    goes round. In collision are configurations in which a body that a planned joint moves touches another; what else
    touches, such as things on a table, does not count, nor what the model excludes.
    """
    from mujoco import mjtJoint

    kinds, slide = model.jnt_type, int(mjtJoint.mjJNT_SLIDE)
    single = (int(mjtJoint.mjJNT_HINGE), slide)
    if joints is None:
        chosen = [j for j in range(model.njnt) if kinds[j] in single]
    else:
        chosen = [model.joint(name).id for name in joints]
    if not chosen:
        raise ValueError("the model has no hinge or slide to plan for")
    bounds, wraps = [], []
    for j in chosen:
        name = model.joint(j).name
        if kinds[j] not in single:
            raise ValueError(f"joint `{name}` is neither a hinge nor a slide: name the joints to plan for")
        goes_round = not model.jnt_limited[j]
        if goes_round and kinds[j] == slide:
            raise ValueError(f"slide `{name}` has no limits: give it a range in the model, or leave it out of joints")
        bounds.append((-np.pi, np.pi) if goes_round else tuple(model.jnt_range[j]))
        wraps.append(goes_round)
    moved = np.zeros(model.nbody, dtype=bool)
    moved[model.jnt_bodyid[chosen]] = True
    for body in range(1, model.nbody):  # Parents come first.
        moved[body] |= moved[model.body_parentid[body]]
    rest = np.array(model.qpos0 if state is None else state, float)
    if rest.shape != (model.nq,):
        raise ValueError(f"state must have shape ({model.nq},), got {rest.shape}")
    return Adapted(Space(bounds, wraps=wraps), _Mujoco(model, model.jnt_qposadr[chosen], moved, rest))


class _Pinocchio:
    """Whether no pair of a geometry model is in collision."""

    def __init__(self, model: Any, geometry: Any) -> None:
        self.model, self.geometry = model, geometry
        self._own = threading.local()

    def __call__(self, q: Array) -> bool:
        import pinocchio

        data = getattr(self._own, "data", None)
        if data is None:
            data = self._own.data = (self.model.createData(), self.geometry.createData())
        return not pinocchio.computeCollisions(self.model, data[0], self.geometry, data[1], q, True)

    def __reduce__(self) -> tuple[type[_Pinocchio], tuple[Any, Any]]:
        return _Pinocchio, (self.model, self.geometry)


def pinocchio(model: Any, geometry: Any) -> Adapted:
    """A pinocchio model and its geometry, whose collision pairs are checked by coal.

    The geometry has the obstacles, too, and the pairs that are to be checked. Joints have one number each and limits;
    ``pinocchio.buildReducedModel`` holds others still.
    """
    if not geometry.collisionPairs:
        raise ValueError("the geometry has no collision pairs: call addAllCollisionPairs(), or add those that matter")
    bounds = np.column_stack([model.lowerPositionLimit, model.upperPositionLimit])
    if model.nq != model.nv or not np.isfinite(bounds).all() or (np.abs(bounds) > 1e6).any():
        raise ValueError(
            "every joint must have one number and limits; hold the others still by pinocchio.buildReducedModel, or give limits"
        )
    return Adapted(Space(bounds), _Pinocchio(model, geometry))
