#!/bin/sh
# command.sh - the command from outside: what it prints and where, how it ends, what it leaves.
#
#     sh command.sh TESS [nonetcdf]
#
# TESS is the binary. Inputs are made here with printf; files are compared byte by byte. Stops
# with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"
checks=0

# prints TEXT: what the last run printed.
prints() {
    checks=$((checks + 1))
    [ "$(cat out)" = "$1" ] || fail "printed:
$(cat out)
instead of:
$1"
}

same() {
    checks=$((checks + 1))
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

is_absent() {
    checks=$((checks + 1))
    [ ! -e "$1" ] || fail "$1 was left behind"
}

# A .npy header of 128 bytes: npy_header VERSION DICTIONARY
npy_header() {
    if [ "$1" -eq 1 ]; then
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "$2"
    else
        printf '\223NUMPY\00'"$1"'\000\164\000\000\000'
        printf '%-115s\n' "$2"
    fi
}

# Bytes 0, 1, 2, ... below N
count() {
    i=0
    while [ $i -lt "$1" ]; do
        printf "\\$((i / 64 % 4))$((i / 8 % 8))$((i % 8))"
        i=$((i + 1))
    done
}

### words about the command itself
run 0 --version
grep -q '^tess [0-9]' out || fail "--version"
run 0 --help
grep -q 'import' out || fail "--help"
for command in info import export slice; do
    run 0 $command --help
    grep -q "^usage: tess $command " out || fail "$command --help"
done
"$tess" >out 2>err
[ $? -eq 2 ] && [ -s err ] && [ ! -s out ] || fail "tess alone"
run 2 frobnicate
run 2 info
run 2 info a b
run 2 info --frobnicate a
run 2 info --chunks 1 a
run 2 import a
run 2 info a --offset
run 2 info a --json=1
run 2 info a --chunks=1
run 2 info a --offset=x

### raw in, raw out
count 24 >in.raw
run 0 import in.raw a.b2nd --dtype '|u1' --shape 4x6 --chunks 3x4 --blocks 2x2
run 0 export a.b2nd out.raw
same in.raw out.raw
run 0 export a.b2nd out.bin
same in.raw out.bin
run 0 export a.b2nd -
same in.raw out

### slices
run 0 slice a.b2nd ...
prints '[[0 1 2 3 4 5]
 [6 7 8 9 10 11]
 [12 13 14 15 16 17]
 [18 19 20 21 22 23]]'
run 0 slice a.b2nd 1:3,2:4
prints '[[8 9]
 [14 15]]'
run 0 slice a.b2nd ::-2,::-3
prints '[[23 20]
 [11 8]]'
run 0 slice a.b2nd -1
prints '[18 19 20 21 22 23]'
run 0 slice a.b2nd -1,-1
prints '23'
run 0 slice a.b2nd ...,0
prints '[0 6 12 18]'
run 0 slice a.b2nd 2:2
prints '[]'
run 0 slice a.b2nd -- -1,::5
prints '[18 23]'
for bad in '' 4 0,6 -5 0,0,0 ::0 x; do
    run 2 slice a.b2nd "$bad"
done
run 0 export a.b2nd - --slice=::-2,::-3
printf '\027\024\013\010' >expected
same expected out
run 0 export a.b2nd part.raw --slice 1:3,5
printf '\013\021' >expected
same expected part.raw
run 2 export a.b2nd part.bin --slice 9
is_absent part.bin

### .npy
run 0 export a.b2nd a.npy
{ npy_header 1 "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 6), }"; cat in.raw; } >expected
same expected a.npy
run 0 import a.npy b.b2nd --codec zstd --level 9 --filter none
run 0 export b.b2nd -
same in.raw out
run 0 export a.b2nd row.npy --slice 1
{ npy_header 1 "{'descr': '|u1', 'fortran_order': False, 'shape': (6,), }"; printf '\006\007\010\011\012\013'; } >expected
same expected row.npy
for version in 1 2 3; do
    { npy_header $version "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }"; printf '\0\1\0\2\0\3\0\4\0\5\377\377'; } >f.npy
    run 0 import f.npy f$version.b2nd --chunks 1x2 --blocks 1x2
    run 0 slice f$version.b2nd ...
    prints '[[1 3 5]
 [2 4 -1]]'
