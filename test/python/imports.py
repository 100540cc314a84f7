"""Do the files of the package import only files below them?

    imports.py PACKAGE             report what does not, and fail if there is anything
    imports.py --planted PACKAGE   plant mistakes in copies, and fail if one is not reported

LAYERS is the drawing: a file imports those of lower lines only, files of one line do not know each
other. An import counts wherever it stands: in a function, for types only, relative, or by name
through importlib or __import__. Needs no NumPy: files are parsed, not run.
"""
import ast
import pathlib
import shutil
import sys
import tempfile

# From the top downwards.
LAYERS = [
    ["tessera"],  # __init__.py
    ["xarray_backend"],
    ["cluster", "datasets"],
    ["folders.addition", "folders.growth"],
    ["folders.stored", "folders.variables"],
    ["folders.lazy", "tasks"],
    ["folders.containers"],
    ["encoding", "folders.attributes", "publish"],
    ["opening"],
    ["stores"],
    ["array"],
    ["attributes", "layouts", "operators", "packets", "places"],
    ["folders.groups"],
    ["folders.record"],
    ["folders.names", "folders"],
    ["_tessera"],  # the extension
]
LEVEL = {name: len(LAYERS) - at for at, names in enumerate(LAYERS) for name in names}


def name_of(package, path):
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "tessera"


def inner(dotted):
    """A name of the package without its first part; None: of another package."""
    head, _, rest = dotted.partition(".")
    return (rest or "tessera") if head == "tessera" else None


def from_import(node, name, is_package):
    """What `from X import a, b` may mean: X, and files a and b in it."""
    base = node.module or ""
    if node.level > 0:
        at = ["tessera"] + ([] if name == "tessera" else name.split("."))
        up = node.level - is_package
        base = ".".join(at[:len(at) - up] + ([base] if base else []))
    subs = [f"{base}.{alias.name}" for alias in node.names]
    files = [sub for sub in subs if inner(sub) in LEVEL]
    return files if len(files) == len(subs) else [base] + files


def imports(tree, name, is_package):
    """Line and dotted name of all that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, found) for found in from_import(node, name, is_package))
        elif isinstance(node, ast.Call) and node.args:
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("import_module", "__import__"):
                if isinstance(node.args[0], ast.Constant):
                    yield node.lineno, str(node.args[0].value)
                else:
                    yield node.lineno, "tessera.?"


def mistakes(package):
    found = []
    for path in sorted(package.rglob("*.py")):
        name, where = name_of(package, path), path.relative_to(package)
        if name not in LEVEL:
            found.append(f"{where}: not in LAYERS of test/python/imports.py")
            continue
        for line, dotted in imports(ast.parse(path.read_text()), name, path.stem == "__init__"):
            other = inner(dotted)
            if other is None:
                continue
            if other not in LEVEL:
                found.append(f"{where}:{line}: imports {dotted}, which LAYERS lacks")
            elif LEVEL[other] >= LEVEL[name]:
                found.append(f"{where}:{line}: imports {dotted}, which is not below it")
    there = {name_of(package, path) for path in package.rglob("*.py")} | {"_tessera"}
    found += [f"LAYERS has {name}, and the package has not" for name in sorted(set(LEVEL) - there)]
    return found


# File, what is added to it, and what the report says.
PLANTED = [
    ("array.py", "from tessera.opening import open\n", "imports tessera.opening"),
    ("packets.py", "def f():\n    from tessera.array import Array\n", "imports tessera.array"),
    ("operators.py", "import importlib\nx = importlib.import_module('tessera.cluster')\n",
     "imports tessera.cluster"),
    ("folders/groups.py", "if TYPE_CHECKING:\n    from tessera.array import Array\n",
     "imports tessera.array"),
    ("folders/stored.py", "from . import growth\n", "imports tessera.folders.growth"),
    ("folders/names.py", "from ..places import Path\n", "imports tessera.places"),
    ("layouts.py", "import tessera\n", "imports tessera,"),
    ("layouts.py", "import tessera.places\n", "imports tessera.places"),
    ("places.py", "x = __import__('tessera.array')\n", "imports tessera.array"),
    ("cluster.py", "from tessera import datasets\n", "imports tessera.datasets"),
    ("places.py", "from importlib import import_module\nx = import_module(name)\n", "imports tessera.?"),
    ("another.py", "", "not in LAYERS"),
]


def planted(package):
    missed = []
    for file, text, words in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "tessera"
            shutil.copytree(package, copy)
            with open(copy / file, "a", encoding="utf-8") as f:
                f.write("\n" + text)
            if not any(m.startswith(file) and words in m for m in mistakes(copy)):
                missed.append(f"{file}: not reported: {text!r}")
    return missed


def main():
    package = pathlib.Path(sys.argv[-1])
    found = planted(package) if sys.argv[1] == "--planted" else mistakes(package)
    print("\n".join(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
