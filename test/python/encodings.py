"""Encodings of xarray: requested ones, stale ones, and those of other engines."""

import importlib.util
import itertools
import os
import sys
import unittest
import warnings

import numpy as np
import tessera
from support import InFolder

try:
    import pandas as pd
    import xarray as xr
except ImportError:
    xr = None
try:
    import dask.array as da
except ImportError:
    da = None


def opened(path, **more):
    return xr.open_dataset(path, engine="tessera", **more)


def stored(path="ds", **more):
    """A dataset of one variable with the encoding of a file: chunks, and smaller blocks."""
    values = np.arange(12 * 20, dtype="i4").reshape(12, 20)
    tessera.to_tessera(xr.Dataset({"v": (("y", "x"), values)}), path, mode="w", encoding={"v": {
        "chunks": (6, 10), "blocks": (3, 5), "codec": "zstd", "level": 9, "filters": ["bitshuffle"], **more}})
    return opened(path)


def layout_of(path):
    with tessera.open(path) as a:
        return a.layout


@unittest.skipUnless(xr, "xarray is missing")
class Strings(InFolder):
    def round_trip(self, values, encoding, **more):
        ds = xr.Dataset({"s": ("x", np.array(values, dtype=object))})
        for asked in (True, False):  # an encoding of the call, or of the variable
            ds.s.encoding = {} if asked else encoding
            tessera.to_tessera(ds, "ds", mode="w", encoding={"s": encoding} if asked else None)
            with opened("ds") as found:
                found.load()
                yield found.s

    def test_missing_ones(self):
        nan = float("nan")
        for values, encoding in (
            ([b"ab", b"cdef", nan], {"dtype": "S1", "_FillValue": b"X"}),
            ([b"ab", b"cdef", nan], {"dtype": np.dtype("S1"), "_FillValue": b"longer than all"}),
            ([b"ab", nan, b""], {"_FillValue": b"-"}),
            ([b"ab", b"cdef", nan], {"_FillValue": b""}),
            (["ab", nan, "ä"], {"_FillValue": "NA"}),
            (["ab", nan, "ä"], {"_FillValue": "", "dtype": str}),
        ):
            for found in self.round_trip(values, encoding):
                with self.subTest(values=values, encoding=encoding):
                    self.assertEqual([pd.isnull(x) for x in found.values], [x is nan for x in values])
                    self.assertEqual([x for x in found.values if not pd.isnull(x)],
                                     [x for x in values if x is not nan])
        with self.assertRaises(NotImplementedError):  # as xarray says for netCDF
            list(self.round_trip(["ab", nan], {"dtype": "S1", "_FillValue": b"X"}))

    def test_text_as_bytes(self):
        for found in self.round_trip(["ab", "äöü", ""], {"dtype": "S1"}):
            self.assertEqual(list(found.values), ["ab", "äöü", ""])
            self.assertEqual((found.encoding["_Encoding"], found.encoding["dtype"]), ("utf-8", np.dtype("S1")))
        with tessera.open("ds/s.b2nd") as a:
            self.assertEqual((a.dtype, a.attrs["_Encoding"]), (np.dtype("S6"), "utf-8"))
        part = xr.Dataset({"s": ("x", ["éé"])})
        tessera.to_tessera(part, "ds", append_dim="x")
        with opened("ds") as found:
            self.assertEqual(list(found.s.values), ["ab", "äöü", "", "éé"])
        for wrong in (xr.Dataset({"s": ("x", [b"\xff"])}), xr.Dataset({"s": ("x", ["longer than any"])})):
            with self.assertRaisesRegex(ValueError, "'s'"):
                tessera.to_tessera(wrong, "ds", append_dim="x")

    def test_what_is_no_string(self):
        """Items are not converted to strings silently, and strings are not cut silently."""
        nan = float("nan")
        for values, encoding, error in (
            (["a", 1, 2.5], {}, TypeError), (["a", b"b"], {}, TypeError), ([b"a", "b"], {}, TypeError),
            (["a", nan], {"_FillValue": -1}, TypeError), (["a\0", "b"], {}, ValueError), ([b"a\0", b"b"], {}, ValueError),
        ):
            words = "'s' of dtype object has the item .*: its items must be all str, or all bytes"
            if error is ValueError:
                words = "'s' has the string .*, which ends in a zero byte: "
            with self.subTest(values=values), self.assertRaisesRegex(error, words):
                list(self.round_trip(values, encoding))
        self.assertEqual(os.listdir(), [])
        for kind in (str, "S1", None):
            for found in self.round_trip([b"a", b"", b"c"], {"dtype": kind} if kind else {}):
                self.assertEqual(list(found.values), [b"a", b"", b"c"])
            tessera.to_tessera(xr.Dataset({"s": ("x", np.array([b"d"]))}), "ds", append_dim="x")
            with opened("ds") as found:
                self.assertEqual(list(found.s.values), [b"a", b"", b"c", b"d"])

    def test_none_is_no_fill_value(self):
        for key in ("_FillValue", "missing_value"):
            ds = xr.Dataset({"v": ("x", [1.5, 2.5])}, coords={"x": [0.5, 1.5]})
            tessera.to_tessera(ds, "ds", mode="w", encoding={"v": {"_FillValue": None, key: None},
                                                             "x": {"_FillValue": None, key: None}})
            with opened("ds", decode_cf=False) as found:
                self.assertEqual((found.v.attrs, found.x.attrs), ({}, {}))

    def test_fill_values_of_no_item(self):
        """Any _FillValue is kept as an attribute; the array is filled with it only if it fits."""
        for kind, value, fill in (("u1", -1, 0), ("u1", "NA", 0), ("u1", [1, 2], 0), ("u1", float("nan"), 0),
                                  ("u1", 7, 7), ("u1", np.uint8(7), 7), ("f4", float("nan"), float("nan")),
                                  ("f4", 0.5, 0.5), ("U3", -1, ""), ("U3", "ab", "ab"), ("U3", b"ab", ""), ("U3", "", ""),
                                  ("S3", b"long", b""), ("S3", b"ab", b"ab"), ("S3", "ab", b"")):
            ds = xr.Dataset({"v": ("x", np.arange(3).astype(kind), {"_FillValue": value})})
            tessera.to_tessera(ds, "ds", mode="w")
            with tessera.open("ds/v.b2nd") as a:
                np.testing.assert_equal((a.fill_value, a.attrs["_FillValue"]), (fill, value))


