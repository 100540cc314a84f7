#!/usr/bin/env python3
"""Have the independent reader of the format read what the library writes.

    interop.py B2REF NUMBER COMMAND ARGUMENT...

COMMAND, given a temporary folder as its last argument, writes arrays there, at least NUMBER of
them, and what they hold (see record.h). B2REF is the reference reader, b2ref.py, used as a module.
Data, shapes, type, and both kinds of metalayers must be the same, and the reader must have no
objection, unless to the file of that name in the first ARGUMENT, which ours was made from. One that
it always has is passed over: in the index file of a directory up to GAP_MAX unused bytes stand in
front of the trailer, where all known readers accept them; they give each of its states another
length, by which c-blosc2 notices that it was replaced.
77 is the exit status when the reader, an interpreter with the modules it needs, or an argument that
is a path, is absent.
"""

import filecmp
import hashlib
import importlib.util
import json
import os
import struct
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
from pythons import interpreter

MODULES = ("numpy", "lz4.block", "zstandard")
GAP = re.compile(r"frame: (\d+) bytes between the offsets chunk and the trailer")
RESERVED = "frame: reserved bytes of the pipeline"
SECTOR, MARK_AT, MARK = 512, 86, 0x54
BESIDE, BESIDE_SIZE, VLMETALAYERS_MAX = b"tess_ref", 48, 16
BEHIND = "sframe: bytes after the end of the index file"
GAP_MAX = 32


