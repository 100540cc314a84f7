#!/usr/bin/env python3
"""Does lib have the structure that contributing.rst promises?

    structure.py ROOT            report what does not, and fail if there is anything
    structure.py --planted ROOT  plant mistakes in a copy of lib, and fail if one is not reported
    structure.py --map ROOT      units, lines and call levels per module

A unit is a source with its header. lib has houses: the library (tessera), of modules, and what uses
it (tess, http, compat, python). Includes are written from the root of the house. Checked are

- houses: lib holds nothing else, and a header's include guard is its path;
- includes: a file includes from its own module and from those on its left, and what it uses: a
  function or table of another unit needs the header that declares it, in the source or in the
  unit's own header;
- the API: api checks arguments and calls array, compute or select; of frame, chunk, grid and task
  it knows the types of arguments alone, and api/chunk, whose subject is a chunk, the module chunk;
- memory: only base/memory.c takes memory from libc, and frees it; libraries on top have libc's;
- comments: a file that they name exists;
- names: in the library a static function has a name of its own, so that a backtrace tells which it
  is; no two houses have a function or table of one name that is not static, as they are linked into
  one program where the library is static;
- cycles: no header includes itself in a circle, and no units of a module call each other in one;
  no folders of a library on top include each other in one.

Sources are read as text, so nothing has to be built. A function counts as used where its name
stands in code, and so does a global table; both have names of their own all over lib.
Names that a table makes with ## are not seen.
"""
import collections
import functools
import os
import re
import shutil
import sys
import tempfile

# Left to right. Modules of one line do not know each other.
LEVELS = [
    ["base"],
    ["geom", "filter", "codec", "io", "task", "cache"],
    ["ndcopy", "meta", "chunk"],
    ["frame"],
    ["salvage", "grid"],
    ["select"],
    ["array"],
    ["compute", "store"],
    ["api"],
    ["layout"],
]
# House -> the folder that its includes start from. All but the first use the public headers
# (<tessera/...>) and their own only, and take memory from libc.
ROOTS = {"tessera": "tessera", "tess": "tess", "http": "http", "compat": "compat",
         "python": "python/src"}
# A source or header in a comment.
MENTION = re.compile(r"(?<![\w./<-])(?:\w+/)*[a-z]\w+\.[ch]\b(?!\w|\()")
LIBRARIES = {"compat", "http", "python"}
# The command may include these, too, which stand alone.
TESS_MAY = {"tessera/base/swap.h", "tessera/io/names/rename.h", "tessera/meta/text.h",
            "tessera/ndcopy/ndcopy.h"}

# What api does not reach into, and what of that it includes nevertheless: memory of a box, the watch
# of a call; for chunks without an array, their threads; and the read of what is cached, which one
# call more would slow down.
BELOW_ARRAY = {"frame", "chunk", "grid", "task"}
API_MAY = {"": {"grid/box_memory.h", "task/watch.h"},
           "tessera/api/array.c": {"grid/read/read.h"},
           "tessera/api/chunk/codec.c": {"grid/cost.h"},
           "tessera/api/chunk/private.h": {"task/task.h"}}

# What only base/memory.c calls.
LIBC_MEMORY = {"malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "posix_memalign",
               "memalign", "valloc", "strdup", "strndup", "asprintf", "vasprintf", "getline",
               "getdelim", "open_memstream"}
# Not the name of a member or a variable: called, or the value of a member.
FREE = re.compile(r"(?<![\w.>])free\(|[,=] free[},;)]")

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)
GUARD = re.compile(r"^#ifndef (\w+_H)\n#define \1$", re.M)
# The name of a function stands first on its line (contributing.rst), behind that of its type.
DEFINITION = re.compile(r"^(?!static\b|typedef\b)([^\n;{}#]*)\n([a-z_][a-z0-9_]*)\(", re.M)
DATA = re.compile(r"^(?:const )?(?:struct|enum) \w+ (?:\*const )?([a-z_][a-z0-9_]*)(?:\[\w*\])? = ",
                  re.M)
