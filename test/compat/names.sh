#!/bin/sh
# Each function that the headers declare has another symbol, and the library exports only such.
#
#     names.sh HEADERS LIBRARY     (NM in the environment)

headers=$1 library=$2
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
status=0

# A declaration begins with BLOSC_EXPORT, or with void in a registry; the name is in the same line.
cat "$headers"/*.h "$headers"/blosc2/*.h |
    sed -nE 's/^(BLOSC_EXPORT [^(]*[ *]|void )([a-z0-9_]+)\(.*/\2/p' | sort -u >"$tmp/declared"
sed -n 's/^#define \([a-z0-9_]*\) tess_\1$/\1/p' "$headers/blosc2/names.h" | sort >"$tmp/renamed"
if [ ! -s "$tmp/declared" ] || ! diff "$tmp/declared" "$tmp/renamed"; then
    echo "< declared in the headers but not in names.h; > the other way round"
    status=1
fi
[ "$(grep -c '^#define [a-z]' "$headers/blosc2/names.h")" -eq "$(wc -l <"$tmp/renamed")" ] || {
    echo "names.h has a line that is no name with tess_ in front"
    status=1
}

sed 's/^/tess_/' "$tmp/declared" | sort >"$tmp/symbols"
"${NM:-nm}" -D --defined-only "$library" | awk 'NF == 3 && $3 !~ /^_/ { print $3 }' |
    sort -u >"$tmp/defined"
if [ ! -s "$tmp/defined" ] || comm -13 "$tmp/symbols" "$tmp/defined" | grep .; then
    echo "exported by $library, but not declared"
    status=1
fi
exit $status
