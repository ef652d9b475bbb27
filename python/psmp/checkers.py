"""What checks: a function of yours on a configuration, on a batch of them, or on an edge; or psmp itself."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from psmp._psmp import ArmChecker, Edge, Map, RecordedWorld

__all__ = ["Checker", "InProcesses", "OnBatches", "OnEdges", "in_processes", "on_batches", "on_edges"]

Array: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class OnBatches:
    """A checker on batches; made by :func:`on_batches`."""

    function: Callable[[Array], npt.ArrayLike]

    def __call__(self, configurations: Array) -> npt.ArrayLike:
        return self.function(configurations)


class InProcesses:
    """A checker in several processes; made by :func:`in_processes`."""

    def __init__(self, function: Callable[[Array], Any], jobs: int) -> None:
        if jobs < 1:
            raise ValueError(f"jobs must be at least 1, got {jobs}")
        self.function, self.jobs = function, jobs
        self._pool: ProcessPoolExecutor | None = None

    def __call__(self, configurations: Array) -> npt.NDArray[np.bool_]:
        """Whether configurations are free, one after the other up to the first that is not."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.jobs, multiprocessing.get_context("spawn"))
        free = np.zeros(len(configurations), dtype=bool)
        asked: deque[Future[Any]] = deque()
        others = iter(configurations)
        for place in range(len(configurations)):
            for q in itertools.islice(others, self.jobs - len(asked)):
                asked.append(self._pool.submit(self.function, q))
            free[place] = bool(asked.popleft().result())
            if not free[place]:
                break
        return free

    def close(self) -> None:
        """Ends the processes. They are begun again when they are needed."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def __reduce__(self) -> tuple[type[InProcesses], tuple[Callable[[Array], Any], int]]:
        return InProcesses, (self.function, self.jobs)


@dataclass(frozen=True)
class OnEdges:
    """A checker on edges; made by :func:`on_edges`."""

    function: Callable[[Edge], bool]

    def __call__(self, edge: Edge) -> bool:
        return self.function(edge)


Checker: TypeAlias = Callable[[Array], Any] | OnBatches | InProcesses | OnEdges | RecordedWorld | ArmChecker | Map
"""A function on one configuration that says whether it is free; one on batches or on edges; a world of
a dataset; a robot in a map; or an arm in a scene."""


def on_batches(function: Callable[[Array], npt.ArrayLike]) -> OnBatches:
    """A checker that is given many configurations of an edge at once.

    ``function`` takes an array of shape ``(n, dof)`` and returns an array of ``n`` truth values, true
    where a configuration is free. The configurations come in bisection order: both ends, the middle,
    the quarters and so on, 32 or more at a time. Only those up to the first collision count as checked. Serves as a decorator.
    """
    return OnBatches(function)


def in_processes(function: Callable[[Array], Any], jobs: int | None = None) -> InProcesses:
    """A checker on one configuration that runs in several processes, one a core if not told.

    The configurations of a motion are asked about side by side, and those behind a collision count for nothing. The
    run is the same as with ``function`` itself, event by event; it is for checks that take
    long. Processes are begun when they are needed: ``function`` must be one that can be pickled, and a script that
    begins them needs ``if __name__ == "__main__":``. :meth:`InProcesses.close` ends them.
    """
    return InProcesses(function, jobs if jobs is not None else os.cpu_count() or 1)


def on_edges(function: Callable[[Edge], bool]) -> OnEdges:
    """A checker that is given a whole :class:`Edge` and says whether it is free.

    Each edge counts as one check, because nobody else can know how many configurations that took.
    Serves as a decorator.
    """
    return OnEdges(function)


def called_on(check: Checker) -> tuple[object, str]:
    """The function itself, and what it is called on."""
    if isinstance(check, OnBatches):
        return check.function, "batch"
    if isinstance(check, InProcesses):
        return check, f"processes {check.jobs}"
    if isinstance(check, OnEdges):
        return check.function, "edge"
    return check, "configuration"
