"""A planner that lives on: what one query has found out serves the next."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from psmp import _psmp
from psmp.checkers import Checker
from psmp.names import ArmChecking
from psmp.planning import Run, plan
from psmp.result import Result

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Planner"]


class Planner:
    """Plans again and again, for an arm in a scene or on a roadmap, and keeps what it has found out.

    That is the roadmap with what it has grown by, and what is known of its edges. A :class:`Scene` may change between
    queries: what that may make untrue is forgotten, and nothing else. ::

        scene = psmp.Scene()
        scene.add("post", box=(0.1, 0.1, 1), pose=(0.4, 0, 0.5))
        planner = psmp.Planner(psmp.Arm("panda-like"), scene)
        path = planner.plan("home", pose=(0.4, 0.3, 0.4, 1, 0, 0, 0), stop=psmp.seconds(1)).path
        scene.move("post", (0.5, -0.2, 0.5))
        back = planner.plan(path[-1], "home", stop=psmp.seconds(1)).path

    ``on`` is an :class:`Arm`, with a roadmap of so many ``vertices``, or a :class:`Roadmap`. An arm stands in ``scene``;
    ``kind``, ``state`` and ``allow`` are as in :meth:`Arm.checker`. On a roadmap of your own, or instead of an arm's own
    checker, give ``check``: of a function nobody can tell where its world has changed, so say that it has by
    :meth:`forget`. ``belief`` and ``options`` are those of :func:`psmp.plan`.

    A planner can be pickled, if its check can. One thread at a time may use it.
    """

    def __init__(
        self,
        on: _psmp.Arm | _psmp.Roadmap,
        scene: _psmp.Scene | None = None,
        *,
        check: Checker | None = None,
        belief: _psmp.Belief | None = None,
        vertices: int | None = None,
        kind: ArmChecking = "refined",
        state: dict[str, float] | None = None,
        allow: Sequence[tuple[str, str]] = (),
        **options: Any,
    ) -> None:
        self.arm = on if isinstance(on, _psmp.Arm) else None
        if isinstance(on, _psmp.Arm):
            if check is not None and scene is not None:
                raise TypeError("give scene or check, not both: an arm is checked by one of them")
            self.first_roadmap = on.roadmap() if vertices is None else on.roadmap(vertices)
        else:
            if check is None:
                raise TypeError("check must be given: a roadmap does not know what is in its way")
            if scene is not None or vertices is not None:
                raise TypeError("scene and vertices are for an arm; a roadmap has its vertices, and its check knows the scene")
            self.first_roadmap = on
        if clash := {"keep", "world", "stop"} & set(options):
            raise TypeError(f"{', '.join(sorted(clash))} cannot be given: the planner keeps by itself, and plan() takes stop")
        self.scene = scene if scene is not None or check is not None else _psmp.Scene()
        self.check = check
        self.belief = belief
        self.options = options
        self.memory = _psmp.Memory()
        self._checking: tuple[ArmChecking, dict[str, float] | None, Sequence[tuple[str, str]]] = (kind, state, allow)
        #: The arm's checker, and the scene that it was made for.
        self._made: tuple[_psmp.ArmChecker, _psmp.Scene] | None = None
        self._run: Run | None = None

    def checker(self) -> Checker:
        """What the next query is checked by: the arm in the scene as it is now."""
        if self.check is not None:
            return self.check
        assert self.arm is not None and self.scene is not None
        if self._made is None or self._made[1] != self.scene:
            kind, state, allow = self._checking
            scene = self.scene.copy()
            self._made = (self.arm.checker(scene, kind=kind, state=state, allow=allow), scene)
        return self._made[0]

    def begin(
        self,
        start: npt.ArrayLike | str | dict[str, float],
        goal: npt.ArrayLike | str | dict[str, float] | None = None,
        *,
        pose: npt.ArrayLike | None = None,
        link: str | None = None,
        tolerance: tuple[float, float] = (0.0, 0.0),
        stop: _psmp.Stop | None = None,
    ) -> Run:
        """A run that is ready to be driven, as of :func:`psmp.plan`. The next query closes it."""
        self.close()
        if (goal is None) == (pose is None):
            raise TypeError("give goal or pose, and not both")
        if pose is not None:
            if self.arm is None:
                raise TypeError("pose is for an arm: a roadmap has configurations alone")
            goal = self.arm.inverse(pose, link, near=start, tolerance=tolerance)
        elif link is not None:
            raise TypeError("link is the one that is brought to a pose: give pose, too")
        check = self.checker()
        # What is known of a function's world is so until `forget` is called.
        world = None if isinstance(check, (_psmp.ArmChecker, _psmp.Map)) else "the planner's"
        assert goal is not None
        self._run = plan(
            self.first_roadmap,
            start,
            goal,
            check=check,
            belief=self.belief,
            keep=self.memory,
            world=world,
            stop=stop,
            **self.options,
        )
        return self._run

    def plan(
        self,
        start: npt.ArrayLike | str | dict[str, float],
        goal: npt.ArrayLike | str | dict[str, float] | None = None,
        *,
        pose: npt.ArrayLike | None = None,
        link: str | None = None,
        tolerance: tuple[float, float] = (0.0, 0.0),
        stop: _psmp.Stop | None = None,
    ) -> Result:
        """Plans from a configuration to another, or to any of several, and returns what was found.

        ``start`` and ``goal`` are as in :func:`psmp.plan`: of an arm also named states, or dicts of joints and positions.
        Or ``pose`` is where a ``link`` of the arm is to end, within a ``tolerance``, as in :meth:`Arm.inverse`. Without
        ``stop`` it ends once nothing has made the path shorter for long.
        """
        run = self.begin(start, goal, pose=pose, link=link, tolerance=tolerance, stop=stop)
        try:
            return run.finish()
        finally:
            self.close()

    def close(self) -> None:
        """Ends the run that was begun last, if it goes on, and keeps what it has found out."""
        run, self._run = self._run, None
        if run is not None:
            run.close()

    def forget(self) -> None:
        """Forgets what is known of edges: the world of a check of yours has changed. The roadmap stays."""
        self.close()
        self.memory.forget()

    @property
    def roadmap(self) -> _psmp.Roadmap:
        """The roadmap as it has grown."""
        return self.memory.roadmap or self.first_roadmap

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keeps in a file what has been found out, as ``psmp plan --keep`` does."""
        self.close()
        self.memory.save(path)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Goes on with what :meth:`save`, or ``psmp plan --keep`` on the same roadmap, has kept."""
        self.close()
        self.memory = _psmp.Memory.open(path)

    def __getstate__(self) -> dict[str, Any]:
        self.close()
        return {**self.__dict__, "_made": None}

    def __repr__(self) -> str:
        return f"<psmp.Planner on {self.arm or self.first_roadmap!r}, {self.memory!r}>"
