"""Collision tables by your own checkers: every edge of a roadmap in every world."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from psmp import _psmp, shards
from psmp.checkers import Checker, called_on

__all__ = ["table"]

World = TypeVar("World")


@dataclass(frozen=True)
class _TableJob(Generic[World]):
    roadmap: _psmp.Roadmap
    worlds: Sequence[World]
    checker_for: Callable[[World], Checker]
    resolution: float | None
    shard: int
    #: Whether its shards are kept, as Parquet files; else they are bits and nothing more.
    is_kept: bool

    def __call__(self, index: int) -> bytes:
        numbers = range(index * self.shard, min((index + 1) * self.shard, len(self.worlds)))
        rows = []
        for number in numbers:
            function, kind = called_on(self.checker_for(self.worlds[number]))
            free = _psmp.check_edges(self.roadmap, function, kind, self.resolution)
            rows.append(np.packbits(free, bitorder="little").tobytes())
        if not self.is_kept:
            return b"".join(rows)
        import pyarrow

        columns = {
            "world": pyarrow.array(numbers, pyarrow.uint32()),
            "free": pyarrow.array(rows, pyarrow.binary()),
        }
        return shards.parquet(pyarrow.table(columns))


def fingerprint_of(roadmap: _psmp.Roadmap) -> hashlib._Hash:
    """A hash that has taken a roadmap in."""
    digest = hashlib.sha256(f"psmp {_psmp.__version__} {roadmap!r} {roadmap.space!r}".encode())
    for array in (roadmap.edges, roadmap.lengths, roadmap.configurations):
        if array is not None:
            digest.update(array.tobytes())
    return digest


def table(
    roadmap: _psmp.Roadmap,
    worlds: Sequence[World],
    checker_for: Callable[[World], Checker],
    *,
    resolution: float | None = None,
    folder: str | os.PathLike[str] | None = None,
    shard: int = 16,
    workers: int | None = None,
    ray: bool | str | None = None,
    progress: bool | None = None,
) -> _psmp.Table:
    """Checks every edge of a roadmap in every world: the experience that beliefs are learned from.

    ``checker_for`` takes one of ``worlds`` and returns the checker for it, of any kind that
    :func:`psmp.plan` takes; worlds are data such as obstacle poses or file names.

    The work is spread over ``workers`` processes, one a core if not given, or over a Ray cluster:
    ``ray=True`` uses the one that this program is connected to (or starts one here), a string is the
    address of one. With a ``folder``, a path that all workers share or a URL of fsspec such as
    ``s3://bucket/folder``, every ``shard`` worlds become one Parquet file there, and a table that was
    interrupted goes on where it was. Shards are found again by the roadmap, the worlds and the
    resolution (that takes the extra ``frames``, or ``cluster``); nothing can tell that the code of a checker has changed, so name another folder when
    it has. The table is the same whatever the number of workers.
    """
    if shard < 1:
        raise ValueError(f"shard must be at least 1, got {shard}")
    worlds = list(worlds)
    if not worlds:
        raise ValueError("worlds must have at least one world, got none")
    digest = fingerprint_of(roadmap)
    digest.update(f"{resolution!r} {shard} {len(worlds)}".encode())
    for number, world in enumerate(worlds):
        try:
            digest.update(pickle.dumps(world, protocol=4))
        except Exception as error:
            raise TypeError(f"worlds[{number}] cannot be pickled, so it cannot be sent to a worker: {error}") from error
    job = _TableJob(roadmap, worlds, checker_for, resolution, shard, folder is not None)
    done = shards.run(
        "table",
        job,
        -(-len(worlds) // shard),
        "table-" + digest.hexdigest()[:16],
        by="processes",
        folder=folder,
        workers=workers,
        ray=ray,
        progress=progress,
    )
    if folder is not None:
        done = [row for content in done for row in shards.table(content)["free"].to_pylist()]
    packed = np.frombuffer(b"".join(done), dtype=np.uint8).reshape(len(worlds), -1)
    bits = np.unpackbits(packed, axis=1, count=roadmap.edge_count, bitorder="little")
    return _psmp.Table(bits.view(np.bool_))
