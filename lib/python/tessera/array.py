"""The class Array."""

from __future__ import annotations

import atexit
import importlib
import math
import os
import sys
import uuid
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tessera import _tessera
from tessera.attributes import Attributes
from tessera.folders import groups
from tessera.layouts import Filters, Layout, Method, Shape, methods
from tessera.operators import Operators
from tessera.packets import Adoption
from tessera.places import (
    Checksums,
    Durability,
    Path,
    is_written,
    options_of,
    state_of,
    to_create,
    to_open,
)

# As tess_reduction in reduce.h.
_SUM, _MEAN, _VAR, _MIN, _MAX, _, _ANY, _ALL = range(8)
# As py_index_way in src/index.h.
_NUMPY, _OUTER, _POINTS = range(3)

# Failures of an open that are about the file: they name it, as OSError does.
ABOUT_FILES = (
    _tessera.FormatError,
    _tessera.CorruptError,
    _tessera.UnsupportedError,
    _tessera.LimitError,
)

# Arrays that are open for writing, which are closed at the end of the program: the library commits
# nothing by itself when a process ends. By their identities: weak sets ask whether items are equal.
_unfinished: weakref.WeakValueDictionary[int, Array] = weakref.WeakValueDictionary()


@atexit.register
def _finish() -> None:
    for array in list(_unfinished.values()):
        try:
            array.close()
        except Exception:  # the others are closed all the same
            sys.excepthook(*sys.exc_info())


# A child cannot commit them.
os.register_at_fork(after_in_child=_unfinished.clear)


class Origin(NamedTuple):
    """How an array of a store is opened again. state tells its items from others; (): nothing does."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
    state: tuple[Any, ...]


class _Index:
    """The value of .oindex and .vindex: its indices read and write items."""

    def __init__(self, array: Array, way: int) -> None:
        self._array, self._way = array, way

    def __getitem__(self, index: Any) -> Any:
        return self._array._read(index, self._way, None)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._array._write(index, self._way, value)


class _View:
    """The value of .view: its indices make views."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, index: Any) -> Array:
        return self._array._again("_view", index)


