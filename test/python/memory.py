"""What is read into out is read there, and nowhere else; large results are not made twice."""

import tracemalloc
import unittest

import numpy as np
import tessera
from support import same


class Memory(unittest.TestCase):
    def setUp(self):
        self.items = np.arange(8000000, dtype="i4").reshape(2000, 4000)
        self.array = tessera.asarray(self.items)

    def most(self, function):
        """The most memory of Python and NumPy at once during a call, in bytes."""
        function()
        tracemalloc.start()
        try:
            function()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def test_out_is_not_copied(self):
        out = np.zeros_like(self.items)
        wide = np.zeros((2000, 8000), "i4")
        rows = np.arange(0, 2000, 2)
        mask = np.zeros(2000, bool)
        mask[::3] = True
        chosen = np.zeros((667, 4000), "i4")
        for index, into, room in (
            (np.s_[...], out, 0), (np.s_[...], wide[:, ::2], 0), (np.s_[::-1], out, 0),
            (np.s_[...], wide[::-1, 4000:], 0), (np.s_[:, ::2], out[:, :2000], 0),
            (rows, out[:1000], rows.nbytes * 60), (mask, chosen, mask.nbytes * 4),
        ):
            memory = self.most(lambda: self.array.read(index, out=into))
            self.assertLess(memory, 20000 + room, index)
            self.assertTrue(same(into, self.items[index]))

    def test_result_is_made_once(self):
        for index in (np.s_[...], np.s_[::-1, ::2], np.arange(1000), np.s_[:, np.arange(1000)],
                      self.items[:, 0] > 0):
            size = self.array[index].nbytes
            memory = self.most(lambda: self.array[index])
            self.assertLess(memory, size * 1.2 + 100000)

    def test_assignment_is_not_copied(self):
        for value in (self.items, self.items[::-1], self.items[0], self.items[:, :1], 5):
            memory = self.most(lambda: self.array.__setitem__(..., value))
            self.assertLess(memory, 20000)


if __name__ == "__main__":
    unittest.main()
