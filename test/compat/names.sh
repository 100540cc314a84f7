#!/bin/sh
# The library defines the symbol of each function that the headers declare, and exports no others.
#
#     names.sh LIBRARY (HEADERS RULE)...     (NM in the environment)
#
# RULE is a command of sed that makes the symbol from a name; without a command, the names are the
# symbols, and no header says others.

library=$1
shift
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
status=0

while [ $# -ge 2 ]; do
    headers=$1 rule=$2
    shift 2
    names=$(find "$headers" -name '*names.h')
    # A declaration begins with BLOSC_EXPORT, or with void in a registry; the name is in the same
    # line.
    find "$headers" -name '*.h' -exec cat {} + |
        sed -nE 's/^(BLOSC_EXPORT [^(]*[ *]|void )([a-z0-9_]+)\(.*/\2/p' | sort -u >"$tmp/declared"
    sed -n 's/^#define \([a-z][a-z0-9_]*\) [a-z0-9_]*$/\1/p' "$names" | sort >"$tmp/renamed"
    if [ ! -s "$tmp/declared" ] || ! diff "$tmp/declared" "$tmp/renamed"; then
        echo "< declared in $headers but not in $names; > the other way round"
        status=1
    fi
    sed "$rule" "$tmp/declared" | sort >"$tmp/wanted"
    sed -n 's/^#define [a-z][a-z0-9_]* //p' "$names" | sort >"$tmp/given"
    if [ -n "$rule" ] && ! diff "$tmp/wanted" "$tmp/given"; then
        echo "< what $rule makes of the names; > what $names says"
        status=1
    fi
    cat "$tmp/wanted" >>"$tmp/all"
done

sort -u "$tmp/all" >"$tmp/symbols"
"${NM:-nm}" -D --defined-only "$library" | awk 'NF == 3 && $3 !~ /^_/ { print $3 }' |
    sort -u >"$tmp/defined"
if [ ! -s "$tmp/defined" ] || ! diff "$tmp/symbols" "$tmp/defined"; then
    echo "< declared, but $library does not define it; > the other way round"
    status=1
fi
exit $status
