#!/bin/sh
# outputs.sh - files and directories from outside: what tess import makes, replaces and leaves alone.
#
#     sh outputs.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

# holds PATH LAYOUT INPUT: a whole array of that layout with the items of a raw file
holds() {
    if [ "$2" = sparse ]; then
        [ -f "$1/chunks.b2frame" ] || fail "$1 is not a directory with an array"
    else
        [ -f "$1" ] || fail "$1 is not a file"
    fi
    "$tess" export "$1" - >items 2>err || fail "$1 cannot be read: $(cat err)"
    cmp -s items "$3" || fail "$1 does not hold the items of $3"
}

# The content of a directory, or a file, in one line.
state() {
    (find "$1" -exec ls -ld --time-style=full-iso {} + && find "$1" -type f -exec cat {} +) | cksum
}

printf '0123456789abcdefghijklmn' >a.raw
printf 'nmlkjihgfedcba9876543210' >b.raw
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<i4', 'fortran_order': True, 'shape': (3, 2), }"
    cat a.raw
} >a.npy
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<i4', 'fortran_order': False, 'shape': (7, 1), }"
    cat a.raw
} >short.npy
raw='--dtype <i4 --shape 3x2 --chunks 1x2'

### there and back
run 0 import a.raw a $raw --layout sparse
holds a sparse a.raw
[ "$(ls a | tr '\n' ' ')" = '00000000.chunk 00000001.chunk 00000002.chunk chunks.b2frame ' ] ||
    fail "in the directory: $(ls a)"
run 0 info --json a
grep -q '"contiguous": false' out || fail "info: $(cat out)"
run 0 info a/
grep -q 'sparse frame' out || fail "info: $(cat out)"
run 0 slice a 1,:
[ "$(cat out)" = '[1650538808 1717920867]' ] || fail "slice: $(cat out)"
run 0 import a.npy n.b2nd --layout=sparse --chunks 2x2
run 0 export n.b2nd n.npy
run 0 import n.npy c.b2nd --layout contiguous
run 0 export c.b2nd - --slice :,0
printf '0123456789ab' | cmp -s - out || fail "a column of n.npy: $(cat out)"
run 0 import a.raw default $raw
holds default contiguous a.raw

### names
mkdir folder
for out in folder/s folder/t/ folder/u// "$dir/folder/v/"; do
    run 0 import a.raw "$out" $raw --layout sparse
    holds "$out" sparse a.raw
done
[ "$(ls folder | tr '\n' ' ')" = 's t u v ' ] || fail "in the folder: $(ls folder)"
run 3 import a.raw folder/w/ $raw
says 'not of a file'
run 3 import a.raw absent/s $raw --layout sparse
run 2 import a.raw x $raw --layout scattered
says '--layout scattered'
run 2 import a.raw x $raw --layout

### without --force nothing is replaced
mkdir empty
for out in a a/ default empty folder; do
    for layout in sparse contiguous; do
        before=$(state "${out%/}")
        run 3 import b.raw "$out" $raw --layout $layout
        says "^tess: $out: exists"
        [ "$(state "${out%/}")" = "$before" ] || fail "$out was changed"
    done
done
run 3 import b.raw a $raw
says '--force'

### --force replaces arrays of one layout by those of the other
from=a.raw
to=b.raw
for layout in sparse sparse contiguous contiguous sparse; do
    run 0 import $to a $raw --layout $layout --force
    holds a $layout $to
    other=$from
    from=$to
    to=$other
done
: >a/.b2lock
: >a/chunks.b2frame.tmp
: >a/0000ABCD.chunk
chmod 700 a
run 0 import a.raw a/ $raw --layout sparse --force
holds a sparse a.raw
[ "$(ls -A a | wc -l)" -eq 4 ] || fail "in the directory: $(ls -A a)"
[ "$(ls -ld a | cut -c1-10)" = drwx------ ] || fail "the mode of a replaced directory was lost"
run 0 import b.raw empty $raw --layout sparse --force
holds empty sparse b.raw
rm -r empty && mkdir empty
run 0 import b.raw empty $raw --force
holds empty contiguous b.raw
run 0 import b.raw new $raw --layout sparse --force
holds new sparse b.raw
mkdir there
ln -s there/target link
run 0 import a.raw there/target $raw --layout sparse
run 0 import b.raw link/ $raw --layout sparse --force
[ -L link ] || fail "a link was replaced by a directory"
holds there/target sparse b.raw
run 0 export a a.bin
run 0 import a.raw taken.bin $raw --layout sparse
run 3 export a taken.bin
run 0 export a taken.bin --force
cmp -s taken.bin a.raw || fail "an array was not replaced by exported items"

