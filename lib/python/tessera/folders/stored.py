"""What is stored of a dataset, and whether a dataset of xarray fits it.

xarray is imported when it is needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from tessera.folders.containers import Container
from tessera.folders.names import Name
from tessera.folders.record import Record


def open_stored(container: Container) -> Any:
    """The stored dataset; its variables have the encodings that they are stored with."""
    from tessera.folders.lazy import dataset_of  # which needs xarray

    return dataset_of(container)


def encoding_of(container: Container, name: Name, there: Any) -> dict[str, Any]:
    """The encoding of a variable for new items. Strings have any length: none is cut off here."""
    encoding = dict(there.variables[name].encoding)
    if np.dtype(encoding.get("dtype")).kind in "SU" and "_Encoding" not in encoding:
        encoding.pop("dtype")
    return {**encoding, "sparse": container.is_sparse(name)}


def _casts(new: np.dtype[Any], old: np.dtype[Any]) -> bool:
    kinds = new.kind + old.kind
    if kinds in ("OM", "MO") or set(kinds) <= set("OSU"):
        return True  # what objects are, and how long strings are, is known when they are encoded
    if set(kinds) & set("OSUmMV"):
        return new.kind == old.kind
    return np.can_cast(new, old, "same_kind" if old.kind in "fc" else "safe")


def check_type(name: Name, variable: Any, there: Any) -> None:
    """Numbers become those of the stored type, but no integers that have other values there."""
    new, old = variable.dtype, there.variables[name].dtype
    if not _casts(new, old):
        raise ValueError(f"{name!r} has items of type {new}, and {old} are stored: convert them")


def check_times(name: Name, variable: Any, encoded: Any) -> None:
    """Times that are stored as whole numbers of their unit are such numbers."""
    if variable.dtype.kind not in "mM" or encoded.dtype.kind not in "iu":
        return
    conventions = importlib.import_module("xarray.conventions")
    if not variable.equals(conventions.decode_cf_variable(name, encoded)):
        raise ValueError(
            f"{name!r} is stored in whole {encoded.attrs.get('units')}, and has other times"
        )


def update_attributes(record: Record, attrs: Mapping[str, Any]) -> None:
    """Attributes of a dataset replace those of the same name; names of coordinates are added."""
    words = f"{record.attrs.get('coordinates', '')} {attrs.get('coordinates', '')}".split()
    record.attrs.update(attrs)
    if words:
        record.attrs["coordinates"] = " ".join(dict.fromkeys(words))