done
{ npy_header 1 "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }"; printf '\0\1\0\3\0\5\0\2\0\4\377\377'; } >f.npy.c
{ npy_header 1 "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"; printf '\0\0\0\0\0\0\370\077'; } >s.npy
run 0 import s.npy s.b2nd
run 0 slice s.b2nd ...
prints 1.5
run 0 export s.b2nd s2.npy
{ npy_header 1 "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"; printf '\0\0\0\0\0\0\370\077'; } >expected
same expected s2.npy
{ npy_header 1 "{'descr': '<i4', 'fortran_order': False, 'shape': (0, 3), }"; } >e.npy
run 0 import e.npy e.b2nd
run 0 slice e.b2nd :
prints '[]'
run 0 export e.b2nd e2.npy
same e.npy e2.npy
run 0 export e.b2nd e.raw
[ -e e.raw ] && [ ! -s e.raw ] || fail "an empty array as raw bytes"
{ npy_header 1 "{'descr': [('a', '<i2'), ('b', '|u1')], 'fortran_order': False, 'shape': (2,), }"; printf '\001\002\003\004\005\006'; } >t.npy
run 0 import t.npy t.b2nd
run 0 slice t.b2nd :
prints '[(513, 3) (1284, 6)]'
run 0 export t.b2nd t2.npy
same t.npy t2.npy

### inputs that are not what they say
npy_header 1 "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }" >short.npy
run 3 import short.npy x.b2nd
npy_header 1 "{'descr': '|O', 'fortran_order': False, 'shape': (0,), }" >object.npy
run 3 import object.npy x.b2nd
npy_header 1 "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }" >huge.npy
run 3 import huge.npy x.b2nd
npy_header 1 "rubbish" >rubbish.npy
run 3 import rubbish.npy x.b2nd
printf '\223NUMPY\001\000\377\377{' >cut.npy
run 3 import cut.npy x.b2nd
: >empty.npy
run 3 import empty.npy x.b2nd
run 3 import absent.npy x.b2nd
says '^tess: absent.npy: '
run 3 import absent.raw x.b2nd --dtype '|u1' --shape 1
run 2 import . x.b2nd --dtype '|u1' --shape 1
says 'a folder, not raw items'
run 2 import in.raw x.b2nd
run 2 import in.raw x.b2nd --dtype '|u1'
run 2 import in.raw x.b2nd --dtype '|u1' --shape 5x5
run 2 import in.raw x.b2nd --dtype '|u1' --shape 9223372036854775807x9
run 2 import in.raw x.b2nd --dtype rubbish --shape 24
run 2 import a.npy x.b2nd --dtype '|u1' --shape 4x6
is_absent x.b2nd

### options that are wrong
for bad in --chunks=3 --chunks=3x --chunks=3x4x5 --chunks=0x4 --chunks=-1x4 --blocks=2x --codec=lz5 \
    --level=10 --level=-1 --level=a --filter=shuffel --filter= --filter=shuffle, --filter=none,shuffle \
    --filter=trunc_prec:x --filter=trunc_prec:300 --split=maybe --layer=hdf5 \
    --filter=delta,delta,delta,delta,delta,delta,delta; do
    run 2 import a.npy x.b2nd $bad
    is_absent x.b2nd
done
run 2 import a.npy x.b2nd --chunks 2x2 --blocks 3x2
is_absent x.b2nd

### files that exist
cp a.b2nd before
run 3 import a.npy a.b2nd
says '^tess: a.b2nd: .*--force'
same before a.b2nd
run 3 export a.b2nd a.npy
run 3 import short.npy a.b2nd --force
same before a.b2nd
run 3 import a.npy absent/a.b2nd
run 3 import a.npy . --force
run 3 export a.b2nd absent/a.npy
run 2 export a.b2nd a.txt
ln -s a.b2nd link.b2nd
chmod 600 a.b2nd
run 0 import f.npy link.b2nd --force
[ -L link.b2nd ] || fail "a link was replaced by a file"
[ "$(ls -l a.b2nd | cut -c1-10)" = -rw------- ] || fail "the mode of a replaced file was lost"
run 0 slice a.b2nd 0
prints '[1 3 5]'
run 0 export a.b2nd a.npy --force
same f.npy.c a.npy
cp before a.b2nd
run 0 export a.b2nd a.npy --force
run 0 import a.npy a.b2nd --force
run 0 slice a.b2nd 0
prints '[0 1 2 3 4 5]'

