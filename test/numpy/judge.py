#!/usr/bin/env python3
"""Do with NumPy what a program did with the library, and compare.

    judge.py NUMBER TESS COMMAND

COMMAND, given a temporary folder as its last argument, draws arrays and selections of them, and
tells what it does (tell.h): lines of JSON with .npy files between them. Here the same is done to a
NumPy array, made of nothing but what went into the library: type, shape and every byte of what came
out must be the same. Of files that it leaves, `tess export` writes parts, chosen here, as .npy.
There must be at least NUMBER selections, unless TESS_TEST_CASES asks for less. 77 is the exit
status when there is no Python with NumPy.
"""

import ast
import collections
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
from pythons import interpreter

try:
    import numpy as np
except ImportError:
    np = None

UNTOUCHED = 0x5a  # what memory holds before items are read into it
EXPORTS = 0.2  # of all files
EPSILON = 2.0 ** -52


class Different(Exception):
    """The library and NumPy disagree."""


class Pipe:
    """What the program tells. NumPy takes it for no file: it cannot be mapped or sought."""

    def __init__(self, pipe):
        self.pipe = pipe
        self.ended = False

    def read(self, size):
        got = self.pipe.read(size)
        self.ended |= len(got) < size
        return got

    def line(self):
        got = self.pipe.readline()
        self.ended |= not got
        return got

    def items(self):
        return np.lib.format.read_array(self, allow_pickle=False)


def dtype_of(text, typesize=0):
    if not text:
        return np.dtype((np.void, typesize))
    return np.dtype(ast.literal_eval(text) if text.startswith("[") else text)


def compare(got, want, what="items"):
    """Type, shape and all bytes; of these, which item is the first that is wrong."""
    if got.dtype != want.dtype:
        raise Different("%s of type %s, NumPy has %s" % (what, got.dtype, want.dtype))
    if got.shape != want.shape:
        raise Different("%s of shape %r, NumPy has %r" % (what, got.shape, want.shape))
    ours, theirs = got.tobytes(), want.tobytes()
    if ours == theirs:
        return
    size = want.dtype.itemsize
    first = next(i for i in range(want.size) if ours[i * size:][:size] != theirs[i * size:][:size])
    raise Different("%s: the one at %r is %s, NumPy has %s" % (
        what, tuple(int(i) for i in np.unravel_index(first, want.shape)),
        ours[first * size:][:size].hex(), theirs[first * size:][:size].hex()))


def expect(got, want, what):
    if got != want:
        raise Different("%s is %r, NumPy has %r" % (what, got, want))


def near(got, want, error, what):
    if not abs(got - want) <= error:
        raise Different("%s is %r instead of %r" % (what, got, want))


def index_of(line):
    """What NumPy selects with, for indices as range() takes them: none counts from the end."""
    index = []
    for start, stop, step in zip(line["start"], line["stop"], line["step"]):
        if len(range(start, stop, step)) == 0:
            index.append(slice(0, 0, step))
        else:
            index.append(slice(start, stop if stop >= 0 else None, step))
    return tuple(index) + (...,)  # an array, also without axes


