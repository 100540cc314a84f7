"""The attributes of an array, or of a group of a store, as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any, Protocol

import numpy as np

from tessera import _tessera


def _plain(value: Any) -> Any:
    """A value for an attribute, of the types of Python only; a copy of all lists and dicts."""
    if isinstance(value, (_tessera.Ext, _tessera.Opaque)):
        return value
    if isinstance(value, (np.generic, np.ndarray)):
        plain = value.tolist()  # a number of NumPy that Python lacks stays what it is
        return value if isinstance(plain, np.generic) else _plain(plain)
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


class Holder(Protocol):
    """What has attributes: an array, or a group of a store."""

    def _attr_get(self, name: str, /) -> Any: ...

    def _attr_set(self, name: str, value: Any, /) -> None: ...

    def _attr_delete(self, name: str, /) -> None: ...

    def _attr_names(self) -> list[str]: ...


class Attributes(MutableMapping[str, Any]):
    """The attributes of an array or group: None, bool, int, float, str, bytes, and lists and dicts of them.

    Scalars and arrays of NumPy become numbers and lists. A list that is changed does not change the
    attribute: set it again.

    >>> import tessera
    >>> a = tessera.create(None, 3, "i4")
    >>> a.attrs["scale"] = 0.01
    >>> a.attrs.update(units="K", range=[200, 300])
    >>> dict(a.attrs)
    {'scale': 0.01, 'units': 'K', 'range': [200, 300]}
    """

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def __getitem__(self, name: str) -> Any:
        return self._holder._attr_get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._holder._attr_set(name, _plain(value))

    def __delitem__(self, name: str) -> None:
        self._holder._attr_delete(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._holder._attr_names())

    def __len__(self) -> int:
        return len(self._holder._attr_names())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self)!r})"
