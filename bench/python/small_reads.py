#!/usr/bin/env python3
"""What a small read from Python costs, over the call of C and beside NumPy; CSV.

    PYTHONPATH=build/release/lib/python small_reads.py build/release/bench/small_reads

Microseconds of processor time for one item, and for a row of eight: the least of 20 rounds, without
the loop of Python.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import tessera

READS, ROUNDS = 20000, 20


def least(function):
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        for i in range(READS):
            function(i % 50)
        best = min(best, (time.process_time() - start) / READS * 1e6)
    return best


def main():
    items = np.arange(1e6).reshape(1000, 1000)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.b2nd")
        tessera.asarray(items, path).close()
        in_c = [float(n) for n in subprocess.check_output([sys.argv[1], path], text=True).split()]
        a = tessera.open(path)
        out = np.zeros(8)
        loop = least(lambda row: None)
        print("read,c_us,python_us,over_c_us,numpy_us")
        for name, c, python, numpy in (
            ("item", in_c[0], lambda row: a[row, 7], lambda row: items[row, 7]),
            ("row of 8", in_c[1], lambda row: a[row, 7:15], lambda row: items[row, 7:15].copy()),
            ("row of 8 into out", in_c[1], lambda row: a.read((row, slice(7, 15)), out=out),
             lambda row: np.copyto(out, items[row, 7:15])),
        ):
            us = least(python) - loop
            print(f"{name},{c:.3f},{us:.3f},{us - c:.3f},{least(numpy) - loop:.3f}")


if __name__ == "__main__":
    main()
