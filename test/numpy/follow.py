"""Programs that tell cases (tell.h), each of which a judge compares with NumPy.

A judge is made of the pipe, has judge(line), which raises Different, and counts of what it saw.
"""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from pythons import interpreter

try:
    import numpy as np
except ImportError:
    np = None


class Different(Exception):
    """The library does not do what is expected."""


def follow(program, make_judge):
    from judge import Pipe
    told = Pipe(program.stdout)
    judge = make_judge(told)
    line, seed, problem = None, None, None
    for text in iter(told.line, b""):
        line = json.loads(text)
        seed = line.get("seed", seed)
        try:
            judge.judge(line)
        except Different as error:
            problem = "%s\nTESS_TEST_SEED=%s TESS_TEST_CASES=1 repeats:\n  %s" % (error, seed, line)
            break
    if not told.ended:
        program.kill()
    status = program.wait()
    if told.ended and status != 0:
        problem = "the program ended with status %d" % status
    return problem, judge


def main(usage, make_judge, counted):
    """The exit status of a script with the words NUMBER and COMMAND: `counted` names the counts that
    have to be NUMBER at least, together."""
    if len(sys.argv) != 3:
        sys.exit(usage)
    if np is None:
        python = interpreter(["numpy"])
        if python is None:
            print("no Python with numpy")
            return 77
        return subprocess.run([python] + sys.argv).returncode
    program = subprocess.Popen([sys.argv[2]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    problem, judge = follow(program, make_judge)
    if problem:
        print(problem)
        return 1
    print(", ".join("%s %d" % count for count in sorted(judge.counts.items())))
    enough = sum(judge.counts[name] for name in counted) >= int(sys.argv[1])
    return 0 if "TESS_TEST_CASES" in os.environ or enough else 1
