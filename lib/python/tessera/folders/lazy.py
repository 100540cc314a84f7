"""Arrays and folders of arrays as datasets of xarray, whose items are read when they are needed.

xarray is imported here, so other files import this one when they need it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
import numpy.typing as npt

from tessera import _tessera
from tessera.array import Array
from tessera.folders import groups
from tessera.folders.attributes import load_attributes
from tessera.folders.names import Name, variable_name
from tessera.opening import open

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


def _only_grew(array: Array) -> bool:
    """Whether changes of an array are appends of datasets, which leave older items as they are."""
    record = groups.read_group(os.path.dirname(array.path or ""))
    return bool(record.appended.intersection(array.dims or ()))


class LazyItems(BackendArray):
    """The items of an array, read lazily by indices of xarray.

    Any number of threads may read. A pickle has the path only. xarray limits the number of open
    files, and closes the least recently used.

    The array may be longer, or become longer: items are those of the shape that is given.
    """

    def __init__(
        self, manager: CachingFileManager, shape: tuple[int, ...], dtype: np.dtype[Any]
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


def _committed(array: Array, dims: tuple[str, ...], record: groups.Group) -> tuple[int, ...]:
    """The shape of an array without the items of an append that did not end."""
    lengths = {dim: record.dimensions[dim] for dim in record.appended}
    return tuple(min(n, lengths.get(dim, n)) for dim, n in zip(dims, array.shape))


def _variable(
    path: str, name: Name, prefix: str, options: dict[str, Any], record: groups.Group
) -> tuple[CachingFileManager, Any]:
    """The manager of an array's file, and the array as a lazy variable of xarray.

    Writers of xarray take from the encoding what they know: chunks are those of Zarr, too, so filters
    stand in the layout only. Strings have the types of netCDF, which say nothing of a length.
    """
    manager = CachingFileManager(open, path, mode="r", kwargs=options)
    array = manager.acquire()
    dims, layout = _dimensions(array, prefix), array.layout
    encoding: dict[str, Any] = {
        "chunks": layout.chunks,
        "blocks": layout.blocks,
        "codec": layout.codec,
        "level": layout.level,
        "layout": layout,
        "source": path,
    }
    if array.dtype.kind in "SU":
        encoding["dtype"] = np.dtype("S1") if array.dtype.kind == "S" else str
    if all(array.chunks):
        encoding["preferred_chunks"] = dict(zip(dims, array.chunks))
    attrs = load_attributes(array, record.types.get(name, {}))
    shape = _committed(array, dims, record)
    items = indexing.LazilyIndexedArray(LazyItems(manager, shape, array.dtype))
    return manager, Variable(dims, items, attrs, encoding)


def _files(path: str, record: groups.Group) -> dict[Name, str]:
    """Names of variables, and where they are."""
    if not groups.is_group(path):
        return {variable_name(path): path}
    files = groups.array_files(path)
    return {name: files[name] for name in groups.in_order(files, record)}


def _open_all(
    path: str, dropped: set[str], options: dict[str, Any], managers: list[CachingFileManager]
) -> tuple[groups.Group, dict[Name, Any]]:
    """The record of a folder, or of an array an empty one, and all variables.

    They are opened again if a dataset was appended meanwhile.
    """
    while True:
        record = groups.read_group(path)
        variables: dict[Name, Any] = {}
        for name, file in _files(path, record).items():
            if name not in dropped:
                prefix = "" if file == path else f"{name}_"
                manager, variables[name] = _variable(file, name, prefix, options, record)
                managers.append(manager)
        now = groups.read_group(path)
        if (now.dimensions, now.appended) == (record.dimensions, record.appended):
            return record, variables
        _close(managers)


def _close(managers: list[CachingFileManager]) -> None:
    while managers:
        managers.pop().close()


def open_dataset(
    filename_or_obj: Any,
    *,
    mask_and_scale: bool = True,
    decode_times: bool = True,
    concat_characters: bool = True,
    decode_coords: bool | str = True,
    drop_variables: str | Iterable[str] | None = None,
    use_cftime: bool | None = None,
    decode_timedelta: bool | None = None,
    group: str | None = None,
    threads: int | None = None,
    cache: int | None = None,
) -> Any:
    """Open a Dataset of an array, or of a folder of arrays. group is a folder in the folder; threads and cache as in tessera.open().

    The other arguments are those of xarray.open_dataset().
    """
    path = os.fspath(filename_or_obj)
    if not isinstance(path, str):
        raise TypeError(f"a path is a str, not {path!r}: os.fsdecode() makes one of it")
    if not _tessera._is_url(path):
        path = os.path.abspath(os.path.expanduser(path))
    if group is not None:
        path = os.path.join(path, group.strip("/"))
    if groups.is_group(path):
        groups.check_dataset(path)
    dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
    options = {"threads": threads, "cache": cache}
    managers: list[CachingFileManager] = []
    try:
        record, variables = _open_all(path, dropped, options, managers)
        variables, attrs, coordinates = conventions.decode_cf_variables(
            variables,
            record.attrs,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )
        dataset = Dataset(variables, attrs=attrs)
        dataset = dataset.set_coords(coordinates.intersection(variables))
    except BaseException:
        _close(managers)
        raise
    dataset.encoding = {"source": path, "unlimited_dims": record.unlimited & set(dataset.dims)}
    dataset.set_close(functools.partial(_close, managers))
    return dataset
