"""Long work in shards: on this machine's cores, or on a Ray cluster.

A job is cut into shards, each of which depends on nothing but its number. A shard that is kept is one
Parquet file, written whole or not at all, in a folder named after a fingerprint of all that the job depends
on. So a shard may be done twice without harm, what is there is never done again, and another job is
another folder. The rows are the same whatever the number of workers, because they are read back in
the order of the shards.
"""

from __future__ import annotations

import concurrent.futures
import io
import os
import pickle
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Job", "Progress", "parquet", "run", "table"]

Job: TypeAlias = Callable[[int], bytes]
"""Does the shard of a number: its bytes, which are those of a Parquet file if it is to be kept."""


class Store:
    """Where shards are kept: a folder, or a place that fsspec knows, such as ``s3://bucket/folder``."""

    def __init__(self, folder: str, fingerprint: str) -> None:
        self.folder = folder.rstrip("/") + "/" + fingerprint
        self.is_url = "://" in folder

    def _remote(self) -> tuple[Any, str]:
        import fsspec

        filesystem, path = fsspec.core.url_to_fs(self.folder)
        return filesystem, path

    def _name(self, index: int) -> str:
        return f"{index:06d}.parquet"

    def read(self, index: int) -> bytes | None:
        """The bytes of a shard, or None if it is not there."""
        try:
            if self.is_url:
                filesystem, path = self._remote()
                content: bytes = filesystem.cat_file(f"{path}/{self._name(index)}")
                return content
            with open(os.path.join(self.folder, self._name(index)), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def has(self, index: int) -> bool:
        """Whether a sound shard is there; a damaged one is reported and counts as missing."""
        content = self.read(index)
        if content is None:
            return False
        try:
            table(content)
        except Exception as error:
            name = f"{self.folder}/{self._name(index)}"
            print(f"psmp: {name} is damaged and will be done again: {error}", file=sys.stderr)
            return False
        return True

    def write(self, index: int, content: bytes) -> None:
        """Keeps a shard: there whole, or not at all."""
        if self.is_url:
            # Object stores show an object once all of it is there.
            filesystem, path = self._remote()
            filesystem.makedirs(path, exist_ok=True)
            filesystem.pipe_file(f"{path}/{self._name(index)}", content)
            return
        os.makedirs(self.folder, exist_ok=True)
        temporary = os.path.join(self.folder, f".{self._name(index)}.{secrets.token_hex(6)}")
        try:
            with open(temporary, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, os.path.join(self.folder, self._name(index)))
        except BaseException:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise


def parquet(table: pyarrow.Table) -> bytes:
    """A table as the bytes of a Parquet file."""
    import pyarrow.parquet

    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file, compression="zstd")
    return file.getvalue()


def table(content: bytes) -> pyarrow.Table:
    """The table of a Parquet file, which must be sound."""
    import pyarrow.parquet

    return pyarrow.parquet.read_table(io.BytesIO(content))


def _do(job: Job, store: Store | None, index: int) -> bytes | None:
    """Does a shard and keeps it; without a store its bytes are the result."""
    content = job(index)
    if store is None:
        return content
    store.write(index, content)
    return None


_of_this_process: tuple[Job, Store | None] | None = None


def _begin_process(job: Job, store: Store | None) -> None:
    global _of_this_process
    _of_this_process = (job, store)


def _do_in_process(index: int) -> bytes | None:
    assert _of_this_process is not None
    return _do(*_of_this_process, index)


def _here(job: Job, store: Store | None, todo: list[int]) -> Iterator[tuple[int, bytes | None]]:
    for index in todo:
        yield index, _do(job, store, index)


def _on_cores(
    job: Job, store: Store | None, todo: list[int], workers: int, by: Literal["threads", "processes"]
) -> Iterator[tuple[int, bytes | None]]:
    pool: concurrent.futures.Executor
    if by == "threads":
        _begin_process(job, store)
        pool = concurrent.futures.ThreadPoolExecutor(workers)
    else:
        # Where processes are forked they inherit the job, closures and all; elsewhere it is pickled.
        pool = concurrent.futures.ProcessPoolExecutor(workers, initializer=_begin_process, initargs=(job, store))
    with pool:
        work = _do_in_process if by == "processes" else lambda index: _do(job, store, index)
        try:
            futures = {pool.submit(work, index): index for index in todo}
            for future in concurrent.futures.as_completed(futures):
                yield futures[future], future.result()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            if "pickle" not in str(error):
                raise
            raise TypeError(
                f"the checkers cannot be sent to other processes: {error}; "
                "define their function at the top of a module, or give workers=1"
            ) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _on_ray(
    job: Job, store: Store | None, todo: list[int], address: str | Literal[True]
) -> Iterator[tuple[int, bytes | None]]:
    import ray

    if not ray.is_initialized():
        ray.init(address=None if address is True else address, log_to_driver=False)
    # A node that dies takes its tasks with it; they are done again elsewhere.
    task = ray.remote(max_retries=-1)(_do)
    shared = ray.put(job)
    running = {task.remote(shared, store, index): index for index in todo}
    try:
        while running:
            done, _ = ray.wait(list(running), num_returns=1, timeout=None)
            for reference in done:
                yield running.pop(reference), ray.get(reference)
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


class Progress:
    """A line on standard error with the time left; nothing where no one is looking."""

    def __init__(self, what: str, count: int, done: int, show: bool | None, things: str = "shards") -> None:
        self.what, self.count, self.done, self.first = what, count, done, done
        self.things = things
        self.show = sys.stderr.isatty() if show is None else show
        self.started = time.monotonic()
        self._draw()

    def reach(self, done: int) -> None:
        """So many are done now."""
        self.done = done
        self._draw()

    def _draw(self) -> None:
        if not self.show:
            return
        fresh = self.done - self.first
        left = ""
        if fresh:
            seconds = (time.monotonic() - self.started) / fresh * (self.count - self.done)
            left = f", {seconds:.0f} s left" if seconds < 120 else f", {seconds / 60:.0f} min left"
        end = "\n" if self.done == self.count else ""
        print(f"\r{self.what}: {self.done}/{self.count} {self.things}{left}   ", end=end, file=sys.stderr, flush=True)


def run(
    what: str,
    job: Job,
    shards: int,
    fingerprint: str,
    *,
    by: Literal["threads", "processes"],
    folder: str | os.PathLike[str] | None,
    workers: int | None,
    ray: bool | str | None,
    progress: bool | None,
) -> list[bytes]:
    """Does all shards of a job that are not there yet: the bytes of all, in their order."""
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    store = None if folder is None else Store(os.fspath(folder), fingerprint)
    todo = [index for index in range(shards) if store is None or not store.has(index)]
    bar = Progress(what, shards, shards - len(todo), progress)
    count = min(workers or _cores(), len(todo))
    if ray:
        results = _on_ray(job, store, todo, ray)
    elif count > 1:
        results = _on_cores(job, store, todo, count, by)
    else:
        results = _here(job, store, todo)
    contents: dict[int, bytes] = {}
    for index, content in results:
        if content is not None:
            contents[index] = content
        bar.reach(bar.done + 1)
    whole = []
    for index in range(shards):
        content = contents[index] if store is None else store.read(index)
        if content is None:
            raise FileNotFoundError(
                f"shard {index} was done but is not in {store.folder if store else ''}: "
                "folder must be a place that all workers share"
            )
        whole.append(content)
    return whole


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
