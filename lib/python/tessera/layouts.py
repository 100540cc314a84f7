"""Layouts: chunks, blocks, codec and filters, and the search for good ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from tessera import _tessera

# One number is the shape of what has one axis.
Shape = Union[int, Sequence[int]]
# A name, or a name and the number that is its parameter.
Method = Union[str, tuple[str, int]]
# One filter, or several in the order in which they are applied.
Filters = Union[Method, Iterable[Method]]

# As TESS_KEEP_ in layout.h.
_KEEP = {"chunks": 1, "blocks": 2, "codec": 4, "level": 8, "filters": 16}


@dataclass(frozen=True)
class Layout:
    """Chunks, blocks, codec and filters: the argument layout of tessera.create() and others.

    seconds is the time of the accesses in this layout, as predicted or measured by layout(); else 0.
    """

    chunks: tuple[int, ...]
    blocks: tuple[int, ...]
    codec: str
    codec_meta: int
    level: int
    filters: tuple[tuple[str, int], ...]
    split: int
    dictionary: bool
    seconds: float = 0.0

    def _params(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "seconds"}


def _pair(method: Any) -> tuple[str, int]:
    name, meta = (method, 0) if isinstance(method, str) else method
    return name, meta


def _listed(filters: Any) -> Any:
    """A name, or a name and a number, is a list of one."""
    one = isinstance(filters, tuple) and len(filters) == 2 and isinstance(filters[1], int)
    return [filters] if one or isinstance(filters, str) else filters


def methods(
    *,
    chunks: Shape | None = None,
    blocks: Shape | None = None,
    codec: Method | None = None,
    level: int | None = None,
    filters: Filters | None = None,
    layout: Layout | None = None,
) -> dict[str, Any]:
    """What the library calls parameters, without those that are not given."""
    params = layout._params() if layout is not None else {}
    if chunks is not None:
        params["chunks"] = chunks
        params.pop("blocks", None)
    if blocks is not None:
        params["blocks"] = blocks
    if codec is not None:
        params["codec"], params["codec_meta"] = (codec, 0) if isinstance(codec, str) else codec
    if level is not None:
        params["level"] = level
    if filters is not None:
        params["filters"] = tuple(map(_pair, _listed(filters)))
    return params


def layout(
    array: _tessera.Array | Shape,
    dtype: npt.DTypeLike | None = None,
    accesses: str | None = None,
    *,
    budget: float | None = None,
    chunks: Shape | None = None,
    blocks: Shape | None = None,
    codec: Method | None = None,
    level: int | None = None,
    filters: Filters | None = None,
) -> Layout:
    """Find the layout in which accesses to an array take the least time.

    accesses is a list such as "plane:0*10,row,point*100" of full, plane:K, line:K, row, point,
    box:AxB, update:AxB, append:K and write, where K is an axis, and "*" precedes a weight. None:
    reads of all kinds.

    For a shape and dtype, or an array without a budget, a model predicts the best chunks and blocks.
    With a budget in seconds, layouts are measured on a sample of the array, and codec, level and
    filters are searched, too. Arguments that are given are kept.

    >>> import tessera
    >>> found = tessera.layout((1000, 1000, 1000), "f4", "plane:0")
    >>> found.chunks[0] < found.chunks[1]
    True
    >>> with tessera.create(None, (1000, 1000, 1000), "f4", layout=found) as a:
    ...     a.chunks == found.chunks
    True
    """
    given = methods(chunks=chunks, blocks=blocks, codec=codec, level=level, filters=filters)
    keep = sum(bit for name, bit in _KEEP.items() if name in given)
    if isinstance(array, _tessera.Array):
        if budget is not None:
            return Layout(**_tessera._search(array, given, accesses, keep, budget))
        shape: Shape = array.shape
        dtype = array.dtype
    else:
        shape = array
        if budget is not None:
            raise ValueError("budget needs an array: without items, nothing can be measured")
    params = {"shape": shape, "dtype": dtype, **given}
    return Layout(**_tessera._propose(params, accesses, keep))


def _with_size(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """The type of the items of a new array, which has a size."""
    kind = np.dtype(dtype)
    if kind.kind in "SUV" and kind.itemsize == 0:
        raise ValueError(
            f"dtype {kind.str!r} has items of 0 bytes: give their length, such as"
            f" '{kind.kind}10', or use tessera.asarray(items), which takes that of the longest one"
        )
    if kind.kind in "OT":
        raise TypeError(
            f"items of type {kind} have no size of their own and cannot be stored: strings have a"
            " type such as 'U10', or 'S10' for their bytes"
        )
    return kind


def described(shape: Shape, dtype: npt.DTypeLike, fill_value: Any, **layout: Any) -> dict[str, Any]:
    """The parameters of a new array; layout has arguments of create()."""
    params = methods(**layout)
    kind = _with_size(dtype)
    params.update(shape=shape, dtype=kind)
    if fill_value is not None and not kind.hasobject:
        fill = np.asarray(fill_value, dtype=kind)
        if fill.size != 1:
            raise ValueError(f"fill_value has {fill.size} items, expected 1")
        params["fill"] = fill.tobytes()
    return params
