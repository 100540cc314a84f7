"""Random indices of all kinds, to read and to assign, of which NumPy is the judge.

    index.py [CASES [SEED]]    3,000 cases, 100,000 with TESS_TEST_LONG=1

A case is an array of a random type, shape and grid, or a view of one, and an index. Where NumPy
fails, so must the array, with the same exception.
"""

import sys
import unittest
import warnings

import numpy as np
import tessera
from support import DTYPES, items_of, long_run, same

CASES = 100000 if long_run() else 3000
SEED = 20240601


def random_slice(rng, length):
    def end():
        return None if rng.random() < 0.4 else int(rng.integers(-length - 3, length + 4))

    step = int(rng.choice([1, 1, 1, 2, 3, -1, -1, -2, -3]))
    return slice(end(), end(), None if step == 1 and rng.random() < 0.5 else step)


def random_number(rng, length):
    if length == 0 or rng.random() < 0.01:
        return int(rng.integers(-length - 3, length + 3))  # mostly out of bounds
    number = int(rng.integers(-length, length))
    kind = rng.integers(0, 6)
    return np.int32(number) if kind == 0 else np.array(number) if kind == 1 else number


def random_list(rng, length, shape):
    if length == 0:
        return np.zeros((0,), dtype=int)
    numbers = rng.integers(-length, length, shape)
    if rng.random() < 0.01:
        numbers = numbers + length
    kind = rng.integers(0, 5)
    return numbers.tolist() if kind == 0 else numbers.astype([np.int8, np.int16, int][kind % 3])


def random_mask(rng, shape):
    return rng.random(shape) < rng.choice([0, 0.3, 0.7, 1])


def basic(rng, length):
    return random_number(rng, length) if rng.random() < 0.35 else random_slice(rng, length)


def random_index(rng, shape, only_basic=False):
    """An index of as many parts as there are axes, or fewer, or with an Ellipsis."""
    if not only_basic and rng.random() < 0.12:
        axes = int(rng.integers(0, len(shape) + 1))
        return random_mask(rng, shape[:axes])  # alone
    common = [(), (3,), (1,), (2, 3), (2, 1), (1, 3), (0,)][int(rng.integers(0, 7))]
    shapes = [common, common, common[-1:], (1,) * len(common)]
    lists = not only_basic and rng.random() < 0.6
    parts, axis = [], 0
    while axis < len(shape):
        kind = rng.random()
        if lists and kind < 0.1 and axis + 1 < len(shape):
            parts.append(random_mask(rng, shape[axis : axis + 2]))
            axis += 2
        elif lists and kind < 0.18:
            parts.append(random_mask(rng, shape[axis : axis + 1]))
            axis += 1
        elif lists and kind < 0.6:
            part = random_list(rng, shape[axis], shapes[int(rng.integers(0, 4))])
            parts.append(part if np.ndim(part) else random_number(rng, shape[axis]))
            axis += 1
        else:
            parts.append(basic(rng, shape[axis]))
            axis += 1
    if rng.random() < 0.3:  # fewer parts
        del parts[int(rng.integers(0, len(parts) + 1)) :]
    elif rng.random() < 0.3:  # an Ellipsis for some of them, or for none
        start = int(rng.integers(0, len(parts) + 1))
        if not any(np.ndim(part) > 1 and np.asarray(part).dtype == bool for part in parts[start:]):
            parts[start : start + int(rng.integers(0, 3))] = [...]
    while rng.random() < 0.2:
        parts.insert(int(rng.integers(0, len(parts) + 1)), None)
    if lists and rng.random() < 0.03:
        parts.insert(int(rng.integers(0, len(parts) + 1)), bool(rng.integers(0, 2)))
    return parts[0] if len(parts) == 1 and rng.random() < 0.7 else tuple(parts)


def is_mask(index):
    if isinstance(index, tuple) and len(index) == 1:
        return is_mask(index[0])
    return isinstance(index, bool) or getattr(index, "dtype", None) == bool


def outcome(function):
    try:
        return function(), None
    except (IndexError, ValueError, TypeError) as error:
        return None, error
    except DeprecationWarning as error:  # "In the future the index error will be raised"
        return None, IndexError(str(error))


