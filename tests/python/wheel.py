"""Builds the wheel, and installs it twice: here, and in an empty environment with numpy alone and no Rust, where
it must plan. Run by `cargo xtask test` with the Python of a fresh environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "python"

def blocks(page: str, count: int) -> str:
    """The first Python blocks of a page, as one program."""
    found = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    return "\n".join(found[:count])


TEN_LINES = """
import sys, psmp
roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 300)
run = psmp.plan(roadmap, (0.1, 0.1), (0.9, 0.9), check=lambda q: not 0.45 < q[0] < 0.55 or q[1] > 0.8)
assert run.finish().ending == "settled" and run.path.shape[1] == 2
assert not {"pyarrow", "matplotlib", "ray", "pandas"} & set(sys.modules)
print(run)
"""


def run(*command: str | Path, environment: dict[str, str] | None = None) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], cwd=ROOT, check=True, env=environment)


def main() -> None:
    wheels = WORK / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    # Of what the Rust tests have compiled already.
    maturin = Path(sys.executable).with_name("maturin")
    build = ("build", "--locked", "--profile", "dev", "--features", "as-tested")
    run(maturin, *build, "--interpreter", sys.executable, "--out", wheels)
    (wheel,) = wheels.iterdir()
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(sys.executable, *pip, "--force-reinstall", "--no-deps", wheel)
    bare = WORK / "bare"
    venv.create(bare, clear=True, with_pip=True)
    python = bare / "bin" / "python"
    without_rust = {name: value for name, value in os.environ.items() if not name.startswith(("CARGO", "RUST"))}
    without_rust["PATH"] = str(python.parent)
    run(python, *pip, wheel, environment=without_rust)
    # What the pages show first, and so learning from a table, takes no more either.
    for program in (TEN_LINES, blocks("README.md", 1), blocks("docs/python.md", 2)):
        subprocess.run([python, "-c", program], cwd=WORK, check=True, env=without_rust)


if __name__ == "__main__":
    main()
