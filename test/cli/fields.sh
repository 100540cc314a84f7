#!/bin/sh
# fields.sh - structures from outside: tess slice, export and show by field; edges of long arrays.
#
#     sh fields.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

prints() {
    checks=$((checks + 1))
    [ "$(cat out)" = "$1" ] || fail "printed:
$(cat out)
instead of:
$1"
}

### structures: two fields, one of them big-endian, padding, a sub-array, a title, one inside another
printf '\1\0\0\1XX\5\6\7\10ab\2\0\1\0XX\11\12\13\14c\0' >raw
type="[('id', '<i2'), (('Wind speed', 'w'), [('v', '>i2'), ('', '|V2')]), ('m', '|u1', (2, 2)),"
type="$type ('t', '|S2')]"
run 0 import raw s.b2nd --dtype "$type" --shape 2
run 0 slice s.b2nd
prints '[(1, (1,), [[5, 6], [7, 8]], "ab") (2, (256,), [[9, 10], [11, 12]], "c")]'
run 0 slice s.b2nd 1 --json
grep -q '"items": {"id": 2, "w": {"v": 256}, "m": \[\[9, 10\], \[11, 12\]\], "t": "c"}}$' out ||
    fail "JSON of a structure: $(cat out)"
run 0 slice s.b2nd --field id
prints '[1 2]'
run 0 slice s.b2nd ::-1 --field w.v
prints '[256 1]'
run 0 slice s.b2nd --field 'Wind speed.v' --json
grep -q '"dtype": ">i2", "shape": \[2\], "complete": true, "items": \[1, 256\]' out ||
    fail "JSON of a field: $(cat out)"
run 0 slice s.b2nd --field m
prints '[[[ 5  6]
  [ 7  8]]

 [[ 9 10]
  [11 12]]]'
run 0 slice s.b2nd :,1,::-1 --field m
prints '[[8 7]
 [12 11]]'
run 0 slice s.b2nd :,5: --field m
prints '[]'
run 2 slice s.b2nd --field x
says '^tess: s.b2nd: --field x: no such field; there are id, w, m, t$'
run 2 slice s.b2nd --field w.
run 2 slice s.b2nd --field ''
run 2 slice s.b2nd --field id.x
says 'have no fields'
run 2 slice s.b2nd :,2,: --field m
says 'outside axis 1'

# a field goes to files as an array does
run 0 export s.b2nd - --field m
printf '\5\6\7\10\11\12\13\14' | cmp -s out - || fail "the bytes of a field"
run 0 export s.b2nd v.npy --field w.v
run 0 import v.npy v.b2nd
run 0 slice v.b2nd
prints '[  1 256]'
run 0 export s.b2nd m.npy --field m --slice '1,:,::-1'
run 0 import m.npy m.b2nd
run 0 slice m.b2nd
prints '[[10  9]
 [12 11]]'
run 2 export s.b2nd x.npy --field x
[ ! -e x.npy ] || fail "a field that is not there became a file"

# and is shown as one
run 0 show s.b2nd --field m --slice 1 --json
grep -q '"values": \[\[9.0, 10.0\], \[11.0, 12.0\]\]' out || fail "values of a field: $(cat out)"
run 3 show s.b2nd --slice ...
says 'no numbers'

# many chunks, in boxes: a field is what it is in the bytes
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%05d", i }' >many
run 0 import many many.b2nd --dtype "[('a', '|S3'), ('b', '|S2')]" --shape 200x300 --chunks 30x40
run 0 export many.b2nd - --field b
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%02d", i % 100 }' | cmp -s out - ||
    fail "a field of many chunks"

### the edges of a long array
awk 'BEGIN { for (i = 0; i < 40000; i++) printf "%c", 65 + i % 26 }' >letters
run 0 import letters long.b2nd --dtype '|u1' --shape 40000
run 0 slice long.b2nd
prints '[65 66 67 ... 74 75 76]'
run 0 slice long.b2nd --json
grep -q '"complete": false, "items": \[65, 66, 67, "...", 74, 75, 76\]}$' out || fail "JSON: $(cat out)"
run 0 slice long.b2nd --all
[ "$(wc -w <out)" -eq 40000 ] || fail "--all prints $(wc -w <out) items"
run 0 slice long.b2nd ...
[ "$(wc -w <out)" -eq 40000 ] || fail "... prints $(wc -w <out) items"
head -c 1000 letters >short
run 0 import short short.b2nd --dtype '|u1' --shape 1000
run 0 slice short.b2nd
[ "$(wc -w <out)" -eq 1000 ] || fail "1000 items are $(wc -w <out) words"
run 0 import letters rows.b2nd --dtype '|u1' --shape 4x10000
run 0 slice rows.b2nd
prints '[[65 66 67 ... 78 79 80]
 [81 82 83 ... 68 69 70]
 [71 72 73 ... 84 85 86]
 [87 88 89 ... 74 75 76]]'

[ $failed -eq 0 ] && echo "fields.sh: $checks checks"
[ $failed -eq 0 ]
