"""Stores: groups, attributes, commits, and who sees what of them when."""

import gc
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import threading
import unittest
import weakref
import zipfile

import numpy as np
import tessera
from support import DTYPES, InFolder, items_of, same

# Another process that reads: each line on its input is an expression, whose value it prints.
READER = """
import sys, tessera
store = tessera.open_store(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    print(eval(line), flush=True)
"""


class Other:
    """A process that has a store open for reading."""

    def __init__(self, path):
        self.process = subprocess.Popen([sys.executable, "-c", READER, path], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == "ready\n"

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


def zipped(folder, path):
    """A directory as a zip file, without what belongs to commits."""
    with zipfile.ZipFile(path, "w") as archive:
        for at, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if name != ".tessera"]
            for name in files:
                whole = os.path.join(at, name)
                archive.write(whole, os.path.relpath(whole, folder))


def names(group):
    return [entry.name for entry in group.walk()]


class Entries(InFolder):
    def test_round_trips(self):
        rng = np.random.default_rng(5)
        items = {}
        with tessera.open_store("s.b2d", "x") as store:
            for i, dtype in enumerate(DTYPES):
                for shape in ((), (3,), (4, 5)):
                    name = f"g{i}/n{len(shape)}"
                    items[name] = items_of(rng, shape, dtype)
                    store[name] = items[name]
                    self.assertTrue(same(store[name][...], items[name]), name)
        zipped("s.b2d", "s.b2z")
        with open("s.b2z", "rb") as file:
            image = file.read()
        for path in ("s.b2d", "s.b2z", image):
            with tessera.open_store(path) as store:
                self.assertEqual(len(store), len(DTYPES))
                for name, array in items.items():
                    self.assertTrue(same(store[name][...], array), name)
                    self.assertFalse(store[name].writable)

    def test_modes(self):
        for mode in ("r", "r+"):
            with self.assertRaises(FileNotFoundError):
                tessera.open_store("s.b2d", mode)
        tessera.open_store("s.b2d", "a").close()
        with self.assertRaises(FileExistsError):
            tessera.open_store("s.b2d", "x")
        for mode in ("w", "w-", "rw", ""):
            with self.assertRaisesRegex(ValueError, "'r', 'r\\+', 'a' or 'x'"):
                tessera.open_store("s.b2d", mode)
        with tessera.open_store("s.b2d", "a") as store:
            self.assertTrue(store.writable)
            store["a"] = 1
            for mode in ("r+", "a"):
                with self.assertRaises(BlockingIOError):
                    tessera.open_store("s.b2d", mode)
            with self.assertRaises(BlockingIOError):
                tessera.open_store("s.b2d", "r+", wait=0.05)
        self.assertEqual(list(tessera.open_store("s.b2d", "r+", durability="none")), ["a"])
        tessera.asarray([1], "a.b2nd").close()
        tessera.asarray([1], "sparse", sparse=True).close()
        for path in ("a.b2nd", "sparse"):
            with self.assertRaisesRegex(tessera.FormatError, f"^'{path}': "):
                tessera.open_store(path)
        with self.assertRaises(tessera.FormatError):
            tessera.open_store(b"no zip file")
        with self.assertRaises(TypeError):
            tessera.open_store(5)
        with self.assertRaises(ValueError):
            tessera.open_store("s.b2d", durability="most")
        zipped("s.b2d", "s.b2z")
        with self.assertRaisesRegex(tessera.UnsupportedError, "^'s.b2z': "):
            tessera.open_store("s.b2z", "r+")

    def test_mapping(self):
        with tessera.open_store("s.b2d", "a") as store:
            store["winds/u"] = np.arange(3)
            store["/winds/low/v/"] = np.arange(4)
            store["t"] = 5.5
            winds = store["winds"]
            self.assertIsInstance(winds, tessera.Group)
            self.assertEqual((list(store), len(store)), (["t", "winds"], 2))
            self.assertEqual((list(winds.keys()), len(winds)), (["low", "u"], 2))
            self.assertEqual(names(store), ["t", "winds", "winds/low", "winds/low/v", "winds/u"])
            self.assertEqual(names(winds), ["low", "low/v", "u"])
            self.assertEqual([entry.kind for entry in winds.walk()], ["group", "array", "array"])
            self.assertEqual(winds["low/v"].shape, winds["low"]["v"].shape)
            self.assertEqual(winds.name, "/winds")
            self.assertEqual(winds["low"].name, "/winds/low")
            self.assertIs(store["/"], store)
            self.assertEqual(winds, store["/winds/"])
            self.assertNotEqual(winds, winds["low"])
            self.assertEqual(len({winds, store["winds"], store}), 2)
            items = dict(store.items())
            self.assertEqual(items["t"][()], 5.5)
            self.assertEqual(items["winds"], winds)
            self.assertEqual(store.get("no", 7), 7)
            winds["w"] = [1, 2]
            self.assertIn("winds/w", store)
            for name in ("no", "winds/no", "u", "", "/") + ("a\0", "\ud800", 5, None, b"t"):
                if name in ("", "/"):
                    self.assertIn(name, winds)
                    continue
                self.assertNotIn(name, store)
                for call in (store.__getitem__, store.__delitem__):
                    with self.assertRaises(KeyError) as caught:
                        call(name)
                    self.assertEqual(caught.exception.args, (name,))
            with self.assertRaises(TypeError):
                store[""] = 1
            for name in ("..", "a/../b", "a//b", ".tessera/x", "a\\b", "a\0"):
                with self.assertRaises(ValueError, msg=name):
                    store[name] = 1
            with self.assertRaises(TypeError):
                store[5] = 1
            for wrong in (object(), winds):
                with self.assertRaises(TypeError):
                    store["x"] = wrong
            with self.assertRaises(TypeError):
                store["winds"] = 1
            self.assertNotIn("x", store)
        self.assertEqual(names(tessera.open_store("s.b2d")),
                         ["t", "winds", "winds/low", "winds/low/v", "winds/u", "winds/w"])

    def test_create(self):
        with tessera.open_store("s.b2d", "a", threads=2, cache=1 << 20) as store:
            a = store.create("g/a", (6, 4), "f4", chunks=(3, 4), blocks=(1, 4), codec="zstd",
                             level=7, filters=["shuffle"], fill_value=2)
            self.assertEqual((a.chunks, a.blocks, a.layout.codec), ((3, 4), (1, 4), "zstd"))
            self.assertTrue(a.writable)
            self.assertIn("s.b2d/g/a", a.path)
            a.dims = ["y", "x"]
            b = store["g"].create("b", 5, "i4", layout=tessera.layout((5,), "i4", "row"))
            b.append([1, 2])
            with self.assertRaises(FileExistsError):
                store.create("g/a", 3, "i4")
            with self.assertRaises(ValueError):
                store.create("g/c", 3, "i4", mode="r")
            with self.assertRaises(TypeError):
                store.create("g", 3, "i4", mode="w")
            store.create("g/a", 3, "i4", mode="w").close()
            self.assertEqual(store["g/a"].shape, (3,))
        store = tessera.open_store("s.b2d")
        self.assertEqual(store["g/b"][...].tolist(), [0, 0, 0, 0, 0, 1, 2])
        with self.assertRaises(ValueError):
            store.create("x", 3, "i4")

    def test_array_is_copied(self):
        a = tessera.asarray(np.arange(1000), codec="zstd", chunks=100)
        a.attrs["units"] = "K"
        with tessera.open_store("s.b2d", "a") as store, tessera.open_store("t.b2d", "a") as other:
            store["a"] = a
            store["b"] = store["a"].view[::2]
            store["a"] = store["a"]
            other["a"] = store["a"]
        for path in ("s.b2d", "t.b2d"):
            b = tessera.open_store(path)["a"]
            self.assertEqual((b.layout.codec, b.chunks, b.attrs["units"]), ("zstd", (100,), "K"))
            self.assertTrue(same(b[...], np.arange(1000)))
        self.assertTrue(same(tessera.open_store("s.b2d")["b"][...], np.arange(0, 1000, 2)))

    def test_links(self):
        with tessera.open_store("s.b2d", "x") as store:
            store["g/a"] = [1, 2, 3]
            store["g"].link("a", "b")
            store["g"].link("b", "h/c")
            self.assertEqual(store["g/h/c"][...].tolist(), [1, 2, 3])
            store["g/h/c"][0] = 10  # what is written is in the array
            for wrong, name, error in (
                    ("no", "x", KeyError), ("g", "x", tessera.KindError), ("g/a", "g/b", FileExistsError),
                    ("g/a", "", ValueError), (5, "x", KeyError), ("g/a", 5, TypeError)):
                with self.assertRaises(error):
                    store.link(wrong, name)
            with self.assertRaises(FileExistsError):  # an array does not take the place of a link
                store["g/b"] = [1]
        with tessera.open_store("s.b2d") as store:
            kinds = [(entry.name, entry.kind) for entry in store.walk()]
            self.assertEqual(kinds, [("g", "group"), ("g/a", "array"), ("g/b", "link"),
                                     ("g/h", "group"), ("g/h/c", "link")])
            self.assertEqual(store["g/b"][...].tolist(), [10, 2, 3])
            self.assertEqual(store["g"].target("b"), "/g/a")
            self.assertEqual(store.target("g/h/c"), "/g/b")
            with self.assertRaises(KeyError):
                store.target("no")
            with self.assertRaises(tessera.KindError):
                store.target("g/a")
            with self.assertRaises(tessera.ArgumentError):
                store.link("g/a", "x")
            again = pickle.loads(pickle.dumps(store["g/h/c"]))
            self.assertEqual(again[...].tolist(), [10, 2, 3])
        with tessera.open_store("s.b2d", "r+") as store:
            store.rename("g/a", "moved")
            self.assertIn("g/b", store)
            with self.assertRaisesRegex(KeyError, "'g/h/c' is a link to '/g/b'"):
                store["g/h/c"]
            store["g/a/below"] = [7]  # a group has the name now
            with self.assertRaises(tessera.KindError):
                store["g/b"]
            del store["g/a"]
            store["g/a"] = [4.5]
            self.assertEqual(store["g/h/c"][...].tolist(), [4.5])
            del store["g/b"]
            self.assertEqual(store["g/a"][...].tolist(), [4.5])

    def test_attributes_make_groups(self):
        with tessera.open_store("s.b2d", "x") as store:
            store.group("new/er").attrs["q"] = 1
            store["a"] = [1]
            with self.assertRaises(NotADirectoryError):
                store.group("a/x").attrs["q"] = 1
            with self.assertRaises(tessera.KindError):
                store.group("a").attrs["q"] = 1
        with tessera.open_store("s.b2d") as store:
            self.assertEqual(dict(store["new/er"].attrs), {"q": 1})
            self.assertEqual(dict(store.group("none").attrs), {})
        with tessera.open_store("s.b2d", "r+") as store:
            for name in ("3", "007"):  # of a commit, that has a number
                with self.assertRaises(ValueError):
                    store.name_commit(name)

    def test_paths_through_stores(self):
        with tessera.open_store("s.b2d", "x") as store:
            store["g/a"] = [1, 2, 3]
            store["b"] = [4.5]
            store["g"].link("a", "link")
        for path in ("s.b2d/g/a", pathlib.Path("s.b2d") / "g" / "a", os.path.abspath("s.b2d/b"), "s.b2d//g/link"):
            with tessera.open(path, threads=2) as array:
                self.assertFalse(array.writable)
                with tessera.open_store("s.b2d") as store:
                    name = "b" if str(path).endswith("b") else "g/a"
                    np.testing.assert_array_equal(array[...], store[name][...])
        held = tessera.open("s.b2d/g/a")
        again = pickle.loads(pickle.dumps(held))
        with tessera.open_store("s.b2d", "r+") as store:
            store["g/a"][0] = 100
        self.assertEqual([held[0], again[0], tessera.open("s.b2d/g/a")[0]], [1, 1, 100])
        for path, mode, error in (
                ("s.b2d/no", "r", FileNotFoundError), ("no.b2d/a", "r", FileNotFoundError),
                ("s.b2d/g", "r", tessera.KindError), ("s.b2d/g/a", "r+", tessera.ArgumentError),
                ("s.b2d/g/a", "x", ValueError)):
            with self.assertRaises(error):
                tessera.open(path, mode)
        before = sorted(os.listdir("s.b2d"))
        for make in (lambda path: tessera.create(path, 3, "i4"), lambda path: tessera.asarray([1], path),
                     lambda path: held.copy(path)):
            for path in ("s.b2d/new", "s.b2d/g/a", "none.b2d/a/b"):
                with self.assertRaisesRegex(tessera.ArgumentError, "open_store"):
                    make(path)
        self.assertEqual(sorted(os.listdir("s.b2d")), before)
        with tessera.create("s.b2d/file.b2nd", 3, "i4"):  # that of a file
            pass
        self.assertEqual(tessera.open("s.b2d/file")[...].tolist(), [0, 0, 0])

    def test_replace_remove_rename(self):
        with tessera.open_store("s.b2d", "a") as store:
            for name in ("a", "g/b", "g/h/c"):
                store[name] = [1, 2, 3]
        with tessera.open_store("s.b2d", "r+") as store:
            old = store["a"]
            store["a"] = np.zeros((2, 2))
            with self.assertRaises(tessera.StaleError):
                old[0] = 5
            del store["g/b"]
            store.rename("g/h", "moved")
            store["moved"].rename("c", "d/e")
            for a, b in (("no", "x"), ("g", "x")):
                with self.assertRaises(KeyError):
                    store.rename(a, b)
            with self.assertRaises(FileExistsError):
                store.rename("a", "moved/d/e")
            for wrong, error in ((5, TypeError), ("../x", ValueError), ("", ValueError)):
                with self.assertRaises(error):
                    store.rename("a", wrong)
            self.assertEqual(names(store), ["a", "moved", "moved/d", "moved/d/e"])
            gone = store["moved/d/e"]
            del store["moved"]
            with self.assertRaises(tessera.StaleError):
                gone[0] = 1
            gone.close()
            self.assertEqual(list(tessera.open_store("s.b2d")), ["a", "g"])
        self.assertEqual(names(tessera.open_store("s.b2d")), ["a"])
        self.assertEqual(tessera.open_store("s.b2d")["a"].shape, (2, 2))

    def test_attributes(self):
        values = {"none": None, "text": "grün", "list": [1, {"k": b"\xff"}], "n": 2**63}
        with tessera.open_store("s.b2d", "a") as store:
            store["g/a"] = 1
            self.assertEqual((dict(store.attrs), len(store["g"].attrs)), ({}, 0))
            self.assertIsInstance(store.attrs, tessera.Attributes)
            with self.assertRaises(KeyError):
                store.attrs["x"]
            with self.assertRaises(KeyError):
                del store.attrs["x"]
            self.assertEqual(names(store), ["g", "g/a"])
            store.attrs.update(values)
            store["g"].attrs["height"] = np.float32(10)
            store["g/a"].attrs["own"] = 1
            store.commit()
            store["g"].attrs["height"] = 11
            del store.attrs["none"]
            self.assertEqual(dict(tessera.open_store("s.b2d").attrs), values)
            store.abort()
            self.assertEqual(dict(store.attrs), values)
            self.assertEqual(dict(store["g"].attrs), {"height": 10})
            store["g"].attrs["more"] = np.arange(2)
        store = tessera.open_store("s.b2d")
        attrs = store["g"].attrs
        self.assertEqual(dict(attrs), {"height": 10, "more": [0, 1]})
        self.assertEqual(dict(store["g/a"].attrs), {"own": 1})
        self.assertEqual(names(store), ["g", "g/a"])
        with self.assertRaises(ValueError):
            attrs["x"] = 1
        with self.assertRaises(ValueError):
            del attrs["more"]

    def test_left_out(self):
        tessera.open_store("s.b2d", "x").close()
        with open("s.b2d/readme.txt", "w") as file:
            file.write("words")
        store = tessera.open_store("s.b2d")
        self.assertEqual([name for name, _ in store.left_out], ["readme.txt"])
        self.assertGreater(len(store.left_out[0][1]), 5)

    def test_words(self):
        with tessera.open_store("s.b2d", "a") as store:
            self.assertIn("s.b2d' open for writing, no commits: empty>", repr(store))
            store["g/a"] = 1
            self.assertIn("<tessera.Group '/g' of", repr(store["g"]))
            group = store["g"]
        self.assertIn("closed", repr(store))
        self.assertIn("closed", repr(group))
        self.assertIn("commit 1: g>", repr(tessera.open_store("s.b2d")))


