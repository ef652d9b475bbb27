"""The compiled half of psmp."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, final, type_check_only

import numpy as np
import numpy.typing as npt
from typing_extensions import Self, disjoint_base

from psmp.names import ArmChecking

__all__ = [
    "Arm",
    "ArmChecker",
    "Belief",
    "Dataset",
    "Edge",
    "Engine",
    "Event",
    "Film",
    "Map",
    "Memory",
    "RecordedWorld",
    "Request",
    "Roadmap",
    "Run",
    "Scene",
    "Space",
    "Stop",
    "Table",
    "Trajectory",
    "__version__",
    "check_edges",
    "first_unproved",
    "learn_maps",
    "names",
    "on_roadmap",
    "open_belief",
    "row_of_another",
    "shortcut",
    "sweep_rows",
    "without_roadmap",
]

__version__: str

_EventKind = Literal[
    "proposed",
    "no-improvement",
    "partly-checked",
    "proved",
    "checked",
    "probed",
    "grown",
    "tried",
    "improved",
    "shortest-on-roadmap",
    "no-path-on-roadmap",
    "straight-line",
    "gave-up",
    "settled",
    "priced",
]

@final
class Space:
    """The space of configurations: bounds of shape (d, 2), weights, and which axes wrap around.

    A weight scales an axis's part of every distance. An axis that wraps around, such as the angle of
    a continuous joint, has its two ends joined.
    """

    def __new__(
        cls, bounds: npt.ArrayLike, *, weights: npt.ArrayLike | None = None, wraps: npt.ArrayLike | None = None
    ) -> Self: ...
    @staticmethod
    def unit(dimension: int) -> Space:
        """The unit cube."""

    @property
    def dimension(self) -> int: ...
    @property
    def bounds(self) -> npt.NDArray[np.float64]: ...
    @property
    def weights(self) -> npt.NDArray[np.float64]: ...
    @property
    def wraps(self) -> npt.NDArray[np.bool_]: ...
    def distance(self, a: npt.ArrayLike, b: npt.ArrayLike) -> float:
        """The weighted distance, the shorter way round on wrapping axes."""

    @staticmethod
    def _of(bounds: npt.ArrayLike, weights: npt.ArrayLike, wraps: npt.ArrayLike) -> Space: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Roadmap:
    """A graph of configurations and the motions between them.

    ``space`` is a :class:`Space`, or its bounds as an array of shape (d, 2). Vertices are joined
    within ``radius`` or to their ``nearest`` ones; if neither is given, within PRM*'s radius, which
    in many dimensions is large.
    """

    @staticmethod
    def halton(
        space: Space | npt.ArrayLike, vertices: int, *, radius: float | None = None, nearest: int | None = None
    ) -> Roadmap:
        """Vertices spread evenly, the same every time."""

    @staticmethod
    def uniform(
        space: Space | npt.ArrayLike,
        vertices: int,
        *,
        seed: int = 0,
        radius: float | None = None,
        nearest: int | None = None,
    ) -> Roadmap:
        """Random vertices, by the seed."""

    @staticmethod
    def lattice(space: Space | npt.ArrayLike, counts: list[int] | tuple[int, ...]) -> Roadmap:
        """A regular lattice with so many vertices along each axis."""

    @staticmethod
    def from_configurations(
        configurations: npt.ArrayLike,
        space: Space | npt.ArrayLike,
        *,
        radius: float | None = None,
        nearest: int | None = None,
    ) -> Roadmap:
        """Vertices that you give, as an array of shape (n, d)."""

    @staticmethod
    def from_edges(
        edges: npt.ArrayLike,
        lengths: npt.ArrayLike | None = None,
        *,
        configurations: npt.ArrayLike | None = None,
        space: Space | npt.ArrayLike | None = None,
        vertices: int | None = None,
        directed: bool = False,
    ) -> Roadmap:
        """Edges that you give, as pairs of vertices of shape (m, 2).

        Lengths follow from the configurations where they are not given. Without configurations the
        roadmap can be planned on with a checker of edges.
        """

    @staticmethod
    def read_graphml(path: str | PathLike[str]) -> Roadmap:
        """Reads a GraphML file."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a GraphML file, which :meth:`read_graphml` and the command line read."""

    def with_query(
        self,
        start: npt.ArrayLike,
        goal: npt.ArrayLike,
        *,
        radius: float | None = None,
        nearest: int | None = None,
    ) -> tuple[Roadmap, int, int]:
        """The roadmap with a start and a goal joined to it, and which vertices they are.

        Vertices and edges that were there keep their numbers, so that tables still fit.
        """

    @property
    def vertex_count(self) -> int: ...
    @property
    def edge_count(self) -> int: ...
    @property
    def directed(self) -> bool: ...
    @property
    def space(self) -> Space | None: ...
    @property
    def configurations(self) -> npt.NDArray[np.float64] | None:
        """The configurations, one a row, in the roadmap's own memory: not to be written to."""

    @property
    def edges(self) -> npt.NDArray[np.uint32]:
        """The vertices at the ends of each edge, of shape (m, 2)."""

    @property
    def lengths(self) -> npt.NDArray[np.float64]:
        """The length of each edge."""

    @staticmethod
    def _of(
        vertices: int,
        edges: npt.ArrayLike,
        lengths: npt.ArrayLike,
        directed: bool,
        embedding: tuple[npt.ArrayLike, Space] | None,
        connection: tuple[float | None, int | None],
    ) -> Roadmap: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Arm:
    """A robot arm: the joints of a robot that are planned for, everything else held still.

    ``robot`` is a URDF file, or the name of a shipped model: ``panda-like``, ``wam-like``,
    ``ur5-like``, or ``planar-4`` for any number of joints. ``srdf`` has its groups, of which ``group``
    is planned for, and says which links are never checked against each other; without it pairs of links
    that need no check are found by sampling, and the groups are ``arm``, the longest chain without the
    hand at its end, and ``all``. ``spheres`` is how many spheres cover the robot for quick checks, at
    most; covers, pairs and roadmaps are kept in the user's cache. Meshes are read from the URDF's folder and from packages; folders in
    ``allow_paths`` may be named too.

    >>> arm = psmp.Arm("panda-like")
    >>> arm.dof, arm.joints[0]
    (7, 'joint1')
    """

    def __new__(
        cls,
        robot: str | PathLike[str],
        *,
        srdf: str | PathLike[str] | None = None,
        group: str | None = None,
        spheres: int = 256,
        allow_paths: Sequence[str | PathLike[str]] = ...,
    ) -> Self: ...
    @property
    def name(self) -> str:
        """The robot's name."""

    @property
    def group(self) -> str: ...
    @property
    def dof(self) -> int:
        """How many numbers a configuration has."""

    @property
    def joints(self) -> list[str]:
        """The joint of each number of a configuration."""

    @property
    def links(self) -> list[str]: ...
    @property
    def states(self) -> list[str]:
        """The states that have a name, such as ``home``."""

    @property
    def space(self) -> Space:
        """The space of configurations, by the joints' limits."""

    def configuration(self, state: str | dict[str, float]) -> npt.NDArray[np.float64]:
        """The configuration of a named state, or of joints at these positions.

        Joints that are not planned for may be named too, as in ``arm.configuration(request.start)``.
        """

    def inverse(
        self,
        pose: npt.ArrayLike,
        link: str | None = None,
        *,
        near: npt.ArrayLike | str | dict[str, float] | None = None,
        tolerance: tuple[float, float] = ...,
        solutions: int = 8,
        restarts: int = 200,
        apart: float = 0.1,
        seed: int = 0,
    ) -> npt.NDArray[np.float64]:
        """Configurations that bring a link, by default the last of the group's chain, to a pose: inverse kinematics.

        ``pose`` is a matrix (4, 4) as of :meth:`pose`, a position and a quaternion (x, y, z, qx, qy, qz,
        qw), or a position alone; in the frame of the robot's root. ``tolerance`` is how far from there
        it may be, in metres and in radians. Gives at most so many ``solutions``, one a row, at least
        ``apart`` from each other, the nearest to ``near`` first. They come from ``near`` and from random
        configurations, begun anew at most ``restarts`` times, and are the same for the same ``seed``. A
        pose that none reaches is a ``ValueError`` that tells how near the nearest comes.

        >>> arm = psmp.Arm("ur5-like")
        >>> q = arm.inverse(arm.pose(arm.configuration("home")), near="home")
        >>> bool(abs(q[0] - arm.configuration("home")).max() < 1e-6)
        True
        """

    def goals(self, request: Request) -> npt.NDArray[np.float64]:
        """The configurations that a request may end in, one a row, the nearest to its start first."""

    def pose(self, q: npt.ArrayLike, link: str | None = None) -> npt.NDArray[np.float64]:
        """Where a link is, by default the tool: a matrix (4, 4), or (n, 4, 4) for q of shape (n, dof)."""

    def roadmap(self, vertices: int = 10000, *, nearest: int = 15, seed: int | None = None) -> Roadmap:
        """A roadmap of configurations in which the arm does not collide with itself.

        It serves in any scene. Vertices are spread evenly, or drawn at random by ``seed``.
        """

    def checker(
        self,
        scene: Scene | None = None,
        *,
        kind: ArmChecking = "refined",
        state: dict[str, float] | None = None,
        allow: Sequence[tuple[str, str]] = ...,
    ) -> ArmChecker:
        """The arm in a scene as a checker, for :func:`psmp.plan` or to be called.

        ``refined`` checks by spheres, and by the true shapes where the spheres touch; ``spheres`` is
        quicker and too careful; ``exact`` asks the true shapes only. A path is given out only when
        all of its motions are proved free all along, and not only at configurations. Joints that are
        not planned for stay where ``state`` has them, such as ``request.start``, or else the scene. The
        pairs in ``allow`` may touch: links, things that are held, or objects of the scene.
        """

    def trajectory(
        self,
        path: npt.ArrayLike,
        *,
        velocity: float | None = None,
        acceleration: float = 1.0,
        period: float = 0.01,
    ) -> Trajectory:
        """A path with times, which keeps to its straight motions and rests at its vertices.

        Velocities are limited as the URDF says, or by ``velocity``; accelerations of all joints by
        ``acceleration``. Instants are at most ``period`` seconds apart.
        """

    @staticmethod
    def _of(bytes: bytes) -> Arm: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class ArmChecker:
    """An arm in a scene; made by :meth:`Arm.checker`.

    Called on a configuration it says whether it is free, called on an array of shape (n, dof) which
    of them are. Given to :func:`psmp.plan` it checks without Python.
    """

    @property
    def kind(self) -> ArmChecking: ...
    @property
    def dof(self) -> int: ...
    def __call__(self, q: npt.ArrayLike) -> Any: ...
    def contact(self, q: npt.ArrayLike) -> tuple[str, str] | None:
        """What touches what in a configuration, by the true shapes; None if nothing does."""

    @staticmethod
    def _of(bytes: bytes) -> ArmChecker: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Scene:
    """What stands around a robot: a MoveIt planning scene (YAML), a scene in TOML, or one that is put together here.

    A file with nothing in it is taken for a mistake, unless ``empty`` is true; without a file the scene begins
    with nothing. Meshes and point clouds are read from the scene's folder and from packages; folders in
    ``allow_paths`` may be named too. A point cloud without points is a ``UserWarning``, and nothing of it is
    in the way. A checker that was made of a scene has it as it was then.

    >>> scene = psmp.Scene()
    >>> scene.add("post", box=(0.1, 0.1, 1), pose=(0.4, 0, 0.5))
    >>> scene.objects
    ['post']
    """

    def __new__(
        cls,
        path: str | PathLike[str] | None = None,
        *,
        empty: bool = False,
        allow_paths: Sequence[str | PathLike[str]] = ...,
    ) -> Self: ...
    @property
    def robot(self) -> str | None:
        """The robot that the scene is for, if it says."""

    @property
    def objects(self) -> list[str]:
        """The things that stand still."""

    @property
    def attached(self) -> list[tuple[str, str]]:
        """The things that move with a link, each with its link."""

    @property
    def state(self) -> dict[str, float]:
        """Positions of joints."""

    def add(
        self,
        name: str,
        *,
        box: Sequence[float] | npt.NDArray[np.float64] | None = None,
        sphere: float | None = None,
        cylinder: Sequence[float] | None = None,
        capsule: Sequence[float] | None = None,
        cone: Sequence[float] | None = None,
        mesh: object | None = None,
        half_space: bool = False,
        points: npt.ArrayLike | None = None,
        radius: float | None = None,
        pose: npt.ArrayLike | None = None,
    ) -> None:
        """Puts a thing of one shape into the scene.

        The shape is one of ``box`` (its sides), ``sphere`` (its radius), ``cylinder``, ``capsule`` and ``cone``
        (radius and height, along z), ``mesh`` (vertices and triangles, or what has ``vertices`` and ``faces``),
        ``half_space`` (everything below the x-y plane), or ``points``, an array of shape (n, 3), each the centre
        of a ball of ``radius``. ``pose`` is where its middle is in the frame of the robot's root: a matrix (4, 4), a
        position and a quaternion (x, y, z, qx, qy, qz, qw), or a position alone.
        """

    def move(self, name: str, pose: npt.ArrayLike) -> None:
        """Moves a thing that stands still to a pose, as of :meth:`add`.

        Of several shapes the first is there then, and the others with it.
        """

    def remove(self, name: str) -> None:
        """Takes a thing out of the scene, or out of the hand."""

    def attach(self, name: str, link: str, at: npt.ArrayLike, *, touch: Sequence[str] = ...) -> None:
        """A thing that stood still moves with a link from now on.

        It is where it is while the link is at the pose ``at``, as of ``arm.pose(q, link)``, and may touch the link
        and those in ``touch``.
        """

    def detach(self, name: str, at: npt.ArrayLike) -> None:
        """A thing that was held stands still from now on, where it is while its link is at the pose ``at``."""

    def allow(self, one: str, other: str, allowed: bool = True) -> None:
        """Allows links, things that are held or objects to touch each other, or forbids it."""

    def copy(self) -> Scene:
        """Another scene that is the same now."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a MoveIt planning scene (YAML), as the command line reads it.

        It can have boxes, spheres and cylinders that stand still; whatever else there is, pickle takes.
        """

    @staticmethod
    def _of(bytes: bytes) -> Scene: ...
    def __copy__(self) -> Scene: ...
    def __deepcopy__(self, _memo: object, /) -> Scene: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Request:
    """From where to where to move, and with which group: a MoveIt motion plan request (YAML)."""

    def __new__(cls, path: str | PathLike[str]) -> Self: ...
    @property
    def group(self) -> str: ...
    @property
    def start(self) -> dict[str, float]:
        """Positions of joints at the start, also of those that are not to move."""

    @property
    def goal(self) -> dict[str, float]:
        """Positions of joints at the goal; of poses and of several goals, :meth:`Arm.goals` has them."""

    @staticmethod
    def _of(bytes: bytes) -> Request: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Trajectory:
    """A path with times, an instant a row; made by :meth:`Arm.trajectory`."""

    @property
    def joints(self) -> list[str]: ...
    @property
    def times(self) -> npt.NDArray[np.float64]:
        """Seconds from the start, of shape (n,)."""

    @property
    def positions(self) -> npt.NDArray[np.float64]:
        """Where the joints are, of shape (n, dof)."""

    @property
    def velocities(self) -> npt.NDArray[np.float64]: ...
    @property
    def accelerations(self) -> npt.NDArray[np.float64]: ...
    @property
    def duration(self) -> float:
        """How many seconds it takes."""

    @staticmethod
    def _of(
        joints: list[str], times: npt.NDArray[np.float64], tables: Sequence[npt.NDArray[np.float64]]
    ) -> Trajectory: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Table:
    """Which edge is free in which known world.

    ``free`` is an array of shape (worlds, edges), true where an edge is free. It is read where it
    lies; the table keeps a bit for each value.
    """

    def __new__(cls, free: npt.ArrayLike) -> Self: ...
    @staticmethod
    def open(path: str | PathLike[str]) -> Table:
        """Reads a table file and sees that it is sound."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a file that ``open`` and the command line can open, whole or not at all."""

    @property
    def world_count(self) -> int: ...
    @property
    def edge_count(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def by_world(self) -> npt.NDArray[np.uint64]:
        """The bits of each world, 64 edges a word, in the table's own memory: not to be written to."""

    @property
    def by_edge(self) -> npt.NDArray[np.uint64]:
        """The bits of each edge, 64 worlds a word, in the table's own memory: not to be written to."""

    def to_numpy(self) -> npt.NDArray[np.bool_]:
        """An array of shape (worlds, edges), true where an edge is free."""

    def __len__(self) -> int: ...
    @staticmethod
    def _of(bytes: bytes) -> Table: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class RecordedWorld:
    """One world of a dataset as a checker.

    Called on a configuration it says whether it is free in the world's image, called on an array of shape (n, 2) which of
    them are.
    """

    def __call__(self, q: npt.ArrayLike) -> Any: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Dataset:
    """A roadmap, a start and a goal, and which edge is free in which of many worlds.

    Worlds and vertices are counted from 0, whatever the files count from.
    """

    @staticmethod
    def open(folder: str | PathLike[str], *, prefer: Literal["text", "mat"] = "text") -> Dataset:
        """Reads the dataset in a folder. Where a file is there twice, ``prefer`` says which is read."""

    @staticmethod
    def make(family: str, worlds: int = 1000, *, test: int | None = None, seed: int = 0) -> Dataset:
        """Makes worlds of a family such as ``forest``, the last ``test`` of them (a tenth) to plan in."""

    @property
    def name(self) -> str: ...
    @property
    def roadmap(self) -> Roadmap: ...
    @property
    def table(self) -> Table: ...
    @property
    def start(self) -> int: ...
    @property
    def goal(self) -> int: ...
    @property
    def train(self) -> npt.NDArray[np.uint32] | None:
        """The worlds to learn from, if the dataset names them."""

    @property
    def test(self) -> npt.NDArray[np.uint32] | None:
        """The worlds to plan in, if the dataset names them."""

    def check(self, world: int) -> RecordedWorld:
        """A world as a checker."""

    def image(self, world: int) -> npt.NDArray[np.bool_] | None:
        """The image of a world, true where it is free, its first row on top; None if it has none."""

    def _recipe(self) -> tuple[Any, ...]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Edge:
    """An edge of a roadmap, as a checker of edges sees it."""

    @property
    def id(self) -> int: ...
    @property
    def vertices(self) -> tuple[int, int]: ...
    @property
    def length(self) -> float: ...
    @property
    def start(self) -> npt.NDArray[np.float64] | None:
        """The configuration at its first end, if the roadmap has any."""

    @property
    def end(self) -> npt.NDArray[np.float64] | None:
        """The configuration at its other end, if the roadmap has any."""

    @staticmethod
    def _of(
        id: int, vertices: tuple[int, int], length: float, ends: Sequence[npt.NDArray[np.float64] | None]
    ) -> Edge: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class Belief:
    """What is likely of edges that have not been checked; made by one of its subclasses."""

    def __new__(
        cls,
        name: str,
        table: Table | None = None,
        worlds: npt.ArrayLike | None = None,
        eta: float = 1000.0,
    ) -> Self: ...
    @property
    def name(self) -> str: ...
    @property
    def roadmap(self) -> Roadmap | None:
        """The roadmap that it was learned on, where it was learned from maps."""

    def map(self, path: str | PathLike[str]) -> Map:
        """A new map to plan in, where it was learned from maps: for the robot that it was learned for."""

    def save(self, path: str | PathLike[str], roadmap: Roadmap | None = None) -> None:
        """Keeps what was learned in a file, as ``psmp learn`` does: the known worlds of a roadmap and the models of them.

        :func:`psmp.open_belief` and the command line open it. One that was learned from maps has the roadmap itself.
        """

    @staticmethod
    def _of(file: str | PathLike[str], bytes: bytes) -> Belief: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def open_belief(path: str | PathLike[str], roadmap: Roadmap | None = None) -> Belief:
    """Opens a belief that ``psmp learn`` or :func:`psmp.learn_maps` has kept in a file, to plan on its roadmap.

    One that was learned from maps has the roadmap itself.
    """

@final
class Map:
    """A round robot, or a point, in a map: says of places whether they are free.

    The map is a picture (PNG, PGM or JPEG; white is free) that lies in ``bounds`` of x and y, by default with
    its longer side from 0 to 1; or a ROS map, by its YAML file. Called on a place it says whether it is free, called
    on an array of shape (n, 2) which of them are. Given to :func:`psmp.plan` it checks without Python, and paths are
    proved free all along.
    """

    def __new__(
        cls, path: str | PathLike[str], *, robot_radius: float = 0.0, bounds: npt.ArrayLike | None = None
    ) -> Self: ...
    @property
    def robot_radius(self) -> float: ...
    @property
    def bounds(self) -> npt.NDArray[np.float64]:
        """The part of the plane that the map covers: the bounds of x and of y, of shape (2, 2)."""

    def __call__(self, q: npt.ArrayLike) -> Any: ...
    @staticmethod
    def _of(bytes: bytes) -> Map: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Memory:
    """What planning leaves for the next query: the roadmap as it has grown, and what is known of its edges.

    Given to :func:`psmp.plan` as ``keep``, a run begins with it and leaves more. What is known is good for one
    world: in another scene an arm's checker forgets what may be so no longer, and nothing else.
    """

    def __new__(cls) -> Self: ...
    @staticmethod
    def open(path: str | PathLike[str]) -> Memory:
        """Reads what ``psmp plan --keep`` or :meth:`save` has written."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a file, which :meth:`open` and ``psmp plan --keep`` read."""

    @property
    def roadmap(self) -> Roadmap | None:
        """The roadmap with all that it has grown by and that has come to something; None before the first run."""

    @property
    def known(self) -> int:
        """Of how many edges it is known whether they are free."""

    def forget(self) -> None:
        """Forgets what is known of edges: the world has changed, and nobody knows where. The roadmap stays."""

    @staticmethod
    def _of(bytes: bytes | None) -> Memory: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def learn_maps(
    maps: Sequence[str | PathLike[str]],
    file: str | PathLike[str],
    roadmap: Roadmap | None,
    vertices: int,
    robot_radius: float,
    bounds: npt.ArrayLike | None,
    resolution: float | None,
    tell: Callable[[int, int], None],
) -> Belief: ...

@final
class Stop:
    """A condition under which a run pauses; conditions are joined by ``|`` and ``&``."""

    @staticmethod
    def never() -> Stop: ...
    @staticmethod
    def checks(count: int) -> Stop: ...
    @staticmethod
    def edges(count: int) -> Stop: ...
    @staticmethod
    def proposals(count: int) -> Stop: ...
    @staticmethod
    def seconds(seconds: float) -> Stop: ...
    @staticmethod
    def gap(gap: float) -> Stop: ...
    def __or__(self, other: Stop, /) -> Stop: ...
    def __ror__(self, other: Stop, /) -> Stop: ...
    def __and__(self, other: Stop, /) -> Stop: ...
    def __rand__(self, other: Stop, /) -> Stop: ...
    @staticmethod
    def _of(bytes: bytes) -> Stop: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@type_check_only
class _Standing:
    """Where a run stands; a base for the eyes of type checkers alone."""

    @property
    def configurations(self) -> int:
        """Configurations checked so far."""

    @property
    def edges(self) -> int:
        """Edges checked so far."""

    @property
    def proposals(self) -> int:
        """Paths asked of the proposer so far."""

    @property
    def best_length(self) -> float | None:
        """The length of the best path so far."""

    @property
    def lower_bound_on_roadmap(self) -> float | None:
        """No path on the roadmap is shorter than this; infinite if it has none.

        None without a roadmap, and before start and goal are joined to it.
        """

    @property
    def straight_line(self) -> float | None:
        """The length of the straight line from start to goal.

        None of a run on a roadmap, once start and goal are joined to it.
        """

    @property
    def gap_on_roadmap(self) -> float | None:
        """How much longer the best path may be than the shortest on the roadmap, as a share.

        0 is the shortest on the roadmap; beside it there may be shorter ones. None before the first
        path, without a roadmap, and where the path is the straight line.
        """

    @property
    def gap_over_straight_line(self) -> float | None:
        """How much longer the best path is than the straight line, as a share, where that is known of."""

    @property
    def path(self) -> npt.NDArray[np.float64] | None:
        """The best path so far as configurations, one a row; shared, so not to be written to."""

    @property
    def vertices(self) -> npt.NDArray[np.uint32] | None:
        """The best path so far as vertices of the run's roadmap.

        None where it is no path of a roadmap: of trees, straightened, or the straight line.
        """

@final
class Event(_Standing):
    """One step of a run: what has happened, and where the run stands after it."""

    @property
    def kind(self) -> _EventKind: ...
    @property
    def is_final(self) -> bool:
        """Whether this event ends the run."""

    @property
    def length(self) -> float | None:
        """The length of the path of a ``proposed`` or ``improved`` event."""

    @property
    def source(self) -> Literal["proposer", "fallback", "insurance"] | None:
        """Who proposed the path of a ``proposed`` event."""

    @property
    def edge(self) -> int | None:
        """The edge of a ``checked``, ``partly-checked`` or ``proved`` event."""

    @property
    def free(self) -> bool | None:
        """Whether the edge of a ``checked`` event, or the motion of a ``probed`` one, is free."""

    @property
    def cost(self) -> int | None:
        """How many configurations a ``checked``, ``partly-checked``, ``proved`` or ``probed`` event took."""

    @property
    def price(self) -> tuple[float, float] | None:
        """What a configuration and a thought are taken to cost from a ``priced`` event on, in seconds."""

@final
class Film:
    """What happened in a run, as a page that plays it: in the plane its map, of an arm its motions in three dimensions.

    A run that was recorded has one (``record=True``, and in a notebook). The page is one HTML document with everything in
    it and no request to anywhere, as ``psmp plan --page`` makes it.
    """

    def html(self) -> str:
        """The page as HTML."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the page to a file."""

    def _release(self) -> None: ...
    @property
    def _is_released(self) -> bool: ...
    @staticmethod
    def _of(page: str) -> Film: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Engine:
    """A run that is ready to be driven, once."""

def on_roadmap(
    roadmap: Roadmap,
    start: int | npt.ArrayLike | str | dict[str, float],
    goal: int | npt.ArrayLike | str | dict[str, float],
    check: object,
    called_on: str,
    belief: Belief | None,
    proposer: str,
    validator: str | None,
    insured: bool | None,
    seed: int | None,
    resolution: float | None,
    fallback: int | None,
    straighten: bool,
    fixed_roadmap: bool,
    price: Sequence[tuple[float, float | None]] | None,
    keep: str | PathLike[str] | Memory | None,
    world: str | None,
    record: bool,
    stop: Stop | None,
) -> Engine:
    """A planner on a roadmap."""

def without_roadmap(
    space: Space | npt.ArrayLike,
    start: npt.ArrayLike | str | dict[str, float],
    goal: npt.ArrayLike | str | dict[str, float],
    check: object,
    called_on: str,
    planner: str,
    range: float | None,
    intermediate_states: bool | None,
    seed: int,
    resolution: float | None,
    straighten: bool,
    record: bool,
    stop: Stop | None,
) -> Engine:
    """A planner that grows trees and knows no roadmap."""

@disjoint_base
class Run(_Standing):
    """A planner at work."""

    def __new__(cls, engine: Engine) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Event: ...
    def until(self, stop: Stop | None = None) -> Self:
        """The same run, to be driven on until another condition is met; by none, to its end."""

    def end_planning(self) -> Self:
        """The same run, to be driven on to what comes after planning, although planning is not over.

        That is straightening the best path, if ``straighten`` was asked for.
        """

    def close(self) -> None:
        """Ends the run for good and lets go of its checker. What it has found stays."""

    @property
    def closed(self) -> bool: ...
    @property
    def ending(self) -> Literal["shortest-on-roadmap", "no-path-on-roadmap", "straight-line", "gave-up", "settled"] | None:
        """How the run ended, if it is over.

        The roadmap's shortest path is found, or it has none; or the path is the straight line; or
        nothing more is proposed. Where the roadmap grows: nothing has made the path shorter for long
        (``settled``), or no path was found for very long (``gave-up``).
        """

    @property
    def planner(self) -> str:
        """The planner's name, as on the command line."""

    @property
    def seed(self) -> int: ...
    @property
    def roadmap(self) -> Roadmap:
        """The roadmap planned on, with start and goal if they were joined to it.

        Of a run without one, start and goal alone.
        """

    @property
    def seconds(self) -> float:
        """Time spent planning, checks included."""

    @property
    def events(self) -> int:
        """How many events there have been."""

    @property
    def fingerprint(self) -> str:
        """A hash of all events so far, as in the rows of ``psmp bench``."""

    @property
    def path_edges(self) -> npt.NDArray[np.uint32] | None:
        """The best path so far as edges of the run's roadmap, if it is a path of it."""

    @property
    def film(self) -> Film | None:
        """What has happened so far, to be looked at; None of a run that was not recorded."""

    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of each edge to be free, given all checks so far."""

    def _found(self) -> list[npt.NDArray[Any]]: ...
    def _bounds(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]: ...
    def _checked(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_]]: ...
    def _share(self) -> float | None: ...

def names() -> dict[str, list[tuple[str, str]]]:
    """All names of each kind, with what they are: what the types of ``psmp.names`` are held against."""

def shortcut(
    path: npt.ArrayLike,
    check: object,
    called_on: str,
    space: Space | npt.ArrayLike | None,
    seed: int,
    resolution: float | None,
    stop: Stop | None,
) -> npt.NDArray[np.float64]:
    """A free path straightened: random places on it are joined by straight motions, where these are free."""

def first_unproved(path: npt.ArrayLike, check: object, resolution: float | None) -> int | None:
    """The first motion of a path that is not free all along; None if all are."""

def check_edges(
    roadmap: Roadmap, check: object, called_on: str, resolution: float | None = None
) -> npt.NDArray[np.bool_]: ...
def row_of_another(
    dataset: Dataset,
    world: int,
    planner: str,
    seed: int,
    found: Sequence[tuple[int, float, float]],
    configurations: int,
    seconds: float,
    stopped: bool,
    library: str,
    *,
    resolution: float | None,
    eta: float,
    fallback: int | None,
    budget: int | None,
) -> list[tuple[str, str, bool, list[Any]]]:
    """The columns of a row about a run of somebody else's planner in a world of a dataset."""

def sweep_rows(
    dataset: Dataset,
    worlds: npt.ArrayLike,
    planners: list[str],
    seeds: list[int],
    *,
    experience: str,
    resolution: float | None,
    eta: float,
    fallback: int | None,
    budget: int | None,
) -> list[tuple[str, str, bool, list[Any]]]: ...
