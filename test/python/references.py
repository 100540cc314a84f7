"""Reference counts: a loop over all paths, failing ones too, leaves nothing behind.

An object that is left behind is a block of memory that stays allocated; what is passed in, and what
all share, has the same count of references before and after. sys.gettotalrefcount() of a debug build
does not tell: a NumPy that was built without it takes references that are not counted.
"""

import gc
import operator
import os
import pickle
import sys
import tempfile
import unittest
import weakref

import numpy as np
import tessera

INDICES = [
    np.s_[1], np.s_[1, 2], np.s_[::2, ::-1], np.s_[..., None], np.s_[[0, 1], [1, 2]], np.s_[:, [0, 2]],
    np.s_[[0, 1], ::2], np.s_[None, [[0], [1]], ..., [0, 1]], np.s_[True], np.ones((4, 5), bool),
    np.ones(4, bool), np.s_[:, np.ones(5, bool)], (), np.s_[np.int8(1)],
    # and wrong ones
    np.s_[9], np.s_[0, 0, 0], np.s_[[9]], np.s_[[0, 1], [0, 1, 2]], "text", np.s_[..., ...], 1.5,
    np.ones((4, 4), bool), [[0.5]], np.s_[::0],
]


def attempt(function, *arguments, **named):
    try:
        return function(*arguments, **named)
    except (IndexError, ValueError, TypeError, KeyError, OSError, OverflowError, tessera.Error):
        return None


def use(a, value, out):
    """Every method, with arguments that it takes and with others."""
    for index in INDICES:
        attempt(a.__getitem__, index)
        attempt(a.__setitem__, index, value)
        attempt(a.__setitem__, index, 3)
        attempt(a.__setitem__, index, "no number")
        attempt(a.__setitem__, index, [1, 2, 3, 4, 5, 6, 7])
        attempt(a.read, index, out=out)
        attempt(a.oindex.__getitem__, index)
        attempt(a.oindex.__setitem__, index, value)
        attempt(a.vindex.__getitem__, index)
        attempt(lambda i=index: a.view[i][...])
    for attribute in (1, "x", [1, {"k": (2, b"y")}], None, object(), 2**70, tessera.Ext((1, b""))):
        attempt(a.attrs.__setitem__, "name", attribute)
        attempt(lambda: a.attrs["name"])
    attempt(lambda: a.attrs["nothing"])
    attempt(a.attrs.clear)
    for name in ("sum", "std", "min", "any"):
        attempt(getattr(a, name))
        attempt(getattr(a, name), axis=(0, 7))
    attempt(a.T.sum, axis=0)
    for operand in (a.view[0], value, 3, 1j, None, [1, 2]):
        for function in (operator.eq, np.less, operator.add):
            attempt(function, a, operand)
            attempt(function, operand, a)
    attempt(a._compare, 9, 1)
    attempt(a._compare, 0, "x")
    attempt(setattr, a, "dims", ("y", "x"))
    attempt(lambda: a.dims)
    attempt(a.attrs.clear)
    b = a.copy(codec="zstd", chunks=(2, 2))
    attempt(b.append, [1, 2, 3, 4, 5])
    attempt(b.append, [1, 2])
    attempt(b.append, a)
    attempt(b.insert, 1, value[:1])
    attempt(b.insert, 100, value)
    attempt(b.delete, 1)
    for layers in (-1, 9, slice(-2, None), slice(0, 2, 2), [0], ..., "x"):
        attempt(b.delete, layers)
    attempt(b.resize, (1, 2))
    attempt(b.resize, "x")
    attempt(b._chunk_get, 0)
    attempt(b._chunk_get, 99)
    attempt(b._chunk_set, 0, a._chunk_get(0), False)
    sketch = a.sketch()
    for box in (..., np.s_[:2], np.s_[1:], 1):
        packet = attempt(tessera.encode, sketch, box, value)
    packet = tessera.encode(sketch, np.s_[:2], value[:2])
    (packet.nchunks, packet.chunks, repr(packet), attempt(tessera.Packet.chunks.fget, b"x"))
    attempt(packet.place, "/nowhere/at/all", tessera.Lease(0, 1))
    c = a.copy()
    with c.adopt() as adoption:
        for bytes_ in (packet, b"no packet", None):
            attempt(adoption.add, bytes_)
        attempt(adoption.lease, 100)
        attempt(adoption.give_back, tessera.Lease(0, 1))
        list(adoption.missing())
    attempt(adoption.add, packet)
    c.adopt()
    attempt(tessera.Adoption, 3)
    attempt(a.copy, "/nowhere/at/all")
    attempt(a.save, "/nowhere/at/all")
    attempt(tessera.open, "/nowhere/at/all")
    attempt(tessera.open, b"no frame")
    attempt(tessera.open, a.to_bytes())
    attempt(tessera.create, None, (3,), "i4", chunks=(1, 2))
    attempt(tessera.create, None, (3,), "O")
    attempt(tessera.create, None, (3,), "i4", codec="none")
    attempt(tessera.create, None, (3,), [("a", "i4"), ("b", "M8[s]")], fill_value=(1, 2))
    attempt(tessera.layout, (100, 100), "f4", "row")
    attempt(tessera.layout, (100, 100), "f4", "nonsense")
    pickle.loads(pickle.dumps(a))
    pickle.loads(pickle.dumps(a.view[1]))
    (repr(a), a.shape, a.dtype, a.fill_value, a.layout, a.base, a.path, len(a), a.closed)
    list(a.iter_chunks())
    b.close()
    attempt(b.__getitem__, 0)