def load(path):
    spec = importlib.util.spec_from_file_location("b2ref", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.every_rule = module.strict
    return module


def but_gaps(rule, gaps):
    """A rule of the reader, which collects the gaps: ledgers stand there."""
    def strict(condition, message):
        gap = GAP.fullmatch(message)
        if gap and not condition:
            gaps.append(int(gap[1]))
        rule(condition or gap or message in (BEHIND, RESERVED), message)
    return strict


def read(b2ref, path, strict=True, offset=0):
    gaps = []
    b2ref.STRICT = strict
    b2ref.strict = but_gaps(b2ref.every_rule, gaps)
    source = b2ref.Source(path, offset)
    return source, source.raw(), sum(gaps)


def objects(b2ref, path):
    """Whether the reader finds fault with a file by another writer: chunks of it may be in ours."""
    try:
        read(b2ref, path)
    except (b2ref.B2Error, b2ref.Unsupported):
        return True
    return False


def same_file(path, other):
    return os.path.isfile(path) and os.path.isfile(other) and filecmp.cmp(path, other, False)


def bytes_at(path, position, size):
    """Bytes of the file with header and index; the ledger of an empty frame is behind the frame."""
    name = os.path.join(path, "chunks.b2frame") if os.path.isdir(path) else path
    with open(name, "rb") as file:
        file.seek(position)
        return file.read(size)


def whitening(hash_bytes, head_hash):
    """The 16 bytes that the last fields of the reference are combined with: SplitMix64."""
    mask = (1 << 64) - 1
    words = b""
    for i in range(2):
        x = (int.from_bytes(hash_bytes, "little") ^ head_hash) + i + 0x9e3779b97f4a7c15 & mask
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & mask
        x = (x ^ x >> 27) * 0x94d049bb133111eb & mask
        words += (x ^ x >> 31).to_bytes(8, "little")
    return words


def beside_ledger(path, offset, frame):
    """The reference that stands beside the ledger, as the metalayer would have it, or None."""
    at = frame.trailer_start - BESIDE_SIZE if frame.nchunks > 0 else frame.frame_len
    record = bytes_at(path, offset + at, BESIDE_SIZE)
    if len(record) < BESIDE_SIZE or record[:8] != BESIDE or record[45:] != bytes(3):
        return None
    return b"\xc4\x1d" + record[16:45]


def ledger_fault(path, offset, frame, content, gap, gap_max):
    """None, or what is wrong with the reference to the ledger, or with the ledger itself, which
    has all of the gap but gap_max bytes."""
    head = frame.data[:frame.header_len]
    if content[:2] != b"\xc4\x1d" or len(content) != 31 or content[2] != 2:
        return "no msgpack bin of 29 bytes of format 2"
    digest, head_hash = content[3:11], int.from_bytes(content[11:15], "little")
    fields = bytes(x ^ y for x, y in zip(content[15:], whitening(digest, head_hash)))
    size = int.from_bytes(fields[:4], "little")
    position = int.from_bytes(fields[4:10], "little")
    number = int.from_bytes(fields[10:], "little")
    marked = len(head) > SECTOR and size > 0 and not os.path.isdir(path)
    if head[MARK_AT] != (MARK if marked else 0):
        return "the mark %d in a header of %d bytes" % (head[MARK_AT], len(head))
    if not size <= gap <= size + gap_max and frame.nchunks > 0:
        return "a ledger of %d bytes in a gap of %d" % (size, gap)
    if size == 0:
        return None
    block = bytes_at(path, offset + position, size)
    if len(block) < 56 or block[0] != 2 or struct.unpack_from("<I", block, 4)[0] != len(head):
        return "%d bytes at %d are no ledger of format 2" % (len(block), position)
    if block[16:24] != digest or struct.unpack_from("<Q", block, 8)[0] != number:
        return "another ledger than the metalayer refers to"
    if block[56:56 + len(head)] != head[:2] + b"\0" + head[3:]:
        return "another header"
    previous, nruns, nstored, at, nlayers = struct.unpack_from("<IIQQI", block, 24)
    if at != position or size != 56 + len(head) + previous + 40 * nlayers + 8 * (nruns + nstored):
        return "%d metalayers, %d runs and %d checksums in %d bytes" % (
            nlayers, nruns, nstored, size)
    return None


def other_array(source, metalayers, case):
    """None, or what is another N-dimensional layer; it is taken from the metalayers."""
    if source.nd is None or metalayers.pop(case["layer"], None) is None:
        return "no array to the reader"
    for key in "shape", "chunkshape", "blockshape":
        if list(getattr(source.nd, key)) != case[key]:
            return "%s %r instead of %r" % (key, getattr(source.nd, key), case[key])
    if (source.nd.dtype or "").encode().hex() != case["dtype"]:
        return "type %r" % source.nd.dtype
    if source.frame.typesize != case["typesize"]:
        return "items of %d bytes instead of %d" % (source.frame.typesize, case["typesize"])
    return None


def difference(b2ref, folder, case, origin):
    """None, or what is wrong with one array."""
    original = os.path.join(origin or "", case["name"])
    path = os.path.join(folder, case["file"])
    strict = not (origin and os.path.exists(original) and objects(b2ref, original))
    try:
        source, data, gap = read(b2ref, path, strict, case["offset"])
        metalayers = {k.decode(): v.hex() for k, v in source.frame.meta.items()}
        vlmetalayers = {k.decode(): source.frame.vlmeta_content(k).hex()
                        for k in source.frame.vlmeta}
    except (b2ref.B2Error, b2ref.Unsupported) as error:
        return str(error)
    with open(os.path.join(folder, case["name"] + ".bin"), "rb") as f:
        want = f.read()
    other = (source.nd is not None and "an array" if not case["layer"] else
             other_array(source, metalayers, case))
    if other:
        return other
    if data != want:
        common = min(len(data), len(want))
        at = next((i for i in range(common) if data[i] != want[i]), common)
        return "other data from byte %d on (%d bytes, sha256 %s)" % (
            at, len(data), hashlib.sha256(data).hexdigest())
    fill = metalayers.pop("tess_fill", "")
    if bool(fill) != bool(case["fill"]) or not fill.endswith(case["fill"]):
        return "fill value %r instead of %r" % (fill, case["fill"])
    ledger = vlmetalayers.pop("_tess", None)
    gap_max = GAP_MAX if os.path.isdir(path) else 0
    if ledger is not None:
        ledger = bytes.fromhex(ledger)
    elif len(vlmetalayers) >= VLMETALAYERS_MAX and not same_file(path, original):
        ledger = beside_ledger(path, case["offset"], source.frame)
        gap -= BESIDE_SIZE if source.frame.nchunks > 0 else 0
    if ledger is None and not same_file(path, original):
        return "no ledger"
    fault = ledger and ledger_fault(path, case["offset"], source.frame, ledger, gap, gap_max)
    if fault:
        return "the ledger: " + fault
    if metalayers != case["metalayers"]:
        return "other metalayers: %r" % metalayers
    if vlmetalayers != case["vlmetalayers"]:
        return "other variable-length metalayers: %r" % sorted(vlmetalayers)
    return None


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    reader, number, *command = sys.argv[1:]
    for path in [reader] + command[1:]:
        if not os.path.exists(path):
            print("there is no " + path)
            return 77
    python = interpreter(MODULES)
    if python is None:
        print("no Python with " + ", ".join(MODULES))
        return 77
    if python != sys.executable:
        return subprocess.run([python] + sys.argv).returncode
    b2ref = load(reader)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        status = subprocess.run(command + [folder]).returncode
        if status != 0:
            print("%s: exit status %d" % (command[0], status))
            return 1
        with open(os.path.join(folder, "arrays.json")) as f:
            cases = [json.loads(line) for line in f]
        for case in cases:
            problem = difference(b2ref, folder, case, command[1] if len(command) > 1 else None)
            if problem:
                failed += 1
                print("%s: %s" % (case["name"], problem))
    print("%d arrays, %d read differently" % (len(cases), failed))
    return 1 if failed or len(cases) < int(number) else 0


if __name__ == "__main__":
    sys.exit(main())
