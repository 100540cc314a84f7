#!/bin/sh
# Are all C files laid out as .clang-format says?
#
#     format.sh ROOT              names those that are not, and fails if there are any
#     format.sh --planted ROOT    fails if a file with a line out of place is not named
#
# Other versions than 14, which is that of Debian 12, lay some lines out in another way: skipped.

planted=no
if [ "$1" = --planted ]; then
    planted=yes
    shift
fi
tool=
for name in clang-format-14 clang-format; do
    if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then
        tool=$name
        break
    fi
done
if [ -z "$tool" ]; then
    echo "no clang-format of version 14"
    exit 77
fi
cd "$1" || exit 1

if [ $planted = yes ]; then
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    cp .clang-format "$dir"
    sed 's/^    return/  return/' lib/tessera/geom/walk.c >"$dir/walk.c"
    if "$tool" --dry-run --Werror "$dir/walk.c" 2>/dev/null; then
        echo "a line out of place was not found"
        exit 1
    fi
    exit 0
fi

find lib include test bench -name '*.[ch]' -exec "$tool" --dry-run --Werror {} + 2>&1 |
    sed -n 's/:[0-9]*:[0-9]*: error:.*//p' | sort -u >"${TMPDIR:-/tmp}/format.$$"
status=0
if [ -s "${TMPDIR:-/tmp}/format.$$" ]; then
    echo "not as .clang-format says (clang-format -i FILE):"
    cat "${TMPDIR:-/tmp}/format.$$"
    status=1
fi
rm -f "${TMPDIR:-/tmp}/format.$$"
exit $status
