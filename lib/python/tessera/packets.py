"""Packets of encoded chunks: many processes write one array."""

from __future__ import annotations

import functools
import os
import pickle
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from tessera import _tessera
from tessera.array import Array
from tessera.opening import open

# Bytes of a packet from elsewhere.
Bytes = Union[bytes, bytearray, memoryview]
# A box of an array: a slice without a step for each axis, as in brackets.
Box = Any


class PacketChunk(NamedTuple):
    """A chunk of a packet: its number in the array, its stored bytes, and their offset.

    The offset counts from the start of the packet, or of the file; in a directory, it is the number
    of the file.
    """

    number: int
    cbytes: int
    offset: int


class Packet(_tessera.Packet):
    """Encoded chunks, or their offsets in the file of the array.

    A read-only buffer, like bytes: it can be pickled, written to files and sockets, and sent with
    MPI. Packet(data) makes a packet of the bytes that were received.

    >>> import numpy as np
    >>> import tessera
    >>> a = tessera.create(None, (40, 10), "i4", chunks=(20, 10))
    >>> packet = tessera.encode(a.sketch(), np.s_[20:], np.ones((20, 10), "i4"))
    >>> packet.nchunks, packet.chunks[0].number
    (1, 1)
    """

    __slots__ = ()

    @property
    def kind(self) -> str:
        """Where the chunks are: "bytes" (in the packet), "extents" (in the file of the array), or
        "files" (in files of its directory)."""
        return _tessera._packet_info(self)[0]

    @property
    def nchunks(self) -> int:
        """Number of chunks."""
        return _tessera._packet_info(self)[1]

    @property
    def nstored(self) -> int:
        """Number of chunks with stored bytes; chunks of one value have none."""
        return _tessera._packet_info(self)[2]

    @property
    def cbytes(self) -> int:
        """Stored bytes of all chunks."""
        return _tessera._packet_info(self)[3]

    @property
    def chunks(self) -> list[PacketChunk]:
        """The chunks, by ascending number."""
        return [PacketChunk(*chunk) for chunk in _tessera._packet_chunks(self)]

    def _memory(self) -> memoryview:
        packet: Any = self  # mypy does not know that a class of C has a buffer
        return memoryview(packet)

    def __bytes__(self) -> bytes:
        return bytes(self._memory())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packet) and self._memory() == other._memory()

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __sizeof__(self) -> int:
        return super().__sizeof__() + len(self)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return Packet, (pickle.PickleBuffer(self._memory()) if protocol >= 5 else bytes(self),)

    def __repr__(self) -> str:
        kind, nchunks, _, cbytes = _tessera._packet_info(self)
        return f"<tessera.Packet of {nchunks} chunks, {cbytes} bytes stored, {kind}>"

    def place(self, path: str | os.PathLike[str], lease: Lease, *, sync: bool = False) -> Packet:
        """Write the chunks to the file or directory of the array; returns a packet of their offsets.

        path is the path of the array on this machine. lease is what Adoption.lease() returned, of
        cbytes bytes at least, or in a directory nstored files. sync: the chunks are on the disk when
        the call returns. The commit of the owner syncs them only if they are in one file and were
        written on its machine.
        """
        where = os.path.abspath(os.fspath(path))
        return Packet(_tessera._packet_place(self, where, lease.first, lease.size, sync))


class Lease(NamedTuple):
    """A range of bytes of a file, or of file numbers in a directory: its first one, and how many."""

    first: int
    size: int


@functools.lru_cache(maxsize=16)
def _opened(sketch: bytes, threads: int | None) -> Array:
    return open(sketch, "r+", threads=threads)


# A fork during a call of another thread may leave an array in any state.
os.register_at_fork(after_in_child=_opened.cache_clear)


def _range(part: slice, length: int) -> tuple[int, int]:
    start, stop, step = part.indices(length)
    if step != 1:
        raise ValueError(f"{part} has step {step}, expected 1 in a box")
    return start, max(start, stop)


def _bounds(box: Box, shape: Sequence[int]) -> list[tuple[int, int]]:
    """Start and stop of a box along each axis."""
    parts = list(box) if isinstance(box, tuple) else [box]
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    rest = [slice(None)] * (len(shape) - len(parts) + (at < len(parts)))
    parts[at : at + 1] = rest
    if len(parts) != len(shape) or not all(isinstance(part, slice) for part in parts):
        raise IndexError(f"a box is up to {len(shape)} slices and '...', not {box!r}")
    return [_range(part, length) for part, length in zip(parts, shape)]


def encode(
    sketch: bytes | Array, box: Box, items: npt.ArrayLike, *, threads: int | None = None
) -> Packet:
    """Encode the chunks of a box into a packet.

    sketch is what Array.sketch() returned. box is one or several slices without steps, of whole
    chunks: each starts at a chunk, and stops at one or at the end of the axis. items are cast as in
    an assignment, and broadcast to the box. Any number of threads and processes may encode; the
    chunks equal those of an assignment. threads as in open().
    """
    array = sketch if isinstance(sketch, Array) else _opened(bytes(sketch), threads)
    bounds = _bounds(box, array.shape)
    shape = tuple(stop - start for start, stop in bounds)
    values = np.asarray(items) if hasattr(items, "dtype") else np.asarray(items, dtype=array.dtype)
    values = values.astype(array.dtype, casting="same_kind", copy=False)
    try:
        values = np.broadcast_to(values, shape)
    except ValueError:
        raise ValueError(
            f"could not broadcast items of shape {values.shape} into a box of shape {shape}"
        ) from None
    start, stop = [b[0] for b in bounds], [b[1] for b in bounds]
    return Packet(array._encode(start, stop, values))


class Adoption(_tessera.Adoption):
    """Adds the chunks of packets to an array; made by Array.adopt().

    The end of a with block commits the array. If the block raises, nothing is committed: adopted
    chunks stay in the array, until its next commit or discard(). Any number of threads may call add(),
    lease() and missing().

    >>> import numpy as np
    >>> import tessera
    >>> a = tessera.create(None, (40, 10), "i4", chunks=(20, 10))
    >>> sketch = a.sketch()
    >>> with a.adopt() as adoption:
    ...     adoption.add(tessera.encode(sketch, np.s_[20:], np.full((20, 10), 7)))
    ...     list(adoption.missing())
    [0]
    >>> a[19:21, 0]
    array([0, 7], dtype=int32)
    """

    def __enter__(self) -> Adoption:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end(commit=kind is None)

    def add(self, packet: Packet | Bytes, *, trusted: bool = True) -> None:
        """Adopt all chunks of a packet, or none. Packets may come in any order, and more than once.

        The packet is compared with the array, and its bytes with their checksums; nothing is
        decoded. trusted=False: all chunks are decoded as a check; placed ones are read for that.
        """
        self._add(packet, trusted)

    def lease(self, size: int) -> Lease:
        """Reserve bytes of the file, or files of the directory, for Packet.place() of a worker."""
        return Lease(*self._lease(size))

    def give_back(self, lease: Lease) -> None:
        """End a lease early: adopted chunks stay, the rest of its range is free again.

        No worker may write to the lease any more.
        """
        self._give_back(lease.first, lease.size)

    def missing(self) -> Iterator[int]:
        """The numbers of all chunks that were not adopted."""
        number = self._missing(0)
        while number >= 0:
            yield number
            number = self._missing(number + 1)

    def end(self, *, commit: bool = True) -> None:
        """End the adoption, and commit the array."""
        self._end(commit)
