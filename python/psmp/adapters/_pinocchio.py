"""Models of pinocchio, checked by coal."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from psmp._psmp import Space
from psmp.adapters._adapted import ENDLESS, Adapted, Array

__all__ = ["pinocchio"]


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


def pinocchio(model: Any, geometry: Any, obstacles: Mapping[str, tuple[Any, Any]] | None = None) -> Adapted:
    """A pinocchio model and its geometry, whose collision pairs are checked by coal.

    ``obstacles`` are shapes of coal and where each stands, as ``{"post": (coal.Box(0.1, 0.1, 1), pinocchio.SE3(...))}``: no link
    that a joint moves may touch one. Beside them the pairs of the geometry are checked, which may have obstacles of its own; it is left as it
    is. Joints have one number each and limits; ``pinocchio.buildReducedModel`` holds others still.
    """
    if obstacles:
        import pinocchio as pin

        geometry = geometry.copy()
        links = [place for place, link in enumerate(geometry.geometryObjects) if link.parentJoint > 0]
        for name, (shape, place) in obstacles.items():
            added = geometry.addGeometryObject(pin.GeometryObject(name, 0, place, shape))
            for link in links:
                geometry.addCollisionPair(pin.CollisionPair(link, added))
    if not geometry.collisionPairs:
        raise ValueError("there are no collision pairs: give obstacles, or call the geometry's addAllCollisionPairs()")
    bounds = np.column_stack([model.lowerPositionLimit, model.upperPositionLimit])
    if model.nq != model.nv or not np.isfinite(bounds).all() or (np.abs(bounds) > ENDLESS).any():
        raise ValueError(
            "every joint must have one number and limits; hold the others still by pinocchio.buildReducedModel, or give limits"
        )
    return Adapted(Space(bounds), _Pinocchio(model, geometry))
