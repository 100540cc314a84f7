"""Names of variables as names of files, and names that a folder of arrays can store."""

from __future__ import annotations

import os
import re
from typing import Any, Optional

SUFFIX = ".b2nd"
# Bytes of a name in a folder. The library makes a lock file beside an array.
_LONGEST_FILE = 255 - len(".b2lock")
_LONGEST_DIMENSION = 255  # bytes

# The name of a variable. xarray also has variables without one, None, and writes them as this.
Name = Optional[str]
_NO_NAME = "__values__"


def stored_name(name: Name) -> str:
    """The name that is written for a variable."""
    return _NO_NAME if name is None else name


def name_of(stored: str) -> Name:
    """The reverse of stored_name()."""
    return None if stored == _NO_NAME else stored


def file_name(name: Name) -> str:
    """The name of a variable's file: characters that mean something in paths are %XX."""
    plain = re.sub(
        r'[\x00-\x1f\x7f/\\%:*?"<>|]|^\.', lambda m: f"%{ord(m[0]):02X}", stored_name(name)
    )
    return plain + SUFFIX


def variable_name(file: str) -> Name:
    """The reverse of file_name(), for the last part of any path or URL."""
    base = re.split(r"[/\\]", file.rstrip("/"))[-1]
    stem = base[: -len(SUFFIX)] if base.endswith(SUFFIX) else base
    encoded = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), os.fsencode(stem))
    return name_of(os.fsdecode(encoded))


def _check(name: Any, what: str, *, empty: bool = False) -> None:
    if not isinstance(name, str):
        raise TypeError(f"invalid name {name!r} of {what}: it must be a string")
    if not name and not empty:
        raise ValueError(f"invalid name {name!r} of {what}: a string must be length 1 or longer")
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"invalid name {name!r} of {what}: {error.reason}") from None


def _check_variable(name: Any) -> None:
    if name is None:
        return
    if not isinstance(name, str):
        raise TypeError(f"invalid name {name!r} of a variable: it must be a string or None")
    _check(name, "a variable")
    if name == _NO_NAME:
        raise ValueError(f"invalid name {name!r} of a variable: variables without a name have it")
    size = len(file_name(name).encode())
    if size > _LONGEST_FILE:
        raise ValueError(
            f"invalid name {name!r} of a variable: its file would have a name of {size} bytes, and "
            f"can have one of {_LONGEST_FILE}"
        )


def _check_dimension(name: Any) -> None:
    _check(name, "a dimension")
    if "\0" in name:
        raise ValueError(f"invalid name {name!r} of a dimension: it has a zero byte")
    if len(name.encode()) > _LONGEST_DIMENSION:
        raise ValueError(
            f"invalid name {name!r} of a dimension: it has {len(name.encode())} bytes, and can have "
            f"{_LONGEST_DIMENSION}"
        )


def check_names(ds: Any) -> None:
    """An error that has the name, if one in a dataset of xarray would not come back as it is."""
    for name, variable in ds.variables.items():
        _check_variable(name)
        for attribute in variable.attrs:
            _check(attribute, f"an attribute of {name!r}", empty=True)
    for name in ds.dims:
        _check_dimension(name)
    for attribute in ds.attrs:
        _check(attribute, "an attribute", empty=True)
