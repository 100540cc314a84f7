"""What --json prints is what the help of each command says of it.

json_keys.py TESS GOLDEN [nozfp]: each command with --json runs on arrays of many kinds, those in
the folder GOLDEN among them; nozfp leaves out those that TESS was built without. Each key that is
printed is in the help, with a value of the type that it says; each key there is printed for one of
the arrays at least, and always unless it may be absent.
"""

import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

tess, golden = (os.path.abspath(path) for path in sys.argv[1:3])
beyond = ("zfp",) if "nozfp" in sys.argv[3:] else ()  # how names of codecs begin
failures = []

TYPES = {
    "integer": lambda v: type(v) is int,
    "number": lambda v: type(v) in (int, float),
    "string": lambda v: type(v) is str,
    "boolean": lambda v: type(v) is bool,
    "object": lambda v: type(v) is dict,
    "list": lambda v: type(v) is list,
    "item": lambda v: type(v) in (int, float, bool, str, dict),
    "any": lambda v: True,
    "integers": lambda v: type(v) is list and all(type(x) is int for x in v),
    "strings": lambda v: type(v) is list and all(type(x) is str for x in v),
}


class Command:
    """One command, its documentation, and what was printed so far."""

    def __init__(self, name):
        self.name = name
        self.known = {}
        self.seen = set()
        text = subprocess.run([tess, name, "--help"], capture_output=True, text=True,
                              env=dict(os.environ, COLUMNS="1000")).stdout
        self.has_json = "\n  --json" in text
        section = text.partition("\nwhat --json prints:\n")[2].partition("\n\n")[0]
        for line in section.splitlines():
            match = re.match(r"  (\S+)  +(\S+(?: \S+)*)  +\S", line)
            if match:
                self.known[match[1]] = match[2]
        if self.has_json != bool(self.known):
            self.fail("--json without a list of its keys, or the other way round")

    def fail(self, words):
        failures.append("%s: %s" % (self.name, words))

    def run(self, *args, status=0):
        """The objects that it prints, one on each line."""
        return self.check(subprocess.run([tess, self.name, *args, "--json"], capture_output=True),
                          args, status)

    def check(self, done, args, status=0):
        """The same of a process that has ended."""
        if done.returncode != status:
            self.fail("%s: status %d: %s" % (args, done.returncode, done.stderr.decode()))
            return []
        try:
            values = [json.loads(line) for line in done.stdout.splitlines()]
        except ValueError as error:
            self.fail("%s: %s" % (args, error))
            return []
        for value in values:
            self.check_object(value, "", args)
        return values

    def check_object(self, value, prefix, args):
        """Keys of an object against the documentation, in which `prefix` stands before them."""
        depth = prefix.count(".")
        below = [p for p in self.known if p.startswith(prefix) and p.count(".") >= depth]
        names = {p[len(prefix):].split(".")[0].split("[")[0] for p in below}
        for key, member in value.items():
            name = key if key in names else "NAME"
            if name not in names:
                self.fail("%s: %s%s is not in the help" % (args, prefix, key))
            else:
                self.check_value(member, prefix + name, args)
        for name in names - {"NAME"} - set(value):
            if " or absent" not in self.known.get(prefix + name, ""):
                self.fail("%s: %s%s is absent" % (args, prefix, name))

    def check_value(self, value, path, args):
        words = self.known.get(path, "object").split(" or ")
        self.seen.add(path)
        if not (TYPES[words[0]](value) or (value is None and "null" in words)):
            self.fail("%s: %s is not %s: %r" % (args, path, words[0], value))
        elif type(value) is dict and words[0] == "object":
            self.check_object(value, path + ".", args)
        elif type(value) is list and words[0] == "list":
            for member in value:
                self.check_object(member, path + "[].", args)

    def finish(self):
        for path in self.known:
            if path not in self.seen:
                self.fail("%s: in the help, and never printed" % path)


def do(*args):
    done = subprocess.run([tess, *args], capture_output=True, text=True)
    if done.returncode != 0:
        failures.append("%s: %s" % (args, done.stderr))


def write(name, content):
    with open(name, "wb") as out:
        out.write(content)


def damage(name, at, instead):
    """Bytes of a file, which are there once at least, become others."""
    with open(name, "r+b") as file:
        offset = file.read().rfind(at)
        if offset < 0:
            failures.append("%s: no %r to damage" % (name, at))
        file.seek(offset)
        file.write(instead)


def make_arrays():
    """Small arrays of many kinds in the current folder; their names."""
    values = [i * 0.1 for i in range(70)] + [float("nan"), float("inf")]
    write("f.raw", struct.pack("<72d", *values))
    write("i.raw", bytes(range(72)))
    write("b.raw", bytes(i % 2 for i in range(72)))
    write("s.raw", b'ab"\\\x01\0' * 12)
    write("z.raw", b"")
    do("import", "f.raw", "f.b2nd", "--dtype", "<f8", "--shape", "8x9", "--chunks", "3x4")
    do("import", "f.raw", "sparse", "--dtype", "<f8", "--shape", "8x9", "--layout", "sparse")
    do("import", "i.raw", "i.b2nd", "--dtype", "|u1", "--shape", "2x4x9")
    do("import", "i.raw", "c.b2nd", "--dtype", "|u1", "--shape", "72", "--layer", "caterva")
    do("import", "b.raw", "b.b2nd", "--dtype", "|b1", "--shape", "72")
    do("import", "s.raw", "s.b2nd", "--dtype", "|S6", "--shape", "12")
    do("import", "i.raw", "p.b2nd", "--shape", "24", "--dtype", "[('a', '<i2'), ('b', '|u1')]")
    do("import", "z.raw", "empty.b2nd", "--dtype", "<i4", "--shape", "0x3")
    do("import", "f.raw", "raw.b2nd", "--dtype", "<f8", "--shape", "72", "--level", "0")
    do("copy", "f.b2nd", "scalar.b2nd", "--slice", "1,2")
    do("copy", "f.b2nd", "attributes.b2nd")
    do("attr", "attributes.b2nd", "set", "units", '"m/s"')
    do("attr", "attributes.b2nd", "set", "size", '{"a": [1, 2.5, null]}')
    return sorted(name for name in os.listdir() if not name.endswith(".raw"))


