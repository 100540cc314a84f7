#!/usr/bin/env python3
"""Convert items as tessera/convert.h says, with exact numbers and with NumPy, and compare.

    conversions.py NUMBER COMMAND

COMMAND tells cases (tell.h): what was read or written, the items that went in and those that came
out. Each item is calculated here from the text of the header, with integers and fractions, which
round once. Where NumPy converts without undefined behaviour, it is asked, too: wrapping between
integers, to floats and between them, units of time. There must be at least NUMBER items, unless
TESS_TEST_CASES asks for less. 77 is the exit status when there is no Python with NumPy.
"""

import collections
import fractions
import math
import os
import sys
import warnings

sys.dont_write_bytecode = True
from follow import Different, main, np

ERROR, SATURATE, WRAP = range(3)
INT, UINT, FLOAT = map(ord, "iuf")
NAT = -2 ** 63

# Bits of the fraction, the implicit one included, and least and greatest exponent.
FORMATS = {"f2": (11, -14, 15), "bf": (8, -126, 127), "f4": (24, -126, 127),
           "f8": (53, -1022, 1023)}


class Misfit(Exception):
    """An item does not fit."""


def statuses():
    """The numbers of the statuses, from the header."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include", "tessera",
                        "error.h")
    names = {}
    with open(path) as header:
        for line in header:
            words = line.replace(",", " ").split()
            if len(words) > 2 and words[0].startswith("TESS_") and words[1] == "=":
                names[words[0]] = int(words[2])
    return names


class Type:
    def __init__(self, text):
        self.text = text
        self.bf = text == "bfloat16"
        self.dtype = np.dtype("<u2" if self.bf else text)
        if self.bf:
            self.dtype = self.dtype.newbyteorder("=")
        self.kind = "f" if self.bf else self.dtype.kind
        size = self.dtype.itemsize // (2 if self.kind == "c" else 1)
        self.format = "bf" if self.bf else "f%d" % size
        self.bits = 8 * self.dtype.itemsize

    def numbers(self, raw):
        """Items as int, float, or a pair of floats."""
        items = np.frombuffer(raw, self.dtype)
        if self.bf:
            items = (items.astype("u4") << 16).view("f4")
        if self.kind == "c":
            return [(float(x.real), float(x.imag)) for x in items]
        if self.kind == "f":
            return [float(x) for x in items]
        if self.kind == "b":
            return [int(x != 0) for x in raw]
        if self.kind in "mM":
            items = np.frombuffer(raw, self.dtype.str[0] + "i8")
        return [int(x) for x in items]

    def limits(self):
        return (0, 2 ** self.bits - 1) if self.kind == "u" else (
            -2 ** (self.bits - 1), 2 ** (self.bits - 1) - 1)


def rounded(x, name):
    """The nearest number of a format, of two the even one; infinite if it is too large."""
    bits, least, most = FORMATS[name]
    if isinstance(x, float):
        if not math.isfinite(x) or x == 0:
            return x
        sign = math.copysign(1, x)
        x = fractions.Fraction(x)
    else:
        sign = -1.0 if x < 0 else 1.0
        x = fractions.Fraction(x)
    if x == 0:
        return 0.0
    size = abs(x)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < fractions.Fraction(2) ** exponent
    unit = fractions.Fraction(2) ** (max(exponent, least) - bits + 1)
    size = round(size / unit) * unit  # round() takes the even one of two
    if size >= fractions.Fraction(2) ** (most + 1):
        return sign * math.inf
    return sign * float(size)


def largest(name):
    bits, _, most = FORMATS[name]
    return float((2 - fractions.Fraction(2) ** (1 - bits)) * fractions.Fraction(2) ** most)


def to_float(x, name, misfit):
    y = rounded(x, name)
    if math.isinf(y) and not (isinstance(x, float) and math.isinf(x)):
        if misfit == ERROR:
            raise Misfit
        if misfit == SATURATE:
            return math.copysign(largest(name), y)
    return y


def to_integer(x, target, misfit):
    low, high = target.limits()
    if isinstance(x, float) and not math.isfinite(x):
        if misfit == ERROR:
            raise Misfit
        if misfit == WRAP or math.isnan(x):
            return 0
        return low if x < 0 else high
    x = int(x)  # towards 0
    if low <= x <= high:
        return x
    if misfit == ERROR:
        raise Misfit
    if misfit == SATURATE:
        return low if x < low else high
    return (x - low) % 2 ** target.bits + low


def converted(x, source, target, misfit):
    """One item, without scaling and missing values."""
    if target.kind == "b":
        return int(any(part != 0 for part in x)) if source.kind == "c" else int(x != 0)
    if source.kind == "c" and target.kind == "c":
        return tuple(to_float(part, target.format, misfit) for part in x)
    if source.kind == "c":
        if x[1] != 0 and misfit == ERROR:
            raise Misfit
        x = x[0]
    if target.kind == "c":
        return (to_float(x, target.format, misfit), 0.0)
    if target.kind == "f":
        return to_float(x, target.format, misfit)
    return to_integer(x, target, misfit)


# -- scale, offset, missing values

def stored_value(number, stored):
    """A missing value or a bound as an item of the stored type; None: it has no such item."""
    if stored.kind == "f":
        return rounded(number, stored.format)
    if isinstance(number, float):
        if not math.isfinite(number) or number != int(number):
            return None
        number = int(number)
    low, high = (0, 1) if stored.kind == "b" else stored.limits()
    return number if low <= number <= high else None


def is_missing(x, stored, how):
    if isinstance(x, float) and math.isnan(x):
        return False  # is NaN in any case
    if any(stored_value(m, stored) == x for m in how["missing"]):
        return True
    least, most = how["bounds"]
    if stored.kind == "f":
        least = least if least is None else rounded(least, stored.format)
        most = most if most is None else rounded(most, stored.format)
    return (least is not None and x < least) or (most is not None and x > most)


def read(x, stored, memory, how, misfit):
    if memory.kind == "f" and is_missing(x, stored, how):
        return math.nan
    if how["scaled"]:
        x = float(x) * how["scale"] + how["offset"]
        if memory.kind in "iu" and math.isfinite(x):
            x = round_even(x)
    return converted(x, stored, memory, misfit)


def round_even(x):
    return float(round(fractions.Fraction(x)))


def write(x, memory, stored, how, misfit):
    if memory.kind == "f" and how["missing"] and math.isnan(x):
        return ("stored", how["missing"][0])
    if how["scaled"]:
        x = (float(x) - how["offset"]) / how["scale"]
        if stored.kind in "iu" and math.isfinite(x):
            x = round_even(x)
    return converted(x, memory, stored, misfit)


# -- times

SECONDS = {"W": 604800, "D": 86400, "h": 3600, "m": 60, "s": 1}
PARTS = {"ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}


def unit_of(dtype):
    """Months per count, or seconds."""
    name, count = np.datetime_data(dtype)
    if name in "YM":
        return count * (12 if name == "Y" else 1), None
    return None, (fractions.Fraction(SECONDS[name]) if name in SECONDS
                  else fractions.Fraction(1, 10 ** PARTS[name])) * count


def times_convert(source, target):
    (from_months, _), (to_months, _) = unit_of(source.dtype), unit_of(target.dtype)
    same = (from_months is None) == (to_months is None)
    return source.kind == target.kind and (source.kind == "M" or same)


def month_day(months):
    """The day, from 1970, that a month since January 1970 begins with."""
    cycle, rest = divmod(months, 4800)
    first = np.datetime64(0, "M") + np.timedelta64(rest, "M")
    return cycle * 146097 + int(first.astype("M8[D]").astype("i8"))


def month_of(day):
    cycle, rest = divmod(day, 146097)
    return cycle * 4800 + int(np.datetime64(rest, "D").astype("M8[M]").astype("i8"))


def time(x, source, target, misfit):
    if x == NAT:
        return NAT
    (from_months, from_seconds), (to_months, to_seconds) = (
        unit_of(source.dtype), unit_of(target.dtype))
    if from_months and to_months:
        y = x * from_months // to_months
    elif from_months:
        y = month_day(x * from_months) * 86400 / to_seconds
        y = y.numerator // y.denominator
    elif to_months:
        day = x * from_seconds / 86400
        y = month_of(day.numerator // day.denominator) // to_months
    else:
        y = x * from_seconds / to_seconds
        y = y.numerator // y.denominator
    if -2 ** 63 < y < 2 ** 63:
        return y
    if misfit == ERROR:
        raise Misfit
    if misfit == SATURATE:
        return 2 ** 63 - 1 if y > 0 else NAT + 1
    return (y + 2 ** 63) % 2 ** 64 - 2 ** 63


# -- what NumPy says

def silent(function):
    """NumPy warns of NaN, of what wraps, and of imaginary parts that are lost."""
    def called(*args):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args)
    return called


def of_numpy(raw, source, target, misfit):
    """What NumPy converts to, and for which of the items that is defined."""
    if source.bf or target.bf:
        return None, None
    items = np.frombuffer(raw, source.dtype)
    if source.kind == "b":
        items = items.view("u1") != 0
    if source.kind in "mM":
        if misfit != ERROR:
            return None, None
        counts = np.frombuffer(raw, source.dtype.str[0] + "i8")
        try:
            return items.astype(target.dtype), (np.abs(counts) < 200001) | (counts == NAT)
        except OverflowError:  # a unit is more of the other one than 64 bits count
            return None, None
    if target.kind in "iu" and source.kind in "fc":
        return None, None
    want = items.astype(target.dtype)
    whole = np.ones(len(items), bool)
    if misfit != WRAP:  # those that fit are the same
        whole = np.zeros(len(items), bool)
        for i, x in enumerate(source.numbers(raw)):
            try:
                converted(x, source, target, ERROR)
                whole[i] = True
            except Misfit:
                pass
    return want, whole


class Judge:
    def __init__(self, told):
        self.told = told
        self.names = statuses()
        self.counts = collections.Counter()

    def number_list(self):
        kinds, ints, floats = (self.told.items() for _ in range(3))
        return [None if kind == 0 else float(f) if kind == FLOAT else
                int(i) % 2 ** 64 if kind == UINT else int(i)
                for kind, i, f in zip(kinds, ints, floats)]

    def how(self):
        scale, offset = map(float, self.told.items())
        return {"scale": scale, "offset": offset, "scaled": (scale, offset) != (1.0, 0.0),
                "missing": self.number_list(), "bounds": self.number_list()}

    def judge(self, line):
        if line["do"] == "case":
            return
        writing, misfit = line["do"] == "write", line["misfit"]
        source, target = Type(line["from"]), Type(line["to"])
        how = self.how()
        raw, got = self.told.items().tobytes(), self.told.items().tobytes()
        stored, memory = (target, source) if writing else (source, target)
        status = next(name for name, n in self.names.items() if n == line["status"])
        time_like = source.kind in "mM" or target.kind in "mM"
        if time_like and not times_convert(source, target):
            return self.expect_failure(status, "TESS_ERR_UNSUPPORTED", line, got)
        if writing and how["missing"] and self.cannot_store(how["missing"][0], stored):
            return self.expect_failure(status, "TESS_ERR_ARG", line, got)
        wanted, misfits = [], []
        for i, x in enumerate(source.numbers(raw)):
            try:
                wanted.append(time(x, source, target, misfit) if time_like else
                              write(x, memory, stored, how, misfit) if writing else
                              read(x, stored, memory, how, misfit))
            except Misfit:
                wanted.append(None)
                misfits.append(i)
        if misfits:
            self.expect_failure(status, "TESS_ERR_LIMIT", line, got if writing else b"")
            if line["at"] != misfits[0] and (writing or line["at"] not in misfits):
                raise Different("item %d does not fit, it said %d" % (misfits[0], line["at"]))
            return
        if status != "TESS_OK":
            raise Different("it failed with %s" % status)
        self.compare(raw, got, wanted, source, target, stored)
        if not (how["scaled"] or how["missing"] or any(b is not None for b in how["bounds"])):
            self.compare_numpy(raw, got, source, target, misfit)

    def cannot_store(self, number, stored):
        return stored_value(number, stored) is None

    def expect_failure(self, status, want, line, got):
        if status != want:
            raise Different("status %s instead of %s" % (status, want))
        if got.strip(b"\0"):
            raise Different("after a failure the array was not as before")
        self.counts["refused"] += 1

    def compare(self, raw, got, wanted, source, target, stored):
        for i, (have, want) in enumerate(zip(target.numbers(got), wanted)):
            if isinstance(want, tuple) and want[0] == "stored":
                want = stored_value(want[1], stored)
            pairs = zip(have, want) if target.kind == "c" else [(have, want)]
            for x, y in pairs:
                same = math.isnan(x) if isinstance(y, float) and math.isnan(y) else (
                    x == y and (not isinstance(y, float) or isinstance(x, int) or
                                math.copysign(1, x) == math.copysign(1, y)))
                if not same:
                    raise Different("item %d, %r, became %r instead of %r" % (
                        i, source.numbers(raw)[i], have, want))
            self.counts["items"] += 1
        if target.kind == "b" and set(got) - {0, 1}:
            raise Different("a bool is neither 0 nor 1")

    @silent
    def compare_numpy(self, raw, got, source, target, misfit):
        want, defined = of_numpy(raw, source, target, misfit)
        if want is None:
            return
        have = np.frombuffer(got, target.dtype)
        equal = (have == want) | (np.isnan(have) & np.isnan(want) if target.kind in "fc" else
                                  np.isnat(have) & np.isnat(want) if target.kind in "mM" else False)
        if target.kind == "c":
            equal = ((have.real == want.real) | (np.isnan(have.real) & np.isnan(want.real))) & (
                (have.imag == want.imag) | (np.isnan(have.imag) & np.isnan(want.imag)))
        wrong = np.flatnonzero(~equal & defined)
        if len(wrong):
            raise Different("item %d became %r, NumPy has %r" % (
                wrong[0], have[wrong[0]], want[wrong[0]]))
        self.counts["as NumPy"] += int(defined.sum())


if __name__ == "__main__":
    sys.exit(main(__doc__, Judge, ("items",)))
