"""Files and folders that appear under their name when they are complete."""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator

from tessera import _tessera
from tessera.folders import groups
from tessera.folders.names import SUFFIX
from tessera.opening import open
from tessera.places import Path, refuse_entry

_PART = ".part"  # of folders with variables that are not yet in their place


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def _check_replaced(path: str) -> None:
    """Raise unless the path is a file, an array, or a folder that contains only arrays."""
    if not os.path.isdir(path) or not groups.is_group(path):
        return
    for entry in os.listdir(path):
        inside = os.path.join(path, entry)
        if entry in (groups.RECORD, groups.RECORD_PART) or entry.endswith(SUFFIX):
            continue
        if entry.startswith(".") and entry.endswith(_PART):
            continue
        if not os.path.isdir(inside):
            raise FileExistsError(
                f"{path!r} contains {entry!r}: mode 'w' replaces only folders of arrays"
            )
        _check_replaced(inside)


def target_of(path: Path) -> str:
    """The absolute path of what is written."""
    if _tessera._is_url(os.fspath(path)):
        raise ValueError(f"{path!r} is a URL: arrays are written to local paths only")
    return os.path.abspath(os.fspath(path))


@contextlib.contextmanager
def published(path: Path, mode: str) -> Iterator[str]:
    """A temporary path beside path: renamed to path at the end, removed after a failure."""
    target = target_of(path)
    refuse_entry(path)
    if mode not in ("x", "w"):
        raise ValueError(f"mode is {mode!r}, expected 'x' or 'w'")
    if mode == "x" and os.path.lexists(target):
        raise FileExistsError(f"{target!r} exists; mode 'w' replaces it")
    _check_replaced(target)
    parent, name = os.path.split(target)
    part = os.path.join(parent, f".{name}.{uuid.uuid4().hex[:8]}{SUFFIX}")
    old = part + ".old"
    try:
        yield part
        if os.path.isdir(part) or os.path.isdir(target):
            if os.path.lexists(target):
                os.rename(target, old)
            os.rename(part, target)
        else:
            os.replace(part, target)
        _remove(old)
    finally:
        _remove(part)


@contextlib.contextmanager
def published_inside(folder: str) -> Iterator[str]:
    """A new folder in a folder of arrays; those in it move to the outer one at the end.

    Each replaces the array of its name in one step. After a failure the outer folder is as it was.
    """
    part = os.path.join(folder, f".{uuid.uuid4().hex[:8]}{_PART}")
    os.mkdir(part)
    try:
        yield part
        files = sorted(file for file in os.listdir(part) if file.endswith(SUFFIX))
        for file in files:
            groups.sync(os.path.join(part, file))
        for file in files:
            _move(os.path.join(part, file), os.path.join(folder, file))
        groups.sync(folder)
    finally:
        _remove(part)


def _move(new: str, target: str) -> None:
    """A directory does not replace another one by its name: the library exchanges them."""
    if os.path.isdir(new) and os.path.lexists(target):
        with open(new) as array:
            array.save(target, mode="w", sparse=True)
    else:
        os.replace(new, target)