STATIC = re.compile(
    r"^static\b[^\n;{}]*\n([a-z_][a-z0-9_]*)\(|^#\s*define\s+([a-z_][a-z0-9_]*)", re.M)
STATIC_FUNCTION = re.compile(r"^static\b[^\n;{}]*\n([a-z_][a-z0-9_]*)\(", re.M)
WORD = re.compile(r"\b[a-z_][a-z0-9_]*\b")
MEMBER = re.compile(r"(?:->|\.)\s*[a-z_][a-z0-9_]*")


def house(path):
    return path.split("/")[0]


def module(path):
    """Of the library; another house is one as a whole."""
    first, second = path.split("/")[:2]
    return second if first == "tessera" else first


def inside(path):
    """The path from the root of its house."""
    return os.path.relpath(path, ROOTS[house(path)])


def folder(path):
    return path.rsplit("/", 1)[0]


def unit(path):
    return path.rsplit(".", 1)[0]


Source = collections.namedtuple(
    "Source", "mentions lines includes guards static own words frees defined")


@functools.lru_cache(maxsize=None)  # where mistakes are planted, most files stay equal
def parse(text):
    code = COMMENT.sub("", text)
    clean = STRING.sub('""', code)
    defined = [name for kind, name in DEFINITION.findall(clean)
               if not re.search(r"\bstatic\b|\bINLINE\b", kind) and not name.startswith("__")]
    return Source(
        mentions={m for c in COMMENT.findall(text) for m in MENTION.findall(c)},
        lines=(text.count("\n"), sum(1 for line in code.split("\n") if line.strip())),
        includes=INCLUDE.findall(code),
        guards=GUARD.findall(code),
        static=set(STATIC_FUNCTION.findall(clean)),
        own={a or b for a, b in STATIC.findall(clean)},
        words=set(WORD.findall(MEMBER.sub(" ", clean))),
        frees=FREE.search(clean) is not None,
        defined=defined + DATA.findall(clean),
    )


class Tree:
    def __init__(self, root):
        lib = os.path.join(root, "lib")
        self.includes, self.words, self.defined, self.own = {}, {}, {}, {}
        self.names = {}
        self.static, self.lines, self.frees, self.guards, self.mentions = {}, {}, set(), {}, {}
        self.beside = [os.path.join(at, name) for top in ("include", "test")
                       for at, _, names in os.walk(os.path.join(root, top)) for name in names]
        self.entries = set(os.listdir(lib))
        for top in ROOTS:
            for at, _, names in os.walk(os.path.join(lib, top)):
                for name in names:
                    if name.endswith((".c", ".h")):
                        self.read(lib, os.path.relpath(os.path.join(at, name), lib))
        self.declared = collections.defaultdict(set)  # function -> headers
        for path, words in self.words.items():
            if path.endswith(".h"):
                for word in words & self.defined.keys():
                    self.declared[word].add(path)

    def read(self, lib, path):
        with open(os.path.join(lib, path), encoding="utf-8") as file:
            source = parse(file.read())
        self.mentions[path], self.lines[path] = source.mentions, source.lines
        self.includes[path] = {self.header(lib, path, name) for name in source.includes}
        self.guards[path], self.own[path] = source.guards, source.own
        self.static[path], self.words[path] = source.static, source.words
        self.names[path] = set(source.defined) if path.endswith(".c") else set()
        if source.frees:
            self.frees.add(path)
        if path.endswith(".c"):
            for name in source.defined:
                self.defined.setdefault(name, path)

    @staticmethod
    def header(lib, path, name):
        """The file that an include names: of its own house, or of the library where it may."""
        own = f"{ROOTS.get(house(path), house(path))}/{name}"
        library = f"tessera/{name}"
        if not os.path.exists(os.path.join(lib, own)) and os.path.exists(os.path.join(lib, library)):
            return library
        return own

    def uses(self, path):
        """(function, source that defines it) for what a source uses of others."""
        for word in self.words[path] & self.defined.keys():
            source = self.defined[word]
            if source != path and word not in self.own[path] and self.declared[word]:
                yield word, source


