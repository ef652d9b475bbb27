"""What checks: a function of yours on a configuration, on a batch of them, or on an edge; or psmp itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from psmp._psmp import ArmChecker, Edge, RecordedWorld

__all__ = ["Checker", "OnBatches", "OnEdges", "on_batches", "on_edges"]

Array: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class OnBatches:
    """A checker on batches; made by :func:`on_batches`."""

    function: Callable[[Array], npt.ArrayLike]

    def __call__(self, configurations: Array) -> npt.ArrayLike:
        return self.function(configurations)


@dataclass(frozen=True)
class OnEdges:
    """A checker on edges; made by :func:`on_edges`."""

    function: Callable[[Edge], bool]

    def __call__(self, edge: Edge) -> bool:
        return self.function(edge)


Checker: TypeAlias = Callable[[Array], Any] | OnBatches | OnEdges | RecordedWorld | ArmChecker
"""A function on one configuration that says whether it is free; one on batches or on edges; a world of
a dataset; or an arm in a scene."""


def on_batches(function: Callable[[Array], npt.ArrayLike]) -> OnBatches:
    """A checker that is given many configurations of an edge at once.

    ``function`` takes an array of shape ``(n, dof)`` and returns an array of ``n`` truth values, true
    where a configuration is free. The configurations come in bisection order: both ends, the middle,
    the quarters and so on, 32 or more at a time. Only those up to the first collision count as checked. Serves as a decorator.
    """
    return OnBatches(function)


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
    if isinstance(check, OnEdges):
        return check.function, "edge"
    return check, "configuration"