### where writing fails
if [ -w /dev/full ]; then
    "$tess" export a.b2nd - >/dev/full 2>err
    [ $? -eq 3 ] && grep -q '^tess: -: ' err || fail "export to a full device"
    "$tess" slice a.b2nd ... >/dev/full 2>err
    [ $? -eq 3 ] && grep -q '^tess: standard output: ' err || fail "slice to a full device"
fi
count 4096 >4k.raw
cp before precious.b2nd
(
    ulimit -f 1
    "$tess" import 4k.raw precious.b2nd --force --dtype '|u1' --shape 4096 --level 0
) >out 2>err
[ $? -eq 3 ] && grep -q '^tess: precious.b2nd: ' err || fail "import beyond the file size limit: $(cat err)"
same before precious.b2nd
ls .tess-* 2>/dev/null && fail "import beyond the file size limit left a file behind"

### not arrays
run 3 info absent.b2nd
says '^tess: absent.b2nd: '
run 3 info in.raw
run 3 info empty.npy
run 3 slice in.raw 0
run 3 export in.raw x.npy
is_absent x.npy

### a frame inside a file
{ printf 'hello'; cat a.b2nd; } >inside
run 3 slice inside 0
run 0 slice inside 0 --offset 5
prints '[0 1 2 3 4 5]'
run 0 export inside - --offset 5
same in.raw out
run 0 info inside --offset=5
grep -q 'at byte 5$' out || fail "info without the offset"
run 0 info inside --offset=5 --json
grep -q '"offset": 5,' out || fail "info --json without the offset"
run 2 info inside --offset -5
run 3 info inside --offset 4
run 2 info inside --offset 99999999
run 2 slice inside 0 --offset 99999999
for command in info export slice attr; do
    run 0 $command --help
    grep -q '^  --offset N  ' out || fail "$command --help without --offset"
done

### info
run 0 info a.b2nd
grep -q '4x6' out || fail "info without shape"
grep -q '^  file  *[1-9][0-9]* bytes$' out || fail "info without the size of the file"
# What is live, holes (where index and trailer stood before it grew) and kinds of chunks, apart: the
# same numbers in info and verify.
head -c 4096 /dev/urandom >noise.raw
run 0 import noise.raw kinds.b2nd --dtype '|u1' --shape 4096 --chunks 1024
run 0 resize kinds.b2nd 6144
run 0 info kinds.b2nd
grep -q '^  stored        4 of 6 chunks; 2 of zeros or NaNs$' out || fail "info: $(cat out)"
grep -q '^  bytes         6144 of items, stored in 4224 (ratio 1.45)$' out || fail "info: $(cat out)"
grep -q '^  holes         [1-9][0-9]* bytes, for later writes$' out || fail "info: $(cat out)"
run 0 info --json kinds.b2nd
for part in '"nstored": 4' '"nspecial": 2' '"nmissing": 0' '"live": 4224' '"holes": [1-9]' \
    '"cratio": 1.4545'; do
    checks=$((checks + 1))
    grep -q "$part" out || fail "info --json: no $part in $(cat out)"
done
run 0 verify kinds.b2nd
words='4 chunks decode and match their checksums; 2 chunks of zeros or NaNs, not stored'
grep -q "^kinds.b2nd: fine: $words$" \
    out || fail "verify: $(cat out)"
run 0 verify --json kinds.b2nd
grep -q '"nstored": 4, "nright": 4, "nunknown": 0, .*"nspecial": 2, "nmissing": 0' out ||
    fail "verify --json: $(cat out)"
# A number that is not known where a chunk is damaged.
run 0 import noise.raw broken.d --dtype '|u1' --shape 4096 --chunks 1024 --layout sparse
rm broken.d/00000002.chunk
run 0 info broken.d
grep -q 'stored in a number that is not known' out || fail "info of a damaged array: $(cat out)"
run 0 info --json broken.d
grep -q '"live": null, "holes": null' out || fail "info --json of a damaged array: $(cat out)"
run 0 import a.npy sparse.d --layout sparse
run 0 info sparse.d
grep -q "^  all files *$(cat sparse.d/* | wc -c) bytes$" out || fail "info of a directory"
run 0 import a.npy i.b2nd --chunks 3x4 --blocks 2x2 --codec zlib --level 7 \
    --filter delta,int_trunc:-3,bitshuffle --split never
