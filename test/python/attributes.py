"""Attributes, of all types, and names of axes."""

import datetime
import unittest

import numpy as np
import tessera
from support import InFolder


class AttributesOfFiles(InFolder):
    def test_types(self):
        values = {
            "none": None, "yes": True, "no": False, "int": -5, "large": 2**64 - 1,
            "least": -(2**63), "float": 0.1, "text": "grün", "bytes": b"\x00\xff",
            "list": [1, [2.5, "x"], {"k": [None]}], "map": {"a": 1, "b": {"c": [True]}, 3: "three"},
            "ext": tessera.Ext((5, b"abc")), "opaque": tessera.Opaque((b"\xc1",)),
            "empty": [], "nothing": {},
        }
        with tessera.create("a.b2nd", 2, "i4") as a:
            a.attrs.update(values)
        with tessera.open("a.b2nd") as a:
            self.assertEqual(dict(a.attrs), values)
            for name, value in values.items():
                self.assertIs(type(a.attrs[name]), type(value), name)
            self.assertEqual(a.attrs["ext"].code, 5)
            self.assertEqual(list(a.attrs), list(values))
            with self.assertRaises(ValueError):
                a.attrs["int"] = 6

    def test_many(self):
        """More than other writers take, as arrays in memory and files can have."""
        a = tessera.create(None, 2, "i4")
        names = [f"name {i}" for i in range(100)]
        a.attrs.update(zip(names, range(100)))
        for b in (a, tessera.open(a.to_bytes(), "r+")):
            self.assertEqual((list(b.attrs), len(b.attrs)), (names, 100))
            self.assertEqual(dict(b.attrs)["name 99"], 99)
            for name in b.attrs:
                del b.attrs[name]
            self.assertEqual(dict(b.attrs), {})

    def test_names(self):
        """A name that no attribute can have is not there."""
        a = tessera.create(None, (2, 3), "i4")
        a.attrs["k"] = 1
        for name in ("k\0", "k\0k", "\ud800", "", "k" * 100, 5, None, b"k"):
            self.assertNotIn(name, a.attrs)
            for call in (a.attrs.__getitem__, a.attrs.__delitem__):
                with self.assertRaises(KeyError):
                    call(name)
            with self.assertRaises((ValueError, TypeError)):
                a.attrs[name] = 2
        self.assertEqual(dict(a.attrs), {"k": 1})
        for wrong in (("y\0", "x"), (1, 2), (b"y", b"x")):
            with self.assertRaises((ValueError, TypeError)):
                a.dims = wrong
        self.assertIsNone(a.dims)

    def test_numpy(self):
        a = tessera.create(None, 2, "i4")
        a.attrs["i"] = np.int16(4)
        a.attrs["f"] = np.float32(0.5)
        a.attrs["a"] = np.arange(3)
        a.attrs["t"] = (np.array([1.5]), {"k": np.bool_(True)})
        self.assertEqual(dict(a.attrs), {"i": 4, "f": 0.5, "a": [0, 1, 2],
                                         "t": [[1.5], {"k": True}]})

    def test_mapping(self):
        a = tessera.create(None, 2, "i4")
        a.attrs["x"] = 1
        self.assertIn("x", a.attrs)
        self.assertNotIn("y", a.attrs)
        self.assertEqual(a.attrs.pop("x"), 1)
        for call in (lambda: a.attrs["x"], lambda: a.attrs.pop("x")):
            with self.assertRaisesRegex(KeyError, "x"):
                call()
        self.assertEqual((len(a.attrs), a.attrs.get("x", 7)), (0, 7))
        self.assertEqual(repr(a.attrs), "Attributes({})")

    def test_refused(self):
        a = tessera.create(None, 2, "i4")
        a.attrs["x"] = 1
        deep = []
        for _ in range(40):
            deep = [deep]
        endless = []
        endless.append(endless)
        for value, error in ((object(), TypeError), (1j, TypeError), (2**64, OverflowError),
                             (deep, ValueError), (endless, RecursionError), ({1, 2}, TypeError),
                             ("\udc80", ValueError), (tessera.Ext((200, b"")), ValueError),
                             (np.longdouble(1), TypeError), ([np.longdouble(1)], TypeError)):
            with self.assertRaises(error):
                a.attrs["x"] = value
            self.assertEqual(a.attrs["x"], 1)
        for value, words in ((datetime.date(2020, 1, 1), "'x' cannot be datetime.date"),
                             ([1, {"k": {1}}], "'x' cannot be set"), (2**64, "'x'"), (deep, "'x'"),
                             (np.longdouble(1), "'x' cannot be numpy"), (object, "'x' cannot be type")):
            with self.assertRaisesRegex((TypeError, ValueError, OverflowError), words):
                a.attrs["x"] = value
        with self.assertRaisesRegex(TypeError, "name of an attribute is a str, not 5"):
            a.attrs[5] = 1
        with self.assertRaises(ValueError):
            a.attrs["n" * 40] = 1
        with self.assertRaises(TypeError):
            a.attrs[5] = 1
        with self.assertRaises(tessera.LimitError), tessera.create("full.b2nd", 3, "i4") as b:
            for i in range(20):
                b.attrs[str(i)] = i

    def test_names_of_axes(self):
        a = tessera.create(None, (2, 3), "i4")
        self.assertIsNone(a.dims)
        a.dims = ["y", "x"]
        self.assertEqual(a.dims, ("y", "x"))
        self.assertEqual(a.view[0].dims, ("x",))
        self.assertEqual(a.T.view[:, None].dims, ("x", "", "y"))
        with self.assertRaises(ValueError):
            a.dims = ["y"]
        a.attrs["_ARRAY_DIMENSIONS"] = 5
        with self.assertRaises(tessera.KindError):
            a.dims


if __name__ == "__main__":
    unittest.main()
