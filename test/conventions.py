#!/usr/bin/env python3
"""Do the public headers keep the conventions of conventions.rst?

    conventions.py ROOT            report what does not, and fail if there is anything
    conventions.py --planted ROOT  plant mistakes in copies of the headers, and fail if one is not
                                   reported

Checked are

- order: arguments run object, inputs, outputs, err; what belongs to a buffer stands behind it;
- buffers: behind each pointer to bytes stands its size, also in structs;
- boxes: behind each start stands a stop;
- comments: each parameter has a line @param, in order; each result a @return, with statuses that
  exist; functions and constants that a comment names exist; lines that continue a @param or @return
  are indented;
- structs: what a program fills has struct_size first and an init, or is final (abi.rst); what the
  library fills comes with its size; macros with sizeof call the function that ends in _sized;
- verbs: no second word for what has one already.

Headers are read as text, in the way they are written here: declarations end with a semicolon, and
stand behind their comment. Functions of a group (@name) share the lines of its comment.
"""
import os
import re
import shutil
import sys
import tempfile

ITEM = re.compile(
    r"(?P<comment>/\*\*.*?\*/)"
    r"|(?P<define>^#define (?:\\\n|[^\n])*)"
    r"|(?P<struct>^typedef (?:struct|enum) (?P<tag>\w+) \{.*?^\} (?P=tag);)"
    r"|(?P<enum>^enum \{.*?^\};)"
    r"|(?P<opaque>^typedef struct (?P<object>\w+) (?P=object);)"
    r"|(?P<callback>^typedef [^;{]*?\b(?P<type>tess_\w+)\((?P<takes>[^;]*)\);)"
    r"|(?P<function>^(?:TESS_(?:HTTP_)?API|static inline) (?P<result>[^;(]*?)"
    r"(?P<name>\btess_\w+)\((?P<args>[^;{]*?)\)(?:;|\n\{))",
    re.S | re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
PARAM = re.compile(r"@param\s+(\w+)[ \t]*(.*?)(?=@param|@return|@name|\n\s*\n|\Z)", re.S)
RETURN = re.compile(r"@return\s+(.*?)(?=@param|\n\s*\n|\Z)", re.S)
TAG = re.compile(r"^ (@(?:param \w+|return))[^\n]*((?:\n(?! @)[^\n]*\S)*)", re.M)
# Whose size something else tells, the typesize of the array, the box of a part; or that are no bytes.
NO_SIZE = {"tess_info.fill", "tess_part.items", "tess_change_fn.items", "tess_free.memory",
           "tess_map_part.inputs", "tess_map_part.outputs", "tess_map_options.fills",
           "tess_release_fn.memory",
           "tess_resize_fn.memory", "tess_run_all_fn.work", "tess_submit_fn.work",
           "tess_work_fn.work"}
# What may stand behind an output, because it belongs to that: the layout or the room of its memory.
OF_BUFFER = {"strides", "count", "most"}
# Words for what has one already: open, init, close, discard, tess_free(), delete.
OTHER_WORDS = {"new", "destroy", "dispose", "release", "erase", "finish", "free"}


class Parameter:
    def __init__(self, text):
        words = re.sub(r"\s+", " ", text.strip())
        match = re.match(r"(.*?)(\w+)(\[\w*\])?$", words)
        self.name, self.type = match.group(2), match.group(1).strip()
        if match.group(3):
            self.type += " *"
        self.pointer = self.type.endswith(("*", "*const"))
        # What the pointer leads to, and whether the function may write there.
        target = re.sub(r"\*(const)?$", "", self.type).strip()
        self.target = target
        self.constant = target.endswith("const") if "*" in target else "const" in target.split()
        self.struct = re.sub(r"\b(const|struct)\b|\*", "", self.type).strip()
        # A pointer to bytes: void *, uint8_t *, and where one is handed out.
        self.bytes = self.pointer and self.struct in ("void", "uint8_t")

    @property
    def output(self):
        return self.pointer and not self.constant and not self.type.endswith("_fn *")


def parameters(text):
    text = COMMENT.sub("", text)
    return [] if text.strip() == "void" else [Parameter(part) for part in text.split(",")]


class Function:
    def __init__(self, header, name, result, args, own, group):
        self.header, self.name, self.own, self.group = header, name, own, group
        self.result = re.sub(r"\bTESS_\w+\b", "", result).strip()
        self.parameters = parameters(args)
        self.names = [p.name for p in self.parameters]
        self.position = f"{header}: {name}()"


class Headers:
    def __init__(self, root):
        folder = os.path.join(root, "include", "tessera")
        self.functions, self.callbacks, self.macros = {}, {}, {}
        self.structs, self.objects, self.comments, self.constants = {}, set(), [], set()
        for name in sorted(os.listdir(folder)): # parts of headers, in folders, are not for programs
            if name.endswith(".h"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.read(name, file.read())
        with open(os.path.join(root, "include/manual/abi.rst"), encoding="utf-8") as file:
            final = re.search(r"These structs are \*\*final\*\*(.*?)\n\n", file.read(), re.S)
        self.final = set(re.findall(r"``(tess_\w+)``", final.group(1)))

    def read(self, header, text):
        own, group, named, end = "", "", "", 0
        for item in ITEM.finditer(text):
            if text[end:item.start()].strip():
                own = ""
            end = item.end()
            if item["comment"]:
                own = re.sub(r"^\s*/?\*+/?", "", item["comment"].replace("*/", ""), flags=re.M)
                self.comments.append((header, own))
                named = own if "@name" in own else named
                group = named if "@{" in own else "" if "@}" in own else group
                continue
            if item["function"]:
                self.functions[item["name"]] = Function(header, item["name"], item["result"],
                                                        item["args"], own, group)
            elif item["callback"]:
                self.callbacks[item["type"]] = Function(header, item["type"], "", item["takes"],
                                                        own, "")
            elif item["define"]:
                self.define(header, item["define"])
            elif item["opaque"]:
                self.objects.add(item["object"])
            else:
                self.constants |= set(re.findall(r"\bTESS_\w+\b(?= = )", item[0]))
                for inside in COMMENT.findall(item[0]):
                    self.comments.append((header, inside))
                if item["struct"] and item["struct"].startswith("typedef struct"):
                    self.structs[item["tag"]] = (header, COMMENT.sub("", item["struct"]))
            own = ""

    def define(self, header, text):
        match = re.match(r"#define (\w+)(?:\(([^)]*)\))?(.*)", text.replace("\\\n", " "), re.S)
        self.constants.add(match[1])
        if "sizeof(" in match[3] and match[1].startswith("tess_"): # stands for a function
            takes = [p.strip() for p in (match[2] or "").split(",")]
            self.macros[match[1]] = (header, takes, match[3])


# -- the order of arguments, and what belongs together

def order(headers):
    for f in headers.functions.values():
        last = 0
        errs = [p for p in f.parameters if p.struct == "tess_error"]
        if f.result == "tess_status" and (not errs or f.names[-1] != "err"):
            yield f"{f.position}: err is not the last argument"
        if errs and f.result != "tess_status":
            yield f"{f.position}: takes err, but returns no tess_status"
        for i, p in enumerate(f.parameters):
            before = f.parameters[i - 1] if i else None
            if i == 0:
                rank = 0
            elif p.name == "err":
                rank = 3
            elif p.output and p.name != "user":
                rank = 2
            elif last == 2 and (p.name in OF_BUFFER or p.name.endswith("_size")):
                rank = 2 # of the output before it
            else:
                rank = 1
            if rank < last:
                yield f"{f.position}: {p.name} stands behind {before.name}; arguments run " \
                      "object, inputs, outputs, err"
            last = max(last, rank)
        for i, p in enumerate(f.parameters):
            if i and p.struct in headers.objects and not p.constant and \
                    p.type.count("*") == 1 and f.parameters[0].struct not in headers.objects:
                yield f"{f.position}: the object {p.name} is not the first argument"


def is_size_of(after, p, names):
    return after is not None and after.name in names and after.struct == "size_t" and \
        after.pointer == p.type.endswith("**")


def sizes_in(place, list_of, name, member=False):
    for i, p in enumerate(list_of):
        after = list_of[i + 1] if i + 1 < len(list_of) else None
        if not p.bytes or p.name.endswith("user") or f"{name}.{p.name}" in NO_SIZE:
            continue
        both = ["src", "dst", "size"] in ([q.name for q in list_of[j:j + 3]] for j in (i, i - 1))
        names = [p.name + "_size"] + ["size"] * member
        if not is_size_of(after, p, names) and not both:
            yield f"{place}: behind {p.name} stands no {p.name}_size"


def users(place, list_of):
    for i, p in enumerate(list_of):
        if p.name == "user" and i + 1 < len(list_of) and list_of[i + 1].name != "err" and \
                list_of[i - 1].type.endswith("_fn *") is False:
            yield f"{place}: user stands in front of {list_of[i + 1].name}"


def members(body):
    body = re.sub(r"\b(?:union|struct)\b", "", body[body.index("{") + 1:body.rindex("}")])
    # Functions of a struct are looked at on their own, and the braces inside are of no interest.
    for member in re.split(r"[;{}]", re.sub(r"\(\*\w+\)\([^;]*\)", "", body)):
        member = re.sub(r"\[\w+\]", " ", member).strip()
        if re.match(r"[\w\s*]+[\s*]\w+$", member):
            yield Parameter(member)


def member_functions(body):
    for name, args in re.findall(r"\(\*(\w+)\)\(([^;]*?)\);", body, re.S):
        yield name, parameters(args)


def buffers(headers):
    for f in headers.functions.values():
        yield from sizes_in(f.position, f.parameters, f.name)
    for name, f in headers.callbacks.items():
        yield from sizes_in(f"{f.header}: {name}", f.parameters, name)
        yield from users(f"{f.header}: {name}", f.parameters)
    for name, (header, body) in headers.structs.items():
        yield from sizes_in(f"{header}: {name}", list(members(body)), name, True)
        for member, takes in member_functions(body):
            yield from sizes_in(f"{header}: {name}.{member}", takes, member)


def boxes(headers):
    lists = [(f.position, f.names) for f in headers.functions.values()]
    lists += [(f"{f.header}: {f.name}", f.names) for f in headers.callbacks.values()]
    lists += [(f"{header}: {name}", [m.name for m in members(body)])
              for name, (header, body) in headers.structs.items()]
    for place, names in lists:
        for i, name in enumerate(names):
            if name == "start" and names[i + 1:i + 2] != ["stop"]:
                yield f"{place}: behind start stands no stop"
            if name == "stop" and names[i - 1:i] != ["start"]:
                yield f"{place}: in front of stop stands no start"
            if name == "position" and names[i + 1:i + 2] == ["count"] and "src" not in names:
                yield f"{place}: position and count are a range, which is start and stop"


# -- comments

def explained(headers):
    for f in headers.functions.values():
        if not f.own.strip():
            yield f"{f.position}: has no comment"
        own, shared = PARAM.findall(f.own), PARAM.findall(f.group)
        for name, text in own + shared:
            if not text.strip():
                yield f"{f.position}: @param {name} says nothing"
        of_group = [name for name, _ in shared if name in f.names]
        for listed in ([name for name, _ in own], of_group):
            if [n for n in f.names if n in listed] != listed:
                yield f"{f.position}: the lines @param are {', '.join(listed)}; the arguments " \
                      f"{', '.join(f.names)}"
        for name in f.names:
            if name not in [n for n, _ in own] + of_group:
                yield f"{f.position}: no @param {name}"


def returned(headers):
    for f in headers.functions.values():
        told = RETURN.search(f.own) or RETURN.search(f.group)
        if f.result == "void":
            if RETURN.search(f.own):
                yield f"{f.position}: has no result, but a @return"
        elif not told:
            yield f"{f.position}: no @return"
        elif f.result == "tess_status" and \
                not re.search(r"\bTESS_OK\b|\bas tess_\w+\(\)", told[1], re.I):
            yield f"{f.position}: @return names neither TESS_OK nor a function that it is as"


def names_exist(headers):
    for header, text in headers.comments:
        for name in re.findall(r"\b(tess_\w+)\(\)", text):
            if not {name, name + "_sized"} & headers.functions.keys() | \
                    {name} & headers.macros.keys():
                yield f"{header}: a comment names {name}(), which does not exist"
        for name in re.findall(r"\bTESS_[A-Z0-9_]*[A-Z0-9]\b(?!_)", text):
            if name not in headers.constants and name != "TESS_NUM_THREADS":
                yield f"{header}: a comment names {name}, which does not exist"


def indented(headers):
    for header, text in headers.comments:
        for tag, lines in TAG.findall(text):
            if re.search(r"^ \S", lines, re.M):
                yield f"{header}: a line that continues {tag} is not indented"


# -- structs and macros

def structs(headers):
    filled, taken, told = set(), set(), set()
    for f in headers.functions.values():
        for i, p in enumerate(f.parameters):
            after = f.parameters[i + 1] if i + 1 < len(f.parameters) else None
            if p.struct in headers.structs and p.pointer:
                if p.constant:
                    taken.add(p.struct)
                elif after and after.struct == "size_t":
                    filled.add(p.struct)
                elif p.struct != "tess_error" and p.type.count("*") == 1 and i and \
                        p.struct not in headers.final and \
                        p.struct + "_init_sized" not in headers.functions:
                    yield f"{f.position}: behind {p.name} stands no size of the struct"
    for f in headers.callbacks.values():
        told |= {p.struct for p in f.parameters}
    for _, body in headers.structs.values():
        for _, takes in member_functions(body):
            told |= {p.struct for p in takes}
    for name, (header, body) in headers.structs.items():
        first = next(members(body)).name
        init = name + "_init_sized" in headers.functions
        if name in headers.final:
            if first == "struct_size":
                yield f"{header}: {name} is final (abi.rst), but has struct_size"
        elif (first == "struct_size") != init:
            yield f"{header}: {name} has struct_size and no init, or the other way round"
        elif name in taken and not init:
            yield f"{header}: {name} is filled by programs, and neither has struct_size first nor " \
                  "is final in abi.rst"
        elif not init and name not in filled | told:
            yield f"{header}: {name} is filled by nobody, and not final in abi.rst"
    for name in sorted(headers.final - headers.structs.keys()):
        yield f"abi.rst: {name} is final, but does not exist"


def macros(headers):
    for name, (header, takes, body) in headers.macros.items():
        f = headers.functions.get(name + "_sized")
        if not f:
            yield f"{header}: the macro {name}() has sizeof, but there is no {name}_sized()"
            continue
        size = next((i for i, n in enumerate(f.names) if n not in takes), None)
        want = f.names[:size] + f.names[size + 1:] if size is not None else f.names
        struct = f.parameters[size - 1].struct if size else ""
        if [n.strip() for n in takes] != want or f"sizeof({struct})" not in body:
            yield f"{header}: the macro {name}() does not take the arguments of {name}_sized() " \
                  "but the size, or passes the size of another struct"
    for name, f in headers.functions.items():
        if name.endswith("_sized") and name[:-6] not in headers.macros:
            yield f"{f.position}: has no macro {name[:-6]}()"


def verbs(headers):
    for name, f in headers.functions.items():
        wrong = OTHER_WORDS & set(name.split("_"))
        if wrong and name != "tess_free":
            yield f"{f.position}: {min(wrong)} is another word for what has one already"


def mistakes(root):
    headers = Headers(root)
    if len(headers.functions) < 100 or len(headers.structs) < 20:
        return [f"only {len(headers.functions)} functions and {len(headers.structs)} structs found"]
    checks = [order, buffers, boxes, explained, returned, names_exist, indented, structs, macros,
              verbs]
    return [line for check in checks for line in check(headers)]


# What is planted: a header, what is replaced, by what; and what of the report must tell it.
PLANTED = [
    ("array.h", "int axis, int64_t start,\n" + " " * 54 + "int64_t stop, tess_error *err);",
     "int axis, tess_error *err,\n" + " " * 54 + "int64_t start, int64_t stop);",
     "array.h: tess_array_delete(): err is not the last argument"),
    ("error.h", "tess_status_name(tess_status status);",
     "tess_status_name(tess_status status, tess_error *err);",
     "error.h: tess_status_name(): takes err, but returns no tess_status"),
    ("select.h", "const tess_mask *mask,\n", "int64_t *other, const tess_mask *mask,\n",
     "select.h: tess_array_get_mask(): mask stands behind other; arguments run object"),
    ("view.h", "tess_array_view_squeeze(tess_array *a, int axis,",
     "tess_array_view_squeeze(int axis, tess_array *a,",
     "view.h: tess_array_view_squeeze(): the object a is not the first argument"),
    ("array.h", "void *dst, size_t dst_size,", "void *dst,",
     "array.h: tess_array_read(): behind dst stands no dst_size"),
    ("attr.h", "void **bytes, size_t *bytes_size,", "void **bytes, size_t *size,",
     "attr.h: tess_attr_get_bytes(): behind bytes stands no bytes_size"),
    ("layout.h", "size_t dst_size, void *user, tess_error *err);",
     "void *user, tess_error *err);",
     "layout.h: tess_tuner_read_fn: behind dst stands no dst_size"),
    ("iterate.h", "tess_each_fn(const tess_part *part, void *user);",
     "tess_each_fn(void *user, const tess_part *part);",
     "iterate.h: tess_each_fn: user stands in front of part"),
    ("plugin.h", "const void *src, size_t src_size, void *dst,", "const void *src, void *dst,",
     "plugin.h: tess_user_codec.compress: behind src stands no src_size"),
    ("select.h", "    size_t bytes_size;", "    size_t least;",
     "select.h: tess_mask: behind bytes stands no bytes_size"),
    ("iterate.h", "    int64_t stop[TESS_MAX_NDIM];", "    int64_t shape[TESS_MAX_NDIM];",
     "iterate.h: tess_part: behind start stands no stop"),
    ("array.h", "int axis, int64_t start,\n" + " " * 54 + "int64_t stop, tess_error *err);",
     "int axis, int64_t position,\n" + " " * 54 + "int64_t count, tess_error *err);",
     "array.h: tess_array_delete(): position and count are a range, which is start and stop"),
    ("array.h", "const int64_t *position, tess_error *err);",
     "const int64_t *start, tess_error *err);",
     "array.h: tess_array_resize_at(): behind start stands no stop"),
    ("copy.h", " * @param layout   One file, or a directory.\n", "",
     "copy.h: tess_array_save(): no @param layout"),
    ("copy.h", "@param layout   One file, or a directory.", "@param layout",
     "copy.h: tess_array_save(): @param layout says nothing"),
    ("chunk.h", " * @param n      Number", " * @param m      Number",
     "chunk.h: tess_array_chunk_sized(): the lines @param are a, m, info"),
    ("version.h", " * @return \"major.minor.patch\"; static.\n", "",
     "version.h: tess_version(): no @return"),
    ("array.h", " * @return as tess_array_write().\n", " * @return a status.\n",
     "array.h: tess_array_set_item(): @return names neither TESS_OK nor a function"),
    ("array.h", "TESS_ERR_CANCELLED if tess_context.progress", "TESS_ERR_ENDED if",
     "array.h: a comment names TESS_ERR_ENDED, which does not exist"),
    ("meta.h", "free them with tess_free()", "free them with tess_image_free()",
     "meta.h: a comment names tess_image_free(), which does not exist"),
    ("copy.h", "@param layout   One file, or a directory.",
     "@param layout   One file,\n * or a directory.",
     "copy.h: a line that continues @param layout is not indented"),
    ("storage.h", "    size_t struct_size;\n", "",
     "storage.h: tess_storage has struct_size and no init, or the other way round"),
    ("select.h", "typedef struct tess_mask {", "typedef struct tess_masks {",
     "abi.rst: tess_mask is final, but does not exist"),
    ("chunk.h", "tess_chunk_info *info, size_t info_size,", "tess_chunk_info *info,",
     "chunk.h: tess_array_chunk_sized(): behind info stands no size of the struct"),
    ("verify.h", "(verdict), sizeof(tess_verdict)", "(verdict), sizeof(tess_damage)",
     "verify.h: the macro tess_array_verify() does not take the arguments of"),
    ("repair.h", "#define tess_repair(", "#define tess_mend(",
     "repair.h: tess_repair_sized(): has no macro tess_repair()"),
    ("layout.h", "tess_tuner_close(tess_tuner *tuner)", "tess_tuner_destroy(tess_tuner *tuner)",
     "layout.h: tess_tuner_destroy(): destroy is another word for what has one already"),
]


def planted(root):
    missed = 0
    for header, old, new, want in PLANTED:
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(os.path.join(root, "include"), os.path.join(copy, "include"))
            path = os.path.join(copy, "include/tessera", header)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if old not in text:
                sys.exit(f"conventions.py: {header} does not have {old!r}: plant another mistake")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new, 1))
            found = mistakes(copy)
            if not any(line.startswith(want) for line in found):
                print(f"not reported: {want}", *found, sep="\n    ")
                missed += 1
    return missed


def main():
    option = sys.argv[1] if len(sys.argv) == 3 else None
    root = sys.argv[-1]
    if option == "--planted":
        sys.exit(1 if planted(root) else 0)
    found = mistakes(root)
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


main()
