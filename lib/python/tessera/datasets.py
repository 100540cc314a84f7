"""Datasets of xarray in folders of arrays and in stores: new ones, and those that are added to.

xarray is imported when it is needed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tessera.folders.addition import add
from tessera.folders.containers import Container, Folder, StoredGroup
from tessera.folders.growth import append
from tessera.folders.names import Name, check_names
from tessera.folders.record import check_attributes
from tessera.folders.variables import encoded, write_all
from tessera.places import Path, split
from tessera.publish import published, target_of
from tessera.stores import Group, open_store


_BARE = {".tessera", "embed.b2e"}  # what a new store has


def _unlimited(ds: Any, asked: str | Iterable[str] | None) -> set[str]:
    """Names of the unlimited dimensions: the argument, or else those of the opened file."""
    known = set(ds.dims)
    named = asked if asked is not None else ds.encoding.get("unlimited_dims") or ()
    names = {named} if isinstance(named, str) else set(named)
    unknown = names - known
    if asked is not None and unknown:
        raise ValueError(f"unlimited_dims: no dimensions of the dataset: {sorted(unknown, key=str)}")
    return names & known


def _lengths(ds: Any) -> dict[str, int]:
    return {name: int(length) for name, length in ds.sizes.items()}


def _write_new(
    ds: Any,
    container: Container,
    encoding: Mapping[Name, Mapping[str, Any]],
    unlimited: set[str],
    shared: bool,
) -> None:
    variables, attrs = encoded(ds, encoding)
    record = write_all(container, variables, encoding, shared)
    record.attrs, record.dimensions, record.unlimited = attrs, _lengths(ds), unlimited
    container.write_record(record)


def _is_nothing(path: str) -> bool:
    """Whether the path does not exist, or is an empty folder."""
    return not os.path.lexists(path) or (os.path.isdir(path) and not os.listdir(path))


def _checked_mode(mode: str | None, append_dim: str | None) -> str:
    if append_dim is not None and mode not in (None, "a"):
        raise ValueError(f"mode is {mode!r}, and append_dim needs 'a'")
    mode = mode or ("x" if append_dim is None else "a")
    if mode not in ("x", "w", "a"):
        raise ValueError(f"mode is {mode!r}, and can be 'x', 'w' or 'a'")
    return mode


# Where it is written


@contextlib.contextmanager
def _changed(
    place: Path | Group, mode: str, appended: bool
) -> Iterator[tuple[Container, bool]]:
    """What a path or an open group leads to, and whether a dataset is to be written there as a new
    one. It gets its name, or its commit, at the end."""
    if isinstance(place, Group):
        group = StoredGroup(place)
        yield group, _begun(group, mode, appended)
        return
    path = target_of(place)
    where = split(path)
    if where is not None:
        with _transaction(where, appended) as group:
            yield group, _begun(group, mode, appended)
    elif mode == "a" and (appended or not _is_nothing(path)):
        folder = Folder(path)
        folder.check_changed()
        yield folder, False
    else:
        with published(path, "w" if mode == "a" else mode) as part:
            os.mkdir(part)
            yield Folder(part), True


def _begun(group: StoredGroup, mode: str, appended: bool) -> bool:
    """Prepare a group for a dataset; whether it is a new one."""
    if mode == "a" and (appended or not group.is_empty()):
        group.check_changed()
        return False
    if mode == "x" and not group.is_empty():
        raise FileExistsError(f"{group.path!r} exists; mode 'w' replaces it")
    if mode == "w":
        group.clear()
    return True


@contextlib.contextmanager
def _transaction(where: tuple[str, str], appended: bool) -> Iterator[StoredGroup]:
    """A group of a store, whose changes are committed at the end. A store that was made for them, and
    gets no commit, is removed."""
    path, name = where
    if path.endswith(".b2z"):
        raise ValueError(
            f"{path!r} is a zip file, which is only read: write a store .b2d, and `tess copy` makes"
            " a .b2z of it"
        )
    new = not os.path.lexists(path) and not appended
    with open_store(path, "x" if new else "r+") as store:
        try:
            yield StoredGroup(store.group(name) if name else store)
            store.commit()
        except BaseException:
            store.abort()
            if new and not store.number and _BARE.issuperset(os.listdir(path)):
                shutil.rmtree(path, ignore_errors=True)
            raise


def to_tessera(
    ds: Any,
    path: Path | Group,
    *,
    mode: str | None = None,
    encoding: Mapping[Any, Mapping[str, Any]] | None = None,
    append_dim: str | None = None,
    unlimited_dims: str | Iterable[str] | None = None,
    shared: bool = False,
) -> None:
    """Write a dataset of xarray, or a DataArray, as a folder of arrays, or into a store.

    A path that ends with .b2d is that of a store, and what is behind it a group: "climate.b2d/winds".
    The dataset is one commit of the store, and so is each one that is added or appended. An open
    store, or a group of it, takes the dataset into what its next commit() makes current.

    encoding has for each variable what tessera.create() takes (chunks, blocks, codec, level,
    filters, layout, sparse, fill_value) and what xarray knows of the conventions of CF (dtype,
    scale_factor, add_offset, _FillValue, units, calendar). Encodings of variables that were opened
    are used as far as they fit. Variables of Dask are computed in parallel, as from_dask() does.
    xr.open_dataset(path, engine="tessera") opens what was written, and `tess export` makes a netCDF
    file of it.

    mode is "x", "w" or "a"; None is "a" with append_dim, and "x" without. "x" makes a new folder or
    group, which may have groups in it; "w" also replaces one, with all groups in it; it appears when
    it is complete. "a" adds variables, or makes a folder or group; those that exist are replaced,
    stored as they were unless encoding has them, and attributes of the dataset are updated. All
    dimensions keep their lengths.

    append_dim is a stored dimension: all variables that have it grow along it by those of the
    dataset, which must have them all. They are encoded as those that are stored. Variables without
    it stay as they are. An append that fails, or is killed, leaves the dataset as it was; in an
    open store, abort() forgets what a call that failed has changed.

    shared: as in from_dask(); not in stores.

    >>> import numpy as np
    >>> import tessera
    >>> import xarray as xr
    >>> winds = xr.Dataset({"u": ("x", np.arange(3.0))}, attrs={"title": "winds"})
    >>> tessera.to_tessera(winds, "winds", encoding={"u": {"codec": "zstd"}})
    >>> tessera.open("winds/u.b2nd").dims
    ('x',)
    >>> tessera.to_tessera(winds + 10, "winds", append_dim="x")
    >>> xr.open_dataset("winds", engine="tessera").u.values
    array([ 0.,  1.,  2., 10., 11., 12.])
    >>> with tessera.open_store("winds.b2d", "x") as store:
    ...     tessera.to_tessera(winds, store)
    ...     tessera.to_tessera(winds * 2, store.group("doubled"))
    >>> xr.open_dataset("winds.b2d/doubled", engine="tessera").u.values
    array([0., 2., 4.])
    """
    if hasattr(ds, "to_dataset") and not hasattr(ds, "data_vars"):
        ds = ds.to_dataset(name="values" if ds.name is None else ds.name)
    if not hasattr(ds, "data_vars"):
        raise TypeError(f"a dataset of xarray is expected, not {type(ds).__name__}")
    mode = _checked_mode(mode, append_dim)
    check_names(ds)
    check_attributes(ds.attrs)
    asked = dict(encoding or {})
    unlimited = _unlimited(ds, unlimited_dims)
    with _changed(path, mode, append_dim is not None) as (container, new):
        if shared and container.whole:
            raise ValueError("shared: arrays of a store are written by one process")
        if new:
            _write_new(ds, container, asked, unlimited, shared)
        elif append_dim is None:
            add(ds, container, asked, unlimited, shared)
        else:
            append(ds, container, append_dim, asked, unlimited, shared)
