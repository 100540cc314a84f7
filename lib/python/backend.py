"""Builds the package with meson-python, from the sources two folders above.

meson-python expects pyproject.toml next to the meson.build of the project, which is in the root. So
it runs in a temporary folder of symbolic links: to all entries of the root, and to the
pyproject.toml of this folder.

Afterwards the wheel is repacked. It keeps only the package: meson-python 0.12 (Debian 12) also adds
the command, headers and static library. The licence of Tessera and those of the subprojects that
were built in are added.
"""

import base64
import contextlib
import hashlib
import os
import pathlib
import sys
import tempfile
import zipfile

import mesonpy

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NOT_SOURCES = {".git", "build", "pyproject.toml"}


@contextlib.contextmanager
def _joined():
    before = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        links = pathlib.Path(folder)
        for entry in ROOT.iterdir():
            if entry.name not in NOT_SOURCES:
                (links / entry.name).symlink_to(entry)
        (links / "pyproject.toml").symlink_to(HERE / "pyproject.toml")
        os.chdir(links)
        try:
            yield
        finally:
            os.chdir(before)


def get_requires_for_build_wheel(config_settings=None):
    with _joined():
        return mesonpy.get_requires_for_build_wheel(config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    directory = os.path.abspath(wheel_directory)
    settings = dict(config_settings or {})
    given = settings.get("setup-args", [])
    settings["setup-args"] = [f"-Dpython_program={sys.executable}",
                              *([given] if isinstance(given, str) else given)]
    with _joined():
        name = mesonpy.build_wheel(directory, settings, metadata_directory)
    _pack_again(pathlib.Path(directory, name))
    return name


def _licences():
    yield "LICENSE", ROOT / "LICENSE"
    for folder in sorted((ROOT / "subprojects").iterdir()):
        texts = [text for text in (folder / "LICENSE", folder / "LICENSE.txt", folder / "COPYING",
                                   folder / "LICENSE_1_0.txt") if text.is_file()]
        for text in texts[:1]:
            yield f"{folder.name}/{text.name}", text


def _pack_again(wheel):
    files = {}
    with zipfile.ZipFile(wheel) as old:
        info = next(n for n in old.namelist() if n.endswith(".dist-info/WHEEL")).split("/")[0]
        for name in old.namelist():
            start, _, rest = name.partition("/")
            in_lib = start.endswith(".data") and rest.startswith(("platlib/", "purelib/"))
            if (rest.split("/", 1)[1] if in_lib else name).startswith(("tessera/", info + "/")):
                files[name] = old.getinfo(name), old.read(name)
    record = f"{info}/RECORD"
    files.pop(record, None)
    for name, path in _licences():
        files[f"{info}/licenses/{name}"] = f"{info}/licenses/{name}", path.read_bytes()
    lines = []
    for name, (_, data) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    files[record] = record, "".join([*lines, f"{record},,\n"]).encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as new:
        for entry, data in files.values():
            new.writestr(entry, data)


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("the sources of the package are those of the library: take its archive")
