"""Dask: arrays and datasets written by threads, processes and a cluster of workers on loopback.

The cluster has a scheduler and two worker processes, which are killed while they write.
"""

import operator
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings
from concurrent.futures import CancelledError

import numpy as np
import tessera
from support import InFolder, same
from tessera.tasks import Job, aligned
from tessera.tasks import _encode_block as encode_block
from tessera.tasks import _place as place

try:
    import dask
    import dask.array as da
except ImportError:
    dask = None
try:
    import distributed
except ImportError:
    distributed = None
try:
    import xarray as xr
except ImportError:
    xr = None

TESS = os.environ.get("TESS_EXE")
NAMES = {"dask": dask, "distributed": distributed, "xarray": xr}


def needs(*names):
    gone = [name for name in names if NAMES[name] is None]
    return unittest.skipIf(gone, f"{' and '.join(gone)} missing")


def verify(path):
    if TESS:
        done = subprocess.run([TESS, "verify", path], capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)


def numbers(shape, chunks, dtype="f8"):
    """A Dask array and its items."""
    items = np.arange(np.prod(shape, dtype=int), dtype="i8").reshape(shape) % 10007
    return da.from_array(items.astype(dtype), chunks=chunks), items.astype(dtype)


def slow(block):
    time.sleep(0.02)
    return block + 1


def failing(block, block_info=None):
    if isinstance(block_info, dict) and block_info[0]["chunk-location"][0] == 3:
        raise ZeroDivisionError("a task fails")
    return block


def files():
    return sorted(os.listdir())


class Boundaries(unittest.TestCase):
    def test_behind_a_head(self):
        """The rest of the first chunk is a block of its own; all others are of whole chunks."""
        rng = np.random.default_rng(6)
        for _ in range(2000):
            sizes = tuple(int(n) for n in rng.integers(0, 20, rng.integers(1, 9)))
            chunk = int(rng.integers(2, 25))
            head = int(rng.integers(1, chunk))
            blocks = aligned(sizes, chunk, head)
            self.assertEqual(sum(blocks), sum(sizes))
            self.assertEqual(blocks[0], min(chunk - head, sum(sizes)))
            self.assertTrue(all(n % chunk == 0 for n in blocks[1:-1]), (sizes, chunk, head, blocks))

    def test_aligned(self):
        rng = np.random.default_rng(1)
        for _ in range(2000):
            sizes = tuple(int(n) for n in rng.integers(0, 20, rng.integers(1, 9)))
            chunk = int(rng.integers(1, 25))
            blocks = aligned(sizes, chunk)
            self.assertEqual(sum(blocks), sum(sizes))
            self.assertTrue(all(n > 0 for n in blocks) or blocks == (0,), (sizes, chunk, blocks))
            self.assertTrue(all(n % chunk == 0 for n in blocks[:-1]), (sizes, chunk, blocks))
            if all(n and n % chunk == 0 for n in sizes[:-1]) and sizes[-1]:
                self.assertEqual(blocks, sizes)


