"""What an adapter makes of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from psmp._psmp import Space

__all__ = ["Adapted", "Array", "limited"]

Array: TypeAlias = npt.NDArray[np.float64]

#: Who has no limits says so by numbers that no joint reaches.
ENDLESS = 1e6


class Adapted(NamedTuple):
    """A space of configurations, and what says of each whether it is free."""

    space: Space
    check: Callable[[Array], bool]


def limited(name: str, low: float, high: float, turns: bool) -> tuple[tuple[float, float], bool]:
    """The bounds of a joint, and whether it goes round: one that turns does, if it has no limits."""
    if -ENDLESS < low < high < ENDLESS:
        return (float(low), float(high)), False
    if turns:
        return (-np.pi, np.pi), True
    raise ValueError(f"joint `{name}` slides and has no limits: give it some in the model, or leave it out of joints")
