"""What the tests of the package share: random arrays, a folder of their own."""

import os
import shutil
import tempfile
import unittest

import numpy as np

# Types of all kinds that the library knows, in both byte orders.
DTYPES = [
    "?", "i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">i8", "<u8",
    "<f2", "<f4", ">f4", "<f8", ">f8", "<c8", "<c16", ">c16", "S1", "S5", "<U3", ">U2", "V3", "V16",
    "<M8[s]", ">M8[ns]", "<m8[D]", "<m8[us]",
    [("a", "<i4"), ("b", "<f8")],
    [("t", "<M8[s]"), ("name", "S3"), ("at", "<f4", (2,))],
    [("x", [("y", "u1"), ("z", ">i2")]), ("flag", "?")],
]


def long_run():
    return os.environ.get("TESS_TEST_LONG", "0") not in ("", "0")


def items_of(rng, shape, dtype):
    """Random items of any type: random bytes, but where few bytes are valid."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=int))
    if dtype.names:
        out = np.zeros(shape, dtype)
        for name in dtype.names:
            kind = dtype[name]
            base, inner = kind.subdtype if kind.subdtype else (kind, ())
            out[name] = items_of(rng, tuple(shape) + tuple(inner), base)
        return out
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    if dtype.kind in "fc":
        return (rng.integers(-50, 50, shape) / 4).astype(dtype)
    if dtype.kind in "Mm":
        return rng.integers(-1000, 1000, shape).astype("i8").astype(f"{dtype.kind}8" + dtype.str[3:]).astype(dtype)
    if dtype.kind in "SU":
        letters = rng.choice(list("abcxyz"), (count, dtype.itemsize // (4 if dtype.kind == "U" else 1)))
        words = np.array(["".join(word) for word in letters], dtype=dtype) if count else np.zeros(0, dtype)
        return words.reshape(shape)
    return np.frombuffer(rng.bytes(count * dtype.itemsize), dtype=dtype).reshape(shape)


def same(one, other):
    """Equal in type, shape and every byte."""
    one, other = np.asarray(one), np.asarray(other)
    return (one.dtype == other.dtype and one.shape == other.shape
            and one.tobytes() == other.tobytes())


class InFolder(unittest.TestCase):
    """A test with a working directory of its own."""

    def setUp(self):
        self.before = os.getcwd()
        self.folder = tempfile.mkdtemp(prefix="tessera-")
        os.chdir(self.folder)

    def tearDown(self):
        os.chdir(self.before)
        shutil.rmtree(self.folder)
