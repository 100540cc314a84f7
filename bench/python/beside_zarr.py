#!/usr/bin/env python3
"""Writes and reads of one array, beside zarr with the same codec, shuffle and chunks; CSV.

    PYTHONPATH=build/release/lib/python beside_zarr.py

Medians of 5 in milliseconds, of both in turn: all items, a plane across chunks, and 1,000 boxes of
8 x 8 x 8 items; then a dataset of xarray, from memory, by the threads of Dask, and by two worker
processes of distributed, which read an array and write another one.
"""

import os
import statistics
import tempfile
import time

import dask.array
import distributed
import numcodecs
import numpy as np
import tessera
import xarray as xr
import zarr

SHAPE, CHUNKS, SEED, ROUNDS = (256, 512, 512), (32, 128, 128), 0, 5
OURS = {"chunks": CHUNKS, "codec": "lz4", "level": 5, "filters": ["shuffle"]}
THEIRS = {"chunks": CHUNKS, "compressor": numcodecs.Blosc("lz4", 5, numcodecs.Blosc.SHUFFLE)}


def smooth(rng):
    """A field as of a model: waves, and noise of two decimals."""
    z, y, x = np.meshgrid(*[np.linspace(0, 9, n) for n in SHAPE], indexing="ij", sparse=True)
    noise = rng.normal(0, 0.1, SHAPE).round(2)
    return (280 + 10 * np.sin(z) * np.cos(y) + np.sin(5 * x) + noise).astype("f4")


def boxes(rng):
    for corner in rng.integers(0, np.array(SHAPE) - 8, (1000, 3)):
        yield tuple(slice(int(i), int(i) + 8) for i in corner)


def write_ours(items):
    with tessera.create("ours.b2nd", SHAPE, "f4", mode="w", **OURS) as a:
        a[...] = items


def write_theirs(items):
    zarr.open("theirs.zarr", "w", shape=SHAPE, dtype="f4", **THEIRS)[...] = items


def read(a, indices):
    for index in indices:
        a[index]


def read_ours(indices):
    read(tessera.open("ours.b2nd"), indices)


def read_theirs(indices):
    read(zarr.open("theirs.zarr", "r"), indices)


def cases(items):
    some = list(boxes(np.random.default_rng(SEED + 1)))
    yield "write", lambda: write_ours(items), lambda: write_theirs(items)
    for name, indices in (("read", [...]), ("plane", [np.s_[:, 200]]), ("boxes", some)):
        yield name, lambda i=indices: read_ours(i), lambda i=indices: read_theirs(i)
    blocks = dask.array.from_array(items, chunks=(CHUNKS[0], *SHAPE[1:]))
    for name, data in (("xarray write", items), ("dask write", blocks)):
        ds = xr.Dataset({"v": (("z", "y", "x"), data)})
        yield (name, lambda d=ds: tessera.to_tessera(d, "ours", mode="w", encoding={"v": OURS}),
               lambda d=ds: d.to_zarr("theirs", mode="w", encoding={"v": THEIRS}))
    yield ("xarray read", lambda: xr.open_dataset("ours", engine="tessera").v.load(),
           lambda: xr.open_dataset("theirs", engine="zarr").v.load())
    yield ("dask mean", lambda: xr.open_dataset("ours", engine="tessera", chunks={}).v.mean().load(),
           lambda: xr.open_dataset("theirs", engine="zarr", chunks={}).v.mean().load())


def change_ours(shared):
    with xr.open_dataset("ours", engine="tessera", chunks={}) as ds:
        tessera.to_tessera(ds + 1, "more", mode="w", encoding={"v": OURS}, shared=shared)


def change_theirs():
    with xr.open_dataset("theirs", engine="zarr", chunks={}) as ds:
        (ds + 1).to_zarr("more.zarr", mode="w", encoding={"v": THEIRS})


def cluster_cases():
    yield "cluster change", lambda: change_ours(False), change_theirs
    yield "cluster change shared", lambda: change_ours(True), change_theirs
    yield ("cluster mean", lambda: xr.open_dataset("ours", engine="tessera", chunks={}).v.mean().load(),
           lambda: xr.open_dataset("theirs", engine="zarr", chunks={}).v.mean().load())


def milliseconds(function):
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1e3


def compare(some_cases):
    for name, ours, theirs in some_cases:
        pairs = [(milliseconds(ours), milliseconds(theirs)) for _ in range(ROUNDS + 1)][1:]
        medians = [statistics.median(times) for times in zip(*pairs)]
        print("{},{:.1f},{:.1f}".format(name, *medians), flush=True)


def main():
    items = smooth(np.random.default_rng(SEED))
    print(f"what,tessera_{tessera.__version__}_ms,zarr_{zarr.__version__}_ms")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        compare(cases(items))
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster, distributed.Client(cluster):
            compare(cluster_cases())
        os.chdir("/")


if __name__ == "__main__":
    main()
