"""What the tests of the Python package share."""

from __future__ import annotations

import os
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

import psmp

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def roadmap() -> psmp.Roadmap:
    return psmp.Roadmap.halton([(0, 1), (0, 1)], 300)


def wall(q: np.ndarray) -> bool:
    """A wall with a gap at the top."""
    return not 0.45 < q[0] < 0.55 or q[1] > 0.8


def wall_in_batches(q: np.ndarray) -> np.ndarray:
    """The same wall, for many configurations at once."""
    return ~((0.45 < q[:, 0]) & (q[:, 0] < 0.55)) | (q[:, 1] > 0.8)


START, GOAL = (0.1, 0.1), (0.9, 0.9)


def unavailable(words: str) -> None:
    """A loud skip, or a failure if CI asks for it."""
    if os.environ.get("CI") or os.environ.get("PSMP_REQUIRE_DATA"):
        pytest.fail(words)
    words = f"SKIPPED: {words}"
    warnings.warn(words, stacklevel=3)
    pytest.skip(words)


def published(*parts: str) -> Path:
    """A place in the published data. Where there is none, a loud skip, or a failure if CI asks for it."""
    folder = Path(os.environ.get("PSMP_DATA", ROOT.parent / "shared" / "data")).joinpath(*parts)
    if not folder.exists():
        unavailable(f"{folder} is not there; set PSMP_DATA to the folder of the published data")
    return folder


def built(kind: str, name: str) -> Path:
    """A Rust program of this workspace, built now if it is not there: `bin` or `example`."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
    file = target / ("examples" if kind == "example" else "") / name
    if "PSMP_BUILT" not in os.environ or not file.exists():
        command = ["cargo", "build", "--quiet", "--locked", "--workspace", f"--{kind}", name]
        subprocess.run(command, cwd=ROOT, check=True)
    return file
