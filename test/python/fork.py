"""Children of a fork() read the arrays of their parent, and leave their files as they are."""

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import unittest

import numpy as np
import tessera
from support import InFolder, same


class Fork(InFolder):
    def child(self, function):
        """Run a function in a child; its exception is printed there, and fails here."""
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                function()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    def test_children_read(self):
        items = np.arange(300000).reshape(300, 1000)
        a = tessera.asarray(items, "a.b2nd")
        view = a.view[::-1]

        def read():
            assert same(a[...], items) and same(view[...], items[::-1])
            assert not a.writable
            try:
                a[0, 0] = 5
                raise AssertionError("a child wrote")
            except ValueError:
                pass
            a.close()

        for _ in range(3):
            self.child(read)
        a[0, 0] = 7
        a.close()
        self.assertEqual(tessera.open("a.b2nd")[0, 0], 7)

    def test_memory_is_copied(self):
        a = tessera.asarray([1, 2, 3])

        def change():
            a[0] = 9
            a.append([4])
            assert a[...].tolist() == [9, 2, 3, 4]

        self.child(change)
        self.assertEqual(a[...].tolist(), [1, 2, 3])

    def test_fork_while_another_thread_reads(self):
        """The child is told to open the array again, and can."""
        items = np.random.default_rng(1).integers(0, 9, 2000000)
        tessera.asarray(items, "a.b2nd", codec="zstd").close()
        a = tessera.open("a.b2nd")
        done = threading.Event()
        seen = threading.Event()

        def read():
            while not done.is_set():
                a[...]
                seen.set()

        reader = threading.Thread(target=read)
        reader.start()
        seen.wait()

        def look():
            try:
                assert same(a[:10], items[:10])
            except RuntimeError as error:
                assert "open it again" in str(error)
            b = tessera.open("a.b2nd")
            assert same(b[...], items)

        try:
            for _ in range(10):
                self.child(look)
        finally:
            done.set()
            reader.join()

    def test_end_of_a_child(self):
        """A child ends without a word about the arrays of its parent."""
        program = ("import os, sys, threading, numpy, tessera\n"
                   "a = tessera.asarray(numpy.zeros((1000, 1000)), 'a.b2nd', threads=1, cache=0)\n"
                   "t = threading.Thread(target=lambda: [a[...] for _ in range(100)])\n"
                   "t.start()\n"
                   "if os.fork() == 0:\n    sys.exit(7)\n"
                   "_, status = os.wait()\nt.join()\na[0, 0] = 5\n"
                   "sys.exit(os.waitstatus_to_exitcode(status))\n")
        for _ in range(3):
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (7, ""))
            self.assertEqual(tessera.open("a.b2nd")[0, 0], 5)
            os.remove("a.b2nd")

    def test_fork_by_a_handler_while_waiting(self):
        """The child does not go on to wait for a thread that it does not have."""
        items = np.random.default_rng(1).normal(size=3000000).round(2)
        a = tessera.create(None, items.shape, "f8", codec="zstd", level=9, threads=1)
        children = []

        def handler(number, frame):
            children.append(os.fork())

        old = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, old)
        writer = threading.Thread(target=lambda: a.__setitem__(..., items))
        writer.start()
        time.sleep(0.2)
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        try:
            a.resize(3000001)
            told = False
        except RuntimeError as error:
            told = "open it again" in str(error)
        if children == [0]:
            os._exit(5 if told else 6)
        self.assertFalse(told)
        _, status = os.waitpid(children[0], 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 5)
        timer.join()
        writer.join()
        self.assertTrue(same(a[:-1], items))


if __name__ == "__main__":
    unittest.main()
