"""Where an array is, and how it is opened or created, for _tessera: a dict (src/whole/place.h)."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Mapping
from typing import Any, Literal, Union

from tessera import _tessera
from tessera.folders import groups
from tessera.folders.names import SUFFIX

# A path or a URL.
Path = Union[str, "os.PathLike[str]"]
# "write": with each chunk that is stored; "verify": also compared with each that is read.
Checksums = Literal["write", "verify", "none"]
# What a commit survives. "none": the end of the program; "ordered": that of the machine, with this
# or an older commit; "fsync": it is on the disk when the call returns.
Durability = Literal["none", "ordered", "fsync"]

# As tess_mode in storage.h.
_READ, _UPDATE, _NEW, _REPLACE = range(4)
_OPEN_MODES = {"r": _READ, "r+": _UPDATE}
_CREATE_MODES = {"x": _NEW, "w": _REPLACE}
_STORE_MODES = {**_OPEN_MODES, "x": _NEW}
# Options of open(), and their defaults.
_DEFAULTS = {
    "threads": None,
    "cache": None,
    "mmap": False,
    "checksums": "write",
    "durability": "ordered",
    "memory_limit": None,
    "wait": 0,
    "lock_file": False,
    "explicit_commits": False,
}


def _number(mode: str, modes: dict[str, int]) -> int:
    if mode not in modes:
        raise ValueError(f"mode is {mode!r}, expected " + " or ".join(map(repr, modes)))
    return modes[mode]


def _place(path: Path | None, mode: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Where an array is, for the library. URLs use the environment, as the command tess does."""
    place: dict[str, Any] = {"mode": mode, **{k: v for k, v in options.items() if v is not None}}
    if path is None:
        return place
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"a path is a str, not {name!r}: os.fsdecode() makes one of it")
    if not name:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    if _tessera._is_url(name):
        place.update(path=name, url=True)
        keys = {"ca_file": "TESS_HTTP_CA", "cache_dir": "TESS_HTTP_CACHE"}
        if name.lower().startswith("https://"):
            keys["token"] = "TESS_HTTP_TOKEN"
        place.update({key: os.environ[var] for key, var in keys.items() if var in os.environ})
    else:
        place["path"] = os.path.abspath(name)
    return place


def to_open(path: Path | None, mode: str, **options: Any) -> dict[str, Any]:
    """The place of an array that exists; mode and options are those of open()."""
    return _place(path, _number(mode, _OPEN_MODES), options)


def to_create(path: Path | None, mode: str, **options: Any) -> dict[str, Any]:
    """The place of a new array; mode and options are those of create()."""
    refuse_entry(path)
    return _place(path, _number(mode, _CREATE_MODES), options)


def to_open_store(path: Path, mode: str, **options: Any) -> dict[str, Any]:
    """The place of a store, also a new one; options are those of open_store()."""
    if mode not in _STORE_MODES:
        raise ValueError(f"mode is {mode!r}, expected 'r', 'r+', 'a' or 'x'")
    return _place(path, _STORE_MODES[mode], options)


def to_make_entry(
    store: Any, name: str, mode: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """The place of a new array in a store, whose path names it in errors."""
    where = None if store.path is None else f"{store.path}{name}"
    place = {"mode": _number(mode, _CREATE_MODES), "store": store, "entry": name, "path": where}
    return {**place, **options}


def is_written(place: Mapping[str, Any]) -> bool:
    """Whether the array is open for writing."""
    return bool(place["mode"] != _READ)


def is_changed(place: Mapping[str, Any]) -> bool:
    """Whether what is at a local path is opened for writing."""
    return bool(place["mode"] == _UPDATE and "path" in place and "url" not in place)


def state_of(place: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a commit to a file changes: identity, time, size and header."""
    if place.get("url"):
        return ()
    path = place["path"]
    frame = os.path.join(path, "chunks.b2frame") if os.path.isdir(path) else path
    with open(frame, "rb") as file:
        status = os.fstat(file.fileno())
        return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size, file.read(128)


def split(path: str) -> tuple[str, str] | None:
    """The path or URL of a store, .b2d or .b2z, and the name behind it; None: there is no store.

    A path that leads to a file, or a sparse array, in the directory of a store is no such path; nor
    is a folder of arrays with the ending of a store.
    """
    url = _tessera._is_url(path)
    ends = re.finditer(r"[^/]\.b2[dz](?=/|$)", path)
    front = next((path[: found.end()] for found in ends), None)
    if front is None:
        return None
    if not url and front != path:
        inside = os.path.isdir(path) and groups.is_group(path)
        if os.path.lexists(path) and not inside:
            return None
    if not url and os.path.exists(os.path.join(front, groups.RECORD)):
        return None
    return front, path[len(front) :].strip("/")


def refuse_entry(path: Path | None) -> None:
    """Raise an error for the path of an array in a store, where one is made by the store."""
    text = "" if path is None else os.fspath(path)
    where = split(text) if isinstance(text, str) else None
    if where is not None and where[1] and not text.endswith(SUFFIX):
        raise _tessera.ArgumentError(
            f"{text!r} is in a store: open that with tessera.open_store({where[0]!r}, 'a'), and make "
            f"the array there, as {where[1]!r}"
        )


def identity_of_store(place: Mapping[str, Any]) -> tuple[Any, ...]:
    """Whether a store is a file, and what tells it from others; (): nothing does."""
    if "path" not in place or place.get("url"):
        return ()
    try:
        status = os.stat(place["path"])
    except OSError:  # it was removed meanwhile
        return ()
    if stat.S_ISDIR(status.st_mode):
        return False, status.st_dev, status.st_ino
    return True, status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def options_of(place: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a place that are not the defaults, for a pickle."""
    return {k: place[k] for k, v in _DEFAULTS.items() if place.get(k, v) != v}
