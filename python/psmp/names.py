"""The names that psmp knows, as types. Each list is the one of the Rust library; a test holds them together."""

from typing import Literal, TypeAlias

__all__ = ["ArmChecking", "BeliefName", "Proposer", "TreePlanner", "Validator"]

Proposer: TypeAlias = Literal[
    "psmp",
    "lazysp",
    "maxprob",
    "maxprob+",
    "pomp",
    "ei",
    "ei-tradeoffs",
    "ei-draws",
    "ei-refutation",
    "ei-joint",
    "ei-telling",
    "psmp+grow",
    "lazysp+grow",
    "maxprob+grow",
    "maxprob++grow",
    "pomp+grow",
]
BeliefName: TypeAlias = Literal["fs", "soft", "nn", "freq", "local", "latent", "ensemble"]
Validator: TypeAlias = Literal["coarse", "failfast", "forward", "backward", "alternate", "bisect"]
TreePlanner: TypeAlias = Literal["rrtconnect", "rrtconnect+shortcut", "rrtstar", "bitstar"]
ArmChecking: TypeAlias = Literal["refined", "spheres", "exact"]
