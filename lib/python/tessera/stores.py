"""Stores: many arrays in a directory or zip file, in groups, whose changes are committed at once."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from tessera import _tessera
from tessera.array import ABOUT_FILES, Array, Origin, opened
from tessera.attributes import Attributes
from tessera.layouts import Filters, Layout, Method, Shape, described
from tessera.places import (
    Checksums,
    Durability,
    Path,
    identity_of_store,
    is_changed,
    options_of,
    to_make_entry,
    to_open,
    to_open_store,
)

# As tess_entry_kind in store.h.
_KINDS = ("group", "array", "schunk", "batch", "link")
_GROUP = 0


class Entry(NamedTuple):
    """An entry that Group.walk() tells.

    name leads to it from the group. kind is "group", "array", "schunk" or "batch" (super-chunks,
    which are opened as arrays of one dimension), or "link" (Group.link()). size is the stored
    bytes, 0 of a group.
    """

    name: str
    kind: str
    size: int


class Commit(NamedTuple):
    """A commit that Store.commits() tells: its number, and its name, or None."""

    number: int
    name: str | None


class _Holder:
    """The attributes of a group, for Attributes: opened when they are needed."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._kept: Array | None = None  # of a store that is read, which costs requests at a URL

    def _open(self, make: bool) -> Array | None:
        store = self._group._store
        if self._kept is not None:
            return self._kept
        try:
            array: Array | None = store._attributes(Array, self._group.name, store.path, make)
        except KeyError:  # there is nothing in the group
            return None
        if not store.writable:
            self._kept = array
        return array

    def _attr_get(self, name: str, /) -> Any:
        array = self._open(False)
        if array is None:
            raise KeyError(name)
        return array._attr_get(name)

    def _attr_set(self, name: str, value: Any, /) -> None:
        if not self._group._store.writable:
            raise _tessera.ArgumentError("the store was opened for reading only")
        array = self._open(True)
        assert array is not None
        array._attr_set(name, value)

    def _attr_delete(self, name: str, /) -> None:
        array = self._open(False)
        if array is None:
            raise KeyError(name)
        array._attr_delete(name)

    def _attr_names(self) -> list[str]:
        array = self._open(False)
        return [] if array is None else array._attr_names()


