"""Tasks of Dask that encode blocks of whole chunks, and the owner of the arrays, who adopts them.

An array has one owner, the process that calls. Tasks that run in threads of this process write
their blocks to the array. Tasks in other processes encode whole chunks into a packet (packets.py),
the owner adopts packets as they come, and commits once. A task that is lost runs again; nothing of
it is in the file before the owner has adopted its packet.

Where an array grows, the first blocks may begin inside of chunks that have older items. Their tasks
return the items, compressed, and the owner writes these.

Dask and distributed are imported when they are needed.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from tessera.array import Array
from tessera.encoding import encode
from tessera.opening import asarray, open
from tessera.packets import Adoption, Lease, Packet

# The most bytes of a block of Dask that becomes a chunk without being asked for.
_CHUNK_MOST = 64 << 20
# Packets that are held at once where the scheduler of Dask only hands over all results together.
_BATCH = 64


# What tasks do


def _box(starts: Sequence[int], shape: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(start, start + n) for start, n in zip(starts, shape))


def _encode_block(sketch: bytes, starts: Sequence[int], whole: bool, block: Any) -> Packet | bytes:
    """The packet of a block of whole chunks; of another block, an array of its items."""
    items = np.asarray(block)
    if not whole:
        return asarray(items, threads=1).to_bytes()
    return encode(sketch, _box(starts, items.shape), items, threads=1)


def _write_block(job: Job, starts: Sequence[int], block: Any) -> None:
    job.write(starts, np.asarray(block))


def _room(result: Packet | bytes, path: str) -> int:
    """What a lease for a packet needs: files in a directory, else bytes."""
    if not isinstance(result, Packet):
        return 0
    return result.nstored if os.path.isdir(path) else result.cbytes


def _place(packet: Packet, path: str, lease: Lease) -> Packet:
    """The packet itself, where it became larger since the lease: it was computed once more."""
    if _room(packet, path) > lease.size:
        return packet
    return packet.place(path, lease, sync=True)


# Blocks of whole chunks


def aligned(sizes: Sequence[int], chunk: int, head: int = 0) -> tuple[int, ...]:
    """Sizes of blocks along an axis, with each boundary moved to the nearest one of chunks.

    With head, the first item is at that place in its chunk, and the rest of the chunk is a block.

    >>> from tessera.tasks import aligned
    >>> aligned((10, 10, 10, 5), 8)
    (8, 16, 8, 3)
    >>> aligned((3, 3, 3), 100)
    (9,)
    >>> aligned((10, 10, 10, 5), 8, head=3)
    (5, 8, 8, 8, 6)
    """
    length = head + sum(sizes)
    ends = [head + int(end) for end in itertools.accumulate(sizes)]
    moved = {min(length, (end + chunk // 2) // chunk * chunk) for end in ends[:-1]} | {length}
    if head:
        moved.add(min(length, chunk))
    inner = sorted(end for end in moved if end > head)
    return tuple(stop - start for start, stop in zip([head, *inner], inner)) or (0,)


def _check_sizes(array: Any) -> None:
    if any(np.isnan(size) for axis in array.chunks for size in axis):
        raise ValueError("the Dask array has blocks of unknown sizes: call compute_chunk_sizes() first")


def is_dask(data: Any) -> bool:
    """Whether it is an array of Dask."""
    return hasattr(data, "dask") and hasattr(data, "to_delayed")


def chunks_of(array: Any) -> tuple[int, ...] | None:
    """The blocks of a Dask array as chunks, if they have one shape but for the last ones."""
    _check_sizes(array)
    sizes = [axis[0] if axis else 0 for axis in array.chunks]
    for axis in array.chunks:
        if len(set(axis[:-1])) > 1 or axis[-1] > axis[0]:
            return None
    if int(np.prod(sizes, dtype=object)) * array.dtype.itemsize > _CHUNK_MOST or not all(sizes):
        return None
    return tuple(int(size) for size in sizes)


@dataclass
class _Task:
    """A block of an array that a task encodes."""

    job: Job
    starts: tuple[int, ...]
    whole: bool  # it begins at a boundary of chunks
    block: Any  # dask.delayed


class Job:
    """An array that is written, from an index of one axis to its end."""

    def __init__(self, array: Array, source: Any, axis: int = 0, first: int = 0) -> None:
        _check_sizes(source)
        self.array = array
        self.path = array.path
        self.chunks = tuple(max(1, chunk) for chunk in array.chunks)
        self.axis = axis
        self.origin = tuple(first if i == axis else 0 for i in range(array.ndim))
        blocks = tuple(
            aligned([int(size) for size in sizes], chunk, start % chunk)
            for sizes, chunk, start in zip(source.chunks, self.chunks, self.origin)
        )
        self.source = source if blocks == source.chunks else source.rechunk(blocks)
        self._adoption: Adoption | None = None

    @functools.cached_property
    def sketch(self) -> bytes:
        """What other processes need to encode chunks."""
        return self.array.sketch()

    @property
    def adoption(self) -> Adoption:
        """What adopts packets, from the first use on."""
        if self._adoption is None:
            self._adoption = self.array.adopt()
        return self._adoption

    def tasks(self) -> Iterator[_Task]:
        if self.array.size == 0:
            return
        starts = [
            list(itertools.accumulate(sizes[:-1], initial=start))
            for sizes, start in zip(self.source.chunks, self.origin)
        ]
        blocks = self.source.to_delayed()
        for number in np.ndindex(blocks.shape):
            place = tuple(s[i] for s, i in zip(starts, number))
            whole = all(start % chunk == 0 for start, chunk in zip(place, self.chunks))
            yield _Task(self, place, whole, blocks[number])

    def write(self, starts: Sequence[int], items: Any) -> None:
        """Write the items of a block. Any number of threads may write at once."""
        self.array[_box(starts, items.shape)] = items

    def take(self, starts: Sequence[int], result: Packet | bytes) -> None:
        """Adopt what a task has encoded, or write the items that it has computed."""
        if isinstance(result, Packet):
            self.adoption.add(result)
        else:
            self.write(starts, open(result)[...])

    def missing(self) -> int | None:
        """The number of a chunk that no packet brought, though all of its items are new."""
        if self.array.size == 0 or self._adoption is None:
            return None
        grid = [-(-n // chunk) for n, chunk in zip(self.array.shape, self.chunks)]
        inner = math.prod(grid[self.axis + 1 :])
        rows = grid[self.axis] if grid else 1
        first = -(-self.origin[self.axis] // self.chunks[self.axis]) if grid else 0
        number = self._adoption._missing(0)
        while number >= 0:
            row = number // inner % rows
            if row >= first:
                return number
            number = self._adoption._missing((number // inner + first - row) * inner)
        return None

    def end(self) -> None:
        """What was adopted stays in the array; nothing is committed."""
        if self._adoption is not None:
            self._adoption.end(commit=False)

    def finish(self, commit: bool) -> None:
        """End the writing of a new array, which is closed or discarded."""
        self.end()
        if commit:
            self.array.close()
        else:
            self.array.discard()


# Schedulers


def _client() -> Any:
    """The client of distributed whose scheduler runs what is computed now; None."""
    if "distributed" not in sys.modules:
        return None
    get = importlib.import_module("dask.base").get_scheduler()
    client = getattr(get, "__self__", None)
    return client if hasattr(client, "scheduler_info") else None


def _in_process() -> bool:
    """Whether tasks run in threads of this process."""
    get = importlib.import_module("dask.base").get_scheduler()
    threaded = importlib.import_module("dask.threaded").get
    synchronous = importlib.import_module("dask.local").get_sync
    return get is None or get in (threaded, synchronous)


def _run_in_process(tasks: list[_Task]) -> None:
    dask = importlib.import_module("dask")
    write = dask.delayed(_write_block, pure=False, traverse=False)
    dask.compute(*[write(t.job, t.starts, t.block) for t in tasks])


def _run_in_batches(tasks: list[_Task]) -> None:
    dask = importlib.import_module("dask")
    encoded = dask.delayed(_encode_block, pure=False, traverse=False)
    for first in range(0, len(tasks), _BATCH):
        batch = tasks[first : first + _BATCH]
        results = dask.compute(*[encoded(t.job.sketch, t.starts, t.whole, t.block) for t in batch])
        for task, result in zip(batch, results):
            task.job.take(task.starts, result)


def _run_on_cluster(client: Any, tasks: list[_Task], shared: bool) -> None:
    """Packets are adopted as they come; a future that is let go of frees the worker's memory."""
    dask = importlib.import_module("dask")
    encoded = dask.delayed(_encode_block, pure=False, traverse=False)
    futures = client.compute([encoded(t.job.sketch, t.starts, t.whole, t.block) for t in tasks])
    try:
        if shared:
            _adopt_placed(client, tasks, futures)
        else:
            _adopt_packets(client, tasks, futures)
    finally:
        client.cancel(futures)


