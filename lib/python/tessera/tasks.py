"""Tasks of Dask that encode blocks of whole chunks, and the owner of the arrays, who adopts them.

An array has one owner, the process that calls. A task encodes whole chunks into a packet
(packets.py), the owner adopts packets as they come, and commits once. A task that is lost runs
again; nothing of it is in the file before the owner has adopted its packet.

Dask and distributed are imported when they are needed.
"""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tessera.array import Array
from tessera.packets import Adoption, Lease, Packet, encode

# The most bytes of a block of Dask that becomes a chunk without being asked for.
_CHUNK_MOST = 64 << 20
# Packets that are held at once where the scheduler of Dask only hands over all results together.
_BATCH = 64


# What tasks do


def _encode_block(sketch: bytes, starts: Sequence[int], block: Any) -> Packet:
    items = np.asarray(block)
    box = tuple(slice(start, start + n) for start, n in zip(starts, items.shape))
    return encode(sketch, box, items, threads=1)


def _adopt_block(adoption: Adoption, sketch: bytes, starts: Sequence[int], block: Any) -> None:
    adoption.add(_encode_block(sketch, starts, block))


def _room(packet: Packet, path: str) -> int:
    """What a lease for the packet needs: files in a directory, else bytes."""
    return packet.nstored if os.path.isdir(path) else packet.cbytes


def _place(packet: Packet, path: str, lease: Lease) -> Packet:
    """The packet itself, where it became larger since the lease: it was computed once more."""
    if _room(packet, path) > lease.size:
        return packet
    return packet.place(path, lease, sync=True)


# Blocks of whole chunks


def aligned(sizes: Sequence[int], chunk: int) -> tuple[int, ...]:
    """Sizes of blocks along an axis, with each boundary moved to the nearest one of chunks.

    >>> from tessera.tasks import aligned
    >>> aligned((10, 10, 10, 5), 8)
    (8, 16, 8, 3)
    >>> aligned((3, 3, 3), 100)
    (9,)
    """
    length = sum(sizes)
    ends = [int(end) for end in itertools.accumulate(sizes)]
    moved = {min(length, (end + chunk // 2) // chunk * chunk) for end in ends[:-1]} | {length}
    inner = sorted(moved - {0})
    return tuple(stop - start for start, stop in zip([0, *inner], inner)) or (0,)


def _check_sizes(array: Any) -> None:
    if any(np.isnan(size) for axis in array.chunks for size in axis):
        raise ValueError("the blocks of the Dask array have no known sizes: compute_chunk_sizes()")


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
    block: Any  # dask.delayed


class Job:
    """An array that is written."""

    def __init__(self, array: Array, source: Any) -> None:
        _check_sizes(source)
        self.array = array
        self.path = array.path
        self.sketch = array.sketch()
        blocks = tuple(
            aligned([int(size) for size in sizes], max(1, chunk))
            for sizes, chunk in zip(source.chunks, array.chunks)
        )
        self.source = source if blocks == source.chunks else source.rechunk(blocks)
        self.adoption = array.adopt()

    def tasks(self) -> Iterator[_Task]:
        if self.array.size == 0:
            return
        starts = [[0, *itertools.accumulate(sizes[:-1])] for sizes in self.source.chunks]
        blocks = self.source.to_delayed()
        for number in np.ndindex(blocks.shape):
            yield _Task(self, tuple(s[i] for s, i in zip(starts, number)), blocks[number])

    def finish(self, commit: bool) -> None:
        self.adoption.end(commit=commit)
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
    adopt = dask.delayed(_adopt_block, pure=False, traverse=False)
    dask.compute(*[adopt(t.job.adoption, t.job.sketch, t.starts, t.block) for t in tasks])


def _run_in_batches(tasks: list[_Task]) -> None:
    dask = importlib.import_module("dask")
    encoded = dask.delayed(_encode_block, pure=False, traverse=False)
    for first in range(0, len(tasks), _BATCH):
        batch = tasks[first : first + _BATCH]
        packets = dask.compute(*[encoded(t.job.sketch, t.starts, t.block) for t in batch])
        for task, packet in zip(batch, packets):
            task.job.adoption.add(packet)


def _run_on_cluster(client: Any, tasks: list[_Task], shared: bool) -> None:
    """Packets are adopted as they come; a future that is let go of frees the worker's memory."""
    dask = importlib.import_module("dask")
    encoded = dask.delayed(_encode_block, pure=False, traverse=False)
    futures = client.compute([encoded(t.job.sketch, t.starts, t.block) for t in tasks])
    try:
        if shared:
            _adopt_placed(client, tasks, futures)
        else:
            _adopt_packets(client, tasks, futures)
    finally:
        client.cancel(futures)


def _results(client: Any, done: Any) -> Iterator[list[tuple[str, Any]]]:
    """Keys and results of the futures that are done, as many at once as there are, up to a batch:
    to ask for each alone takes longer than most tasks."""
    for batch in done.batches():
        while batch:
            part, batch = batch[:_BATCH], batch[_BATCH:]
            yield list(zip([future.key for future in part], client.gather(part)))


def _adopt_packets(client: Any, tasks: list[_Task], futures: list[Any]) -> None:
    distributed = importlib.import_module("distributed")
    jobs = {future.key: task.job for task, future in zip(tasks, futures)}
    done = distributed.as_completed(futures)
    futures.clear()
    try:
        for batch in _results(client, done):
            for key, packet in batch:
                jobs.pop(key).adoption.add(packet)
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
                elif result == 0:  # nothing is written for chunks of one value
                    adoption.add(packets.pop(n).result())
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


def finish_all(jobs: list[Job], shared: bool) -> None:
    """Compute and commit all, or discard all."""
    done = False
    try:
        _run(jobs, shared)
        for job in jobs:
            missing = next(job.adoption.missing(), None)
            if missing is not None and job.array.size:
                raise RuntimeError(f"chunk {missing} of {job.path!r} was not written")
        done = True
    finally:
        for job in jobs:
            job.finish(done)
