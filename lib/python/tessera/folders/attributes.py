"""Attributes of arrays and groups of a dataset, of any number, with any name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tessera.array import Array
from tessera.folders.names import Name
from tessera.folders.record import number_type, with_type

# A dict with the attributes that a file cannot store under their own names.
_MORE = "attributes"
_DIMENSIONS = "_ARRAY_DIMENSIONS"
_RESERVED = (_MORE, _DIMENSIONS, "_tess")
# Of at most 16 attributes, two are the names of dimensions and the map, and one is left for users.
_MOST = 13
_LONGEST_NAME = 31  # bytes
# Attributes that conversions of items look up by name, so they are not stored in the dict.
_ABOUT_ITEMS = (
    "scale_factor", "add_offset", "_FillValue", "missing_value", "valid_min", "valid_max",
    "valid_range", "actual_range", "flag_values", "flag_masks",
)


def _fits(name: str) -> bool:
    """Whether a file can store an attribute under its own name."""
    return 1 <= len(name.encode()) <= _LONGEST_NAME and "\0" not in name


@contextlib.contextmanager
def _named(stored: str, name: str, variable: Name) -> Iterator[None]:
    """Replace the stored name in errors by the names of attribute and variable."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        kind = ValueError if isinstance(error, UnicodeError) else type(error)
        words, ours = str(error), f"the attribute '{stored}'"
        words = words[len(ours) :] if words.startswith(ours) else f": {words}"
        raise kind(f"attribute {name!r} of variable {variable!r}{words}") from None


def packed(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as they are stored: those that a file cannot have by themselves in a dict."""
    free = [n for n in attrs if n not in _RESERVED and _fits(n)]
    names = set(sorted(free, key=lambda n: n not in _ABOUT_ITEMS)[:_MOST])
    own = {name: value for name, value in attrs.items() if name in names}
    more = {name: value for name, value in attrs.items() if name not in names}
    return {**own, _MORE: more} if more else own


def unpacked(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The reverse of packed()."""
    attrs: dict[str, Any] = {}
    for name, value in stored.items():
        if name == _MORE and isinstance(value, dict):
            attrs.update(value)
        else:
            attrs[name] = value
    return attrs


def store_attributes(array: Array, variable: Name, attrs: Mapping[str, Any]) -> dict[str, str]:
    """Set attributes of an array; returns the types of those that are numbers of NumPy."""
    own = packed(attrs)
    more = own.pop(_MORE, {})
    for name, value in own.items():
        with _named(name, name, variable):
            array.attrs[name] = value
    for name, value in more.items():
        with _named(_MORE, name, variable):  # alone, for the error
            array.attrs[_MORE] = {name: value}
    if more:
        array.attrs[_MORE] = more
    types = {name: number_type(value) for name, value in attrs.items()}
    return {
        name: kind
        for name, kind in types.items()
        if kind is not None and not (_holds_items(name) and np.dtype(kind) == array.dtype)
    }


def _holds_items(name: str) -> bool:
    """Whether the default type of an attribute is that of the array."""
    return name in _ABOUT_ITEMS and name not in ("scale_factor", "add_offset")


def _text(name: str, text: str, dtype: np.dtype[Any]) -> Any:
    """Convert a string as packages for netCDF do: without NULs, or to an item of the array."""
    if name == "_FillValue" and dtype.kind == "S" and len(text.encode()) <= dtype.itemsize:
        return np.array(text.encode(), dtype="S")[()]  # of NULs: b""
    return text.replace("\0", "")


def load_attributes(array: Array, types: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of an array, without the names of its dimensions."""
    stored = {name: value for name, value in array.attrs.items() if name != _DIMENSIONS}
    return {
        name: _text(name, value, array.dtype)
        if isinstance(value, str)
        else with_type(value, types.get(name, array.dtype.str if _holds_items(name) else None))
        for name, value in unpacked(stored).items()
    }
