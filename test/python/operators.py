"""Operators and ufuncs of arrays: items, types and exceptions are compared with those of NumPy."""

import copy
import datetime
import decimal
import itertools
import operator
import unittest
import warnings
import weakref

import numpy as np
import tessera
import tessera.operators
from support import DTYPES, items_of, long_run, same

COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
              operator.mod, operator.and_, operator.or_, operator.xor, operator.lshift, operator.pow,
              operator.matmul, divmod)
# Values at the limits of types, and where a conversion rounds.
EDGES = [0, 1, -1, 2, 127, 128, 255, 256, 300, -129, 2**24, 2**24 + 1, 2**31, 2**53, 2**53 + 1,
         -(2**53) - 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**400, -(2**63), 0.1, 0.5, -0.0, 1e300,
         1e-300, float(2**53), float(2**63), np.nan, np.inf, -np.inf, True, False, 1j, 2 + 0j, None,
         "a", "1", b"a", "2020-01-01", decimal.Decimal(2), datetime.date(2020, 1, 1),
         datetime.datetime(2020, 1, 1), datetime.timedelta(3), object(), [], [1, 2, 3, 4, 5],
         [[1], [2], [3]], (2, 2, 2, 2, 2), range(5), {1}, [None] * 5, ["a"] * 5]


def outcome(call):
    """The result of a call, or the class of the exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception as error:
            return type(error)


def same_outcome(ours, theirs):
    if isinstance(theirs, type) and isinstance(ours, type):
        return issubclass(ours, theirs)
    if isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(map(same_outcome, ours, theirs))
    if type(ours) is not type(theirs):
        return False
    if isinstance(theirs, np.ndarray) and theirs.dtype == object:
        return ours.shape == theirs.shape and all(map(operator.is_, ours.flat, theirs.flat)) or str(
            ours) == str(theirs)
    return same(ours, theirs) or bool(np.array_equal(ours, theirs, equal_nan=True))


def edges_of(dtype, shape):
    """Items at the limits of a type, and near values that other types round."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = [v for v in EDGES if type(v) is int and info.min <= v <= info.max]
    elif dtype.kind in "fc":
        values = [v for v in EDGES if type(v) in (int, float) and abs(v) < 1e301 or v is np.nan]
    elif dtype.kind == "b":
        values = [True, False]
    else:
        return items_of(np.random.default_rng(5), shape, dtype)
    with np.errstate(all="ignore"):
        return np.resize(np.array([dtype.type(v) for v in values], dtype), shape)


