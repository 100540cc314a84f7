"""Where the variables of a dataset are stored: in a folder of arrays, or in a group of a store.

Both are used alike. In a folder each array has its own commits, and the record, group.json, says how
far an append has got. The arrays of a store and its record become current together, so nothing else
is to be said.
"""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Union

import numpy as np

from tessera import _tessera
from tessera.array import Array
from tessera.folders import groups
from tessera.folders.attributes import packed, unpacked
from tessera.folders.names import SUFFIX, Name, file_name, variable_name
from tessera.folders.record import MARK, Record
from tessera.opening import create, open
from tessera.publish import published_inside
from tessera.places import split
from tessera.stores import Group, Store, open_store


class Opener(NamedTuple):
    """How an array is opened, also in another process: make(*arguments, mode="r", **options)."""

    make: Callable[..., Array]
    arguments: tuple[Any, ...]
    options: dict[str, Any]


class Folder:
    """A folder of arrays, or an array of its own at a path."""

    whole = False  # whether changes of several arrays become current together
    writable = False  # whether arrays are read through the handles that write them

    def __init__(self, path: str, options: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self._options = dict(options or {})

    @property
    def is_array(self) -> bool:
        """Whether it is an array of its own."""
        return not groups.is_group(self.path)

    def check(self) -> None:
        """Raise an error if it is neither an array nor a folder of arrays."""
        if not self.is_array:
            groups.check_dataset(self.path)

    def check_changed(self) -> None:
        """Raise an error if nothing can be added to it."""
        groups.check_group(self.path)

    def files(self) -> dict[Name, str]:
        """The names of all variables, and where they are."""
        if self.is_array:
            return {variable_name(self.path): self.path}
        return groups.array_files(self.path)

    def source(self, file: str) -> str:
        """The path that says where an array is."""
        return file

    def opener(self, file: str) -> Opener:
        """What opens an array of files() for reading."""
        return Opener(open, (file,), self._options)

    def close(self) -> None:
        """Nothing: each array is closed by itself."""

    def read_record(self) -> Record:
        return groups.read_group(self.path)

    def write_record(self, record: Record) -> None:
        groups.write_group(self.path, record)

    def is_current(self, record: Record) -> bool:
        """Whether the arrays that were opened since the record was read are those that it means."""
        now = self.read_record()
        return (now.dimensions, now.appended) == (record.dimensions, record.appended)

    # Changes

    def is_taken(self, name: Name) -> bool:
        """Whether there is something where the variable would be stored."""
        return os.path.lexists(os.path.join(self.path, file_name(name)))

    def is_sparse(self, name: Name) -> bool:
        """Whether a variable is stored as a directory."""
        return os.path.isdir(os.path.join(self.path, file_name(name)))

    def create(self, name: Name, shape: Any, dtype: Any, **options: Any) -> Array:
        """A new array; options are those of tessera.create()."""
        path = os.path.join(self.path, file_name(name))
        return create(path, shape, dtype, explicit_commits=True, **options)

    def open_to_grow(self, file: str) -> Array:
        """An array of files(), for writing."""
        return open(file, "r+", explicit_commits=True)

    def commit(self, array: Array) -> None:
        """Bring what was written to an array to the disk."""
        array.flush()
        groups.sync(str(array.path))

    @contextlib.contextmanager
    def additions(self) -> Iterator[Folder]:
        """Where variables are written that are added or replaced: they get there at the end."""
        with published_inside(self.path) as part:
            yield Folder(part)


class StoredGroup:
    """A group of a store, or one array of it. Of a store that is written: as the next commit has it."""

    whole = True

    def __init__(self, group: Group, array: str | None = None, own: bool = False) -> None:
        self._group = group
        self._array = array
        self._own = own  # nobody else uses the store

    @property
    def writable(self) -> bool:
        return bool(self._group._store.writable)

    @property
    def path(self) -> str:
        store = self._group._store
        where = "a store in memory" if store.path is None else store.path
        return where + self._group.name.rstrip("/")

    @property
    def is_array(self) -> bool:
        return self._array is not None

    def check(self) -> None:
        if self.is_array or self.files() or MARK in self._group.attrs:
            return
        below = [entry.name for entry in self._group._found(False) if entry.kind == "group"]
        raise _tessera.FormatError(
            f"{self.path!r} has no arrays"
            + (f": its groups are {', '.join(map(repr, below))}" if below else "")
        )

    check_changed = check

    def files(self) -> dict[Name, str]:
        if self._array is not None:
            return {variable_name(self._array): self._array}
        files: dict[Name, str] = {}
        for entry in self._group._found(False):
            if entry.kind not in ("array", "link"):
                continue
            name = variable_name(entry.name + SUFFIX)
            if name in files:
                raise ValueError(f"{files[name]!r} and {entry.name!r} are both a variable {name!r}")
            files[name] = entry.name
        return files

    def source(self, file: str) -> str:
        return f"{self.path}/{file}"

    def opener(self, file: str) -> Opener:
        store, full = self._group._store, self._group._full(file)
        if store.writable or store.path is None:
            return Opener(_opened, (store, full), {})
        return Opener(_opened_again, (*_remembered(store), full), {})

    def close(self) -> None:
        """Close the store, if it was opened for this."""
        if self._own:
            self._group._store.close()

    def read_record(self) -> Record:
        stored = dict(self._group.attrs)
        record = stored.pop(MARK, {})
        attrs = unpacked(stored)
        if self.is_array or not isinstance(record, dict):
            return Record() if self.is_array else Record.of({}, attrs)
        try:
            return Record.of(record, attrs)
        except ValueError as error:
            raise ValueError(f"the attribute {MARK} of {self.path!r}: {error}") from None

    def write_record(self, record: Record) -> None:
        attrs = self._group.attrs
        stored = {**packed(record.attrs), MARK: record.stored()}
        for name in set(attrs) - set(stored):
            del attrs[name]
        attrs.update(stored)

    def is_current(self, record: Record) -> bool:
        return True

    # Changes

    def is_empty(self) -> bool:
        """Whether there is no dataset in the group, but perhaps groups."""
        return not self.files() and not self._group.attrs

    def clear(self) -> None:
        """Remove all that is in the group."""
        for name in list(self._group):
            del self._group[name]
        attrs = self._group.attrs
        for name in list(attrs):
            del attrs[name]

    def is_taken(self, name: Name) -> bool:
        return _entry(name) in self._group

    def is_sparse(self, name: Name) -> bool:
        return False

    def create(
        self, name: Name, shape: Any, dtype: Any, *, sparse: bool = False, **options: Any
    ) -> Array:
        if sparse:
            raise ValueError(f"{name!r} cannot be sparse: the arrays of a store are files")
        return self._group.create(_entry(name), shape, dtype, mode="w", **options)

    def open_to_grow(self, file: str) -> Array:
        array: Array = self._group[file]
        return array

    def commit(self, array: Array) -> None:
        """Nothing: the commit of the store has all."""

    @contextlib.contextmanager
    def additions(self) -> Iterator[StoredGroup]:
        yield self


Container = Union[Folder, StoredGroup]


def _entry(name: Name) -> str:
    """The name of a variable's entry in its group."""
    return file_name(name)[: -len(SUFFIX)]


# Stores that are read, and their arrays in other processes

# Open stores, by what opens them again: as long as one of their arrays is open.
_stores: weakref.WeakValueDictionary[Any, Store] = weakref.WeakValueDictionary()


def _remembered(store: Store) -> tuple[Any, ...]:
    """What opens a store again, in the state that it has; this one, as long as it is open."""
    _, (path, commit, options) = store.__reduce__()
    key = path, commit, store._state, tuple(options.items())
    _stores[key] = store
    return key


def _opened(store: Store, name: str, mode: str) -> Array:
    array: Array = store[name]
    return array


def _opened_again(
    path: str, commit: Any, state: Any, options: Any, name: str, mode: str
) -> Array:
    key = path, commit, state, options
    store = _stores.get(key)
    if store is None or store.closed:
        store = open_store(path, commit=commit, **dict(options))
        _stores[key] = store
    return _opened(store, name, mode)


def container_of(place: Any, group: str | None, options: Mapping[str, Any]) -> Container:
    """What a path, a URL or an open group leads to, for reading; options are those of open()."""
    if isinstance(place, Group):
        return _in_store(place._store, f"{place.name}/{group or ''}", False)
    commit = options.get("commit")
    path = os.fspath(place)
    if not isinstance(path, str):
        raise TypeError(f"a path is a str, not {path!r}: os.fsdecode() makes one of it")
    if not _tessera._is_url(path):
        path = os.path.abspath(os.path.expanduser(path))
    if group is not None:
        path = os.path.join(path, group.strip("/"))
    where = split(path)
    if where is not None:
        return _in_store(open_store(where[0], **options), where[1], True)
    if commit is not None:
        raise ValueError(f"{path!r} is no store: it has no commit {commit!r}")
    return Folder(path, {key: value for key, value in options.items() if key != "commit"})


def _in_store(store: Store, name: str, own: bool) -> StoredGroup:
    full = "/" + "/".join(part for part in name.split("/") if part)
    kind = store._kind(full)
    if kind is None:
        raise FileNotFoundError(f"{store.path!r} has no entry {full!r}")
    if kind == 0:
        return StoredGroup(store if full == "/" else Group(store, full), None, own)
    parent, _, entry = full.rpartition("/")
    return StoredGroup(Group(store, parent) if parent else store, entry, own)
