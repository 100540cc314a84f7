#!/bin/sh
# attr.sh - tess attr from outside: what it prints, how it ends, what stands in the file then.
#
#     sh attr.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

subcommand=attr
input=input
no=said

prints() {
    [ "$(cat out)" = "$1" ] || fail "printed:
$(cat out)
instead of:
$1"
}

# becomes WANT ARGUMENTS...: what `get` prints after `set x ARGUMENTS...`
becomes() {
    want=$1
    shift
    run 0 a.b2nd set x "$@"
    run 0 a.b2nd get x
    prints "$want"
}

: >input
printf '0123456789abcdef' >raw
"$tess" import raw a.b2nd --dtype '<i4' --shape 4 || fail "no array to work on"

### nothing there
run 0 a.b2nd
prints ''
run 0 a.b2nd --json
prints '{}'
run 1 a.b2nd get x
grep -q 'no attribute x' err || fail "did not say which is missing"
run 1 a.b2nd del x

### what a value is
becomes 'null' null
becomes 'true' true
becomes '42' 42
becomes '-42' -42
becomes '18446744073709551615' 18446744073709551615
becomes '"18446744073709551616"' 18446744073709551616
becomes '1.5' 1.5
becomes '100.0' 1e2
becomes '"metres"' metres
becomes '"metres per second"' 'metres per second'
becomes '""' ''
becomes '"[1, 2"' '[1, 2'
becomes '"42"' '"42"'
becomes '[1, "b", {"c": null}]' '[1,"b",{"c":null}]'
becomes '{"$bytes": "AAE="}' '{"$bytes": "AAE="}'
becomes '{"$float": "nan"}' '{"$float": "nan"}'
becomes '"-x"' -- -x
becomes '"ä"' 'ä'

### as --type says
becomes '"42"' 42 --type string
becomes '42' 42 --type int
becomes '42.0' 42 --type float
becomes '{"$float": "-inf"}' --type float -- -inf
becomes '{"$bytes": "NDI="}' 42 --type bytes
becomes '[42]' '[42]' --type json
becomes '{"$bytes": ""}' '' --type=bytes
run 2 a.b2nd set x 1.5 --type int
run 2 a.b2nd set x '' --type int
run 2 a.b2nd set x 9223372036854775808 --type int
run 2 a.b2nd set x 1,5 --type float
run 2 a.b2nd set x '' --type float
run 2 a.b2nd set x '[1' --type json
run 2 a.b2nd set x "$(printf '\377')" --type string
run 2 a.b2nd set x 1 --type integer
run 0 a.b2nd get x
prints '{"$bytes": ""}'

### from files, and as it is
printf 'a\000\377' >content
becomes '{"$bytes": "YQD/"}' --file content
run 0 a.b2nd get x --raw
cmp -s out content || fail "--raw printed other bytes"
printf '[1, 2]\n' >content
becomes '[1, 2]' --file content --type json
run 2 a.b2nd get x --raw
printf 'standard input' >input
becomes '"standard input"' --file - --type string
run 0 a.b2nd get x --raw
cmp -s out input || fail "--raw printed another string"
: >input
becomes '{"$bytes": ""}' --file input
printf '1\000' >content
run 2 a.b2nd set x --file content --type json
run 3 a.b2nd set x --file missing

### lists
run 0 a.b2nd set y '{"k": "\n"}'
run 0 a.b2nd set z '{"$opaque": "wQ=="}'
run 0 a.b2nd
prints 'x  bytes  {"$bytes": ""}
y  map  {"k": "\n"}
z  opaque  {"$opaque": "wQ=="}'
run 0 a.b2nd --json
prints '{"x": {"$bytes": ""}, "y": {"k": "\n"}, "z": {"$opaque": "wQ=="}}'
run 0 a.b2nd del y
run 1 a.b2nd get y
run 1 a.b2nd del y
run 0 a.b2nd del x
run 0 a.b2nd get z
prints '{"$opaque": "wQ=="}'
run 0 a.b2nd get z --raw
[ "$(od -An -tx1 <out | tr -d ' \n')" = c1 ] || fail "--raw printed another content"
run 0 a.b2nd del z
run 0 a.b2nd
prints ''

### no more than 16
i=0
while [ $i -lt 15 ]; do
    run 0 a.b2nd set "name $i" $i
    i=$((i + 1))
done
run 0 a.b2nd set 'name 15' another
run 3 a.b2nd set 'name 16' 16
says "no room for the attribute or metalayer 'name 16': 16 are there, at most 16 can be"
run 0 a.b2nd get 'name 15'
prints '"another"'
"$tess" verify a.b2nd >out || fail "with 16 attributes it is not fine: $(cat out)"
prints 'a.b2nd: fine: 1 chunk decodes and matches its checksum'

### the items are as before
"$tess" export a.b2nd back.bin || fail "cannot export"
cmp -s raw back.bin || fail "the items changed"

### an array in a directory
"$tess" import raw s.b2nd --dtype '<i4' --shape 4 --chunks 2 --layout sparse || fail "no directory"
run 0 s.b2nd set x '[1]'
run 0 s.b2nd set y 2.5
run 0 s.b2nd set x two
run 0 s.b2nd
prints 'x  string  "two"
y  float  2.5'
run 0 s.b2nd del x
run 1 s.b2nd get x
run 1 s.b2nd del x
run 0 s.b2nd/ set z --file raw
run 0 s.b2nd get z --raw
cmp -s out raw || fail "--raw printed other bytes"
run 0 s.b2nd --json
prints '{"y": 2.5, "z": {"$bytes": "MDEyMzQ1Njc4OWFiY2RlZg=="}}'
[ "$(ls s.b2nd | tr '\n' ' ')" = '00000000.chunk 00000001.chunk chunks.b2frame ' ] ||
    fail "in the directory: $(ls s.b2nd)"
"$tess" export s.b2nd back.bin --force || fail "cannot export"
cmp -s raw back.bin || fail "the items changed"

### mistakes
cp a.b2nd before
run 2
run 2 a.b2nd show x
run 2 a.b2nd get
run 2 a.b2nd del
run 2 a.b2nd set x
run 2 a.b2nd set
run 2 a.b2nd set x 1 2
run 2 a.b2nd set x 1 --file raw
run 2 a.b2nd set x 1 --raw
run 2 a.b2nd get x 1
run 2 a.b2nd del x 1
run 2 a.b2nd get x --type int
run 2 a.b2nd get x --json
run 2 a.b2nd --raw
run 2 a.b2nd --file raw
run 2 a.b2nd set x 1 --offset 8
run 2 a.b2nd set '' 1
run 2 a.b2nd set 'a name of more than 31 characters' 1
run 3 missing.b2nd
run 3 missing.b2nd set x 1
run 3 raw
[ ! -e missing.b2nd ] || fail "made a file"
cmp -s a.b2nd before || fail "a mistake changed the file"
run 0 --help
grep -q '^usage: tess attr PATH' out || fail "no usage"

[ $failed -eq 0 ] || exit 1
