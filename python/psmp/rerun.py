"""Runs in rerun's viewer: ``pip install psmp[rerun]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psmp import _psmp
from psmp.planning import Run
from psmp.result import Result

if TYPE_CHECKING:
    import rerun

__all__ = ["log"]

FREE, BLOCKED, PATH = (42, 157, 87), (209, 73, 91), (31, 95, 191)

Array = npt.NDArray[np.float64]


def log(
    run: Run,
    recording: rerun.RecordingStream | None = None,
    *,
    arm: _psmp.Arm | None = None,
    link: str | None = None,
    entity: str = "psmp",
) -> Result:
    """Drives a run until it stops and writes what happens to rerun, and returns what it has found.

    On the timeline ``configurations`` there are the edges that are checked, green if free and red if not, each better
    path, its length, and the lower bound. Of an ``arm`` edges and paths are drawn where a ``link`` moves, by default
    the tool; other spaces are drawn by their first two or three numbers. ``recording`` is the one of rerun's own
    functions if not given::

        rr.init("plan", spawn=True)
        psmp.rerun.log(psmp.plan(roadmap, start, goal, check=check), arm=arm)
    """
    import rerun as rr

    recording = recording if recording is not None else rr.get_global_data_recording()
    if recording is None:
        raise ValueError("there is no recording: call rerun.init first, or give one")
    space = run.roadmap.space
    if space is None:
        raise ValueError("a run is drawn by its configurations, and its roadmap carries none")
    places: Callable[[Array], Array] = lambda q: q[:, :3]  # noqa: E731
    if arm is not None:
        places = lambda q: arm.pose(q, link)[:, :3, 3]  # noqa: E731
    lines: Any = rr.LineStrips3D if arm is not None or space.dimension > 2 else rr.LineStrips2D

    def way(q: Array) -> Array:
        """A path as it is drawn: the link of an arm moves along a curve."""
        if arm is None:
            return places(q)
        shares = np.linspace(0, 1, 9)[:-1, None]
        between = [a + shares * (b - a) for a, b in zip(q[:-1], q[1:], strict=True)]
        return places(np.concatenate([*between, q[-1:]]))

    for event in run:
        recording.set_time("configurations", sequence=event.configurations)
        if event.kind in ("checked", "proved") and event.edge is not None:
            roadmap = run.roadmap
            ends = roadmap.configurations
            if ends is not None:
                strip = way(ends[roadmap.edges[event.edge]])
                state, colour = ("free", FREE) if event.free else ("blocked", BLOCKED)
                recording.log(f"{entity}/checked/{state}/{event.edge}", lines([strip], colors=[colour]))
        elif event.path is not None and event.length is not None and event.kind == "improved":
            recording.log(f"{entity}/path", lines([way(event.path)], colors=[PATH]))
            recording.log(f"{entity}/length", rr.Scalars(event.length))
            if event.lower_bound_on_roadmap is not None:
                recording.log(f"{entity}/lower_bound_on_roadmap", rr.Scalars(event.lower_bound_on_roadmap))
    return run.result()
