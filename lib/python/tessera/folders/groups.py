"""Folders of arrays, as `tess import` writes them and `tess export` reads them.

A variable NAME is the array NAME.b2nd, with its attributes and the names of its dimensions. The file
group.json has the attributes and dimensions of the folder, and the NumPy types of all attributes.
"""

from __future__ import annotations

import json
import os
from typing import Any

from tessera import _tessera
from tessera.folders.names import SUFFIX, Name, variable_name
from tessera.folders.record import MARK, Record

RECORD = "group.json"
RECORD_PART = RECORD + ".part"  # while it is written
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
    if not array_files(path) and MARK not in (_load(path) or {}):
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


# The file group.json


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


def read_group(folder: str) -> Record:
    """Read group.json; without the file, the record is empty."""
    stored = _load(folder) or {}
    try:
        return Record.from_json(stored)
    except ValueError as error:
        raise ValueError(f"{RECORD}: {error}") from None


def write_group(folder: str, record: Record) -> None:
    """Write group.json, as a whole or not at all; it is on the disk at the end."""
    path = os.path.join(folder, RECORD)
    part = os.path.join(folder, RECORD_PART)
    with open(part, "w", encoding="utf-8") as file:
        json.dump(record.to_json(), file, ensure_ascii=False, allow_nan=False)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    sync(folder)
