#!/bin/sh
# info.sh - what tess info says of attributes, dimensions and metalayers.
#
#     sh info.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

# The lines of the last run from PATTERN on.
from() {
    checks=$((checks + 1))
    found=$(sed -n "/$1/,\$p" out)
    [ "$found" = "$2" ] || fail "printed:
$found
instead of:
$2"
}

printf '\1\2\3\4\5\6' >six
run 0 import six a.b2nd --dtype '|u1' --shape 2x3
run 0 info a.b2nd
! grep -q 'attributes\|dimensions' out || fail "attributes of nothing: $(cat out)"
run 0 attr a.b2nd set _ARRAY_DIMENSIONS '["y", "x"]'
run 0 attr a.b2nd set units m/s
run 0 attr a.b2nd set scale 0.1
run 0 attr a.b2nd set count 18446744073709551615
run 0 attr a.b2nd set odd '{"a": [true, null, {"$float": "nan"}], "b": {"$bytes": "AAEC"}}'
run 0 info a.b2nd
grep -q '^  dimensions    y = 2, x = 3$' out || fail "no dimensions: $(cat out)"
from '^  attributes' '  attributes
    _ARRAY_DIMENSIONS = ["y", "x"]
    units = "m/s"
    scale = 0.1
    count = 18446744073709551615
    odd = {"a": [true, null, nan], "b": 3 bytes}'
run 0 info a.b2nd --json
grep -q '"dimensions": \["y", "x"\], "attributes": {.*"scale": 0.1, "count": 18446744073709551615, "odd": {"a": \[true, null, {"$float": "nan"}\], "b": {"$bytes": "AAEC"}}}, "metalayers"' out ||
    fail "JSON: $(cat out)"

# names that do not fit the shape are no names; long values are shortened
run 0 attr a.b2nd set _ARRAY_DIMENSIONS '["y"]'
for name in units scale count odd; do run 0 attr a.b2nd del $name; done
run 0 attr a.b2nd set text --type string "$(awk 'BEGIN { for (i = 0; i < 200; i++) printf "é" }')"
run 0 attr a.b2nd set list "[$(awk 'BEGIN { for (i = 0; i < 99; i++) printf "%d, ", i }')99]"
run 0 info a.b2nd
! grep -q dimensions out || fail "dimensions that do not fit: $(cat out)"
grep -q '^    text = "é*\.\.\. (400 bytes)$' out || fail "a long string: $(cat out)"
grep -q '^    list = \[0, 1, .*\.\.\. (100 values)$' out || fail "a long list: $(cat out)"
[ "$(LC_ALL=C awk '{ if (length > n) n = length } END { print n }' out)" -lt 180 ] ||
    fail "long lines: $(cat out)"
run 0 info a.b2nd --full
grep -q ' 98, 99\]$' out || fail "not in full: $(cat out)"
run 0 info a.b2nd --json
grep -q '"dimensions": null' out || fail "JSON: $(cat out)"

# what comes from files does not reach a terminal
escape=$(printf '\033') csi=$(printf '\302\233') turned=$(printf '\342\200\256')
run 0 attr a.b2nd set "n$escape[2J" --type string "v$escape[2J$csi$turned\"\\"
run 0 info a.b2nd
grep -qF '    n\x1b[2J = "v\x1b[2J\x9b\u202e\"\\"' out || fail "escapes: $(cat out)"
! grep -q "$escape\|$csi\|$turned" out || fail "control characters: $(cat out)"

[ $failed -eq 0 ] && echo "info.sh: $checks checks"
[ $failed -eq 0 ]
