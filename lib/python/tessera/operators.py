"""Operators and universal functions (ufuncs) of arrays, with the results of NumPy.

The library computes comparisons if its result equals that of NumPy: for real numbers whose values
NumPy does not round when it converts both operands to their common type. All other functions are
computed by NumPy in pieces of some megabytes, so memory holds only the result and a few pieces.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tessera import _tessera

# The values of tess_comparison in compare.h; the comparison with exchanged operands.
_EQ, _NE, _LT, _LE, _GT, _GE = range(6)
_EXCHANGED = (_EQ, _NE, _GT, _GE, _LT, _LE)
_COMPARISONS: dict[Any, int] = {
    np.equal: _EQ,
    np.not_equal: _NE,
    np.less: _LT,
    np.less_equal: _LE,
    np.greater: _GT,
    np.greater_equal: _GE,
    operator.eq: _EQ,
    operator.ne: _NE,
    operator.lt: _LT,
    operator.le: _LE,
    operator.gt: _GT,
    operator.ge: _GE,
}
# By size of a float in bytes: the size in bits of integers that it represents exactly.
_EXACT_BITS = {2: 11, 4: 24, 8: 53}
# Largest size of a piece in bytes. A larger chunk is one piece.
_PIECE = 16 << 20


def _is_ours(value: Any) -> bool:
    return isinstance(value, _tessera.Array)


def _items(value: Any) -> Any:
    return value[...] if _is_ours(value) else value


# Comparisons by the library


def _keeps(kind: np.dtype[Any], common: np.dtype[Any]) -> bool:
    """Whether the type `common` represents all values of the type `kind` exactly."""
    if kind.kind in "iu" and common.kind == "f":
        return kind.itemsize * 8 <= _EXACT_BITS.get(common.itemsize, 0)
    return np.can_cast(kind, common, "safe")


def _is_real(a: Any) -> bool:
    return bool(a.shape and a.dtype.kind in "biuf" and a.dtype.itemsize <= 8)


def _with_number(op: int, a: Any, number: Any) -> Any:
    try:
        common = np.result_type(np.empty(0, a.dtype), number)
    except (TypeError, ValueError, OverflowError):
        return None
    if common.kind not in "biuf" or common.itemsize > 8 or not _keeps(a.dtype, common):
        return None
    return a._compare(op, np.asarray(number).astype(common).item())


def _with_array(op: int, a: Any, b: Any) -> Any:
    if not _is_real(b):
        return None
    common = np.result_type(a.dtype, b.dtype)
    if not (_keeps(a.dtype, common) and _keeps(b.dtype, common)):
        return None
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return None
    return a._compare(op, b)


def _by_library(op: int, one: Any, other: Any) -> Any:
    """The result of the library as a mask; None if NumPy must compute it."""
    if not _is_ours(one):
        one, other, op = other, one, _EXCHANGED[op]
    if not _is_real(one):
        return None
    if _is_ours(other):
        return _with_array(op, one, other)
    if isinstance(other, (int, float, np.number, np.bool_)) or (
        type(other) is np.ndarray and other.ndim == 0
    ):
        return _with_number(op, one, other)
    return None


# Pieces


def _boxes(shape: Sequence[int], chunks: Sequence[int], most: int) -> Iterator[tuple[slice, ...]]:
    """Boxes of whole chunks that cover a shape, with at most `most` items or one chunk each."""
    sides = [max(1, min(length, chunk)) for length, chunk in zip(shape, chunks)]
    room = most // math.prod(sides)
    for axis in reversed(range(len(shape))):
        times = max(1, min(room, -(-shape[axis] // sides[axis])))
        sides[axis] *= times
        room //= times
    for starts in itertools.product(*[range(0, n, side) for n, side in zip(shape, sides)]):
        yield tuple(slice(at, min(at + m, n)) for at, m, n in zip(starts, sides, shape))


def _part(value: Any, shape: tuple[int, ...], box: tuple[slice, ...]) -> Any:
    """The part of an operand that is broadcast to a box of the result."""
    if not shape:
        return value
    sides = zip(shape, box[len(box) - len(shape) :])
    return value[tuple(slice(None) if length == 1 else side for length, side in sides)]


def _in_pieces(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    """Compute an elementwise function of NumPy piece by piece."""
    inputs = [np.asarray(x) if isinstance(x, (list, tuple)) else x for x in inputs]
    inputs = [_items(x) if _is_ours(x) and not x.shape else x for x in inputs]
    shapes = [x.shape if hasattr(x, "dtype") else () for x in inputs]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:  # call NumPy without the items, for its exception or its scalar result
        return function(
            *[np.broadcast_to(np.zeros((), x.dtype), x.shape) if _is_ours(x) else x for x in inputs]
        )
    itemsize = max([x.dtype.itemsize for x in inputs if hasattr(x, "dtype")])
    simple = all(_is_ours(x) or type(x) is np.ndarray or not s for x, s in zip(inputs, shapes))
    if not simple or math.prod(shape) * itemsize <= _PIECE:
        return function(*map(_items, inputs))
    chunks = next((x.chunks for x in inputs if _is_ours(x) and len(x.shape) == len(shape)), shape)
    result: Any = None
    for box in _boxes(shape, chunks, _PIECE // itemsize):
        items = function(*[_part(x, s, box) for x, s in zip(inputs, shapes)])
        if not isinstance(items, np.ndarray):
            return items  # one scalar for all items, such as False if types cannot be compared
        if items.shape != tuple(side.stop - side.start for side in box):
            return function(*map(_items, inputs))  # another thread resized an array
        if result is None:
            result = np.empty(shape, items.dtype)
        result[box] = items
    return result


# Operators


def _is_foreign(value: Any) -> bool:
    """Whether another package handles operators of the value, such as Dask or xarray."""
    own = getattr(type(value), "__array_ufunc__", None)
    return not _is_ours(value) and own not in (None, np.ndarray.__array_ufunc__)


def _for_foreign(inputs: Sequence[Any]) -> list[Any]:
    """Convert arrays for the other package: to arrays of Dask, or else of NumPy."""
    if any(hasattr(x, "dask") and hasattr(x, "to_delayed") for x in inputs):
        return [x._as_dask() if _is_ours(x) else x for x in inputs]
    return [_items(x) for x in inputs]


def _computed(function: Callable[..., Any], inputs: Sequence[Any]) -> Any:
    op = _COMPARISONS.get(function)
    mask = None if op is None else _by_library(op, *inputs)
    return _in_pieces(function, inputs) if mask is None else mask


def _applied(function: Callable[..., Any], one: Any, other: Any) -> Any:
    """Compute an operator of Python on two operands, at least one of which is an array."""
    if None in (getattr(x, "__array_ufunc__", True) for x in (one, other)):
        return NotImplemented  # the other operand refuses operators of NumPy
    if _is_foreign(one) or _is_foreign(other):
        return function(*_for_foreign((one, other)))
    if function in (operator.matmul, divmod):
        return function(_items(one), _items(other))
    return _computed(function, (one, other))


def _operator(function: Callable[..., Any]) -> Any:
    def method(self: Any, other: Any) -> Any:
        return _applied(function, self, other)

    return method


def _reflected(function: Callable[..., Any]) -> Any:
    def method(self: Any, other: Any) -> Any:
        return _applied(function, other, self)

    return method


def _unary(function: Callable[..., Any]) -> Any:
    def method(self: Any) -> Any:
        return _in_pieces(function, (self,))

    return method


def _refused(sign: str) -> Any:
    def method(self: Any, other: Any) -> Any:
        raise TypeError(
            f"a {sign} b would replace the name by an array of NumPy: a[...] {sign} b changes the"
            " items of a tessera.Array"
        )

    return method


class Operators:
    """Operators of arrays: they give arrays and scalars of NumPy."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        outputs = options.get("out", ())
        if any(map(_is_ours, outputs)) or (method == "at" and _is_ours(inputs[0])):
            raise TypeError(
                f"{ufunc.__name__}() does not write to a tessera.Array: assign what it returns, as in"
                " a[...] = numpy.sqrt(a)"
            )
        if any(map(_is_foreign, (*inputs, *outputs))):
            return getattr(ufunc, method)(*_for_foreign(inputs), **options)
        single = method == "__call__" and ufunc.nout == 1 and ufunc.signature is None
        if single and options.keys() <= {"dtype", "casting"}:
            function: Any = functools.partial(ufunc, **options) if options else ufunc
            return _computed(function, inputs)
        options = {name: _items(value) for name, value in options.items()}
        return getattr(ufunc, method)(*map(_items, inputs), **options)

    # Python's operators of NumPy's arrays, not the functions of the same names: a == None and
    # comparisons of structures have no function, and a**2 is a faster one than power().

    def __eq__(self, other: object) -> Any:
        return _applied(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _applied(operator.ne, self, other)

    __hash__ = object.__hash__  # == compares items, so the hash is that of the identity

    __lt__ = _operator(operator.lt)
    __le__ = _operator(operator.le)
    __gt__ = _operator(operator.gt)
    __ge__ = _operator(operator.ge)

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        return _applied(operator.pow, self, other) if modulus is None else NotImplemented

    __neg__ = _unary(operator.neg)
    __pos__ = _unary(operator.pos)
    __invert__ = _unary(operator.invert)
    __abs__ = _unary(abs)

    __add__, __radd__ = _operator(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _operator(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _operator(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _operator(operator.truediv), _reflected(operator.truediv)
    __floordiv__, __rfloordiv__ = _operator(operator.floordiv), _reflected(operator.floordiv)
    __mod__, __rmod__ = _operator(operator.mod), _reflected(operator.mod)
    __rpow__ = _reflected(operator.pow)
    __matmul__, __rmatmul__ = _operator(operator.matmul), _reflected(operator.matmul)
    __lshift__, __rlshift__ = _operator(operator.lshift), _reflected(operator.lshift)
    __rshift__, __rrshift__ = _operator(operator.rshift), _reflected(operator.rshift)
    __and__, __rand__ = _operator(operator.and_), _reflected(operator.and_)
    __or__, __ror__ = _operator(operator.or_), _reflected(operator.or_)
    __xor__, __rxor__ = _operator(operator.xor), _reflected(operator.xor)
    __divmod__, __rdivmod__ = _operator(divmod), _reflected(divmod)

    __iadd__ = _refused("+=")
    __isub__ = _refused("-=")
    __imul__ = _refused("*=")
    __itruediv__ = _refused("/=")
    __ifloordiv__ = _refused("//=")
    __imod__ = _refused("%=")
    __ipow__ = _refused("**=")
    __imatmul__ = _refused("@=")
    __ilshift__ = _refused("<<=")
    __irshift__ = _refused(">>=")
    __iand__ = _refused("&=")
    __ior__ = _refused("|=")
    __ixor__ = _refused("^=")

    def __contains__(self, item: Any) -> bool:
        return bool(np.any(self == item))

    def __bool__(self) -> bool:
        a: Any = self
        if a.size > 1:
            raise ValueError(
                "the truth value of an array with more than one item is ambiguous: use a.any() or"
                " a.all()"
            )
        return bool(a[...])
