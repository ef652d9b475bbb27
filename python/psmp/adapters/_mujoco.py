"""Models of MuJoCo."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from psmp._psmp import Space
from psmp.adapters._adapted import Adapted, Array, limited

__all__ = ["mujoco"]


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
        low, high = model.jnt_range[j] if model.jnt_limited[j] else (-np.inf, np.inf)
        limits, goes_round = limited(name, low, high, kinds[j] != slide)
        bounds.append(limits)
        wraps.append(goes_round)
    moved = np.zeros(model.nbody, dtype=bool)
    moved[model.jnt_bodyid[chosen]] = True
    for body in range(1, model.nbody):  # Parents come first.
        moved[body] |= moved[model.body_parentid[body]]
    rest = np.array(model.qpos0 if state is None else state, float)
    if rest.shape != (model.nq,):
        raise ValueError(f"state must have shape ({model.nq},), got {rest.shape}")
    return Adapted(Space(bounds, wraps=wraps), _Mujoco(model, model.jnt_qposadr[chosen], moved, rest))