class Group(Mapping[str, Any]):
    """A group of a store: a mapping of names to arrays and groups.

    Names may lead further down: group["winds/u"]. Iteration gives the names that are directly in
    the group; walk() all that is below it. An assigned array, or what numpy.asarray() takes, is
    stored under the name, in place of the array that has it.

    >>> import tessera
    >>> with tessera.open_store("climate.b2d", "x") as store:
    ...     store["winds/u"] = [1.5, 2.5]
    ...     winds = store["winds"]
    ...     winds["v"] = [3, 4]
    ...     winds.attrs["height"] = 10
    ...     list(winds), "winds/v" in store
    (['u', 'v'], True)
    """

    def __init__(self, store: Store, name: str) -> None:
        self._in = store
        self._name = name

    @property
    def _store(self) -> Store:
        return self._in

    @property
    def name(self) -> str:
        """Where it is in the store: "/winds"; "/" of the store itself."""
        return self._name

    @property
    def attrs(self) -> Attributes:
        """The attributes of the group, a mutable mapping."""
        return Attributes(_Holder(self))

    def group(self, name: str) -> Group:
        """The group of a name, which need not exist yet: it does once there is something in it."""
        return Group(self._store, self._full(name))

    def _full(self, name: Any) -> Any:
        """A name in the group as one in the store; what is no name stays what it is."""
        if not isinstance(name, str):
            return name
        parts = [part for part in (self.name.strip("/"), name.strip("/")) if part]
        return "/" + "/".join(parts)

    def __getitem__(self, name: str) -> Any:
        full = self._full(name)
        try:
            return self._store._opened(full)
        except KeyError:
            if name in self:
                why = f"{name!r} is a link to {self.target(name)!r}, which leads to no array"
                raise KeyError(why) from None
            raise KeyError(name) from None

    def _is_group(self, full: Any) -> bool:
        try:
            return self._store._kind(full) == _GROUP
        except KeyError:  # what no name can be
            return False

    def _place_for(self, name: str, mode: str) -> dict[str, Any]:
        """The place of a new array in the group, which is not that of a group."""
        store, full = self._store, self._full(name)
        place = to_make_entry(store, full, mode, store._options)
        if mode == "w" and store.writable and self._is_group(full):
            raise _tessera.KindError(f"{full} is a group, not an array: remove it first")
        return place

    def __setitem__(self, name: str, items: npt.ArrayLike | Array) -> None:
        if isinstance(items, Group):
            raise TypeError(f"a group cannot be stored as an array: {name!r}")
        place = self._place_for(name, "w")
        if isinstance(items, Array):
            array = opened(items._copy(Array, place, {"sparse": False}), place)
        else:
            memory = np.asarray(items, order="C")
            params = {"shape": memory.shape, "dtype": memory.dtype}
            array = opened(_tessera._create(Array, place, params, memory), place)
        array.close()

    def __delitem__(self, name: str) -> None:
        try:
            self._store._remove(self._full(name))
        except KeyError:
            raise KeyError(name) from None

    def __contains__(self, name: object) -> bool:
        try:
            return self._store._kind(self._full(name)) is not None
        except KeyError:  # what no name can be
            return False

    def _found(self, deep: bool) -> list[Entry]:
        start = len(self.name.rstrip("/")) + 1
        try:
            found = self._store._entries(self.name, deep)
        except KeyError:  # there is nothing in it
            return []
        return [Entry(path[start:], _KINDS[kind], size) for path, kind, size in found]

    def __iter__(self) -> Iterator[str]:
        return iter([entry.name for entry in self._found(False)])

    def __len__(self) -> int:
        return len(self._found(False))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Group):
            return NotImplemented
        return self._store is other._store and self.name == other.name

    def __hash__(self) -> int:
        return hash((id(self._store), self.name))

    def walk(self) -> Iterator[Entry]:
        """All entries below the group: a group, then what is in it, by name. Nothing is opened.

        >>> import tessera
        >>> with tessera.open_store("walk.b2d", "x") as store:
        ...     store["winds/u"] = range(100)
        ...     [(entry.name, entry.kind) for entry in store.walk()]
        [('winds', 'group'), ('winds/u', 'array')]
        """
        return iter(self._found(True))

    def create(
        self,
        name: str,
        shape: Shape,
        dtype: npt.DTypeLike,
        chunks: Shape | None = None,
        blocks: Shape | None = None,
        *,
        codec: Method | None = None,
        level: int | None = None,
        filters: Filters | None = None,
        fill_value: Any = None,
        layout: Layout | None = None,
        mode: str = "x",
    ) -> Array:
        """Create an array in the group, open for writing. Arguments as in tessera.create().

        mode "x" fails if there is such an entry; with "w", the array replaces it.
        """
        place = self._place_for(name, mode)
        params = described(
            shape,
            dtype,
            fill_value,
            chunks=chunks,
            blocks=blocks,
            codec=codec,
            level=level,
            filters=filters,
            layout=layout,
        )
        return opened(_tessera._create(Array, place, params, None), place)

    def rename(self, name: str, new_name: str) -> None:
        """Give an array, or a group with all that is below it, another name in the group.

        FileExistsError: there is such an entry.
        """
        try:
            self._store._rename(self._full(name), self._full(new_name))
        except KeyError:
            raise KeyError(name) from None

    def link(self, target: str, name: str) -> None:
        """Make a link: another name in the group that leads to an array, by its name.

        When the array is renamed or removed, the link leads to what has its name then, or to
        nothing. FileExistsError: there is such an entry.

        >>> import tessera
        >>> with tessera.open_store("links.b2d", "x") as store:
        ...     store["2026/height"] = [10, 50]
        ...     store.link("2026/height", "height")
        ...     store["height"][...], store.target("height")
        (array([10, 50]), '/2026/height')
        """
        try:
            self._store._link(self._full(target), self._full(name))
        except KeyError:
            raise KeyError(target) from None

    def target(self, name: str) -> str:
        """Where a link leads, which need not be there any more: a name in the store."""
        try:
            return self._store._target(self._full(name))
        except KeyError:
            raise KeyError(name) from None

    def __repr__(self) -> str:
        if self._store.closed:
            return f"<tessera.Group {self.name!r} of a closed store>"
        entries = ", ".join(self) or "empty"
        return f"<tessera.Group {self.name!r} of {self._store.path!r}: {entries}>"


