#!/bin/sh
# diff.sh - tess diff from outside: what counts as equal, what it prints, how it ends.
#
#     sh diff.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

subcommand=diff

prints() {
    [ "$(cat out)" = "$1" ] || fail "printed:
$(cat out)
instead of:
$1"
}

# bytes NAME OCTAL...: a file of these bytes
bytes() {
    name=$1
    shift
    for byte in "$@"; do
        printf "\\$byte"
    done >"$name"
}

# array NAME DTYPE SHAPE OPTIONS...: an array of the items in ./raw
array() {
    name=$1 dtype=$2 shape=$3
    shift 3
    "$tess" import raw "$name" --force --dtype "$dtype" --shape "$shape" "$@" || fail "no $name"
}

### equal: other chunks, codecs, byte order
bytes raw 001 000 002 000 003 000 004 000 005 000 377 377
array a.b2nd '<i2' 2x3 --chunks 2x2 --blocks 1x1
array b.b2nd '<i2' 2x3 --codec zstd --layout sparse --chunks 1x3
run 0 a.b2nd b.b2nd
prints ''
run 0 a.b2nd a.b2nd --threads 1
bytes raw 000 001 000 002 000 003 000 004 000 005 377 377
array c.b2nd '>i2' 2x3
run 0 a.b2nd c.b2nd
run 0 a.b2nd c.b2nd --json
prints '{"shape": {"equal": true, "a": [2, 3], "b": [2, 3]}, "dtype": {"equal": true, "a": "<i2", "b": ">i2"}, "items": {"first": [], "compared": 6, "different": 0, "largest_difference": 0.0}, "fill": {"equal": true, "a": 0, "b": 0}, "attributes": [], "metalayers": [], "equal": true}'

# the same bytes in the other order are other items
array x.b2nd '<i2' 2x3
run 1 c.b2nd x.b2nd
grep -q '^items: 5 of 6 differ' out || fail "printed $(cat out)"

### items
bytes raw 001 000 003 000 003 000 004 000 000 200 377 377
array d.b2nd '<i2' 2x3
run 1 a.b2nd d.b2nd
prints 'item 0,1: 2, 3
item 1,1: 5, -32768
items: 2 of 6 differ, by 32773.0 at most'
run 1 c.b2nd d.b2nd
run 1 a.b2nd d.b2nd --json
prints '{"shape": {"equal": true, "a": [2, 3], "b": [2, 3]}, "dtype": {"equal": true, "a": "<i2", "b": "<i2"}, "items": {"first": [{"index": [0, 1], "a": 2, "b": 3}, {"index": [1, 1], "a": 5, "b": -32768}], "compared": 6, "different": 2, "largest_difference": 32773.0}, "fill": {"equal": true, "a": 0, "b": 0}, "attributes": [], "metalayers": [], "equal": false}'
run 1 a.b2nd d.b2nd --tolerance 1
prints 'item 1,1: 5, -32768
items: 1 of 6 differ, by 32773.0 at most'
run 0 a.b2nd d.b2nd --tolerance 32773
prints ''
run 1 a.b2nd d.b2nd --tolerance 32772
run 1 a.b2nd d.b2nd --tolerance 0.99

### parts: the index is that of the array
run 0 a.b2nd d.b2nd --slice :,::2
run 1 a.b2nd d.b2nd --slice 1,::-1
prints 'item 1,1: 5, -32768
items: 1 of 3 differ, by 32773.0 at most'
run 2 a.b2nd d.b2nd --slice 2

### no more than ten are printed
head -c 40 /dev/zero >raw
array z.b2nd '|u1' 40 --chunks 7
tr '\000' '\001' <raw >ones && cp ones raw
array o.b2nd '|u1' 40
run 1 z.b2nd o.b2nd
[ "$(wc -l <out)" -eq 11 ] || fail "printed $(wc -l <out) lines"
tail -n 1 out >last
[ "$(cat last)" = 'items: 40 of 40 differ, by 1.0 at most' ] || fail "printed $(cat last)"

### unsigned integers, beyond what doubles hold
bytes raw 377 377 377 377 377 377 377 377 000 000 000 000 000 000 000 000
array a8 '<u8' 2
bytes raw 376 377 377 377 377 377 377 377 000 000 000 000 000 000 000 000
array b8 '<u8' 2
run 1 a8 b8
prints 'item 0: 18446744073709551615, 18446744073709551614
items: 1 of 2 differ, by 1.0 at most'
run 0 a8 b8 --relative 1e-15

