#!/bin/sh
# The list of symbols of a Debian package has all functions that its library exports, and no others.
#
#     symbols.sh LIST LIBRARY
set -u
list=$(sed -n 's/^ \([a-z][^@ ]*\).*/\1/p' "$1" | sort)
exported=$(nm -D --defined-only "$2" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort)
[ -n "$exported" ] || { echo "FAILED: $2 exports nothing" >&2; exit 1; }
[ "$list" = "$exported" ] && exit 0
printf '%s\n%s\n' "$list" "$exported" | sort | uniq -u >&2
echo "FAILED: $1 is not what $2 exports" >&2
exit 1