def houses(tree):
    for name in sorted(tree.entries ^ {*ROOTS, "meson.build"}):
        yield f"lib/{name}: " + ("lib holds houses and meson.build" if name in tree.entries
                                 else "is not there")
    for path, guards in sorted(tree.guards.items()):
        want = re.sub(r"\W", "_", inside(path)).upper()
        if house(path) != "tessera":
            want = f"{house(path).upper()}_{want}"
        if path.endswith(".h") and guards and guards != [want]:
            yield f"{path}: has the include guard {guards[0]}, not {want}"


def mentioned(tree):
    files = [f"/{path}" for path in (*tree.lines, *tree.beside)]
    for path, names in sorted(tree.mentions.items()):
        for name in sorted(names - {"stdio.h"}):
            if not any(file.endswith(f"/{name}") for file in files):
                yield f"{path}: a comment names {name}, which is not there"


def ambiguous(tree):
    """Names that several files define: static functions of the library, globals of two houses."""
    homes = collections.defaultdict(set)
    for path in tree.static:
        names = {("a static function", name) for name in tree.static[path]
                 if house(path) == "tessera"}
        for name in names | {("a global", name) for name in tree.names[path]}:
            homes[name].add(path)
    for (kind, name), paths in homes.items():
        if len(paths) > 1 and (kind != "a global" or len({house(path) for path in paths}) > 1):
            yield f"{', '.join(sorted(paths))}: each has {kind} {name}"


def direction(tree):
    level = {name: i for i, names in enumerate(LEVELS) for name in names}
    for path, includes in sorted(tree.includes.items()):
        if house(path) == "tessera" and module(path) not in level:
            yield f"{path}: a module that test/structure.py does not know"
            continue
        for header in sorted(includes):
            to = module(header)
            if header not in tree.includes:
                yield f"{path}: includes {header}, which is not in lib"
            elif to == module(path) or (house(path) == "tess" and header in TESS_MAY):
                continue
            elif house(path) != "tessera":
                yield f"{path}: includes {header} of the library, not a public header"
            elif level[to] >= level[module(path)]:
                yield f"{path}: includes {header}, which is not on its left"


def reach(tree):
    for path, includes in sorted(tree.includes.items()):
        if not path.startswith("tessera/api/"):
            continue
        below = BELOW_ARRAY - ({"chunk"} if folder(path) == "tessera/api/chunk" else set())
        may = API_MAY[""] | API_MAY.get(path, set())
        for header in sorted(includes):
            name = header.split("/", 1)[1]
            if name.split("/")[0] in below and name not in may:
                yield f"{path}: includes {header}, which is not for api"


def undeclared(tree):
    for path in sorted(tree.words):
        if not path.endswith(".c"):
            continue
        own = unit(path) + ".h"
        have = tree.includes[path] | tree.includes.get(own, set()) | {own}
        for name, source in sorted(tree.uses(path)):
            if not tree.declared[name] & have:
                headers = ", ".join(sorted(tree.declared[name]))
                yield f"{path}: uses {name}() of {source} without including {headers}"


