"""The examples and the README, run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from conftest import ROOT, published

EXAMPLES = ROOT / "examples" / "python"


def run(*command, folder):
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def lengths(output: str) -> list[float]:
    """The lengths of the paths that an example found on the way."""
    return [float(x) for x in re.findall(r"configurations: (?:length )?([\d.]+)", output)]


def test_an_image(tmp_path):
    pytest.importorskip("matplotlib")
    output = run(EXAMPLES / "image.py", "-o", "run.png", folder=tmp_path)
    found = lengths(output)
    assert found and found == sorted(found, reverse=True) and 1.6 < found[-1] < 1.8
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


def test_a_panda_with_pinocchio_and_coal(tmp_path):
    for module in ("pinocchio", "coal", "yaml"):
        pytest.importorskip(module)
    found = lengths(run(EXAMPLES / "panda.py", published("motion_bench_maker", "panda"), folder=tmp_path))
    assert found and found == sorted(found, reverse=True)


def test_an_arm_in_mujoco(tmp_path):
    pytest.importorskip("mujoco")
    found = lengths(run(EXAMPLES / "mujoco_arm.py", folder=tmp_path))
    assert found and found == sorted(found, reverse=True)


def test_an_arm(tmp_path):
    output = run(EXAMPLES / "arm.py", folder=tmp_path)
    found = lengths(output)
    assert found and found == sorted(found, reverse=True)
    # Over the wall, not through it.
    assert float(re.findall(r"rises to ([\d.]+) m", output)[0]) > 0.5


def test_an_arm_from_files(tmp_path):
    folder = published("motion_bench_maker", "panda")
    problem = folder / "problems" / "table_under_pick"
    given = ["--robot", folder / "panda.urdf", "--srdf", folder / "panda.srdf", "--scene", problem / "scene0002.yaml",
             "--request", problem / "request0002.yaml"]  # fmt: skip
    assert lengths(run(EXAMPLES / "arm.py", *given, folder=tmp_path))


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_readme(page, tmp_path):
    """Every Python block of a page, one after the other in one program."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    assert blocks, f"{page} has no Python"
    program = "\n".join(blocks)
    (tmp_path / "program.py").write_text(program)
    run("program.py", folder=tmp_path)
