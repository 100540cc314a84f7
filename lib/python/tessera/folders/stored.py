"""What a folder has stored, and whether a dataset of xarray fits it.

xarray is imported when it is needed.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from tessera.folders import groups
from tessera.folders.names import Name, file_name


def open_stored(folder: str) -> Any:
    """The dataset of a folder; its variables have the encodings that they are stored with."""
    from tessera.folders.lazy import open_dataset  # which needs xarray

    return open_dataset(folder)


def encoding_of(folder: str, name: Name, there: Any) -> dict[str, Any]:
    """The encoding of a variable for new items. Strings have any length: none is cut off here."""
    encoding = dict(there.variables[name].encoding)
    if np.dtype(encoding.get("dtype")).kind in "SU" and "_Encoding" not in encoding:
        encoding.pop("dtype")
    return {**encoding, "sparse": is_sparse(folder, name)}


def is_sparse(folder: str, name: Name) -> bool:
    """Whether a variable is stored as a directory."""
    return os.path.isdir(os.path.join(folder, file_name(name)))


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


def update_attributes(record: groups.Group, attrs: Mapping[str, Any]) -> None:
    """Attributes of a dataset replace those of the same name; names of coordinates are added."""
    words = f"{record.attrs.get('coordinates', '')} {attrs.get('coordinates', '')}".split()
    record.attrs.update(attrs)
    if words:
        record.attrs["coordinates"] = " ".join(dict.fromkeys(words))
