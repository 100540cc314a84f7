#!/bin/sh
# copy.sh - tess copy from outside: what the new array is, what goes with it, what stays behind.
#
#     sh copy.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

subcommand=copy
prints=no

# has PATH TEXT: that info says of it
has() {
    "$tess" info "$1" >info || fail "no info of $1"
    grep -q -- "$2" info || fail "$1 is without \"$2\": $(cat info)"
}

# holds PATH FILE: exactly these bytes as items
holds() {
    rm -f items.bin
    "$tess" export "$1" items.bin || fail "cannot export $1"
    cmp -s items.bin "$2" || fail "$1 holds other items than $2"
}

# printed PATH EXPR TEXT
printed() {
    [ "$("$tess" slice "$1" "$2")" = "$3" ] ||
        fail "$1 $2 is $("$tess" slice "$1" "$2") instead of $3"
}

# Items 0, 1, ... 599 in two bytes each, low byte first.
i=0
while [ $i -lt 600 ]; do
    printf "\\$(printf '%03o' $((i % 256)))\\$(printf '%03o' $((i / 256)))"
    i=$((i + 1))
done >raw
"$tess" import raw a.b2nd --dtype '<u2' --shape 20x30 --chunks 10x10 --blocks 5x5 --codec zstd \
    --level 3 --filter bitshuffle || fail "no array to work on"
"$tess" attr a.b2nd set units '"K"' || fail "no attribute"