def circles(graph):
    """Strongly connected parts of more than one node (Tarjan 1972)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for to in graph.get(node, ()):
            if to not in number:
                visit(to)
                low[node] = min(low[node], low[to])
            elif to in stack:
                low[node] = min(low[node], number[to])
        if low[node] == number[node]:
            part = []
            while True:
                part.append(stack.pop())
                if part[-1] == node:
                    break
            if len(part) > 1:
                found.append(sorted(part))

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def calls(tree):
    graph = {}
    for path in tree.words:
        if path.endswith(".c"):
            graph[path] = {source for _, source in tree.uses(path)
                           if module(source) == module(path)}
    return graph


def cycles(tree):
    headers = {path: {h for h in inc if h in tree.includes} for path, inc in tree.includes.items()
               if path.endswith(".h")}
    for part in circles(headers):
        yield "headers include each other in a circle: " + ", ".join(part)
    for part in circles(calls(tree)):
        yield "units call each other in a circle: " + ", ".join(part)


def folders(tree):
    graph = collections.defaultdict(set)
    for path, includes in tree.includes.items():
        if house(path) in LIBRARIES:
            graph[folder(path)] |= {folder(h) for h in includes if house(h) == house(path)}
    for part in circles(graph):
        yield "folders include each other in a circle: " + ", ".join(part)


def of_libc(tree):
    for path, words in sorted(tree.words.items()):
        if house(path) == "tessera" and unit(path) != "tessera/base/memory":
            for word in sorted(words & LIBC_MEMORY) + ["free"] * (path in tree.frees):
                yield f"{path}: {word}() is not that of base/memory.h"


def mistakes(root):
    tree = Tree(root)
    return [*houses(tree), *mentioned(tree), *ambiguous(tree), *direction(tree), *reach(tree),
            *undeclared(tree), *of_libc(tree), *cycles(tree), *folders(tree)]


def append(root, path, text):
    with open(os.path.join(root, "lib", path), "a", encoding="utf-8") as file:
        file.write(text)


def drop_include(root, path, header):
    path = os.path.join(root, "lib", path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    line = f'#include "{header}"\n'
    if line not in text:
        sys.exit(f"structure.py: {path} does not include {header}: plant another mistake")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(line, ""))


# What is planted, and what of the report must tell it.
PLANTED = [
    (lambda r: append(r, "grid.h", ""), "lib/grid.h: lib holds houses and meson.build"),
    (lambda r: os.rename(os.path.join(r, "lib/tess/report.h"), os.path.join(r, "lib/tess/data/said.h")),
     "tess/data/said.h: has the include guard TESS_REPORT_H, not TESS_DATA_SAID_H"),
    (lambda r: append(r, "tessera/geom/shape.h", "// As shape_of() (geom/shapes.h).\n"),
     "tessera/geom/shape.h: a comment names geom/shapes.h, which is not there"),
    (lambda r: append(r, "tessera/geom/shape.c", "static void\nspace_meets(void)\n{\n}\n"),
     "tessera/frame/contiguous/space.c, tessera/geom/shape.c: each has a static function space_meets"),
    (lambda r: append(r, "tess/report.c", "void planted(void);\nvoid\nspace_init(void)\n{\n}\n"),
     "tess/report.c, tessera/frame/contiguous/space.c: each has a global space_init"),
    (lambda r: append(r, "tessera/geom/shape.c", "void *\nplanted(void)\n{\n    return malloc(1);\n}\n"),
     "tessera/geom/shape.c: malloc() is not that of base/memory.h"),
    (lambda r: append(r, "tessera/geom/shape.c", "void\nplanted(void *p)\n{\n    free(p);\n}\n"),
     "tessera/geom/shape.c: free() is not that of base/memory.h"),
    (lambda r: append(r, "tessera/geom/shape.h", '#include "frame/frame.h"\n'),
     "tessera/geom/shape.h: includes tessera/frame/frame.h, which is not on its left"),
    (lambda r: append(r, "tessera/api/array.c", '#include "frame/query.h"\n'),
     "tessera/api/array.c: includes tessera/frame/query.h, which is not for api"),
    (lambda r: append(r, "tessera/api/chunk/chunk.c", '#include "task/gate.h"\n'),
     "tessera/api/chunk/chunk.c: includes tessera/task/gate.h, which is not for api"),
    (lambda r: append(r, "tess/report.c", '#include "array/array.h"\n'),
     "tess/report.c: includes tessera/array/array.h of the library"),
    (lambda r: append(r, "http/address/url.h", '#include "meta/value.h"\n'),
     "http/address/url.h: includes tessera/meta/value.h of the library"),
    (lambda r: append(r, "http/address/url.c", "int planted(void);\nint\nplanted(void)\n{\n"
                      "    return (int)err_set(0, 0, 0, 0);\n}\n"),
     "http/address/url.c: uses err_set() of tessera/base/error.c without including "),
    (lambda r: append(r, "tessera/io/storage.c", '#include "address/url.h"\n'),
     "tessera/io/storage.c: includes tessera/address/url.h, which is not in lib"),
    (lambda r: append(r, "tess/report.c", '#include "address/url.h"\n'),
     "tess/report.c: includes tess/address/url.h, which is not in lib"),
    (lambda r: append(r, "compat/blosc2/error.c", '#include "meta/value.h"\n'),
     "compat/blosc2/error.c: includes tessera/meta/value.h of the library"),
    (lambda r: append(r, "python/src/module.c", '#include "meta/value.h"\n'),
     "python/src/module.c: includes tessera/meta/value.h of the library"),
    (lambda r: append(r, "http/base/error.c", '#include "address/s3.h"\nvoid *planted(void);\n'
                      "void *\nplanted(void)\n{\n    return (void *)s3_query;\n}\n"),
     "units call each other in a circle: http/address/s3.c, "),
    (lambda r: append(r, "http/base/text.h", '#include "address/url.h"\n'),
     "folders include each other in a circle: http/address, http/base"),
    (lambda r: append(r, "tessera/grid/grid.h", '#include "grid/open_chunk.h"\n'),
     "headers include each other in a circle: tessera/grid/grid.h, tessera/grid/open_chunk.h"),
    (lambda r: append(r, "tessera/grid/place.c",
                      '#include "grid/read/read.h"\nvoid *planted(void);\n'
                      "void *\nplanted(void)\n{\n    return (void *)grid_read;\n}\n"),
     "units call each other in a circle: "),
    (lambda r: drop_include(r, "tessera/grid/read/read.c", "grid/place.h"),
     "tessera/grid/read/read.c: uses place_block() of tessera/grid/place.c without including "
     "tessera/grid/place.h"),
]


def stamps(root):
    """What tells whether a file was changed, of each one."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            at = os.stat(os.path.join(folder, name))
            found[os.path.relpath(os.path.join(folder, name), root)] = (at.st_mtime_ns, at.st_size)
    return found


