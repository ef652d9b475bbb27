"""The examples and the README, run as they stand."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

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


def blocks(page: Path) -> list[str]:
    """The Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)


PAGES = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in ROOT.glob("docs/*.md") if blocks(page))]


def run_program(program: str, folder: Path) -> str:
    for robot in EXAMPLES.glob("*.urdf"):
        shutil.copy(robot, folder)
    (folder / "program.py").write_text(program)
    return run("program.py", folder=folder)


@pytest.mark.parametrize("page", PAGES)
def test_a_page(page, tmp_path):
    """Every Python block of a page, one after the other in one program."""
    run_program("\n".join(blocks(ROOT / page)), tmp_path)


@pytest.mark.parametrize(("page", "shortest", "longest"), [("maps", 1.65, 1.8), ("arms", 3, 6), ("own-checker", 1.6, 4)])
def test_ten_lines(page, shortest, longest, tmp_path):
    """A map, an arm from a URDF with a goal in space, a model of MuJoCo: what the page begins with, by itself."""
    program = blocks(ROOT / "docs" / f"{page}.md")[0]
    without_model = re.sub(r'""".*?"""', "", program, flags=re.DOTALL)
    assert sum(bool(line) for line in without_model.splitlines()) <= 10
    length = float(re.findall(r"path: length ([\d.]+)", run_program(program, tmp_path))[0])
    assert shortest < length < longest


def test_a_notebook(tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    file = ROOT / "docs" / "notebook.ipynb"
    stored = nbformat.read(file, as_version=4)
    assert not any(cell.get("outputs") for cell in stored.cells), f"clear the outputs of {file}"
    done = nbclient.NotebookClient(stored, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    given = [output.data for cell in done.cells for output in cell.get("outputs", []) if "data" in output]
    films = [data["text/html"] for data in given if data.get("text/html", "").startswith("<iframe srcdoc=")]
    assert len(films) == 2 and all(re.search(r"length [\d.]+ after", film) for film in films)
    assert sum("image/png" in data for data in given) == 3
