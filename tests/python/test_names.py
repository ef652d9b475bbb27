"""The names that types know are those of the Rust library."""

from __future__ import annotations

from typing import get_args

import psmp.names
from psmp import _psmp


def test_types_know_the_names_of_the_library():
    known = {kind: tuple(name for name, _ in rows) for kind, rows in _psmp.names().items()}
    assert known == {kind: get_args(getattr(psmp.names, kind)) for kind in psmp.names.__all__}
    assert all(summary for rows in _psmp.names().values() for _, summary in rows)
