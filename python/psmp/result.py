"""What a run has found: its best path, and every better path on the way as a frame."""

from __future__ import annotations

import html
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from psmp.notebook import framed

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from psmp import _psmp

__all__ = ["Result"]


#: What a result has from its run under the same name.
_AS_IN_THE_RUN = (
    "planner",
    "seed",
    "fingerprint",
    "roadmap",
    "path",
    "vertices",
    "lower_bound_on_roadmap",
    "gap_on_roadmap",
    "straight_line",
    "gap_over_straight_line",
)


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What a run had found when it was asked.

    ``path`` holds the configurations of the best path, one a row, and ``vertices`` its vertices, if it is
    a path of the roadmap. The arrays from ``configurations`` to ``seconds`` have a value for each path
    found on the way: configurations, edges and proposals until then, its length, the lower bound at the
    time (of the roadmap's paths; without a roadmap, the straight line), and the time spent planning,
    checks included. It is a table to Arrow: ``polars.DataFrame(result)``, ``result.to_pandas()``.
    """

    planner: str
    seed: int
    #: ``shortest-on-roadmap``, ``no-path-on-roadmap``, ``straight-line``, ``gave-up``, ``settled``, or ``stopped``
    #: where planning was not over.
    ending: str
    length: float | None
    #: No path on the roadmap is shorter, and by how much the best one may be longer than that, as a
    #: share. Beside the roadmap there may be shorter ones. None without a roadmap.
    lower_bound_on_roadmap: float | None
    gap_on_roadmap: float | None
    #: From start to goal, and by how much the best path is longer; None of a run that was on its roadmap.
    straight_line: float | None
    gap_over_straight_line: float | None
    path: npt.NDArray[np.float64] | None
    vertices: npt.NDArray[np.uint32] | None
    #: Configurations, edges and proposals in all.
    total_configurations: int
    total_edges: int
    total_proposals: int
    total_seconds: float
    fingerprint: str
    configurations: npt.NDArray[np.uint64]
    edges: npt.NDArray[np.uint64]
    proposals: npt.NDArray[np.uint64]
    lengths: npt.NDArray[np.float64]
    lower_bounds: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]
    #: The values that the lower bound took, and the configurations checked when it took each.
    bounds: npt.NDArray[np.float64]
    bounds_since: npt.NDArray[np.uint64]
    roadmap: _psmp.Roadmap
    #: The ends of each edge checked, in order, and whether it was free.
    checked: npt.NDArray[np.uint32]
    checked_free: npt.NDArray[np.bool_]
    #: What happened, as a page that plays it; None of a run that was not recorded.
    film: _psmp.Film | None

    @classmethod
    def of(cls, run: _psmp.Run, film: _psmp.Film | None) -> Result:
        """What a run has found so far, with a film of it."""
        on_the_way = ("configurations", "edges", "proposals", "lengths", "lower_bounds", "seconds")
        found: dict[str, Any] = dict(zip(on_the_way, run._found(), strict=True))
        totals = {f"total_{name}": getattr(run, name) for name in ("configurations", "edges", "proposals", "seconds")}
        same = {name: getattr(run, name) for name in _AS_IN_THE_RUN}
        bounds_since, bounds = run._bounds()
        checked, checked_free = run._checked()
        return cls(
            **same,
            **totals,
            **found,
            ending=run.ending or "stopped",
            length=run.best_length,
            bounds=bounds,
            bounds_since=bounds_since,
            checked=checked,
            checked_free=checked_free,
            film=film,
        )

    def __eq__(self, other: object) -> bool:
        """Whether two runs have found the same by the same steps, however long that took."""
        if not isinstance(other, Result):
            return NotImplemented
        names = (field.name for field in fields(self) if "seconds" not in field.name and field.name != "film")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        return hash((self.planner, self.seed, self.fingerprint))

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The paths found on the way, a column each."""
        with np.errstate(divide="ignore", invalid="ignore"):
            gaps = np.where(
                self.lengths <= self.lower_bounds,
                0.0,
                (self.lengths - self.lower_bounds) / self.lower_bounds,
            )
        on_roadmap = self.straight_line is None
        return {
            "configurations": self.configurations,
            "edges": self.edges,
            "proposals": self.proposals,
            "length": self.lengths,
            "lower_bound_on_roadmap" if on_roadmap else "straight_line": self.lower_bounds,
            "gap_on_roadmap" if on_roadmap else "gap_over_straight_line": gaps,
            "seconds": self.seconds,
        }

    def to_arrow(self) -> pyarrow.Table:
        """The paths found on the way as an Arrow table."""
        import pyarrow

        return pyarrow.table(self.columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """The paths found on the way as a pandas frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The paths found on the way as a polars frame."""
        import polars

        return polars.DataFrame(self.to_arrow())

    def _summary(self) -> list[tuple[str, str]]:
        if self.length is None:
            found = "none on this roadmap" if self.ending == "no-path-on-roadmap" else "none yet"
        else:
            found = f"length {self.length:.4g}"
        rows = [("path", found)]
        if self.gap_on_roadmap is not None:
            rows.append(("over the shortest on this roadmap", f"at most {self.gap_on_roadmap:.2%}"))
        if self.gap_over_straight_line is not None:
            rows.append(("over the straight line", f"at most {self.gap_over_straight_line:.2%}"))
        rows += [
            ("ending", self.ending),
            ("configurations checked", f"{self.total_configurations:,}"),
            ("edges checked", f"{self.total_edges:,}"),
            ("time", f"{self.total_seconds:.3g} s"),
            ("planner", f"{self.planner}, seed {self.seed}"),
        ]
        return rows

    def __repr__(self) -> str:
        return "<psmp.Result " + ", ".join(f"{name}: {value}" for name, value in self._summary()) + ">"

    def _repr_html_(self) -> str:
        if self.film is not None and not self.film._is_released:
            return framed(self.film.html())
        lines = [
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
            for name, value in self._summary()
        ]
        return f"<table>{''.join(lines)}</table>{self._sparkline()}"

    def _sparkline(self) -> str:
        """The lengths found against the configurations checked, as a small picture."""
        if self.lengths.size == 0 or self.total_configurations == 0:
            return ""
        width, height, margin = 320.0, 80.0, 4.0
        x = np.append(self.configurations.astype(float), float(self.total_configurations))
        x *= width / x[-1]
        low, high = self.lengths.min(), self.lengths.max()
        y = margin + (high - self.lengths) / ((high - low) or 1.0) * (height - 2 * margin)
        steps = f"M{x[0]:.1f},{y[0]:.1f}"
        for right, level in zip(x[1:], [*y[1:], y[-1]], strict=True):
            steps += f"H{right:.1f}V{level:.1f}"
        return (
            f"<svg width='{width:.0f}' height='{height:.0f}' role='img'>"
            "<title>best length against configurations checked</title>"
            f"<path d='{steps}' fill='none' stroke='#1f77b4' stroke-width='2'/></svg>"
        )
