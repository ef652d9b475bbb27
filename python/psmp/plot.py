"""Pictures of runs, with matplotlib: ``pip install psmp[plot]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from psmp import _psmp
from psmp.planning import Run
from psmp.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["anytime", "world"]

Shown: TypeAlias = Run | Result

FREE, BLOCKED, PATH, BOUND = "#2a9d57", "#d1495b", "#1f5fbf", "#6b6b6b"


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot

    return matplotlib.pyplot.subplots()[1]


def _result(shown: Shown) -> Result:
    return shown.result() if isinstance(shown, Run) else shown


def anytime(
    runs: Shown | Sequence[Shown] | Mapping[str, Shown], *, bound: bool = True, ax: Axes | None = None
) -> Axes:
    """The length of the best path against configurations checked, a line for each run.

    Runs are named by their planner, or by the keys of a mapping. With ``bound`` the lower bounds are
    drawn beneath: where the two meet, the path is certainly the shortest on its roadmap. Without a
    roadmap, the bound is the straight line.
    """
    if isinstance(runs, (Run, Result)):
        named = [(_result(runs).planner, _result(runs))]
    elif isinstance(runs, Mapping):
        named = [(name, _result(run)) for name, run in runs.items()]
    else:
        named = [(_result(run).planner, _result(run)) for run in runs]
    ax = _axes(ax)
    for place, (name, result) in enumerate(named):
        colour = f"C{place}"
        end = result.total_configurations
        if result.lengths.size:
            x = np.append(result.configurations, end)
            y = np.append(result.lengths, result.lengths[-1])
            ax.step(x, y, where="post", color=colour, label=name, linewidth=2)
            ax.plot(x[:-1], y[:-1], "o", color=colour, markersize=4)
        else:
            ax.plot([], [], color=colour, label=f"{name}: no path", linewidth=2)
        if bound and np.isfinite(result.bounds[-1]):
            x = np.append(result.bounds_since, end)
            y = np.append(result.bounds, result.bounds[-1])
            what = "lower bound on the roadmap" if result.straight_line is None else "straight line"
            label = what if place == 0 else None
            ax.step(x, y, where="post", color=colour if len(named) > 1 else BOUND, linestyle=":", label=label)
    ax.set_xlabel("configurations checked")
    ax.set_ylabel("length of the best path")
    ax.set_xlim(left=0)
    ax.margins(y=0.08)
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def world(
    shown: Shown | _psmp.Roadmap, *, image: npt.ArrayLike | None = None, ax: Axes | None = None
) -> Axes:
    """A roadmap in the plane; of a run also the edges checked, and the best path.

    ``image`` is what the world looks like from above over the whole space: an array of shape (height,
    width) that is true where it is free, its first row on top.
    """
    if isinstance(shown, _psmp.Roadmap):
        roadmap, result = shown, None
    else:
        result = _result(shown)
        roadmap = result.roadmap
    points, space = roadmap.configurations, roadmap.space
    if points is None or space is None or space.dimension != 2:
        dimension = "no" if space is None else str(space.dimension)
        raise ValueError(f"a world is drawn in the plane, but the roadmap has {dimension} dimensions")
    from matplotlib.collections import LineCollection

    ax = _axes(ax)
    (x0, x1), (y0, y1) = space.bounds
    if image is not None:
        free = np.asarray(image)
        if free.ndim != 2:
            raise ValueError(f"image must have shape (height, width), got {free.shape}")
        # The centres of the outermost pixels lie on the bounds.
        dx, dy = (x1 - x0) / max(free.shape[1] - 1, 1) / 2, (y1 - y0) / max(free.shape[0] - 1, 1) / 2
        extent = (x0 - dx, x1 + dx, y0 - dy, y1 + dy)
        shade = np.where(free.astype(bool), 1.0, 0.45)
        ax.imshow(shade, cmap="gray", vmin=0, vmax=1, extent=extent, interpolation="nearest", zorder=0)

    def lines(ends: npt.NDArray[np.uint32], colour: str, width: float, level: int, label: str | None) -> None:
        # A run that grows may have checked nothing but motions off the roadmap: a legend of that would name what is not there.
        if not len(ends):
            return
        segments = list(points[ends])
        ax.add_collection(LineCollection(segments, colors=colour, linewidths=width, zorder=level, label=label))

    lines(roadmap.edges, "#c8ccd2", 0.5, 1, None)
    if result is not None:
        lines(result.checked[result.checked_free], FREE, 1.5, 2, "checked, free")
        lines(result.checked[~result.checked_free], BLOCKED, 1.5, 3, "checked, blocked")
        if result.path is not None:
            label = "best path" if result.length is None else f"best path, length {result.length:.3f}"
            ax.plot(*result.path.T, color=PATH, linewidth=3, zorder=4, label=label)
            ax.plot(*result.path[0], "o", color=PATH, markersize=8, zorder=5)
            ax.plot(*result.path[-1], "*", color=PATH, markersize=13, zorder=5)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=3, frameon=False)
    ax.set_xlim(x0, x1)
    ax.set_ylim(y0, y1)
    ax.set_aspect("equal")
    return ax
