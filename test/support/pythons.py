"""Finding a Python that has what a test needs."""

import glob
import shutil
import subprocess
import sys


def interpreter(modules):
    """A Python that has the modules, or None."""
    for python in [sys.executable] + sorted(glob.glob("/usr/bin/python3*")):
        if shutil.which(python) and subprocess.run(
                (python, "-c", "import " + ", ".join(modules)), stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None
