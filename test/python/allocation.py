"""Every allocation of Python fails in turn: an exception, nothing is left behind, and no crash.

The allocators of Python are replaced by ones that fail from the n-th call on, by _testcapi, which
Debian has in libpython3-testsuite; without it, the test is skipped.
"""

import gc
import io
import pickle
import sys
import unittest
import zipfile

import numpy as np
import tessera

try:
    import _testcapi
except ImportError:
    _testcapi = None


def calls(a, value, out):
    """What is tried; each leaves the array of the test as it is, or writes the same again.

    Not tried is what leaves objects behind, or crashes, in NumPy 1.24 and Python 3.11 themselves:
    types of several fields, generators, indices of arrays of NumPy; nor functions with a handler
    behind their first 256 instructions, which Python 3.11 repeats for ever when memory is missing.
    """
    mask = np.ones((4, 5), bool)
    two, some, all_items = value[:, [0, 2]], value[:2, ::2].copy(), value.ravel()
    yield lambda: a[1, 2]
    yield lambda: a[::2, ::-1]
    yield lambda: a[..., None]
    yield lambda: a[[0, 1], [1, 2]]
    yield lambda: a[:, [0, 2]]
    yield lambda: a[[0, 1], ::2]
    yield lambda: a[None, [[0], [1]], ..., [0, 1]]
    yield lambda: a[mask]
    yield lambda: a[True]
    yield lambda: a[[9]]
    yield lambda: a.oindex[[0, 1], [1, 2]]
    yield lambda: a.read(np.s_[:], out=out)
    yield lambda: a.__setitem__(1, value[1])
    yield lambda: a.__setitem__((slice(None), [0, 2]), two)
    yield lambda: a.__setitem__(mask, all_items)
    yield lambda: a.__setitem__(([0, 1], slice(None, None, 2)), some)
    yield lambda: a.__setitem__((1, 1), 6)
    yield lambda: a.view[1, ::-1][0]
    yield lambda: a.T.shape
    yield lambda: a.sum(axis=0)
    yield lambda: a._compare(2, 7)
    yield lambda: a._compare(0, 2**63)
    yield lambda: a._compare(5, a)
    yield lambda: a.attrs.__setitem__("k", [1, {"a": b"x", "b": ["y", 2.5, None]}])
    yield lambda: dict(a.attrs)
    yield lambda: a.copy(codec="zstd", chunks=(2, 2))
    yield lambda: tessera.asarray(value)
    yield lambda: tessera.create(None, 3, "i4", fill_value=1)
    yield lambda: tessera.open(a.to_bytes())
    yield lambda: tessera.open("/nowhere/at/all")
    yield lambda: a.copy().append(value)
    yield lambda: a.copy().insert(1, value)
    yield lambda: a.copy().resize((2, 2))
    yield lambda: a.copy().delete(slice(-2, None))
    sketch = tessera.open(a.sketch(), "r+")
    packet = tessera.encode(sketch, np.s_[:2], value[:2])
    copy = a.copy()
    adoption = copy.adopt()
    yield lambda: a.sketch()
    yield lambda: sketch._encode((0, 0), (2, 5), value[:2])
    yield lambda: packet.chunks
    yield lambda: packet.place("/nowhere/at/all", tessera.Lease(0, 1))
    yield lambda: adoption.add(packet)
    yield lambda: adoption.lease(100)
    yield lambda: list(adoption.missing())
    yield lambda: copy.adopt().end()
    yield lambda: tessera.layout((100, 100), "f4", "row")
    image = io.BytesIO()
    with zipfile.ZipFile(image, "w") as archive:
        archive.writestr("g/a.b2nd", a.to_bytes())
    store = tessera.open_store(image.getvalue())
    yield lambda: store["g/a"]
    yield lambda: store["g"]["a"][1]
    yield lambda: store._entries("/", True)
    yield lambda: list(store)
    yield lambda: "g/b" in store
    yield lambda: (store.number, store.left_out, store.path)
    yield lambda: store["g/b"]
    yield lambda: dict(store.attrs)
    yield lambda: store._remove("g/a")
    yield lambda: tessera.open_store(image.getvalue())
    yield lambda: repr(a)
    yield lambda: (a.shape, a.fill_value, a.layout, a.dims)
    yield lambda: pickle.loads(pickle.dumps(a))


@unittest.skipUnless(_testcapi, "_testcapi is missing")
@unittest.skipIf(hasattr(sys, "gettotalrefcount"), "a debug build of Python 3.11 stops at a failure "
                 "of its own: it loses the exception where it has no memory for a frame")
class Allocation(unittest.TestCase):
    def fail_in_turn(self, call):
        """The n-th allocation fails, for each n; returns how many a call has."""
        wanted = self.outcome(call)
        for n in range(100000):
            self.outcome(call, n, n + 1)
            if self.outcome(call, n, 0) is wanted and self.outcome(call, n + 1, 0) is wanted:
                return n  # where all beyond n fail, none of the call does
        self.fail("a call with more than 100,000 allocations")

    def outcome(self, call, first=None, end=0):
        """The class of the exception of a call, of which allocations fail; None: it passed."""
        kind = None
        if first is not None:
            _testcapi.set_nomemory(first, end)
        try:
            call()
        except BaseException as error:
            kind = type(error)
        finally:
            if first is not None:
                _testcapi.remove_mem_hooks()
        return kind

    def left_behind(self, call, rounds):
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(rounds):
            self.fail_in_turn(call)
        gc.collect()
        return sys.getallocatedblocks() - before

    def test_every_allocation(self):
        a = tessera.asarray(np.arange(20).reshape(4, 5), chunks=(2, 3))
        value, out = np.arange(20).reshape(4, 5), np.zeros((4, 5), "i8")
        tried = 0
        for call in calls(a, value, out):
            tried += self.fail_in_turn(call)
            # Caches fill in some passes; what a failure leaves behind, it leaves in each.
            self.assertTrue(any(self.left_behind(call, 6) < 6 for _ in range(40)))
            self.assertEqual(a[...].tolist(), value.tolist())
        print(f"{tried} allocations failed")
        self.assertGreater(tried, 500)


if __name__ == "__main__":
    unittest.main()