class Comparisons(unittest.TestCase):
    def setUp(self):
        self.most = tessera.operators._PIECE

    def tearDown(self):
        tessera.operators._PIECE = self.most

    def check(self, function, *operands):
        """Compare the results for arrays of NumPy with those for mixed arrays of both packages."""
        for ours in itertools.product((False, True), repeat=len(operands)):
            arrays = [is_ours and isinstance(x, np.ndarray) for is_ours, x in zip(ours, operands)]
            if not any(arrays):
                continue
            mixed = [tessera.asarray(x) if a else x for a, x in zip(arrays, operands)]
            theirs = outcome(lambda: function(*operands))
            for most in (self.most, 40):
                tessera.operators._PIECE = most
                got = outcome(lambda mixed=mixed: function(*mixed))
                self.assertTrue(same_outcome(got, theirs),
                                (function, most, operands, [type(x) for x in mixed], got, theirs))

    def test_values(self):
        """Scalars of all kinds, as left and right operand, with arrays of all types."""
        for n, (dtype, value) in enumerate(itertools.product(DTYPES, EDGES)):
            items = edges_of(dtype, (3, 5))
            for function in COMPARISONS if long_run() else COMPARISONS[n % 3 :: 3]:
                self.check(function, items, value)
                self.check(function, value, items)

    def test_numpy_scalars(self):
        kinds = ["?", "i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", "c16"]
        for n, (dtype, other) in enumerate(itertools.product(kinds, kinds)):
            items = edges_of(dtype, (7, 4))
            for value in edges_of(other, 12):
                for function in COMPARISONS if long_run() else COMPARISONS[n % 3 :: 3]:
                    self.check(function, items, value)
                    self.check(function, value, items)
                self.check(operator.eq, items, np.array(value))

    def test_arrays(self):
        """Two arrays of all types, of one shape, broadcast, and of shapes that do not fit."""
        shapes = [((3, 5), (3, 5)), ((3, 5), (5,)), ((1, 5), (3, 1)), ((4, 3, 5), (3, 5)), ((), (3, 5)),
                  ((3, 5), (4, 5)), ((0, 5), (5,)), ((), ())]
        for n, (dtype, other) in enumerate(itertools.product(DTYPES, DTYPES)):
            one, two = shapes[n % len(shapes)]
            items, others = edges_of(dtype, one), edges_of(other, two)
            for function in COMPARISONS[n % 2 :: 2]:
                self.check(function, items, others)
        for one, two in shapes:
            for function in COMPARISONS:
                self.check(function, edges_of("i4", one), edges_of("f8", two))

    def test_masks_as_indices(self):
        for dtype, value in (("i4", -999), ("f4", np.nan), ("u1", 300), ("S3", b"ab"), ("M8[s]", None)):
            items = np.zeros(60, dtype)
            items[::7] = items[::7].dtype.type("2020" if dtype == "M8[s]" else 200 if dtype == "u1"
                                               else value)
            value = np.datetime64("2020") if value is None else value
            for function in COMPARISONS[:2]:
                n, a = items.copy(), tessera.asarray(items)
                n[function(n, value)] = n[3]
                a[function(a, value)] = a[3]
                self.assertTrue(same(a[...], n), (dtype, function))
                self.assertTrue(same(a[function(a, value)], n[function(n, value)]))
        flags = tessera.asarray([True, False, True])
        self.assertEqual((~flags).tolist(), [False, True, False])
        a = tessera.asarray([1, 2, 3])
        a[~(a == 2) & flags] = 0
        self.assertEqual(a[...].tolist(), [0, 2, 0])
        a[True] = 5
        a[False] = 6
        self.assertEqual(a[...].tolist(), [5, 5, 5])

    def test_views_and_files(self):
        items = np.arange(2400).reshape(40, 60) % 7
        a = tessera.asarray(items, chunks=(16, 16), blocks=(4, 8))
        for view, want in ((a.view[::-1, 3:50:2], items[::-1, 3:50:2]), (a.T, items.T),
                           (a.view[5], items[5]), (a.view[None, :, 3], items[None, :, 3]),
                           (a.view[2, 3], items[2, 3]), (a.read_only(), items)):
            self.assertTrue(same(view >= 3, want >= 3))
            self.assertTrue(same(view == view, want == want))
            self.assertTrue(same(view == want, want == want))
        self.assertTrue(same(a == a.view[:1], items == items[:1]))
        self.assertTrue(same(a.view[:, :1] < a, items[:, :1] < items))

    def test_truth(self):
        for items in ([], [0], [1], [[[3]]], [np.nan], 0, 7, "", "a", [0, 1], np.zeros((2, 0)), [None]):
            n = np.asarray(items)
            if n.dtype == object:
                continue
            self.assertTrue(same_outcome(outcome(lambda n=n: bool(tessera.asarray(n))),
                                         outcome(lambda n=n: bool(n))), items)
        with self.assertRaisesRegex(ValueError, r"a\.any\(\)"):
            bool(tessera.asarray([1, 2]))
        a = tessera.asarray(np.arange(24).reshape(2, 3, 4))
        for item in (5, 24, 5.0, np.nan, None, "a", [4, 5, 6, 7], [0, 1]):
            self.assertTrue(same_outcome(outcome(lambda item=item: item in a),
                                         outcome(lambda item=item: item in a[...])), item)

    def test_keys(self):
        """Arrays are keys of sets and dicts by identity, as before they had comparisons."""
        a, b = tessera.asarray([1, 2]), tessera.asarray([1, 2])
        self.assertEqual(len({a, b, a}), 2)
        self.assertEqual({a: 1, b: 2}[b], 2)
        self.assertEqual(len(weakref.WeakValueDictionary({id(a): a, id(b): b})), 2)
        self.assertEqual(hash(a), hash(a))
        self.assertEqual([a, b].index(a), 0)

    def test_resized_meanwhile(self):
        """If the array is replaced during a comparison in pieces, all items are compared again."""
        a = tessera.create(None, (90, 4), "S2", chunks=(3, 4), fill_value="x")
        tessera.operators._PIECE = 40
        calls = []

        def function(items, value):
            if not calls:
                a.resize((50, 4))
            calls.append(items.shape)
            return items == value

        self.assertEqual(tessera.operators._in_pieces(function, (a, b"x")).tolist(), [[True] * 4] * 50)
        self.assertGreater(len(calls), 2)

    def test_few_items_at_once(self):
        """A large array is read in pieces."""
        shapes = []

        class Counted(tessera.Array):
            def __getitem__(self, index):
                items = super().__getitem__(index)
                shapes.append(items.size)
                return items

        a = tessera.create(None, (300, 300), "i8", chunks=(20, 30))
        a.__class__ = Counted
        tessera.operators._PIECE = 8 * 3000
        self.assertFalse((a > 2.5).any())  # rounds nothing, but the library does not know
        self.assertEqual((a + 1).sum(), 90000)
        self.assertLessEqual(max(shapes), 3000)
        self.assertLess(len(shapes), 200)

    def test_by_the_library(self):
        """Exact comparisons are computed by the library, without an array of NumPy of the items."""
        class Unread(tessera.Array):
            def __getitem__(self, index):
                raise AssertionError("read")

        for dtype, values in (("i8", [3, np.int8(-3), True]), ("f4", [0.1, 3, np.float64(0.1)]),
                              ("u1", [300, -1, 7.5]), ("?", [1, 0.5, False]), (">f8", [2**60, np.inf])):
            items = edges_of(dtype, (7, 9))
            a = tessera.asarray(items)
            a.__class__ = Unread
            for value, function in itertools.product(values, COMPARISONS):
                self.assertTrue(same(function(a, value), function(items, value)), (dtype, value))
                self.assertTrue(same(function(value, a), function(value, items)), (dtype, value))
            self.assertTrue(same(np.less(a, a), np.less(items, items)))


