"""Datasets of xarray in stores: written, added to and appended to, each time with one commit.

What comes back is compared with the dataset itself. Programs are killed at many points, and the
store then has the dataset of before or the one of after.
"""

import contextlib
import os
import pathlib
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest
import warnings

import numpy as np
import tessera
from support import InFolder, long_run

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
    import datasets
    import growing

TESS = os.environ.get("TESS_EXE")


def opened(path, **more):
    return xr.open_dataset(path, engine="tessera", **more)


def loaded(path, **more):
    with opened(path, **more) as found:
        return found.load()


def number(path):
    with tessera.open_store(path) as store:
        return store.number


def without_sparse(encoding):
    return {name: {k: v for k, v in own.items() if k != "sparse"} for name, own in encoding.items()}


@unittest.skipUnless(xr, "xarray is missing")
class Writing(InFolder):
    def test_all_kinds(self):
        ds = datasets.sample()
        tessera.to_tessera(ds, "s.b2d")
        found = loaded("s.b2d")
        xr.testing.assert_identical(found, ds)
        self.assertEqual(list(found.data_vars), list(ds.data_vars))
        self.assertEqual(set(found.coords), set(ds.coords))
        self.assertEqual(found.scale.dtype, np.dtype("f4"))
        self.assertEqual(found.temperature.attrs["valid_min"].dtype, np.dtype("f4"))
        self.assertEqual(number("s.b2d"), 1)
        with tessera.open_store("s.b2d") as store:
            self.assertEqual(store["temperature"].dims, ("time", "y", "x"))
            self.assertEqual(store.attrs["title"], "a sample")
            self.assertIn("odd%3A name%2Fof", store)
        self.assertFalse(os.path.exists("s.b2d/group.json"))

    def test_attributes_of_any_number_and_name(self):
        attrs = {f"a rather long name of an attribute, {i}": i for i in range(5)}
        attrs.update({f"n{i}": float(i) for i in range(30)}, bytes=b"\0\1", none=None, inf=float("inf"))
        ds = xr.Dataset({"u": ("x", [1.0, 2.0], attrs)}, attrs=attrs)
        tessera.to_tessera(ds, "s.b2d")
        self.assertEqual(loaded("s.b2d").attrs, attrs)
        tessera.to_tessera(xr.Dataset(attrs={"n1": 5}), "s.b2d", mode="a")
        self.assertEqual(loaded("s.b2d").attrs, {**attrs, "n1": 5})
        tessera.to_tessera(xr.Dataset({"v": ("x", [1])}, attrs={"own": 5}), "s.b2d", mode="w")
        self.assertEqual(loaded("s.b2d").attrs, {"own": 5})

    def test_encodings(self):
        ds = datasets.sample()[["temperature", "rain", "time"]]
        tessera.to_tessera(ds, "s.b2d", encoding={
            "temperature": {"dtype": "i2", "scale_factor": 0.01, "add_offset": 280.0, "_FillValue": -32768,
                            "chunks": (10, 8, 6), "codec": "zstd", "level": 9},
            "time": {"units": "hours since 2000-01-01", "dtype": "i4"},
        })
        with tessera.open_store("s.b2d") as store:
            a = store["temperature"]
            self.assertEqual((a.dtype, a.chunks, a.layout.codec, a.fill_value),
                             (np.dtype("i2"), (10, 8, 6), "zstd", -32768))
        with opened("s.b2d") as found:
            np.testing.assert_allclose(found.temperature, ds.temperature, atol=0.006)
            tessera.to_tessera(found, "again.b2d")
            xr.testing.assert_identical(loaded("again.b2d"), found.load())
        with self.assertRaisesRegex(ValueError, "'rain' cannot be sparse"):
            tessera.to_tessera(ds, "other.b2d", encoding={"rain": {"sparse": True}})
        with self.assertRaisesRegex(ValueError, "shared"):
            tessera.to_tessera(ds, "other.b2d", shared=True)
        self.assertFalse(os.path.exists("other.b2d"))

    def test_sparse_folders_become_files(self):
        """What is stored as a directory elsewhere is a file here: nobody asked for the directory."""
        ds = datasets.sample()[["rain"]]
        tessera.to_tessera(ds, "folder", encoding={"rain": {"sparse": True}})
        with opened("folder") as found:
            tessera.to_tessera(found, "s.b2d")
        xr.testing.assert_identical(loaded("s.b2d"), ds)

    def test_groups(self):
        one, two = (xr.Dataset({"u": ("x", np.arange(3) * i)}, attrs={"i": i}) for i in (1, 2))
        tessera.to_tessera(one, "s.b2d/a/b")
        tessera.to_tessera(two, "s.b2d/a")
        tessera.to_tessera(two, "s.b2d")
        self.assertEqual(number("s.b2d"), 3)
        for path, wanted in (("s.b2d/a/b", one), ("s.b2d/a", two), ("s.b2d", two)):
            xr.testing.assert_identical(loaded(path), wanted)
        xr.testing.assert_identical(loaded("s.b2d", group="a/b"), one)
        xr.testing.assert_identical(loaded("s.b2d/a", group="b"), one)
        xr.testing.assert_identical(loaded("s.b2d/a/u").u.variable, two.u.variable)
        with self.assertRaises(FileExistsError):
            tessera.to_tessera(one, "s.b2d/a/b")
        with self.assertRaises(FileExistsError):
            tessera.to_tessera(one, "s.b2d")
        tessera.to_tessera(two, "s.b2d/a", mode="w")  # with what is below it
        with self.assertRaises(FileNotFoundError):
            opened("s.b2d/a/b")
        self.assertEqual(number("s.b2d"), 4)

    def test_variables_that_are_links(self):
        years = {name: xr.Dataset({"t": (("time", "x"), np.full((1, 3), n))},
                                  coords={"x": [10.0, 20.0, 30.0]}) for n, name in enumerate("ab")}
        with tessera.open_store("s.b2d", "x") as store:
            for name, ds in years.items():
                tessera.to_tessera(ds, store.group(name))
            del store["b/x"]
            store.link("a/x", "b/x")  # one coordinate for both
        for name, ds in years.items():
            xr.testing.assert_identical(loaded(f"s.b2d/{name}"), ds)
        tessera.to_tessera(years["b"], "s.b2d/b", append_dim="time")
        xr.testing.assert_identical(loaded("s.b2d/b"), xr.concat([years["b"]] * 2, "time", data_vars="minimal"))
        tessera.to_tessera(years["b"], "s.b2d/b", mode="w")  # replaces the link, not where it leads
        for name, ds in years.items():
            xr.testing.assert_identical(loaded(f"s.b2d/{name}"), ds)

    def test_what_is_no_dataset(self):
        with tessera.open_store("s.b2d", "x") as store:
            store["deep/er/u"] = [1, 2]
        with self.assertRaisesRegex(tessera.FormatError, "no arrays: its groups are 'deep'"):
            opened("s.b2d")
        with self.assertRaises(FileNotFoundError):
            opened("nothing.b2d")
        with self.assertRaises(FileNotFoundError):
            tessera.to_tessera(xr.Dataset({"u": ("x", [1])}), "nothing.b2d", append_dim="x")
        with self.assertRaisesRegex(ValueError, "only read"):
            tessera.to_tessera(xr.Dataset({"u": ("x", [1])}), "new.b2z")
        with self.assertRaisesRegex(ValueError, "URL"):
            tessera.to_tessera(xr.Dataset({"u": ("x", [1])}), "http://127.0.0.1/s.b2d")
        with self.assertRaisesRegex(ValueError, "no store"):
            tessera.asarray([1, 2], "u.b2nd").close()
            opened("u.b2nd", commit=1)
        with tessera.open_store("s.b2d", "r+") as store:
            store["u"] = [1, 2]
            store.attrs["tessera_group"] = {"dimensions": [{"name": "x", "length": -1}]}
        with self.assertRaisesRegex(ValueError, "tessera_group of .*'x' has the length -1"):
            opened("s.b2d")

    def test_stores_of_others(self):
        """Without a record all arrays are variables, and the attributes those of the group."""
        with tessera.open_store("s.b2d", "x") as store:
            store["g/v"], store["g/u"] = np.arange(6).reshape(2, 3), [1.5]
            store["g"].attrs["title"] = "made by hand"
        found = loaded("s.b2d/g")
        self.assertEqual((list(found.data_vars), found.attrs), (["u", "v"], {"title": "made by hand"}))
        self.assertEqual(found.v.dims, ("v_dim_0", "v_dim_1"))
        tessera.to_tessera(xr.Dataset({"w": ("x", [1])}), "s.b2d/g", mode="a")
        self.assertEqual(set(loaded("s.b2d/g").data_vars), {"u", "v", "w"})

    def test_failures_leave_nothing(self):
        ds = datasets.sample()[["rain", "time"]]
        bad = ds.assign(last=("x", np.array(["a", 5] + ["b"] * 9, dtype=object)))
        with self.assertRaises((TypeError, ValueError)):
            tessera.to_tessera(bad, "new.b2d")
        self.assertFalse(os.path.exists("new.b2d"))
        tessera.to_tessera(ds, "s.b2d")
        for more in ({"mode": "w"}, {"mode": "a"}):
            with self.assertRaises((TypeError, ValueError)):
                tessera.to_tessera(bad, "s.b2d", **more)
            xr.testing.assert_identical(loaded("s.b2d"), ds)
        self.assertEqual(number("s.b2d"), 1)

    def test_transaction_of_the_program(self):
        ds = datasets.sample()[["rain", "wet"]].drop_vars(["region", "lon"])
        tessera.to_tessera(ds, "s.b2d")
        with tessera.open_store("s.b2d", "r+") as store:
            tessera.to_tessera(ds + 1, store, mode="w")
            tessera.to_tessera(ds.rename(x="z"), store.group("more/of"))
            xr.testing.assert_identical(loaded(store, group="more/of"), ds.rename(x="z"))
            xr.testing.assert_identical(loaded("s.b2d"), ds)
            tessera.to_tessera(xr.Dataset({"new": ("x", np.arange(11))}), store, mode="a")
        self.assertEqual(number("s.b2d"), 2)
        self.assertEqual(set(loaded("s.b2d").variables), {"rain", "wet", "new", "x", "y"})
        store = tessera.open_store("s.b2d", "r+")
        tessera.to_tessera(ds, store, mode="w")
        store.abort()
        store.close()
        self.assertIn("new", loaded("s.b2d"))
        with tessera.open_store("s.b2d") as store:
            xr.testing.assert_identical(loaded(store["more"]["of"]), ds.rename(x="z"))
            with self.assertRaises(tessera.ArgumentError):
                tessera.to_tessera(ds, store, mode="w")

    @unittest.skipUnless(TESS, "TESS_EXE does not name the command")
    def test_zip_files_and_other_formats(self):
        ds = datasets.sample().drop_vars(["wave", "big_endian", "odd: name/of", "code", "station", "region"])
        del ds.attrs["history"], ds.attrs["nan"]
        tessera.to_tessera(ds, "s.b2d")
        subprocess.run([TESS, "copy", "s.b2d", "s.b2z"], check=True)
        xr.testing.assert_identical(loaded("s.b2z"), ds)
        with opened("s.b2z", chunks={}) if da else opened("s.b2z") as found:
            xr.testing.assert_identical(pickle.loads(pickle.dumps(found)).load(), ds)
        subprocess.run([TESS, "copy", "s.b2z", "back.b2d"], check=True)
        xr.testing.assert_identical(loaded("back.b2d"), ds)
        if not shutil.which("ncdump"):
            return
        subprocess.run([TESS, "export", "s.b2d", "s.nc"], check=True, capture_output=True)
        subprocess.run([TESS, "import", "s.nc", "imported.b2d"], check=True, capture_output=True)
        xr.testing.assert_identical(loaded("imported.b2d"), loaded("s.b2d"))


