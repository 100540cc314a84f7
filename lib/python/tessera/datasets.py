"""Datasets of xarray as folders of arrays: new ones, and those that are added to or appended to.

xarray is imported when it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tessera.folders.addition import add
from tessera.folders.groups import check_attributes, check_group, write_group
from tessera.folders.growth import append
from tessera.folders.names import Name, check_names
from tessera.folders.variables import encoded, write_all
from tessera.places import Path
from tessera.publish import published, target_of


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
    path: Path,
    mode: str,
    encoding: Mapping[Name, Mapping[str, Any]],
    unlimited: set[str],
    shared: bool,
) -> None:
    variables, attrs = encoded(ds, encoding)
    with published(path, mode) as part:
        os.mkdir(part)
        record = write_all(part, variables, encoding, shared)
        record.attrs, record.dimensions, record.unlimited = attrs, _lengths(ds), unlimited
        write_group(part, record)


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


def to_tessera(
    ds: Any,
    path: Path,
    *,
    mode: str | None = None,
    encoding: Mapping[Any, Mapping[str, Any]] | None = None,
    append_dim: str | None = None,
    unlimited_dims: str | Iterable[str] | None = None,
    shared: bool = False,
) -> None:
    """Write a dataset of xarray, or a DataArray, as a folder of arrays.

    encoding has for each variable what tessera.create() takes (chunks, blocks, codec, level,
    filters, layout, sparse, fill_value) and what xarray knows of the conventions of CF (dtype,
    scale_factor, add_offset, _FillValue, units, calendar). Encodings of variables that were opened
    are used as far as they fit. Variables of Dask are computed in parallel, as from_dask() does. xr.open_dataset(path, engine="tessera") opens the folder, and
    `tess export` makes a netCDF file of it.

    mode is "x", "w" or "a"; None is "a" with append_dim, and "x" without. "x" makes a new folder,
    "w" also replaces one of arrays; it appears when it is complete. "a" adds variables to a folder,
    or makes one; those that exist are replaced, stored as they were unless encoding has them, and
    attributes of the dataset are updated. All dimensions keep their lengths.

    append_dim is a dimension of the folder: the variables that have it grow along it by those of the
    dataset, which must be the same. They are encoded as those that are stored. Variables without it
    stay as they are. An append that fails, or is killed, leaves the dataset as it was.

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
    folder = target_of(path)
    if append_dim is None and mode == "a" and _is_nothing(folder):
        mode = "w"
    if append_dim is None and mode != "a":
        _write_new(ds, path, mode, asked, unlimited, shared)
        return
    check_group(folder)
    if append_dim is None:
        add(ds, folder, asked, unlimited, shared)
    else:
        append(ds, folder, append_dim, asked, unlimited, shared)
