"""Compressed N-dimensional arrays in files, in memory and at URLs, in the Blosc2 format.

>>> import numpy as np
>>> import tessera
>>> with tessera.create("winds.b2nd", shape=(100, 200), dtype="f4", codec="zstd") as a:
...     a[...] = np.arange(200)
...     a.attrs["units"] = "m/s"
>>> a = tessera.open("winds.b2nd")
>>> a[3, 10:13]
array([10., 11., 12.], dtype=float32)
>>> a.attrs["units"]
'm/s'

An Array is indexed as one of NumPy. Each index reads the items that it selects, in parallel, and
without the GIL; any number of threads may read and write one array.

create(), open() and asarray() return an Array. open_store() opens a Store: a directory or zip file
of many arrays, with commits. to_tessera() writes datasets of xarray, and
xarray.open_dataset(path, engine="tessera") opens them. from_dask() and to_dask() are for arrays of
Dask. Packets and adoptions are for processes that write one array together.
"""

from tessera._tessera import (
    ArgumentError,
    CancelledError,
    CorruptError,
    Error,
    Ext,
    FormatError,
    KindError,
    LimitError,
    Opaque,
    StaleError,
    UnsupportedError,
    version as __version__,
)
from tessera.array import Array
from tessera.attributes import Attributes
from tessera.cluster import from_dask, to_dask
from tessera.datasets import to_tessera
from tessera.encoding import encode
from tessera.layouts import Layout, layout
from tessera.opening import asarray, create, open
from tessera.packets import Adoption, Lease, Packet
from tessera.stores import Commit, Entry, Group, Store, open_store

__all__ = [
    "Adoption",
    "ArgumentError",
    "Array",
    "Attributes",
    "CancelledError",
    "Commit",
    "CorruptError",
    "Entry",
    "Error",
    "Ext",
    "FormatError",
    "Group",
    "KindError",
    "Layout",
    "Lease",
    "LimitError",
    "Opaque",
    "Packet",
    "StaleError",
    "Store",
    "UnsupportedError",
    "__version__",
    "asarray",
    "create",
    "encode",
    "from_dask",
    "layout",
    "open",
    "open_store",
    "to_dask",
    "to_tessera",
]
