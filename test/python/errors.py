"""Failures are exceptions of Python, with the library's sentence, and change nothing."""

import errno
import os
import pathlib
import shutil
import unittest

import numpy as np
import tessera
from support import InFolder


class Errors(InFolder):
    def test_classes(self):
        for name in ("ArgumentError", "FormatError", "CorruptError", "UnsupportedError",
                     "LimitError", "StaleError", "CancelledError", "KindError"):
            self.assertTrue(issubclass(getattr(tessera, name), tessera.Error), name)
        self.assertTrue(issubclass(tessera.ArgumentError, ValueError))
        self.assertTrue(issubclass(tessera.KindError, TypeError))

    def test_files(self):
        with self.assertRaises(FileNotFoundError) as caught:
            tessera.open("nothing.b2nd")
        self.assertEqual(caught.exception.errno, errno.ENOENT)
        self.assertEqual(caught.exception.filename, os.path.abspath("nothing.b2nd"))
        with open("text", "wb") as file:
            file.write(b"no array, but bytes enough to be one" * 10)
        with self.assertRaises(tessera.FormatError):
            tessera.open("text")
        os.mkdir("sparse")
        shutil.copy("text", "sparse/chunks.b2frame")
        tessera.asarray(np.arange(1000), "whole").close()
        with open("whole", "rb") as whole, open("cut", "wb") as cut:
            cut.write(whole.read()[:-100])
        with open("whole", "rb") as whole, open("ahead", "wb") as ahead:
            frame = bytearray(whole.read())
            frame[26] = 0x1F  # a codec of a later version
            ahead.write(frame)
        for path, error, options in (("text", tessera.FormatError, {}),
                                     ("./text", tessera.FormatError, {"mmap": True}),
                                     (pathlib.Path("sparse"), tessera.FormatError, {}),
                                     ("cut", tessera.CorruptError, {"mode": "r+"}),
                                     ("ahead", tessera.UnsupportedError, {}),
                                     ("whole", tessera.LimitError, {"memory_limit": 10})):
            with self.assertRaisesRegex(error, f"^'{path}': [^']{{10}}"):
                tessera.open(path, **options)
        os.mkdir("empty")
        with self.assertRaises((tessera.FormatError, OSError)):
            tessera.open("empty")
        with self.assertRaises(NotADirectoryError):
            tessera.open("text/below")
        tessera.create("array", 3, "i4", sparse=True).close()
        os.chdir("array")
        for path, error in (("", FileNotFoundError), ("a\0b", ValueError), (b"array", TypeError),
                            ("http://127.0.0.1:1\0/a", (ValueError, OSError))):
            with self.assertRaises(error):
                tessera.create(path, 3, "i4")
        with self.assertRaises(FileNotFoundError):
            tessera.open("")
        with self.assertRaisesRegex(ValueError, "codec"):
            tessera.create(None, 3, "i4", codec="zstd\0")

    def test_damaged(self):
        tessera.asarray(np.random.default_rng(1).integers(0, 99, 10000), "a.b2nd").close()
        with open("a.b2nd", "r+b") as file:
            file.seek(250)
            file.write(b"\xff" * (os.path.getsize("a.b2nd") // 2))
        a = tessera.open("a.b2nd")
        with self.assertRaises(tessera.CorruptError) as caught:
            a[...]
        self.assertGreater(len(str(caught.exception)), 10)

    def test_arguments(self):
        for wrong in (dict(shape=-1), dict(shape=(1,) * 17), dict(dtype="O"), dict(dtype="S0"),
                      dict(codec="none"), dict(level=10), dict(filters=["none"]),
                      dict(filters=[("shuffle", 1000)]), dict(filters=["shuffle"] * 7),
                      dict(chunks=(1, 2)), dict(blocks=5, chunks=3), dict(mode="a"),
                      dict(threads=0), dict(threads=-1), dict(cache=-1), dict(shape=2**62, chunks=1),
                      dict(chunks="abc"), dict(shape=None), dict(dtype="nothing"), dict(filters="none"),
                      dict(filters=("shuffle", 1000)), dict(filters=5)):
            arguments = {"path": None, "shape": 10, "dtype": "i4", **wrong}
            with self.assertRaises((ValueError, TypeError), msg=str(wrong)):
                tessera.create(**arguments)
        for dtype, instead in ((str, "'U10'"), (bytes, "'S10'"), ("U", "'U10'"), (object, "'U10'")):
            with self.assertRaisesRegex((ValueError, TypeError), instead):
                tessera.create(None, 3, dtype)
        with self.assertRaises(ValueError):
            tessera.open("a", "rw")
        with self.assertRaises(TypeError):
            tessera.open(5)
        with self.assertRaises(TypeError):
            tessera._tessera.Array()
        with self.assertRaises(TypeError):
            tessera.Array()

    def test_out(self):
        a = tessera.asarray(np.arange(6).reshape(2, 3))
        for out, error in ((np.zeros((2, 3)), TypeError), (np.zeros((3, 2), "i8"), ValueError),
                           ([1], TypeError), (np.zeros(6, "i8"), ValueError)):
            with self.assertRaises(error):
                a.read(out=out)
        fixed = np.zeros((2, 3), "i8")
        fixed.flags.writeable = False
        with self.assertRaises(TypeError):
            a.read(out=fixed)

    def test_indices(self):
        a = tessera.asarray(np.arange(6).reshape(2, 3))
        for index in (2, -3, (0, 3), (0, 0, 0), 2**70, "a", 1.5, [0.5], (..., ...), [2],
                      [[0, 1], [0, 5]], np.zeros((2, 2), bool), ([0, 1], [0, 1, 2]), object()):
            with self.assertRaises(IndexError, msg=str(index)):
                a[index]
            with self.assertRaises(IndexError, msg=str(index)):
                a[index] = 1
        with self.assertRaises(ValueError):
            a[::0]
        with self.assertRaises(IndexError):
            a.oindex[[[0, 1]], 0]


if __name__ == "__main__":
    unittest.main()
