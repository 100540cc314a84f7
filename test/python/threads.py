"""Many threads on one array: what they read is right, and closing it never crashes."""

import contextlib
import faulthandler
import os
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import tessera
from support import InFolder, long_run, same

ROUNDS = 400 if long_run() else 20

# numpy.empty() is where calls of the package allocate.
FINALIZERS = """
import threading

import numpy as np

real, here, ran = np.empty, threading.local(), []

def empty(*arguments):
    if not getattr(here, "call", None):
        return real(*arguments)
    call, here.call = here.call, None
    call()
    ran.append(1)
    return real(*arguments)

np.empty = empty
import tessera

a, b = tessera.create(None, (400, 3), "i4", fill_value=7), tessera.asarray(np.arange(9))
finalizers = [
    lambda: a[3:5], lambda: a.resize((len(a) ^ 768, 3)), lambda: b.append([1]), lambda: a.T,
    lambda: tessera.asarray([1]).close(), lambda: a.append(np.full((2, 3), 7, "i4")),
    lambda: a.delete(slice(-2, None)), lambda: a.view[0], lambda: a.max(),
]
calls = [
    lambda: a[-1], lambda: a[...], lambda: a[:, 1], lambda: a[[3, -1]], lambda: a[a[:, 0] == 9],
    lambda: a.fill_value, lambda: a.read(np.s_[[1, 2]]),
]
done = threading.Event()

def resize():
    while not done.is_set():
        a.resize((300, 3))
        a.resize((400, 3))

threads = [threading.Thread(target=resize) for _ in range(2)]
for thread in threads:
    thread.start()
try:
    for finalizer in finalizers:
        for call in calls:
            here.call = finalizer
            try:
                assert (np.asarray(call()) == 7).all()
            except IndexError as error:  # of a mask
                assert "boolean" in str(error), error
            here.call = finalizer
            a[-3:, [1, 2]] = 7
finally:
    done.set()
    for thread in threads:
        thread.join()
assert len(ran) > 100, len(ran)
here.call = a.close
try:
    a[5]
except ValueError as error:
    assert "closed" in str(error)
else:
    raise AssertionError("read of a closed array")
"""


