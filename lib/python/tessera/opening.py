"""Functions that return an array: open(), create() and asarray()."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from tessera import _tessera
from tessera.array import Array, open_at, opened
from tessera.layouts import Filters, Layout, Method, Shape, described, methods
from tessera.places import Checksums, Durability, Path, split, to_create, to_open
from tessera.stores import open_store


def open(
    path: Path | bytes | bytearray | memoryview,
    mode: str = "r",
    *,
    threads: int | None = None,
    cache: int | None = None,
    mmap: bool = False,
    checksums: Checksums = "write",
    durability: Durability = "ordered",
    memory_limit: int | None = None,
    wait: float = 0,
    lock_file: bool = False,
    explicit_commits: bool = False,
) -> Array:
    """Open an array: a file, the directory of a sparse one, a URL, or the bytes of a file.

    The path may lead through a store to an array in it, which is opened for reading:
    "climate.b2d/winds/u", or that of a .b2z, also at a URL. Such an array stays at the commit that
    was the newest.

    mode is "r" for reading, or "r+" for reading and writing. threads is the number of threads that
    work on a call, cache the bytes of decoded blocks that the array keeps; None: the library
    chooses. mmap reads the file through a memory map.

    checksums "verify" compares each chunk that is read with its checksum; "none" writes none.
    durability is what a commit survives: "none" a crash of the program; "ordered" also one of the
    machine, after which this or an older commit is there; with "fsync" it is this one. memory_limit
    is the most bytes of one allocation that a file may ask for (1 GiB): beyond it, LimitError. wait
    is the timeout in seconds, math.inf for none, if the array is open for writing elsewhere; after
    it, BlockingIOError. lock_file creates the lock file of c-blosc2, for programs that use it. With
    explicit_commits only flush(), close() and the end of an adoption change the file: without, long
    series of writes are also committed in between.

    >>> import tessera
    >>> tessera.open("nothing.b2nd")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] ...
    >>> frame = tessera.asarray([1, 2, 3]).to_bytes()
    >>> tessera.open(frame)[1]
    2
    """
    options: dict[str, Any] = dict(
        threads=threads,
        cache=cache,
        mmap=mmap,
        checksums=checksums,
        durability=durability,
        memory_limit=memory_limit,
        wait=wait,
        lock_file=lock_file,
    )
    if isinstance(path, (str, os.PathLike)):
        name = os.fspath(path)
        where = split(name) if isinstance(name, str) else None
        if where is not None and where[1]:
            return _open_entry(*where, mode, options)
    return open_at(path, mode, explicit_commits=explicit_commits, **options)


def _open_entry(store: str, name: str, mode: str, options: dict[str, Any]) -> Array:
    """Open an array of a store for reading."""
    if mode == "r+":
        raise _tessera.ArgumentError(
            f"{name!r} is in a store, whose arrays are committed together: "
            f"open that with tessera.open_store({store!r}, 'r+')"
        )
    to_open(None, mode)  # raises if it is no mode
    with open_store(store, **options) as opened_store:
        try:
            found = opened_store[name]
        except KeyError as error:
            raise FileNotFoundError(f"{store!r} has no array: {error}") from None
    if not isinstance(found, Array):
        raise _tessera.KindError(
            f"{name!r} in {store!r} is a group, not an array: tessera.open_store() opens it"
        )
    return found


def create(
    path: Path | None,
    shape: Shape,
    dtype: npt.DTypeLike,
    chunks: Shape | None = None,
    blocks: Shape | None = None,
    *,
    codec: Method | None = None,
    level: int | None = None,
    filters: Filters | None = None,
    fill_value: Any = None,
    layout: Layout | None = None,
    sparse: bool = False,
    mode: str = "x",
    threads: int | None = None,
    cache: int | None = None,
    checksums: Checksums = "write",
    durability: Durability = "ordered",
    memory_limit: int | None = None,
    wait: float = 0,
    lock_file: bool = False,
    explicit_commits: bool = False,
) -> Array:
    """Create an array whose items are fill_value, or zero, and open it for reading and writing.

    path None: in memory. mode "x" fails if the path exists; with "w", the array replaces what is at
    the path when it is flushed or closed. chunks and blocks, in items per axis, are chosen if they
    are not given. codec is a name such as "lz4" or "zstd", or a pair of a name and the codec's
    parameter; filters is one such or a list of such; level is 0 to 9. layout is a Layout, from tessera.layout()
    or of another array. A sparse array is a directory with one file per chunk. The other arguments
    are those of open(); mode "w" waits for an array that is open for writing.

    >>> import tessera
    >>> a = tessera.create(None, (1000, 1000), "f4", codec="zstd", level=9, fill_value=-1)
    >>> a[5, 5]
    -1.0
    >>> a[0] = range(1000)
    """
    place = to_create(
        path,
        mode,
        threads=threads,
        cache=cache,
        checksums=checksums,
        durability=durability,
        memory_limit=memory_limit,
        wait=wait,
        lock_file=lock_file,
        explicit_commits=explicit_commits,
    )
    params = described(
        shape,
        dtype,
        fill_value,
        chunks=chunks,
        blocks=blocks,
        codec=codec,
        level=level,
        filters=filters,
        layout=layout,
    )
    params["sparse"] = sparse
    return opened(_tessera._create(Array, place, params, None), place)


def asarray(
    items: npt.ArrayLike | Array,
    path: Path | None = None,
    *,
    dtype: npt.DTypeLike | None = None,
    chunks: Shape | None = None,
    blocks: Shape | None = None,
    codec: Method | None = None,
    level: int | None = None,
    filters: Filters | None = None,
    layout: Layout | None = None,
    sparse: bool = False,
    mode: str = "x",
    threads: int | None = None,
    cache: int | None = None,
    checksums: Checksums = "write",
    durability: Durability = "ordered",
    memory_limit: int | None = None,
    wait: float = 0,
    lock_file: bool = False,
    explicit_commits: bool = False,
) -> Array:
    """Create an array of items that numpy.asarray() accepts; an Array is returned as it is.

    The other arguments are those of create(). If path or a layout is given, an Array is copied.

    >>> import numpy as np
    >>> import tessera
    >>> a = tessera.asarray(np.eye(3), codec="zstd")
    >>> a.shape, a.dtype
    ((3, 3), dtype('float64'))
    >>> tessera.asarray(a) is a
    True
    """
    params = methods(
        chunks=chunks, blocks=blocks, codec=codec, level=level, filters=filters, layout=layout
    )
    if isinstance(items, Array) and (dtype is None or np.dtype(dtype) == items.dtype):
        if path is None and not params:
            return items
        return items.copy(
            path,
            mode=mode,
            chunks=chunks,
            blocks=blocks,
            codec=codec,
            level=level,
            filters=filters,
            layout=layout,
            sparse=sparse,
            threads=threads,
            cache=cache,
            checksums=checksums,
            durability=durability,
            memory_limit=memory_limit,
            wait=wait,
            lock_file=lock_file,
            explicit_commits=explicit_commits,
        )
    place = to_create(
        path,
        mode,
        threads=threads,
        cache=cache,
        checksums=checksums,
        durability=durability,
        memory_limit=memory_limit,
        wait=wait,
        lock_file=lock_file,
        explicit_commits=explicit_commits,
    )
    memory = np.asarray(items, dtype=dtype, order="C")
    params.update(shape=memory.shape, dtype=memory.dtype, sparse=sparse)
    return opened(_tessera._create(Array, place, params, memory), place)
