"""Variables that are added to a stored dataset, or replaced in it.

In a folder all are written in a folder inside, and get their names at the end, each in one step. The
record knows their types before, and the attributes of the dataset afterwards: a program that is
killed leaves each variable as it was, or new. In a store all is one commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tessera.folders.containers import Container
from tessera.folders.names import Name
from tessera.folders.stored import (
    check_times,
    check_type,
    encoding_of,
    open_stored,
    update_attributes,
)
from tessera.folders.variables import encoded, write_all


def _check(ds: Any, container: Container, there: Any, asked: Mapping[Name, Any]) -> None:
    for dim, length in ds.sizes.items():
        if there.sizes.get(dim, length) != length:
            raise ValueError(
                f"dimension {dim!r} has the length {length}, and {there.sizes[dim]} is stored"
            )
    for name, variable in ds.variables.items():
        if name in there.variables and name not in asked:
            check_type(name, variable, there)
        if name not in there.variables and container.is_taken(name):
            raise FileExistsError(
                f"{name!r} is new, and {container.path!r} has something of that name that is no"
                " variable, or one in other letters"
            )


def _replacing(container: Container, name: Name, options: Mapping[str, Any]) -> dict[str, Any]:
    """The requested encoding; a sparse array is replaced by a sparse array only."""
    directory = container.is_sparse(name)
    if directory and not options.get("sparse", True):
        raise ValueError(f"{name!r} is stored as a directory: its encoding must be sparse")
    return {"sparse": directory, **options}


def add(
    ds: Any,
    container: Container,
    asked: Mapping[Name, Mapping[str, Any]],
    unlimited: set[str],
    shared: bool,
) -> None:
    """Add the variables of a dataset; those that exist are replaced, and stored as they were."""
    with open_stored(container) as there:
        _check(ds, container, there, asked)
        kept = [name for name in ds.variables if name in there.variables and name not in asked]
        encodings = {name: encoding_of(container, name, there) for name in kept}
    encodings.update({name: _replacing(container, name, options) for name, options in asked.items()})
    variables, attrs = encoded(ds, encodings)
    for name in kept:
        check_times(name, ds.variables[name], variables[name])
    with container.additions() as part:
        new = write_all(part, variables, asked, shared)
        record = container.read_record()
        record.types.update(new.types)
        for dim, length in ds.sizes.items():
            record.dimensions.setdefault(dim, int(length))
        record.unlimited |= unlimited
        container.write_record(record)
    update_attributes(record, attrs)
    container.write_record(record)