@unittest.skipUnless(xr, "xarray is missing")
class Growing(InFolder):
    def setUp(self):
        super().setUp()
        self.ds = growing.sample()
        self.encoding = without_sparse(growing.ENCODING)
        tessera.to_tessera(self.ds, "whole", encoding=self.encoding)
        self.wanted = loaded("whole")
        self.start(17)

    def start(self, n):
        tessera.to_tessera(self.ds.isel(time=slice(n)), "s.b2d", encoding=self.encoding, mode="w")

    def append(self, start, stop=None, **more):
        part = self.ds.isel(time=slice(start, stop))
        tessera.to_tessera(part.chunk(more) if more else part, "s.b2d", append_dim="time")

    def complete(self):
        found = loaded("s.b2d")
        xr.testing.assert_identical(found, self.wanted)
        with tessera.open_store("s.b2d") as store:
            for name in self.ds.variables:
                with tessera.open(f"whole/{name}.b2nd") as b:
                    self.assertEqual(repr(store[name].attrs), repr(b.attrs))
                if "chunks" in self.encoding.get(name, {}):
                    self.assertEqual(store[name].chunks, self.encoding[name]["chunks"])
        if TESS:
            for name in self.ds.variables:
                subprocess.run([TESS, "verify", f"s.b2d/{name}"], check=True, capture_output=True)

    def test_each_append_is_a_commit(self):
        before = number("s.b2d")
        self.append(17, 18)
        self.append(18)
        self.assertEqual(number("s.b2d"), before + 2)
        self.complete()
        self.assertEqual(loaded("s.b2d").encoding["unlimited_dims"], {"time"})
        with tessera.open_store("s.b2d") as store:
            self.assertNotIn("appended", str(store.attrs["tessera_group"]))

    @unittest.skipUnless(da, "dask is missing")
    def test_dask(self):
        for scheduler in ("threads", "sync"):
            with self.subTest(scheduler=scheduler), dask.config.set(scheduler=scheduler):
                self.start(17)
                self.append(17, 24, time=2, y=3, x=11)
                self.append(24, time=5)
                self.complete()
                tessera.to_tessera(self.ds.chunk({"time": 7}), "new.b2d", encoding=self.encoding, mode="w")
                xr.testing.assert_identical(loaded("new.b2d"), self.wanted)
        self.start(17)
        with dask.config.set(scheduler="processes"):  # which send packets
            self.append(17, time=5)
        self.complete()

    @unittest.skipUnless(da, "dask is missing")
    def test_of_itself(self):
        for chunks in ({}, None):
            self.start(17)
            with opened("s.b2d", chunks=chunks) as ds:
                more = ds.isel(time=slice(2, None))
                wanted = xr.concat([ds, more], "time", data_vars="minimal").compute()
                tessera.to_tessera(more, "s.b2d", append_dim="time")
                xr.testing.assert_equal(loaded("s.b2d"), wanted)
            with opened("s.b2d", chunks=chunks) as ds:  # replaced by what is computed from it
                wanted = (ds[["middle"]] * 2).compute()
                tessera.to_tessera(ds[["middle"]] * 2, "s.b2d", mode="a")
                xr.testing.assert_equal(loaded("s.b2d").middle, wanted.middle)

    def test_readers_stay(self):
        """Each dataset that was opened has its commit, also in other processes and when xarray closes
        files; the newest has all."""
        seen = []
        with xr.set_options(file_cache_maxsize=2):
            for stop in (18, 23, 30):
                ds = opened("s.b2d")
                seen.append((ds, ds.sizes["time"], pickle.dumps(ds)))
                self.append(ds.sizes["time"], stop)
                for old, length, pickled in seen:
                    xr.testing.assert_identical(old.compute(), self.wanted.isel(time=slice(length)))
                    again = pickle.loads(pickled)
                    xr.testing.assert_identical(again.load(), self.wanted.isel(time=slice(length)))
                    again.close()
        for ds, *_ in seen:
            ds.close()
        self.complete()

    def test_commits(self):
        with tessera.open_store("s.b2d", "r+") as store:
            store.name_commit("start")
        self.append(17)
        xr.testing.assert_identical(loaded("s.b2d", commit="start"), self.wanted.isel(time=slice(17)))
        with self.assertRaises(FileNotFoundError):
            opened("s.b2d", commit="other")

    def test_pickles_of_commits_that_are_gone(self):
        with opened("s.b2d") as ds:
            pickled = pickle.dumps(ds)
        self.append(17, 20)
        self.append(20)
        with self.assertRaisesRegex(FileNotFoundError, "commit"):
            pickle.loads(pickled).load()

    def test_refused(self):
        part, before = self.ds.isel(time=slice(17, None)), number("s.b2d")
        for words, ds, more in (
            ("no dimension", part, {"append_dim": "place"}),
            ("'wet'", part.drop_vars("wet"), {}),
            ("'new'", part.assign(new=part.wet), {}),
            ("grow as they are stored", part, {"encoding": {"wet": {"level": 3}}}),
            ("'t' has the dimensions", part.assign(t=part.t.transpose("y", "time", "x")), {}),
            ("length 5 along 'y', and 8", part.isel(y=slice(5)), {}),
            ("int64, and int16", part.assign(last=part["last"].astype("i8")), {}),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(ValueError, words):
                tessera.to_tessera(ds, "s.b2d", **{"append_dim": "time", **more})
            self.assertEqual(number("s.b2d"), before)
        self.append(17)
        self.complete()

    def test_two_writers(self):
        with tessera.open_store("s.b2d", "r+"), self.assertRaises(BlockingIOError):
            self.append(17)
        self.append(17)
        self.complete()

    @unittest.skipUnless(da, "dask is missing")
    def test_tasks_that_fail(self):
        broken = self.ds.isel(time=slice(17, None)).chunk({"time": 3})
        broken["middle"] = broken.middle.copy(data=broken.middle.data.map_blocks(growing.failing, dtype="f8"))
        broken = broken.chunk({"time": 3, "y": 3, "x": 3})
        blocks = broken.middle.data.rechunk((3, 3, 11)).map_blocks(growing.failing, dtype="f8")
        broken["middle"] = broken.middle.copy(data=blocks)
        with self.assertRaises(ZeroDivisionError):
            tessera.to_tessera(broken, "s.b2d", append_dim="time")
        xr.testing.assert_identical(loaded("s.b2d"), self.wanted.isel(time=slice(17)))
        self.append(17)
        self.complete()


@unittest.skipUnless(xr, "xarray is missing")
class Kills(InFolder):
    """A program that appends steps to all variables of a dataset, and is killed at any moment."""

    VARIABLES = 20

    def step(self, n):
        items = {f"v{i}": (("time", "x"), np.full((1, 5 + i), n * 100.0 + i)) for i in range(self.VARIABLES)}
        items = {name: (("time", f"x{len(data[0])}"), data) for name, (_, data) in items.items()}
        return xr.Dataset(items, coords={"time": [n]}, attrs={"step": n})

    def check(self):
        """All variables, the coordinate and the attribute are of one step; its number."""
        ds = loaded("s.b2d")
        n = int(ds.attrs["step"])
        np.testing.assert_array_equal(ds.time, np.arange(n + 1))
        for i in range(self.VARIABLES):
            wanted = np.repeat(np.arange(n + 1) * 100.0 + i, 5 + i).reshape(n + 1, 5 + i)
            np.testing.assert_array_equal(ds[f"v{i}"], wanted)
        return n

    def run_killed(self, delay, first):
        """Append steps from one on in a child, and kill it after a delay; whether it was at work."""
        pid = os.fork()
        if pid == 0:
            try:
                for n in range(first, first + 1000):
                    tessera.to_tessera(self.step(n), "s.b2d", append_dim="time")
            finally:
                os._exit(1)
        time.sleep(delay)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        self.assertTrue(os.WIFSIGNALED(status), "the child failed")

    def test_at_random(self):
        kills = int(os.environ.get("TESS_TEST_KILLS", 500 if long_run() else 12))
        tessera.to_tessera(self.step(0), "s.b2d")
        last = 0
        for seed in range(kills):
            self.run_killed(random.Random(seed).uniform(0, 0.4), last + 1)
            now = self.check()
            self.assertGreaterEqual(now, last)
            last = now
            if last > 100:
                tessera.to_tessera(self.step(0), "s.b2d", mode="w")
                last = 0
        self.assertGreater(number("s.b2d"), kills / 4)

    def test_at_each_call(self):
        """Of the package, while it appends, adds a variable, and replaces the dataset."""
        growing.CHANGING += tuple(
            os.path.join(os.path.dirname(tessera.__file__), name)
            for name in ("stores.py", "datasets.py"))
        tessera.to_tessera(self.step(0), "start.b2d")
        one = xr.Dataset({"new": ("time", [7.0])}, attrs={"step": 1})
        actions = {
            "append": lambda: tessera.to_tessera(self.step(1), "s.b2d", append_dim="time"),
            "add": lambda: tessera.to_tessera(one, "s.b2d", mode="a"),
            "replace": lambda: tessera.to_tessera(self.step(1), "s.b2d", mode="w"),
        }
        for name, action in actions.items():
            shutil.copytree("start.b2d", "s.b2d")
            calls = growing.killed_at(None, action)
            after = loaded("s.b2d")
            states = set()
            for point in range(1, calls + 1) if long_run() else [*range(1, calls, calls // 7), calls]:
                shutil.rmtree("s.b2d")
                shutil.copytree("start.b2d", "s.b2d")
                with self.subTest(name=name, point=point, of=calls):
                    self.assertIsNone(growing.killed_at(point, action))
                    found = loaded("s.b2d")
                    states.add(int(found.attrs["step"]))
                    xr.testing.assert_identical(found, after if found.attrs["step"] else self.step(0))
                    action()
                    self.assertEqual(set(loaded("s.b2d").variables), set(after.variables))
            self.assertIn(0, states)
            shutil.rmtree("s.b2d")


if __name__ == "__main__":
    if xr is None:
        print("xarray is missing: datasets in stores are not tested")
        sys.exit(77)
    unittest.main()