class Commits(InFolder):
    def setUp(self):
        super().setUp()
        with tessera.open_store("s.b2d", "x") as store:
            store["u"], store["v"] = np.zeros(10), np.zeros(10)

    def now(self):
        store = tessera.open_store("s.b2d")
        return [float(store[name][0]) for name in ("u", "v")]

    def test_block(self):
        with tessera.open_store("s.b2d", "r+") as store:
            store["u"][...] = 1
            store["v"][...] = 1
            self.assertEqual(self.now(), [0, 0])
        self.assertTrue(store.closed)
        self.assertEqual(self.now(), [1, 1])
        with self.assertRaisesRegex(RuntimeError, "reason"):
            with tessera.open_store("s.b2d", "r+") as store:
                store["u"][...] = 2
                store["new"] = 1
                store.commit()
                store["v"][...] = 2
                raise RuntimeError("reason")
        self.assertTrue(store.closed)
        self.assertEqual(self.now(), [2, 1])
        with tessera.open_store("s.b2d") as store:
            pass
        self.assertTrue(store.closed)
        with tessera.open_store("s.b2d", "r+") as store:
            store["u"][...] = 9
            store.close()
        self.assertEqual(self.now(), [2, 1])

    def test_abort(self):
        store = tessera.open_store("s.b2d", "r+")
        u, twin, view, new = store["u"], store["u"], store["u"].view[::-1], store.create("n", 3, "i4")
        adoption = u.adopt()
        u[0], view[0], new[0] = 5, 6, 7
        store.abort()
        for array in (u, twin, view, new):
            self.assertTrue(array.closed)
            for call in (lambda a=array: a[0], lambda a=array: a.__setitem__(0, 1), array.flush,
                         lambda a=array: a.resize(20), lambda a=array: a.view[0], array.to_bytes):
                with self.assertRaises(tessera.StaleError):
                    call()
            array.close()
            array.discard()
        with self.assertRaises(tessera.StaleError):
            adoption.lease(5)
        adoption.end(commit=False)
        self.assertEqual(list(store), ["u", "v"])
        u = store["u"]
        self.assertEqual((u[0], u[-1]), (0, 0))
        u[0] = 3
        store.commit()
        store.abort()
        store.close()
        self.assertEqual(self.now(), [3, 0])

    def test_closed_without_commit(self):
        store = tessera.open_store("s.b2d", "r+")
        u = store["u"]
        u[...] = 5
        u.flush()
        store["v"][...] = 5
        store.close()
        store.close()
        with self.assertRaises(tessera.StaleError):
            u[0]
        u.close()
        self.assertEqual(self.now(), [0, 0])
        for call in (store.commit, store.abort, store.refresh, lambda: store["u"], lambda: "u" in store,
                     lambda: list(store), lambda: store.number, lambda: store.left_out,
                     lambda: store.__setitem__("x", 1), lambda: dict(store.attrs),
                     lambda: store.create("x", 1, "i4"), lambda: store.name_commit("x")):
            with self.assertRaisesRegex(ValueError, "the store is closed"):
                call()

    def test_refused_for_readers(self):
        store = tessera.open_store("s.b2d")
        for call in (store.commit, store.abort, lambda: store.name_commit("x"),
                     lambda: store.forget_commit("x"), lambda: store.rename("u", "x"),
                     lambda: store.__delitem__("u"), lambda: store.__setitem__("u", 1),
                     lambda: store["u"].__setitem__(0, 1)):
            with self.assertRaises(tessera.ArgumentError):
                call()

    def test_commits(self):
        early = tessera.open_store("s.b2d")
        with tessera.open_store("s.b2d", "r+") as store:
            first = store.number
            self.assertEqual(store.commits(), [(first, None)])
            store.name_commit("april")
            store["u"][0] = 1
            self.assertEqual(store.commits(), [(first, "april")])
            store.commit()
            commits = store.commits()
            self.assertEqual(commits, [(first, "april"), (first + 1, None)])
            self.assertIsInstance(commits[0], tessera.Commit)
            self.assertEqual((commits[0].number, commits[0].name), (first, "april"))
            self.assertEqual(early.commits(), commits)
            for commit in commits:
                with tessera.open_store("s.b2d", commit=commit.number) as then:
                    self.assertEqual(then.number, commit.number)
            store.forget_commit("april")
            self.assertEqual(early.commits()[0], (first, None))  # it is read
        for name in (b"\xff", "größe".encode()):
            with open(os.path.join(b"s.b2d/.tessera", b"%020d=" % first + name), "wb"):
                pass
            self.assertIn((first, os.fsdecode(name)), early.commits())
            os.remove(os.path.join(b"s.b2d/.tessera", b"%020d=" % first + name))
        before = sys.getallocatedblocks()
        for _ in range(1000):
            early.commits()
        self.assertLess(sys.getallocatedblocks() - before, 500)
        early.close()
        with self.assertRaises(ValueError):
            early.commits()
        zipped("s.b2d", "s.b2z")
        self.assertEqual(tessera.open_store("s.b2z").commits(), [])
        shutil.rmtree("s.b2d/.tessera")
        self.assertEqual(tessera.open_store("s.b2d").commits(), [])

    def test_names(self):
        with tessera.open_store("s.b2d", "r+") as store:
            store.name_commit("april")
            number = store.number
            for i in range(1, 6):
                store["u"][0] = i
                store.commit()
            self.assertEqual(store.number, number + 5)
            with self.assertRaises(FileExistsError):
                store.name_commit("april")
            for name in ("", "a b", "a/b", "x" * 101):
                with self.assertRaises(ValueError):
                    store.name_commit(name)
            for name, error in ((5, TypeError), ("a\0", ValueError)):
                with self.assertRaises(error):
                    store.name_commit(name)
            for commit in ("april", number, str(number)):
                with tessera.open_store("s.b2d", commit=commit) as then:
                    self.assertEqual((then["u"][0], then.number), (0, number))
            for commit in ("may", number + 1):
                with self.assertRaises(FileNotFoundError):
                    tessera.open_store("s.b2d", commit=commit)
            for mode in ("r+", "a"):
                with self.assertRaises(ValueError):
                    tessera.open_store("s.b2d", mode, commit="april")
            store.forget_commit("april")
            with self.assertRaises(FileNotFoundError):
                store.forget_commit("april")
            store["u"][0] = 7
            store.commit()
            for commit in ("april", number):
                with self.assertRaises(FileNotFoundError):
                    tessera.open_store("s.b2d", commit=commit)

    def test_refresh(self):
        """A reader stays on its commit until it goes on; its arrays stay for ever."""
        reader = tessera.open_store("s.b2d")
        u = reader["u"]
        self.assertFalse(reader.refresh())
        for i in range(1, 4):
            with tessera.open_store("s.b2d", "r+") as store:
                self.assertFalse(store.refresh())
                store["u"][...], store["v"] = i, np.full(10, i)
                del store["u"]
                store["u"] = np.full(5, i)
            self.assertEqual((reader["u"][0], reader["v"][0]), (i - 1, i - 1))
            self.assertTrue(reader.refresh())
            self.assertFalse(reader.refresh())
            self.assertEqual((reader["u"].shape, reader["v"][0]), ((5,), i))
        self.assertTrue(same(u[...], np.zeros(10)))
        reader.close()
        self.assertTrue(same(u[...], np.zeros(10)))

    def test_reader_in_another_process(self):
        other = Other("s.b2d")
        see = "[float(store[name][0]) for name in ('u', 'v')]"
        with tessera.open_store("s.b2d", "r+") as store:
            u, v = store["u"], store["v"]
            for i in range(1, 20):
                u[...], v[...] = i, i
                v.append([i])
                store[f"n/{i}"] = i
                self.assertEqual(other.ask(see), str([float(i - 1)] * 2))
                self.assertEqual(other.ask("store.refresh()"), "False")
                store.commit()
                self.assertEqual(other.ask(see), str([float(i - 1)] * 2))
                self.assertEqual(other.ask("store.refresh()"), "True")
                self.assertEqual(other.ask(see), str([float(i)] * 2))
                self.assertEqual(other.ask("len(store['v']), len(store['n'])"), str((10 + i, i)))
        self.assertEqual(other.end(), 0)

    def test_end_of_the_program(self):
        """What is not committed then is forgotten, whatever is still open, and nothing is said."""
        program = ("import tessera\n"
                   "store = tessera.open_store('s.b2d', 'r+')\n"
                   "u = store['u']\nu[...] = {i}\nv = store['v'].view[1:]\n{commit}\n"
                   "v[...] = 99\nu[...] = 99\ncycle = [u, store]\ncycle.append(cycle)\n"
                   "store.me, u.me = u, store\n{end}\n")
        commit, seen = "store.commit()", 0
        for i, (commit, end) in enumerate((
                ("", ""), (commit, ""), ("", "del u, cycle"), (commit, "del store"),
                ("", "import gc; del u, store, v, cycle; gc.collect()"), (commit, "1 / 0")), 1):
            seen = i if commit else seen
            text = program.format(i=i, commit=commit, end=end)
            done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
            self.assertEqual(done.returncode, int("/" in end), done.stderr)
            self.assertEqual("Error" in done.stderr, "/" in end, done.stderr)
            self.assertEqual(self.now(), [seen, 0])


