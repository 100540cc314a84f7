"""Datasets of xarray as folders of arrays.

xarray is imported when it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tessera.array import Path
from tessera.groups import write_group
from tessera.publish import published
from tessera.variables import encoded, write_all


def _unlimited(ds: Any, asked: Iterable[str] | None) -> set[str]:
    """Names of dimensions that are unlimited: those asked for, or of the file that was opened."""
    known = {str(name) for name in ds.dims}
    if asked is None:
        return known & set(ds.encoding.get("unlimited_dims") or ())
    unknown = set(asked) - known
    if unknown:
        raise ValueError(f"unlimited_dims has {sorted(unknown)}, which the dataset has not")
    return set(asked)


def to_tessera(
    ds: Any,
    path: Path,
    *,
    mode: str = "x",
    encoding: Mapping[str, Mapping[str, Any]] | None = None,
    unlimited_dims: Iterable[str] | None = None,
    shared: bool = False,
) -> None:
    """Write a dataset of xarray, or a DataArray, as a folder of arrays.

    encoding has for each variable what tessera.create() takes (chunks, blocks, codec, level,
    filters, layout, sparse, fill_value) and what xarray knows of the conventions of CF (dtype,
    scale_factor, add_offset, _FillValue, units, calendar). Variables of Dask are computed in
    parallel, as from_dask() does. mode is "x", or "w", which replaces a folder of arrays; the
    folder appears when it is complete. xr.open_dataset(path, engine="tessera") opens it, and
    `tess export` makes a netCDF file of it.

    >>> import numpy as np
    >>> import tessera
    >>> import xarray as xr
    >>> winds = xr.Dataset({"u": ("x", np.arange(3.0))}, attrs={"title": "winds"})
    >>> tessera.to_tessera(winds, "winds", encoding={"u": {"codec": "zstd"}})
    >>> tessera.open("winds/u.b2nd").dims
    ('x',)
    """
    if hasattr(ds, "to_dataset") and not hasattr(ds, "data_vars"):
        ds = ds.to_dataset(name=ds.name or "values")
    asked = dict(encoding or {})
    unlimited = _unlimited(ds, unlimited_dims)
    variables, attrs = encoded(ds, asked)
    with published(path, mode) as part:
        os.mkdir(part)
        record = write_all(part, variables, asked, shared)
        record.attrs, record.unlimited = attrs, unlimited
        record.dimensions = {str(name): int(length) for name, length in ds.sizes.items()}
        write_group(part, record)
