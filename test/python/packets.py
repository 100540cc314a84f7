"""Packets: what is adopted equals what is assigned, byte for byte; what does not fit is refused."""

import concurrent.futures
import multiprocessing
import os
import pathlib
import pickle
import random
import sys
import threading
import unittest

import numpy as np
import tessera
from support import DTYPES, InFolder, items_of, same


def boxes(shape, chunks):
    """All boxes of one chunk."""
    grid = [range(0, length, chunk) for length, chunk in zip(shape, chunks)]
    for corner in np.ndindex(*[len(axis) for axis in grid]):
        yield tuple(slice(axis[i], min(axis[i] + chunk, length))
                    for axis, i, chunk, length in zip(grid, corner, chunks, shape))


def packets_of(a, items):
    sketch = a.sketch()
    return [tessera.encode(sketch, box, items[box]) for box in boxes(a.shape, a.chunks)]


def place_one(job):
    """A task of another process: encode a box, write it to its lease."""
    sketch, start, stop, path, lease = job
    items = np.arange(start * 10, stop * 10, dtype="i8").reshape(-1, 10)
    packet = tessera.encode(sketch, np.s_[start:stop], items)
    return packet.place(path, lease)


class Packets(InFolder):
    def pair(self, dtype, path=None, **more):
        return [tessera.create(p, (11, 7), dtype, chunks=(4, 3), blocks=(2, 3), codec="zstd", **more)
                for p in (path, None)]

    def assert_same_chunks(self, a, b):
        for n in range(a._info()["nchunks"]):
            self.assertEqual(a._chunk_get(n), b._chunk_get(n), n)

    def test_all_types(self):
        rng = np.random.default_rng(1)
        for dtype in DTYPES:
            a, b = self.pair(dtype)
            items = items_of(rng, (11, 7), dtype)
            packets = packets_of(a, items)
            random.Random(2).shuffle(packets)
            with a.adopt() as adoption:
                for packet in packets:
                    adoption.add(packet)
                self.assertEqual(list(adoption.missing()), [])
            b[...] = items
            self.assertTrue(same(a[...], items), dtype)
            self.assert_same_chunks(a, b)

    def test_values(self):
        """Items are cast, broadcast, and taken in any order in memory, as by an assignment."""
        items = np.arange(77, dtype="i4").reshape(11, 7)
        for value in (items, np.asfortranarray(items), items[::-1, ::-1], 5, [1, 2, 3, 4, 5, 6, 7],
                      items.astype("i2"), items.astype(">i4"), np.float32(2)):
            a, b = self.pair("f4")
            with a.adopt() as adoption:
                adoption.add(tessera.encode(a.sketch(), ..., value))
            b[...] = value
            self.assertTrue(same(a[...], b[...]))
            self.assert_same_chunks(a, b)
        with self.assertRaises(TypeError):
            tessera.encode(self.pair("i4")[0].sketch(), ..., np.ones((11, 7)))

    def test_no_axes_and_no_items(self):
        a = tessera.create(None, (), "f8")
        with a.adopt() as adoption:
            adoption.add(tessera.encode(a.sketch(), (), 2.5))
        self.assertEqual(a[()], 2.5)
        packet = tessera.encode(self.pair("f4")[0].sketch(), np.s_[4:4], np.ones((0, 7)))
        self.assertEqual(packet.nchunks, 0)

    def test_boxes(self):
        sketch = self.pair("i4")[0].sketch()
        for box, nchunks in ((np.s_[:4, :3], 1), (np.s_[4:, -1:], 2), (..., 9), (np.s_[..., 3:], 6),
                             (np.s_[8:11], 3), (np.s_[8:, ...], 3)):
            self.assertEqual(tessera.encode(sketch, box, 1).nchunks, nchunks, box)
        for box in (np.s_[:3], np.s_[1:4], np.s_[:, :4]):
            with self.assertRaisesRegex(ValueError, "chunk"):
                tessera.encode(sketch, box, 1)
        for box in (np.s_[1, :], [1, 2], np.s_[:, :, :], np.s_[..., ...], None):
            with self.assertRaises(IndexError):
                tessera.encode(sketch, box, 1)
        for box, items in ((np.s_[::2], 1), (np.s_[:4], np.ones((3, 7), "i4"))):
            with self.assertRaises(ValueError):
                tessera.encode(sketch, box, items)

    def test_what_a_packet_says(self):
        a = self.pair("i4")[0]
        packet = tessera.encode(a.sketch(), np.s_[4:8], np.arange(28).reshape(4, 7))
        self.assertEqual((packet.kind, packet.nchunks, packet.nstored), ("bytes", 3, 3))
        self.assertEqual([chunk.number for chunk in packet.chunks], [3, 4, 5])
        self.assertEqual(sum(chunk.cbytes for chunk in packet.chunks), packet.cbytes)
        for chunk in packet.chunks:
            self.assertLessEqual(chunk.offset + chunk.cbytes, len(packet))
        self.assertIn("3 chunks", repr(packet))
        again = pickle.loads(pickle.dumps(packet))
        self.assertIs(type(again), tessera.Packet)
        self.assertEqual((again, hash(again)), (packet, hash(packet)))
        self.assertNotEqual(again, tessera.encode(a.sketch(), np.s_[:4], 1))
        self.assertEqual(pickle.loads(pickle.dumps(packet, 4)), packet)
        buffers = []
        small = pickle.dumps(packet, 5, buffer_callback=buffers.append)
        self.assertLess(len(small), 100)
        self.assertEqual(pickle.loads(small, buffers=buffers), packet)
        self.assertEqual((len(memoryview(packet)), memoryview(packet).readonly), (len(packet), True))
        self.assertGreater(sys.getsizeof(packet), len(packet))
        with self.assertRaises(TypeError):
            tessera.Packet(5)
        for nonsense in (b"", b"no packet", bytes(packet)[:-1]):
            with self.assertRaises(tessera.Error):
                tessera.Packet(nonsense).chunks

    def test_refused(self):
        a, b = self.pair("i4")
        other_shape = tessera.create(None, (12, 7), "i4", chunks=(4, 3), blocks=(2, 3))
        other_type = tessera.create(None, (11, 7), "f4", chunks=(4, 3), blocks=(2, 3))
        good = tessera.encode(a.sketch(), np.s_[:4], np.arange(28).reshape(4, 7))
        before = [b._chunk_get(n) for n in range(9)]
        with b.adopt() as adoption:
            for other in (other_shape, other_type):
                with self.assertRaises(tessera.ArgumentError):
                    adoption.add(tessera.encode(other.sketch(), np.s_[:4], 1))
            for at in (3, 70, len(good) - 1):
                damaged = bytearray(good)
                damaged[at] ^= 1
                with self.assertRaises(tessera.Error):
                    adoption.add(damaged)
            self.assertEqual([b._chunk_get(n) for n in range(9)], before)
            adoption.add(good)
            adoption.add(good)  # the same, once more
            with self.assertRaisesRegex(tessera.ArgumentError, "other content"):
                adoption.add(tessera.encode(a.sketch(), np.s_[:4], 1))
            adoption.add(good, trusted=False)
            with self.assertRaises(TypeError):
                adoption.add("text")
            self.assertEqual(list(adoption.missing()), [3, 4, 5, 6, 7, 8])
            with self.assertRaises(tessera.UnsupportedError):
                adoption.lease(100)  # of an array in memory
        for call in (lambda: adoption.add(good), lambda: list(adoption.missing()),
                     lambda: adoption.lease(1)):
            with self.assertRaisesRegex(ValueError, "ended"):
                call()
        adoption.end()
        view = a.view[1:]
        for other in (view, tessera.open(a.to_bytes())):
            with self.assertRaises((ValueError, tessera.Error, OSError)):
                other.adopt()
        with self.assertRaises(TypeError):
            tessera.Adoption(3)

    def test_threads(self):
        a, b = self.pair("f8")
        items = np.random.default_rng(3).random((11, 7))
        sketch = a.sketch()
        with a.adopt() as adoption, concurrent.futures.ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(lambda box: adoption.add(tessera.encode(sketch, box, items[box])), box)
                    for box in list(boxes(a.shape, a.chunks)) * 5]
            for job in jobs:
                job.result()
        b[...] = items
        self.assert_same_chunks(a, b)

    def test_end_waits(self):
        """Threads that add while another one ends the adoption are done, or get a sentence."""
        for _ in range(20):
            a = self.pair("f8")[0]
            packets = packets_of(a, np.random.default_rng(4).random((11, 7)))
            adoption, refused = a.adopt(), []

            def add():
                for packet in packets:
                    try:
                        adoption.add(packet)
                    except ValueError as error:
                        refused.append(str(error))

            threads = [threading.Thread(target=add) for _ in range(4)]
            for thread in threads:
                thread.start()
            adoption.end()
            for thread in threads:
                thread.join()
            self.assertLessEqual(set(refused), {"the adoption has ended"})

    def test_exception_commits_nothing(self):
        a = self.pair("i4", "a.b2nd")[0]
        with self.assertRaises(KeyError):
            with a.adopt() as adoption:
                adoption.add(tessera.encode(a.sketch(), ..., 5))
                raise KeyError
        a.discard()
        self.assertEqual(tessera.open("a.b2nd").sum(), 0)

    def test_array_closed_first(self):
        a = self.pair("i4", "a.b2nd")[0]
        adoption = a.adopt()
        adoption.add(tessera.encode(a.sketch(), ..., 5))
        a.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            adoption.add(b"")
        adoption.end()
        self.assertEqual(tessera.open("a.b2nd").sum(), 5 * 77)

    def place(self, sparse):
        path = os.path.abspath("a.b2nd")
        a = tessera.create(path, (400, 10), "i8", chunks=(25, 10), sparse=sparse)
        sketch = a.sketch()
        context = multiprocessing.get_context("spawn")
        with a.adopt() as adoption, context.Pool(2) as pool:
            lost = adoption.lease(4 if sparse else 30000)  # of a worker that never answers
            jobs = [(sketch, row, row + 50, path, adoption.lease(2 if sparse else 2 * (2000 + 32)))
                    for row in range(0, 400, 50)]
            for packet in pool.imap_unordered(place_one, jobs):
                self.assertIn(packet.kind, ("extents", "files"))
                self.assertLess(len(packet), 400)
                adoption.add(packet, trusted=False)
            adoption.give_back(lost)
            with self.assertRaises(tessera.ArgumentError):
                adoption.give_back(lost)
        a.close()
        expected = np.arange(4000).reshape(400, 10)
        self.assertTrue(same(tessera.open(path)[...], expected))
        if sparse:
            self.assertEqual(len(list(pathlib.Path(path).glob("*.chunk"))), 16)

    def test_leases_of_a_file(self):
        self.place(False)

    def test_leases_of_a_directory(self):
        self.place(True)

    def test_places_that_are_wrong(self):
        a = self.pair("i4", "a.b2nd")[0]
        packet = tessera.encode(a.sketch(), np.s_[:4], np.arange(28).reshape(4, 7))
        with a.adopt() as adoption:
            lease = adoption.lease(packet.cbytes)
            with self.assertRaises(tessera.ArgumentError):
                packet.place("a.b2nd", tessera.Lease(lease.first, lease.size - 1))
            with self.assertRaises(FileNotFoundError):
                packet.place("nowhere.b2nd", lease)
            elsewhere = packet.place("a.b2nd", tessera.Lease(lease.first + 100000, lease.size))
            with self.assertRaises(tessera.ArgumentError):
                adoption.add(elsewhere)
            adoption.add(packet.place("a.b2nd", lease, sync=True), trusted=False)
        self.assertTrue(same(a[:4], np.arange(28, dtype="i4").reshape(4, 7)))


if __name__ == "__main__":
    unittest.main()
