#!/bin/sh
# resize.sh - tess resize, append, insert and delete from outside: what they print, and what is in the array then.
#
#     sh resize.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

prints() {
    [ "$(cat out)" = "$1" ] || fail "printed:
$(cat out)
instead of:
$1"
}

# shows PATH EXPR TEXT
shows() {
    run 0 slice "$1" "$2"
    prints "$3"
}

# bytes NAME NUMBER...: a file of these bytes
bytes() {
    name=$1
    shift
    for byte in "$@"; do
        printf "\\$(printf '%03o' "$byte")"
    done >"$name"
}

# A .npy file of bytes: npy NAME ORDER SHAPE NUMBER...
npy() {
    file=$1
    header="{'descr': '|u1', 'fortran_order': $2, 'shape': $3, }"
    shift 3
    bytes items "$@"
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "$header"
        cat items
    } >"$file"
}

bytes raw 1 2 3 4 5 6
run 0 import raw a.b2nd --dtype '|u1' --shape 2x3 --chunks 2x2 --blocks 1x2
cp a.b2nd first.b2nd

### resize
run 0 resize a.b2nd 3x4
prints '3x4, before 2x3'
shows a.b2nd ... '[[1 2 3 0]
 [4 5 6 0]
 [0 0 0 0]]'
run 0 resize a.b2nd 1x2 --json --threads 1
prints '{"shape": [1, 2], "shape_before": [3, 4]}'
shows a.b2nd ... '[[1 2]]'
run 0 resize a.b2nd 2x3
shows a.b2nd ... '[[1 2 0]
 [0 0 0]]'
run 0 resize a.b2nd 0x3
run 0 resize a.b2nd 2x0
run 0 resize a.b2nd 1x1
shows a.b2nd ... '[[0]]'
run 2 resize a.b2nd 4
says 'the array has 2 dimensions, this shape 1'
run 2 resize a.b2nd 4x4x4
run 2 resize a.b2nd 4,4
run 2 resize a.b2nd -- -1x4
run 2 resize a.b2nd
run 3 resize missing.b2nd 4
run 3 resize raw 4
run 2 resize a.b2nd 4x4 --offset 8
run 0 resize a.b2nd 1x1
prints '1x1, before 1x1'

### append: raw items, .npy in both orders, another array
cp first.b2nd a.b2nd
bytes raw 7 8 9
run 0 append a.b2nd raw --dtype '|u1' --shape 1x3
prints '3x3, before 2x3'
shows a.b2nd ... '[[1 2 3]
 [4 5 6]
 [7 8 9]]'
npy in.npy True '(3, 2)' 10 11 12 20 21 22
run 0 append a.b2nd in.npy --axis 1 --json
prints '{"shape": [3, 5], "shape_before": [3, 3]}'
shows a.b2nd ... '[[1 2 3 10 20]
 [4 5 6 11 21]
 [7 8 9 12 22]]'
npy in.npy False '(3, 1)' 30 31 32
run 0 append a.b2nd in.npy --axis -1
shows a.b2nd :,-2: '[[20 30]
 [21 31]
 [22 32]]'
cp first.b2nd a.b2nd
run 0 append a.b2nd first.b2nd --threads 1
prints '4x3, before 2x3'
run 0 append a.b2nd a.b2nd --axis 1
shows a.b2nd ... '[[1 2 3 1 2 3]
 [4 5 6 4 5 6]
 [1 2 3 1 2 3]
 [4 5 6 4 5 6]]'
run 0 copy first.b2nd s.b2nd --layout sparse --chunks 1x1
run 0 append s.b2nd first.b2nd --axis 1
run 0 append s.b2nd s.b2nd/ --axis 0
shows s.b2nd ... '[[1 2 3 1 2 3]
 [4 5 6 4 5 6]
 [1 2 3 1 2 3]
 [4 5 6 4 5 6]]'
run 0 copy first.b2nd empty.b2nd --slice :0
run 0 append first.b2nd empty.b2nd
prints '2x3, before 2x3'
run 0 append empty.b2nd first.b2nd
shows empty.b2nd ... '[[1 2 3]
 [4 5 6]]'