class Store(_tessera.Store, Group):
    """An open store, made by tessera.open_store(): its root group, with the commits.

    The end of a with block commits what was changed, and closes the store. If the block raises, the
    changes are forgotten; so are those of a store that is closed without commit().

    Any number of threads may read one store, and the arrays of one that is written. Calls on a
    store that is written wait until no other call runs on it or on its arrays. Arrays that were
    opened for reading stay open when the store is closed; others are closed with it, and by
    abort(): their calls then raise StaleError.

    >>> import tessera
    >>> with tessera.open_store("counts.b2d", "a") as store:
    ...     store["days"] = [1, 2, 3]
    >>> try:
    ...     with tessera.open_store("counts.b2d", "r+") as store:
    ...         store["days"][0] = 100
    ...         raise RuntimeError("this block fails")
    ... except RuntimeError:
    ...     store = tessera.open_store("counts.b2d")
    >>> store["days"][...], store.number
    (array([1, 2, 3]), 1)
    """

    def __init__(self, place: dict[str, Any], commit: str | None) -> None:
        self._place = place  # how it was opened
        self._name = "/"
        self._file = identity_of_store(place)

    @property
    def _store(self) -> Store:
        return self

    @property
    def _options(self) -> dict[str, Any]:
        """What arrays are made with."""
        names = ("threads", "cache", "checksums", "memory_limit")
        return {name: self._place[name] for name in names if name in self._place}

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None and self.writable and not self.closed:
                self.commit()
        finally:
            self.close()

    def commits(self) -> list[Commit]:
        """The commits that are kept, the newest last; open_store() takes a number or a name.

        Those without a name are the newest one, and others that are read, or that no writer has
        removed yet. The list is that of the directory now; of a zip file it is empty.

        >>> import tessera
        >>> with tessera.open_store("kept.b2d", "x") as store:
        ...     store["days"] = [31, 28, 31]
        ...     store.commit()
        ...     store.name_commit("common")
        ...     store["days"][1] = 29
        >>> tessera.open_store("kept.b2d").commits()
        [Commit(number=1, name='common'), Commit(number=2, name=None)]
        """
        return [Commit(*commit) for commit in self._commits()]

    def _opened(self, full: str) -> Array | Group:
        """An array, or a group, by its name in the store."""
        where = None if self.path is None else f"{self.path}{full}"
        array = self._array(Array, full, where)
        if array is None and not self._is_group(full):
            raise _tessera.KindError(f"{full} is a link to a group, not an array")
        if array is None:
            return self if full == "/" else Group(self, full)
        place = {**self._place, "store": self}
        array = opened(array, place)
        if not self.writable and self.path is not None:
            array._origin = Origin(_array_again, (self.__reduce__(), full), self._state)
        return array

    @property
    def _state(self) -> tuple[Any, ...]:
        """What tells the items of its arrays from others; (): nothing does."""
        is_file, *identity = self._file or (False,)
        number = self.number
        return (*identity, number) if is_file or (identity and number) else ()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.writable:
            raise TypeError(
                f"the store {self.path!r} is open for writing, and has one writer: it cannot be"
                " pickled, nor sent to other processes"
            )
        where = bytes(self._place["image"]) if self.path is None else self.path
        commit = str(self.number) if self.number else None
        return _reopened, (where, commit, options_of(self._place))

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else repr(self.path)
        if self.closed:
            return f"<tessera.Store {where}, closed>"
        writer = " open for writing" if self.writable else ""
        commit = f"commit {self.number}" if self.number else "no commits"
        return f"<tessera.Store {where}{writer}, {commit}: {', '.join(self) or 'empty'}>"


def _attempt(place: dict[str, Any], commit: str | None, path: Any) -> Store:
    where = place.get("path")
    if is_changed(place) and not os.path.lexists(str(where)):  # else it is no directory of arrays
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), where)
    try:
        return Store(place, commit)
    except ABOUT_FILES as error:
        if where is None:
            raise
        raise type(error)(f"{os.fspath(path)!r}: {error}") from None


def open_store(
    path: Path | bytes | bytearray | memoryview,
    mode: str = "r",
    *,
    commit: str | int | None = None,
    threads: int | None = None,
    cache: int | None = None,
    mmap: bool = False,
    checksums: Checksums = "write",
    durability: Durability = "ordered",
    memory_limit: int | None = None,
    wait: float = 0,
    lock_file: bool = False,
) -> Store:
    """Open a store: a directory, or a zip file of arrays, also at a URL, or the bytes of one.

    mode is "r" for reading, "r+" for reading and writing, "x" for a new store, or "a": "r+" if the
    store exists, else "x". Zip files are read only. commit is the name of a commit, or its number,
    that is read in place of the newest one. The other arguments are those of open(): durability is that
    of commits; wait is for a store that is open for writing elsewhere.

    >>> import tessera
    >>> with tessera.open_store("months.b2d", "x") as store:
    ...     store["days"] = [31, 28, 31]
    ...     store.commit()
    ...     store.name_commit("common")
    ...     store["days"][1] = 29
    >>> tessera.open_store("months.b2d")["days"][1]
    29
    >>> tessera.open_store("months.b2d", commit="common")["days"][1]
    28
    """
    options: dict[str, Any] = dict(
        threads=threads,
        cache=cache,
        mmap=mmap,
        checksums=checksums,
        durability=durability,
        memory_limit=memory_limit,
        wait=wait,
        lock_file=lock_file,
    )
    name = None if commit is None else str(commit)
    if isinstance(path, (bytes, bytearray, memoryview)):
        return _attempt({**to_open(None, mode, **options), "image": path}, name, None)
    if mode != "a":
        return _attempt(to_open_store(path, mode, **options), name, path)
    while True:
        try:
            return _attempt(to_open_store(path, "r+", **options), name, path)
        except FileNotFoundError:
            pass
        try:
            return _attempt(to_open_store(path, "x", **options), name, path)
        except FileExistsError:
            pass  # another program made it meanwhile


def _reopened(path: Union[str, bytes], commit: str | None, options: dict[str, Any]) -> Store:
    return open_store(path, commit=commit, **options)


def _array_again(store: tuple[Any, ...], name: str) -> Any:
    make, arguments = store
    return make(*arguments)[name]