def together(functions):
    """Run functions on threads of their own; the first exception of any is raised."""
    failures = []

    def run(function):
        try:
            function()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(f,)) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class Threads(InFolder):
    def test_eight_readers(self):
        items = np.random.default_rng(1).integers(0, 1000, (60, 70, 80)).astype("i4")
        tessera.asarray(items, "a.b2nd", chunks=(16, 16, 16), blocks=(4, 8, 16)).close()
        for a in (tessera.open("a.b2nd"), tessera.open("a.b2nd", mmap=True, cache=0)):
            def read(seed, a=a):
                rng = np.random.default_rng(seed)
                for _ in range(ROUNDS):
                    start = rng.integers(0, 40, 3)
                    stop = start + rng.integers(1, 40, 3)
                    box = tuple(map(slice, start.tolist(), stop.tolist()))
                    self.assertTrue(same(a[box], items[box]))
                    rows = rng.integers(0, 60, 5)
                    self.assertTrue(same(a[rows, :, 3], items[rows, :, 3]))
                    at = tuple(int(n) for n in start)
                    self.assertEqual(a[at], items[at])
                    self.assertTrue(same(a.view[:, ::-1][box], items[:, ::-1][box]))

            together([lambda seed=seed: read(seed) for seed in range(8)])

    def test_writers_of_one_chunk(self):
        a = tessera.create("a.b2nd", (8, 4000), "i8", chunks=(8, 4000), blocks=(1, 500))

        def write(row):
            for i in range(0, 4000, 100):
                a[row, i : i + 100] = row * 10000 + np.arange(i, i + 100)
                a.attrs[f"row{row}"] = i

        together([lambda row=row: write(row) for row in range(8)])
        want = np.arange(8)[:, None] * 10000 + np.arange(4000)
        self.assertTrue(same(a[...], want))
        a.close()
        self.assertTrue(same(tessera.open("a.b2nd")[...], want))

    def test_close_beside_readers(self):
        items = np.arange(200000)
        tessera.asarray(items, "a.b2nd", chunks=2000).close()
        for _ in range(ROUNDS // 4):
            a = tessera.open("a.b2nd")
            started = threading.Barrier(5)

            def read(a=a, started=started):
                started.wait()
                try:
                    while True:
                        if not same(a[:], items) or a[7] != 7:
                            raise AssertionError("wrong items")
                except ValueError as error:
                    if "closed" not in str(error):
                        raise

            def close(a=a, started=started):
                started.wait()
                time.sleep(0.005)
                a.close()

            together([read, read, read, read, close])

    def test_views_that_go_beside_resizes(self):
        """A view that nothing refers to any more is closed beside no call that is exclusive."""
        a = tessera.asarray(np.arange(2000), chunks=100)
        done = threading.Event()

        def resize(seed):
            rng = np.random.default_rng(seed)
            while not done.is_set():
                a.resize(int(rng.choice([0, 1, 50, 2000, 3000])))
                with contextlib.suppress(ValueError):
                    a[: len(a)] = 7

        def views():
            try:
                for i in range(ROUNDS * 200):
                    with contextlib.suppress(ValueError, IndexError, tessera.StaleError):
                        a.view[::-1][3:40:2]
                        a.view[i % 50 :].view[::2][0] = i
                    if i % 9 == 0:
                        a.adopt()
            finally:
                done.set()

        together([lambda: resize(1), lambda: resize(2), views])

    def test_close_by_many(self):
        """Closing an array, or ending an adoption, that another thread closes is no failure."""
        items = np.random.default_rng(1).normal(size=200000)
        for closed_first in (False, True):
            for _ in range(ROUNDS):
                a = tessera.asarray(items, threads=1, cache=0)
                adoption = a.adopt()
                started = threading.Barrier(6)

                def call(function, started=started):
                    started.wait()
                    function()

                def read(a=a):
                    with contextlib.suppress(ValueError):
                        a[...]

                if closed_first:
                    a.close()
                together([lambda f=f: call(f) for f in (read, read, a.close, a.close, adoption.end,
                                                        adoption.end)])
                self.assertTrue(a.closed)

    def test_turns(self):
        """Calls that are exclusive do not keep others from the array, nor these them."""
        a = tessera.create(None, 1000, "i4", chunks=100)
        end = time.monotonic() + 1
        counts = []

        def repeat(function):
            n = 0
            while time.monotonic() < end:
                function()
                n += 1
            counts.append((n, function))

        read, resize = lambda: a[5], lambda: a.resize(1000)
        together([lambda: repeat(read), lambda: repeat(resize), lambda: repeat(resize)])
        reads = sum(n for n, function in counts if function is read)
        resizes = sum(n for n, function in counts if function is resize)
        self.assertGreater(reads, resizes / 20)
        self.assertGreater(resizes, reads / 10000)

    def test_random_calls(self):
        """Of many threads on few arrays: nothing waits for ever."""
        arrays = [tessera.create(None, 200, "i4", chunks=20) for _ in range(3)]
        views = [a.view[::-1] for a in arrays]

        def work(seed):
            rng = np.random.default_rng(seed)
            for _ in range(ROUNDS * 25):
                a, b, kind = rng.integers(0, 3), rng.integers(0, 3), rng.integers(0, 8)
                x = arrays[a]
                calls = (lambda: x[rng.integers(0, 300)], lambda: views[a][3:5], lambda: list(x.attrs),
                         lambda: x.resize(rng.integers(100, 300)), lambda: x.append(arrays[b]),
                         lambda: x.resize(200), x.sum, x.close if rng.integers(0, 20) == 0 else x.flush)
                with contextlib.suppress(ValueError, IndexError, tessera.StaleError):
                    calls[kind]()
                if x.closed:
                    arrays[a] = tessera.create(None, 200, "i4", chunks=20)
                    views[a] = arrays[a].view[::-1]

        faulthandler.dump_traceback_later(300, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        together([lambda seed=seed: work(seed) for seed in range(6)])

    def test_resize_beside_readers(self):
        a = tessera.create("a.b2nd", 1000, "i4", chunks=100)
        done = threading.Event()

        def read():
            while not done.is_set():
                n = len(a)
                part = a[: n - 1]
                self.assertFalse(part.any())
                self.assertEqual(a[0], 0)

        def grow():
            try:
                for i in range(ROUNDS):
                    a.append(np.zeros(50, "i4"))
                    a.insert(3, np.zeros(7, "i4"))
            finally:
                done.set()

        together([read, read, read, grow])
        self.assertEqual(len(a), 1000 + 57 * ROUNDS)

    def test_indices_beside_resizes(self):
        """An index that is valid before and after a resize is valid beside it, of either shape."""
        a = tessera.create("a.b2nd", (400, 6), "i4", chunks=(50, 3), fill_value=7)
        narrow = tessera.create(None, 400, "i4", chunks=50, fill_value=7)
        kind = np.dtype("i4")
        rows, few = np.array([3, -1, 150]), np.arange(200) % 3 == 0

        def shapes(*lengths):
            return [(n, 6) for n in lengths]

        def assign(index, value):
            a[index] = value

        calls = [
            (lambda: a[...], shapes(200, 400)),
            (lambda: a[:], shapes(200, 400)),
            (lambda: a[::-1], shapes(200, 400)),
            (lambda: a[()], shapes(200, 400)),
            (lambda: np.asarray(a), shapes(200, 400)),
            (lambda: np.asarray(narrow), [(200,), (400,)]),
            (lambda: narrow[-1], [()]),
            (lambda: a[-1], [(6,)]),
            (lambda: a[-1, -1], [()]),
            (lambda: a[-200, 3], [()]),
            (lambda: a[-150:], [(150, 6)]),
            (lambda: a[:, 2], [(200,), (400,)]),
            (lambda: a[:, None, ::2], [(200, 1, 3), (400, 1, 3)]),
            (lambda: a[rows], [(3, 6)]),
            (lambda: a[rows, [0, 1, -1]], [(3,)]),
            (lambda: a[:, [5, 0]], [(200, 2), (400, 2)]),
            (lambda: a[::2, [5, 0], None], [(100, 2, 1), (200, 2, 1)]),
            (lambda: a[..., few[:6]], [(200, 2), (400, 2)]),
            (lambda: a[True], [(1, 200, 6), (1, 400, 6)]),
            (lambda: a[False], [(0, 200, 6), (0, 400, 6)]),
            (lambda: a.oindex[:, [1, 2]], [(200, 2), (400, 2)]),
            (lambda: a.oindex[rows, [1, 2]], [(3, 2)]),
            (lambda: a.vindex[:, [1, 2], None], [(2, 200, 1), (2, 400, 1)]),
            (lambda: a.read(np.s_[-100:], out=np.empty((100, 6), kind)), [(100, 6)]),
            (lambda: a.read(rows, out=np.empty((6, 6), kind)[::2]), [(3, 6)]),
            (lambda: a.read(-1, out=np.empty(6, kind)), [(6,)]),
            (lambda: np.array(list(a)), [(n, 6) for n in range(200, 401, 50)]),
            (lambda: np.array(list(narrow)), [(n,) for n in range(200, 401, 50)]),
            (lambda: np.concatenate([items for _, items in a.iter_chunks()], axis=None), None),
            (lambda: a.view[-1], None),
            (lambda: a.view[::-2, None], None),
            (lambda: a.max(axis=0), [(6,)]),
            (lambda: a.copy().shape and None, None),
            (lambda: assign(np.s_[...], 7), None),
            (lambda: assign(np.s_[:, 1], np.int32(7)), None),
            (lambda: assign(np.s_[-1], [7] * 6), None),
            (lambda: assign(np.s_[-1, -2], 7), None),
            (lambda: assign(np.s_[rows], np.full((3, 6), 7)), None),
            (lambda: assign(np.s_[:, [0, 5]], 7), None),
            (lambda: assign(np.s_[rows, rows % 6], 7), None),
            (lambda: a.oindex.__setitem__(np.s_[rows, 1:3], 7), None),
            (lambda: a.vindex.__setitem__(np.s_[1:3, rows % 6], 7), None),
            (lambda: tessera.layout(a, accesses="row"), None),
            (lambda: (a.size % 6, a.nbytes % 24, len(a) % 200, a.shape[0] % 200), None),
            (lambda: 7 in a and 8 not in a, None),
        ]
        done = threading.Event()

        def resize():
            while not done.is_set():
                for array, tail in ((a, (6,)), (narrow, ())):
                    array.resize((200, *tail))
                    array.resize((400, *tail))

        def use():
            try:
                for _ in range(ROUNDS * 5):
                    for n, (call, wanted) in enumerate(calls):
                        try:
                            items = call()
                        except Exception as error:
                            raise AssertionError(f"call {n}") from error
                        if wanted is not None:
                            self.assertIn(np.shape(items), wanted, n)
                        if isinstance(items, np.ndarray):
                            self.assertTrue((items == 7).all(), n)
            finally:
                done.set()

        together([resize, use, use])

    def test_layers_beside_resizes(self):
        """Positions that count from the end are those of the array that the call finds."""
        a = tessera.create(None, 400, "i4", chunks=50)
        done = threading.Event()

        def resize():
            while not done.is_set():
                a.resize(200)
                a.resize(400)

        def change():
            try:
                for _ in range(ROUNDS):
                    a.insert(-1, [1, 2])
                    a.insert(-150, [3])
                    a.delete(-1)
                    a.delete(-150)
                    a.delete(slice(-1, None))
                    a.delete(slice(300, 350))
            finally:
                done.set()

        together([resize, change])

    def test_finalizers(self):
        """Code that runs inside a call, as finalizers do when the call allocates memory, may use,
        resize and close arrays, also while other threads want to."""
        done = subprocess.run([sys.executable, "-c", FINALIZERS], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0)

    def test_refresh_to_another_shape(self):
        """Readers of a file that is replaced by one with other axes and items."""
        small, large = np.arange(50, dtype="u1"), np.arange(6000.0).reshape(10, 20, 30)
        tessera.asarray(small, "a.b2nd").close()
        a = tessera.open("a.b2nd")
        done = threading.Event()

        def read():
            out = np.zeros((10, 20, 30))[::-1, ::-1, ::-1]
            while not done.is_set():
                try:
                    part = a[::-1]
                    self.assertIn(part.shape, ((50,), (10, 20, 30)))
                    a.read(..., out=out)
                except (tessera.Error, IndexError, ValueError, TypeError):
                    pass

        def replace():
            try:
                for i in range(ROUNDS):
                    tessera.asarray((small, large)[i % 2], "a.b2nd", mode="w").close()
                    a.refresh()
            finally:
                done.set()

        together([read, read, read, replace])
        self.assertEqual(a.refresh(), False)

    def test_crossed_appends(self):
        a, b = tessera.asarray([1]), tessera.asarray([2])
        together([lambda: [a.append(b) for _ in range(9)], lambda: [b.append(a) for _ in range(9)]])
        self.assertEqual(set(a[...]) | set(b[...]), {1, 2})

    def test_without_the_lock_of_the_interpreter(self):
        """While one thread is in a long call, others run."""
        a = tessera.create(None, (3000, 3000), "f8", codec="zstd", level=9, threads=1)
        items = np.random.default_rng(1).normal(size=a.shape).round(2)
        ticks = []
        writer = threading.Thread(target=lambda: a.__setitem__(..., items))
        writer.start()
        while writer.is_alive():
            ticks.append(time.monotonic())
            time.sleep(0.001)
        gaps = [y - x for x, y in zip(ticks, ticks[1:])]
        self.assertGreater(len(gaps), 20)
        self.assertLess(sorted(gaps)[len(gaps) // 2], 0.1)


if __name__ == "__main__":
    unittest.main()