run 0 info --json i.b2nd
[ "$(wc -l <out)" -eq 1 ] || fail "info --json: not one line"
for part in '"ndim": 2' '"shape": \[4, 6\]' '"chunkshape": \[3, 4\]' '"blockshape": \[2, 2\]' \
    '"dtype": "|u1"' '"typesize": 1' '"codec": "zlib"' '"codec_id": 4' '"clevel": 7' \
    '"filters": \["nofilter", "nofilter", "nofilter", "delta", "int_trunc", "bitshuffle"\]' \
    '"filters_meta": \[0, 0, 0, 0, 253, 0\]' '"nchunks": 4' '"nbytes": 24' '"nbytes_padded": 64' \
    '"contiguous": true' '"metalayer": "b2nd"' '"metalayers": {"b2nd": "9[0-9a-f]*"' \
    '"vlmetalayers": {}' '"offset": 0'; do
    checks=$((checks + 1))
    grep -q "$part" out || fail "info --json: no $part in $(cat out)"
done
grep -q '"dictionary": false' out || fail "info of dictionaries that are not there"
run 0 import a.npy c.b2nd --layer caterva
run 0 info --json c.b2nd
grep -q '"metalayer": "caterva"' out && grep -q '"dtype": null' out || fail "info of caterva"

### dictionaries
awk 'BEGIN { for (i = 0; i < 9000; i++) print i * i % 1009, i % 97 "North" }' >words.raw
size=$(wc -c <words.raw)
for codec in lz4 lz4hc zstd; do
    set -- words.raw d.b2nd --force --dtype '|u1' --shape "$size" --chunks 65536 --blocks 512 \
        --filter none --codec $codec
    run 0 import "$@"
    alone=$(wc -c <d.b2nd)
    run 0 info d.b2nd
    ! grep -q dictionar out || fail "info: dictionaries that are not there"
    run 0 import "$@" --dictionary
    [ "$(wc -c <d.b2nd)" -lt "$alone" ] || fail "$codec: no smaller with dictionaries"
    run 0 export d.b2nd -
    same words.raw out
    run 0 info d.b2nd
    grep -q "codec  *$codec, .*, with dictionaries$" out || fail "info: no dictionaries: $(cat out)"
    run 0 info --json d.b2nd
    grep -q '"dictionary": true,' out || fail "info --json: no dictionaries: $(cat out)"
    run 0 info --json --chunks d.b2nd
    grep -q '"dictionary_size": [1-9]' out || fail "info --chunks: no dictionaries: $(cat out)"
done
for codec in blosclz zlib ndlz:4; do
    run 2 import a.npy no.b2nd --dictionary --codec $codec
    says 'dictionaries are for'
    is_absent no.b2nd
done
run 2 import a.npy no.b2nd --dictionary=yes
run 0 import --help
tr -s ' \n' '  ' <out | grep -q 'lz4, lz4hc and zstd take a dictionary' || fail "import --help: no dictionaries"

### the list of chunks
row() {
    checks=$((checks + 1))
    sed 's/  */ /g; s/^ //' out | grep -qxF -- "$1" || fail "info --chunks: no row $1 in $(cat out)"
}
{ head -c 1024 /dev/zero; count 3072; } >w.raw
run 0 import w.raw w.b2nd --dtype '<i4' --shape 4x256 --chunks 2x128 --blocks 1x128 --codec zlib \
    --filter shuffle,int_trunc:-1
run 0 info --chunks w.b2nd
row 'chunk position kind bytes stored ratio blocks dict codec filters'
grep -Eq '^ +0  0,0 +blocks +1024 +[0-9]+ +[0-9]+\.[0-9][0-9] +2 +0  zlib +shuffle, int_trunc:255$' out ||
    fail "info --chunks: row of a chunk with blocks in $(cat out)"
