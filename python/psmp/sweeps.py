"""Sweeps: many planners in many worlds of a dataset, a row for each run."""

from __future__ import annotations

import functools
import itertools
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from psmp import _psmp, rivals, shards
from psmp.tables import fingerprint_of

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow

__all__ = ["sweep"]


@functools.lru_cache(maxsize=4)
def _dataset(recipe: tuple[Any, ...]) -> _psmp.Dataset:
    """The dataset of a recipe, read or made once in each process."""
    kind, *arguments = recipe
    if kind == "open":
        folder, prefer = arguments
        return _psmp.Dataset.open(folder, prefer=prefer)
    family, worlds, test, seed = arguments
    return _psmp.Dataset.make(family, worlds, test=test, seed=seed)


def _world(recipe: tuple[Any, ...], world: int) -> _psmp.RecordedWorld:
    """A world of the dataset of a recipe, for pickle."""
    return _dataset(recipe).check(world)


@dataclass(frozen=True)
class _SweepJob:
    recipe: tuple[Any, ...]
    worlds: list[int]
    planners: list[str]
    seeds: list[int]
    experience: str
    resolution: float | None
    eta: float
    fallback: int | None
    budget: int | None
    shard: int

    def __call__(self, index: int) -> bytes:
        return self.rows(_dataset(self.recipe), index)

    def rows(self, dataset: _psmp.Dataset, index: int) -> bytes:
        """Does a shard with the dataset at hand."""
        import pyarrow

        tables = []
        for columns in self._columns(dataset, self.worlds[index * self.shard : (index + 1) * self.shard]):
            schema = pyarrow.schema(
                pyarrow.field(name, pyarrow.type_for_alias(kind), nullable) for name, kind, nullable, _ in columns
            )
            tables.append(pyarrow.table([values for *_, values in columns], schema=schema))
        return shards.parquet(pyarrow.concat_tables(tables))

    def _columns(self, dataset: _psmp.Dataset, worlds: list[int]) -> Iterator[list[tuple[str, str, bool, list[Any]]]]:
        """The columns of rows: of psmp's own planners, then of OMPL's, world by world."""
        setting: dict[str, Any] = {"resolution": self.resolution, "eta": self.eta, "fallback": self.fallback, "budget": self.budget}
        own = [planner for planner in self.planners if not planner.startswith(rivals.PREFIX)]
        others = [planner for planner in self.planners if planner.startswith(rivals.PREFIX)]
        for world in worlds:
            if own:
                yield _psmp.sweep_rows(dataset, [world], own, self.seeds, experience=self.experience, **setting)
            for planner, seed in itertools.product(others, self.seeds):
                curve = rivals.run(dataset, world, planner, seed, self.resolution, self.budget)
                yield _psmp.row_of_another(dataset, world, planner, seed, *curve, **setting)


def sweep(
    dataset: _psmp.Dataset,
    planners: Sequence[str],
    *,
    worlds: npt.ArrayLike | None = None,
    seeds: int | Sequence[int] = 1,
    experience: Literal["seen", "unseen"] = "unseen",
    resolution: float | None = None,
    eta: float = 1000.0,
    fallback: int | None = 20,
    budget: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    shard: int = 8,
    workers: int | None = None,
    ray: bool | str | None = None,
    progress: bool | None = None,
) -> pyarrow.Table:
    """Runs every planner in every world with every seed: the experiment of ``psmp bench``.

    ``planners`` are names as on the command line, such as ``psmp:fs``, ``ei:local+grow`` or ``rrtstar``; and
    planners of OMPL's, such as ``ompl:RRTConnect`` or ``ompl:BIT*``, where its wheel is installed. These are as OMPL sets them and
    ask about configurations at the same steps, in worlds that have images. ``worlds`` are counted from 0, those for testing if
    not given (all, where the dataset names none). ``seeds`` is how many, or which. ``experience`` says whether the world planned in is among the known ones.

    The rows come as an Arrow table, the same as those of ``psmp bench`` and the same whatever the
    number of workers, but for times; worlds are counted from 1 in them, as there. In a file (``pyarrow.parquet.write_table``) they
    are what ``psmp page`` makes a page of, beside others'. ``folder``, ``shard``, ``workers`` and ``ray`` are as for :func:`psmp.table`; on a cluster the
    folder of a dataset must be there on every node.
    """
    if isinstance(planners, str):
        raise TypeError(f"planners must be a sequence of names, got the string {planners!r}")
    if shard < 1:
        raise ValueError(f"shard must be at least 1, got {shard}")
    if worlds is None:
        worlds = dataset.test if dataset.test is not None else range(dataset.table.world_count)
    chosen = [int(world) for world in np.asarray(worlds).ravel()]
    if not chosen or not planners:
        raise ValueError("there must be at least one world and one planner")
    for planner in planners:
        if planner.startswith(rivals.PREFIX):
            rivals.planner_named(planner)
            if budget is None:
                raise ValueError(f"planners: `{planner}` may look for shorter paths until it is stopped: give a budget")
    job = _SweepJob(
        recipe=dataset._recipe(),
        worlds=chosen,
        planners=list(planners),
        seeds=list(range(seeds)) if isinstance(seeds, int) else [int(seed) for seed in seeds],
        experience=experience,
        resolution=resolution,
        eta=eta,
        fallback=fallback,
        budget=budget,
        shard=shard,
    )
    digest = fingerprint_of(dataset.roadmap)
    digest.update(dataset.table.by_world.tobytes())
    digest.update(json.dumps(asdict(job), sort_keys=True).encode())
    import pyarrow

    done = shards.run(
        "sweep",
        # Others read or make the dataset anew; this process has it.
        job if ray else functools.partial(job.rows, dataset),
        -(-len(chosen) // shard),
        "sweep-" + digest.hexdigest()[:16],
        by="threads",
        folder=folder,
        workers=workers,
        ray=ray,
        progress=progress,
    )
    return pyarrow.concat_tables(shards.table(content) for content in done)
