"""Paths by themselves, wherever they come from: made shorter, and proved free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from psmp import _psmp
from psmp.checkers import Checker, called_on
from psmp.names import ArmChecking

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Certificate", "certify", "shortcut"]


def shortcut(
    path: npt.ArrayLike,
    check: Checker,
    *,
    space: _psmp.Space | npt.ArrayLike | None = None,
    seed: int = 0,
    resolution: float | None = None,
    stop: _psmp.Stop | None = None,
) -> npt.NDArray[np.float64]:
    """A free path, straightened by trial: random places on it are joined by straight motions, where these are free.

    ``path`` has a configuration in each row, and is not checked again. ``check`` and ``resolution`` are as in
    :func:`psmp.plan`; a function needs the ``space`` too, a :class:`Space` or its bounds. It ends when fifty attempts in
    a row have come to nothing, or by ``stop``. An arm's shortcuts, and those in a map, are proved free all along.
    """
    function, kind = called_on(check)
    return _psmp.shortcut(path, function, kind, space, seed, resolution, stop)


@dataclass(frozen=True)
class Certificate:
    """What :func:`certify` has found out of a path; true if it is free all along."""

    #: Whether all of it is free.
    free: bool
    #: The first motion that is not, from this row of the path to the next; None if there is none.
    motion: int | None
    #: A configuration on that motion in which something touches, and what touches what, where a look at the motion has
    #: found one.
    collision: npt.NDArray[np.float64] | None
    contact: tuple[str, str] | None

    def __bool__(self) -> bool:
        return self.free


def certify(
    path: npt.ArrayLike,
    arm: _psmp.Arm,
    scene: _psmp.Scene | None = None,
    *,
    kind: ArmChecking = "exact",
    state: dict[str, float] | None = None,
    resolution: float | None = None,
) -> Certificate:
    """Whether an arm that moves along a path touches nothing, between its configurations too.

    Each straight motion is checked, and then proved free all along but for half a millimetre, by how far the arm's
    bodies can move. ``scene``, ``kind`` and ``state`` are as in :meth:`Arm.checker`; ``exact`` asks the true shapes. ::

        certificate = psmp.certify(path, arm, scene)
        if not certificate:
            print(certificate.motion, certificate.contact)
    """
    check = arm.checker(scene, kind=kind, state=state)
    motion = _psmp.first_unproved(path, check, resolution)
    if motion is None:
        return Certificate(True, None, None, None)
    rows = np.asarray(path, float)
    ends = rows[motion], rows[min(motion + 1, len(rows) - 1)]
    for share in np.linspace(0, 1, 1001):
        q = ends[0] + share * (ends[1] - ends[0])
        if contact := check.contact(q):
            return Certificate(False, motion, q, contact)
    return Certificate(False, motion, None, None)
