"""How a run stands while it goes on: one line, in a notebook's cell or on standard error."""

from __future__ import annotations

import html
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psmp import _psmp

__all__ = ["Standing"]

#: No one reads faster, in seconds.
OFTEN = 0.1


def _notebook() -> Any | None:
    """IPython's display module, where a notebook shows what comes from it."""
    shell = sys.modules.get("IPython")
    current = shell.get_ipython() if shell is not None else None
    if current is None or not hasattr(current, "kernel"):
        return None
    import IPython.display

    return IPython.display


class Standing:
    """The line of a run. Not shown unless ``show``, or where a notebook shows it and nobody has forbidden it."""

    def __init__(self, show: bool | None) -> None:
        self._display = None if show is False else _notebook()
        self._handle: Any | None = None
        self.is_shown = self._display is not None or show is True
        self._began = self._last = time.monotonic()

    def see(self, event: _psmp.Event) -> None:
        """Shows where the run stands after an event, if that is due."""
        now = time.monotonic()
        if now - self._last >= OFTEN:
            self._last = now
            self._show(event, "")

    def end(self, run: _psmp.Run) -> None:
        """Shows where the run stands now that it has stopped."""
        self._show(run, "\n")

    def _show(self, at: _psmp.Event | _psmp.Run, end: str) -> None:
        seconds = time.monotonic() - self._began
        found = "no path yet" if at.best_length is None else f"length {at.best_length:.4g}"
        if at.gap_on_roadmap is not None:
            found += f", at most {at.gap_on_roadmap:.1%} over the shortest on this roadmap"
        line = f"{found}, {at.configurations:,} configurations, {seconds:.1f} s"
        if self._display is None:
            print(f"\r{line}   ", end=end, file=sys.stderr, flush=True)
            return
        shown = self._display.HTML(f"<code>{html.escape(line)}</code>")
        if self._handle is None:
            self._handle = self._display.display(shown, display_id=True)
        else:
            self._handle.update(shown)
