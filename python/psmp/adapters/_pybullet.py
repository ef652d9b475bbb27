"""Bodies of PyBullet."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from psmp._psmp import Space
from psmp.adapters._adapted import Adapted, Array, limited

__all__ = ["pybullet"]


class _Pybullet:
    """Whether the links that planned joints move touch anything."""

    def __init__(self, client: int, body: int, joints: list[int], moved: frozenset[int]) -> None:
        self.client, self.body, self.joints, self.moved = client, body, joints, moved
        # A client is one world.
        self._one_at_a_time = threading.Lock()

    def __call__(self, q: Array) -> bool:
        import pybullet as p

        with self._one_at_a_time:
            for joint, value in zip(self.joints, q, strict=True):
                p.resetJointState(self.body, joint, value, physicsClientId=self.client)
            p.performCollisionDetection(physicsClientId=self.client)
            contacts = p.getContactPoints(bodyA=self.body, physicsClientId=self.client)
        # Of a contact there are bodies 1 and 2, links 3 and 4, and a distance 8, which may be one that is left.
        return not any(
            contact[8] <= 0.0 and (contact[3] in self.moved or (contact[2] == self.body and contact[4] in self.moved))
            for contact in contacts or ()
        )


def pybullet(body: int, joints: Sequence[str] | None = None, *, client: int = 0) -> Adapted:
    """A body of a PyBullet client: joints that turn or slide, all of them or those that are named, among everything else.

    In collision are configurations in which a link that a planned joint moves touches another body, or its own where it was
    loaded with ``URDF_USE_SELF_COLLISION``; what else touches does not count. A joint that turns without limits goes round.
    Checks move these joints in the client and leave them there, and all else counts as it stands: plan in a client of its own
    (``pybullet.connect(pybullet.DIRECT)``) where a simulation goes on.
    """
    import pybullet as p

    infos = [p.getJointInfo(body, joint, physicsClientId=client) for joint in range(p.getNumJoints(body, physicsClientId=client))]
    names = [info[1].decode() for info in infos]
    if joints is None:
        chosen = [joint for joint, info in enumerate(infos) if info[2] in (p.JOINT_REVOLUTE, p.JOINT_PRISMATIC)]
    else:
        if missing := [name for name in joints if name not in names]:
            raise ValueError(f"the body has no joint `{missing[0]}`; it has {', '.join(names)}")
        chosen = [names.index(name) for name in joints]
    if not chosen:
        raise ValueError("the body has no joint that turns or slides")
    bounds, wraps = [], []
    for joint in chosen:
        if infos[joint][2] not in (p.JOINT_REVOLUTE, p.JOINT_PRISMATIC):
            raise ValueError(f"joint `{names[joint]}` neither turns nor slides: name the joints to plan for")
        # Without limits the lower one is 0 and the upper -1.
        low, high = infos[joint][8:10]
        limits, goes_round = limited(names[joint], low, high, infos[joint][2] == p.JOINT_REVOLUTE)
        bounds.append(limits)
        wraps.append(goes_round)
    # A link has the number of the joint that moves it.
    moved = set(chosen)
    for link, info in enumerate(infos):  # Parents come first.
        if info[16] in moved:
            moved.add(link)
    return Adapted(Space(bounds, wraps=wraps), _Pybullet(client, body, chosen, frozenset(moved)))
