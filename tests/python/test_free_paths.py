"""The paths of arms beside pinocchio and coal: forty published problems of those that `free_paths.py` takes."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from conftest import ROOT, published, unavailable

import psmp

PANDA = [f"panda/{name}" for name in ("bookshelf_small", "box", "table_pick", "table_under_pick", "cage")]


@pytest.fixture(scope="module")
def panda():
    missing = [name for name in ("pinocchio", "coal", "yaml") if find_spec(name) is None]
    if missing:
        unavailable(f"{', '.join(missing)} cannot be imported; `pip install -r tests/python/requirements.txt`")
    return published("motion_bench_maker", "panda")


def test_no_path_touches_anything(panda):
    program = ROOT / "benches" / "python" / "free_paths.py"
    # So far apart are configurations that all depends on the proof.
    given = ["--sets", *PANDA, "--problems", "8", "--resolution", "0.2", "--configurations", "4000", "--seconds", "0.5"]
    done = subprocess.run([sys.executable, program, *given], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^panda/\S+ +(\w+) +(\w+) +(\d+) +(\d+)", done.stdout, flags=re.MULTILINE)
    assert len(rows) == len(PANDA) * 3 * 2 and all(int(problems) == 8 for *_, problems, _ in rows)
    # Nothing is proved by paths that were not found.
    solved = {kind: sum(int(row[3]) for row in rows if row[:2] == ("rrtconnect", kind)) for kind in ("raw", "straightened")}
    assert min(solved.values()) >= 30, done.stdout


def test_the_judge_sees_what_touches(panda):
    """A path planned as if nothing were there goes through the table, and a judge that holds still finds nothing."""
    import free_paths
    import judge

    problems = panda / "problems" / "table_under_pick"
    arm = psmp.Arm(panda / "panda.urdf", srdf=panda / "panda.srdf", group="panda_arm")
    request = psmp.Request(problems / "request0002.yaml")
    ends = arm.configuration(request.start), arm.configuration(request.goal)
    judges = judge.Judge(panda, problems, 2, arm.joints)
    assert np.array_equal(ends, (judges.start, judges.goal))
    run = psmp.plan_without_roadmap(arm.space, *ends, check=arm.checker(state=request.start))
    judged = free_paths.Judged(("", "", ""), 2, "solved")
    free_paths.judge_path(judges, run.finish().path, {}, judged)
    ((contact, q),) = judged.contacts
    assert contact.depth > 0.05 and contact.other.startswith("table") and not judged.wrong
    # Where one says free the other does, a hair's breadth from what touches too.
    exact = arm.checker(psmp.Scene(problems / "scene0002.yaml"), kind="exact", state=request.start)
    assert not exact(q)
    along = ends[0] + np.linspace(0, 1, 1000)[:, None] * (ends[1] - ends[0])
    assert [not judges.touches(q) for q in along] == exact(along).tolist()
