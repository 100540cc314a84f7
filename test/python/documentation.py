"""The samples in the words of the package run, and print what they say; stubs fit it."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import shutil
import subprocess
import sys
import unittest

import tessera
from support import InFolder

try:
    import dask.array
    import distributed
    import xarray

    CLUSTER = True
except ImportError:
    CLUSTER = False

PACKAGE = pathlib.Path(tessera.__file__).parent
# The python that mypy of the system is for.
MYPY = shutil.which("mypy")

PROGRAM = """
from typing import Any

import numpy as np
import tessera

def mean(path: str) -> float:
    with tessera.open(path, threads=2) as a:
        items: np.ndarray[Any, Any] = a.read(np.s_[0], out=np.zeros(a.shape[1:], a.dtype))
        return float(items.mean()) + float(a.sum(axis=(0, 1)))

a = tessera.create("x.b2nd", (3, 4), "f4", chunks=(1, 4), codec=("ndlz", 4), filters=["shuffle"])
a[0] = 5
a.attrs["k"] = {"x": [1, 2.5, None]}
a.append(np.zeros((1, 4)))
view: tessera.Array = a.view[0].T
best: tessera.Layout = tessera.layout(a, accesses="row", budget=1.0)
b = tessera.asarray([1, 2], layout=best)
for index, chunk in b.iter_chunks():
    b[index] = chunk
c: tessera.Array = tessera.open("x.b2nd", "r+", wait=1.5, checksums="verify", durability="fsync")
with a.adopt() as adoption:
    packet: tessera.Packet = tessera.encode(a.sketch(), np.s_[:1], np.ones((1, 4)))
    adoption.add(packet, trusted=False)
    missing: list[int] = list(adoption.missing())
    lease: tessera.Lease = adoption.lease(packet.cbytes)
    adoption.add(memoryview(bytes(packet.place("x.b2nd", lease, sync=True))))

with tessera.open_store("s.b2d", "a", durability="none", wait=1.5) as store:
    store["u"] = np.arange(3)
    u: tessera.Array = store.create("winds/u", (3, 4), "f4", codec="zstd", fill_value=1)
    store["winds"].attrs["k"] = 1
    names: list[str] = [entry.name for entry in store.walk() if entry.size > 0]
    store.rename("u", "v")
    store.commit()
    store.name_commit("first")
with tessera.open_store("s.b2d", commit="first") as store:
    number: int = store.number if store.refresh() else len(store)

def parallel(dask_array: Any, dataset: Any) -> None:
    tessera.from_dask(dask_array, "y.b2nd", chunks=(10, 10), shared=True).close()
    tessera.to_tessera(dataset, "ds", encoding={"x": {"level": 3}}, unlimited_dims=["t"])
    tessera.to_tessera(dataset, "ds", append_dim="t", shared=True)
    tessera.to_tessera(dataset, "ds", mode="a")
    tessera.to_dask(b, chunks="auto").sum()
"""

MISTAKES = """
import tessera

tessera.create("x.b2nd", (3, 4))
tessera.open("x.b2nd").shape = (3,)
tessera.open("x.b2nd", threads="two")
tessera.open("x.b2nd").nothing
tessera.asarray([1]).append([1], axis="0")
tessera.encode(5, ..., 1)
tessera.asarray([1]).adopt().lease("big")
tessera.open("x.b2nd", checksums="all")
tessera.open_store("s.b2d", commit=1.5)
"""


class Documentation(InFolder):
    def test_samples(self):
        tried = 0
        names = ["tessera"]
        names += [module.name for module in pkgutil.walk_packages(tessera.__path__, "tessera.")]
        needy = {"tessera." + name for name in (
            "cluster", "datasets", "folders.lazy", "tasks", "xarray_backend")}
        for name in sorted(set(names) if CLUSTER else set(names) - needy):
            module = importlib.import_module(name)
            failed, count = doctest.testmod(module)
            self.assertEqual(failed, 0, module)
            tried += count
        print(f"{tried} lines of samples")
        self.assertGreater(tried, 40)

    def page(self, name, least):
        folder = os.environ.get("TESS_MANUAL")
        if not folder:
            self.skipTest("TESS_MANUAL does not name the folder of the manual")
        failed, count = doctest.testfile(os.path.join(folder, name), module_relative=False)
        self.assertEqual(failed, 0)
        self.assertGreater(count, least)

    def test_page(self):
        self.page("python.rst", 15)

    def test_readme(self):
        self.page(os.path.join("..", "..", "README.rst"), 4)

    @unittest.skipUnless(CLUSTER, "xarray, dask or distributed is missing")
    def test_page_on_clusters(self):
        self.page("cluster.rst", 25)

    def test_words(self):
        for name in tessera.__all__:
            if not name.startswith("_"):
                self.assertTrue(getattr(tessera, name).__doc__, name)
        for cls in (tessera.Array, tessera.Packet, tessera.Adoption, tessera.Group, tessera.Store,
                    tessera._tessera.Store):
            for name, member in vars(cls).items():
                if not name.startswith("_"):
                    self.assertTrue(member.__doc__, name)


@unittest.skipUnless(MYPY, "mypy is missing")
class Types(InFolder):
    def mypy(self, *arguments):
        environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
        return subprocess.run([MYPY, "--python-executable", sys.executable, "--cache-dir",
                               self.folder, "--strict", *arguments],
                              env=environment, capture_output=True, text=True)

    def test_package(self):
        done = self.mypy("-p", "tessera")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_program(self):
        pathlib.Path("program.py").write_text(PROGRAM)
        done = self.mypy("program.py")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mistakes(self):
        pathlib.Path("mistakes.py").write_text(MISTAKES)
        done = self.mypy("mistakes.py")
        self.assertEqual(done.stdout.count(": error:"), 9, done.stdout + done.stderr)

    def test_stubs_fit_the_extension(self):
        stubtest = shutil.which("stubtest")
        if not stubtest:
            self.skipTest("stubtest is missing")
        done = subprocess.run([stubtest, "tessera._tessera"], capture_output=True, text=True,
                              env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
