"""Checksums, durability, limits and waiting: arguments of open(), create(), copy() and save()."""

import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import tessera
from support import InFolder, same

HOLD = """
import sys, time, tessera
a = tessera.open(sys.argv[1], "r+")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
a[0] += 1
a.close()
"""


class Guards(InFolder):
    def damaged(self, **options):
        """An array that is stored as it is, with one item changed in its file."""
        items = np.random.default_rng(1).integers(0, 1 << 60, 4000)
        tessera.asarray(items, "a.b2nd", level=0, **options).close()
        with open("a.b2nd", "rb") as file:
            text = file.read()
        at = text.index(items[2000].tobytes())
        with open("a.b2nd", "wb") as file:
            file.write(text[:at] + b"\0" + text[at + 1 :])
        return items

    def test_checksums(self):
        items = self.damaged()
        self.assertFalse(same(tessera.open("a.b2nd")[...], items))
        a = tessera.open("a.b2nd", checksums="verify")
        for b in (a, pickle.loads(pickle.dumps(a))):
            with self.assertRaisesRegex(tessera.CorruptError, "checksum"):
                b[2000]
        os.remove("a.b2nd")
        items = self.damaged(checksums="none")
        self.assertFalse(same(tessera.open("a.b2nd", checksums="verify")[...], items))

    def test_memory_limit(self):
        frame = tessera.asarray(np.arange(1 << 20), blocks=1 << 20).to_bytes()
        self.assertEqual(tessera.open(frame, memory_limit=1 << 24)[5], 5)
        with self.assertRaisesRegex(tessera.LimitError, "1000"):
            tessera.open(frame, memory_limit=1000)[5:7]
        with self.assertRaises(tessera.LimitError):
            tessera.create(None, 1 << 20, "i8", blocks=1 << 20, memory_limit=1000)[5] = 1

    def test_words(self):
        for durability in ("none", "ordered", "fsync"):
            tessera.asarray([1, 2], "a.b2nd", mode="w", durability=durability).close()
            with tessera.open("a.b2nd", "r+", durability=durability) as a:
                a[0] = 7
                a.copy("b.b2nd", mode="w", durability=durability).close()
                a.save("c.b2nd", mode="w", durability=durability)
            for name in "abc":
                self.assertEqual(tessera.open(f"{name}.b2nd")[0], 7)
        for wrong in (dict(checksums="yes"), dict(durability="full"), dict(memory_limit=0),
                      dict(memory_limit=-1), dict(wait=-1), dict(wait=math.nan), dict(wait="long"),
                      dict(checksums=1), dict(durability=True), dict(memory_limit=2**64)):
            for call in (lambda: tessera.open("a.b2nd", **wrong),
                         lambda: tessera.create(None, 3, "i4", **wrong),
                         lambda: tessera.asarray([1]).copy(**wrong)):
                with self.assertRaises((ValueError, TypeError, OverflowError), msg=str(wrong)):
                    call()

    def test_lock_file(self):
        tessera.create("a.b2nd", 3, "i4").close()
        self.assertEqual(os.listdir(), ["a.b2nd"])
        with tessera.open("a.b2nd", "r+", lock_file=True) as a:
            a[0] = 5
        self.assertEqual(sorted(os.listdir()), ["a.b2nd", "a.b2nd.b2lock"])
        tessera.create("b", 3, "i4", sparse=True, lock_file=True).close()
        self.assertIn(".b2lock", os.listdir("b"))


class Waiting(InFolder):
    def setUp(self):
        super().setUp()
        tessera.create("a.b2nd", 3, "i4").close()

    def hold(self, seconds):
        """Another program has the array open for writing, and then adds 1 to its first item."""
        other = subprocess.Popen([sys.executable, "-c", HOLD, "a.b2nd", str(seconds)],
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(other.stdout.close)
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.assertEqual(other.stdout.readline(), "held\n")

    def test_until_it_is_closed(self):
        self.hold(0.5)
        with self.assertRaises(BlockingIOError):
            tessera.open("a.b2nd", "r+")
        with tessera.open("a.b2nd", "r+", wait=60) as a:
            self.assertEqual(a[0], 1)
        self.hold(0.5)
        tessera.create("a.b2nd", 5, "i4", mode="w", wait=math.inf).close()
        self.hold(0.5)
        tessera.asarray([7]).save("a.b2nd", mode="w", wait=60)
        self.assertEqual(tessera.open("a.b2nd")[...].tolist(), [7])

    def test_time_is_over(self):
        self.hold(60)
        for wait in (0.3, 1e-9):
            start = time.monotonic()
            with self.assertRaises(BlockingIOError) as caught:
                tessera.open("a.b2nd", "r+", wait=wait)
            self.assertGreaterEqual(time.monotonic() - start, min(wait, 0.3))
            self.assertEqual(caught.exception.filename, os.path.abspath("a.b2nd"))

    def test_interrupt(self):
        self.hold(60)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        self.addCleanup(timer.join)
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            tessera.open("a.b2nd", "r+", wait=math.inf)
        self.assertLess(time.monotonic() - start, 20)


if __name__ == "__main__":
    unittest.main()