def agree(case, ours, theirs):
    if (ours is None) != (theirs is None) or (theirs and not isinstance(ours, type(theirs))):
        raise AssertionError(f"{case}: {ours!r}, and NumPy {theirs!r}")


def random_value(rng, shape, dtype):
    """Items for an assignment: of the shape, or of one that is broadcast to it."""
    shape = list(shape)
    for axis in range(len(shape)):
        if rng.random() < 0.2:
            shape[axis] = 1
    while shape and rng.random() < 0.15:
        del shape[0]
    if rng.random() < 0.1:
        shape.insert(0, 1)
    value = items_of(rng, shape, dtype)
    if rng.random() < 0.2 and value.ndim:
        value = np.asfortranarray(value)
    if rng.random() < 0.02:
        value = items_of(rng, (*shape, 7), dtype)  # mostly does not fit
    return value


class Case:
    def __init__(self, seed):
        self.seed = seed
        rng = self.rng = np.random.default_rng(seed)
        self.dtype = np.dtype(DTYPES[int(rng.integers(0, len(DTYPES)))])
        ndim = int(rng.integers(0, 5))
        shape = tuple(int(n) for n in rng.integers(1, 8, ndim))
        if rng.random() < 0.08 and ndim:
            shape = (*shape[:-1], 0)
        chunks = tuple(int(rng.integers(1, max(1, n) + 1)) for n in shape)
        blocks = tuple(int(rng.integers(1, n + 1)) for n in chunks)
        self.numpy = np.array(items_of(rng, shape, self.dtype), dtype=self.dtype)
        self.base_numpy = self.numpy
        self.ours = self.base = tessera.asarray(
            self.numpy, chunks=chunks if all(shape) and ndim else None,
            blocks=blocks if all(shape) and ndim else None)
        if rng.random() < 0.2:
            self.look_through_view()
        self.index = random_index(rng, self.numpy.shape)

    def look_through_view(self):
        index, failed = outcome(lambda: random_index(self.rng, self.numpy.shape, only_basic=True))
        view, failed = outcome(lambda: self.numpy[index])
        if failed is None and isinstance(view, np.ndarray) and np.shares_memory(view, self.numpy):
            self.numpy, self.ours = view, self.ours.view[index]

    def __str__(self):
        return (f"seed {self.seed}: {self.dtype} {self.numpy.shape} index {self.index!r}")

    def get(self):
        theirs, wrong = outcome(lambda: self.numpy[self.index])
        ours, error = outcome(lambda: self.ours[self.index])
        agree(self, error, wrong)
        if wrong is None and (not same(ours, theirs)
                              or isinstance(ours, np.ndarray) != isinstance(theirs, np.ndarray)):
            raise AssertionError(f"{self}: {ours!r}, and NumPy {theirs!r}")

    def get_into(self):
        theirs, wrong = outcome(lambda: self.numpy[self.index])
        if wrong is not None or not isinstance(theirs, np.ndarray):
            return
        wide = np.zeros(tuple(2 * n for n in theirs.shape), self.dtype)
        steps = (slice(None, None, int(self.rng.choice([2, -2]))) for _ in theirs.shape)
        strided = wide[(*steps, ...)]
        for out in (np.zeros(theirs.shape, self.dtype), np.zeros(theirs.shape, self.dtype, order="F"),
                    strided):
            if self.ours.read(self.index, out=out) is not out or not same(out, theirs):
                raise AssertionError(f"{self}: into out {out!r}, and NumPy {theirs!r}")

    def set(self):
        theirs, wrong = outcome(lambda: self.numpy[self.index])
        shape = theirs.shape if wrong is None else (1,)
        value = random_value(self.rng, shape, self.dtype)
        if not isinstance(theirs, np.ndarray):  # of an item, NumPy takes no text with axes
            value = items_of(self.rng, (), self.dtype)
        elif is_mask(self.index) and value.ndim > 1:
            value = value.reshape(-1)  # NumPy takes no more axes for a mask of all axes
        assigned = self.base_numpy.copy()
        _, wrong = outcome(lambda: self.numpy.__setitem__(self.index, value))
        _, error = outcome(lambda: self.ours.__setitem__(self.index, value))
        agree(self, error, wrong)
        if wrong is not None:
            self.base_numpy[...] = assigned  # NumPy may have written a part
        if not same(self.base[...], self.base_numpy):
            raise AssertionError(f"{self}: {value!r} assigned: {self.base[...]!r}, and NumPy "
                                 f"{self.base_numpy!r}")