### byte order
bytes raw 1 0 2 0
run 0 import raw n.b2nd --dtype '<u2' --shape 2
bytes raw 0 3 1 4
run 0 append n.b2nd raw --dtype '>u2' --shape 2
shows n.b2nd ... '[1 2 3 260]'
run 0 copy n.b2nd big.b2nd --dtype '>u2'
run 0 append n.b2nd big.b2nd
shows n.b2nd ... '[1 2 3 260 1 2 3 260]'
bytes raw 0 0 128 63 0 0 0 64
run 0 import raw c.b2nd --dtype '<c8' --shape 1
bytes raw 64 64 0 0 64 128 0 0
run 0 append c.b2nd raw --dtype '>c8' --shape 1
shows c.b2nd ... '[1.0+2.0j 3.0+4.0j]'
bytes raw 97 0 0 0 98 0 0 0
run 0 import raw u.b2nd --dtype '<U2' --shape 1
bytes raw 0 0 0 99 0 0 0 100
run 0 append u.b2nd raw --dtype '>U2' --shape 1
shows u.b2nd ... '["ab" "cd"]'

### what does not fit changes nothing
cp first.b2nd a.b2nd
npy in.npy False '(1, 4)' 1 2 3 4
run 2 append a.b2nd in.npy
says 'in.npy: axis 1: 4 items, the array has 3'
npy in.npy False '(3,)' 1 2 3
run 2 append a.b2nd in.npy
says '1 dimensions, the array has 2'
run 2 append a.b2nd n.b2nd
says 'items of type <u2, 2 bytes; those of the array are |u1, 1 bytes'
bytes raw 1 2 3
run 2 append a.b2nd raw --dtype '|i1' --shape 1x3
says 'items of type |i1, 1 bytes; those of the array are |u1, 1 bytes'
run 2 append a.b2nd raw
says 'raw input needs --dtype and --shape'
run 2 append a.b2nd raw --dtype '|u1' --shape 2x3
run 2 append a.b2nd raw --dtype '|u1' --shape 1x3 --axis 2
says '--axis 2: the array has 2 dimensions'
run 2 append a.b2nd raw --dtype '|u1' --shape 1x3 --axis x
run 2 append a.b2nd
run 3 append a.b2nd missing
run 3 append missing a.b2nd
cmp -s a.b2nd first.b2nd || fail "a mistake changed the file"

### a failure on the way: the input is damaged, the file may not grow
cp n.b2nd before.b2nd
run 0 copy n.b2nd d.b2nd --dtype '>u2' --chunks 4 --layout sparse
dd if=d.b2nd/00000001.chunk of=cut bs=20 count=1 2>/dev/null
mv cut d.b2nd/00000001.chunk
run 3 append n.b2nd d.b2nd
says 'd.b2nd'
run 0 diff n.b2nd before.b2nd
run 0 verify n.b2nd
# the same of insert: what was behind is behind
run 0 insert n.b2nd n.b2nd --at 3
cp n.b2nd before.b2nd
run 3 insert n.b2nd d.b2nd --at 5
says 'd.b2nd'
run 0 diff n.b2nd before.b2nd
run 0 verify n.b2nd
run 0 copy n.b2nd n.b2nd --chunks 100000 --force
cp n.b2nd before.b2nd
head -c 4000000 /dev/urandom >raw
(
    ulimit -f 1000
    "$tess" append n.b2nd raw --dtype '<u2' --shape 2000000 >out 2>err
)
[ $? -eq 3 ] || fail "appended beyond the limit: $(cat out err)"
says 'n.b2nd'
run 0 diff n.b2nd before.b2nd
run 0 verify n.b2nd
run 0 append n.b2nd raw --dtype '<u2' --shape 2000000
run 0 copy n.b2nd tail.b2nd --slice 16:
run 0 export tail.b2nd tail.bin
cmp -s tail.bin raw || fail "other items were appended"

### insert: at the beginning, in the middle, at the end; raw items, .npy, arrays, the array itself
bytes raw 1 2 3 4 5 6
run 0 import raw first.b2nd --dtype '|u1' --shape 2x3 --chunks 2x2 --blocks 1x2 --force
cp first.b2nd a.b2nd
bytes raw 7 8 9
run 0 insert a.b2nd raw --dtype '|u1' --shape 1x3 --at 1
prints '3x3, before 2x3'
shows a.b2nd ... '[[1 2 3]
 [7 8 9]
 [4 5 6]]'
