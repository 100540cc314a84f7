"""Folders of arrays, as `tess import` writes them and `tess export` reads them.

A variable NAME is the array NAME.b2nd, with its attributes and the names of its dimensions. The file
group.json has the attributes and dimensions of the folder, and the NumPy types of all attributes.
"""

from __future__ import annotations

import base64
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tessera import _tessera
from tessera.folders.names import SUFFIX, Name, name_of, stored_name, variable_name

RECORD = "group.json"
RECORD_PART = RECORD + ".part"  # while it is written
_MARK = "tessera_group"  # a key that each record has
_INDEX = "chunks.b2frame"  # the file that makes a folder a sparse array


def array_files(folder: str) -> dict[Name, str]:
    """The paths of all arrays in a folder, keyed and sorted by the names of the variables."""
    files: dict[Name, str] = {}
    for file in sorted(os.listdir(folder)):
        if not file.endswith(SUFFIX) or file.startswith("."):
            continue
        name, path = variable_name(file), os.path.join(folder, file)
        if name in files:
            raise ValueError(f"{files[name]!r} and {path!r} are both a variable {name!r}")
        files[name] = path
    return files


def is_group(path: str) -> bool:
    """Whether a path is a folder, but not a sparse array."""
    return os.path.isdir(path) and not os.path.exists(os.path.join(path, _INDEX))


def check_dataset(path: str) -> None:
    """Raise an error if a folder has neither an array nor a group.json of Tessera."""
    if not array_files(path) and _MARK not in (_load(path) or {}):
        zarr = {".zgroup", ".zarray", "zarr.json"}.intersection(os.listdir(path))
        raise _tessera.FormatError(
            f"{path!r} is no folder of arrays: it has no {RECORD} of Tessera and no {SUFFIX}"
            + (": Zarr has made it" if zarr else "")
        )


def is_dataset(path: str) -> bool:
    """Whether a path is a folder of arrays."""
    if not is_group(path):
        return False
    try:
        check_dataset(path)
    except (OSError, ValueError, _tessera.FormatError):
        return False
    return True


def check_group(path: str) -> None:
    """An error, if nothing can be added to a path as to a folder of arrays."""
    os.listdir(path)  # where it is none, the error says so
    if not is_group(path):
        raise NotADirectoryError(f"{path!r} is a sparse array, and no folder of arrays")
    check_dataset(path)


