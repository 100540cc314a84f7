"""Arrays at URLs: read, pickled, refused in words.

    urls.py [SERVE]    a program that serves a directory; without it, only what needs no server
"""

import os
import pickle
import subprocess
import sys
import threading
import unittest
import zipfile

import numpy as np
import tessera
from support import InFolder, same

SERVE = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None


class Urls(InFolder):
    def setUp(self):
        super().setUp()
        for name in list(os.environ):
            if name.lower().endswith("_proxy"):
                del os.environ[name]

    def serve(self, *options):
        server = subprocess.Popen([SERVE, self.folder, *options], stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        return server.stdout.readline().strip()

    @unittest.skipUnless(SERVE, "no server")
    def test_read(self):
        items = np.random.default_rng(1).integers(0, 1000, (300, 400))
        tessera.asarray(items, "a.b2nd", chunks=(50, 50)).close()
        tessera.asarray(items, "sparse", sparse=True).close()
        address = self.serve()
        a = tessera.open(address + "a.b2nd")
        self.assertEqual((a.path, a.writable), (address + "a.b2nd", False))
        self.assertTrue(same(a[5:20, ::3], items[5:20, ::3]))
        self.assertTrue(same(pickle.loads(pickle.dumps(a))[[7, 9]], items[[7, 9]]))
        self.assertTrue(same(tessera.open(address + "sparse/")[...], items))
        threads = [threading.Thread(target=lambda: self.assertTrue(same(a[...], items)))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with self.assertRaises(ValueError):
            a[0] = 1
        with self.assertRaises((tessera.Error, OSError)):
            tessera.open(address + "a.b2nd", "r+")
        with self.assertRaises(FileNotFoundError) as caught:
            tessera.open(address + "nothing.b2nd")
        self.assertEqual(caught.exception.filename, address + "nothing.b2nd")

    @unittest.skipUnless(SERVE, "no server")
    def test_store(self):
        items = np.arange(1000)
        with zipfile.ZipFile("s.b2z", "w") as archive:
            archive.writestr("g/a.b2nd", tessera.asarray(items).to_bytes())
        address = self.serve() + "s.b2z"
        with tessera.open_store(address) as store:
            a = store["g/a"]
            self.assertEqual((list(store), a.path), (["g"], address + "/g/a"))
            self.assertEqual((dict(store.attrs), store.refresh()), ({}, False))
        self.assertTrue(same(a[...], items))
        self.assertTrue(same(pickle.loads(pickle.dumps(a))[...], items))
        for mode in ("r+", "a", "x"):
            with self.assertRaises((tessera.Error, OSError)):
                tessera.open_store(address, mode)
        with self.assertRaises(FileNotFoundError):
            tessera.open_store(address + "-not")

    def test_refused(self):
        for url in ("http://", "http://127.0.0.1:1/a.b2nd\n", "HTTPS://127.0.0.1:99999/"):
            with self.assertRaises((OSError, tessera.Error)):
                tessera.open(url)


if __name__ == "__main__":
    unittest.main()
