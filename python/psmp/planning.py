"""Planning: a run is an iterator of events."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NoReturn

from psmp import _psmp
from psmp.checkers import Checker, called_on
from psmp.names import Proposer, TreePlanner, Validator
from psmp.notebook import Standing, is_recorded, keep_the_latest
from psmp.result import Result

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Run", "plan", "plan_without_roadmap"]


class Run(_psmp.Run):
    """A planner at work; made by :func:`plan` or :func:`plan_without_roadmap`.

    Iterating drives it, and each event is one step, at most one edge check. Leaving the loop pauses
    it; another loop goes on where it was. ``until`` sets another condition to stop at, ``finish``
    drives without telling, ``result`` says what has been found so far, ``end_planning`` goes over to
    straightening, and ``close`` ends the run and lets go of the checker. If the checker raises, the exception comes out of the loop as it is,
    nothing found out before is lost, and the next step tries the same check again.
    """

    #: Whether its film is kept for as long as its result, because somebody has asked for it.
    _lasts: bool = False

    def finish(self, *, progress: bool | None = None) -> Result:
        """Drives the run until it stops, and returns what it has found.

        Where it stands is shown meanwhile in a notebook, with a bar of how far it has come, and elsewhere if ``progress``
        is true.
        """
        standing = Standing(progress)
        if not standing.is_shown:
            deque(self, maxlen=0)
            return self.result()
        for event in self:
            standing.see(event, self)
        standing.end(self)
        return self.result()

    def result(self) -> Result:
        """What the run has found so far."""
        film = self.film
        if film is not None and not self._lasts:
            keep_the_latest(film)
        return Result.of(self, film)

    @classmethod
    def _begun(cls, engine: _psmp.Engine, record: bool | None) -> Run:
        run = cls(engine)
        if record:
            run._lasts = True
        return run

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a run cannot be pickled, because it is in the midst of its work: send run.result(), or what planning "
            "takes (roadmap, check, belief, stop), and plan there"
        )

    def __repr__(self) -> str:
        return repr(Result.of(self, None)).replace("psmp.Result", "psmp.Run")

    def _repr_html_(self) -> str:
        return Result.of(self, self.film)._repr_html_()


def plan(
    roadmap: _psmp.Roadmap,
    start: int | npt.ArrayLike | str | dict[str, float],
    goal: int | npt.ArrayLike | str | dict[str, float],
    *,
    check: Checker,
    belief: _psmp.Belief | None = None,
    proposer: Proposer = "ei",
    validator: Validator | None = None,
    insured: bool | None = None,
    seed: int | None = None,
    stop: _psmp.Stop | None = None,
    resolution: float | None = None,
    axis_resolution: float | None = None,
    fallback: int | None = 20,
    straighten: bool = False,
    fixed_roadmap: bool = False,
    price: float | Sequence[tuple[float, float]] | Literal["measured"] | None = None,
    keep: str | os.PathLike[str] | _psmp.Memory | None = None,
    world: str | None = None,
    record: bool | None = None,
) -> Run:
    """Plans from ``start`` to ``goal``: an iterator of events, each better path among them.

    ``start`` and ``goal`` are configurations or vertices of the roadmap; of an arm also the name of a
    state, or a dict of joints and positions. A ``goal`` of shape (n, d) is n goals of which any one will
    do, such as those of :meth:`Arm.inverse`: all are planned to at once, and the path leads to the one
    it is shortest to. Those in collision are left out, unless all are. ``check`` says whether a
    configuration is free: a function on one of them, or on batches (:func:`on_batches`), a :class:`Map`, or an arm's
    (:meth:`Arm.checker`); or it says so of edges (:func:`on_edges`). Configurations of a motion lie
    ``resolution`` apart, by default a thousandth of the longest side of the space, and in a map, which proves what lies
    between, a hundredth; of an arm it is the largest joint step, by default 0.03 rad. ``axis_resolution`` is that for a
    function: the largest step of any axis, whatever its weight.

    From configuration to configuration the straight motion is tried first. If it is blocked, the roadmap
    is only the beginning: ``ei`` lets it grow where that may make the path shorter, and tries shortcuts and
    rewirings beside it; the other proposers do with ``+grow`` behind their name, as in ``"lazysp+grow"``. A
    ``fixed_roadmap`` stays as it is: start and goal are joined to it by motions that are checked at once, as
    part of this call, and where it has no path it is made finer around them, up to three times. All
    that counts, and is told as events. From vertex to vertex, and by a check of edges, the roadmap is
    planned on as it is; a check of edges joins start and goal as the roadmap's own vertices are. With
    ``straighten`` the path on a roadmap that does not grow is shortened by shortcuts once planning is over,
    or once :meth:`Run.end_planning` says so; where it grows that is done all along.

    ``keep`` names a file for what has grown: the roadmap, what is known of its edges, and the
    experience of the belief; or it is a :class:`Memory`, which is no file. It is written when the run stops and when it is closed. If it is there, the
    run begins with it, as long as robot and space are the same; give the roadmap that it began with. An
    arm's checker knows its scene, and in another scene what is known is kept as far as it still holds.
    Of a function nobody can tell which world it answers for: what is known is used again only by runs that
    give the world the same name, ``world="office"``. ::

        for goal in goals:
            psmp.plan(roadmap, start, goal, check=check, keep="panda.kept", stop=psmp.seconds(1)).finish()

    :class:`Planner` does that for an arm whose scene changes.

    ``belief`` is what is likely of edges that have not been checked, :class:`Local` if not given:
    nothing known beforehand. ``proposer`` and ``validator`` say which path is checked next and which
    of its edges first: ``ei`` checks a few configurations of all edges of a path before it checks any to its end
    (``"coarse"``), the others check whole edges, the likeliest to collide first (``"failfast"``). An
    ``insured`` run never checks more than twice what LazySP would plus one path that was proposed, which
    can be several times as long as the shortest, whatever the belief; ``ei`` is insured unless told
    otherwise, the others are not.

    ``stop`` pauses the run, as in ``psmp.checks(5000) | psmp.gap(0.01)``. Without it the run ends with
    the straight line; on a fixed roadmap with its shortest path, or certain that it has none, though beside
    it there may be a shorter one; and where it grows once nothing has made the path shorter for long
    (``settled``), or no path was found for very long (``gave-up``).

    ``price`` is what checking a configuration costs, in seconds. Where that is much, ``ei`` thinks before it
    checks, and where it is little it checks instead. ``"measured"`` finds out on the way and tells it by events
    (``priced``). That is so too where neither ``price`` nor ``seed`` is given and there is no experience. With a
    ``seed`` alone a function on configurations is taken to cost 30 microseconds, and on a ``fixed_roadmap`` only
    checks count, as they do from vertex to vertex.

    The same ``seed``, ``price`` and inputs give the same events, bit for bit. To repeat a run whose prices were
    measured, give what its events have told: ``price=[e.price for e in events if e.price]``. ``fallback`` is after how
    many proposals in vain the optimistic shortest path is tried; None gives the plain method, which
    may never end.

    What happens is recorded with ``record``, and unless that is False in a notebook, where a run and its result show
    themselves by it: ``result.film`` is a page that plays the run.
    """
    function, kind = called_on(check)
    kind, resolution = _spacing(kind, resolution, axis_resolution)
    prices: list[tuple[float, float | None]] | None = None
    if isinstance(price, str):
        if price != "measured":
            raise ValueError(f"price: {price!r} is none; give seconds, or 'measured'")
        prices = []
    elif isinstance(price, (int, float)):
        prices = [(price, None)]
    elif price:
        prices = [*price]
    engine = _psmp.on_roadmap(
        roadmap,
        start,
        goal,
        function,
        kind,
        belief,
        proposer,
        validator,
        insured,
        seed,
        resolution,
        fallback,
        straighten,
        fixed_roadmap,
        prices,
        keep,
        world,
        is_recorded(record),
        stop,
    )
    return Run._begun(engine, record)


def _spacing(kind: str, resolution: float | None, axis_resolution: float | None) -> tuple[str, float | None]:
    """What a check is called on, with how its resolution is measured."""
    if axis_resolution is None:
        return kind, resolution
    if resolution is not None:
        raise TypeError("give resolution, a distance, or axis_resolution, the largest step of any axis, and not both")
    return f"{kind}, by axis", axis_resolution


def plan_without_roadmap(
    space: _psmp.Space | npt.ArrayLike,
    start: npt.ArrayLike | str | dict[str, float],
    goal: npt.ArrayLike | str | dict[str, float],
    *,
    check: Checker,
    planner: TreePlanner = "rrtconnect",
    range: float | None = None,
    intermediate_states: bool | None = None,
    seed: int = 0,
    stop: _psmp.Stop | None = None,
    resolution: float | None = None,
    axis_resolution: float | None = None,
    straighten: bool = False,
    record: bool | None = None,
) -> Run:
    """Plans with trees that grow from start and goal, where there is no roadmap.

    ``rrtconnect`` finds a first path soon and ends with it; ``rrtconnect+shortcut`` straightens it and
    begins again; ``rrtstar`` and ``bitstar`` tend to the shortest path there is. But for the first they
    look for shorter paths until they are stopped, so give ``stop``::

        run = psmp.plan_without_roadmap([(0, 1), (0, 1)], (0.1, 0.1), (0.9, 0.9), check=is_free)
        print(run.finish().path)

    ``space`` is a :class:`Space`, or its bounds as an array of shape (d, 2). ``start``, ``goal`` and
    ``check`` are as in :func:`plan`, on a configuration, on batches or an arm, and so are ``seed``, ``stop``,
    ``resolution``, ``axis_resolution``, ``straighten`` and ``record``. The straight motion is tried first, and motions are told as
    ``probed`` events. For an arm a path is given out when it is proved free all along, whatever
    the ``resolution``.

    ``range`` is how far RRTConnect's trees move at most in one motion, by default a sixteenth of the space's
    diameter; ``intermediate_states`` says whether the configurations within a motion become part of
    the tree, which they do not by default. OMPL's default is a fifth of the diameter; the PSMP paper's
    are infinity and True.
    """
    function, kind = called_on(check)
    kind, resolution = _spacing(kind, resolution, axis_resolution)
    engine = _psmp.without_roadmap(
        space,
        start,
        goal,
        function,
        kind,
        planner,
        range,
        intermediate_states,
        seed,
        resolution,
        straighten,
        is_recorded(record),
        stop,
    )
    return Run._begun(engine, record)
