#!/usr/bin/env python3
"""Read files that other writers made, and compare with what they hold.

    check.py TESS FOLDER...

For each case of FOLDER/manifest.json: `tess export PATH -` must give the bytes whose sha256 the
manifest has, and `tess info --json` what it says of shape, type, codec, filters, metalayers. A case
that this build does not support must be refused: exit status 3, a sentence, no data. A table by
family and by writer says how many were right, refused, wrong. Folders that do not exist are left
out; 77 is the exit status when none does.
"""

import hashlib
import json
import os
import subprocess
import sys

TIMEOUT = 60
CODECS = {0, 1, 2, 4, 5, 32, 33, 34, 35}
OPTIONAL_CODECS = {33, 34, 35}  # a build may do without
FILTERS = {0, 1, 2, 3, 4, 32, 33, 34, 35, 36}


def supported(case, path):
    """Whether this build claims to read the case."""
    return (case["codec_id"] in CODECS
            and all(f in FILTERS for f in case["filters_id"]))


def run(tess, *args):
    return subprocess.run((tess,) + args, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=TIMEOUT)


def last_line(text):
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "no words"


def expected_info(case, path):
    """Fields of `tess info --json` with the values they must have."""
    plain = case["metalayer"] == "none"
    want = {
        "typesize": case["typesize"],
        "nbytes": case["nbytes"],
        "nchunks": case["nchunks"],
        "metalayers": case["metalayers"],
        "vlmetalayers": case["vlmetalayers"],
        "plain": plain,
        "contiguous": not os.path.isdir(path),
        "offset": case["offset"],
    }
    if case["frame_first_byte"] == "9e":  # before, frames did not record this
        want["codec"] = case["codec"]
        want["filters_id"] = case["filters_id"]
        want["filters_meta"] = case["filters_meta"]
    if case["writer"].startswith("c-blosc2 3."):  # likewise
        want["dictionary"] = case["use_dict"]
    if plain:
        return want
    want["shape"] = case["shape"]
    want["chunkshape"] = case["chunkshape"]
    # Before Caterva 0.4 there were no blocks in chunks.
    if case["blockshape"] is not None and all(b > 0 for b in case["blockshape"]):
        want["blockshape"] = case["blockshape"]
    want["metalayer"] = case["metalayer"].split("-")[0]
    want["dtype"] = case["dtype"]
    return want


def wrong_info(tess, case, path):
    """What `tess info` gets wrong, as a list of sentences."""
    got = run(tess, "info", path, "--json", "--offset", str(case["offset"]))
    if got.returncode != 0:
        return ["info: exit status %d, %s" % (got.returncode, last_line(got.stderr))]
    info = json.loads(got.stdout)
    return ["info: %s is %r instead of %r" % (key, info.get(key), value)
            for key, value in expected_info(case, path).items() if info.get(key) != value]


def check_case(tess, case, path):
    """Returns right, refused or wrong, and what there is to say."""
    if "file_sha256" in case:
        with open(path, "rb") as f:
            if hashlib.sha256(f.read()).hexdigest() != case["file_sha256"]:
                return "wrong", "the file itself has changed"
    try:
        got = run(tess, "export", path, "-", "--offset", str(case["offset"]))
        if got.returncode == 3:
            if got.stdout:
                return "wrong", "refused after %d bytes of data" % len(got.stdout)
            if not got.stderr.strip():
                return "wrong", "refused without a sentence"
            return "refused", last_line(got.stderr)
        if got.returncode != 0:
            return "wrong", "exit status %d: %s" % (got.returncode, last_line(got.stderr))
        problems = []
        digest = hashlib.sha256(got.stdout).hexdigest()
        if case["sha256"] not in (None, digest):  # None: not all items were ever written
            problems.append("other data, %d bytes of %d" % (len(got.stdout), case["nbytes"]))
        elif len(got.stdout) != case["nbytes"]:
            problems.append("%d bytes instead of %d" % (len(got.stdout), case["nbytes"]))
        problems += wrong_info(tess, case, path)
    except subprocess.TimeoutExpired:
        return "wrong", "not done after %d s" % TIMEOUT
    return ("wrong", "; ".join(problems)) if problems else ("right", "")


def table(title, rows):
    print("\n%-72s %6s %8s %6s" % (title, "right", "refused", "wrong"))
    for name in sorted(rows):
        count = rows[name]
        print("%-72s %6d %8d %6d" % (name[:72], count["right"], count["refused"], count["wrong"]))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tess = os.path.abspath(sys.argv[1])
    folders = [f for f in sys.argv[2:] if os.path.exists(os.path.join(f, "manifest.json"))]
    if not folders:
        print("no manifest.json in " + " or ".join(sys.argv[2:]))
        return 77
    families = {}
    writers = {}
    total = 0
    failed = 0
    for folder in folders:
        with open(os.path.join(folder, "manifest.json")) as f:
            cases = json.load(f)
        for case in cases:
            path = os.path.join(folder, case["path"])
            want = "right" if supported(case, path) else "refused"
            outcome, words = check_case(tess, case, path)
            if (case["codec_id"] in OPTIONAL_CODECS
                    and words.endswith("this build has no codec " + case["codec"])):
                want = "refused"
            total += 1
            if outcome != want:
                failed += 1
                print("%s: %s instead of %s: %s" % (case["path"], outcome, want, words))
            for rows, name in ((families, case["family"]), (writers, case["writer"])):
                rows.setdefault(name, {"right": 0, "refused": 0, "wrong": 0})[outcome] += 1
    table("family", families)
    table("writer", writers)
    print("\n%d cases, %d not as they should be" % (total, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