def sync(path: str) -> None:
    """Wait until the last commit of an array, or the names in another folder, are on the disk."""
    index = os.path.join(path, _INDEX)
    descriptor = os.open(index if os.path.exists(index) else path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# Types of attributes


def number_type(value: Any) -> str | None:
    """The NumPy type of numbers, which attributes of arrays do not store; None: no such type."""
    dtype = getattr(value, "dtype", None)
    return dtype.str if isinstance(dtype, np.dtype) and dtype.kind in "iuf" else None


def with_type(value: Any, kind: Any) -> Any:
    """A number, or a list of them, as the type of NumPy that was recorded, if that has its values."""
    if not isinstance(kind, str) or not re.fullmatch(r"[<>|=]?[iuf][1248]", kind):
        return value
    if not isinstance(value, (int, float, list)):
        return value
    try:
        typed = np.array(value, dtype=kind)
        same = np.array_equal(typed.astype("f8"), np.array(value, dtype="f8"), equal_nan=True)
    except (TypeError, ValueError, OverflowError):
        return value
    if not same:
        return value
    return typed if isinstance(value, list) else typed[()]


# The file group.json


def _to_json(value: Any) -> Any:
    """A value in the notation of tess_attr_get_json()."""
    if isinstance(value, (np.generic, np.ndarray)) and value.dtype.char not in "gG":
        return _to_json(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value) and not next(iter(value), "").startswith("$"):
            return {key: _to_json(item) for key, item in value.items()}
        return {"$map": [[_to_json(key), _to_json(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return [_to_json(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"it cannot be {value!r}")


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        key, item = next(iter(value.items()))
        if key == "$float" and item in ("nan", "inf", "-inf"):
            return float(item)
        if key == "$bytes" and isinstance(item, str):
            return base64.b64decode(item, validate=True)
        if key == "$map" and isinstance(item, list):
            return {_from_json(k): _from_json(v) for k, v in item}
    return {key: _from_json(item) for key, item in value.items()}


def check_attributes(attrs: Mapping[str, Any]) -> None:
    """Raise an error with the name if an attribute cannot be stored in group.json."""
    for name, value in attrs.items():
        try:
            json.dumps(_to_json(value), ensure_ascii=False, allow_nan=False).encode()
        except TypeError as error:
            raise TypeError(f"attribute {name!r}: {error}") from None
        except ValueError as error:
            raise ValueError(f"attribute {name!r}: {error}") from None


@dataclass
class Group:
    """The content of group.json."""

    attrs: dict[str, Any] = field(default_factory=dict)
    dimensions: dict[str, int] = field(default_factory=dict)
    unlimited: set[str] = field(default_factory=set)
    # Dimensions along which datasets were appended. Their lengths are the commit of the whole: what
    # arrays have beyond them was left by an append that did not end.
    appended: set[str] = field(default_factory=set)
    # Of each variable, in the order of the file, the types of its attributes.
    types: dict[Name, dict[str, Any]] = field(default_factory=dict)


def _objects(record: Mapping[str, Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects with a name of a list in the record."""
    items = record.get(key, [])
    for item in items if isinstance(items, list) else [items]:
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            raise ValueError(f"{RECORD}: {key} has {item!r}, and no object with a name")
        yield item["name"], item


def _object(record: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = record.get(key, {})
    if not isinstance(value, dict):
        raise ValueError(f"{RECORD}: {key} is {value!r}, and no object")
    return value


def _load(folder: str) -> dict[str, Any] | None:
    """The object of JSON in group.json; None: the folder has no such file."""
    try:
        with open(os.path.join(folder, RECORD), encoding="utf-8") as file:
            record = json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not isinstance(record, dict):
        raise ValueError(f"{RECORD} in {folder!r} is no object of JSON")
    return record


def read_group(folder: str) -> Group:
    """Read group.json; without the file, the record is empty."""
    record = _load(folder) or {}
    group, types = Group(), _object(record, "attribute_types")
    for name, value in _object(record, "attributes").items():
        group.attrs[name] = with_type(_from_json(value), types.get(name))
    for name, item in _objects(record, "dimensions"):
        length = item.get("length", 0)
        if not isinstance(length, int) or length < 0:
            raise ValueError(f"{RECORD}: dimension {name!r} has the length {length!r}")
        group.dimensions[name] = length
        if item.get("unlimited") is True:
            group.unlimited.add(name)
        if item.get("appended") is True:
            group.appended.add(name)
    for name, item in _objects(record, "variables"):
        group.types[name_of(name)] = _object(item, "attribute_types")
    return group


def _dimension(name: str, length: int, group: Group) -> dict[str, Any]:
    item = {"name": name, "length": length, "unlimited": name in group.unlimited}
    return {**item, "appended": True} if name in group.appended else item


def write_group(folder: str, group: Group) -> None:
    """Write group.json, as a whole or not at all; it is on the disk at the end."""
    types = {name: number_type(value) for name, value in group.attrs.items()}
    record = {
        _MARK: 1,
        "attributes": {name: _to_json(value) for name, value in group.attrs.items()},
        "attribute_types": {name: kind for name, kind in types.items() if kind is not None},
        "dimensions": [_dimension(name, length, group) for name, length in group.dimensions.items()],
        "variables": [
            {"name": stored_name(name), "attribute_types": kinds}
            for name, kinds in group.types.items()
        ],
    }
    path = os.path.join(folder, RECORD)
    part = os.path.join(folder, RECORD_PART)
    with open(part, "w", encoding="utf-8") as file:
        json.dump(record, file, ensure_ascii=False, allow_nan=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    sync(folder)


def in_order(names: Iterable[Name], group: Group) -> list[Name]:
    """Names of variables in the order of the record, then the others."""
    there = list(names)
    known = [name for name in group.types if name in there]
    return known + [name for name in there if name not in group.types]
