"""Builds the package with meson-python, from the sources two folders above.

meson-python expects pyproject.toml beside the meson.build of the project, which is not here. So it
works in a folder of links: all that the root has, and the pyproject.toml of this folder.
"""

import contextlib
import os
import pathlib
import sys
import tempfile

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
        return mesonpy.build_wheel(directory, settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("the sources of the package are those of the library: take its archive")