class Judge:
    def __init__(self, told, tess, folder):
        self.told, self.tess, self.folder = told, tess, folder
        self.array = self.target = self.growth = self.parts = None
        self.counts = collections.Counter()
        self.random = random.Random()

    def judge(self, line):
        name = line["do"].replace(" ", "_")
        getattr(self, "do_" + name)(line)
        if not name.startswith("view") and name not in ("part", "whole", "end", "case", "reopen"):
            self.counts[line["do"]] += 1

    # -- arrays

    def do_case(self, line):
        self.random.seed(line["seed"])

    def create(self, line, items):
        growth = self.told.items()
        dtype = dtype_of(line["dtype"], line["typesize"])
        self.array = self.target = items(tuple(line["shape"]), dtype, growth)
        self.growth = np.full((), np.nan, dtype) if line["do"] == "nan" else growth
        self.parts = []

    def do_zeros(self, line):
        self.create(line, lambda shape, dtype, growth: np.zeros(shape, dtype))

    def do_full(self, line):
        self.create(line, lambda shape, dtype, growth: np.full(shape, growth, dtype))

    def do_nan(self, line):
        self.create(line, lambda shape, dtype, growth: np.full(shape, np.nan, dtype))

    def do_from(self, line):
        self.create(line, lambda shape, dtype, growth: self.told.items())

    def do_whole(self, line):
        self.target = self.array
        compare(self.told.items(), self.array, "the whole array")

    def do_reopen(self, line):
        """Nothing is another."""

    def do_end(self, line):
        self.exported(line["path"], self.array)

    # -- views: those of NumPy, which lead to the same memory, too

    def do_view_slice(self, line):
        self.target = self.target[index_of(line)]

    def do_view_squeeze(self, line):
        self.target = self.target.squeeze(None if line["axis"] < 0 else line["axis"])

    def do_view_expand(self, line):
        self.target = np.expand_dims(self.target, line["axis"])

    def do_view_permute(self, line):
        self.target = self.target.transpose(line["axes"])

    # -- reads and writes

    def in_memory(self, line, memory, shape):
        """Items with strides in bytes."""
        return np.ndarray(shape, self.target.dtype, memory, line["offset"], line["strides"])

    def do_get_slice(self, line):
        want = self.target[index_of(line)]
        memory = np.full(line["size"], UNTOUCHED, np.uint8)
        self.in_memory(line, memory, want.shape)[...] = want
        compare(self.told.items(), memory, "bytes of the destination")

    def do_set_slice(self, line):
        index = index_of(line)
        self.target[index] = self.in_memory(line, self.told.items(), self.target[index].shape)

    def do_get_box(self, line):
        compare(self.told.items(), self.target[index_of(line)])

    def do_set_box(self, line):
        self.target[index_of(line)] = self.told.items()

    do_fill = do_set_box

    def points(self):
        """What to index, and with what: an array without axes takes one for the points."""
        coords = self.told.items()
        if self.target.ndim == 0:
            return self.target.reshape(1), (np.zeros(len(coords), int),)
        return self.target, tuple(coords.T)

    def do_get_points(self, line):
        array, index = self.points()
        compare(self.told.items(), array[index])

    def do_set_points(self, line):
        array, index = self.points()
        array[index] = self.told.items()

    def grid(self):
        return np.ix_(*[self.told.items() for _ in range(self.target.ndim)]) or ...

    def do_get_orthogonal(self, line):
        index = self.grid()
        compare(self.told.items(), self.target[index])

    def do_set_orthogonal(self, line):
        index = self.grid()
        self.target[index] = self.told.items()

    def do_get_mask(self, line):
        mask = self.told.items() != 0
        want = self.target[mask].reshape(-1)
        count = self.told.items()
        expect(int(count[0]), want.size, "the count of the mask")
        compare(self.told.items(), want)

    def do_set_mask(self, line):
        mask = self.told.items() != 0
        items = self.told.items()
        chosen = self.target[mask].shape
        self.target[mask] = items.reshape(() if items.size == 1 else chosen)

    def do_statistics(self, line):
        box = self.target[index_of(line)]
        count, nonfinite, exact, integer, kind, kind_max, *ints = map(int, self.told.items())
        unsigned = [int(x) for x in self.told.items()]
        *floats, total, mean = map(float, self.told.items())
        expect(count, box.size, "the count")
        expect(kind_max, kind, "the kind of the greatest")
        limits = {"i": ints, "u": unsigned, "f": floats}
        expect([x for k in limits if k != chr(kind) for x in limits[k]], [0] * 4, "no limit")
        limits = limits[chr(kind)]
        if box.dtype.kind == "f":
            expect((chr(kind), exact, integer), ("f", 0, 0), "kind and integer")
            self.float_statistics(box, nonfinite, limits, total, mean)
            return
        items = [int(x) for x in box.ravel()]
        want = sum(items)
        fits = -2 ** 63 <= want < 2 ** 63
        expect(chr(kind) in ("iu" if box.dtype.kind == "b" else box.dtype.kind), True, "the kind")
        expect(nonfinite, 0, "the count of the others")
        expect(exact, fits, "whether the sum fits")
        expect(integer, want if fits else 0, "the sum")
        expect(total, float(want), "the sum as a float")
        expect(limits, [min(items), max(items)] if items else [0, 0], "the limits")
        if items:
            near(mean, want / count, 2 * EPSILON * abs(want / count), "the mean")
        else:
            expect(math.isnan(mean), True, "the mean of nothing as NaN")

    def float_statistics(self, box, nonfinite, limits, total, mean):
        items = [float(x) for x in box.ravel() if np.isfinite(x)]
        expect(nonfinite, box.size - len(items), "the count of the others")
        if not items:
            expect([math.isnan(x) for x in limits + [mean]], [True] * 3, "NaN without an item")
            expect(total, 0.0, "the sum")
            return
        expect(limits, [min(items), max(items)], "the limits")
        try:
            absolute = math.fsum(map(abs, items))
        except OverflowError:
            return  # nor can it be known here
        want, error = math.fsum(items), 4 * EPSILON * absolute
        near(total, want, error, "the sum")
        near(mean, want / len(items), error / len(items) + 5e-324, "the mean")

    # -- shapes

    def become(self, array):
        self.array = self.target = array.astype(self.array.dtype, copy=False)

    def do_resize(self, line):
        array = self.array
        for axis, (length, start) in enumerate(zip(line["shape"], line["start"])):
            more = length - self.array.shape[axis]
            if more < 0:
                array = np.delete(array, slice(start, start - more), axis)
        for axis, (length, start) in enumerate(zip(line["shape"], line["start"])):
            more = length - self.array.shape[axis]
            if more > 0:
                array = np.insert(array, [start] * more, self.growth, axis)
        self.become(array)

    def do_insert(self, line):
        items = self.told.items()
        places = [line["position"]] * items.shape[line["axis"]]
        self.become(np.insert(self.array, places, items, line["axis"]))

    def do_append(self, line):
        self.become(np.concatenate((self.array, self.told.items()), line["axis"]))

    def do_append_array(self, line):
        self.become(np.concatenate((self.array, self.array[index_of(line)]), line["axis"]))

    def do_delete(self, line):
        gone = slice(line["position"], line["position"] + line["count"])
        self.become(np.delete(self.array, gone, line["axis"]))

    # -- other arrays

    def made(self, line, want):
        """A new array, whose items come next, and which stays at its path."""
        want = want.astype(dtype_of(line["dtype"], self.array.dtype.itemsize), copy=False)
        compare(self.told.items(), want, "the new array")
        self.exported(line["path"], want)

    def do_part(self, line):
        self.parts.append(self.target[index_of(line)])

    def do_copy(self, line):
        self.made(line, self.target)

    def do_concatenate(self, line):
        parts, self.parts = self.parts, []
        self.made(line, np.concatenate(parts, line["axis"]))

    def do_stack(self, line):
        parts, self.parts = self.parts, []
        self.made(line, np.stack(parts, line["axis"]))

    # -- the command

    def expression(self, array):
        """Anything between brackets after an array, as text and as NumPy takes it."""
        terms = []
        for length in array.shape:
            if length > 0 and self.random.random() < 0.25:
                terms.append(self.random.randrange(-length, length))
                continue
            number = [None] + list(range(-length - 2, length + 3))
            step = self.random.choice([None, 1, 1, 2, 3, -1, -2, length + 1])
            terms.append(slice(self.random.choice(number), self.random.choice(number), step))
        texts = [str(t) if isinstance(t, int) else ":".join(
            "" if x is None else str(x) for x in (t.start, t.stop, t.step)) for t in terms]
        kept = self.random.randrange(len(terms) + 1)  # the rest is whole
        return ", ".join(texts[:kept] + ["..."]), tuple(terms[:kept]) + (...,)

    def exported(self, path, array):
        if not path:
            return
        if self.random.random() < EXPORTS:
            text, index = self.expression(array)
            out = os.path.join(self.folder, "exported.npy")
            command = [self.tess, "export", "--force", "--slice=" + text, path, out]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if done.returncode != 0:
                raise Different("tess export of [%s]: exit status %d, %s" % (
                    text, done.returncode, done.stderr.decode(errors="replace").strip()))
            compare(np.load(out, allow_pickle=False), array[index], "export of [%s]" % text)
            self.counts["tess export"] += 1
        (shutil.rmtree if os.path.isdir(path) else os.remove)(path)


