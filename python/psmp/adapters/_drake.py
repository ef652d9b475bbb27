"""Diagrams of Drake with a plant and a scene graph."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from psmp._psmp import Space
from psmp.adapters._adapted import Adapted, Array, limited

__all__ = ["drake"]


class _Drake:
    """Whether the bodies that planned joints move touch anything."""

    def __init__(self, diagram: Any, plant: Any, addresses: list[int], moved: frozenset[int], state: Array) -> None:
        self.diagram, self.plant, self.addresses, self.moved, self.state = diagram, plant, addresses, moved, state
        self._own = threading.local()

    def __call__(self, q: Array) -> bool:
        context = getattr(self._own, "context", None)
        if context is None:
            self._own.root = self.diagram.CreateDefaultContext()
            context = self._own.context = self.plant.GetMyMutableContextFromRoot(self._own.root)
        positions = self.state.copy()
        positions[self.addresses] = q
        self.plant.SetPositions(context, positions)
        scene = self.plant.get_geometry_query_input_port().Eval(context)
        if not scene.HasCollisions():
            return True
        inspector = scene.inspector()

        def is_moved(geometry: Any) -> bool:
            return int(self.plant.GetBodyFromFrameId(inspector.GetFrameId(geometry)).index()) in self.moved

        return not any(is_moved(pair.id_A) or is_moved(pair.id_B) for pair in scene.ComputePointPairPenetration())


def drake(diagram: Any, joints: Sequence[str] | None = None, *, state: npt.ArrayLike | None = None) -> Adapted:
    """A Drake diagram with a plant, such as a ``RobotDiagram``: joints that turn or slide, all of them or those that are named.

    Other positions stay as ``state`` has them, of shape (nq,), by default the plant's. In collision are configurations in
    which a body that a planned joint moves touches another; what else touches does not count, nor what collision filters
    leave out. A joint that turns without limits goes round. The plant must be final; of a diagram that is no
    ``RobotDiagram`` it is the system of the name ``plant``.
    """
    from pydrake.multibody.tree import PrismaticJoint, RevoluteJoint

    plant = diagram.plant() if hasattr(diagram, "plant") else diagram.GetSubsystemByName("plant")
    single = (RevoluteJoint, PrismaticJoint)
    if joints is None:
        chosen = [plant.get_joint(index) for index in plant.GetJointIndices()]
        chosen = [joint for joint in chosen if isinstance(joint, single)]
    else:
        chosen = [plant.GetJointByName(name) for name in joints]
    if not chosen:
        raise ValueError("the plant has no joint that turns or slides")
    bounds, wraps = [], []
    for joint in chosen:
        if not isinstance(joint, single):
            raise ValueError(f"joint `{joint.name()}` neither turns nor slides: name the joints to plan for")
        low, high = joint.position_lower_limits()[0], joint.position_upper_limits()[0]
        limits, goes_round = limited(joint.name(), low, high, isinstance(joint, RevoluteJoint))
        bounds.append(limits)
        wraps.append(goes_round)
    rest = plant.GetPositions(plant.CreateDefaultContext()) if state is None else np.array(state, float)
    if rest.shape != (plant.num_positions(),):
        raise ValueError(f"state must have shape ({plant.num_positions()},), got {rest.shape}")
    moved = plant.GetBodiesKinematicallyAffectedBy([joint.index() for joint in chosen])
    addresses = [joint.position_start() for joint in chosen]
    check = _Drake(diagram, plant, addresses, frozenset(int(body) for body in moved), rest)
    return Adapted(Space(bounds, wraps=wraps), check)
