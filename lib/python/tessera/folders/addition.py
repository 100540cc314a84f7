"""Variables that are added to a folder of arrays, or replaced in it.

All are written in a folder inside, and get their names at the end, each in one step. The record
knows their types before, and the attributes of the dataset afterwards: a program that is killed
leaves each variable as it was, or new.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tessera.folders import groups
from tessera.folders.names import Name, file_name
from tessera.folders.stored import (
    check_times,
    check_type,
    encoding_of,
    is_sparse,
    open_stored,
    update_attributes,
)
from tessera.folders.variables import encoded, write_all
from tessera.publish import published_inside


def _check(ds: Any, folder: str, there: Any, asked: Mapping[Name, Any]) -> None:
    for dim, length in ds.sizes.items():
        if there.sizes.get(dim, length) != length:
            raise ValueError(
                f"dimension {dim!r} has the length {length}, and {there.sizes[dim]} in the folder"
            )
    for name, variable in ds.variables.items():
        if name in there.variables and name not in asked:
            check_type(name, variable, there)
        path = os.path.join(folder, file_name(name))
        if name not in there.variables and os.path.lexists(path):
            raise FileExistsError(f"{name!r} is new, and {path!r} exists: a name in other letters?")


def _replacing(folder: str, name: Name, options: Mapping[str, Any]) -> dict[str, Any]:
    """The requested encoding; a sparse array is replaced by a sparse array only."""
    directory = is_sparse(folder, name)
    if directory and not options.get("sparse", True):
        raise ValueError(f"{name!r} is stored as a directory: its encoding must be sparse")
    return {"sparse": directory, **options}


def add(
    ds: Any,
    folder: str,
    asked: Mapping[Name, Mapping[str, Any]],
    unlimited: set[str],
    shared: bool,
) -> None:
    """Add the variables of a dataset; those that exist are replaced, and stored as they were."""
    with open_stored(folder) as there:
        _check(ds, folder, there, asked)
        kept = [name for name in ds.variables if name in there.variables and name not in asked]
        encodings = {name: encoding_of(folder, name, there) for name in kept}
    encodings.update({name: _replacing(folder, name, options) for name, options in asked.items()})
    variables, attrs = encoded(ds, encodings)
    for name in kept:
        check_times(name, ds.variables[name], variables[name])
    with published_inside(folder) as part:
        new = write_all(part, variables, asked, shared)
        record = groups.read_group(folder)
        record.types.update(new.types)
        for dim, length in ds.sizes.items():
            record.dimensions.setdefault(dim, int(length))
        record.unlimited |= unlimited
        groups.write_group(folder, record)
    update_attributes(record, attrs)
    groups.write_group(folder, record)
