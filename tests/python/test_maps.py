"""Maps: as checkers, and what many of them teach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import psmp

START, GOAL = (0.1, 0.1), (0.9, 0.1)


def picture(file: Path, gap: float, pixels: int = 101) -> Path:
    """A wall with a gap at this height, as a PGM picture."""
    x, y = np.meshgrid(np.linspace(0, 1, pixels), np.linspace(1, 0, pixels))
    free = (abs(x - 0.5) > 0.05) | (abs(y - gap) < 0.08)
    file.write_bytes(f"P5 {pixels} {pixels} 255\n".encode() + (free * 255).astype(np.uint8).tobytes())
    return file


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    folder = tmp_path / "maps"
    folder.mkdir()
    for number in range(1, 9):
        picture(folder / f"{number}.pgm", number / 10)
    return folder


def test_a_map_checks_without_python_and_says_of_places_whether_they_are_free(tmp_path):
    new = psmp.Map(picture(tmp_path / "new.pgm", 0.7), robot_radius=0.02)
    assert new([0.1, 0.1]) is True and new([0.5, 0.1]) is False
    assert new([[0.1, 0.1], [0.5, 0.1], [0.5, 0.7]]).tolist() == [True, False, True]
    assert new.bounds.tolist() == [[0, 1], [0, 1]] and new.robot_radius == 0.02
    assert "new.pgm" in repr(new)
    roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 300)
    run = psmp.plan(roadmap, START, GOAL, check=new, stop=psmp.checks(20_000))
    result = run.finish()
    assert result.path is not None and new(result.path).all()
    # A path is free all along, and not only at its vertices.
    along = np.concatenate([np.linspace(a, b, 200) for a, b in zip(result.path, result.path[1:], strict=False)])
    assert new(along).all()
    assert psmp.plan(roadmap, 0, 1, check=new).finish().ending == "shortest-on-roadmap"


def test_what_maps_teach_is_planned_with_by_one_file(tmp_path, maps):
    file = tmp_path / "office.belief"
    office = psmp.learn_maps(maps, file, vertices=200, robot_radius=0.01, progress=False)
    assert office.roadmap.vertex_count == 200
    assert not (tmp_path / "office.belief.parts").exists()
    new = picture(tmp_path / "new.pgm", 0.45)

    def first(belief: psmp.Belief | None) -> int:
        check = psmp.Map(new, robot_radius=0.01)
        run = psmp.plan(office.roadmap, START, GOAL, check=check, belief=belief, fixed_roadmap=True, seed=0)
        return next(event.configurations for event in run if event.kind == "improved")

    assert first(office) < first(None)
    again = psmp.open_belief(file)
    runs = [
        psmp.plan(belief.roadmap, START, GOAL, check=belief.map(new), belief=belief, stop=psmp.checks(2_000)).finish()
        for belief in (office, again)
    ]
    assert runs[0].fingerprint == runs[1].fingerprint


def test_what_does_not_go_together_is_told(tmp_path, maps):
    file = tmp_path / "office.belief"
    office = psmp.learn_maps([maps], file, vertices=50, robot_radius=0.01)
    new = picture(tmp_path / "new.pgm", 0.5)
    with pytest.raises(ValueError, match=r"radius of 0\.01, not of 0\.02"):
        psmp.plan(office.roadmap, START, GOAL, check=psmp.Map(new, robot_radius=0.02), belief=office)
    with pytest.raises(ValueError, match=r"resolution of 0\.01, not of 0\.5"):
        psmp.plan(office.roadmap, START, GOAL, check=office.map(new), belief=office, resolution=0.5)
    (tmp_path / "wide.pgm").write_bytes(b"P5 4 2 255\n" + b"\xff" * 8)
    with pytest.raises(OSError, match="wide.pgm"):
        office.map(tmp_path / "wide.pgm")
    with pytest.raises(OSError, match="wide.pgm"):
        psmp.learn_maps([maps, tmp_path / "wide.pgm"], tmp_path / "other.belief")
    with pytest.raises(FileNotFoundError, match="none.png"):
        psmp.learn_maps("none.png", tmp_path / "other.belief")
    with pytest.raises(ValueError, match="robot_radius"):
        psmp.learn_maps(maps, tmp_path / "other.belief", robot_radius=-1)
    with pytest.raises(ValueError, match="maps"):
        psmp.learn_maps([], tmp_path / "other.belief")
    with pytest.raises(TypeError, match="not learned from maps"):
        psmp.Local().map(new)


def test_maps_lie_where_they_are_said_to(tmp_path, maps):
    bounds = [(-2, 2), (-2, 2)]
    office = psmp.learn_maps(maps, tmp_path / "office.belief", vertices=50, bounds=bounds)
    assert office.map(picture(tmp_path / "new.pgm", 0.5)).bounds.tolist() == [[-2, 2], [-2, 2]]
    with pytest.raises(OSError, match="office.belief"):
        psmp.open_belief(tmp_path / "office.belief", psmp.Roadmap.halton(bounds, 51))