class Index(unittest.TestCase):
    def test_random_cases(self):
        print(f"{CASES} cases from seed {SEED}")
        warnings.filterwarnings("error", message="Out of bound index found")
        for seed in range(SEED, SEED + CASES):
            case = Case(seed)
            case.get()
            case.get_into()
            case.set()
            case.get()

    def test_empty_lists(self):
        """Lists without items are lists of indices, whatever NumPy makes of them alone."""
        items = np.arange(24).reshape(2, 3, 4)
        a = tessera.asarray(items)
        for index in ([], [[]], ((),), [[], []], np.s_[[[]], :, 1], np.s_[:, ()], np.s_[[], []]):
            self.assertTrue(same(a[index], items[index]), index)
            a[index] = 7
        self.assertTrue(same(a[...], items))
        for index in (np.zeros(0), np.zeros((0, 2)), "", [""]):
            with self.assertRaises(IndexError):
                a[index]

    def test_outer(self):
        """.oindex is indexing with numpy.ix_(), where numbers take their axis away."""
        rng = np.random.default_rng(SEED)
        for _ in range(CASES // 20):
            items = rng.integers(0, 1000, tuple(rng.integers(1, 7, 3)))
            array = tessera.asarray(items, chunks=(3, 2, 4))
            index, lists, gone = [], [], []
            for axis, length in enumerate(items.shape):
                kind = rng.integers(0, 4)
                if kind == 0:
                    part = int(rng.integers(-length, length))
                    lists.append([part % length])
                    gone.append(axis)
                elif kind == 1:
                    part = random_slice(rng, length)
                    lists.append(list(range(length))[part])
                elif kind == 2:
                    part = rng.integers(-length, length, 4)
                    lists.append(part % length)
                else:
                    part = random_mask(rng, (length,))
                    lists.append(np.nonzero(part)[0])
                index.append(part)
            lists = [np.asarray(part, dtype=int) for part in lists]
            want = items[np.ix_(*lists)].squeeze(axis=tuple(gone))
            self.assertTrue(same(array.oindex[tuple(index)], want), (index, items.shape))
            array.oindex[tuple(index)] = want + 1
            for at in np.ndindex(*map(len, lists)):
                where = tuple(part[i] for part, i in zip(lists, at))
                self.assertEqual(array[where], items[where] + 1)

    def test_points(self):
        """.vindex has the axes of lists in front, also where NumPy leaves them in the middle."""
        items = np.arange(2 * 5 * 4 * 3).reshape(2, 5, 4, 3)
        array = tessera.asarray(items, chunks=(1, 3, 2, 3))
        index = np.s_[:, [1, 4], [0, 3]]
        self.assertEqual(items[index].shape, (2, 2, 3))
        self.assertTrue(same(array.vindex[index], items[index].transpose(1, 0, 2)))
        array.vindex[index] = -items[index].transpose(1, 0, 2)
        self.assertTrue(same(array[index], -items[index]))

    def test_long_slice_beside_list(self):
        """More items along a slice than lists are made of: boxes."""
        items = np.arange(3 * 1200000, dtype="u4").reshape(1200000, 3)
        array = tessera.asarray(items)
        self.assertTrue(same(array[:, [2, 0]], items[:, [2, 0]]))
        array[1:, [1, 2]] = items[:-1, :2]
        want = items.copy()
        want[1:, [1, 2]] = items[:-1, :2]
        self.assertTrue(same(array[...], want))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        CASES = int(sys.argv.pop(1))
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        SEED = int(sys.argv.pop(1))
    unittest.main()
