#!/bin/sh
# Structs and constants of the headers are those of c-blosc2, which programs linked with it have in
# them: abi.txt.
#
#     abi.sh INCLUDE_DIR     (CC in the environment)

facts=$(dirname "$0")/abi.txt
{
    echo '#include <b2nd.h>'
    echo '#include <blosc2/blosc2-stdio.h>'
    for kind in codecs filters tuners; do
        echo "#include <blosc2/$kind-registry.h>"
    done
    echo '#include <stddef.h>'
    echo '#define SAME(is, is_there, what) _Static_assert((long long)(is) == (is_there), what);'
    echo '#if UINTPTR_MAX > 0xffffffffU'
    sed -nE \
        -e 's/^sizeof (\w+) ([0-9]+)$/SAME(sizeof(\1), \2, "&")/p' \
        -e 's/^(\w+)\.(\w+) ([0-9]+) ([0-9]+)$/SAME(offsetof(\1, \2), \3, "&")\
SAME(sizeof ((\1 *)0)->\2, \4, "&")/p' "$facts"
    echo '#endif'
    sed -nE 's/^([A-Z0-9_a-z]+) (-?[0-9]+)$/SAME(\1, \2, "&")/p' "$facts"
} >"${TMPDIR:-/tmp}/abi.$$"
# Of each fact there is a line, and two of a member.
wanted=$(awk '!/^#/ { n += /\./ ? 2 : 1 } END { print n }' "$facts")
found=$(grep -c '^SAME(' "${TMPDIR:-/tmp}/abi.$$")
status=0
[ "$wanted" -gt 0 ] && [ "$wanted" = "$found" ] || {
    echo "abi.txt has $wanted facts, and $found are looked at"
    status=1
}
# shellcheck disable=SC2086
$CC -x c -std=c11 -I"$1/tessera-b2nd" -fsyntax-only "${TMPDIR:-/tmp}/abi.$$" || status=1
rm -f "${TMPDIR:-/tmp}/abi.$$"
exit $status
