"""When to stop: conditions joined by ``|`` and ``&``, as in ``checks(5000) | gap(0.01)``."""

from psmp._psmp import Stop

__all__ = ["checks", "edges", "gap", "never", "proposals", "seconds"]


def checks(count: int) -> Stop:
    """Once this many configurations have been checked, and never more.

    A checker of edges stops before an edge that might cost more than is left."""
    return Stop.checks(count)


def edges(count: int) -> Stop:
    """Once at least this many edges have been checked."""
    return Stop.edges(count)


def proposals(count: int) -> Stop:
    """Once at least this many paths have been asked of the proposer."""
    return Stop.proposals(count)


def seconds(seconds: float) -> Stop:
    """Once this much time has passed since the run was begun or gone on with.

    What it took to set the run up counts. Thinking and checks are interrupted for it, but for one call
    of a checker of your own."""
    return Stop.seconds(seconds)


def gap(gap: float) -> Stop:
    """Once the best path is certainly at most this share longer than the shortest on the roadmap.

    Without a roadmap, than the straight line from start to goal.
    """
    return Stop.gap(gap)


def never() -> Stop:
    """Only when the run is over by itself: with the roadmap's shortest path, or certain that it has none."""
    return Stop.never()
