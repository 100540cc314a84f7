#!/bin/sh
# Python imports the package from where Meson installs it, in each prefix in which that Python looks:
# /usr/local, and that of a virtual environment. And the commands for pip in python.rst are those that
# work there.
#
#     python.sh SOURCE_DIR PYTHON    (MESON and CC in the environment)
#
# With TESS_TEST_LONG, the environment is also
# installed to, by meson install, and by pip without the network.
set -u

source=$1
python=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

stop() {
    echo "FAILED: $*" >&2
    exit 1
}

quiet() {
    "$@" >"$dir/log" 2>&1 && return
    cat "$dir/log" >&2
    stop "$*"
}

# looks_in PYTHON PREFIX: the folder is one that this Python has in its path
looks_in() {
    folder=$("$1" "$source/lib/python/folder.py" "$2") || stop "folder.py $2 ended with $?"
    [ -n "$folder" ] || stop "$1 looks nowhere in $2"
    "$1" -c 'import sys; sys.exit(sys.argv[1] not in sys.path)' "$folder" ||
        stop "$folder is not in the path of $1"
    case $folder in
    "$2"/lib*) ;;
    *) stop "$folder is not in $2" ;;
    esac
}

prefix=$("$python" -c 'import sys; print(sys.base_prefix)') || exit 1
looks_in "$python" "$prefix"
[ -z "$("$python" "$source/lib/python/folder.py" "$dir")" ] || stop "a prefix where no Python looks"

if ! "$python" -m venv --system-site-packages "$dir/venv" >"$dir/log" 2>&1; then
    echo "SKIPPED: no venv: $(tail -n 1 "$dir/log")"
    exit 77
fi
looks_in "$dir/venv/bin/python" "$dir/venv"

if [ "${TESS_TEST_LONG:-0}" != 0 ]; then
    unset PYTHONPATH
    quiet "$MESON" setup "$dir/build" "$source" --prefix "$dir/venv" -Dauto_features=disabled \
        -Dpython=enabled -Dpython_program="$dir/venv/bin/python"
    quiet "$MESON" compile -C "$dir/build"
    quiet "$MESON" install -C "$dir/build"
    try='import tessera; print(tessera.asarray([1, 2])[1]); print(tessera.__file__)'
    LD_LIBRARY_PATH=$dir/venv/lib quiet "$dir/venv/bin/python" -c "$try"
    grep -q "$dir/venv" "$dir/log" || stop "another tessera was imported"

    # As python.rst has it for machines without a network.
    quiet "$python" -m venv --clear --system-site-packages "$dir/venv"
    grep -q 'pip install --no-build-isolation --no-index lib/python' \
        "$source/include/manual/python.rst" || stop "python.rst has another command"
    (cd "$source" && quiet "$dir/venv/bin/python" -m pip install --no-build-isolation --no-index \
        lib/python) || exit 1
    quiet "$dir/venv/bin/python" -c "$try"
    grep -q "$dir/venv" "$dir/log" || stop "another tessera was imported"
fi