npy in.npy True '(3, 2)' 10 11 12 20 21 22
run 0 insert a.b2nd in.npy --axis 1 --at -1 --json --threads 1
prints '{"shape": [3, 5], "shape_before": [3, 3]}'
shows a.b2nd ... '[[1 2 10 20 3]
 [7 8 11 21 9]
 [4 5 12 22 6]]'
npy in.npy False '(3, 1)' 30 31 32
run 0 insert a.b2nd in.npy --axis -1 --at=-5
shows a.b2nd :,:2 '[[30 1]
 [31 7]
 [32 4]]'
run 0 insert a.b2nd in.npy --axis -1 --at 6
shows a.b2nd 0 '[30 1 2 10 20 3 30]'
cp first.b2nd a.b2nd
run 0 insert a.b2nd first.b2nd --at 0
shows a.b2nd :,0 '[1 4 1 4]'
for at in 0 1 2 3; do
    cp first.b2nd a.b2nd
    run 0 insert a.b2nd a.b2nd --axis 1 --at $at
    row=$(echo '1 2 3' | cut -d' ' -f-$at 2>/dev/null)
    [ $at -gt 0 ] || row=
    rest=$(echo '1 2 3 .' | cut -d' ' -f$((at + 1))-)
    shows a.b2nd 0 "[$(echo $row 1 2 3 ${rest% .} | sed 's/ \.$//')]"
done
run 0 copy first.b2nd s.b2nd --layout sparse --chunks 1x1 --force
run 0 insert s.b2nd s.b2nd/ --at 1
shows s.b2nd :,0 '[1 1 4 4]'
bytes raw 0 3 1 4
run 0 copy n.b2nd m.b2nd --slice :3
run 0 insert m.b2nd raw --dtype '>u2' --shape 2 --at 1
shows m.b2nd ... '[1 3 260 2 3]'
cp first.b2nd a.b2nd
npy in.npy False '(0, 3)'
run 0 insert a.b2nd in.npy --at 1
prints '2x3, before 2x3'
bytes raw 7 8 9
run 2 insert a.b2nd raw --dtype '|u1' --shape 1x3
says '--at is missing'
run 2 insert a.b2nd raw --dtype '|u1' --shape 1x3 --at 3
says '--at 3: axis 0 has 2 items'
run 2 insert a.b2nd raw --dtype '|u1' --shape 1x3 --at=-3
run 2 insert a.b2nd raw --dtype '|u1' --shape 1x3 --at x
run 2 insert a.b2nd raw --dtype '|u1' --shape 3x1 --at 0
says 'axis 1: 1 items, the array has 3'
run 2 insert a.b2nd raw --dtype '|i1' --shape 1x3 --at 0
run 2 append a.b2nd raw --dtype '|u1' --shape 1x3 --at 0
run 2 insert a.b2nd
run 3 insert a.b2nd missing --at 0
run 3 insert missing a.b2nd --at 0
cmp -s a.b2nd first.b2nd || fail "a mistake changed the file"

# random ones, of which the shell is the judge: items are their old indices
awk 'BEGIN { for (i = 0; i < 200; i++) printf "%c", i % 100 + 1 }' >raw
run 0 import raw r.b2nd --dtype '|u1' --shape 200 --chunks 16 --blocks 8
run 0 slice r.b2nd ...
tr -d '[]' <out | tr ' ' '\n' >list
seed=$(date +%s)
echo "resize.sh: seed $seed"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    length=$(wc -l <list)
    set -- $(awk -v seed=$((seed + i)) -v n="$length" \
        'BEGIN { srand(seed); print int(rand() * (n + 1)), int(rand() * 40), int(rand() * n) }')
    awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%c", i + 48 }' >raw
    run 0 insert r.b2nd raw --dtype '|u1' --shape "$2" --at "$1"
    { head -n "$1" list; awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) print i + 48 }'
      tail -n "+$(($1 + 1))" list; } >longer
    run 0 delete r.b2nd "$3:$(($3 + 20))"
    { head -n "$3" longer; tail -n "+$(($3 + 21))" longer; } >list
    run 0 slice r.b2nd ...
    tr -d '[]' <out | tr ' ' '\n' >got
    cmp -s list got || fail "insert at $1, $2 items, delete from $3: $(diff list got)"