def planted(root):
    """In one copy: what was planted is taken out of it before the next one."""
    missed = 0
    lib = os.path.join(root, "lib")
    with tempfile.TemporaryDirectory() as copy:
        there = os.path.join(copy, "lib")
        shutil.copytree(lib, there)
        before = stamps(there)
        for plant, want in PLANTED:
            plant(copy)
            if not any(line.startswith(want) for line in mistakes(copy)):
                print(f"not reported: {want}")
                missed += 1
            now = stamps(there)
            for path in now.keys() - before.keys():
                os.remove(os.path.join(there, path))
            for path in before:
                if now.get(path) != before[path]:
                    shutil.copy2(os.path.join(lib, path), os.path.join(there, path))
        if stamps(there) != before:
            print("what was planted is in the copy still")
            missed += 1
    return missed


def show_map(root):
    tree = Tree(root)
    graph = calls(tree)
    level = {}

    def levels(path, above=()):
        if path not in level:
            below = [levels(p, (*above, path)) for p in graph[path] if p not in above]
            level[path] = 1 + max(below, default=0)
        return level[path]

    print(f"{'module':10} {'units':>5} {'lines':>6} {'code':>6} {'levels':>6}")
    for name in sorted({module(p) for p in tree.words}):
        sources = [p for p in graph if module(p) == name]
        lines = [n for p, n in tree.lines.items() if module(p) == name]
        print(f"{name:10} {len(sources):5} {sum(a for a, _ in lines):6} "
              f"{sum(b for _, b in lines):6} {max(map(levels, sources), default=0):6}")


def main():
    option = sys.argv[1] if len(sys.argv) == 3 else None
    root = sys.argv[-1]
    if option == "--planted":
        sys.exit(1 if planted(root) else 0)
    if option == "--map":
        show_map(root)
        return
    found = mistakes(root)
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


main()
