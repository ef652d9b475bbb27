"""Beliefs: what is likely of edges that have not been checked.

A belief serves any number of runs, at once or one after the other: each run begins with it as it is
and learns from its own checks. Those that learn from known worlds take a :class:`Table`, and
``worlds`` to learn from some of its worlds only. Edges beyond the table, such as those that join a
new start and goal to the roadmap, are unknown to them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from psmp import _psmp
from psmp._psmp import Belief, Table, open_belief
from psmp.shards import Progress

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from psmp.names import BeliefName

__all__ = [
    "Constant",
    "Ensemble",
    "FiniteSet",
    "Frequencies",
    "Latent",
    "Local",
    "NearestNeighbour",
    "SoftSet",
    "learn",
    "learn_maps",
    "open_belief",
]


class _OfWorlds(Belief):
    """What is learned from known worlds and nothing else."""

    _name: ClassVar[BeliefName]

    def __new__(cls, table: Table, *, worlds: npt.ArrayLike | None = None) -> Self:
        return super().__new__(cls, cls._name, table, worlds)


class FiniteSet(_OfWorlds):
    """One of the known worlds is the true one: uniform over those that agree with every check."""

    _name = "fs"


class SoftSet(_OfWorlds):
    """The known worlds, each trusted less with every check it disagrees with, and none ever lost."""

    _name = "soft"


class Frequencies(_OfWorlds):
    """Every edge is free with its share of the known worlds, whatever the others are."""

    _name = "freq"


class Latent(_OfWorlds):
    """Hidden causes learned from the known worlds, so that a world need not be one of them."""

    _name = "latent"


class Ensemble(Belief):
    """All that can be had, each member trusted as far as it has predicted well."""

    def __new__(cls, table: Table | None = None, *, worlds: npt.ArrayLike | None = None) -> Self:
        return super().__new__(cls, "ensemble", table, worlds)


class Local(Belief):
    """Nothing is known beforehand: obstacles have a rate and a size, both learned from the checks."""

    def __new__(cls) -> Self:
        return super().__new__(cls, "local")


class NearestNeighbour(Belief):
    """What is near a free configuration is likely free.

    The influence of a checked configuration falls by a factor e over the space's longest side
    divided by ``eta``.
    """

    def __new__(cls, *, eta: float = 1000.0) -> Self:
        return super().__new__(cls, "nn", eta=eta)


class Constant(Belief):
    """Every edge is free with the same probability."""

    def __new__(cls, probability: float) -> Self:
        return super().__new__(cls, repr(float(probability)))


def learn(table: Table, *, worlds: npt.ArrayLike | None = None) -> Ensemble:
    """Learns from known worlds all that psmp can: the belief to use where there is experience.

    Learning is done here and now; runs only use it. How far each member is to be trusted takes the
    roadmap too, and is found out by the first run.
    """
    return Ensemble(table, worlds=worlds)


def learn_maps(
    maps: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    file: str | os.PathLike[str],
    *,
    roadmap: _psmp.Roadmap | None = None,
    vertices: int = 500,
    robot_radius: float = 0.0,
    bounds: npt.ArrayLike | None = None,
    resolution: float | None = None,
    progress: bool | None = None,
) -> Belief:
    """Learns from maps of your own, and keeps what was learned in a file with its roadmap.

    ``maps`` are pictures (PNG, PGM or JPEG; white is free) and ROS maps (YAML), or folders of them: of a
    folder its ROS maps, or else its pictures. A ``roadmap``, or a new one of so many ``vertices``, is checked in
    each of them, on all cores, for a round robot or a point. All maps must cover the same part of the plane, in
    however many pixels: the ``bounds`` of x and y, or for pictures 0 to 1 along the longer side. What was checked
    is kept beside ``file`` until it is written: after Ctrl-C or worse the same call goes on where it was. ::

        office = psmp.learn_maps("maps", "office.belief", robot_radius=0.02)  # later: psmp.open_belief("office.belief")
        run = psmp.plan(office.roadmap, (0.1, 0.1), (0.9, 0.9), check=office.map("new.png"), belief=office)
    """
    named = [maps] if isinstance(maps, (str, os.PathLike)) else list(maps)
    bar: Progress | None = None

    def tell(done: int, count: int) -> None:
        nonlocal bar
        if bar is None:
            bar = Progress("learning", count, done, progress, "maps")
        bar.reach(done)

    return _psmp.learn_maps(named, file, roadmap, vertices, robot_radius, bounds, resolution, tell)
