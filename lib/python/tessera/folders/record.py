"""What a dataset has beside its arrays: attributes, dimensions, order and types of attributes.

A folder of arrays keeps it in the file group.json (groups.py), a group of a store in its attributes
(containers.py). `tess import` writes the same, and `tess export` reads it.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tessera.folders.names import Name, name_of, stored_name

MARK = "tessera_group"  # a key that each record has, and the attribute of a group that is one


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


# Notation in JSON


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
    """Raise an error with the name if an attribute cannot be stored in a record."""
    for name, value in attrs.items():
        try:
            json.dumps(_to_json(value), ensure_ascii=False, allow_nan=False).encode()
        except TypeError as error:
            raise TypeError(f"attribute {name!r}: {error}") from None
        except ValueError as error:
            raise ValueError(f"attribute {name!r}: {error}") from None


# The record


def _objects(record: Mapping[str, Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects with a name of a list in the record."""
    items = record.get(key, [])
    for item in items if isinstance(items, list) else [items]:
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            raise ValueError(f"{key} has {item!r}, and no object with a name")
        yield item["name"], item


def _object(record: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = record.get(key, {})
    if not isinstance(value, dict):
        raise ValueError(f"{key} is {value!r}, and no object")
    return value


@dataclass
class Record:
    """The record of a dataset."""

    attrs: dict[str, Any] = field(default_factory=dict)
    dimensions: dict[str, int] = field(default_factory=dict)
    unlimited: set[str] = field(default_factory=set)
    # Dimensions along which datasets were appended to a folder. Their lengths are the commit of the
    # whole: what arrays have beyond them was left by an append that did not end.
    appended: set[str] = field(default_factory=set)
    # Of each variable, in the order of the file, the types of its attributes.
    types: dict[Name, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, stored: Mapping[str, Any], attrs: Mapping[str, Any]) -> Record:
        """The record that is stored, without its attributes, and these."""
        record, types = cls(), _object(stored, "attribute_types")
        record.attrs = {name: with_type(value, types.get(name)) for name, value in attrs.items()}
        for name, item in _objects(stored, "dimensions"):
            length = item.get("length", 0)
            if not isinstance(length, int) or length < 0:
                raise ValueError(f"dimension {name!r} has the length {length!r}")
            record.dimensions[name] = length
            if item.get("unlimited") is True:
                record.unlimited.add(name)
            if item.get("appended") is True:
                record.appended.add(name)
        for name, item in _objects(stored, "variables"):
            record.types[name_of(name)] = _object(item, "attribute_types")
        return record

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Record:
        """The record that group.json has."""
        attrs = _object(stored, "attributes")
        return cls.of(stored, {name: _from_json(value) for name, value in attrs.items()})

    def _dimension(self, name: str, length: int) -> dict[str, Any]:
        item = {"name": name, "length": length, "unlimited": name in self.unlimited}
        return {**item, "appended": True} if name in self.appended else item

    def stored(self) -> dict[str, Any]:
        """What is stored of it, without its attributes."""
        types = {name: number_type(value) for name, value in self.attrs.items()}
        return {
            MARK: 1,
            "attribute_types": {name: kind for name, kind in types.items() if kind is not None},
            "dimensions": [self._dimension(name, n) for name, n in self.dimensions.items()],
            "variables": [
                {"name": stored_name(name), "attribute_types": kinds}
                for name, kinds in self.types.items()
            ],
        }

    def to_json(self) -> dict[str, Any]:
        """What group.json has of it."""
        attrs = {name: _to_json(value) for name, value in self.attrs.items()}
        return {MARK: 1, "attributes": attrs, **self.stored()}

    def in_order(self, names: Iterable[Name]) -> list[Name]:
        """Names of variables in the order of the record, then the others."""
        there = list(names)
        known = [name for name in self.types if name in there]
        return known + [name for name in there if name not in self.types]
