#!/usr/bin/env python3
"""Read damaged files: each is refused in words, or decoded as if nothing had happened.

    malformed.py TESS FOLDER...

For each case of FOLDER/malformed.json `tess export PATH -` must end with exit status 3, a sentence
and no data ("error"), or may also give the bytes of the undamaged file ("error-or-correct"). A
crash, a sanitizer's report, other bytes, ten seconds, or memory out of proportion is a failure.
Folders that do not exist are left out; 77 is the exit status when none does.
"""

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading

TIMEOUT = 10
MEMORY_MAX = 400 << 20  # resident, with a sanitizer's own


def run(tess, path):
    """Exit status (None: too late), stdout, stderr, peak of resident bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as words:
        child = subprocess.Popen((tess, "export", path, "-"), stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=words)
        late = threading.Event()

        def end():
            late.set()
            child.kill()

        timer = threading.Timer(TIMEOUT, end)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        words.seek(0)
        return (None if late.is_set() else child.returncode, out.read(), words.read(),
                usage.ru_maxrss << 10)


def is_intact(case, path):
    """Whether the damage is the one that the list speaks of."""
    if "file_sha256" not in case:
        return True
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest() == case["file_sha256"]


def judge(case, status, data, words, peak):
    """None, or what is wrong."""
    if status is None:
        return "not done after %d s" % TIMEOUT
    if peak > MEMORY_MAX:
        return "%d MiB of memory" % (peak >> 20)
    if b"runtime error:" in words or b"Sanitizer" in words:
        return words.decode("utf-8", "replace")[-2000:]
    if status == 3:
        if data:
            return "%d bytes of data before the error" % len(data)
        return None if words.strip() else "no sentence"
    if status != 0:
        return "exit status %d: %s" % (status, words.decode("utf-8", "replace")[-2000:])
    if case["expect"] == "error":
        return "accepted"
    if hashlib.sha256(data).hexdigest() != case["correct_sha256"]:
        return "accepted, with other data"
    return None


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tess = os.path.abspath(sys.argv[1])
    folders = [f for f in sys.argv[2:] if os.path.exists(os.path.join(f, "malformed.json"))]
    if not folders:
        print("no malformed.json in " + " or ".join(sys.argv[2:]))
        return 77
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    total = 0
    failed = 0
    correct = 0
    highest = 0
    for folder in folders:
        with open(os.path.join(folder, "malformed.json")) as f:
            cases = json.load(f)
        for case in cases:
            name = os.path.basename(case["path"])
            path = os.path.join(folder, name)
            status, data, words, peak = run(tess, path)
            problem = judge(case, status, data, words, peak)
            if not is_intact(case, path):
                problem = "the file itself has changed"
            total += 1
            correct += status == 0 and not problem
            highest = max(highest, peak)
            if problem:
                failed += 1
                print("%s (%s): %s" % (name, case["damage"], problem))
    print("%d damaged files: %d refused, %d read right, %d not as they should be; peak %d MiB"
          % (total, total - correct - failed, correct, failed, highest >> 20))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
