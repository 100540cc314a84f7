"""Variables of xarray as arrays of a folder: their encodings, and how they are stored.

xarray is imported when it is needed.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tessera.folders import groups
from tessera.folders.names import Name, file_name
from tessera.opening import create
from tessera.tasks import Job, chunks_of, finish_all, is_dask

# Arguments of tessera.create() that an encoding may have.
_LAYOUT = ("chunks", "blocks", "codec", "level", "filters", "layout", "sparse", "fill_value")


def fixed(data: Any) -> Any:
    """Strings of any length as strings of the greatest length; all else as it is."""
    if data.dtype.kind == "O":
        items = np.asarray(data)
        kind = "S" if items.size and all(isinstance(x, bytes) for x in items.flat) else "U"
        data = np.array(items.tolist(), dtype=kind).reshape(items.shape)
    if data.dtype.kind in "SU" and data.dtype.itemsize == 0:
        data = data.astype(data.dtype.kind + "1")
    return data


def _layout(variable: Any, asked: bool, name: Name) -> dict[str, Any]:
    """Arguments of create() from the encoding of a variable; unknown ones are an error if asked."""
    encoding = dict(variable.encoding)
    unknown = set(encoding) - set(_LAYOUT) - {"preferred_chunks", "source", "original_shape"}
    if asked and unknown:
        raise ValueError(
            f"unknown keys {sorted(unknown)} in the encoding of {name!r}; known: {sorted(_LAYOUT)}"
        )
    options = {key: encoding[key] for key in _LAYOUT if encoding.get(key) is not None}
    chunks = options.get("chunks")
    if not asked and chunks is not None:
        fits = isinstance(chunks, tuple) and len(chunks) == len(variable.shape)
        if not fits or any(c > max(1, n) for c, n in zip(chunks, variable.shape)):
            options.pop("chunks")
            options.pop("blocks", None)
    return options


def encoded(
    ds: Any, encodings: Mapping[Name, Mapping[str, Any]]
) -> tuple[dict[Name, Any], dict[str, Any]]:
    """Variables and attributes by the conventions of CF, which xarray knows.

    encodings stand in place of those of the variables.
    """
    conventions = importlib.import_module("xarray.conventions")
    variables, attrs = conventions.encode_dataset_coordinates(ds)
    unknown = set(encodings) - set(variables)
    if unknown:
        raise ValueError(f"encoding: no variables of the dataset: {sorted(unknown, key=str)}")
    for name, variable in list(variables.items()):
        options = dict(encodings.get(name, variable.encoding))
        if name not in encodings and variable.dtype.kind in "SU":
            options.pop("dtype", None)  # of the strings of a file, which may have been shorter
        variables[name] = variable.copy(deep=False)
        variables[name].encoding = options
    variables, attrs = conventions.cf_encoder(variables, attrs)
    for name, variable in variables.items():
        if variable.dtype == np.dtype("S1"):  # which xarray joins along the last axis, as characters
            variables[name] = variable.astype("S2")
    return {name: variable for name, variable in variables.items()}, dict(attrs)


def _write(
    folder: str, name: Name, variable: Any, asked: bool, record: groups.Group
) -> Job | None:
    """Write a variable, or begin to: a job for what Dask has to compute."""
    data = fixed(variable.data)
    options = _layout(variable, asked, name)
    if is_dask(data) and "chunks" not in options and "layout" not in options:
        options["chunks"] = chunks_of(data)
    fill = variable.attrs.get("_FillValue")
    if fill is not None:
        options.setdefault("fill_value", fill)
    path = os.path.join(folder, file_name(name))
    array = create(path, data.shape, data.dtype, explicit_commits=True, **options)
    try:
        array.dims = variable.dims
        record.types[name] = groups.store_attributes(array, variable.attrs)
        if is_dask(data):
            return Job(array, data)
        array[...] = np.asarray(data)
        array.close()
    except BaseException:
        array.discard()
        raise
    return None


def write_all(
    folder: str, variables: Mapping[Name, Any], asked: Iterable[Name], shared: bool
) -> groups.Group:
    """Write encoded variables into a folder; returns a record with the types of attributes.

    Of the variables asked for, an encoding that no array can have is an error.
    """
    record = groups.Group()
    jobs: list[Job] = []
    try:
        for name, variable in variables.items():
            job = _write(folder, name, variable, name in asked, record)
            if job is not None:
                jobs.append(job)
    except BaseException:
        for job in jobs:
            job.finish(False)
        raise
    finish_all(jobs, shared)
    return record