run 0 import w.raw z.b2nd --dtype '<i4' --shape 4x256 --chunks 1x256 --blocks 1x128 --level 0
run 0 info --chunks z.b2nd
row '0 0,0 zeros 1024 0 -'
row '3 3,0 plain 1024 1056 0.97'
row '4 chunks: 3 plain, 3072 bytes stored in 3168; 1 zeros, 1024 bytes stored in 0'
[ "$(sed '/^$/,$d' out)" = "$("$tess" info z.b2nd)" ] || fail "info --chunks: other words before it"
run 0 info --json --chunks z.b2nd
[ "$(wc -l <out)" -eq 1 ] || fail "info --json --chunks: not one line"
for part in '"chunks": \[{"position": \[0, 0\], "kind": "zeros", "stored": false, ' \
    '"nbytes": 1024, "cbytes": 1056}\]}$'; do
    checks=$((checks + 1))
    grep -q "$part" out || fail "info --json --chunks: no $part in $(cat out)"
done
run 0 info --json --chunks w.b2nd
for part in '"kind": "blocks", "stored": true' '"nblocks": 2, "blocksize": 512, "codec": "zlib"' \
    '"split": false, "dictionary_size": 0}\]}$'; do
    checks=$((checks + 1))
    grep -q "$part" out || fail "info --json --chunks: no $part in $(cat out)"
done

### netCDF
run 3 import f.npy:v x.b2nd # a file, and not a netCDF one
if [ "${2:-}" = nonetcdf ]; then
    says 'netCDF'
elif command -v ncgen >/dev/null; then
    cat >n.cdl <<'EOF'
netcdf n {
dimensions: y = 2 ; x = 3 ;
variables: short v(y, x) ; double s ; char c(x) ; string t(x) ;
data: v = 1, 2, 3, 4, 5, -6 ; s = 0.5 ; c = "abc" ; t = "a", "b", "c" ;
group: g { variables: float w(x) ; data: w = 0.1, 2, 3 ; }
}
EOF
    ncgen -4 -o n.nc n.cdl || fail "ncgen"
    run 0 import n.nc:v nv.b2nd --chunks 2x2 --blocks 1x2
    run 0 slice nv.b2nd ...
    prints '[[1 2 3]
 [4 5 -6]]'
    run 0 import n.nc:s ns.b2nd
    run 0 slice ns.b2nd ...
    prints 0.5
    run 0 import n.nc:c nc.b2nd
    run 0 slice nc.b2nd :
    prints '["a" "b" "c"]'
    run 0 import n.nc:g/w nw.b2nd
    run 0 slice nw.b2nd :
    prints '[0.1 2.0 3.0]'
    run 3 import n.nc:t x.b2nd
    run 2 import n.nc:absent x.b2nd
    says 'no variable absent; the file has v'
    run 2 import n.nc: x.b2nd
    says 'which variable'
    run 2 import n.nc x.b2nd
    says 'one of v'
    run 2 import n.nc:v x.b2nd --dtype '<i2'
fi
run 3 import absent.nc:v x.b2nd
is_absent x.b2nd

### larger than one box, in all directions
count 256 >row
ten() { cat "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1" "$1"; }
cat row row row row >1k
ten 1k >10k
ten 10k >100k
ten 100k >1m
ten 1m >10m
ten 10m >100m
run 0 import 100m big.b2nd --dtype '|u1' --shape 1000x102400 --chunks 300x10000 --blocks 100x500
run 0 export big.b2nd big.raw
same 100m big.raw
run 0 export big.b2nd -
same 100m out
{ npy_header 1 "{'descr': '|u1', 'fortran_order': True, 'shape': (102400, 1000), }"; cat 100m; } >big.npy
run 0 import big.npy bigf.b2nd --chunks 10000x300 --blocks 500x100 --level 1
run 0 export bigf.b2nd - --slice 5,:
run 0 slice bigf.b2nd 3:1030:256,::500
prints '[[3 3]
 [3 3]
 [3 3]
 [3 3]
 [3 3]]'
run 0 export big.b2nd step.raw --slice ::-3,1:102400:7
run 0 export big.b2nd - --slice ::-3,1:102400:7
same out step.raw
[ "$(wc -c <step.raw)" -eq $((334 * 14629)) ] || fail "size of a stepped export"

