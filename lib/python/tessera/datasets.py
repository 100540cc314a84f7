"""Datasets of xarray as folders of arrays.

xarray is imported when it is needed.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tessera import groups
from tessera.array import Path, create
from tessera.publish import published
from tessera.tasks import Job, chunks_of, finish_all

# Arguments of tessera.create() that an encoding may have.
_LAYOUT = ("chunks", "blocks", "codec", "level", "filters", "layout", "sparse", "fill_value")


def _fixed(data: Any) -> Any:
    """Strings of any length as strings of the greatest length; all else as it is."""
    if data.dtype.kind == "O":
        items = np.asarray(data)
        kind = "S" if items.size and all(isinstance(x, bytes) for x in items.flat) else "U"
        data = np.array(items.tolist(), dtype=kind).reshape(items.shape)
    if data.dtype.kind in "SU" and data.dtype.itemsize == 0:
        data = data.astype(data.dtype.kind + "1")
    return data


def _layout(variable: Any, asked: bool, name: str) -> dict[str, Any]:
    """Arguments of create() from the encoding of a variable; unknown ones are an error if asked."""
    encoding = dict(variable.encoding)
    unknown = set(encoding) - set(_LAYOUT) - {"preferred_chunks", "source", "original_shape"}
    if asked and unknown:
        raise ValueError(f"the encoding of {name!r} has {sorted(unknown)}, which no array can have")
    options = {key: encoding[key] for key in _LAYOUT if encoding.get(key) is not None}
    chunks = options.get("chunks")
    if not asked and chunks is not None:
        fits = isinstance(chunks, tuple) and len(chunks) == len(variable.shape)
        if not fits or any(c > max(1, n) for c, n in zip(chunks, variable.shape)):
            options.pop("chunks")
            options.pop("blocks", None)
    return options


def _is_dask(data: Any) -> bool:
    return hasattr(data, "dask") and hasattr(data, "to_delayed")


def _write_variable(
    folder: str, name: str, variable: Any, asked: bool, record: groups.Group
) -> Job | None:
    """Write a variable, or begin to: a job for what Dask has to compute."""
    data = _fixed(variable.data)
    options = _layout(variable, asked, name)
    if _is_dask(data) and "chunks" not in options and "layout" not in options:
        options["chunks"] = chunks_of(data)
    fill = variable.attrs.get("_FillValue")
    if fill is not None:
        options.setdefault("fill_value", fill)
    path = os.path.join(folder, groups.file_name(name))
    array = create(path, data.shape, data.dtype, **options)
    try:
        array.dims = variable.dims
        record.types[name] = groups.store_attributes(array, variable.attrs)
        if _is_dask(data):
            return Job(array, data)
        array[...] = np.asarray(data)
        array.close()
    except BaseException:
        array.discard()
        raise
    return None


def _encoded(ds: Any, encoding: Mapping[str, Mapping[str, Any]]) -> tuple[Any, Any]:
    """Variables and attributes by the conventions of CF, which xarray knows."""
    conventions = importlib.import_module("xarray.conventions")
    variables, attrs = conventions.encode_dataset_coordinates(ds)
    unknown = set(encoding) - set(variables)
    if unknown:
        raise ValueError(f"encoding names {sorted(unknown)}, which the dataset has not")
    for name, options in encoding.items():
        variables[name] = variables[name].copy(deep=False)
        variables[name].encoding = dict(options)
    variables, attrs = conventions.cf_encoder(variables, attrs)
    return variables, attrs


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
    variables, attrs = _encoded(ds, asked)
    lengths = {str(name): int(length) for name, length in ds.sizes.items()}
    record = groups.Group(dict(attrs), lengths, unlimited)
    jobs: list[Job] = []
    with published(path, mode) as part:
        os.mkdir(part)
        try:
            for name, variable in variables.items():
                job = _write_variable(part, str(name), variable, name in asked, record)
                if job is not None:
                    jobs.append(job)
        except BaseException:
            for job in jobs:
                job.finish(False)
            raise
        finish_all(jobs, shared)
        groups.write_group(part, record)