class Lifetimes(InFolder):
    def setUp(self):
        super().setUp()
        with tessera.open_store("s.b2d", "x") as store:
            store["u"], store["g/v"] = np.arange(10), np.arange(20)

    def test_two_objects_of_one_array(self):
        with tessera.open_store("s.b2d", "r+") as store:
            a, b = store["u"], store["u"]
            a.append([10, 11])
            self.assertEqual((b.shape, b[-1]), ((12,), 11))
            b.resize(5)
            self.assertEqual((a.shape, len(a[...])), ((5,), 5))
            a.close()
            b[0] = 100
            self.assertEqual(store["u"][0], 100)
            with self.assertRaisesRegex(ValueError, "the array is closed"):
                a[0]
        self.assertEqual(tessera.open_store("s.b2d")["u"][...].tolist(), [100, 1, 2, 3, 4])

    def test_order(self):
        """The store, its arrays and their views go in any order; the last one ends the writing."""
        def parts():
            store = tessera.open_store("s.b2d", "r+")
            a = store["u"]
            a[0] = 7
            return [store, a, a.view[::-1], store["g"], store["g"].attrs, store["u"]]

        rng = np.random.default_rng(3)
        for closes in (False, True):
            for _ in range(30):
                alive = parts()
                while alive:
                    part = alive.pop(rng.integers(len(alive)))
                    if closes and hasattr(part, "close"):
                        part.close()
                    del part
                gc.collect()
                tessera.open_store("s.b2d", "r+").close()
                self.assertEqual(tessera.open_store("s.b2d")["u"][0], 0)

    def test_arrays_keep_the_store(self):
        u = tessera.open_store("s.b2d", "r+")["u"]
        u[0] = 5
        gc.collect()
        with self.assertRaises(BlockingIOError):
            tessera.open_store("s.b2d", "r+")
        u.me = u
        gone = weakref.ref(u)
        del u
        gc.collect()
        self.assertIsNone(gone())
        tessera.open_store("s.b2d", "r+").close()

    def test_image(self):
        zipped("s.b2d", "s.b2z")
        with open("s.b2z", "rb") as file:
            image = bytearray(file.read())
        store = tessera.open_store(image)
        a = store["g/v"]
        store.close()
        del store
        gc.collect()
        with self.assertRaises(BufferError):
            image.append(0)
        self.assertTrue(same(a[...], np.arange(20)))
        a.close()
        del a
        image.append(0)

    def test_pickles(self):
        zipped("s.b2d", "s.b2z")
        with open("s.b2z", "rb") as file:
            image = file.read()
        for path in ("s.b2d", "s.b2z", image):
            store = tessera.open_store(path, checksums="verify")
            a = store["g/v"]
            for again in (pickle.loads(pickle.dumps(a)), pickle.loads(pickle.dumps(store))["g/v"]):
                self.assertTrue(same(again[...], np.arange(20)))
                self.assertEqual(again.path, a.path)
            view = pickle.loads(pickle.dumps(a.view[::-1]))
            self.assertTrue(same(view[...], np.arange(20)[::-1]))
            self.assertEqual(a.__dask_tokenize__(), store["g/v"].__dask_tokenize__())
            self.assertNotEqual(a.__dask_tokenize__(), store["u"].__dask_tokenize__())
        with tessera.open_store("s.b2d", "r+") as store:
            for part in (store, store["u"]):
                with self.assertRaises(TypeError):
                    pickle.dumps(part)
            self.assertNotEqual(store["u"].__dask_tokenize__(), store["u"].__dask_tokenize__())

    @unittest.skipUnless(hasattr(os, "fork"), "no fork()")
    def test_fork(self):
        """A child reads the arrays of its parent, and leaves the store to it."""
        store = tessera.open_store("s.b2d", "r+")
        u = store["u"]
        u[0] = 50
        store["new"] = 1
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                refused = 0
                for call in (store.commit, store.abort, lambda: store.__delitem__("u"),
                             lambda: store.name_commit("x"), lambda: store["u"],
                             lambda: store.__setitem__("x", 1)):
                    try:
                        call()
                    except RuntimeError:
                        refused += 1
                fresh = tessera.open_store("s.b2d")["u"][0]
                store.close()
                code = 0 if refused == 6 and fresh == 0 else 2
            finally:
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        with self.assertRaises(BlockingIOError):
            tessera.open_store("s.b2d", "r+")
        store.commit()
        store.close()
        store = tessera.open_store("s.b2d")
        self.assertEqual((store["u"][0], store["new"][()]), (50, 1))


