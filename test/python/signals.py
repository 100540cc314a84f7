"""Ctrl-C ends a long call; handlers run inside a call, and cannot use arrays there."""

import os
import signal
import threading
import time
import unittest

import numpy as np
import tessera


class Signals(unittest.TestCase):
    def setUp(self):
        self.array = tessera.create(None, (2000, 3000), "f8", codec="zstd", level=9, threads=1)
        self.items = np.random.default_rng(1).normal(size=(2000, 3000)).round(3)

    def after(self, seconds, number):
        timer = threading.Timer(seconds, os.kill, (os.getpid(), number))
        timer.start()
        self.addCleanup(timer.join)

    def test_interrupt(self):
        self.array[0, 0] = 5
        self.after(0.5, signal.SIGINT)
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.array[...] = self.items
        self.assertLess(time.monotonic() - start, 8)
        self.assertEqual(self.array[0, 0], 5)  # as it was
        self.array[0, 1] = 6  # and of use
        self.assertEqual(self.array[0, :2].tolist(), [5, 6])

    def test_handler(self):
        met = []

        other = tessera.asarray([1])
        views = [self.array.view[1:], other.view[::-1]]

        def handler(number, frame):
            views.clear()  # closed when the call has ended
            try:
                self.array[0, 0]
            except RuntimeError as error:
                met.append(str(error))

        old = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, old)
        self.after(0.3, signal.SIGUSR1)
        self.array[...] = self.items
        self.assertTrue(np.array_equal(self.array[...], self.items))
        self.assertEqual(len(met), 1)
        self.assertIn("signal", met[0])
        self.assertEqual(other[0], 1)

    def test_exception_of_handler(self):
        class Enough(Exception):
            pass

        def handler(number, frame):
            raise Enough("enough")

        old = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, old)
        self.after(0.3, signal.SIGUSR1)
        with self.assertRaisesRegex(Enough, "enough"):
            self.array[...] = self.items
        self.assertFalse(self.array[:10].any())

    def test_wait_for_another_thread(self):
        """A call that waits for an array can be interrupted, too."""
        writer = threading.Thread(target=lambda: self.array.__setitem__(..., self.items))
        writer.start()
        time.sleep(0.2)
        self.after(0.2, signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            self.array.resize((3000, 3000))
        writer.join()
        self.assertEqual(self.array.shape, (2000, 3000))
        self.assertTrue(np.array_equal(self.array[...], self.items))

    def test_handler_while_waiting(self):
        """What a call waits for is not waited for by a handler, too."""
        met = []

        def handler(number, frame):
            try:
                self.array[0, 0]
            except RuntimeError as error:
                met.append(str(error))

        old = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, old)
        writer = threading.Thread(target=lambda: self.array.__setitem__(..., self.items))
        writer.start()
        time.sleep(0.2)
        self.after(0.2, signal.SIGUSR1)
        self.array.resize((2001, 3000))
        writer.join()
        self.assertEqual(len(met), 1)
        self.assertIn("signal", met[0])
        self.assertTrue(np.array_equal(self.array[:2000], self.items))


if __name__ == "__main__":
    unittest.main()
