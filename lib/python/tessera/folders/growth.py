"""Datasets that are appended to a stored one, along a dimension.

In a store, all that grows becomes current with one commit. In a folder, the length of the dimension
in the record is the commit of the whole. It stands there before the first array grows, and the new
length when all arrays have grown and are on the disk. Readers show no more than that length, and the
next append cuts off what an append that was killed has left.

All arrays that grow are open for writing from the first check to the commit, so a second program
that appends is refused before it changes anything.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from tessera.array import Array
from tessera.folders.containers import Container
from tessera.folders.names import Name
from tessera.folders.record import Record
from tessera.folders.stored import (
    check_times,
    check_type,
    encoding_of,
    open_stored,
    update_attributes,
)
from tessera.folders.variables import encoded, fixed
from tessera.tasks import Job, compute_all, is_dask


def _axis(array: Array, dim: str) -> int:
    return (array.dims or ()).index(dim)


def _open_growing(
    container: Container, dim: str, stack: contextlib.ExitStack
) -> dict[Name, Array]:
    """All arrays with the dimension, open for writing."""
    arrays: dict[Name, Array] = {}
    for name, file in container.files().items():
        opener = container.opener(file)
        with opener.make(*opener.arguments, mode="r", **opener.options) as array:
            grows = dim in (array.dims or ())
        if grows:
            arrays[name] = stack.enter_context(container.open_to_grow(file))
    return arrays


def _resize(array: Array, axis: int, length: int) -> None:
    array.resize((*array.shape[:axis], length, *array.shape[axis + 1 :]))


def _cut(arrays: Mapping[Name, Array], dim: str, record: Record) -> None:
    """Remove the items of an append that was not committed."""
    if dim not in record.appended:
        return
    for array in arrays.values():
        axis, length = _axis(array, dim), record.dimensions[dim]
        if array.shape[axis] > length:
            _resize(array, axis, length)
            array.flush()


# Checks, before anything changes


def _check_names(ds: Any, there: Any, dim: str) -> None:
    if dim not in there.sizes or dim not in ds.sizes:
        raise ValueError(f"append_dim {dim!r} is no dimension of the dataset and of what is stored")
    unknown = set(ds.variables) - set(there.variables)
    if unknown:
        raise ValueError(f"there is no {sorted(unknown, key=str)} to append to: mode 'a' adds variables")
    grown = {name for name, variable in there.variables.items() if dim in variable.dims}
    gone = grown - set(ds.variables)
    if gone:
        raise ValueError(f"the dataset has no {sorted(gone, key=str)}, which must grow along {dim!r}, too")


def _check_shape(name: Name, variable: Any, there: Any, dim: str) -> None:
    old = there.variables[name]
    if variable.dims != old.dims:
        raise ValueError(f"{name!r} has the dimensions {variable.dims}, and {old.dims} are stored")
    for axis, length in variable.sizes.items():
        if axis != dim and length != old.sizes[axis]:
            raise ValueError(
                f"{name!r} has the length {length} along {axis!r}, and {old.sizes[axis]} is stored"
            )


def _check_stored(name: Name, variable: Any, array: Array) -> None:
    """Whether encoded items are those of the array."""
    if variable.dims != array.dims:
        raise ValueError(f"{name!r} is stored with the dimensions {array.dims}: it cannot be encoded")
    if variable.attrs.get("_Encoding") != array.attrs.get("_Encoding"):
        raise ValueError(f"{name!r} has bytes and text: one is stored, and not the other")
    new, old = variable.dtype, array.dtype
    strings = old.kind in "SU" and new.kind == old.kind
    if strings and new.itemsize > old.itemsize:
        size = old.itemsize // np.dtype(old.kind + "1").itemsize
        raise ValueError(f"{name!r} has strings of more than the {size} characters that are stored")
    if not strings and new.newbyteorder("=") != old.newbyteorder("="):
        raise ValueError(f"{name!r} becomes items of type {new}, and {old} are stored")


def _fitting(
    ds: Any, there: Any, container: Container, arrays: Mapping[Name, Array]
) -> tuple[Any, Any]:
    """Variables that grow, encoded as those that are stored, and the attributes of the dataset."""
    encodings = {name: encoding_of(container, name, there) for name in ds.variables}
    variables, attrs = encoded(ds, encodings)
    fitting = {}
    for name, array in arrays.items():
        variable = variables[name]
        if variable.dtype.kind in "OSU":
            variable = variable.copy(data=fixed(name, variable.data))
        check_times(name, ds.variables[name], variable)
        _check_stored(name, variable, array)
        fitting[name] = variable
    return fitting, attrs


# Changes


def _begin(container: Container, dim: str, length: int, record: Record) -> None:
    """Record the current length of the dimension before arrays grow one after the other."""
    if container.whole:
        return
    if dim not in record.appended or record.dimensions[dim] != length:
        record.dimensions[dim] = length
        record.appended.add(dim)
        container.write_record(record)


def _grow(
    container: Container, arrays: Mapping[Name, Array], variables: Any, dim: str, shared: bool
) -> None:
    jobs: list[Job] = []
    try:
        for name, array in arrays.items():
            axis, data = _axis(array, dim), variables[name].data
            length = array.shape[axis]
            if is_dask(data):
                _resize(array, axis, length + data.shape[axis])
                jobs.append(Job(array, data, axis, length))
            else:
                array.append(np.asarray(data), axis)
        compute_all(jobs, shared)
    finally:
        for job in jobs:
            job.end()
    for array in arrays.values():
        container.commit(array)


def append(
    ds: Any,
    container: Container,
    dim: str,
    asked: Mapping[Name, Any],
    unlimited: set[str],
    shared: bool,
) -> None:
    """Append a dataset along a dimension."""
    if asked:
        raise ValueError(f"encoding of {sorted(asked, key=str)}: variables grow as they are stored")
    with contextlib.ExitStack() as stack:
        arrays = _open_growing(container, dim, stack)
        record = container.read_record()
        _cut(arrays, dim, record)
        with open_stored(container) as there:
            _check_names(ds, there, dim)
            for name, variable in ds.variables.items():
                _check_shape(name, variable, there, dim)
                check_type(name, variable, there)
            variables, attrs = _fitting(ds, there, container, arrays)
            length = int(there.sizes[dim])
        _begin(container, dim, length, record)
        try:
            _grow(container, arrays, variables, dim, shared)
            record.dimensions[dim] = length + int(ds.sizes[dim])
            record.unlimited |= unlimited | {dim}
            update_attributes(record, attrs)
            container.write_record(record)
        except BaseException:
            _cut(arrays, dim, container.read_record())
            raise