class Functions(unittest.TestCase):
    check = Comparisons.check
    setUp, tearDown = Comparisons.setUp, Comparisons.tearDown

    def test_arithmetic(self):
        for n, (dtype, other) in enumerate(itertools.product(DTYPES, DTYPES)):
            if np.dtype(dtype).names or np.dtype(other).names:
                continue
            items = items_of(np.random.default_rng(n), (4, 4), dtype)
            others = items_of(np.random.default_rng(n + 1), [(4, 4), (4,), (4, 1), ()][n % 4], other)
            for function in ARITHMETIC[n % 3 :: 3]:
                if function is operator.pow and others.ndim == 0:
                    others = others.item()  # else NumPy has two ways that round differently
                self.check(function, items, others)
        for dtype in DTYPES:
            items = items_of(np.random.default_rng(1), (4, 5), dtype)
            for function in (operator.neg, operator.pos, operator.invert, abs, np.sqrt, np.isnan,
                             np.sign, np.modf, np.logical_not, np.isfinite):
                self.check(function, items)
            for value in (2, 0.5, True, np.int8(3), np.timedelta64(1, "D"), "a", None):
                self.check(operator.add, items, value)
                self.check(operator.mul, value, items)

    def test_power_with_modulus(self):
        """Arrays do not support the operator: the message is that of Python."""
        a = tessera.asarray(np.arange(4))
        np.testing.assert_array_equal(pow(a, 2), [0, 1, 4, 9])
        with self.assertRaisesRegex(TypeError, "unsupported operand"):
            pow(a, 2, 5)

    def test_methods_of_functions(self):
        items = np.arange(1, 13).reshape(3, 4)
        a = tessera.asarray(items)
        for call in (lambda x: np.add.reduce(x, axis=1), lambda x: np.multiply.accumulate(x),
                     lambda x: np.subtract.outer(x, [1, 2]), lambda x: np.add.reduceat(x, [0, 2]),
                     lambda x: np.matmul(x, x.T[...]), lambda x: np.add(x, 1, dtype="f4"),
                     lambda x: np.add(x, x, where=np.asarray(x) > 2, out=np.zeros((3, 4), int)),
                     lambda x: np.add(x, 1, where=x > 0), lambda x: np.hypot(x, 3, casting="safe"),
                     lambda x: np.maximum(x, items[:, ::-1]), lambda x: np.where(x > 3, x, 0),
                     lambda x: np.clip(x, 2, 5), lambda x: np.divmod(x, 5)[1],
                     lambda x: np.add(x, 1.5, dtype="i4", casting="no")):
            theirs, ours = outcome(lambda call=call: call(items)), outcome(lambda call=call: call(a))
            self.assertTrue(same_outcome(ours, theirs), (ours, theirs))
        memory = items.copy()
        memory += a
        memory[1:] -= a.view[:2]
        self.assertTrue(same(memory[1:], items[1:] * 2 - items[:2]))
        np.multiply(a, 2, out=memory.T[...].T)
        self.assertTrue(same(memory, items * 2))

    def test_in_place(self):
        """In-place operators raise TypeError for `a`, and change the items for a[...]."""
        a = keep = tessera.asarray([1, 2, 3])
        for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior",
                     "ixor", "ilshift", "irshift"):
            with self.assertRaisesRegex(TypeError, r"a\[\.\.\.\] \S+= b"):
                getattr(operator, name)(a, 1)
        with self.assertRaisesRegex(TypeError, "assign"):
            np.add(np.arange(3), 1, out=a)
        with self.assertRaisesRegex(TypeError, "assign"):
            np.add.at(a, [0], 1)
        self.assertEqual(a[...].tolist(), [1, 2, 3])
        a[...] += 1
        a[1:] *= 2
        a[a > 5] -= a[0]
        self.assertIs(a, keep)
        self.assertEqual(a[...].tolist(), [2, 4, 6])

    def test_who_answers(self):
        """Arrays of other packages, subclasses, and classes that refuse functions of NumPy."""
        items = np.arange(4)
        a = tessera.asarray(items)
        masked = np.ma.masked_equal(items, 2)
        for result in (a + masked, masked + a, a < masked):
            self.assertIsInstance(result, np.ma.MaskedArray)

        class Refuses:
            __array_ufunc__ = None

            def __eq__(self, other):
                return "eq"

            def __gt__(self, other):
                return "gt"

            def __radd__(self, other):
                return "radd"

        self.assertEqual((a == Refuses(), a < Refuses(), a + Refuses()), ("eq", "gt", "radd"))
        for value in (a == copy.copy(a), np.equal(a, a), items == a, a == items):
            self.assertTrue(value.all())

    def test_closed(self):
        a = tessera.asarray([1, 2])
        a.close()
        for call in (lambda: a == 1, lambda: a + 1, lambda: 1 in a, lambda: np.sqrt(a), lambda: ~a):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()


if __name__ == "__main__":
    unittest.main()
