"""Packets of encoded chunks, and the adoption of them: many processes write one array."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NamedTuple, Union

from tessera import _tessera

# Bytes of a packet from elsewhere.
Bytes = Union[bytes, bytearray, memoryview]


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