def follow(program, tess, folder):
    """Judge what a program tells until it ends: None, or what is wrong, and the judge."""
    told = Pipe(program.stdout)
    judge = Judge(told, tess, folder)
    story, seed, problem = [], None, None
    for text in iter(told.line, b""):
        try:
            line = json.loads(text)
            if line["do"] == "case":
                story, seed = [], line["seed"]
            story.append(text.decode().strip())
            judge.judge(line)
        except Exception as error:  # what NumPy does not take is a difference, too
            name = "" if isinstance(error, Different) else type(error).__name__ + ": "
            problem = name + str(error)
            break
    if not told.ended:
        program.kill()
    status = program.wait()
    if told.ended and status != 0:
        problem = "the program ended with status %d" % status
    if problem:
        problem = "%s\nTESS_TEST_SEED=%s TESS_TEST_CASES=1 repeats:\n  %s" % (
            problem, seed, "\n  ".join(story))
    return problem, judge


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    if np is None:
        python = interpreter(["numpy"])
        if python is None:
            print("no Python with numpy")
            return 77
        return subprocess.run([python] + sys.argv).returncode
    number, tess, command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        program = subprocess.Popen([command, folder], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE)
        problem, judge = follow(program, tess, folder)
    if problem:
        print(problem)
        return 1
    made = sum(judge.counts[name] for name in ("zeros", "full", "nan", "from"))
    selections = sum(judge.counts.values()) - made
    print("%d selections of %d arrays are as NumPy has them" % (selections, made))
    print(", ".join("%s %d" % count for count in sorted(judge.counts.items())))
    return 0 if "TESS_TEST_CASES" in os.environ or selections >= int(number) else 1


if __name__ == "__main__":
    sys.exit(main())
