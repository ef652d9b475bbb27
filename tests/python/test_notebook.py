"""What a notebook shows of runs and results: a film within the page, and a bar while they go on."""

from __future__ import annotations

import html
import json
import pickle
import re
import sys
import types

import numpy as np
import psmp
import pytest
from conftest import GOAL, START, wall


def page_of(shown: str) -> str:
    """The document within an iframe."""
    (source,) = re.findall(r'<iframe srcdoc="([^"]*)"', shown)
    return html.unescape(source)


def data_of(page: str, what: str) -> list:
    return json.loads(page.split(f'id="{what}">')[1].split("</script>")[0])


def is_alone(page: str) -> bool:
    """Whether a page asks for nothing that is not in it."""
    outside = re.findall(r'(?:src|href)\s*=\s*["\']?(?!#|data:)[^"\'\s>]+|url\((?!["\']?(?:data:|#))|@import|https?://[^\s"\'<]+', page)
    return [one for one in outside if "www.w3.org" not in one] == []


def recorded(**options) -> psmp.Result:
    roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 300)
    return psmp.plan(roadmap, START, GOAL, check=wall, seed=0, stop=psmp.checks(3000), **options).finish()


def test_a_film_changes_nothing_and_is_there_where_it_is_asked_for():
    plain, filmed = recorded(), recorded(record=True)
    assert plain == filmed and plain.film is None and "iframe" not in plain._repr_html_()
    shown = filmed._repr_html_()
    page = page_of(shown)
    assert page == filmed.film.html() and is_alone(page) and 'sandbox="allow-scripts"' in shown
    (film,) = data_of(page, "films")
    frames = film["films"][0]["frames"]
    assert len(frames) > 20, "what happened"
    assert pickle.loads(pickle.dumps(filmed)).film.html() == page


def test_a_run_shows_itself_at_any_moment_and_after_it_is_closed(tmp_path):
    roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 300)
    run = psmp.plan(roadmap, START, GOAL, check=wall, seed=0, record=True, stop=psmp.checks(300))
    assert "iframe" in run._repr_html_(), "before it has begun"
    early = run.finish().film.html()
    late = run.until(psmp.checks(3000)).finish()
    count = lambda page: len(data_of(page, "films")[0]["films"][0]["frames"])  # noqa: E731
    assert count(late.film.html()) > count(early)
    run.close()
    assert count(run.film.html()) == count(late.film.html())
    run.film.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text() == run.film.html()


def test_maps_arms_worlds_and_graphs_are_shown(tmp_path):
    pixels = np.full((60, 60), 255, np.uint8)
    pixels[10:, 27:33] = 0
    (tmp_path / "map.pgm").write_bytes(b"P5 60 60 255\n" + pixels.tobytes())
    office = psmp.Map(tmp_path / "map.pgm", robot_radius=0.02)
    options = {"record": True, "seed": 0, "stop": psmp.checks(800)}
    in_map = psmp.plan(psmp.Roadmap.halton(office.bounds, 200), (0.1, 0.1), (0.9, 0.1), check=office, **options).finish()
    (film,) = data_of(in_map.film.html(), "films")
    assert film["worlds"], "with its obstacles"
    arm, scene = psmp.Arm("planar-3"), psmp.Scene()
    scene.add("post", box=(0.1, 0.1, 0.4), pose=(0.75, 0, 0))
    ends = [-0.9, 0.1, 0.1], [0.9, -0.1, -0.1]
    moved = psmp.plan(arm.roadmap(100), *ends, check=arm.checker(scene), **options).finish()
    (motions,) = data_of(moved.film.html(), "motions")
    assert motions["motions"] and motions["links"] and motions["worlds"][0]["objects"] and is_alone(moved.film.html())
    maze = psmp.Dataset.make("maze", 5)
    known = psmp.plan(maze.roadmap, maze.start, maze.goal, check=maze.check(4), belief=psmp.learn(maze.table), record=True, seed=0)
    assert data_of(known.finish().film.html(), "films")[0]["worlds"]
    grown = psmp.plan_without_roadmap([(0, 1), (0, 1)], START, GOAL, check=wall, record=True)
    assert is_alone(grown.finish().film.html())
    graph = psmp.Roadmap.from_edges([(0, 1), (1, 2), (0, 2)], [1.0, 1.0, 3.0])
    abstract = psmp.plan(graph, 0, 2, check=psmp.on_edges(lambda edge: edge.id != 1), belief=psmp.Constant(0.9), record=True)
    assert is_alone(abstract.finish().film.html())


def test_in_a_notebook_runs_are_recorded_and_a_bar_goes_along(monkeypatch):
    """As IPython would do it: a shell with a kernel, and a display that can be updated."""
    shown: list[str] = []

    class Handle:
        def update(self, what):
            shown.append(what)

    display = types.ModuleType("IPython.display")
    display.HTML = lambda text: text
    display.display = lambda what, display_id: shown.append(what) or Handle()
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    module.display = display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("psmp.notebook.OFTEN", 0.0)
    result = recorded()
    shares = [float(value) for text in shown for value in re.findall(r'<progress value="([^"]*)"', text)]
    assert len(shares) > 50 and shares == sorted(shares) and shares[0] < 0.2 and shares[-1] == 1.0
    assert "iframe" in result._repr_html_() and recorded(record=False).film is None
    # Who plans again and again does not fill the memory with films; who has asked for one has it.
    asked_for = recorded(record=True)
    monkeypatch.setattr("psmp.notebook.LATEST", 2)
    others = [recorded() for _ in range(3)]
    assert "iframe" not in result._repr_html_() and "<table>" in result._repr_html_()
    assert ["iframe" in other._repr_html_() for other in others] == [False, True, True]
    assert "iframe" in asked_for._repr_html_()
    with pytest.raises(ValueError, match="let go of"):
        result.film.html()
    # Without an end that can be told there is a bar without a value.
    shown.clear()
    psmp.plan(psmp.Roadmap.halton([(0, 1), (0, 1)], 300), START, GOAL, check=wall, seed=0, stop=psmp.gap(0.2)).finish()
    assert any("<progress>" in text for text in shown)


NOTEBOOK = [
    """
import psmp
roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 300)
run = psmp.plan(roadmap, (0.1, 0.1), (0.9, 0.9), check=lambda q: not 0.45 < q[0] < 0.55 or q[1] > 0.8, stop=psmp.checks(3000))
run.finish()
""",
    "run",
]


def test_a_real_notebook():
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in NOTEBOOK])
    nbclient.NotebookClient(notebook, timeout=120).execute()
    first, second = ([one["data"]["text/html"] for one in cell.outputs] for cell in notebook.cells)
    assert len(first) == 2 and '<progress value="1.000">' in first[0], "a bar, and then the film"
    assert is_alone(page_of(first[1])) and page_of(second[0]) == page_of(first[1])