@unittest.skipUnless(xr, "xarray is missing")
class Stale(InFolder):
    """Encodings of a file, parts of which no longer fit: the other parts are used."""

    def written(self, ds, **more):
        tessera.to_tessera(ds, "out", mode="w", **more)
        with opened("out") as found:
            xr.testing.assert_identical(found.load(), ds.compute())
        return layout_of("out/v.b2nd")

    def test_nothing_changed(self):
        with stored() as ds:
            self.assertEqual(self.written(ds), layout_of("ds/v.b2nd"))

    def test_changed_chunks(self):
        with stored() as ds:
            for chunks in ((2, 2), (12, 20), [4, 4]):
                for asked in (True, False):
                    encoding = {**ds.v.encoding, "chunks": chunks}
                    changed = ds.copy()
                    if not asked:
                        changed.v.encoding = encoding
                    layout = self.written(changed, encoding={"v": encoding} if asked else None)
                    if asked or isinstance(chunks, tuple):
                        self.assertEqual(layout.chunks, tuple(chunks))
                    self.assertEqual((layout.codec, layout.level, layout.filters),
                                     ("zstd", 9, (("bitshuffle", 0),)))
            ds.v.encoding["level"] = 1
            layout = self.written(ds)
            self.assertEqual((layout.chunks, layout.blocks, layout.codec, layout.level), ((6, 10), (3, 5), "zstd", 1))
            with self.assertRaises(ValueError):  # what is asked for is not left out
                tessera.to_tessera(ds, "wrong", encoding={"v": {"chunks": (2, 2), "blocks": (3, 5)}})

    def test_parts(self):
        with stored() as ds:
            for part in (ds.isel(x=3), ds.isel(x=slice(4)), ds.isel(y=slice(0)), ds.isel(y=0, x=0), ds.transpose(),
                         ds.expand_dims("z"), ds.astype("f8"), xr.concat([ds, ds], "x"), ds.astype("M8[ns]")):
                layout = self.written(part)
                if part.v.encoding:  # xarray does not always keep it
                    self.assertEqual((layout.codec, layout.filters), ("zstd", (("bitshuffle", 0),)))

    def test_codecs_that_do_not_fit(self):
        """Codecs and filters that do not support the new type or shape are left out."""
        whole = xr.Dataset({"v": (("y", "x"), np.arange(240, dtype="f4").reshape(12, 20))})
        tessera.to_tessera(whole, "zfp", encoding={"v": {"codec": ("zfp_rate", 100), "filters": []}})
        with opened("zfp") as ds:
            self.assertEqual(self.written(ds).codec_meta, 100)
            self.written(ds.astype("i8"))
            self.written(ds.isel(x=0, y=0))
        for codec in ("ndlz", "no codec", 5, ("lz4", "x")):
            with stored() as ds:
                ds.v.encoding["codec"] = codec
                self.written(ds)
        for key, value in itertools.product(("chunks", "blocks", "filters", "level"), ("auto", -1, [object()], (0, 3))):
            with stored() as ds:
                ds.v.encoding[key] = value
                self.written(ds)

    def test_dask(self):
        if not da:
            self.skipTest("dask is missing")
        stored().close()
        with opened("ds", chunks={"x": 7, "y": 5}) as ds, warnings.catch_warnings():
            self.assertEqual(self.written(ds).chunks, (6, 10))
            self.assertEqual(self.written(ds.chunk({"x": 4, "y": 4})).chunks, (6, 10))
            self.assertEqual(self.written(ds.isel(x=slice(7)).chunk({"x": 4, "y": 4})).chunks, (4, 4))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ds = xr.open_dataset("ds", engine="tessera", chunks={"x": 4, "y": 2}, overwrite_encoded_chunks=True)
        with ds:
            self.assertEqual(self.written(ds).chunks, (2, 4))


