"""BLIT* of OMPL, which the wheel's library has and its Python module does not.

The planner is made and driven by the library's own functions, found by their names. Its arguments are shared pointers,
which any planner that the module does have holds as its first two members; where an object of the module has its C++
object is as nanobind lays it out. Both are true of ompl 2.0.1, which is asked for, and are looked at before use.
"""

from __future__ import annotations

import ctypes
from importlib import metadata
from pathlib import Path
from typing import Any

import ompl
from ompl import base, geometric

VERSION = "2.0.1"
# Of one planner, in bytes; it takes about 11 kB.
ROOM = 1 << 16
CLASS = "_ZN4ompl9geometric8BLITstar"
MADE = CLASS + "C1ERKSt10shared_ptrINS_4base16SpaceInformationEE"
GIVEN = "_ZN4ompl4base7Planner20setProblemDefinitionERKSt10shared_ptrINS0_17ProblemDefinitionEE"
SOLVED = CLASS + "5solveERKNS_4base27PlannerTerminationConditionE"
UNMADE = CLASS + "D1Ev"


class BLITstar:
    """BLIT*, as OMPL sets it."""

    def __init__(self, information: base.SpaceInformation, definition: base.ProblemDefinition) -> None:
        if (version := metadata.version("ompl")) != VERSION:
            raise RuntimeError(f"BLIT* is known how to be called in ompl {VERSION}, and this is {version}")
        # Functions of the module call Python back, and so hold its lock.
        self._library = ctypes.PyDLL(str(Path(ompl.__file__).parent / "libompl.so"))
        holder = geometric.BITstar(information)
        holder.setProblemDefinition(definition)
        pointers = [address_of(holder) + place for place in (8, 24)]
        for pointer, to in zip(pointers, (information, definition), strict=True):
            if ctypes.c_uint64.from_address(pointer).value != address_of(to):
                raise RuntimeError("a planner of this ompl is laid out in another way")
        self._definition = definition
        self._room = (ctypes.c_uint64 * (ROOM // 8))()
        self._call(MADE, pointers[0])
        self._call(GIVEN, pointers[1])

    def solve(self, until: base.PlannerTerminationCondition) -> None:
        """Plans, or goes on planning; the best path is in the definition then."""
        self._definition.clearSolutionPaths()
        self._call(SOLVED, address_of(until))

    def __del__(self) -> None:
        self._call(UNMADE)

    def _call(self, function: str, *arguments: int) -> None:
        given = (ctypes.addressof(self._room), *arguments)
        getattr(self._library, function)(*map(ctypes.c_void_p, given))


def address_of(thing: Any) -> int:
    """Where the C++ object of one of the module's objects is: within it, or where it points to."""
    offset = ctypes.c_int32.from_address(id(thing) + 16).value
    within = ctypes.c_uint32.from_address(id(thing) + 20).value >> 2 & 1
    place = id(thing) + offset
    return place if within else int(ctypes.c_uint64.from_address(place).value)
