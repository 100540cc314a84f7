"""Arrays as a whole: created, opened, changed, copied, pickled, reduced."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import unittest

import numpy as np
import tessera
from support import DTYPES, InFolder, items_of, same


def first_item(array):
    return array[0]


class Life(InFolder):
    def test_every_type_in_a_file(self):
        rng = np.random.default_rng(1)
        for i, dtype in enumerate(DTYPES):
            items = items_of(rng, (7, 5), dtype)
            with tessera.asarray(items, f"{i}.b2nd", chunks=(3, 4)) as a:
                self.assertEqual(a.dtype, np.dtype(dtype))
            with tessera.open(f"{i}.b2nd") as a:
                self.assertEqual(a.dtype, np.dtype(dtype))
                self.assertTrue(same(a[...], items))
                self.assertTrue(same(np.asarray(a), items))

    def test_aligned_fields(self):
        dtype = np.dtype([("a", "u1"), ("b", "f8"), ("c", "u2")], align=True)
        items = np.zeros(4, dtype)
        items["b"] = [1, 2, 3, 4]
        a = tessera.asarray(items)
        self.assertEqual(a.dtype.itemsize, dtype.itemsize)
        self.assertEqual(a[2]["b"], 3)
        a[0] = (1, 2.5, 3)
        self.assertEqual(a[0]["c"], 3)

    def test_properties(self):
        a = tessera.create(None, (10, 20, 30), ">f4", chunks=(5, 10, 30), blocks=(1, 10, 15))
        self.assertEqual((a.shape, a.ndim, a.size, a.nbytes), ((10, 20, 30), 3, 6000, 24000))
        self.assertEqual((a.chunks, a.blocks), ((5, 10, 30), (1, 10, 15)))
        self.assertEqual((len(a), a.path, a.writable, a.closed), (10, None, True, False))
        self.assertEqual(a.fill_value, 0)
        self.assertIn("(10, 20, 30)", repr(a))
        for shape in (np.array([2, 3]), [np.int8(2), 3], (2, 3)):
            self.assertEqual(tessera.create(None, shape, "i4", chunks=shape).shape, (2, 3))
        self.assertEqual(tessera.create(None, np.array(3), "i4").shape, (3,))
        with self.assertRaises(TypeError):
            tessera.create(None, np.array([2.5, 3]), "i4")

    def test_one_filter(self):
        for filters, want in (("shuffle", ["shuffle"]), (("bitshuffle", 0), ["bitshuffle"]),
                              (["delta", "shuffle"], ["delta", "shuffle"]), ([], []),
                              ((("delta", 0), "shuffle"), ["delta", "shuffle"])):
            a = tessera.create(None, 3, "i4", filters=filters)
            self.assertEqual([name for name, _ in a.layout.filters], want, filters)
            self.assertEqual(tessera.asarray([1], filters=filters).layout.filters, a.layout.filters)
            self.assertEqual(a.copy(filters=filters).layout.filters, a.layout.filters)

    def test_fill_value(self):
        for value, dtype in ((7, "i2"), (1.5, ">f8"), ("ab", "U3"), ("2020-01-01", "M8[D]")):
            a = tessera.create(None, 4, dtype, fill_value=value)
            self.assertTrue(same(a[...], np.full(4, value, dtype)))
            a.resize(6)
            self.assertTrue(same(a[...], np.full(6, value, dtype)))
            self.assertEqual(a.fill_value, np.asarray(value, dtype)[()])
        with self.assertRaises(ValueError):
            tessera.create(None, 4, "i2", fill_value=[1, 2])

    def test_modes(self):
        tessera.create("a.b2nd", 3, "i4", fill_value=1).close()
        with self.assertRaises(FileExistsError):
            tessera.create("a.b2nd", 3, "i4")
        with tessera.create("a.b2nd", 3, "i4", mode="w", fill_value=2):
            self.assertEqual(tessera.open("a.b2nd")[0], 1)  # until it is closed
        self.assertEqual(tessera.open("a.b2nd")[0], 2)
        with tessera.open("a.b2nd", "r+") as a:
            with self.assertRaises(BlockingIOError):
                tessera.open("a.b2nd", "r+")
            a[0] = 5
        with tessera.open("a.b2nd", mmap=True) as a:
            self.assertEqual(a[0], 5)
            with self.assertRaises(ValueError):
                a[0] = 6
        with tessera.create("b.b2nd", 3, "i4", mode="w") as a:
            a[0] = 3
            a.discard()
        self.assertFalse(os.path.exists("b.b2nd"))

    def test_sparse_and_paths(self):
        path = tessera.asarray([1, 2, 3], "directory", sparse=True)
        path.close()
        self.assertTrue(os.path.isdir("directory"))
        os.mkdir("inside")
        os.chdir("inside")
        import pathlib
        self.assertEqual(tessera.open(pathlib.Path("..") / "directory")[2], 3)

    def test_end_of_program_commits(self):
        program = ("import tessera\na = tessera.create('late.b2nd', 3, 'i4')\n"
                   "a[...] = 7\nkeep = [a]\nkeep.append(keep)\n")
        subprocess.run([sys.executable, "-c", program], check=True)
        self.assertEqual(tessera.open("late.b2nd")[1], 7)

    def test_end_of_program_commits_all(self):
        """Where one array cannot be committed, the others are."""
        program = ("import os, shutil, tessera\nos.mkdir('gone')\nkeep = []\n"
                   "for name in ('a', 'b', 'gone/x', 'c', 'gone/y', 'd', 'e', 'f'):\n"
                   "    keep.append(tessera.create(name, 3, 'i4', fill_value=1, mode='w'))\n"
                   "keep.append(keep)\nshutil.rmtree('gone')\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertIn("gone/x", done.stderr)
        self.assertIn("gone/y", done.stderr)
        for name in "abcdef":
            self.assertEqual(tessera.open(name)[1], 1)

    def test_forgotten_array_commits(self):
        a = tessera.create("a.b2nd", 3, "i4")
        a[...] = 7
        del a
        self.assertEqual(tessera.open("a.b2nd")[1], 7)

    def test_refresh(self):
        with tessera.create("a.b2nd", 3, "i4") as writer:
            reader = tessera.open("a.b2nd")
            writer.append([9])
            writer.flush()
            with self.assertRaises(tessera.StaleError):
                reader[0]
            self.assertTrue(reader.refresh())
            self.assertEqual((reader.shape, reader[3]), ((4,), 9))

    def test_closed(self):
        a = tessera.asarray([1, 2])
        view = a.view[::-1]
        a.close()
        a.close()
        self.assertTrue(a.closed)
        self.assertIn("closed", repr(a))
        for call in (lambda: a[0], a.flush, a.to_bytes, lambda: a.append([1]), lambda: a.view[0:1],
                     lambda: a.attrs["x"], lambda: pickle.dumps(a)):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()
        self.assertEqual(view[0], 2)  # stays open


class Shape(unittest.TestCase):
    def test_append_insert_delete(self):
        rng = np.random.default_rng(2)
        want = rng.integers(0, 100, (4, 3, 5))
        a = tessera.asarray(want, chunks=(2, 2, 2))
        for _ in range(60):
            axis = int(rng.integers(-3, 3))
            shape = list(want.shape)
            shape[axis] = int(rng.integers(0, 3))
            layers = rng.integers(0, 100, shape)[::1, ::-1]
            kind = rng.integers(0, 3)
            position = int(rng.integers(-want.shape[axis], want.shape[axis] + 1))
            if kind == 0:
                a.append(layers, axis)
                want = np.concatenate([want, layers], axis)
            elif kind == 1:
                a.insert(position, layers, axis)
                want = np.insert(want, [position], layers, axis)
            elif want.shape[axis] > 2:
                a.delete(slice(1, 3), axis)
                want = np.delete(want, slice(1, 3), axis)
            self.assertEqual(a.shape, want.shape)
            self.assertTrue(same(a[...], want))
        a.append(tessera.asarray(want), 1)
        self.assertTrue(same(a[...], np.concatenate([want, want], 1)))
        a.append(a, 0)
        self.assertEqual(a.shape[0], 2 * want.shape[0])
        a.delete(-1)
        a.resize((2, 2, 2))
        self.assertTrue(same(a[...], want[:2, :2, :2]))

    def test_refused(self):
        a = tessera.asarray(np.zeros((2, 3)))
        for call in (lambda: a.append(np.zeros((1, 4))), lambda: a.append(np.zeros(2)),
                     lambda: a.insert(5, np.zeros((1, 3))), lambda: a.append([1, 2, 3], 2),
                     lambda: a.delete(2), lambda: a.delete(slice(0, 2, 2)), lambda: a.resize((1,)),
                     lambda: a.resize((-1, 1))):
            with self.assertRaises((ValueError, IndexError)):
                call()
            self.assertEqual(a.shape, (2, 3))
        with self.assertRaises(TypeError):
            tessera.asarray(np.zeros(2, "i4")).append(np.zeros(2, "f8"))


class Views(unittest.TestCase):
    def test_views(self):
        items = np.arange(60).reshape(3, 4, 5)
        a = tessera.asarray(items, chunks=(2, 2, 2))
        view = a.view[1, ::-2, None]
        self.assertIs(view.base, a)
        self.assertTrue(same(view[...], items[1, ::-2, None]))
        self.assertTrue(same(a.T[...], items.T))
        self.assertTrue(same(a.transpose(1, 0, 2)[...], items.transpose(1, 0, 2)))
        for axes in ((1, 0, 2), ((1, 0, 2),), ([-2, 0, 2],), (None,), ()):
            self.assertTrue(same(a.transpose(*axes)[...], items.transpose(*axes)), axes)
        self.assertEqual(tessera.asarray([1, 2]).transpose(0)[...].tolist(), [1, 2])
        for wrong in ((0, 1), (0, 0, 1), (0, 1, 3), ("abc",), (1.5, 0, 2)):
            with self.assertRaises((ValueError, IndexError, TypeError)):
                a.transpose(*wrong)
        a.T[0, 0] = -1
        self.assertTrue((a[:, 0, 0] == -1).all())
        with self.assertRaises(ValueError):
            a.read_only()[0] = 1
        with self.assertRaises(IndexError):
            a.view[[1, 2]]
        with self.assertRaises(ValueError):
            view.append([1])
        a.delete(0)
        with self.assertRaises(tessera.StaleError):
            view[0]


class Copies(InFolder):
    def test_copy(self):
        items = np.arange(1000).reshape(10, 100)
        a = tessera.asarray(items)
        a.attrs["k"] = [1, 2]
        b = a.copy("b.b2nd", codec="zstd", level=9, chunks=(5, 50), filters=["bitshuffle"])
        self.assertTrue(same(b[...], items))
        self.assertEqual((b.chunks, b.attrs["k"]), ((5, 50), [1, 2]))
        self.assertEqual((b.layout.codec, b.layout.filters), ("zstd", (("bitshuffle", 0),)))
        self.assertEqual(a.copy(layout=b.layout).layout, b.layout)
        a.view[::2].copy("c", sparse=True).close()
        self.assertTrue(same(tessera.open("c")[...], items[::2]))
        a.save("d.b2nd")
        self.assertTrue(same(tessera.open("d.b2nd")[...], items))
        self.assertTrue(same(tessera.asarray(a, dtype="f4")[...], items.astype("f4")))
        with self.assertRaises(ValueError):
            a.copy(codec="nothing")

    def test_bytes(self):
        a = tessera.asarray(np.arange(10))
        frame = bytearray(a.to_bytes())
        b = tessera.open(frame)
        with self.assertRaises(BufferError):
            frame.append(0)  # read in place
        view = b.view[2:]
        self.assertFalse(b.writable)
        del b
        with self.assertRaises(BufferError):
            frame.append(0)
        self.assertEqual(view[0], 2)
        del view
        frame.append(0)

    def test_pickles(self):
        memory = tessera.asarray(np.arange(10))
        twin = pickle.loads(pickle.dumps(memory))
        twin[0] = 5
        self.assertEqual((memory[0], twin[0], twin[1]), (0, 5, 1))
        tessera.asarray(np.arange(1e6), "big.b2nd").close()
        a = tessera.open("big.b2nd", threads=2, cache=1 << 20)
        text = pickle.dumps(a)
        self.assertLess(len(text), 500)
        os.chdir("/")
        b = pickle.loads(text)
        self.assertEqual((b[5], b.writable), (5, False))
        view = pickle.loads(pickle.dumps(a.view[10:20].view[None, ::-1].T))
        self.assertEqual((view.shape, view[0, 0]), ((10, 1), 19))
        self.assertEqual(copy.copy(a)[3], 3)

    def test_pickles_of_writers(self):
        """Refused where they are made, for all that refers to the array."""
        with tessera.create("a.b2nd", 10, "i4") as a:
            writers = [a]
        writers += [tessera.open("a.b2nd", "r+"), tessera.create("b.b2nd", 3, "i4", mode="w"),
                    tessera.create("c", 3, "i4", sparse=True)]
        for a in writers[1:]:
            for what in (a, a.view[1:], a.read_only(), a.T.view[None], a.attrs, a.oindex, a.view, [a]):
                for call in (pickle.dumps, copy.deepcopy):
                    with self.assertRaisesRegex(TypeError, r"from_dask\(\)"):
                        call(what)
            with self.assertRaisesRegex(TypeError, r"from_dask\(\)"):
                copy.copy(a)
            with self.assertRaisesRegex(TypeError, "pickle"), a.adopt() as adoption:
                pickle.dumps(adoption)
            a[1] = 7
            a.close()
            a = tessera.open(a.path)
            self.assertEqual(pickle.loads(pickle.dumps(a.view[1:]))[0], 7)
            self.assertEqual(copy.deepcopy(a)[1], 7)

    def test_tokens(self):
        """What Dask names tasks by: equal for equal states, another one after a change."""
        def token(array):
            return array.__dask_tokenize__()

        for path, sparse in (("a.b2nd", False), ("directory", True), (None, False)):
            with tessera.create(path, (40, 3), "i4", chunks=(10, 3), sparse=sparse) as a:
                a[...] = 1
                if path is None:
                    b = tessera.open(a.to_bytes())
                else:
                    self.assertNotEqual(token(a), token(a))
                    a.flush()
                    b = tessera.open(path)
                again = pickle.loads(pickle.dumps(b))
                self.assertEqual(token(b), token(again))
                self.assertEqual(token(b.view[1:]), token(again.view[1:]))
                self.assertEqual(len({repr(token(x)) for x in (b, b.T, b.view[1:], b.view[2:],
                                                               b.view[1:].T)}), 5)
                a[20, 2] = 5
                if path is not None:
                    a.flush()
                    again = tessera.open(path)
                else:
                    again = tessera.open(a.to_bytes())
                self.assertNotEqual(token(b), token(again))
        self.assertEqual(token(tessera.asarray([1, 2])), token(tessera.asarray([1, 2])))

    def test_spawned(self):
        tessera.asarray(np.arange(5), "a.b2nd").close()
        context = multiprocessing.get_context("spawn")
        with context.Pool(1) as pool:
            self.assertEqual(pool.map(first_item, [tessera.open("a.b2nd"), tessera.asarray([7])]),
                             [0, 7])


class Values(unittest.TestCase):
    def test_casting(self):
        a = tessera.create(None, 4, "i4")
        a[...] = np.arange(4, dtype="i8")
        a[0] = np.int64(9)
        a[1] = 2.9  # as numpy.asarray(2.9, "i4")
        self.assertEqual(a[...].tolist(), [9, 2, 2, 3])
        for wrong in (np.arange(4.0), np.float64(1), np.array("a")):
            with self.assertRaises(TypeError):
                a[...] = wrong
        small = tessera.create(None, 4, "u1")
        small[...] = [1, 2, 3, 4]
        small[0] = np.int64(200)
        with self.assertRaises(TypeError):
            small[0] = np.int64(300)
        with self.assertRaises(TypeError):
            small[...] = np.arange(4)
        self.assertEqual(small[...].tolist(), [200, 2, 3, 4])
        with self.assertRaises(ValueError):
            a[...] = [1, 2, 3]
        with self.assertRaises(TypeError):
            del a[0]
        texts = tessera.create(None, 2, "U3")
        texts[...] = ["abcd", "é"]
        self.assertEqual(texts[...].tolist(), ["abc", "é"])

    def test_array_as_value_and_index(self):
        items = np.arange(6)
        a = tessera.asarray(items)
        a[::-1] = tessera.asarray(items)
        self.assertEqual(a[...].tolist(), items[::-1].tolist())
        self.assertEqual(a[tessera.asarray([0, 2])].tolist(), [5, 3])

    def test_iteration(self):
        items = np.arange(35).reshape(7, 5)
        a = tessera.asarray(items, chunks=(3, 2))
        self.assertEqual([row.tolist() for row in a], items.tolist())
        copied = np.zeros_like(items)
        for index, part in a.iter_chunks():
            copied[index] += part
        self.assertTrue(same(copied, items))
        zero = tessera.asarray(5)
        self.assertEqual([(i, int(x)) for i, x in zero.iter_chunks()], [((), 5)])
        with self.assertRaises(TypeError):
            list(zero)
        for shape in ((0, 3), (3, 0), (0, 3, 2**40)):
            self.assertEqual(list(tessera.create(None, shape, "i4").iter_chunks()), [])
        huge = tessera.create(None, (2**28, 3), "i4", chunks=(2**10, 2))
        chunks = huge.iter_chunks()
        self.assertEqual([next(chunks)[0] for _ in range(3)],
                         [np.s_[0:1024, 0:2], np.s_[0:1024, 2:3], np.s_[1024:2048, 0:2]])

    def test_contains(self):
        a = tessera.asarray(np.arange(24).reshape(2, 3, 4), chunks=(1, 2, 3))
        self.assertTrue(23 in a and 0.0 in a and a.view[0] is not None)
        self.assertFalse(24 in a or 23 in a.view[0] or np.nan in a)
        self.assertTrue(5 in tessera.asarray(5) and "b" in tessera.asarray(["a", "b"]))
        self.assertFalse(0 in tessera.create(None, (0, 3), "i4"))

    def test_stored_chunks(self):
        a = tessera.asarray(np.arange(100), chunks=50)
        b = tessera.create(None, 100, "i8", chunks=50, blocks=a.blocks)
        b._chunk_set(1, a._chunk_get(1), False)
        self.assertEqual(b[50:].tolist(), list(range(50, 100)))
        self.assertEqual(a._chunk_info(1)[0], "blocks")
        with self.assertRaises(tessera.CorruptError):
            b._chunk_set(0, a._chunk_get(1)[:20], False)


class Reductions(unittest.TestCase):
    def test_against_numpy(self):
        rng = np.random.default_rng(3)
        for dtype in ("?", "i1", "u2", ">i4", "u8", "f2", ">f4", "f8", "c8"):
            items = items_of(rng, (5, 6, 7), dtype)
            a = tessera.asarray(items, chunks=(2, 3, 4))
            for axis in (None, 0, -1, (0, 2), (1,), ()):
                for keepdims in (False, True):
                    for name in ("sum", "mean", "min", "max", "var", "std", "any", "all"):
                        if dtype == "c8" and name in ("min", "max") and axis == ():
                            continue
                        want = getattr(items, name)(axis=axis, keepdims=keepdims)
                        have = getattr(a, name)(axis=axis, keepdims=keepdims)
                        self.assertEqual(np.shape(have), np.shape(want), (dtype, axis, name))
                        self.assertEqual(have.dtype, want.dtype, (dtype, axis, name))
                        np.testing.assert_allclose(have, want, rtol=2e-3 if dtype == "f2" else 1e-5,
                                                   atol=1e-2 if dtype == "f2" else 1e-5)

    def test_functions_of_numpy(self):
        items = np.arange(24.0).reshape(2, 3, 4)
        a = tessera.asarray(items, chunks=(1, 2, 3))
        for name in ("sum", "mean", "min", "max", "var", "std", "any", "all"):
            function = getattr(np, name)
            for arguments in ({}, {"axis": 1}, {"axis": (0, 2), "keepdims": True}):
                want = function(items, **arguments)
                self.assertTrue(same(function(a, **arguments), want), name)
                out = np.zeros_like(np.asarray(want))
                self.assertIs(function(a, out=out, **arguments), out)
                self.assertTrue(same(out, want), name)
        self.assertEqual(np.std(a, ddof=1), np.std(items, ddof=1))
        for out, error in ((np.zeros(3), ValueError), (np.zeros((3, 4), "i4"), TypeError)):
            with self.assertRaises(error):
                np.sum(a, axis=0, out=out)
        with self.assertRaises(TypeError):
            np.sum(a, dtype="f4")
        complex_items = tessera.asarray(items * 1j)
        self.assertEqual(np.sum(complex_items, out=np.zeros((), "c16")), 276j)

    def test_nan(self):
        a = tessera.asarray([1.0, np.nan, 3.0])
        self.assertTrue(np.isnan(a.sum()))
        self.assertEqual(a.sum(skipna=True), 4)
        self.assertEqual(a.var(ddof=1, skipna=True), 2)
        with self.assertRaises(ValueError):
            tessera.create(None, 0, "f8").min()
        with self.assertRaises(IndexError):
            a.sum(axis=1)
        with self.assertRaises(TypeError):
            tessera.create(None, 3, "c8").sum(skipna=True)


class Layouts(unittest.TestCase):
    def test_layouts(self):
        found = tessera.layout((2000, 2000), "f4", "row", codec="zstd")
        self.assertEqual((found.codec, found.seconds > 0), ("zstd", True))
        self.assertEqual(tessera.create(None, (2000, 2000), "f4", layout=found).layout.chunks,
                         found.chunks)
        a = tessera.asarray(np.arange(40000, dtype="f4").reshape(200, 200))
        best = tessera.layout(a, accesses="full", budget=0.05)
        self.assertTrue(same(a.copy(layout=best)[...], a[...]))
        kept = tessera.layout(a, budget=0.01, chunks=(100, 100))
        self.assertEqual(kept.chunks, (100, 100))
        with self.assertRaises(ValueError):
            tessera.layout((10, 10), "f4", budget=1)
        with self.assertRaises(ValueError):
            tessera.layout((10, 10), "f4", "nonsense")


if __name__ == "__main__":
    unittest.main()