def use_store(path):
    """Every method of a store that is written, and one of its readers."""
    with tessera.open_store(path, "a", durability="none") as store:
        store["g/a"], store["g/b"] = [1, 2, 3], 5
        a, again = store["g/a"], store["g/a"]
        attempt(a.append, [4])
        attempt(again.view[1:].__setitem__, 0, 9)
        attempt(store.__setitem__, "g", 1)
        attempt(store.__setitem__, "../x", 1)
        attempt(store.__setitem__, 5, 1)
        attempt(store.__getitem__, "no")
        attempt(store.__delitem__, "no")
        attempt(store.create, "g/a", 3, "i4")
        attempt(store.rename, "g/a", "g/b")
        store["g"].attrs["k"] = 1
        store.rename("g/b", "c")
        store["g/c"] = a
        del store["c"]
        store.commit()
        (list(store), store.number, store.left_out, repr(store), repr(store["g"]), store["g"] == 1)
        store["g/c"][0] = 7
        store.abort()
        attempt(a.__getitem__, 0)
        attempt(store.name_commit, "no name")
        attempt(store.forget_commit, "none")
        attempt(pickle.dumps, store)
    attempt(list, store)
    with tessera.open_store(path) as store:
        list(store["g"].values())
        (dict(store["g"].attrs), list(store.walk()), store.refresh())
        pickle.loads(pickle.dumps(store["g/a"]))
    attempt(tessera.open_store, path, commit="none")
    attempt(tessera.open_store, path, "nonsense")
    attempt(tessera.open_store, b"no zip file")


class References(unittest.TestCase):
    def settle(self, rounds, function):
        """Repeat until rounds of it leave nothing behind. Caches of Python and NumPy fill at first,
        ever slower; an object that each round leaves is more than that each time."""
        for passes in range(30):
            before = sys.getallocatedblocks()
            for _ in range(rounds):
                function()
            gc.collect()
            more = sys.getallocatedblocks() - before
            if more < rounds // 4:
                print(f"pass {passes}: {more} objects more after {rounds} rounds")
                return
        self.fail(f"{more} objects more after each {rounds} rounds")

    def test_loop(self):
        a = tessera.asarray(np.arange(20).reshape(4, 5), chunks=(2, 3))
        value, out = np.ones((4, 5), "i8"), np.zeros((4, 5), "i8")
        watched = [a, value, out, a.dtype, tessera.Array, tessera._tessera.Ext, np.dtype("int64")]
        constants = [None, True, False, ..., ()]  # whose references others hold, too
        rounds = 60
        self.settle(rounds, lambda: use(a, value, out))
        counts = [sys.getrefcount(x) for x in watched]
        held = [sys.getrefcount(x) for x in constants]
        for _ in range(rounds):
            use(a, value, out)
        gc.collect()
        for x, count in zip(watched, counts):
            now = sys.getrefcount(x)
            self.assertLess(abs(now - count), 5, f"references to {x!r}: {count}, then {now}")
        for x, count in zip(constants, held):
            now = sys.getrefcount(x)
            self.assertLess(abs(now - count), rounds, f"references to {x!r}: {count}, then {now}")

    def test_stores(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.b2d")
            self.settle(30, lambda: use_store(path))
            gc.collect()
            tessera.open_store(path, "r+").close()

    def test_cycles(self):
        """An array that refers to its views and adoptions is closed when nothing else does."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.b2nd")
            tessera.create(path, (40, 10), "i8", chunks=(20, 10)).close()
            for i in range(20):
                a = tessera.open(path, "r+")
                a.view_of_it, a.it = a.view[::-1].view[1:], a
                a.adoption = a.adopt()
                a.adoption.array = a
                a[0, 0] = i
                gone = weakref.ref(a)
                del a
                gc.collect()
                self.assertIsNone(gone())
                self.assertEqual(tessera.open(path)[0, 0], i)

    def test_views_keep_their_base(self):
        class Watched(tessera.Array):
            def __del__(self):
                gone.append(1)

        gone = []
        place = {"path": None, "mode": 2}
        a = tessera._tessera._create(Watched, place, {"shape": (3,), "dtype": "i4"}, None)
        view = a.view[1:]
        del a
        self.assertEqual(gone, [])
        del view
        self.assertEqual(len(gone), 2)  # the view, then what it was of


if __name__ == "__main__":
    unittest.main()