def _direct(client: Any) -> bool | None:
    """Whether results come from the workers themselves, and not through the scheduler: where all
    run on the host on which the client reaches the scheduler. None: as the client was made."""
    workers = client.scheduler_info()["workers"]
    hosts = {urlsplit(address).hostname for address in (client.scheduler.address, *workers)}
    return True if len(hosts) == 1 else None


def _results(client: Any, done: Any) -> Iterator[list[tuple[str, Any]]]:
    """Keys and results of the futures that are done, as many at once as there are, up to a batch:
    to ask for each alone takes longer than most tasks."""
    direct = _direct(client)
    for batch in done.batches():
        while batch:
            part, batch = batch[:_BATCH], batch[_BATCH:]
            yield list(zip([future.key for future in part], client.gather(part, direct=direct)))


def _adopt_packets(client: Any, tasks: list[_Task], futures: list[Any]) -> None:
    distributed = importlib.import_module("distributed")
    wanted = {future.key: task for task, future in zip(tasks, futures)}
    done = distributed.as_completed(futures)
    futures.clear()
    try:
        for batch in _results(client, done):
            for key, result in batch:
                task = wanted.pop(key)
                task.job.take(task.starts, result)
    finally:
        futures.extend(done.futures)  # to be cancelled


def _adopt_placed(client: Any, tasks: list[_Task], futures: list[Any]) -> None:
    """Where workers reach the files: once a worker has a packet, and its size is known, the owner
    leases room for it, the worker writes it there, and sends what says so."""
    distributed = importlib.import_module("distributed")
    paths = [task.job.path for task in tasks]
    packets = dict(enumerate(futures))
    sizes = client.map(_room, futures, paths, pure=False)
    futures.clear()
    leases: dict[int, Lease] = {}
    numbers = {future.key: n for n, future in enumerate(sizes)}
    done = distributed.as_completed(sizes)
    del sizes
    try:
        for batch in _results(client, done):
            leased: list[int] = []
            for key, result in batch:
                n = numbers.pop(key)
                adoption = tasks[n].job.adoption
                if isinstance(result, Packet):
                    adoption.add(result)
                    adoption.give_back(leases.pop(n))
                    del packets[n]
                elif result == 0:  # chunks of one value, or items that the owner writes
                    tasks[n].job.take(tasks[n].starts, packets.pop(n).result())
                else:
                    leases[n] = adoption.lease(result)
                    leased.append(n)
            placed = client.map(
                _place,
                [packets[n] for n in leased],
                [paths[n] for n in leased],
                [leases[n] for n in leased],
                pure=False,
            )
            numbers.update({future.key: n for future, n in zip(placed, leased)})
            done.update(placed)
    finally:
        futures.extend([*packets.values(), *done.futures])


def _run(jobs: Iterable[Job], shared: bool) -> None:
    tasks = [task for job in jobs for task in job.tasks()]
    client = _client()
    if not tasks:
        return
    if client is not None:
        _run_on_cluster(client, tasks, shared)
    elif _in_process():
        _run_in_process(tasks)
    else:
        _run_in_batches(tasks)


def compute_all(jobs: list[Job], shared: bool) -> None:
    """Compute and write all; the arrays are not committed."""
    _run(jobs, shared)
    for job in jobs:
        missing = job.missing()
        if missing is not None:
            raise RuntimeError(f"chunk {missing} of {job.path!r} was not written")


def finish_all(jobs: list[Job], shared: bool) -> None:
    """Compute new arrays, and commit all or discard all."""
    done = False
    try:
        compute_all(jobs, shared)
        done = True
    finally:
        for job in jobs:
            job.finish(done)
