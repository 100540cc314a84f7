#!/bin/sh
# repair.sh - tess compact and tess repair from outside: what they print, how they end, what stands
# in the files then.
#
#     sh repair.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

prints() {
    grep -q "$1" out || fail "printed, without '$1': $(cat out)"
}

# zeros FILE OFFSET COUNT
zeros() {
    dd if=/dev/zero of="$1" bs=1 seek="$2" count="$3" conv=notrunc 2>/dev/null
}

# same PATH: exported, it is what was imported.
same() {
    "$tess" export "$1" exported.bin || fail "export $1"
    cmp -s exported.bin raw.bin || fail "$1 does not hold what it should"
    rm -f exported.bin
}

head -c 4000 /dev/urandom >raw.bin
for layout in contiguous sparse; do
    "$tess" import raw.bin a.b2nd --dtype '<i4' --shape 40x25 --chunks 10x25 --blocks 10x25 \
        --level 0 --layout $layout || fail "no array to work on"

    run 0 compact a.b2nd
    prints '^[0-9]* bytes, before [0-9]*$'
    run 0 compact --json a.b2nd
    prints '^{"size": *[0-9]*, *"size_before": *[0-9]*}$'
    same a.b2nd

    # Nothing is damaged.
    run 0 repair a.b2nd b.b2nd
    prints '^4 of 4 chunks are there, compared with their checksums$'
    same b.b2nd
    run 3 repair a.b2nd b.b2nd
    run 0 repair a.b2nd b.b2nd --force
    run 2 repair a.b2nd a.b2nd --force
    same a.b2nd

    # The header, and some of a chunk.
    if [ $layout = sparse ]; then
        zeros a.b2nd/chunks.b2frame 0 100
        zeros a.b2nd/00000001.chunk 500 20
    else
        zeros a.b2nd 0 100
        zeros a.b2nd 1800 20
    fi
    cp -r a.b2nd before
    run 1 repair a.b2nd b.b2nd --force
    prints '^header damaged'
    # It is there, with other bytes: that is what is said, not that it was not found.
    prints '^lost: chunk 1, items 10:20,0:25: .*bytes with the checksum [0-9a-f]*, not [0-9a-f]*$'
    prints '^3 of 4 chunks are there, compared with their checksums$'
    [ "$("$tess" slice b.b2nd 12,3)" = 0 ] || fail "what is lost is not zero"
    if [ $layout = sparse ]; then
        mv a.b2nd/00000001.chunk kept
        run 1 repair a.b2nd b.b2nd --force
        prints '^lost: chunk 1, items 10:20,0:25: it was not found$'
        mv kept a.b2nd/00000001.chunk
    fi
    run 1 repair a.b2nd b.b2nd --force --json
    prints '"complete": *false'
    prints '"lost": *\[{"chunk": *1, *"start": *\[10, *0\], *"stop": *\[20, *25\], *"message": *"'
    diff -r a.b2nd before || fail "the damaged array was changed"
    rm -rf before b.b2nd a.b2nd
done

# number KEY: of the JSON in `out`.
number() {
    sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" out
}

# agrees: what the JSON of a repair to b.b2nd says is what info says of b.b2nd.
agrees() {
    stored=$(number nstored) special=$(number nspecial) lost=$(number nlost)
    items=$(number nitems_lost) chunks=$(number nchunks)
    [ $((stored + special + lost)) = "$chunks" ] || fail "counts do not add up: $(cat out)"
    [ "$items" = $((lost * 250)) ] || fail "$lost chunks lost, $items items"
    run 0 info b.b2nd --json
    [ "$(number nstored)" = "$stored" ] || fail "$stored chunks are stored, says repair"
    [ "$(number nspecial)" = $((special + lost)) ] || fail "$special and $lost are not"
    run 0 verify b.b2nd
}

# A file that ends too early: the first commit, which has no chunk, is not taken for the last one.
"$tess" import raw.bin a.b2nd --dtype '<i4' --shape 40x25 --chunks 10x25 --blocks 10x25 --level 0 ||
    fail "no array to cut"
size=$(wc -c <a.b2nd)
for cut in 1000 3000 $((size * 9 / 10)) $((size - 20)); do
    head -c "$cut" a.b2nd >cut.b2nd
    if [ "$cut" = $((size - 20)) ]; then # behind the checksums
        run 0 repair cut.b2nd b.b2nd --force
        prints '^4 of 4 chunks are there, compared with their checksums$'
        same b.b2nd
    else
        run 1 repair cut.b2nd b.b2nd --force
        prints '^the index is lost, and with it the numbers of the chunks$'
        prints '^4 chunks are lost: 1000 items have the fill value$'
        prints '^0 of 4 chunks are there$'
    fi
    "$tess" repair cut.b2nd b.b2nd --force --json >out
    agrees
done
head -c 3000 a.b2nd >cut.b2nd
run 1 repair cut.b2nd b.b2nd --force
prints '^2 intact chunks are left out: '
prints '^--in-order would place 2 of them: 2 of 4 chunks, '
run 1 repair cut.b2nd b.b2nd --force --in-order
prints '^places of chunks are those of their order in the file, which nothing confirms$'
prints '^2 of 4 chunks are there$'
"$tess" export b.b2nd exported.bin --force || fail "no export of what was cut"
[ "$(head -c 2000 exported.bin | cksum)" = "$(head -c 2000 raw.bin | cksum)" ] ||
    fail "chunks in order are others"
rm -f exported.bin
"$tess" repair cut.b2nd b.b2nd --force --in-order --json >out
agrees
rm -rf a.b2nd b.b2nd

# The same of a directory: its index is cut, or a chunk's file is missing.
"$tess" import raw.bin a.b2nd --dtype '<i4' --shape 40x25 --chunks 10x25 --blocks 10x25 --level 0 \
    --layout sparse || fail "no directory to damage"
mv a.b2nd/00000002.chunk kept
run 1 repair a.b2nd b.b2nd --force --json
agrees
mv kept a.b2nd/00000002.chunk
head -c 180 a.b2nd/chunks.b2frame >cut.b2nd
mv cut.b2nd a.b2nd/chunks.b2frame
run 1 repair a.b2nd b.b2nd --force
prints '^4 intact chunks are left out: '
run 1 repair a.b2nd b.b2nd --force --json
agrees
rm -rf a.b2nd b.b2nd

echo 'This is no array.' >text
run 3 repair text b.b2nd
run 3 compact text
run 3 repair nothing b.b2nd
run 3 compact nothing
run 2 repair text
run 2 compact
[ ! -e b.b2nd ] || fail "a failed repair left something behind"
for command in compact repair; do
    "$tess" --help | grep -q "  $command " || fail "tess --help does not name $command"
    run 0 $command --help
done
exit $((failed > 0))