### and nothing else
run 0 import a.raw guarded $raw --layout sparse
run 0 import a.raw noindex $raw --layout sparse
rm noindex/chunks.b2frame
mkfifo pipe
for out in guarded/notes.txt guarded/0000000G.chunk guarded/00000001.chunks guarded/000000001.chunk \
    guarded/.hidden folder; do
    [ -e "$out" ] || echo 'precious' >"$out"
    target=${out%/*}
    before=$(state "$target")
    for layout in sparse contiguous; do
        run 3 import b.raw "$target" $raw --layout $layout --force
        says "^tess: $target: exists, and is a directory that holds something else"
        [ "$(state "$target")" = "$before" ] || fail "$target was changed"
    done
    [ "$out" = folder ] || rm "$out"
done
mkdir guarded/00000007.chunk
run 3 import b.raw guarded $raw --layout sparse --force
rmdir guarded/00000007.chunk
holds guarded sparse a.raw
run 3 import b.raw noindex $raw --layout sparse --force
run 3 import b.raw pipe $raw --layout sparse --force
says 'neither a file nor a directory'
[ -p pipe ] || fail "a pipe was replaced"
run 3 import b.raw . $raw --layout sparse --force
if [ "$(id -u)" -ne 0 ]; then # who may do everything
    chmod 500 guarded
    run 3 import b.raw guarded $raw --layout sparse --force
    says 'cannot be removed'
    chmod 700 guarded
    holds guarded sparse a.raw
fi

### what fails leaves nothing, and what was there
for layout in sparse contiguous; do
    for out in new absent; do
        run 3 import short.npy $out --layout $layout --force
        run 2 import a.raw $out $raw --blocks 2x2 --layout $layout --force
        run 2 import a.raw $out --dtype '<i4' --shape 7 --layout $layout --force
        run 3 import absent.raw $out $raw --layout $layout --force
    done
done
[ ! -e absent ] || fail "a failed import left its output"
holds new sparse b.raw
head -c 1000000 /dev/urandom >1m
(
    ulimit -f 8
    "$tess" import 1m new --layout sparse --force --dtype '|u1' --shape 1000000 --chunks 100000
) >out 2>err
[ $? -eq 3 ] && grep -q '^tess: new: ' err || fail "import beyond the file size limit: $(cat err)"
nothing_left "import beyond the file size limit"
holds new sparse b.raw

### what is stopped leaves nothing, and what was there
# Text: noise would be stored at once, and the import be over before it is looked for.
head -c 400000 /dev/urandom | od -An -v -tx1 | head -c 1000000 >text
i=0
while [ $i -lt 24 ]; do
    cat text
    i=$((i + 1))
done >24m

# stop SIGNAL OUT ARGUMENTS...: sends it to an import when half a dozen chunks are there
stop() {
    signal=$1
    out=$2
    shift 2
    # Signals that whoever runs this ignores would be ignored there, too.
    env --default-signal=HUP "$tess" import 24m "$out" --dtype '|u1' --shape 24000000 \
        --chunks 1000000 --codec zstd --level 6 --filter none "$@" >/dev/null 2>err &
    pid=$!
    while kill -0 $pid 2>/dev/null && ! [ -e "$(echo .tess-*/00000006.chunk)" ] &&
        ! [ -f "$(echo .tess-*.tmp)" ]; do
        sleep 0.05
    done
    kill -"$signal" $pid || fail "an import was over too soon"
    wait $pid 2>/dev/null
    status=$?
    [ $status -gt 128 ] && [ "$(kill -l $status)" = "$signal" ] ||
        fail "an import stopped by $signal ended with $status: $(cat err)"
    nothing_left "import stopped by $signal"
}
for signal in TERM HUP; do
    stop $signal absent --layout sparse
    stop $signal absent --layout contiguous
    [ ! -e absent ] || fail "an import stopped by $signal left its output"
    stop $signal new --layout sparse --force
    stop $signal new --layout contiguous --force
    holds new sparse b.raw
done

[ $failed -eq 0 ] || exit 1
