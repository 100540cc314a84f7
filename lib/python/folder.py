"""Prints the folder below a prefix that is in sys.path of this Python; nothing if there is none."""

import pathlib
import sys
import sysconfig

prefix = pathlib.Path(sys.argv[1])
names = {pathlib.Path(sysconfig.get_path(key)).name for key in ("purelib", "platlib")}
for entry in map(pathlib.Path, sys.path):
    # Only PREFIX/lib*/.../site-packages: /usr/local is below /usr, too.
    if (entry.name in names | {"site-packages", "dist-packages"} and entry.is_relative_to(prefix)
            and entry.relative_to(prefix).parts[0].startswith("lib")):
        print(entry)
        break
