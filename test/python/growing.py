"""Datasets of xarray that grow: along a dimension, and by variables.

Each result is compared with the dataset that is written as a whole. Programs are killed at many
points of an append, and the folder is then what it was or what it was to become.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest
import unittest.mock
import warnings

import numpy as np
import tessera
from support import InFolder, long_run, same

try:
    import pandas as pd
    import xarray as xr
except ImportError:
    xr = None
try:
    import dask
    import dask.array as da
except ImportError:
    da = None

if xr is not None:
    from tessera import xarray_backend
    from tessera.folders import groups

TESS = os.environ.get("TESS_EXE")
# Where files are changed: programs are killed at their calls.
CHANGING = tuple(os.path.join(os.path.dirname(tessera.__file__), name) for name in (
    "folders/addition.py", "folders/attributes.py", "folders/containers.py", "folders/groups.py",
    "folders/growth.py", "folders/variables.py", "publish.py"))


def opened(path, **more):
    return xr.open_dataset(path, engine="tessera", **more)


def loaded(path, **more):
    with opened(path, **more) as found:
        return found.load()


def sample(n=30):
    """A dataset whose variables have `time` as any axis, or not at all."""
    rng = np.random.default_rng(1)
    return xr.Dataset(
        {
            "t": (("time", "y", "x"), rng.normal(280, 10, (n, 8, 11)).astype("f4"), {"units": "K"}),
            "last": (("y", "time"), rng.integers(-9, 9, (8, n)).astype("i2")),
            "middle": (("y", "time", "x"), rng.random((8, n, 11))),
            "wet": ("time", rng.random(n) < 0.5),
            "wave": ("time", (rng.random(n) + 1j).astype("c8")),
            "name": ("time", np.array([f"{i:02}é" for i in range(n)])),
            "code": ("time", np.array([b"%02d" % i for i in range(n)])),
            "delay": ("time", pd.to_timedelta(np.arange(n), "h")),
            "height": (("y", "x"), rng.random((8, 11))),
        },
        coords={
            "time": pd.date_range("2001-01-01", periods=n, freq="6h"),
            "y": np.linspace(60, 50, 8),
            "x": np.arange(11),
        },
        attrs={"title": "a sample", "version": np.int16(1)},
    )


ENCODING = {
    "t": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32768,
          "chunks": (7, 3, 11), "codec": "zstd"},
    "last": {"chunks": (5, 4), "sparse": True},
    "middle": {"chunks": (8, 6, 5)},
    "time": {"units": "hours since 2000-01-01", "dtype": "i4", "chunks": (4,)},
    "delay": {"units": "hours", "dtype": "i8"},
}


def contents(folder):
    """The bytes of all files."""
    return {str(path): path.read_bytes() for path in pathlib.Path(folder).rglob("*") if path.is_file()}


def verify(folder):
    """All arrays, by one process: its start costs more than they do."""
    arrays = sorted(pathlib.Path(folder).glob("*.b2nd"))
    done = subprocess.run([TESS, "verify", *arrays], capture_output=True, text=True)
    if done.returncode or len(done.stdout.splitlines()) != len(arrays):
        raise AssertionError(done.stdout + done.stderr)


def failing(block, block_info=None):
    if isinstance(block_info, dict) and block_info[0]["chunk-location"][0] == 2:
        raise ZeroDivisionError("a task fails")
    return block


def killed_at(number, action):
    """Run in a child, which is killed at a call of that number in CHANGING; the calls it made."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        count = 0

        def step(frame, event, argument):
            nonlocal count
            if event in ("call", "c_call") and frame.f_code.co_filename in CHANGING:
                count += 1
                if count == number:
                    os.kill(os.getpid(), signal.SIGKILL)

        status = 1
        try:
            sys.setprofile(step)
            action()
            sys.setprofile(None)
            os.write(write, str(count).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with open(read, "rb") as pipe:
        calls = pipe.read()
    _, status = os.waitpid(pid, 0)
    if not (os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0):
        raise AssertionError("the child failed")
    return int(calls) if calls else None


@unittest.skipUnless(xr, "xarray is missing")
class Appends(InFolder):
    def setUp(self):
        super().setUp()
        self.ds = sample()
        tessera.to_tessera(self.ds, "whole", encoding=ENCODING)
        self.start(17)

    def start(self, n):
        tessera.to_tessera(self.ds.isel(time=slice(n)), "ds", encoding=ENCODING, mode="w")

    def complete(self, folder="ds"):
        """All items are those of the dataset written as a whole, as they are stored."""
        xr.testing.assert_identical(loaded(folder), loaded("whole"))
        for name in self.ds.variables:
            with tessera.open(f"{folder}/{name}.b2nd") as a, tessera.open(f"whole/{name}.b2nd") as b:
                self.assertTrue(same(a[...], b[...]), name)
                self.assertEqual(repr(a.attrs), repr(b.attrs), name)
                if "chunks" in ENCODING.get(name, {}):
                    self.assertEqual(a.chunks, ENCODING[name]["chunks"])
        if TESS:
            verify(folder)

    def refused(self, words, ds, error=ValueError, **more):
        before = contents("ds")
        with self.assertRaisesRegex(error, words):
            tessera.to_tessera(ds, "ds", **{"append_dim": "time", **more})
        self.assertEqual(contents("ds"), before)

    def test_parts(self):
        tessera.to_tessera(self.ds.isel(time=slice(17, 18)), "ds", append_dim="time")
        self.ds.isel(time=slice(18, None)).tessera.to_tessera("ds", append_dim="time", mode="a")
        self.complete()
        found = loaded("ds")
        self.assertEqual((found.attrs["version"].dtype, found.encoding["unlimited_dims"]),
                         (np.dtype("i2"), {"time"}))
        self.assertTrue(os.path.isdir("ds/last.b2nd"))

    def test_variables_without_it(self):
        """They need not be there, and are left as they are."""
        part = self.ds.isel(time=slice(17, None)).assign(height=self.ds.height + 1)
        before = contents("ds")["ds/height.b2nd"]
        tessera.to_tessera(part, "ds", append_dim="time")
        self.assertEqual(contents("ds")["ds/height.b2nd"], before)
        self.complete()
        self.start(17)
        names = [name for name, variable in part.variables.items() if "time" in variable.dims]
        tessera.to_tessera(part[names].drop_vars(["x", "y"]), "ds", append_dim="time")
        self.complete()

    def test_attributes(self):
        part = self.ds.isel(time=slice(17, None)).assign_attrs(version=np.int16(2), note="x")
        part.t.attrs = {"units": "other"}
        tessera.to_tessera(part, "ds", append_dim="time")
        found = loaded("ds")
        self.assertEqual(found.attrs, {"title": "a sample", "version": 2, "note": "x"})
        self.assertEqual(found.t.attrs, {"units": "K"})

    @unittest.skipUnless(da, "dask is missing")
    def test_dask(self):
        """Blocks of any sizes, behind chunks that are full or not."""
        rng = np.random.default_rng(2)
        for trial in range(60 if long_run() else 8):
            with self.subTest(trial=trial):
                ends = sorted({int(n) for n in rng.integers(1, 30, rng.integers(1, 4))}) + [30]
                self.start(ends[0])
                for start, stop in zip(ends, ends[1:]):
                    sizes = {d: int(rng.integers(1, 12)) for d in ("time", "y", "x")}
                    part = self.ds.isel(time=slice(start, stop)).chunk(sizes)
                    scheduler = ("threads", "sync", "processes")[trial % 3 if trial < 3 else trial % 2]
                    with dask.config.set(scheduler=scheduler):
                        tessera.to_tessera(part, "ds", append_dim="time")
                self.complete()

    @unittest.skipUnless(da, "dask is missing")
    def test_of_itself(self):
        """What is appended may be read from the folder."""
        for chunks in ({}, None):
            self.start(17)
            with opened("ds", chunks=chunks) as ds:
                more = ds.isel(time=slice(2, None))
                wanted = xr.concat([ds, more], "time", data_vars="minimal").compute()
                tessera.to_tessera(more, "ds", append_dim="time")
                xr.testing.assert_equal(loaded("ds"), wanted)

    def test_reader_that_opens_it_meanwhile(self):
        """Also the first append, before which the record does not say that there are any."""
        read = groups.read_group
        for stop in (18, 30):
            part = self.ds.isel(time=slice(loaded("ds").sizes["time"], stop))

            def read_before(folder):
                record = read(folder)
                patch.stop()
                tessera.to_tessera(part, "ds", append_dim="time")
                return record

            patch = unittest.mock.patch.object(groups, "read_group", read_before)
            patch.start()
            xr.testing.assert_identical(loaded("ds"), loaded("whole").isel(time=slice(stop)))

    @unittest.skipUnless(da, "dask is missing")
    def test_reader_that_has_it_open(self):
        """It goes on with the items that were there; another change of an array it notices."""
        wanted = loaded("ds")
        with opened("ds") as ds, opened("ds", chunks={}) as blocks:
            ds.t[0].load()
            for stop in (18, 30):
                part = self.ds.isel(time=slice(loaded("ds").sizes["time"], stop))
                tessera.to_tessera(part.chunk({"time": 2}), "ds", append_dim="time")
                xr.testing.assert_identical(ds.compute(), wanted)
                xr.testing.assert_identical(blocks.compute(), wanted)
            with opened("ds") as new:
                for name in ("wet", "height"):
                    with tessera.open(f"ds/{name}.b2nd", "r+") as a:
                        a.resize(tuple(n - 14 if n == 30 else n - 1 for n in a.shape))
                with self.assertRaisesRegex(ValueError, r"had the shape \(30,\), and has \(16,\)"):
                    new.wet.compute()
                with self.assertRaises(tessera.StaleError):
                    new.height.compute()

    def test_lengths_of_nothing(self):
        for ends in ((0, 30), (17, 17, 30), (0, 0, 30)):
            self.start(ends[0])
            for start, stop in zip(ends, ends[1:]):
                part = self.ds.isel(time=slice(start, stop))
                tessera.to_tessera(part if da is None else part.chunk({"y": 3}), "ds", append_dim="time")
            xr.testing.assert_identical(loaded("ds"), loaded("whole"))

    def test_folder_without_a_record(self):
        os.remove("ds/group.json")
        tessera.to_tessera(self.ds.isel(time=slice(17, None)), "ds", append_dim="time")
        xr.testing.assert_identical(loaded("ds"), loaded("whole"))

    def test_names(self):
        part = self.ds.isel(time=slice(17, None))
        self.refused("no dimension", part, append_dim="place")
        self.refused("no dimension", part.isel(time=0, drop=True))
        self.refused("'wet'", part.drop_vars("wet"))
        self.refused("'new'", part.assign(new=part.wet))
        self.refused("variables grow as they are stored", part, encoding={"wet": {"level": 3}})
        self.refused("mode", part, mode="w")
        with self.assertRaises(FileNotFoundError):
            tessera.to_tessera(part, "nothing", append_dim="time")
        with self.assertRaises(NotADirectoryError):
            tessera.to_tessera(part, "ds/time.b2nd", append_dim="time")
        with self.assertRaisesRegex(NotADirectoryError, "sparse"):
            tessera.to_tessera(part, "ds/last.b2nd", append_dim="time")
        with self.assertRaisesRegex(ValueError, "URL"):
            tessera.to_tessera(part, "http://127.0.0.1/ds", append_dim="time")

    def test_shapes(self):
        part = self.ds.isel(time=slice(17, None))
        self.refused("'t' has the dimensions", part.assign(t=part.t.transpose("y", "time", "x")))
        self.refused("'height' has the dimensions", part.assign(height=part.height.T))
        self.refused("length 5 along 'y', and 8", part.isel(y=slice(5)))

    def test_types(self):
        part = self.ds.isel(time=slice(17, None))
        for name, items, words in (
            ("last", part["last"].astype("i8"), "int64, and int16"),
            ("last", part["last"] + 0.5, "float64, and int16"),
            ("wet", part.wet.astype("i1"), "int8, and bool"),
            ("time", part.wet, "bool, and datetime64"),
            ("name", part.code, "'name' becomes items of type .S2, and .U3"),
            ("code", part["name"], "'code' becomes items of type .U3, and .S2"),
            ("delay", part["name"], "U3, and timedelta64"),
            ("delay", part.wet, "bool, and timedelta64"),
            ("name", part.wet, "bool, and .U3"),
            ("wave", part.wave.astype("c16").astype(object), "object, and complex64"),
        ):
            with self.subTest(name=name, words=words):
                changed = part.assign({name: ("time", items.values) if name != "last" else items})
                self.refused(words, changed, (ValueError, TypeError))
        tessera.to_tessera(part.assign(t=part.t.astype("f8"), last=part["last"].astype("i1")),
                           "ds", append_dim="time")
        self.complete()

    def test_times(self):
        """Units are those that are stored; times between them are refused."""
        part = self.ds.isel(time=slice(17, None))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", xr.SerializationWarning)  # which says the same
            self.refused("'time' is stored in whole hours", part.assign_coords(
                time=part.time + np.timedelta64(30, "m")))
        part.time.encoding = {"units": "days since 1900-01-01", "dtype": "f8"}
        tessera.to_tessera(part, "ds", append_dim="time")
        self.complete()

    def test_strings(self):
        part = self.ds.isel(time=slice(17, None))
        longer = np.array(["ab"] * 12 + ["abcd"], dtype=object)
        self.refused("'name' has strings of more than the 3", part.assign(name=("time", longer)))
        self.refused("'name'", part.assign(name=("time", longer.astype("U4"))))
        self.refused("'code'", part.assign(code=("time", np.array([b"abc"] * 13))))
        tessera.to_tessera(part.assign(name=("time", np.array(["", "é"] * 6 + ["x"], dtype=object)),
                                       code=("time", np.array([b""] * 13))), "ds", append_dim="time")
        found = loaded("ds")
        self.assertEqual(found["name"].values[15:].tolist(), ["15é", "16é"] + ["", "é"] * 6 + ["x"])
        self.assertEqual((found["name"].dtype, found.code.values[16:18].tolist()), ("U3", [b"16", b""]))

    @unittest.skipUnless(da, "dask is missing")
    def test_task_that_fails(self):
        part = self.ds.isel(time=slice(17, None)).chunk({"time": 2})
        part["middle"] = part.middle.copy(data=part.middle.data.rechunk((2, 3, 11)).map_blocks(
            failing, dtype="f8"))
        with self.assertRaises(ZeroDivisionError):
            tessera.to_tessera(part, "ds", append_dim="time")
        xr.testing.assert_identical(loaded("ds"), loaded("whole").isel(time=slice(17)))
        for name in ("t", "last", "time"):
            with tessera.open(f"ds/{name}.b2nd") as a:
                self.assertIn(17, a.shape)
        self.assertEqual([name for name in os.listdir("ds") if "part" in name], [])
        tessera.to_tessera(self.ds.isel(time=slice(17, None)), "ds", append_dim="time")
        self.complete()

    def test_second_writer(self):
        part = self.ds.isel(time=slice(17, None))
        with tessera.open("ds/time.b2nd", "r+"):
            self.refused("open for writing", part, BlockingIOError)

    def test_record_that_cannot_be_written(self):
        """The new length is the commit: where it fails, nothing was appended."""
        tessera.to_tessera(self.ds.isel(time=slice(17, 18)), "ds", append_dim="time")
        os.mkdir("ds/group.json.part")
        with self.assertRaises(IsADirectoryError):
            tessera.to_tessera(self.ds.isel(time=slice(18, None)), "ds", append_dim="time")
        with tessera.open("ds/t.b2nd") as a:
            self.assertEqual(len(a), 18)
        os.rmdir("ds/group.json.part")
        tessera.to_tessera(self.ds.isel(time=slice(18, None)), "ds", append_dim="time")
        self.complete()

    def unfinished(self):
        """As after a kill: some arrays are longer than the record says."""
        tessera.to_tessera(self.ds.isel(time=slice(17, 20)), "ds", append_dim="time")
        with tessera.open("ds/t.b2nd", "r+") as a, tessera.open("ds/last.b2nd", "r+") as b:
            a.append(np.full((9, 8, 11), 5))
            b.append(np.full((8, 2), 5), axis=1)

    def test_items_without_a_commit(self):
        self.unfinished()
        wanted = loaded("whole").isel(time=slice(20))
        xr.testing.assert_identical(loaded("ds"), wanted)
        for index in ({"time": -1}, {"time": slice(None, None, -3), "x": 2}, {"time": [0, -2]}):
            with opened("ds") as ds:
                xr.testing.assert_identical(ds.isel(index).load(), wanted.isel(index))
        with opened("ds") as ds, self.assertRaises(IndexError):
            ds.t.isel(time=20).load()
        if da is not None:
            xr.testing.assert_identical(loaded("ds", chunks={}), wanted)
        tessera.to_tessera(self.ds.isel(time=slice(20, None)), "ds", append_dim="time")
        self.complete()

    def test_cut_before_checks(self):
        """Also by an append that is then refused."""
        self.unfinished()
        with self.assertRaises(ValueError):
            tessera.to_tessera(self.ds, "ds", append_dim="q")
        with self.assertRaises(ValueError):
            tessera.to_tessera(self.ds.drop_vars("wet"), "ds", append_dim="time")
        self.assertEqual(tessera.open("ds/t.b2nd").shape, (20, 8, 11))

    def test_arrays_that_grew_by_themselves(self):
        """Where no dataset was appended, arrays say how long they are."""
        for name in ("t", "last", "middle", "wet", "wave", "name", "code", "delay", "time"):
            with tessera.open(f"ds/{name}.b2nd", "r+") as a, tessera.open(f"whole/{name}.b2nd") as b:
                axis = a.dims.index("time")
                a.append(b[(slice(None),) * axis + (slice(17, 20),)], axis=axis)
        self.assertEqual(loaded("ds").sizes["time"], 20)
        tessera.to_tessera(self.ds.isel(time=slice(20, None)), "ds", append_dim="time")
        self.complete()

    def test_bad_records(self):
        tessera.to_tessera(self.ds.isel(time=slice(17, 20)), "ds", append_dim="time")
        record = pathlib.Path("ds/group.json").read_text()
        for length in ("-3", '"20"', "2.5", "null"):
            pathlib.Path("ds/group.json").write_text(record.replace('"length": 20', f'"length": {length}'))
            with self.assertRaisesRegex(ValueError, "'time' has the length"):
                opened("ds")

    @unittest.skipUnless(TESS, "TESS_EXE does not name the command")
    def test_export(self):
        """The command shows what the dataset shows."""
        self.unfinished()
        done = subprocess.run([TESS, "export", "ds", "ds.nc"], capture_output=True, text=True)
        if "without" in done.stderr or "not built" in done.stderr:
            self.skipTest(done.stderr)
        self.assertNotIn("dim_0", done.stderr)
        dump = subprocess.run([TESS, "import", "ds.nc", "back/"], capture_output=True, text=True)
        self.assertEqual(dump.returncode, 0, dump.stderr)
        with tessera.open("back/t.b2nd") as a, tessera.open("whole/t.b2nd") as b:
            self.assertTrue(same(a[...], b[:20]))
        with tessera.open("back/last.b2nd") as a, tessera.open("whole/last.b2nd") as b:
            self.assertTrue(same(a[...], b[:, :20]))
        with tessera.open("back/height.b2nd") as a:
            self.assertEqual(a.shape, (8, 11))


@unittest.skipUnless(xr, "xarray is missing")
class Additions(InFolder):
    def setUp(self):
        super().setUp()
        self.ds = sample(10)
        tessera.to_tessera(self.ds, "ds", encoding=ENCODING)

    def add(self, ds, **more):
        tessera.to_tessera(ds, "ds", mode="a", **more)
        if TESS:
            verify("ds")
        return loaded("ds")

    def refused(self, words, ds, error=ValueError, **more):
        before = contents("ds")
        with self.assertRaisesRegex(error, words):
            tessera.to_tessera(ds, "ds", mode="a", **more)
        self.assertEqual(contents("ds"), before)

    def test_new(self):
        before, old = contents("ds"), loaded("ds")
        new = xr.Dataset({"depth": (("y", "x"), np.zeros((8, 11), "f4"), {"limit": np.float32(0.1)}),
                          "site": ("place", ["a", "bc"])}, attrs={"title": "more", "by": "x"})
        found = self.add(new, encoding={"depth": {"chunks": (4, 11)}})
        xr.testing.assert_identical(found.drop_vars(["depth", "site"]), old.assign_attrs(found.attrs))
        xr.testing.assert_identical(found[["depth", "site"]].drop_vars(["x", "y"]), new.assign_attrs(version=1))
        self.assertEqual(found.attrs, {"title": "more", "version": 1, "by": "x"})
        self.assertEqual(found.depth.attrs["limit"].dtype, np.dtype("f4"))
        after = contents("ds")
        self.assertEqual({path for path in after if before.get(path) != after[path]},
                         {"ds/depth.b2nd", "ds/site.b2nd", "ds/group.json"})
        record = groups.read_group("ds")
        self.assertEqual((record.dimensions["place"], record.dimensions["time"]), (2, 10))
        self.assertEqual(list(found.data_vars), [*self.ds.data_vars, "depth", "site"])

    def test_replaced(self):
        changed = self.ds[["t", "last", "name"]].copy()
        changed["name"] = ("time", np.array(["a longer name"] * 10, dtype=object))
        changed["t"] = (("time", "y", "x"), self.ds.t.values.astype("f8") + 1, {"units": "C"})
        changed["last"] = self.ds["last"] + np.int16(1)
        changed = changed.assign_coords(time=self.ds.time + np.timedelta64(24, "h"))
        found = self.add(changed)
        np.testing.assert_allclose(found.t, self.ds.t + 1, atol=0.006)
        xr.testing.assert_equal(found[["last", "name", "time"]], changed[["last", "name", "time"]])
        xr.testing.assert_equal(found.middle.variable, self.ds.middle.variable)
        self.assertEqual(found.t.attrs, {"units": "C"})
        self.assertTrue(os.path.isdir("ds/last.b2nd"))
        with tessera.open("ds/t.b2nd") as a, tessera.open("ds/last.b2nd") as b:
            self.assertEqual((a.dtype, a.chunks, a.layout.codec, a.attrs["scale_factor"], b.chunks),
                             (np.dtype("i2"), (7, 3, 11), "zstd", 0.01, (5, 4)))
        self.assertEqual(loaded("ds").encoding["unlimited_dims"], set())

    def test_replaced_with_another_encoding(self):
        found = self.add(self.ds[["t", "last"]], unlimited_dims=["time"], encoding={
            "t": {"sparse": True, "chunks": (2, 8, 11)}, "last": {"dtype": "f4"}})
        xr.testing.assert_identical(found.t, self.ds.t)
        self.assertEqual((found.encoding["unlimited_dims"], found["last"].dtype), ({"time"}, np.dtype("f4")))
        self.assertTrue(os.path.isdir("ds/t.b2nd") and os.path.isdir("ds/last.b2nd"))
        self.refused("must be sparse", self.ds[["t"]], encoding={"t": {"sparse": False}})

    def test_coordinates(self):
        """Names of coordinates in the attributes of the dataset are not lost."""
        self.add(xr.Dataset(coords={"one": ("p", [1, 2])}))
        found = self.add(xr.Dataset(coords={"two": ("q", [1, 2])}))
        self.assertLessEqual({"one", "two", "time"}, set(found.coords))

    def test_refused(self):
        self.refused("dimension 'y' has the length 5, and 8", self.ds[["height"]].isel(y=slice(5)))
        self.refused("float64, and int16", self.ds[["last"]] + 0.5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", xr.SerializationWarning)  # which says the same
            self.refused("whole hours", self.ds[["wet"]].assign_coords(
                time=self.ds.time + np.timedelta64(1, "m")))
        self.refused("encoding: no variables", self.ds[["t"]], KeyError, encoding={"q": {}})
        self.refused("complevel", self.ds[["t"]], encoding={"t": {"complevel": 4}})
        pathlib.Path("file").write_text("x")
        with self.assertRaises(NotADirectoryError):
            tessera.to_tessera(self.ds, "file", mode="a")

    def test_new_folder(self):
        tessera.to_tessera(self.ds, "new", mode="a")
        xr.testing.assert_identical(loaded("new"), self.ds)

    @unittest.skipUnless(da, "dask is missing")
    def test_dask(self):
        ds = self.ds.chunk({"time": 3, "y": 4})
        found = self.add((ds[["middle"]] + 1).assign(twice=ds["last"] * 2))
        xr.testing.assert_equal(found.middle.variable, self.ds.middle.variable + 1)
        xr.testing.assert_equal(found.twice.variable, self.ds["last"].variable * 2)
        broken = ds[["middle"]].copy()
        blocks = ds.middle.data.rechunk((3, 3, 11)).map_blocks(failing, dtype="f8")
        broken["middle"] = ds.middle.copy(data=blocks)
        self.refused("a task fails", broken, ZeroDivisionError)

    def test_of_itself(self):
        with opened("ds") as ds:
            found = self.add(ds[["height"]] * 2)
        xr.testing.assert_equal(found.height, self.ds.height * 2)

    def test_what_kills_leave(self):
        """Parts of what was not finished are no variables, and go with the folder."""
        os.mkdir("ds/.12345678.part")
        shutil.copy("ds/t.b2nd", "ds/.12345678.part/new.b2nd")
        pathlib.Path("ds/.12345678.part/other.b2nd.tess-1.tmp").write_text("x")
        pathlib.Path("ds/group.json.part").write_text("{")
        xr.testing.assert_identical(loaded("ds").drop_vars("t"), self.ds.drop_vars("t"))
        found = self.add(self.ds[["height"]])
        self.assertEqual(set(found.variables), set(self.ds.variables))
        pathlib.Path("ds/group.json.part").write_text("{")
        tessera.to_tessera(self.ds[["height"]], "ds", mode="w")
        self.assertEqual(set(os.listdir("ds")), {"group.json", "height.b2nd", "x.b2nd", "y.b2nd"})


@unittest.skipUnless(xr, "xarray is missing")
class Kills(InFolder):
    """A program that is killed at any call of what changes files."""

    def setUp(self):
        super().setUp()
        self.ds = sample()[["t", "last", "name"]]
        self.encoding = {name: ENCODING[name] for name in ("t", "last", "time")}
        tessera.to_tessera(self.ds, "whole", encoding=self.encoding)
        self.wanted = loaded("whole")

    def run_killed(self, action, check):
        tessera.to_tessera(self.ds.isel(time=slice(17)), "start", encoding=self.encoding)
        states = set()
        shutil.copytree("start", "ds")
        calls = killed_at(None, action)
        self.assertGreater(calls, 100)
        # what changes files is done by the last calls
        points = range(1, calls + 1)
        if not long_run():
            points = [*points[: -60 : calls // 5], *points[-60::3]]
        for number in points:
            with self.subTest(number=number, of=calls):
                shutil.rmtree("ds")
                shutil.copytree("start", "ds")
                self.assertIsNone(killed_at(number, action))
                states.add(check())
        self.assertEqual(len(states), 2, states)

    def append(self, part):
        with dask.config.set(scheduler="sync") if da else contextlib.nullcontext():
            tessera.to_tessera(part, "ds", append_dim="time")

    def check_append(self):
        """The dataset has all of the old items or all of the new; the next append goes on there."""
        ds = loaded("ds")
        length = ds.sizes["time"]
        xr.testing.assert_identical(ds, self.wanted.isel(time=slice(length)))
        self.assertIn(length, (17, 30))
        if length < 30:
            self.append(self.ds.isel(time=slice(length, None)))
            xr.testing.assert_identical(loaded("ds"), self.wanted)
        if TESS:
            verify("ds")
        return length

    def test_append(self):
        part = self.ds.isel(time=slice(17, None))
        self.run_killed(lambda: self.append(part), self.check_append)

    @unittest.skipUnless(da, "dask is missing")
    def test_append_of_dask(self):
        part = self.ds.isel(time=slice(17, None)).chunk({"time": 5, "y": 3})
        self.run_killed(lambda: self.append(part), self.check_append)

    def test_add(self):
        changed = self.ds.isel(time=slice(17)).assign(new=self.ds.t[0] * 2, t=self.ds.t[:17] + 1)
        changed = changed[["new", "last", "t"]].assign({"last": changed["last"] + 1})
        before = self.wanted.isel(time=slice(17))
        tessera.to_tessera(before.assign(changed.variables), "both", encoding=self.encoding)
        after = loaded("both")

        def check():
            """Each variable is that of before or that of after; all are there at another try."""
            found = loaded("ds")
            new = [name for name in changed.variables if name in found and found[name].equals(after[name])]
            for name in set(found.variables) - set(new):
                xr.testing.assert_equal(found[name], before[name])
            tessera.to_tessera(changed, "ds", mode="a")
            xr.testing.assert_equal(loaded("ds"), after)
            if TESS:
                verify("ds")
            return {"new", "last", "t"} <= set(new)

        self.run_killed(lambda: tessera.to_tessera(changed, "ds", mode="a"), check)


if __name__ == "__main__":
    if xr is None:
        print("xarray is missing: datasets that grow are not tested")
        sys.exit(77)
    unittest.main()
