"""What a notebook shows: how a run stands while it goes on, and what happened in it, as a page within the page.

Elsewhere the line goes to standard error, where it is asked for.
"""

from __future__ import annotations

import html
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psmp import _psmp

__all__ = ["Standing", "framed", "is_recorded", "keep_the_latest"]

#: No one reads faster, in seconds.
OFTEN = 0.1
#: So many films of runs are kept that nobody has asked to record: enough for who looks at what came of a cell, and too few
#: to fill the memory of who plans a thousand times in one.
LATEST = 16

_latest: deque[_psmp.Film] = deque()


def _notebook() -> Any | None:
    """IPython's display module, where a notebook shows what comes from it."""
    shell = sys.modules.get("IPython")
    current = shell.get_ipython() if shell is not None else None
    if current is None or not hasattr(current, "kernel"):
        return None
    import IPython.display

    return IPython.display


def is_recorded(asked: bool | None) -> bool:
    """Whether a run is recorded: if that is asked for, and else in a notebook.

    Where checks are quick recording takes half as long as planning does, so who runs a program does not pay for it; who sits
    before a notebook looks at what came of a run, and cannot ask for what was not recorded.
    """
    return asked if asked is not None else _notebook() is not None


def keep_the_latest(film: _psmp.Film) -> None:
    """Keeps the film of a run that was recorded because it is in a notebook, and lets go of the oldest of these."""
    _latest.append(film)
    while len(_latest) > LATEST:
        _latest.popleft()._release()


def framed(page: str, height: int = 640) -> str:
    """A page within a page, with a document and scripts of its own, that no notebook takes apart."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" title="a planning run" loading="lazy" '
        f'style="width:100%;height:{height}px;border:1px solid #c3c9d1;border-radius:4px"></iframe>'
    )


class Standing:
    """The line of a run. Not shown unless ``show``, or where a notebook shows it and nobody has forbidden it."""

    def __init__(self, show: bool | None) -> None:
        self._display = None if show is False else _notebook()
        self._handle: Any | None = None
        self.is_shown = self._display is not None or show is True
        self._began = self._last = time.monotonic()

    def see(self, event: _psmp.Event, run: _psmp.Run) -> None:
        """Shows where the run stands after an event, if that is due."""
        now = time.monotonic()
        if now - self._last >= OFTEN:
            self._last = now
            self._show(event, run._share(), "")

    def end(self, run: _psmp.Run) -> None:
        """Shows where the run stands now that it has stopped."""
        self._show(run, 1.0, "\n")

    def _show(self, at: _psmp.Event | _psmp.Run, share: float | None, end: str) -> None:
        seconds = time.monotonic() - self._began
        found = "no path yet" if at.best_length is None else f"length {at.best_length:.4g}"
        if at.gap_on_roadmap is not None:
            found += f", at most {at.gap_on_roadmap:.1%} over the shortest on this roadmap"
        line = f"{found}, {at.configurations:,} configurations, {seconds:.1f} s"
        if self._display is None:
            done = "" if share is None else f"{share:4.0%} "
            print(f"\r{done}{line}   ", end=end, file=sys.stderr, flush=True)
            return
        # One without a value is a bar that says only that something goes on.
        value = "" if share is None else f' value="{share:.3f}"'
        shown = self._display.HTML(f"<progress{value}></progress> <code>{html.escape(line)}</code>")
        if self._handle is None:
            self._handle = self._display.display(shown, display_id=True)
        else:
            self._handle.update(shown)
