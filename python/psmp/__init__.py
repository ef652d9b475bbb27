"""Anytime motion planning on roadmaps whose edges are expensive to check.

Put a roadmap, your own collision checker and, where you have any, experience of similar worlds
together, and iterate over what the planner does::

    import psmp

    roadmap = psmp.Roadmap.halton([(0, 1), (0, 1)], 300)
    run = psmp.plan(roadmap, (0.1, 0.1), (0.9, 0.9), check=is_free, stop=psmp.gap(0.01))
    for event in run:
        if event.kind == "improved":
            print(event.best_length, event.path)

Start with :func:`plan`. :class:`Roadmap` has the constructors of roadmaps, :func:`learn` and its
neighbours in this list make beliefs, :func:`checks`, :func:`gap` and the like say when to stop.
:class:`Arm` reads a robot and a scene and checks without any Python, and :class:`Map` a map;
A :class:`Planner` lives on from query to query while its scene changes.
:func:`learn_maps` learns from maps. :func:`plan_without_roadmap` has RRTConnect and its like.
``psmp.plot`` draws (with matplotlib); :func:`table` and :func:`sweep` do long work on all cores or
on a Ray cluster.
"""

from psmp import adapters, plot, rerun
from psmp._psmp import (
    Arm,
    ArmChecker,
    Belief,
    Dataset,
    Edge,
    Event,
    Film,
    Map,
    Memory,
    RecordedWorld,
    Request,
    Roadmap,
    Scene,
    Space,
    Stop,
    Table,
    Trajectory,
    __version__,
)
from psmp.beliefs import (
    Constant,
    Ensemble,
    FiniteSet,
    Frequencies,
    Latent,
    Local,
    NearestNeighbour,
    SoftSet,
    learn,
    learn_maps,
    open_belief,
)
from psmp.checkers import Checker, InProcesses, OnBatches, OnEdges, in_processes, on_batches, on_edges
from psmp.paths import Certificate, certify, shortcut
from psmp.planner import Planner
from psmp.planning import Run, plan, plan_without_roadmap
from psmp.result import Result
from psmp.stopping import checks, edges, gap, never, proposals, seconds
from psmp.sweeps import sweep
from psmp.tables import table

__all__ = [
    "Arm",
    "ArmChecker",
    "Belief",
    "Certificate",
    "Checker",
    "Constant",
    "Dataset",
    "Edge",
    "Ensemble",
    "Event",
    "Film",
    "FiniteSet",
    "Frequencies",
    "InProcesses",
    "Latent",
    "Local",
    "Map",
    "Memory",
    "NearestNeighbour",
    "OnBatches",
    "OnEdges",
    "Planner",
    "RecordedWorld",
    "Request",
    "Result",
    "Roadmap",
    "Run",
    "Scene",
    "SoftSet",
    "Space",
    "Stop",
    "Table",
    "Trajectory",
    "__version__",
    "adapters",
    "certify",
    "checks",
    "edges",
    "gap",
    "in_processes",
    "learn",
    "learn_maps",
    "never",
    "on_batches",
    "on_edges",
    "open_belief",
    "plan",
    "plan_without_roadmap",
    "plot",
    "proposals",
    "rerun",
    "seconds",
    "shortcut",
    "sweep",
    "table",
]
