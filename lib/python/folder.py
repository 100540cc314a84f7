"""Prints the folder in a prefix that this Python imports packages from; nothing if there is none."""

import pathlib
import sys
import sysconfig

prefix = pathlib.Path(sys.argv[1])
names = {pathlib.Path(sysconfig.get_path(key)).name for key in ("purelib", "platlib")}
for entry in map(pathlib.Path, sys.path):
    # PREFIX/lib*/.../site-packages: /usr has also what is in /usr/local.
    if (entry.name in names | {"site-packages", "dist-packages"} and entry.is_relative_to(prefix)
            and entry.relative_to(prefix).parts[0].startswith("lib")):
        print(entry)
        break