### nothing asked for: the same chunks, wherever they are
run 0 a.b2nd b.b2nd
holds b.b2nd raw
"$tess" info --json --chunks a.b2nd | sed 's/.*"chunks"/"chunks"/; s/"offset": [0-9]*//g' >a.chunks
"$tess" info --json --chunks b.b2nd | sed 's/.*"chunks"/"chunks"/; s/"offset": [0-9]*//g' >b.chunks
cmp -s a.chunks b.chunks || fail "chunks are not as they were stored"
[ "$("$tess" attr b.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 3 a.b2nd b.b2nd
says 'exists; --force replaces it'
run 0 a.b2nd b.b2nd --force --threads 1
run 2 a.b2nd b.b2nd --force --threads 0
says '--threads 0'
holds b.b2nd raw

### containers
run 0 a.b2nd s.b2nd --layout sparse
[ -f s.b2nd/chunks.b2frame ] && [ -f s.b2nd/00000005.chunk ] || fail "no directory"
holds s.b2nd raw
run 0 s.b2nd c.b2nd --layout contiguous
[ -f c.b2nd ] || fail "no file"
holds c.b2nd raw
[ "$("$tess" attr c.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 0 a.b2nd old.b2nd --layer caterva
has old.b2nd '^caterva array'
holds old.b2nd raw
run 0 old.b2nd new.b2nd --layer b2nd --dtype '<u2'
has new.b2nd '^b2nd array'
has new.b2nd '<u2'
holds new.b2nd raw

### layout and codec; what is not named stays
run 0 a.b2nd r.b2nd --chunks 4x30 --blocks 2x10
has r.b2nd 'chunks *4x30$'
has r.b2nd 'blocks *2x10$'
has r.b2nd 'codec *zstd, level 3'
has r.b2nd 'filters *bitshuffle'
holds r.b2nd raw
[ "$("$tess" attr r.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 0 a.b2nd r.b2nd --force --chunks 4x4
has r.b2nd 'chunks *4x4$'
holds r.b2nd raw
run 0 a.b2nd r.b2nd --force --codec lz4 --filter shuffle
has r.b2nd 'chunks *10x10$'
has r.b2nd 'blocks *5x5$'
has r.b2nd 'codec *lz4, level 3'
has r.b2nd 'filters *shuffle'
holds r.b2nd raw
run 0 a.b2nd r.b2nd --force --level 9
has r.b2nd 'codec *zstd, level 9'
run 0 a.b2nd d.b2nd --dictionary
has d.b2nd 'with dictionaries'
run 0 d.b2nd r.b2nd --force --codec blosclz
holds r.b2nd raw

### byte order
run 0 a.b2nd r.b2nd --force --dtype '>u2'
has r.b2nd '>u2'
printed r.b2nd 10,9:12 '[309 310 311]'
"$tess" export r.b2nd items.bin --force
[ "$(od -An -tx1 -N4 items.bin | tr -d ' \n')" = 00000001 ] || fail "bytes were not swapped"
run 3 a.b2nd r.b2nd --force --dtype '|S2'

### parts
run 0 a.b2nd p.b2nd --slice 5:15,10:
has p.b2nd 'shape *10x20$'
has p.b2nd 'chunks *10x10$'
printed p.b2nd 0,:3 '[160 161 162]'
printed p.b2nd 9,-1 449
run 0 a.b2nd p.b2nd --force --slice 3
has p.b2nd 'shape *30$'
printed p.b2nd ::10 '[90 100 110]'
run 0 a.b2nd p.b2nd --force --slice '::-7,2'
has p.b2nd 'shape *3$'
printed p.b2nd ... '[572 362 152]'
run 0 a.b2nd p.b2nd --force --slice 4,5
has p.b2nd 'shape *()$'
printed p.b2nd ... 125
run 0 a.b2nd p.b2nd --force --slice ':3,7:10'
has p.b2nd 'chunks *3x3$'
has p.b2nd 'blocks *3x3$'
run 0 a.b2nd p.b2nd --force --slice '5:5'
has p.b2nd 'shape *0x30$'
run 0 a.b2nd p.b2nd --force --slice '::3,::2' --chunks 7x5 --blocks 7x5 --codec lz4
has p.b2nd 'shape *7x15$'
has p.b2nd 'chunks *7x5$'
printed p.b2nd 6,-2: '[566 568]'
[ "$("$tess" attr p.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 2 a.b2nd p.b2nd --force --slice 20
says 'index 20 is outside'
printed p.b2nd 6,-2: '[566 568]'

### over itself
cp a.b2nd self.b2nd
run 3 self.b2nd self.b2nd --codec lz4
run 0 self.b2nd self.b2nd --codec lz4 --force
has self.b2nd 'codec *lz4'
holds self.b2nd raw
cp -r s.b2nd t.b2nd
run 0 t.b2nd t.b2nd --chunks 5x5 --force
[ -d t.b2nd ] || fail "no directory any more"
holds t.b2nd raw

### at an offset
printf 'before' | cat - a.b2nd >inside
run 0 inside o.b2nd --offset 6
holds o.b2nd raw

### what cannot be
mkdir full
: >full/file
run 3 a.b2nd full --force
[ -f full/file ] || fail "removed a folder"
run 2 a.b2nd -
says "not to standard output, only to a file or directory"
run 2 - x.b2nd
says "an array is a file or a directory"
run 2 a.b2nd
run 2 a.b2nd x.b2nd --chunks 4
says 'the array has 2 dimensions, this shape 1'
run 2 a.b2nd x.b2nd --level 10
run 2 a.b2nd x.b2nd --json
run 3 missing.b2nd x.b2nd
says 'missing.b2nd'
run 3 raw x.b2nd
dd if=s.b2nd/00000002.chunk of=t.b2nd/00000002.chunk bs=20 count=1 2>/dev/null
run 3 t.b2nd x.b2nd --codec zlib
says 't.b2nd'
[ ! -e x.b2nd ] || fail "a failed copy left something behind"
# Damage that can be decoded is refused all the same, here and wherever items are read, unless that
# is asked for.
run 0 a.b2nd damaged.b2nd --level 0 --blocks 10x10
printf '\377' | dd of=damaged.b2nd bs=1 seek=300 conv=notrunc 2>/dev/null
"$tess" verify damaged.b2nd >out && fail "the damage does no harm"
for options in '' '--codec zlib' '--slice :10,:10'; do
    # shellcheck disable=SC2086
    run 3 damaged.b2nd x.b2nd $options
    says 'checksum'
done
subcommand=
prints=any
run 3 slice damaged.b2nd 0
says 'checksum'
run 3 export damaged.b2nd x.npy
run 3 diff damaged.b2nd a.b2nd
run 0 slice damaged.b2nd 0 --unchecked
run 0 export damaged.b2nd x.npy --unchecked
run 1 diff damaged.b2nd a.b2nd --unchecked
"$tess" copy --help >out
grep -q '^usage: tess copy PATH OUT' out || fail "no usage"
"$tess" --help | grep -q '  copy ' || fail "tess --help does not name copy"

[ $failed -eq 0 ] || exit 1