class Threads(InFolder):
    def run_all(self, *functions):
        wrong = []

        def run(function):
            try:
                function()
            except BaseException as error:
                wrong.append(error)
                raise

        threads = [threading.Thread(target=run, args=(function,)) for function in functions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def setUp(self):
        super().setUp()
        with tessera.open_store("s.b2d", "x") as store:
            for i in range(10):
                store[f"g/a{i}"] = np.full(1000, i)
                store[f"g/a{i}"].attrs["i"] = i
            store.attrs["n"] = 10

    def test_many_read(self):
        store = tessera.open_store("s.b2d")

        def read():
            for _ in range(10):
                self.assertEqual(len(store["g"]), 10)
                self.assertEqual(store.attrs["n"], 10)
                for i in range(10):
                    a = store[f"g/a{i}"]
                    self.assertTrue((a[...] == i).all())
                    self.assertEqual(a.attrs["i"], i)

        self.run_all(*[read] * 6)
        store.close()

    def test_read_and_refresh(self):
        """Threads read while one moves on, and another writes: each array is of one commit."""
        store = tessera.open_store("s.b2d")
        done = threading.Event()

        def read():
            while not done.is_set():
                items = store["g/a3"][...]
                self.assertTrue((items == items[0]).all())

        def refresh():
            while not done.is_set():
                store.refresh()

        def write():
            try:
                with tessera.open_store("s.b2d", "r+") as writer:
                    for i in range(40):
                        writer["g/a3"][...] = i
                        writer.commit()
            finally:
                done.set()

        self.run_all(read, read, read, refresh, write)
        store.refresh()
        self.assertEqual(store["g/a3"][0], 39)

    def test_write_and_commit(self):
        """Threads write arrays of a store; commits, and their ends, wait for them."""
        store = tessera.open_store("s.b2d", "r+")

        def write(i):
            for k in range(60):
                a = store[f"g/a{i}"]
                a[...] = k
                a.attrs["k"] = k
                if k % 3 == 0:
                    a.resize(1000 + k)

        def commit():
            for k in range(30):
                store[f"n{k}"] = k
                store.commit()

        self.run_all(commit, *[lambda i=i: write(i) for i in (0, 1, 2, 2)])
        store.commit()
        store.close()
        store = tessera.open_store("s.b2d")
        self.assertEqual([len(store[f"g/a{i}"]) for i in range(4)], [1057, 1057, 1057, 1000])
        self.assertEqual(len(store), 31)

    def test_close_while_others_use_it(self):
        for mode, end in (("r", "close"), ("r+", "close"), ("r+", "abort")):
            store = tessera.open_store("s.b2d", mode)
            started = threading.Barrier(5)

            def use():
                started.wait()
                try:
                    for _ in range(300):
                        a = store["g/a1"]
                        a.view[::2][...]
                        len(store["g"])
                except (ValueError, tessera.StaleError) as error:
                    self.assertIn("closed", str(error))

            def finish():
                started.wait()
                for _ in range(20):
                    getattr(store, end)()

            self.run_all(use, use, use, use, finish)
            store.close()


if __name__ == "__main__":
    unittest.main()