def mixed():
    rng = np.random.default_rng(3)
    values = rng.normal(280, 10, (6, 4, 5)).astype("f4")
    values[1, 2] = np.nan
    return xr.Dataset(
        {"t": (("time", "y", "x"), values, {"units": "K", "long_name": "größe"}),
         "packed": (("y", "x"), rng.integers(0, 9, (4, 5)) / 2, {},
                    {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1}),
         "unsigned": ("x", [1.0, 2, 3, np.nan, 255], {}, {"dtype": "i1", "_Unsigned": "true", "_FillValue": -2}),
         "flag": (("y", "x"), rng.random((4, 5)) < 0.5),
         "big": ("x", np.arange(5, dtype=">i4")),
         "number": ((), 3),
         "text": ("x", np.array(["a", "äö", "", "long " * 9, "z"], dtype=object)),
         "fixed": ("x", np.array([b"a", b"bc", b"", b"d", b"e"])),
         "coded": ("x", np.array(["a", "äö", "", "b", "z"], dtype=object), {}, {"dtype": "S1"}),
         "gaps": ("x", np.array([b"a", np.nan, b"c", b"d", np.nan], dtype=object), {}, {"_FillValue": b"-"}),
         "delay": ("time", pd.to_timedelta([0, 1, 2, None, 4, 5], "h"))},
        coords={"time": pd.date_range("2001-01-01", periods=6, freq="6h"), "y": [4.0, 3, 2, 1],
                "lon": (("y", "x"), rng.random((4, 5)))},
        attrs={"title": "größe", "numbers": np.arange(3, dtype="i4"), "empty": ""})


@unittest.skipUnless(xr, "xarray is missing")
class OtherEngines(InFolder):
    """Datasets of other engines are written with their encodings, and back."""

    def through(self, ds, *steps):
        for engine, write in steps:
            path = f"{len(os.listdir())}.{engine}"
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*fill_value.*|.*deprecated.*|.*onsolidated.*")
                write(ds, path)
                ds = xr.open_dataset(path, engine=engine)
            self.addCleanup(ds.close)
        return ds

    def check(self, other, write_other):
        def write(ds, path):
            tessera.to_tessera(ds, path)

        if importlib.util.find_spec({"netcdf4": "netCDF4"}.get(other, other)) is None:
            self.skipTest(f"{other} is missing")
        ours, theirs = ("tessera", write), (other, write_other)
        for steps in ((ours, theirs, ours), (theirs, ours, theirs), (ours, ours)):
            with self.subTest(steps=[engine for engine, _ in steps]):
                found = self.through(mixed(), *steps)
                xr.testing.assert_equal(found.load(), mixed())
                for name, variable in mixed().variables.items():
                    self.assertEqual(found[name].attrs, variable.attrs, name)
                self.assertEqual(found.title, "größe")
                self.assertEqual(found.packed.encoding["dtype"], np.dtype("i2"))
        if da:
            whole = mixed()[["t", "big"]]
            found = self.through(whole.chunk({"x": 2}), ours, theirs)
            xr.testing.assert_equal(found.load(), whole)

    def test_zarr(self):
        self.check("zarr", lambda ds, path: ds.to_zarr(path))

    def test_netcdf(self):
        self.check("netcdf4", lambda ds, path: ds.to_netcdf(path, engine="netcdf4"))

    def test_h5netcdf(self):
        self.check("h5netcdf", lambda ds, path: ds.to_netcdf(path, engine="h5netcdf"))

    def test_chunks_of_zarr(self):
        """They are kept, and the filters of Zarr are left out."""
        if importlib.util.find_spec("zarr") is None:
            self.skipTest("zarr is missing")
        import numcodecs
        ds = xr.Dataset({"v": (("y", "x"), np.arange(240).reshape(12, 20))})
        ds.to_zarr("z", encoding={"v": {"chunks": (5, 7), "filters": [numcodecs.Delta("i8")]}})
        with xr.open_dataset("z", engine="zarr") as found:
            tessera.to_tessera(found, "ds")
        self.assertEqual(layout_of("ds/v.b2nd").chunks, (5, 7))
        with opened("ds") as found:
            xr.testing.assert_identical(found.load(), ds)


if __name__ == "__main__":
    if xr is None:
        print("xarray is missing: encodings are not tested")
        sys.exit(77)
    unittest.main()