### floats: 1.0 nan -0.0 inf, and in the other order nan with other bits, 0.0, inf
bytes raw 000 000 200 077 000 000 300 177 000 000 000 200 000 000 200 177
array a4 '<f4' 4
bytes raw 077 200 000 000 377 300 000 001 000 000 000 000 177 200 000 000
array b4 '>f4' 4
run 0 a4 b4
bytes raw 000 000 300 077 000 000 000 000 000 000 000 000 000 000 200 377
array c4 '<f4' 4
run 1 a4 c4
prints 'item 0: 1.0, 1.5
item 1: nan, 0.0
item 3: inf, -inf
items: 3 of 4 differ, by inf at most'
run 1 a4 c4 --tolerance 1e300 --relative 1e9
prints 'item 1: nan, 0.0
item 3: inf, -inf
items: 2 of 4 differ, by inf at most'
run 0 a4 c4 --tolerance 0.5 --slice :1
run 1 a4 c4 --tolerance 0.4 --slice :1
run 0 a4 c4 --relative 0.34 --slice :1
run 1 a4 c4 --relative 0.33 --slice :1

### complex numbers, strings, times, opaque items
bytes raw 000 000 100 100 000 000 200 100
array ac '<c8' 1
bytes raw 000 000 000 000 000 000 000 000
array bc '<c8' 1
run 1 ac bc
prints 'item 0: 3.0+4.0j, 0.0+0.0j
items: 1 of 1 differ, by 5.0 at most'
run 0 ac bc --tolerance 5
bytes raw 141 000 000 000 142 000 000 000
array au '<U2' 1
bytes raw 000 000 000 141 000 000 000 142
array bu '>U2' 1
run 0 au bu
bytes raw 000 000 000 141 000 000 000 143
array bu '>U2' 1
run 1 au bu --tolerance 9
prints 'item 0: "ab", "ac"
items: 1 of 1 differ'
bytes raw 000 000 000 000 000 000 000 200
array at '<M8[s]' 1
bytes raw 001 000 000 000 000 000 000 000
array bt '<M8[s]' 1
run 1 at bt --tolerance 1e300
prints 'item 0: NaT, 1970-01-01T00:00:01
items: 1 of 1 differ'
array bt '<M8[ms]' 1
run 1 at bt
prints 'dtype: <M8[s], <M8[ms]'
array av '|V8' 1
array bv "[('x', '<i4'), ('y', '<i4')]" 1
run 1 av bv
run 0 bv bv

### shape and type
run 1 a.b2nd a8
prints 'shape: 2x3, 2
dtype: <i2, <u8'
run 1 a.b2nd a8 --json
grep -q '"items": null, "fill": null' out || fail "items that were not compared are not null"
run 1 a4 a8
grep -q '^dtype: ' out || fail "no dtype"
grep -q '^item' out && fail "compared items of different types"

# a type that is not recorded is taken for the other's
"$tess" copy a.b2nd old.b2nd --layer caterva || fail "cannot copy"
run 0 a.b2nd old.b2nd
run 1 old.b2nd d.b2nd
grep -q '^item 1,1: 5, -32768$' out || fail "printed $(cat out)"

### no dimensions, no items
bytes raw 001 000
array s.b2nd '<i2' ''
"$tess" copy a.b2nd t.b2nd --slice 0,1 || fail "cannot copy"
run 0 s.b2nd s.b2nd
run 1 s.b2nd t.b2nd
prints 'item: 1, 2
items: 1 of 1 differ, by 1.0 at most'
"$tess" copy a.b2nd e.b2nd --slice :0 || fail "cannot copy"
run 0 e.b2nd e.b2nd
run 0 a.b2nd d.b2nd --slice 0:0

### attributes
"$tess" attr a.b2nd set units '"K"'
"$tess" attr a.b2nd set only 1
"$tess" attr b.b2nd set units '"C"'
"$tess" attr b.b2nd set other '[2]'
run 1 a.b2nd b.b2nd
prints 'attribute units: "K", "C"
attribute only: 1, none
attribute other: none, [2]'
run 1 a.b2nd b.b2nd --json
grep -q '"attributes": \[{"name": "units", "a": "K", "b": "C"}, {"name": "only", "a": 1}, {"name": "other", "b": \[2\]}\]' out ||
    fail "printed $(cat out)"

### failures
cp -r b.b2nd damaged
dd if=b.b2nd/00000001.chunk of=damaged/00000001.chunk bs=20 count=1 2>/dev/null
run 3 a.b2nd damaged
grep -q 'damaged: ' err || fail "did not say which is damaged"
run 3 a.b2nd missing
run 3 raw a.b2nd
run 2 a.b2nd -
run 2 a.b2nd
run 2 a.b2nd b.b2nd --tolerance -1
run 2 a.b2nd b.b2nd --tolerance x
run 2 a.b2nd b.b2nd --relative nan
"$tess" diff --help >out
grep -q '^usage: tess diff A B' out || fail "no usage"
"$tess" --help | grep -q '  diff ' || fail "tess --help does not name diff"

[ $failed -eq 0 ] || exit 1