### verify: one line for each file, and for what is damaged; 1 is no failure
run 0 verify big.b2nd a.b2nd
[ "$(wc -l <out)" -eq 2 ] || fail "verify: not a line for each of two files"
grep -q '^a.b2nd: fine: ' out || fail "verify: $(cat out)"
cp big.b2nd hurt.b2nd
printf 'hurt' | dd of=hurt.b2nd bs=1 seek=2000 conv=notrunc 2>/dev/null
"$tess" verify a.b2nd hurt.b2nd >out 2>err
[ $? -eq 1 ] && [ ! -s err ] || fail "verify of a damaged file: $(cat err)"
grep -q '^hurt.b2nd: \[0:300, 0:10000\]: chunk 0: ' out || fail "verify: $(cat out)"
"$tess" verify --json hurt.b2nd >out 2>err
[ $? -eq 1 ] || fail "verify --json of a damaged file"
grep -q '"damage": \[{"chunk": 0, "start": \[0, 0\], "stop": \[300, 10000\]' out ||
    fail "verify --json: $(cat out)"
grep -q '"fine": false' out || fail "verify --json: $(cat out)"
run 3 verify absent.b2nd

# help fits the terminal, and tables do without losing anything
for width in 60 80 120; do
    for command in '' $(COLUMNS=1000 "$tess" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        # shellcheck disable=SC2086
        COLUMNS=$width "$tess" $command --help >out
        # a row of three columns, and a word, may be as long as they are
        longest=$(LC_ALL=C awk '{ if (length > n) n = length } END { print n }' out)
        [ "$longest" -le $width ] || [ $width -lt 80 ] || fail "$command --help: $longest columns of $width"
        COLUMNS=1000 "$tess" $command --help >wide
        [ "$(tr -d '\\' <out | tr -s ' \n' '\n\n')" = "$(tr -d '\\' <wide | tr -s ' \n' '\n\n')" ] ||
            fail "$command --help has other words at $width columns"
    done
done
"$tess" import --help >out
COLUMNS=80 "$tess" import --help | cmp - out || fail "not 80 columns where there is no terminal"
if command -v script >/dev/null; then
    name=a_name_that_is_so_long_that_not_all_of_its_row_fits_the_line_of_a_terminal.b2nd
    run 0 create $name --shape 3 --dtype '<f4'
    script -qec "stty cols 80; $tess ls $name" /dev/null </dev/null >out
    [ "$(tr -d '\r' <out | awk '{ if (length > n) n = length } END { print n }')" -le 80 ] &&
        grep -q "^$name" out || fail "a table on a terminal: $(cat out)"
    run 0 ls $name
    [ "$(wc -l <out)" -eq 2 ] || fail "a table that is no terminal's: $(cat out)"
    rm $name
fi

# a progress bar on a terminal moves inside a call that takes long, and tells what is left
if command -v script >/dev/null; then
    head -c 20000000 /dev/urandom | base64 -w 0 >long.raw
    script -qec "$tess import long.raw long.b2nd --dtype '|u1' --shape $(wc -c <long.raw) \
        --codec zstd:9 --threads 1" /dev/null >out 2>&1 </dev/null || fail "import on a terminal"
    tr '\r' '\n' <out | sed -n 's/.*\] *\([0-9]*\) %.*/\1/p' | sort -nu >steps
    [ "$(wc -l <steps)" -ge 3 ] && [ "$(head -n 1 steps)" -lt 100 ] || fail "bar: $(cat steps)"
    grep -q ' [0-9][0-9]*:[0-9][0-9] left' out || fail "no estimate: $(tr '\r' '\n' <out)"
    if [ "${2:-}" != nonetcdf ]; then # the file is compressed in calls that take less than a buffer has
        od -A n -t d2 -v -N 4000000 /dev/urandom | tr -d '\n' | head -c 12582912 >long.raw
        run 0 import long.raw long.b2nd --dtype '|u1' --shape 12582912 --chunks 1048576 --force
        script -qec "$tess export long.b2nd long.nc --level 9" /dev/null >out 2>&1 </dev/null ||
            fail "export on a terminal: $(cat out)"
        tr '\r' '\n' <out | sed -n 's/.*\] *\([0-9]*\) %.*/\1/p' | sort -nu >steps
        [ "$(head -n 1 steps)" -lt 100 ] || fail "bar of an export: $(cat steps)"
    fi
    rm -f long.raw long.b2nd long.nc
fi

[ $failed -eq 0 ] && echo "command.sh: $checks checks passed"
[ $failed -eq 0 ]
