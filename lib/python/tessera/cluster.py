"""Arrays of Dask as files, and arrays as those of Dask.

Dask is imported when it is needed.
"""

from __future__ import annotations

from typing import Any

from tessera.array import Array
from tessera.layouts import Filters, Layout, Method, Shape
from tessera.opening import create, open
from tessera.places import Path
from tessera.publish import published
from tessera.tasks import Job, chunks_of, finish_all, is_dask


def from_dask(
    array: Any,
    path: Path,
    *,
    chunks: Shape | None = None,
    blocks: Shape | None = None,
    codec: Method | None = None,
    level: int | None = None,
    filters: Filters | None = None,
    layout: Layout | None = None,
    fill_value: Any = None,
    sparse: bool = False,
    mode: str = "x",
    shared: bool = False,
) -> Array:
    """Compute a Dask array into a file, in parallel, and open it for reading.

    The scheduler is that of dask.compute(): threads, or the workers of distributed where there is a
    client. chunks are the blocks of the array if these are alike and not large, and else chosen;
    blocks of Dask that cut chunks are moved to boundaries of chunks. mode is "x" or "w"; the file
    appears when it is complete.

    shared: workers reach the path. Then they write chunks to it themselves, and only their places
    are sent.

    >>> import dask.array as da
    >>> import tessera
    >>> a = tessera.from_dask(da.arange(1000, chunks=100), "numbers.b2nd")
    >>> a.chunks, a[500]
    ((100,), 500)
    """
    options: dict[str, Any] = {
        "chunks": chunks,
        "blocks": blocks,
        "codec": codec,
        "level": level,
        "filters": filters,
        "layout": layout,
        "fill_value": fill_value,
        "sparse": sparse,
    }
    if not is_dask(array):
        raise TypeError(f"a Dask array is expected, not {type(array).__name__}")
    if chunks is None and layout is None:
        options["chunks"] = chunks_of(array)
    with published(path, mode) as part:
        out = create(part, array.shape, array.dtype, explicit_commits=True, **options)
        job = Job(out, array)
        finish_all([job], shared)
    return open(path)


def to_dask(a: Array, *, chunks: Any = "auto") -> Any:
    """An array as one of Dask, read block by block when it is computed.

    chunks as dask.array.from_array() takes them; "auto" are several whole chunks of the array. Its
    file is opened again, for reading, by each worker. Where an axis is empty, so is the one block:
    from_array() itself divides by its length unless it is given chunks.

    >>> import tessera
    >>> a = tessera.asarray(range(10))
    >>> int(tessera.to_dask(a).sum().compute())
    45
    """
    if not isinstance(a, Array):
        raise TypeError(f"a tessera.Array is expected, not {type(a).__name__}")
    return a._as_dask(chunks)
