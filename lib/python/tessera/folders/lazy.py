"""Arrays and folders of arrays as datasets of xarray, whose items are read when they are needed.

xarray is imported here, so other files import this one when they need it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np
import numpy.typing as npt

from tessera import _tessera
from tessera.array import Array
from tessera.folders import groups
from tessera.folders.attributes import load_attributes
from tessera.folders.containers import Container, Opener, container_of
from tessera.folders.names import Name
from tessera.folders.record import Record
from tessera.places import Path
from tessera.stores import Group

if TYPE_CHECKING:  # xarray need not be there where types are checked
    class BackendArray:
        """As in xarray."""

    class CachingFileManager:
        """As in xarray."""

        def __init__(self, opener: Callable[..., Array], *args: Any, mode: str, kwargs: Any): ...
        def acquire(self) -> Array: ...
        def close(self) -> None: ...

    Dataset: Any
    Variable: Any
    indexing: Any
    conventions: Any

else:
    from xarray import Dataset, Variable, conventions
    from xarray.backends import BackendArray, CachingFileManager
    from xarray.core import indexing


class _Kept:
    """As a CachingFileManager, for an array of a store that is written: nothing can open it again."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def acquire(self) -> Array:
        return self._array

    def close(self) -> None:
        self._array.close()


_Manager = Union[CachingFileManager, _Kept]


def _manager(opener: Opener, writable: bool) -> _Manager:
    if writable:
        return _Kept(opener.make(*opener.arguments, mode="r"))
    return CachingFileManager(opener.make, *opener.arguments, mode="r", kwargs=opener.options)


def _only_grew(array: Array) -> bool:
    """Whether changes of an array are appends of datasets, which leave older items as they are."""
    if array._in_store:
        return False
    record = groups.read_group(os.path.dirname(array.path or ""))
    return bool(record.appended.intersection(array.dims or ()))


class LazyItems(BackendArray):
    """The items of an array, read lazily by indices of xarray.

    Any number of threads may read. A pickle has the path only. xarray limits the number of open
    files, and closes the least recently used.

    The array may be longer, or become longer: items are those of the shape that is given.
    """

    def __init__(
        self, manager: _Manager, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self._manager = manager
        self.shape = shape
        self.dtype = dtype

    def __getitem__(self, key: Any) -> npt.NDArray[Any]:
        while True:
            array = self._manager.acquire()
            try:
                return np.asarray(self._read(self._part(array), key), dtype=self.dtype)
            except _tessera.StaleError:
                if not _only_grew(array):
                    raise
                array.refresh()
            except ValueError:
                if not array.closed:  # else xarray closed it for a file of another thread: again
                    raise

    def _part(self, array: Array) -> Array:
        if array.shape == self.shape:
            return array
        part = array.view[tuple(slice(length) for length in self.shape)]
        if part.shape != self.shape:
            raise ValueError(f"{array.path!r} had the shape {self.shape}, and has {array.shape} now")
        return part

    def _read(self, array: Array, key: Any) -> Any:
        if isinstance(key, indexing.VectorizedIndexer):
            return array.vindex[key.tuple]
        if isinstance(key, indexing.OuterIndexer):
            return array.oindex[key.tuple]
        return array[key.tuple]


def _dimensions(array: Array, prefix: str) -> tuple[str, ...]:
    """The names of all axes: dim_0, dim_1 ... for those without one, behind the prefix."""
    names = array.dims or ("",) * array.ndim
    return tuple(name or f"{prefix}dim_{axis}" for axis, name in enumerate(names))


def _committed(array: Array, dims: tuple[str, ...], record: Record) -> tuple[int, ...]:
    """The shape of an array without the items of an append that did not end."""
    lengths = {dim: record.dimensions[dim] for dim in record.appended}
    return tuple(min(n, lengths.get(dim, n)) for dim, n in zip(dims, array.shape))


def _variable(manager: _Manager, source: str, prefix: str, types: Any, record: Record) -> Any:
    """An array as a lazy variable of xarray.

    Writers of xarray take from the encoding what they know: chunks are those of Zarr, too, so filters
    stand in the layout only. Strings have the types of netCDF, which say nothing of a length.
    """
    array = manager.acquire()
    dims, layout = _dimensions(array, prefix), array.layout
    encoding: dict[str, Any] = {
        "chunks": layout.chunks,
        "blocks": layout.blocks,
        "codec": layout.codec,
        "level": layout.level,
        "layout": layout,
        "source": source,
    }
    if array.dtype.kind in "SU":
        encoding["dtype"] = np.dtype("S1") if array.dtype.kind == "S" else str
    if all(array.chunks):
        encoding["preferred_chunks"] = dict(zip(dims, array.chunks))
    attrs = load_attributes(array, types)
    shape = _committed(array, dims, record)
    items = indexing.LazilyIndexedArray(LazyItems(manager, shape, array.dtype))
    return Variable(dims, items, attrs, encoding)


def _open_all(
    container: Container, dropped: set[str], managers: list[_Manager]
) -> tuple[Record, dict[Name, Any]]:
    """The record, and all variables. They are opened again if a dataset was appended meanwhile."""
    while True:
        record = container.read_record()
        variables: dict[Name, Any] = {}
        files = container.files()
        for name in record.in_order(files):
            if name in dropped:
                continue
            managers.append(_manager(container.opener(files[name]), container.writable))
            prefix = "" if container.is_array else f"{name}_"
            types = record.types.get(name, {})
            variables[name] = _variable(
                managers[-1], container.source(files[name]), prefix, types, record
            )
        if container.is_current(record):
            return record, variables
        _close(managers)


def _close(managers: list[_Manager], container: Container | None = None) -> None:
    while managers:
        managers.pop().close()
    if container is not None:
        container.close()


def open_dataset(
    filename_or_obj: Path | Group,
    *,
    mask_and_scale: bool = True,
    decode_times: bool = True,
    concat_characters: bool = True,
    decode_coords: bool | str = True,
    drop_variables: str | Iterable[str] | None = None,
    use_cftime: bool | None = None,
    decode_timedelta: bool | None = None,
    group: str | None = None,
    commit: str | int | None = None,
    threads: int | None = None,
    cache: int | None = None,
) -> Any:
    """Open a Dataset of an array, of a folder of arrays, or of a group of a store.

    group is a folder in the folder, or a group in the store; commit a name or number of a commit of
    the store. threads and cache are as in tessera.open(). The other arguments are those of
    xarray.open_dataset().
    """
    options: dict[str, Any] = {"threads": threads, "cache": cache}
    if commit is not None:
        options["commit"] = commit
    container = container_of(filename_or_obj, group, options)
    try:
        return dataset_of(
            container,
            drop_variables,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )
    except BaseException:
        container.close()
        raise


def dataset_of(
    container: Container, drop_variables: str | Iterable[str] | None = None, **decoding: Any
) -> Any:
    """The Dataset of what a container has; decoding are arguments of open_dataset()."""
    container.check()
    dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
    managers: list[_Manager] = []
    try:
        record, variables = _open_all(container, dropped, managers)
        variables, attrs, coordinates = conventions.decode_cf_variables(
            variables, record.attrs, **decoding
        )
        dataset = Dataset(variables, attrs=attrs)
        dataset = dataset.set_coords(coordinates.intersection(variables))
    except BaseException:
        _close(managers)
        raise
    unlimited = record.unlimited & set(dataset.dims)
    dataset.encoding = {"source": container.path, "unlimited_dims": unlimited}
    dataset.set_close(functools.partial(_close, managers, container))
    return dataset
