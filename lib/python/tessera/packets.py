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
from tessera.array import Array, open

# Bytes of a packet from elsewhere.
Bytes = Union[bytes, bytearray, memoryview]
# A box of an array: a slice without a step for each axis, as in brackets.
Box = Any


class PacketChunk(NamedTuple):
    """A chunk of a packet: its number in the array, its stored bytes, and where they are."""

    number: int
    cbytes: int
    offset: int


class Packet(_tessera.Packet):
    """Encoded chunks, or where in the file of the array they were written.

    It is memory that is read-only, as bytes are, and travels as these do: through pickles, sockets,
    files, MPI. Packet(data) is a packet again.

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
        """Where the chunks are: "bytes", in the packet; "extents", in the file; "files", there."""
        return _tessera._packet_info(self)[0]

    @property
    def nchunks(self) -> int:
        """Number of chunks."""
        return _tessera._packet_info(self)[1]

    @property
    def nstored(self) -> int:
        """How many of them have stored bytes."""
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
        """Write the chunks to the file or directory of the array; a small packet says where.

        lease is what the owner leased for them: as many bytes as cbytes tells, or in a directory as
        many files as nstored. sync makes sure of the disk, which the commit of an owner on another
        machine does not.
        """
        where = os.path.abspath(os.fspath(path))
        return Packet(_tessera._packet_place(self, where, lease.first, lease.size, sync))


class Lease(NamedTuple):
    """A range of bytes of a file, or of numbers of files in a directory."""

    first: int
    size: int


@functools.lru_cache(maxsize=16)
def _opened(sketch: bytes, threads: int | None) -> Array:
    return open(sketch, "r+", threads=threads)


# A call of another thread that the fork cut off may have left an array in any state.
os.register_at_fork(after_in_child=_opened.cache_clear)


def _range(part: slice, length: int) -> tuple[int, int]:
    start, stop, step = part.indices(length)
    if step != 1:
        raise ValueError(f"{part} has a step, and a box has none")
    return start, max(start, stop)


def _bounds(box: Box, shape: Sequence[int]) -> list[tuple[int, int]]:
    """Start and stop of a box along each axis."""
    parts = list(box) if isinstance(box, tuple) else [box]
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    rest = [slice(None)] * (len(shape) - len(parts) + (at < len(parts)))
    parts[at : at + 1] = rest
    if len(parts) != len(shape) or not all(isinstance(part, slice) for part in parts):
        raise IndexError(f"{box!r} is no box of an array of {len(shape)} dimensions: slices are")
    return [_range(part, length) for part, length in zip(parts, shape)]


def encode(
    sketch: bytes | Array, box: Box, items: npt.ArrayLike, *, threads: int | None = None
) -> Packet:
    """Encode the chunks of a box into a packet.

    sketch is what Array.sketch() made. box is one or several slices, of whole chunks: they are cut
    at the end of the array only. items are cast as in an assignment, and broadcast to the box. Any
    number of threads and processes may encode; the chunks are those that an assignment makes.
    """
    array = sketch if isinstance(sketch, Array) else _opened(bytes(sketch), threads)
    bounds = _bounds(box, array.shape)
    shape = tuple(stop - start for start, stop in bounds)
    values = np.asarray(items) if hasattr(items, "dtype") else np.asarray(items, dtype=array.dtype)
    values = np.broadcast_to(values.astype(array.dtype, casting="same_kind", copy=False), shape)
    start, stop = [b[0] for b in bounds], [b[1] for b in bounds]
    return Packet(array._encode(start, stop, values))


class Adoption(_tessera.Adoption):
    """An array that adopts the chunks of packets, made by Array.adopt().

    Its end commits all of them. Where the block of a with statement raises, nothing is committed:
    what was adopted is committed or discarded with the array.

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
        """Adopt all chunks of a packet, or none. Packets come in any order, and twice.

        What a packet says is compared with the array, and its bytes with their checksums; nothing
        is decoded. One that is not trusted is decoded as a check, and if its chunks were written to
        the file, they are read.
        """
        self._add(packet, trusted)

    def lease(self, size: int) -> Lease:
        """Lease bytes of the file, or in a directory files, for a worker to write chunks to."""
        return Lease(*self._lease(size))

    def give_back(self, lease: Lease) -> None:
        """Return a lease before the end; what was adopted stays, and the rest is free again.

        No worker may write to it any more.
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
