"""What workers do: encode() makes packets of chunks."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tessera.array import Array
from tessera.opening import open
from tessera.packets import Packet

# A box of an array: a slice without a step for each axis, as in brackets.
Box = Any


@functools.lru_cache(maxsize=16)
def _opened(sketch: bytes, threads: int | None) -> Array:
    return open(sketch, "r+", threads=threads)


# A fork during a call of another thread may leave an array in any state.
os.register_at_fork(after_in_child=_opened.cache_clear)


def _range(part: slice, length: int) -> tuple[int, int]:
    start, stop, step = part.indices(length)
    if step != 1:
        raise ValueError(f"{part} has step {step}, expected 1 in a box")
    return start, max(start, stop)


def _bounds(box: Box, shape: Sequence[int]) -> list[tuple[int, int]]:
    """Start and stop of a box along each axis."""
    parts = list(box) if isinstance(box, tuple) else [box]
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    rest = [slice(None)] * (len(shape) - len(parts) + (at < len(parts)))
    parts[at : at + 1] = rest
    if len(parts) != len(shape) or not all(isinstance(part, slice) for part in parts):
        raise IndexError(f"a box is up to {len(shape)} slices and '...', not {box!r}")
    return [_range(part, length) for part, length in zip(parts, shape)]


def encode(
    sketch: bytes | Array, box: Box, items: npt.ArrayLike, *, threads: int | None = None
) -> Packet:
    """Encode the chunks of a box into a packet.

    sketch is what Array.sketch() returned. box is one or several slices without steps, of whole
    chunks: each starts at a chunk, and stops at one or at the end of the axis. items are cast as in
    an assignment, and broadcast to the box. Any number of threads and processes may encode; the
    chunks equal those of an assignment. threads as in open().
    """
    array = sketch if isinstance(sketch, Array) else _opened(bytes(sketch), threads)
    bounds = _bounds(box, array.shape)
    shape = tuple(stop - start for start, stop in bounds)
    values = np.asarray(items) if hasattr(items, "dtype") else np.asarray(items, dtype=array.dtype)
    values = values.astype(array.dtype, casting="same_kind", copy=False)
    try:
        values = np.broadcast_to(values, shape)
    except ValueError:
        raise ValueError(
            f"could not broadcast items of shape {values.shape} into a box of shape {shape}"
        ) from None
    start, stop = [b[0] for b in bounds], [b[1] for b in bounds]
    return Packet(array._encode(start, stop, values))