def damage_metalayer(files, verify):
    """Of a file without fingerprint, some byte behind the name of one of variable length."""
    for name in files:
        listed = subprocess.run([tess, "info", "--json", name], capture_output=True).stdout
        layers = json.loads(listed or "{}").get("vlmetalayers")
        if not layers or not os.path.isfile(name):
            continue
        with open(name, "rb") as file:
            content = file.read()
        for offset in range(content.rfind(list(layers)[0].encode()), len(content)):
            write("m.b2nd", content[:offset] + b"\xff" + content[offset + 1:])
            told = subprocess.run([tess, "verify", "--json", "m.b2nd"], capture_output=True).stdout
            if b'"metalayer"' in told:
                verify.run("m.b2nd", status=1)
                return


def try_golden(commands, name):
    """A file that is an array, of a codec that is there."""
    args = ("--chunks", name)
    done = subprocess.run([tess, "info", *args, "--json"], capture_output=True)
    if done.returncode == 0 and not json.loads(done.stdout)["codec"].startswith(beyond):
        commands["info"].check(done, args)
        commands["slice"].run(name, "...")


def try_all(commands):
    names = make_arrays()
    files = sorted(os.path.join(golden, name) for name in os.listdir(golden))
    info, verify, diff = commands["info"], commands["verify"], commands["diff"]
    for name in names:
        info.run(name)
        info.run(name, "--chunks")
        commands["attr"].run(name)
        commands["slice"].run(name, "...")
        commands["slice"].run(name)
        diff.run(name, name)
    verify.run(*names)
    for number in range(2):
        do("create", "store.b2d/%d" % number, "--shape", "3", "--dtype", "<i4")
        do("commits", "store.b2d", "--name", "c%d" % number)
    do("create", "store.b2d/last", "--shape", "3", "--dtype", "<i4")
    commands["commits"].run("store.b2d")
    do("link", "store.b2d/last", "store.b2d/link")
    commands["ls"].run("store.b2d")
    with concurrent.futures.ThreadPoolExecutor() as threads:
        list(threads.map(lambda name: try_golden(commands, name), files))
    commands["ls"].run(*names)
    write("cut.b2nd", open("f.b2nd", "rb").read()[:90])
    commands["ls"].run("f.b2nd", "cut.b2nd", status=1)
    os.remove("cut.b2nd")
    # Values are numbers, booleans and strings.
    for name, index, want in (("f.b2nd", "0,3", 0.30000000000000004), ("f.b2nd", "-1,-2", "nan"),
                              ("b.b2nd", "1", True), ("i.b2nd", "0,0,:3", [0, 1, 2]),
                              ("s.b2nd", "0", 'ab\\"\\\\\\x01'), ("empty.b2nd", ":", [])):
        for value in commands["slice"].run(name, index):
            if value["items"] != want:
                commands["slice"].fail("%s %s: %r" % (name, index, value))
    commands["slice"].run("p.b2nd", "--field", "b")
    commands["show"].run("f.b2nd")
    # Arrays that differ.
    do("copy", "f.b2nd", "other.b2nd", "--filter", "trunc_prec:9", "--codec", "zstd")
    for other in ("other.b2nd", "attributes.b2nd", "i.b2nd", "s.b2nd", "empty.b2nd", "raw.b2nd"):
        diff.run("f.b2nd", other, status=1)
    diff.run("attributes.b2nd", "f.b2nd", status=1)
    commands["layout"].run("f.b2nd", "--budget", "1s")
    commands["layout"].run("f.b2nd", "--budget", "1s", "--apply", "best.b2nd")
    commands["bench"].run("--shape", "20x30x40")
    # Sizes and shapes.
    commands["resize"].run("f.b2nd", "12x9")
    commands["append"].run("f.b2nd", "other.b2nd")
    commands["insert"].run("f.b2nd", "other.b2nd", "--at", "1")
    commands["delete"].run("f.b2nd", "1:9")
    commands["stat"].run("f.b2nd", "i.b2nd", "b.b2nd", "empty.b2nd", "sparse", "scalar.b2nd")
    commands["stat"].run("f.b2nd", "--axis", "0", "--op", "max")
    commands["compact"].run("f.b2nd")
    commands["compact"].run("sparse")
    # Damage: of a chunk, of an attribute, of the header.
    commands["repair"].run("raw.b2nd", "whole.b2nd")
    damage("raw.b2nd", struct.pack("<d", 0.5), b"damaged!")
    verify.run("raw.b2nd", status=1)
    commands["repair"].run("raw.b2nd", "saved.b2nd", status=1)
    damage("attributes.b2nd", b"m/s", b"n/s")
    verify.run("attributes.b2nd", status=1)
    damage_metalayer(files, verify)
    damage("f.b2nd", b"b2nd", b"B2ND")
    verify.run("f.b2nd", status=1)


def main():
    text = subprocess.run([tess, "--help"], capture_output=True, text=True).stdout
    section = text.partition("commands:\n")[2].partition("\n\n")[0]
    commands = {line.split()[0]: Command(line.split()[0]) for line in section.splitlines()}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try_all(commands)
        os.chdir("/")
    for command in commands.values():
        command.finish()
    for failure in failures:
        print("json_keys.py: " + failure)
    return 1 if failures else 0


sys.exit(main())