class Array(_tessera.Array, Operators):
    """An open array, made by tessera.open(), create() and asarray().

    It is indexed, and assigned to, as an array of NumPy. Assigned values that have a dtype are cast
    by NumPy's rule same_kind, others are converted to the dtype of the array. Any number of threads
    may read and write one array; calls that close it or change its shape wait for the others.

    Comparisons, other operators and universal functions of NumPy work item by item, and give arrays
    of NumPy. a += 1 is refused: a[...] += 1 changes the items.

    >>> import numpy as np
    >>> import tessera
    >>> a = tessera.asarray(np.arange(12).reshape(3, 4))
    >>> a[1:, ::-2]
    array([[ 7,  5],
           [11,  9]])
    >>> a[[0, 2], 1]
    array([1, 9])
    >>> a[a > 9] = -1
    >>> a[2]
    array([ 8,  9, -1, -1])
    """

    # For pickles: how the array was opened; how a view was made.
    _place: dict[str, Any]
    _made: tuple[str, Any]
    _origin: Origin | None = None  # of an array of a store that is read

    def __enter__(self) -> Array:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of items."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all items, uncompressed."""
        return self.size * self.dtype.itemsize

    @property
    def cbytes(self) -> int:
        """Bytes of the stored chunks, at the last commit."""
        return int(self._info()["cbytes"])

    @property
    def chunks(self) -> tuple[int, ...]:
        """Items of a chunk along each axis."""
        chunks: tuple[int, ...] = self._info()["chunks"]
        return chunks

    @property
    def blocks(self) -> tuple[int, ...]:
        """Items of a block along each axis: the smallest unit that is decoded."""
        blocks: tuple[int, ...] = self._info()["blocks"]
        return blocks

    @property
    def writable(self) -> bool:
        """Whether items may be changed."""
        return bool(self._info()["writable"])

    @property
    def layout(self) -> Layout:
        """Chunks, blocks, codec and filters, as an argument of create() and others."""
        info = self._info()
        names = ("chunks", "blocks", "codec", "codec_meta", "level", "split", "dictionary")
        return Layout(filters=tuple(info["filters"]), **{name: info[name] for name in names})

    @property
    def attrs(self) -> Attributes:
        """The attributes, a mutable mapping."""
        return Attributes(self)

    @property
    def dims(self) -> tuple[str, ...] | None:
        """Names of the axes, "" for one without a name; None if the array has no names."""
        names = self._dims_get()
        return None if names is None else tuple(names)

    @dims.setter
    def dims(self, names: Iterable[str]) -> None:
        self._dims_set(tuple(names))

    @property
    def _in_store(self) -> bool:
        return "store" in self._place

    # Items

    def read(self, index: Any = ..., out: npt.NDArray[Any] | None = None) -> Any:
        """Read the items of an index, as a[index] does; into out, if given, of their shape and type.

        Numbers and slices are read into out without a copy, whatever its strides. So are lists and
        masks if out is contiguous and the axes of the result are in the order of the array.

        >>> import numpy as np
        >>> import tessera
        >>> a = tessera.asarray(np.arange(6).reshape(2, 3))
        >>> out = np.zeros((3, 2), dtype=a.dtype)
        >>> a.read(np.s_[:, ::2], out=out[::2]) is out
        False
        >>> out
        array([[0, 2],
               [0, 0],
               [3, 5]])
        """
        return self._read(index, _NUMPY, out)

    @property
    def oindex(self) -> _Index:
        """Orthogonal indexing, one axis per list: a.oindex[[0, 2], [1, 3]] has 2 x 2 items."""
        return _Index(self, _OUTER)

    @property
    def vindex(self) -> _Index:
        """Indexing as in NumPy, except that the axes of lists always come first in the result."""
        return _Index(self, _POINTS)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("the items are compressed: no array of NumPy without a copy")
        items: npt.NDArray[Any] = self._read((...,), _NUMPY, None)
        return items if dtype is None else items.astype(dtype, copy=False)

    def __iter__(self) -> Iterator[Any]:
        rows = max(1, self.chunks[0]) if self.ndim else 1
        for start in range(0, len(self), rows):
            yield from self[start : start + rows]

    def iter_chunks(self) -> Iterator[tuple[tuple[slice, ...], npt.NDArray[Any]]]:
        """Iterate over chunks: pairs of an index, one slice per axis, and its items.

        >>> import tessera
        >>> a = tessera.create(None, (4, 5), "u1", chunks=(4, 3), fill_value=1)
        >>> [(index[1], int(items.sum())) for index, items in a.iter_chunks()]
        [(slice(0, 3, None), 12), (slice(3, 5, None), 8)]
        """
        chunks = self.chunks
        counts = [-(-length // chunk) for length, chunk in zip(self.shape, chunks) if length]
        if len(counts) < self.ndim:
            return
        for number in range(math.prod(counts)):
            starts: list[int] = []
            for count, chunk in zip(reversed(counts), reversed(chunks)):
                number, i = divmod(number, count)
                starts.insert(0, i * chunk)
            box = [slice(start, start + chunk) for start, chunk in zip(starts, chunks)]
            items = self._read((*box, ...), _NUMPY, None)
            if items.size:  # another thread may have cut it off
                yield tuple(map(slice, starts, map(sum, zip(starts, items.shape)))), items

    # Shape

    def append(self, items: npt.ArrayLike | _tessera.Array, axis: int = 0) -> None:
        """Append layers along an axis: items with all axes, or one layer without that axis.

        >>> import tessera
        >>> a = tessera.create(None, (0, 3), "i4")
        >>> a.append([[1, 2, 3], [4, 5, 6]])
        >>> a.append([7, 8, 9])
        >>> a.shape
        (3, 3)
        """
        if isinstance(items, _tessera.Array):
            self._append_array(axis, items)
        else:
            self._insert(axis, None, self._layers(items, axis))

    def insert(self, position: int, items: npt.ArrayLike, axis: int = 0) -> None:
        """Insert layers before an index of an axis; items as in append()."""
        self._insert(axis, position, self._layers(items, axis))

    def delete(self, index: int | slice, axis: int = 0) -> None:
        """Delete the layers at an index, or at a slice of an axis.

        >>> import tessera
        >>> a = tessera.asarray([10, 11, 12, 13, 14])
        >>> a.delete(slice(1, 3))
        >>> a[...]
        array([10, 13, 14])
        """
        self._delete(axis, index)

    def _layers(self, items: npt.ArrayLike, axis: int) -> npt.NDArray[Any]:
        has_type = hasattr(items, "dtype")
        layers = np.asarray(items) if has_type else np.asarray(items, dtype=self.dtype)
        return layers if layers.ndim == self.ndim else np.expand_dims(layers, axis)

    # Views

    @property
    def view(self) -> _View:
        """Views: a.view[2, ::-1] is an array whose items are those of a, without a copy.

        Numbers, slices, '...' and None make views. What is assigned to one is assigned to a.

        >>> import numpy as np
        >>> import tessera
        >>> a = tessera.asarray(np.zeros((2, 3)))
        >>> a.view[1, ::-1][0] = 7
        >>> a[...]
        array([[0., 0., 0.],
               [0., 0., 7.]])
        """
        return _View(self)

    def transpose(self, *axes: int | Sequence[int] | None) -> Array:
        """A view with the axes in another order, numbers or one list; without, in the reverse one."""
        one = axes[0] if len(axes) == 1 else axes or None
        order = range(self.ndim)[::-1] if one is None else one
        return self._again("_permute", tuple(order) if isinstance(order, Sequence) else order)

    @property
    def T(self) -> Array:
        """A view with the axes in reverse order."""
        return self.transpose()

    def read_only(self) -> Array:
        """A view that cannot change the array."""
        return self._again("_read_only", None)

    def _again(self, method: str, argument: Any) -> Array:
        """Make a view, and record how, for pickles."""
        make = getattr(self, method)
        view: Array = make() if argument is None and method == "_read_only" else make(argument)
        view._made = (method, argument)
        return view

    # Reductions. numpy.sum() and others call them; dtype is among the arguments that these pass on.

    def sum(
        self,
        axis: Shape | None = None,
        dtype: None = None,
        out: npt.NDArray[Any] | None = None,
        *,
        keepdims: bool = False,
        skipna: bool = False,
    ) -> Any:
        """Sum along axes, of the type that NumPy's has; skipna leaves NaNs out.

        The result goes into out, if given. It is of the type that it has: dtype is None.

        >>> import numpy as np
        >>> import tessera
        >>> tessera.asarray(np.arange(6).reshape(2, 3)).sum(axis=0)
        array([3, 5, 7])
        >>> np.sum(tessera.asarray([1, 2, 3]))
        6
        """
        return self._reduced("sum", _SUM, axis, keepdims, skipna, dtype, out)

    def mean(
        self,
        axis: Shape | None = None,
        dtype: None = None,
        out: npt.NDArray[Any] | None = None,
        *,
        keepdims: bool = False,
        skipna: bool = False,
    ) -> Any:
        """Mean along axes."""
        return self._reduced("mean", _MEAN, axis, keepdims, skipna, dtype, out)

    def min(
        self,
        axis: Shape | None = None,
        out: npt.NDArray[Any] | None = None,
        *,
        keepdims: bool = False,
        skipna: bool = False,
    ) -> Any:
        """Minimum along axes."""
        return self._reduced("min", _MIN, axis, keepdims, skipna, None, out)

    def max(
        self,
        axis: Shape | None = None,
        out: npt.NDArray[Any] | None = None,
        *,
        keepdims: bool = False,
        skipna: bool = False,
    ) -> Any:
        """Maximum along axes."""
        return self._reduced("max", _MAX, axis, keepdims, skipna, None, out)

    def var(
        self,
        axis: Shape | None = None,
        dtype: None = None,
        out: npt.NDArray[Any] | None = None,
        *,
        ddof: int = 0,
        keepdims: bool = False,
        skipna: bool = False,
    ) -> Any:
        """Variance along axes."""
        return self._reduced("var", _VAR, axis, keepdims, skipna, dtype, out, ddof=ddof)

    def std(
        self,
        axis: Shape | None = None,
        dtype: None = None,
        out: npt.NDArray[Any] | None = None,
        *,
        ddof: int = 0,
        keepdims: bool = False,
        skipna: bool = False,
    ) -> Any:
        """Standard deviation along axes."""
        return self._reduced("std", _VAR, axis, keepdims, skipna, dtype, out, ddof=ddof)

    def any(
        self,
        axis: Shape | None = None,
        out: npt.NDArray[Any] | None = None,
        *,
        keepdims: bool = False,
    ) -> Any:
        """Whether an item along axes is not 0."""
        return self._reduced("any", _ANY, axis, keepdims, False, None, out)

    def all(
        self,
        axis: Shape | None = None,
        out: npt.NDArray[Any] | None = None,
        *,
        keepdims: bool = False,
    ) -> Any:
        """Whether no item along axes is 0."""
        return self._reduced("all", _ALL, axis, keepdims, False, None, out)

    def _reduced(
        self,
        name: str,
        op: int,
        axis: Shape | None,
        keepdims: bool,
        skipna: bool,
        dtype: None,
        out: npt.NDArray[Any] | None,
        **more: int,
    ) -> Any:
        if dtype is not None:
            raise TypeError(f"{name}() has a type of its own, not {dtype!r}: convert the result")
        if self.dtype.kind in "biuf" and self.dtype.itemsize <= 8:
            result = self._computed(name, op, axis, keepdims, skipna, more.get("ddof", 0))
        elif skipna:
            raise TypeError(f"skipna needs real numbers, and the items are {self.dtype}")
        else:  # the library has no others
            axes = tuple(axis) if isinstance(axis, Sequence) else axis
            result = getattr(np, name)(self[...], axis=axes, keepdims=keepdims, **more)
        if out is None:
            return result
        if out.shape != np.shape(result):
            raise ValueError(f"out has the shape {out.shape}, the result {np.shape(result)}")
        np.copyto(out, result)
        return out

    def _computed(
        self, name: str, op: int, axis: Shape | None, keepdims: bool, skipna: bool, ddof: int
    ) -> Any:
        result = self._reduce(op, axis, keepdims, skipna, ddof)
        if name == "std":
            np.sqrt(result, out=result)
        floats = self.dtype.kind == "f" and name in ("sum", "mean", "var", "std")
        kind = self.dtype if floats else result.dtype
        return result.astype(kind.newbyteorder("="), copy=False)[()]

    # Packets

    def sketch(self) -> bytes:
        """The array without its chunks, some hundred bytes: what workers need for encode()."""
        return self._sketch()

    def adopt(self) -> Adoption:
        """Begin to adopt packets of encoded chunks; see Adoption."""
        return Adoption(self)

    # Copies

    def copy(
        self,
        path: Path | None = None,
        *,
        mode: str = "x",
        chunks: Shape | None = None,
        blocks: Shape | None = None,
        codec: Method | None = None,
        level: int | None = None,
        filters: Filters | None = None,
        layout: Layout | None = None,
        sparse: bool | None = None,
        threads: int | None = None,
        cache: int | None = None,
        checksums: Checksums = "write",
        durability: Durability = "ordered",
        memory_limit: int | None = None,
        wait: float = 0,
        lock_file: bool = False,
        explicit_commits: bool = False,
    ) -> Array:
        """Copy the array, attributes included, with another layout if one is given.

        Chunks whose layout stays the same are copied without decoding. path None: in memory. Other
        arguments as in create().

        >>> import tessera
        >>> a = tessera.asarray(range(1000))
        >>> a.copy(codec="zstd", level=9).layout.codec
        'zstd'
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
        params = methods(
            chunks=chunks, blocks=blocks, codec=codec, level=level, filters=filters, layout=layout
        )
        params["sparse"] = bool(sparse)
        return opened(self._copy(type(self), place, params), place)

    def save(
        self,
        path: Path,
        *,
        mode: str = "x",
        sparse: bool = False,
        durability: Durability = "ordered",
        wait: float = 0,
    ) -> None:
        """Write the array to a file as it is stored, without decoding. Arguments as in create()."""
        self._save(to_create(path, mode, durability=durability, wait=wait), sparse)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.base is not None:
            return _remade, (self.base, *self._made)
        if self._origin is not None:
            return self._origin.make, self._origin.arguments
        if self.path is None:
            return _reopened, (self.to_bytes(), "r+" if self.writable else "r", options_of(self._place))
        if self.writable or self._in_store:
            raise TypeError(
                f"the array {self.path!r} is open for writing, and a file has one writer: it cannot be"
                " pickled, nor sent to other processes. tessera.from_dask() writes an array of Dask"
                " with many processes, adopt() takes chunks that others encoded; copy() copies items"
            )
        return _reopened, (self.path, "r", options_of(self._place))

    def _as_dask(self, chunks: Any = "auto") -> Any:
        """As to_dask(). Dask is imported when it is needed."""
        source = self
        if self.base is None and self.path is not None and self.writable and not self._in_store:
            self.flush()
            source = open_at(self.path, "r")
        elif self.base is None and self.writable:
            source = self.read_only()
        if self.size == 0 and isinstance(chunks, str):
            chunks = -1
        from_array = importlib.import_module("dask.array").from_array
        return from_array(source, chunks=chunks, name=False, asarray=False, meta=np.empty(0, self.dtype))

    def __dask_tokenize__(self) -> Any:
        """What tells the items from others, for the names of Dask's tasks."""
        if self.base is not None:
            return (type(self).__name__, self.base.__dask_tokenize__(), repr(self._made))
        if self.path is None:
            return (type(self).__name__, self.to_bytes())
        if self.writable or (self._in_store and not (self._origin and self._origin.state)):
            return (type(self).__name__, uuid.uuid4().hex)  # they may be others at any time
        info = self._info()
        sizes = self.shape, self.dtype.str, info["cbytes"], info["file_size"]
        state = self._origin.state if self._origin else state_of(self._place)
        return (type(self).__name__, self.path, *state, *sizes)

    def __repr__(self) -> str:
        name = type(self).__name__
        where = "in memory" if self.path is None else repr(self.path)
        if self.closed:
            return f"<tessera.{name} {where}, closed>"
        info = self._info()
        filters = "+".join(f for f, _ in info["filters"]) or "no filters"
        kind = "view of " if info["view"] else ""
        writer = " open for writing" if self.path is not None and info["writable"] else ""
        return (
            f"<tessera.{name} {kind}{where}{writer}, shape {self.shape}, {self.dtype}, chunks"
            f" {info['chunks']}, blocks {info['blocks']}, {info['codec']} {info['level']}, {filters},"
            f" {self.nbytes} bytes stored in {info['cbytes']}>"
        )


def opened(array: Array, place: dict[str, Any]) -> Array:
    """The array that a call made of a place."""
    array._place = place
    if is_written(place) and array.path is not None and "store" not in place:
        _unfinished[id(array)] = array
    return array


def _with_path(error: Exception, path: Path, place: dict[str, Any]) -> str:
    """The words of an error of opening a place, with its path.

    A function of its own: Python 3.11 cannot leave a handler that lies behind 256 instructions of
    its function when there is no memory.
    """
    if isinstance(error, _tessera.FormatError) and "url" not in place:
        if groups.is_dataset(place["path"]):
            return (
                f"{path!r} is a folder of arrays: xarray.open_dataset(path,"
                ' engine="tessera") opens it'
            )
    return f"{os.fspath(path)!r}: {error}"


def open_at(
    path: Path | bytes | bytearray | memoryview, mode: str, *, mmap: bool = False, **options: Any
) -> Array:
    """Open an array. Arguments as in open(); the bytes of a file are not mapped."""
    if isinstance(path, (bytes, bytearray, memoryview)):
        place = to_open(None, mode, **options)
        return opened(_tessera._open(Array, {**place, "image": path}), place)
    place = to_open(path, mode, mmap=mmap, **options)
    try:
        return opened(_tessera._open(Array, place), place)
    except ABOUT_FILES as error:
        raise type(error)(_with_path(error, path, place)) from None


def _remade(base: Array, method: str, argument: Any) -> Array:
    return base._again(method, argument)


def _reopened(path: str | bytes, mode: str, options: dict[str, Any]) -> Array:
    return open_at(path, mode, **options)