@needs("dask")
class Missing(unittest.TestCase):
    def test_all_kinds(self):
        """Each chunk of which all items are new, and that no task brought, is found."""
        for axis, first in ((0, 0), (0, 5), (1, 6), (2, 1), (2, 4)):
            shape = [9, 10, 7]
            shape[axis] -= first
            for lost in range(8):
                a = tessera.create(None, (9, 10, 7), "i4", chunks=(4, 3, 2))
                job = Job(a, da.ones(shape, dtype="i4", chunks=(4, 3, 2)), axis, first)
                tasks = list(job.tasks())
                lost = tasks[lost * (len(tasks) - 1) // 7]
                for task in tasks:
                    if task is not lost:
                        job.take(task.starts, encode_block(job.sketch, task.starts, task.whole,
                                                           task.block.compute(scheduler="sync")))
                number = np.ravel_multi_index([s // c for s, c in zip(lost.starts, (4, 3, 2))], (3, 4, 4))
                self.assertEqual(job.missing(), number if lost.whole else None)
                job.finish(False)


@needs("dask")
class Arrays(InFolder):
    def test_what_is_no_array(self):
        for call in (lambda: tessera.from_dask(np.ones(3), "a.b2nd"), lambda: tessera.to_dask(np.ones(3)),
                     lambda: tessera.to_tessera(np.ones(3), "ds"), lambda: tessera.to_tessera({}, "ds")):
            with self.assertRaisesRegex(TypeError, "is expected, not (ndarray|dict)"):
                call()
        self.assertEqual(files(), [])

    def test_schedulers(self):
        array, items = numbers((103, 57), (10, 57))
        for scheduler in ("threads", "sync", "processes"):
            with dask.config.set(scheduler=scheduler):
                a = tessera.from_dask(array, "a.b2nd", chunks=(7, 20), codec="zstd", mode="w")
            self.assertTrue(same(a[...], items), scheduler)
            self.assertEqual((a.chunks, a.layout.codec, a.writable), ((7, 20), "zstd", False))
            plain = tessera.asarray(items, chunks=(7, 20), codec="zstd")
            for n in range(15 * 3):
                self.assertEqual(a._chunk_get(n), plain._chunk_get(n))
        self.assertEqual(files(), ["a.b2nd"])

    def test_blocks(self):
        """Blocks of Dask of any sizes; chunks that are asked for, and those that are not."""
        for blocks in ((10, 10), ((1, 2, 97), (50, 7)), ((0, 100), (57, 0)), (100, 57), (1, 57)):
            array, items = numbers((100, 57), blocks, "i4")
            for chunks in (None, (10, 10), (64, 64), (100, 1)):
                a = tessera.from_dask(array, "a.b2nd", chunks=chunks, mode="w")
                self.assertTrue(same(a[...], items))
                self.assertEqual(a.chunks, chunks or a.chunks)
        a = tessera.from_dask(numbers((100, 57), (10, 20))[0], "a.b2nd", mode="w")
        self.assertEqual(a.chunks, (10, 20))
        for shape in ((), (0,), (3, 0), (0, 3)):
            array, items = numbers(shape, shape)
            a = tessera.from_dask(array, "a.b2nd", mode="w", sparse=True)
            self.assertTrue(same(a[...], items))
        for url in ("http://127.0.0.1/a.b2nd", "s3://bucket/a.b2nd"):
            with self.assertRaisesRegex(ValueError, "URL"):
                tessera.from_dask(array, url)
        unknown = da.arange(10, chunks=5)
        with self.assertRaisesRegex(ValueError, "compute_chunk_sizes"):
            tessera.from_dask(unknown[unknown > 3], "b.b2nd")
        self.assertEqual(files(), ["a.b2nd"])

    def test_failure(self):
        """A task that fails leaves what was there, and nothing else."""
        tessera.asarray([1, 2, 3], "a.b2nd")
        array = numbers((100, 10), (10, 10))[0].map_blocks(failing, dtype="f8")
        with self.assertRaises(ZeroDivisionError):
            tessera.from_dask(array, "a.b2nd", mode="w")
        with self.assertRaises(FileExistsError):
            tessera.from_dask(array, "a.b2nd")
        self.assertEqual(tessera.open("a.b2nd")[...].tolist(), [1, 2, 3])
        self.assertEqual(files(), ["a.b2nd"])

    def test_to_dask(self):
        items = np.random.default_rng(2).random((50, 40))
        with tessera.asarray(items, "a.b2nd", chunks=(10, 20)) as a:
            array = tessera.to_dask(a, chunks=(20, 20))  # of a file that is open for writing
            self.assertEqual((array.chunks, array.dtype), (((20, 20, 10), (20, 20)), a.dtype))
            for scheduler in ("threads", "processes"):
                np.testing.assert_allclose((array[5:, ::3] + 1).sum(axis=0).compute(scheduler=scheduler),
                                           (items[5:, ::3] + 1).sum(axis=0))
            np.testing.assert_array_equal(tessera.to_dask(a)[[3, 1], 2:5].compute(), items[[3, 1], 2:5])
        memory = tessera.asarray(items, chunks=(10, 20))
        for shape in ((0,), (0, 5), (3, 0), (0, 0), (2, 0, 4)):
            empty = tessera.to_dask(tessera.asarray(np.zeros(shape, "i2")))
            self.assertEqual((empty.shape, empty.dtype, empty.compute().shape), (shape, np.dtype("i2"), shape))
            self.assertEqual(tessera.to_dask(tessera.create(None, shape, "i2"), chunks=shape).shape, shape)
        for a in (memory, memory.view[::2].T):
            np.testing.assert_array_equal(tessera.to_dask(a).compute(scheduler="processes"), a[...])

    def test_operands(self):
        """Arrays of ours and of Dask in one expression are ones of Dask."""
        items = np.arange(20).reshape(4, 5) % 7
        a, d, n = tessera.asarray(items), da.from_array(items.T.copy(), chunks=2).T, items[::-1].copy()
        for function in (operator.add, operator.sub, operator.eq, operator.lt, operator.ge, np.hypot,
                         np.not_equal):
            for result, want in ((function(a, d), function(items, items)),
                                 (function(d, a), function(items, items)),
                                 (function(da.from_array(a), n), function(items, n)),
                                 (function(n, da.from_array(a, chunks=3)), function(n, items))):
                self.assertIsInstance(result, da.Array)
                np.testing.assert_array_equal(result.compute(), want)
        self.assertEqual(da.from_array(a).name, da.from_array(tessera.asarray(items)).name)
        self.assertNotEqual(da.from_array(a).name, da.from_array(tessera.asarray(items + 1)).name)
        lazy = da.asarray(a)
        np.testing.assert_array_equal(lazy[1:, ::-2].map_blocks(lambda block: block * 2), items[1:, ::-2] * 2)
        np.testing.assert_array_equal(lazy[lazy > a.view[:1]], items[items > items[:1]])
        da.store(d + 1, a, lock=False)  # in threads, any array is stored into
        np.testing.assert_array_equal(a[...], items + 1)

    @needs("xarray")
    def test_dataset(self):
        array, items = numbers((40, 30), (7, 30), "f4")
        ds = xr.Dataset({"a": (("y", "x"), array), "b": (("y", "x"), array * 2 + 1),
                         "s": ("y", da.from_array(np.array(["x" * i for i in range(40)]), chunks=9)),
                         "o": ("x", da.from_array(np.array(["y" * i for i in range(30)], object), chunks=9))},
                        coords={"x": np.arange(30)})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", xr.SerializationWarning)  # objects are loaded
            tessera.to_tessera(ds, "ds", encoding={"b": {
                "dtype": "i2", "scale_factor": 2.0, "_FillValue": -1, "chunks": (16, 16), "sparse": True}})
        with xr.open_dataset("ds", engine="tessera") as found:
            xr.testing.assert_equal(found.load().drop_vars("b"), ds.compute().drop_vars("b"))
            np.testing.assert_allclose(found.b, items * 2 + 1, atol=1)
            self.assertEqual(found.a.encoding["chunks"], (7, 30))
        broken = ds.assign(c=(("y", "x"), array.map_blocks(failing, dtype="f4")))
        with self.assertRaises(ZeroDivisionError):
            tessera.to_tessera(broken[["a", "c"]], "ds", mode="w")
        with xr.open_dataset("ds", engine="tessera") as found:
            self.assertIn("b", found)
        self.assertEqual(files(), ["ds"])


@needs("dask", "distributed")
class Cluster(InFolder):
    @classmethod
    def setUpClass(cls):
        # A cluster gives up a worker that is not back 15 s after it was lost, even if it was lost twice.
        dask.config.set({"distributed.worker.daemon": False, "distributed.comm.timeouts.connect": "30s",
                         "distributed.deploy.lost-worker-timeout": "600s"})
        cls.cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, processes=True, host="127.0.0.1", dashboard_address=None,
            memory_limit=0, silence_logs=50)
        cls.client = distributed.Client(cls.cluster)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()

    def pids(self):
        return list(self.client.run(os.getpid).values())

    def test_workers_are_other_processes(self):
        pids = self.pids()
        self.assertEqual(len(set(pids)), 2)
        self.assertNotIn(os.getpid(), pids)

    def test_store_into_an_array(self):
        """Workers cannot write an array that this process writes: refused at once, and none is lost."""
        pids = self.pids()
        with tessera.create("a.b2nd", 40, "i4", chunks=10) as a:
            with warnings.catch_warnings(), self.assertRaises((TypeError, CancelledError)), \
                    self.assertLogs("distributed", "ERROR") as logs:
                warnings.simplefilter("ignore")
                da.store(da.ones(40, chunks=10), a)
            self.assertIn("open for writing", "".join(logs.output))  # these have no other words
            with self.assertRaisesRegex(TypeError, r"from_dask\(\)"):
                self.client.submit(len, a).result(30)
        self.assertEqual(self.pids(), pids)
        self.assertEqual(self.client.submit(len, tessera.open("a.b2nd")).result(30), 40)

    @needs("xarray")
    def test_mean(self):
        items = np.random.default_rng(3).normal(5, 2, (200, 60, 50)).astype("f4")
        tessera.to_tessera(xr.Dataset({"v": (("t", "y", "x"), items)}), "ds",
                           encoding={"v": {"chunks": (20, 60, 50)}})
        with xr.open_dataset("ds", engine="tessera", chunks={}) as ds:
            self.assertEqual(len(ds.v.data.chunks[0]), 10)
            np.testing.assert_allclose(float(ds.v.mean()), items.mean(dtype="f8"), rtol=1e-6)
            np.testing.assert_allclose(ds.v.mean("t"), items.mean(0), rtol=1e-5)
            np.testing.assert_array_equal(ds.v[7:9, ::-1].compute(), items[7:9, ::-1])

    def write(self, shared, **more):
        array, items = numbers((1000, 40), (10, 40), "i4")
        a = tessera.from_dask(array + 1, "a.b2nd", chunks=(10, 4), mode="w", shared=shared, **more)
        self.assertTrue(same(a[...], items + 1))
        self.assertEqual(a._info()["nchunks"], 1000)
        verify("a.b2nd")
        self.assertEqual(files(), ["a.b2nd"])

    def test_thousand_chunks(self):
        self.write(False)

    def test_thousand_chunks_in_leases_of_a_file(self):
        self.write(True)

    def test_thousand_chunks_in_leases_of_a_directory(self):
        self.write(True, sparse=True)
        self.assertEqual(len([f for f in os.listdir("a.b2nd") if f.endswith(".chunk")]), 1000)

    def test_chunks_of_one_value(self):
        a = tessera.from_dask(da.zeros((100, 40), chunks=(10, 40)), "a.b2nd", shared=True)
        self.assertEqual((a.shape, float(a.sum())), ((100, 40), 0.0))

    def killed(self, shared):
        """Both workers are killed, one after the other, while they write."""
        array, items = numbers((200, 40), (1, 40), "i4")
        found = []

        def write():
            found.append(tessera.from_dask(array.map_blocks(slow, dtype="i4"), "a.b2nd", shared=shared))

        writer = threading.Thread(target=write)
        pids = self.pids()
        writer.start()
        while not any(name.endswith(".b2nd") for name in files()):
            time.sleep(0.01)
        for pid in pids:
            time.sleep(0.4)
            os.kill(pid, signal.SIGKILL)
            self.assertTrue(writer.is_alive(), "all was written before")
        writer.join()
        self.assertTrue(found, "the writer failed")
        self.assertTrue(same(found[0][...], items + 1))
        verify("a.b2nd")
        self.assertEqual(files(), ["a.b2nd"])
        self.client.wait_for_workers(2)
        self.assertFalse(set(pids) & set(self.pids()))

    def test_killed_workers(self):
        self.killed(False)

    def test_killed_workers_with_leases(self):
        self.killed(True)

    def test_failure(self):
        array = numbers((100, 10), (10, 10))[0].map_blocks(failing, dtype="f8")
        for shared in (False, True):
            with self.assertRaises(ZeroDivisionError):
                tessera.from_dask(array, "a.b2nd", shared=shared)
            self.assertEqual(files(), [])

    def test_packets_that_grow(self):
        """A packet that is larger than its lease, as a task ran again with another result, is sent."""
        a = tessera.create(os.path.abspath("a.b2nd"), (1000,), "f8")
        packet = tessera.encode(a.sketch(), ..., np.random.default_rng(4).random(1000))
        with a.adopt() as adoption:
            lease = adoption.lease(packet.cbytes)
            self.assertEqual(place(packet, a.path, lease).kind, "extents")
            self.assertIs(place(packet, a.path, lease._replace(size=lease.size - 1)), packet)

    def test_a_path_that_workers_do_not_reach(self):
        """What is said to be shared, and is not, is an error in words."""
        array = numbers((100, 10), (10, 10))[0]
        self.client.run(os.chdir, "/")
        tessera.from_dask(array, "a.b2nd", shared=True)  # paths are sent in full
        packet = tessera.encode(tessera.create(None, (2,), "i4", chunks=(1,)).sketch(), ..., [1, 2])
        future = self.client.submit(tessera.Packet.place, packet, "/nowhere/a.b2nd", tessera.Lease(0, 9999))
        with self.assertRaises(FileNotFoundError):
            future.result()
        self.assertEqual(pickle.loads(pickle.dumps(packet)), packet)

    @needs("xarray")
    def test_dataset(self):
        array, items = numbers((60, 40), (6, 40), "f4")
        ds = xr.Dataset({"a": (("y", "x"), array), "b": (("y", "x"), array.T.rechunk((9, 9)).T),
                         "c": ("x", np.arange(40))}, attrs={"title": "x"})
        for shared in (False, True):
            ds.tessera.to_tessera("ds", mode="w", shared=shared, encoding={"a": {"chunks": (4, 16)}})
            with xr.open_dataset("ds", engine="tessera", chunks={}) as found:
                xr.testing.assert_identical(found.compute(), ds.compute())

    def append(self, shared, work, a_blocks=(7, 40), b_blocks=(9, 5)):
        """Along any axis."""
        items = numbers((60, 40), (60, 40), "f4")[1]
        ds = xr.Dataset({"a": (("y", "x"), work(da.from_array(items, chunks=a_blocks))),
                         "b": (("x", "y"), work(da.from_array(items.T, chunks=b_blocks))),
                         "one": ("y", da.ones(60, chunks=a_blocks[0])), "c": ("x", np.arange(40))})
        wanted = xr.Dataset({"a": (("y", "x"), items + 1), "b": (("x", "y"), items.T + 1),
                             "one": ("y", np.ones(60)), "c": ("x", np.arange(40))})
        tessera.to_tessera(ds.isel(y=slice(13)), "ds", mode="w", encoding={
            "a": {"chunks": (5, 16)}, "b": {"chunks": (11, 8), "sparse": True}, "one": {"chunks": (5,)}})
        for start, stop in ((13, 14), (14, 60)):
            tessera.to_tessera(ds.isel(y=slice(start, stop)), "ds", append_dim="y", shared=shared)
        with xr.open_dataset("ds", engine="tessera") as found:
            xr.testing.assert_identical(found.load(), wanted)
        for name in ("a", "b", "one"):
            verify(f"ds/{name}.b2nd")

    @needs("xarray")
    def test_append(self):
        """In blocks that begin inside of chunks."""
        self.append(False, lambda a: a + 1)

    @needs("xarray")
    def test_append_in_leases(self):
        self.append(True, lambda a: a + 1)

    @needs("xarray")
    def test_append_that_fails(self):
        array, items = numbers((60, 40), (6, 40), "f4")
        ds = xr.Dataset({"a": (("y", "x"), array), "b": (("y", "x"), array)})
        tessera.to_tessera(ds.isel(y=slice(5)), "ds", encoding={"a": {"chunks": (4, 40)}})
        broken = ds.assign(b=(("y", "x"), array.map_blocks(failing, dtype="f4"))).isel(y=slice(5, None))
        for shared in (False, True):
            with self.assertRaises(ZeroDivisionError):
                tessera.to_tessera(broken, "ds", append_dim="y", shared=shared)
            for name in ("a", "b"):
                self.assertTrue(same(tessera.open(f"ds/{name}.b2nd")[...], items[:5]))
                verify(f"ds/{name}.b2nd")
        tessera.to_tessera(ds.isel(y=slice(5, None)), "ds", append_dim="y", shared=True)
        self.assertTrue(same(tessera.open("ds/b.b2nd")[...], items))

    @needs("xarray")
    def test_append_with_a_killed_worker(self):
        """In blocks that end where chunks do, which no task has to cut or to join: the scheduler of
        distributed 2022.12 can wait for ever for a part that only the killed worker had."""
        a_blocks = ((13, 1, 1, *[5] * 9), 40)
        b_blocks = ((11, 11, 11, 7), (13, 1, 2, *[8] * 5, 4))
        for shared in (False, True):
            killer = threading.Timer(0.3, os.kill, (self.pids()[0], signal.SIGKILL))
            killer.start()
            self.append(shared, lambda a: a.map_blocks(slow, dtype="f4"), a_blocks, b_blocks)
            self.assertFalse(killer.is_alive(), "all was written before")
            self.client.wait_for_workers(2)


if __name__ == "__main__":
    print("left out:", ", ".join(f"{name} is missing" for name, x in NAMES.items() if x is None) or "nothing")
    if xr is not None:
        import tessera.xarray_backend
    unittest.main()