done
run 0 verify r.b2nd

### delete
cp first.b2nd a.b2nd
run 0 delete a.b2nd 0
prints '1x3, before 2x3'
shows a.b2nd ... '[[4 5 6]]'
run 0 delete a.b2nd 1: --axis 1 --json
prints '{"shape": [1, 1], "shape_before": [1, 3]}'
shows a.b2nd ... '[[4]]'
cp first.b2nd a.b2nd
run 0 delete a.b2nd -2 --axis -1
shows a.b2nd 0 '[1 3]'
run 0 delete a.b2nd 1:1
prints '2x2, before 2x2'
run 0 delete a.b2nd 5:
run 0 delete a.b2nd : --threads 1
prints '0x2, before 2x2'
cp first.b2nd a.b2nd
run 2 delete a.b2nd 2
says 'index 2 is outside'
run 2 delete a.b2nd ::2 --axis 1
says '::2: a range of items without a step'
run 2 delete a.b2nd ::-1
run 2 delete a.b2nd 0,1
run 2 delete a.b2nd x
run 2 delete a.b2nd 0 --axis 2
run 2 delete a.b2nd
run 3 delete missing 0
cmp -s a.b2nd first.b2nd || fail "a mistake changed the file"
run 0 create scalar.b2nd --shape '' --dtype '|u1'
run 2 delete scalar.b2nd 0
says 'the array has 0 dimensions'

### space: what a command that changes an array leaves on the disk, and what info and ls say of it
number() {
    tr ',{}' '\n\n\n' <out | sed -n "s/^ *\"$1\": //p"
}
short() {
    run 0 verify "$1"
    run 0 info --json "$1"
    live=$(number live) size=$(number file_size) ratio=$(number cratio)
    [ -d "$1" ] && bytes=$(cat "$1"/* | wc -c) || bytes=$(wc -c <"$1")
    [ "$bytes" -le $((live * 21 / 10 + 1048576)) ] || fail "$2: $bytes bytes, $live of chunks"
    [ "$size" -eq "$bytes" ] || fail "$2: info says $size bytes, not $bytes"
    run 0 ls --json "$1"
    [ "$(number size)" = "$size" ] || fail "$2: ls says $(number size) bytes, not $size"
    [ "$(number ratio)" = "$ratio" ] || fail "$2: ls has the ratio $(number ratio), info $ratio"
}
head -c 6000000 /dev/urandom >noise
head -c 500000 noise >row
for layout in contiguous sparse; do
    make="import noise long --dtype |u1 --shape 12x500000 --layout $layout --force --level 0"
    for change in 'delete long 1:' 'delete long 0:11' 'resize long 1x500000' 'resize long 3x9' \
        'set long 1: 0' 'set long :,1: 7' 'set long 1: --from zeros'; do
        run 0 create zeros --shape 500000 --dtype '|u1' --force
        # shellcheck disable=SC2086
        run 0 $make --chunks 1x500000
        # shellcheck disable=SC2086
        run 0 $change
        short long "$change"
    done
    # shellcheck disable=SC2086
    run 0 $make --chunks 4x500000
    for change in 'append long row' 'insert long row --at 0' 'insert long row --at 7'; do
        for i in 1 2 3; do
            # shellcheck disable=SC2086
            run 0 $change --dtype '|u1' --shape 1x500000
        done
        short long "$change, $layout"
    done
    run 0 create long --shape 3 --dtype '|u1' --layout $layout --force
    run 0 attr long set noise --file noise
    run 0 attr long del noise
    short long "attr del, $layout"
done

for command in resize append insert delete; do
    run 0 $command --help
    grep -q "^usage: tess $command PATH" out || fail "no usage"
    "$tess" --help | grep -q "  $command " || fail "tess --help does not name $command"
done

[ $failed -eq 0 ] || exit 1
