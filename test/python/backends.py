"""xarray's own tests of backends, for the engine "tessera".

They are not of this project: the packages of xarray in Debian and on PyPI have them. pytest runs the
classes below, which are those of xarray with other ways to write and to open.
"""

import contextlib
import sys

import tessera

try:
    import pytest
    import xarray as xr
    from xarray.backends.common import AbstractWritableDataStore
    from xarray.tests import test_backends as suite
except ImportError as missing:
    print(f"xarray's tests of backends are not run: {missing}")
    sys.exit(77)


# Tests that fail, how, and why.
EXPECTED = {
    "test_append_with_invalid_dim_raises": (AssertionError, "the words of the ValueError are others"),
}


class Store(AbstractWritableDataStore):
    """What xarray has encoded, as a folder of arrays. A store of xarray is written in parts."""

    def __init__(self, path):
        self.path = path

    def store(self, variables, attributes, *args, **more):
        tessera.to_tessera(xr.Dataset(variables, attrs=attributes), self.path)

    def load(self):
        ds = xr.open_dataset(self.path, engine="tessera", decode_cf=False)
        return ds.variables, ds.attrs


class OfEngine:
    """Ways to write and to open."""

    @pytest.fixture(autouse=True)
    def every_file_is_ours(self, monkeypatch):
        """Some tests write and open by themselves: the engine is guessed when they open."""
        monkeypatch.setattr(xr.Dataset, "to_netcdf", lambda ds, path, **more: self.save(ds, path))

    @pytest.fixture(autouse=True)
    def what_fails(self, request):
        if request.node.name in EXPECTED:
            kind, reason = EXPECTED[request.node.name]
            request.node.add_marker(pytest.mark.xfail(raises=kind, reason=reason, strict=True))

    @contextlib.contextmanager
    def create_store(self):
        with suite.create_tmp_file() as path:
            yield Store(path)

    def save(self, ds, path, mode="w", **more):
        tessera.to_tessera(ds, path, mode=mode, **more)

    @contextlib.contextmanager
    def open(self, path, **more):
        with xr.open_dataset(path, engine="tessera", **more) as ds:
            yield ds


class TestTessera(OfEngine, suite.CFEncodedBase):
    pass


if suite.has_dask:
    class TestTesseraViaDask(TestTessera):
        """Variables of Dask are written, and opened."""

        def save(self, ds, path, **more):
            super().save(ds.chunk(), path, **more)

        def open(self, path, chunks=-1, **more):
            return super().open(path, chunks=chunks, **more)

        # Items of Dask are not kept: the same test, of xarray's own class for Dask.
        test_dataset_caching = suite.TestDask.test_dataset_caching


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-rxs", "-W", "ignore", "-p", "no:cacheprovider", __file__, *sys.argv[1:]]))
