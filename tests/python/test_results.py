"""Results: frames, reprs and pictures."""

from __future__ import annotations

import subprocess
import sys
import types

import numpy as np
import pytest
from conftest import GOAL, START, wall

import psmp


@pytest.fixture(scope="module")
def result(roadmap):
    return psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, resolution=0.01).finish()


def test_frames(result):
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == [
        "configurations",
        "edges",
        "proposals",
        "length",
        "lower_bound_on_roadmap",
        "gap_on_roadmap",
        "seconds",
    ]
    assert np.array_equal(frame["length"], result.lengths) and frame["length"].is_monotonic_decreasing
    assert frame["gap_on_roadmap"].iloc[-1] == pytest.approx(
        (result.lengths[-1] - result.lower_bounds[-1]) / result.lower_bounds[-1]
    )
    # Through the Arrow interface, by those who know nothing of psmp.
    assert polars.DataFrame(result).equals(result.to_polars())
    import pyarrow

    assert pyarrow.table(result).equals(result.to_arrow())


def test_reprs(roadmap, result):
    assert (np.diff(result.bounds) > 0).all() and result.bounds[-1] == result.lower_bound_on_roadmap == result.length
    assert "length" in repr(result) and "shortest-on-roadmap" in repr(result)
    page = result._repr_html_()
    assert page.startswith("<table>") and "over the shortest on this roadmap" in page and "<svg" in page
    run = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, seed=0, check=wall, stop=psmp.edges(2))
    assert "none yet" in repr(run) and "<svg" not in run._repr_html_()
    assert "Roadmap of 300 vertices" in repr(roadmap)
    assert "checked, edge" in repr([e for e in run if e.kind == "checked"][0])
    assert repr(psmp.FiniteSet(psmp.Table(np.ones((3, 4), dtype=bool)))) == "<psmp belief `fs` from 3 known worlds>"


def test_plots(roadmap, result, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    import psmp.plot

    lazy = psmp.plan(roadmap, START, GOAL, fixed_roadmap=True, check=wall, proposer="lazysp", resolution=0.01)
    lazy.finish()
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5.5))
    image = np.array([[wall((x, y)) for x in np.linspace(0, 1, 101)] for y in np.linspace(1, 0, 101)])
    assert psmp.plot.world(result, image=image, ax=left) is left
    assert psmp.plot.anytime({"ours": result, "lazysp": lazy}, ax=right) is right
    # What is drawn is what was found.
    path = [line for line in left.lines if line.get_label().startswith("best path")]
    assert np.array_equal(path[0].get_xydata(), result.path)
    curve = [line for line in right.lines if line.get_label() == "ours"]
    assert curve[0].get_ydata()[0] == result.lengths[0]
    figure.savefig(tmp_path / "run.png", dpi=80)
    assert psmp.plot.anytime(result).get_xlabel() == "configurations checked"
    assert psmp.plot.anytime([result, lazy]) and psmp.plot.world(roadmap) and psmp.plot.world(lazy)
    solid = psmp.Roadmap.halton(psmp.Space.unit(3), 10)
    with pytest.raises(ValueError, match="3 dimensions"):
        psmp.plot.world(solid)
    with pytest.raises(ValueError, match=r"image must have shape \(height, width\), got \(3,\)"):
        psmp.plot.world(result, image=[1, 0, 1])
    plt.close("all")


def test_where_a_run_stands_is_shown_if_asked_for(roadmap, capsys):
    run = psmp.plan(roadmap, START, GOAL, check=wall, seed=0, stop=psmp.checks(500))
    run.finish(progress=True)
    assert "500 configurations" in capsys.readouterr().err
    psmp.plan(roadmap, START, GOAL, check=wall, seed=0, stop=psmp.checks(500)).finish()
    assert capsys.readouterr().err == ""


def test_in_a_notebook_it_is_shown_in_one_place(roadmap, monkeypatch):
    shown = []

    class Handle:
        def update(self, what):
            shown.append(what)

    display = types.ModuleType("IPython.display")
    display.HTML = str
    display.display = lambda what, display_id: (shown.append(what), Handle())[1]
    shell = types.ModuleType("IPython")
    shell.get_ipython = lambda: types.SimpleNamespace(kernel=None)
    shell.display = display
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("psmp.notebook.OFTEN", 0.0)
    run = psmp.plan(roadmap, START, GOAL, check=wall, seed=0, stop=psmp.checks(500))
    result = run.finish()
    assert len(shown) > 2 and f"{result.total_configurations} configurations" in shown[-1]
    shown.clear()
    psmp.plan(roadmap, START, GOAL, check=wall, seed=0, stop=psmp.checks(500)).finish(progress=False)
    assert not shown


@pytest.mark.parametrize("kind", ["plane", "arm"])
def test_rerun_has_what_happened(roadmap, kind, tmp_path):
    rerun = pytest.importorskip("rerun")
    recording = rerun.RecordingStream("psmp", make_default=False)
    recording.save(tmp_path / "run.rrd")
    if kind == "plane":
        run, drawn = psmp.plan(roadmap, START, GOAL, check=wall, proposer="lazysp", fixed_roadmap=True, seed=0), {}
    else:
        arm = psmp.Arm("planar-3")
        ends = [-0.9, 0.1, 0.1], [0.9, -0.1, -0.1]
        scene = psmp.Scene()
        scene.add("post", box=(0.1, 0.1, 0.4), pose=(0.75, 0, 0))
        check = arm.checker(scene)
        run = psmp.plan(arm.roadmap(100), *ends, check=check, proposer="lazysp", fixed_roadmap=True, seed=0)
        drawn = {"arm": arm}
    result = psmp.rerun.log(run, recording, **drawn)
    recording.flush()
    recording.disconnect()
    assert result.path is not None
    told = subprocess.run(
        [sys.executable, "-m", "rerun", "rrd", "print", "-vvv", tmp_path / "run.rrd"], capture_output=True, text=True, check=True
    ).stdout
    assert "/psmp/path" in told and "/psmp/length" in told and "/psmp/checked/" in told and "configurations" in told
