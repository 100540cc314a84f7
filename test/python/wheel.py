"""A wheel is built from lib/python, and what it has works without anything else of the library."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

try:
    import mesonpy
except ImportError:
    mesonpy = None
PATCHELF = shutil.which("patchelf")  # meson-python needs it

SOURCE = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import tessera
assert tessera.__file__.startswith(sys.argv[1]), tessera.__file__
a = tessera.asarray(np.arange(1000).reshape(10, 100), codec="zstd")
assert a[3, ::-7].tolist() == np.arange(300, 400)[::-7].tolist()
try:
    tessera.open("http://127.0.0.1:9/none")
except OSError as error:
    print("without URLs" if "built without" in str(error) else "fine")
"""
BUILD = "import sys, backend; print(backend.build_wheel(sys.argv[1]))"


def can_have_urls():
    return all(subprocess.run(["pkg-config", "--exists", what], check=False).returncode == 0
               for what in ("libcurl >= 7.85", "nettle >= 3.4"))


@unittest.skipUnless(mesonpy and PATCHELF, "meson-python or patchelf is missing")
class Wheel(unittest.TestCase):
    def test_wheel(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD")}
        with tempfile.TemporaryDirectory() as folder:
            built = subprocess.run([sys.executable, "-c", BUILD, folder], cwd=SOURCE,
                                   env=environment, capture_output=True, text=True)
            self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
            wheel = built.stdout.split()[-1]
            self.assertIn("abi3", wheel)
            with zipfile.ZipFile(os.path.join(folder, wheel)) as archive:
                names = [n for n in archive.namelist() if ".dist-info/" not in n]
                archive.extractall(folder)
                entries = next(n for n in archive.namelist() if n.endswith("/entry_points.txt"))
                self.assertIn(b"[xarray.backends]\ntessera", archive.read(entries))
                licence = next(n for n in archive.namelist() if n.endswith("/licenses/LICENSE"))
                self.assertEqual(archive.read(licence), (SOURCE / "../../LICENSE").read_bytes())
            files = [path for path in (SOURCE / "tessera").rglob("*")
                     if path.suffix in (".py", ".pyi", ".typed")]
            package = {path.relative_to(SOURCE).as_posix() for path in files}
            package.add("tessera/_tessera.abi3.so")
            alone = {name.split(".data/platlib/")[-1] for name in names}
            self.assertEqual(package, alone)
            root = next(pathlib.Path(folder).rglob("__init__.py")).parent.parent
            ran = subprocess.run([sys.executable, "-c", PROGRAM, str(root)], env=environment,
                                 capture_output=True, text=True)
            wanted = "fine" if can_have_urls() else "without URLs"
            self.assertEqual(ran.stdout, wanted + "\n", ran.stderr)


if __name__ == "__main__":
    unittest.main()
