"""Variables of xarray as arrays: their encodings, and how they are stored.

xarray is imported when it is needed.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tessera import _tessera
from tessera.array import Array
from tessera.folders.attributes import store_attributes
from tessera.folders.containers import Container
from tessera.folders.names import Name
from tessera.folders.record import Record
from tessera.tasks import Job, chunks_of, finish_all, is_dask

# Arguments of tessera.create() that an encoding may have.
_LAYOUT = ("chunks", "blocks", "codec", "level", "filters", "layout", "sparse", "fill_value")
# Those of them that are left in each try to store what has a layout of another array.
_TRIES: tuple[tuple[str, ...], ...] = (
    _LAYOUT,
    ("chunks", "codec", "level", "filters", "layout", "sparse", "fill_value"),
    ("codec", "level", "filters", "layout", "sparse", "fill_value"),
    ("sparse",),
)
# The types of strings of any length, as xarray has them in encodings.
_STRINGS = (str, "S1")
# What the engines of xarray say of a file, and what conventions of CF have used.
_SAID = {"preferred_chunks", "source", "original_shape", "char_dim_name"}


def fixed(name: Name, data: Any) -> Any:
    """Strings of any length as strings of the greatest length; all else as it is.

    Single bytes become items of two: xarray joins those of one along the last axis, as characters.
    """
    if data.dtype.kind == "O":
        items = np.asarray(data)
        text = bytes if items.size and all(isinstance(x, bytes) for x in items.flat) else str
        for item in items.flat:
            if not isinstance(item, text):
                raise TypeError(
                    f"variable {name!r} of dtype object has the item {item!r}: its items must be all"
                    " str, or all bytes"
                )
            if item[-1:] in ("\0", b"\0"):
                raise ValueError(
                    f"variable {name!r} has the string {item!r}, which ends in a zero byte: arrays"
                    " pad shorter strings with zeros, so it would be lost"
                )
        data = np.array(items.tolist(), dtype=text).reshape(items.shape)
    if data.dtype == "U0":
        return data.astype("U1")
    return data.astype("S2") if data.dtype in ("S0", "S1") else data


# Encodings


def _coded(name: Name, variable: Any) -> Any:
    """A variable that the conventions of CF have encoded, without what is not stored.

    Strings with the dtype "S1" are stored as bytes in UTF-8, as in files of netCDF, but each string
    is one item. None is no fill value.
    """
    strings = importlib.import_module("xarray.coding.strings")
    variable = strings.EncodedStringCoder(allows_unicode=True).encode(variable, name=name)
    encoding = variable.encoding
    for key in ("_FillValue", "missing_value"):
        if encoding.get(key, "") is None:
            del encoding[key]
    if encoding.get("dtype") in _STRINGS:
        del encoding["dtype"]
    return variable


def _without_stale_type(variable: Any) -> dict[str, Any]:
    """The encoding of a variable, without the type of strings that it had in a file.

    They may have been shorter there, or be numbers now.
    """
    encoding = dict(variable.encoding)
    dtype = encoding.get("dtype")
    if dtype is not None and np.dtype(dtype).kind in "SU":
        if dtype not in _STRINGS or variable.dtype.kind not in "OSU":
            del encoding["dtype"]
    return encoding


def encoded(
    ds: Any, encodings: Mapping[Name, Mapping[str, Any]]
) -> tuple[dict[Name, Any], dict[str, Any]]:
    """Variables and attributes by the conventions of CF, which xarray knows.

    encodings stand in place of those of the variables.
    """
    conventions = importlib.import_module("xarray.conventions")
    unknown = set(encodings) - set(ds.variables)
    if unknown:
        raise KeyError(f"encoding: no variables of the dataset: {sorted(unknown, key=str)}")
    ds = ds.copy(deep=False)
    for name, variable in ds.variables.items():
        own = _without_stale_type(variable)
        variable.encoding = encodings.get(name, own)
    variables, attrs = conventions.encode_dataset_coordinates(ds)
    variables, attrs = conventions.cf_encoder(variables, attrs)
    return {name: _coded(name, variable) for name, variable in variables.items()}, dict(attrs)


def _options(variable: Any, asked: bool, name: Name) -> dict[str, Any]:
    """Arguments of create() from the encoding of a variable; unknown ones are an error if asked.

    What the encoding has beside the layout of an opened array, and differs from it, was changed.
    """
    encoding = dict(variable.encoding)
    unknown = set(encoding) - set(_LAYOUT) - _SAID
    if asked and unknown:
        raise ValueError(
            f"unexpected encoding of {name!r}: {sorted(unknown)}; known: {sorted(_LAYOUT)}"
        )
    options = {key: encoding[key] for key in _LAYOUT if encoding.get(key) is not None}
    if "compressor" in encoding or "compressors" in encoding:
        options.pop("filters", None)  # those of Zarr
    layout = options.get("layout")
    if layout is None:
        return options
    return {key: item for key, item in options.items() if item != getattr(layout, key, None)}


def _fits(options: Mapping[str, Any], shape: tuple[int, ...]) -> bool:
    """Whether the chunks of options are those of an array of such a shape."""
    layout = options.get("layout")
    chunks = options.get("chunks", layout.chunks if layout is not None else None)
    if chunks is None:
        return True
    fits = isinstance(chunks, tuple) and len(chunks) == len(shape)
    return fits and all(c <= max(1, n) for c, n in zip(chunks, shape))


def _tries(options: Mapping[str, Any], shape: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """Ever less of the options of another array, until they fit."""
    for keys in _TRIES:
        fewer = {key: item for key, item in options.items() if key in keys}
        if "layout" in fewer and "chunks" not in keys:
            none = (0,) * len(shape)  # chosen
            fewer["layout"] = replace(fewer["layout"], chunks=none, blocks=none)
        elif not _fits(fewer, shape):
            continue
        yield fewer


def _fill_value(value: Any, dtype: np.dtype[Any]) -> Any:
    """An attribute _FillValue as an item of the type; None: it is none."""
    item = np.asarray(value)
    text = "SUO"
    new, old = item.dtype.kind, dtype.kind
    if item.size != 1 or (new != old and (new in text or old in text)):
        return None
    try:
        with np.errstate(all="ignore"):
            fill = item.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return None
    return fill if (fill == item).all() or (fill != fill).all() else None


# Arrays


def _create(
    container: Container, name: Name, data: Any, options: Mapping[str, Any], asked: bool
) -> Array:
    """A new array. Options that nobody asked for do not prevent it."""

    def attempt(options: dict[str, Any]) -> Array:
        layout = options.get("layout")
        if is_dask(data) and "chunks" not in options and not (layout and all(layout.chunks)):
            options["chunks"] = chunks_of(data)
        return container.create(name, data.shape, data.dtype, **options)

    *tries, last = [dict(options)] if asked else _tries(options, data.shape)
    for fewer in tries:
        with contextlib.suppress(TypeError, ValueError, _tessera.Error):
            return attempt(fewer)
    return attempt(last)


def _write(
    container: Container, name: Name, variable: Any, asked: bool, record: Record
) -> Job | None:
    """Write a variable, or begin to: a job for what Dask has to compute."""
    data = fixed(name, variable.data)
    options = _options(variable, asked, name)
    fill = _fill_value(variable.attrs.get("_FillValue"), data.dtype)
    if fill is not None:
        options.setdefault("fill_value", fill)
    array = _create(container, name, data, options, asked)
    try:
        array.dims = variable.dims
        record.types[name] = store_attributes(array, name, variable.attrs)
        if is_dask(data):
            return Job(array, data)
        array[...] = np.asarray(data)
        array.close()
    except BaseException:
        array.discard()
        raise
    return None


def write_all(
    container: Container, variables: Mapping[Name, Any], asked: Iterable[Name], shared: bool
) -> Record:
    """Write encoded variables; returns a record with the types of attributes.

    Of the variables asked for, an encoding that no array can have is an error.
    """
    record = Record()
    jobs: list[Job] = []
    try:
        for name, variable in variables.items():
            job = _write(container, name, variable, name in asked, record)
            if job is not None:
                jobs.append(job)
    except BaseException:
        for job in jobs:
            job.finish(False)
        raise
    finish_all(jobs, shared)
    return record
