"""The samples in the words of the package run, and print what they say; stubs fit it."""

import doctest
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import tessera
import tessera.array
import tessera.layouts
import tessera.packets
from support import InFolder

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
with a.adopt() as adoption:
    packet: tessera.Packet = tessera.encode(a.sketch(), np.s_[:1], np.ones((1, 4)))
    adoption.add(packet, trusted=False)
    missing: list[int] = list(adoption.missing())
"""

MISTAKES = """
import tessera

tessera.create("x.b2nd", (3, 4))
tessera.open("x.b2nd").shape = (3,)
tessera.open("x.b2nd", threads="two")
tessera.open("x.b2nd").nothing
tessera.asarray([1]).append([1], axis="0")
"""


class Documentation(InFolder):
    def test_samples(self):
        tried = 0
        for module in (tessera, tessera.array, tessera.layouts, tessera.packets):
            failed, count = doctest.testmod(module)
            self.assertEqual(failed, 0, module)
            tried += count
        print(f"{tried} lines of samples")
        self.assertGreater(tried, 40)

    def test_page(self):
        page = os.environ.get("TESS_PYTHON_PAGE")
        if not page:
            self.skipTest("TESS_PYTHON_PAGE does not name the page of the manual")
        failed, count = doctest.testfile(page, module_relative=False)
        self.assertEqual(failed, 0)
        self.assertGreater(count, 15)

    def test_words(self):
        for name in tessera.__all__:
            if not name.startswith("_"):
                self.assertTrue(getattr(tessera, name).__doc__, name)
        for name, member in vars(tessera.Array).items():
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
        self.assertEqual(done.stdout.count(": error:"), 5, done.stdout + done.stderr)

    def test_stubs_fit_the_extension(self):
        stubtest = shutil.which("stubtest")
        if not stubtest:
            self.skipTest("stubtest is missing")
        done = subprocess.run([stubtest, "tessera._tessera"], capture_output=True, text=True,
                              env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
