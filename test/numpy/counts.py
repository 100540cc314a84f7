#!/usr/bin/env python3
"""Count items in bins and add numbers to points as NumPy does, and compare.

    counts.py NUMBER COMMAND

COMMAND tells cases (tell.h). Histograms are counted here by bisection among the edges, with Python's
exact comparisons between integers and floats, and by numpy.histogram() where items are doubles
without loss and bins are not narrower than their edges are exact. Additions are those of
numpy.add.at(). There must be at least NUMBER cases, unless TESS_TEST_CASES asks for less. 77 is the
exit status when there is no Python with NumPy.
"""

import bisect
import collections
import sys
import warnings

sys.dont_write_bytecode = True
from follow import Different, main, np


def same(name, have, want):
    have, want = list(map(int, have)), list(map(int, want))
    if have != want:
        raise Different("%s: %s instead of %s" % (name, have, want))


def edges_of(line, ends, kinds, ints, floats):
    lo, hi = map(float, ends)
    if line["equal"]:
        if lo == hi:
            lo, hi = lo - 0.5, hi + 0.5
        return [float(x) for x in np.linspace(lo, hi, line["nbins"] + 1)]
    return [float(f) if chr(k) == "f" else int(i) if chr(k) == "i" else int(i) % 2 ** 64
            for k, i, f in zip(kinds, ints, floats)]


def exact(x, edges):
    """Below the first edge -1, above the last one len(edges) - 1."""
    if x > edges[-1]:
        return len(edges) - 1
    return min(bisect.bisect_right(edges, x), len(edges) - 1) - 1


class Judge:
    def __init__(self, told):
        self.told = told
        self.counts = collections.Counter()

    def judge(self, line):
        if line["do"] == "histogram":
            self.histogram(line)
        elif line["do"] == "add":
            self.add(line)

    def histogram(self, line):
        items, ends, kinds, ints, floats, counts = (self.told.items() for _ in range(6))
        items = items[line["start"]:line["stop"]]
        edges = edges_of(line, ends, kinds, ints, floats)
        n = line["nbins"]
        have = [line["below"]] + list(counts) + [line["above"], line["nan"]]
        want = [0] * (n + 3)
        for x in items.tolist():
            want[n + 2 if x != x else exact(int(x) if isinstance(x, bool) else x, edges) + 1] += 1
        same("counts", have, want)
        self.counts["histograms"] += 1
        self.compare_numpy(line, items, edges, counts)

    def compare_numpy(self, line, items, edges, counts):
        whole = items.dtype.kind in "iu" and items.dtype.itemsize == 8
        if whole and len(items) and max(abs(int(x)) for x in items) >= 2 ** 53:
            return
        if any(isinstance(x, int) and abs(x) >= 2 ** 53 for x in edges):
            return
        doubles = items.astype("f8")
        doubles = doubles[~np.isnan(doubles)]
        n, lo, hi = line["nbins"], edges[0], edges[-1]
        if line["equal"]:
            if (hi - lo) / n < 1e-9 * max(abs(lo), abs(hi)):
                return
            want = np.histogram(doubles, n, (lo, hi))[0]
        else:
            want = np.histogram(doubles, np.array(edges, "f8"))[0]
        same("NumPy's counts", counts, want)
        self.counts["as NumPy"] += 1

    def add(self, line):
        items, coords, src, result = (self.told.items() for _ in range(4))
        want = items.copy()
        np.add.at(want, coords, src if len(src) > 1 else src[0])
        if want.dtype.kind in "fc":
            part = want.dtype if want.dtype.kind == "f" else np.dtype(
                want.dtype.str.replace("c8", "f4").replace("c16", "f8"))
            a, b = want.view(part), result.view(part)
            equal = ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
        else:
            equal = want == result
        wrong = np.flatnonzero(~equal)
        if len(wrong):
            raise Different("number %d became %r instead of %r" % (
                wrong[0], b[wrong[0]] if want.dtype.kind in "fc" else result[wrong[0]],
                a[wrong[0]] if want.dtype.kind in "fc" else want[wrong[0]]))
        self.counts["additions"] += 1


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if np is not None:
        np.seterr(all="ignore")
    sys.exit(main(__doc__, Judge, ("histograms", "additions")))
