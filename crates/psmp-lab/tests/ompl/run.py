"""Plans with OMPL in the worlds that `ompl.rs` has written, and prints what each run came to.

`python run.py FOLDER`: FOLDER/problems.json names the worlds, their raw cells, start and goal, and for
each planner its name, seeds and budget. Every configuration that OMPL asks about counts as one. A line
of JSON for each run: planner, world, seed, and the better paths as [configurations, length].
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

from ompl import base, geometric, util

util.setLogLevel(util.LOG_NONE)


class World:
    """Cells of the unit square, the centres of the outermost ones on its bounds."""

    def __init__(self, cells: bytes, width: int, height: int) -> None:
        self.cells, self.width, self.height = cells, width, height
        self.asked = 0

    def is_free(self, state) -> bool:
        self.asked += 1
        x, y = state[0], state[1]
        column = int(x * (self.width - 1) + 0.5)
        row = int((1 - y) * (self.height - 1) + 0.5)
        return self.cells[row * self.width + column] != 0


def planner_named(name: str, si: base.SpaceInformation):
    if name == "rrtconnect":
        return geometric.RRTConnect(si)
    if name == "rrtconnect, unlimited":
        planner = geometric.RRTConnect(si)
        planner.setRange(1e9)
        return planner
    if name == "rrtconnect, intermediate":
        planner = geometric.RRTConnect(si)
        planner.setRange(1e9)
        planner.setIntermediateStates(True)
        return planner
    if name == "rrtstar":
        planner = geometric.RRTstar(si)
        planner.setFocusSearch(True)
        return planner
    if name == "bitstar":
        return geometric.BITstar(si)
    raise SystemExit(f"no planner is named {name!r}")


def run(name: str, world: World, start, goal, resolution: float, budget: int | None):
    space = base.RealVectorStateSpace(2)
    bounds = base.RealVectorBounds(2)
    bounds.setLow(0.0)
    bounds.setHigh(1.0)
    space.setBounds(bounds)
    si = base.SpaceInformation(space)
    world.asked = 0
    si.setStateValidityChecker(world.is_free)
    si.setStateValidityCheckingResolution(resolution / space.getMaximumExtent())
    si.setup()
    problem = base.ProblemDefinition(si)
    ends = []
    for q in (start, goal):
        state = space.allocState()
        state[0], state[1] = q
        ends.append(state)
    problem.setStartAndGoalStates(*ends)
    planner = planner_named(name, si)
    planner.setProblemDefinition(problem)
    planner.setup()
    if budget is None:
        planner.solve(base.PlannerTerminationCondition(lambda: False))
        return [[world.asked, problem.getSolutionPath().length()]]
    found: list[list[float]] = []

    def is_over() -> bool:
        """Asked before every iteration, so that it sees each better path when it is new."""
        cost = planner.bestCost().value()
        if cost < (found[-1][1] if found else math.inf):
            found.append([world.asked, cost])
        # Beyond the budget only until there is a path, and not for ever.
        return world.asked >= budget and (bool(found) or world.asked >= 50 * budget)

    planner.solve(base.PlannerTerminationCondition(is_over))
    return found


def main() -> None:
    folder = Path(sys.argv[1])
    problems = json.loads((folder / "problems.json").read_text())
    # One seed for all, set once: OMPL seeds every generator after the first from it.
    util.RNG.setSeed(1)
    for task in problems["planners"]:
        for number, entry in enumerate(problems["worlds"]):
            cells = (folder / entry["cells"]).read_bytes()
            world = World(cells, entry["width"], entry["height"])
            for seed in range(task["seeds"]):
                found = run(
                    task["name"], world, entry["start"], entry["goal"], problems["resolution"], task["budget"]
                )
                print(json.dumps({"planner": task["name"], "world": number, "seed": seed, "found": found}), flush=True)


if __name__ == "__main__":
    main()
