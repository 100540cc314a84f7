#!/bin/sh
# errors.sh - what is said about mistakes: TESS. Each message names the file, and what to do.
. "${0%/*}/start.sh"
checks=0

# run STATUS ARGUMENTS...
run() {
    want=$1
    shift
    "$tess" "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    [ $got -eq "$want" ] || fail "tess $*: status $got, not $want: $(cat err)"
    [ ! -s out ] || fail "tess $*: printed: $(cat out)"
}

# says WORDS: all that stands on stderr
says() {
    checks=$((checks + 1))
    [ "$(cat err)" = "$1" ] || fail "said: $(cat err)
instead of: $1"
}

awk 'BEGIN { for (i = 0; i < 2400; i++) printf("%04d", i) }' >a.raw
"$tess" import a.raw a.b2nd --dtype '<f4' --shape 4x600 || fail "no array to work on"
"$tess" export a.b2nd a.npy
: >empty
mkdir folder
echo 'some text' >text
printf 'CDF\001 and so on' >a.nc
printf '\211HDF\r\n\032\n' >a.h5

### words that are nearly right
run 2 inof a.b2nd
says 'tess: inof: no such command; did you mean info?'
run 2 imprt a.npy b.b2nd
says 'tess: imprt: no such command; did you mean import?'
run 2 frobnicate
says 'tess: frobnicate: no such command; see tess --help'
run 2 --json info a.b2nd
says 'tess: --json: the command comes first; see tess --help'
run 2 info a.b2nd --jsn
says 'tess: info: --jsn: no such option; did you mean --json?'
run 2 import a.npy b.b2nd --chunk=2x2
says 'tess: import: --chunk=2x2: no such option; did you mean --chunks?'
run 2 slice a.b2nd 0 --codec lz4
says 'tess: slice: --codec: no such option; see tess slice --help'
run 2 info a.b2nd -x
says 'tess: info: -x: no such option; see tess info --help'
run 2 import a.npy b.b2nd --codec lz5
says 'tess: b.b2nd: --codec lz5: none of blosclz, lz4, lz4hc, zlib, zstd, ndlz, zfp_accuracy, zfp_precision, zfp_rate; did you mean lz4?'
run 2 import a.npy b.b2nd --filter delta,suffle:1
says 'tess: b.b2nd: --filter delta,suffle:1: none of none, shuffle, bitshuffle, delta, trunc_prec, bytedelta, int_trunc, ndcell, ndmean; did you mean shuffle?'
run 2 import a.npy b.b2nd --layout directory
says 'tess: b.b2nd: --layout directory: none of contiguous, sparse'
run 2 import a.npy b.b2nd --codec ndlz:x
says 'tess: b.b2nd: --codec ndlz:x: behind the : stands a number from -128 to 255'
run 2 show a.b2nd --colors virids
says 'tess: a.b2nd: --colors virids: none of viridis, gray, diverging; did you mean viridis?'
run 2 show a.b2nd --reduce average
says 'tess: a.b2nd: --reduce average: none of mean, min, max'
run 2 attr a.b2nd set n 1 --type integer
says 'tess: a.b2nd: --type integer: none of int, float, string, bytes, json'

### too few and too many
run 2 info
says 'tess: info: PATH is missing; see tess info --help'
run 2 import a.npy
says 'tess: import: PATH is missing; see tess import --help'
run 2 slice a.b2nd 0 1
says 'tess: slice: 1: too many arguments; see tess slice --help'

### paths that are no arrays
for command in info verify compact; do
    run 3 $command absent
    says 'tess: absent: opening the file: No such file or directory'
    run 3 $command folder
    says 'tess: folder: no array but a folder; tess ls lists the arrays in it'
    run 3 $command empty
    says 'tess: empty: no array but an empty file'
    run 3 $command a.npy
    says 'tess: a.npy: no array but a NumPy file; tess import makes an array of it'
    run 3 $command text
    says 'tess: text: not a Blosc2 frame: the magic "b2frame" is missing'
    run 2 $command -
    says 'tess: -: an array is a file or a directory, not standard input'
done
run 3 slice a.nc 0
says 'tess: a.nc: no array but a netCDF file; tess import makes arrays of its variables'
run 3 resize a.h5 1
says 'tess: a.h5: no array but an HDF5 file; tess import makes arrays of what is in it'

### what it is about is named
run 0 create st.b2nd --shape 2x2 --dtype "[('a', '<i4'), ('b', '<f8')]"
for command in stat show 'stat --op sum' 'stat --op max --axis 0'; do
    # shellcheck disable=SC2086
    "$tess" $command st.b2nd >out 2>err && fail "$command of structures"
    grep -q '; --field NAME takes one field$' err || fail "$command of structures: $(cat err)"
done
name=a_name_that_is_too_long_for_attributes
run 2 attr a.b2nd set $name 1
says "tess: a.b2nd: the name of an attribute or metalayer has 1 to 31 bytes, \"$name\" has 38"
run 0 attr st.b2nd set _ARRAY_DIMENSIONS '["y", "x"]'
run 0 stack st.b2nd st.b2nd x.b2nd
"$tess" info x.b2nd >out
grep -q '^  dimensions    2, y = 2, x = 2$' out || fail "an axis without a name: $(cat out)"
rm x.b2nd

### what is imported is known by its first bytes; other formats are no raw items
python='tess does not read it: save its items as .npy in Python, for tess import'
another='an array of Blosc2; tess copy makes another one of it'
run 0 copy a.b2nd sparse --layout sparse
cp a.b2nd a.dat
mkdir z.zarr
echo '{}' >z.zarr/zarr.json
printf 'II*\0\10\0\0\0' >i.tif
printf '\211PNG\r\n\032\n' >i.raw
gzip -c a.npy >a.npy.gz
printf 'PK\3\4' >a.zip
while IFS='|' read -r file words; do
    run 2 import "$file" x.b2nd
    says "tess: $file: $words"
    [ -d "$file" ] && stdin= || stdin='; from standard input, -, bytes are taken as they are'
    run 2 import "$file" x.b2nd --dtype '|u1' --shape "$(cat "$file" 2>/dev/null | wc -c)"
    says "tess: $file: $(echo "$words" | sed 's/;/, not raw items;/')$stdin"
done <<END
a.b2nd|$another
a.dat|$another
sparse|$another
z.zarr|a folder of Zarr; $python
folder|a folder; tess ls lists the arrays in it
i.tif|a TIFF image; $python
i.raw|a PNG image; $python
a.npy.gz|a gzip file; decompress it first, or to tess import -
END
for command in 'import i.tif x.b2nd' 'append a.b2nd i.tif' 'set a.b2nd ... --from i.tif'; do
    "$tess" $command 2>err
    grep -q "a TIFF image; $python" err || fail "$command: $(cat err)"
done
run 3 import a.zip x.b2nd
"$tess" import - x.b2nd --dtype '|u1' --shape 8 <i.tif || fail "bytes of an image as items"
rm -f x.b2nd
head -c 9600 /dev/zero >zeros.tif
cp zeros.tif zeros.b2nd
for name in 'tif:a TIFF image' 'b2nd:an array of Blosc2'; do
    run 2 import zeros.${name%:*} x.b2nd
    says "tess: zeros.${name%:*}: has the name of ${name#*:}, but does not begin as one; if it is \
raw items, they need --dtype and --shape"
    run 0 import zeros.${name%:*} x.b2nd --dtype '<f4' --shape 2400
    rm x.b2nd
done
run 2 import empty x.b2nd
says 'tess: empty: an empty file'
cp a.npy a.data
run 0 import a.data x.b2nd
"$tess" append x.b2nd a.data >out || fail "append of a .npy file of another name"
rm x.b2nd
run 0 create x.b2nd --dtype '<f4' --shape 2
for kind in nc h5; do
    "$tess" export x.b2nd v.$kind 2>/dev/null || continue # a build without that format
    mv v.$kind v.$kind.data
    "$tess" import v.$kind.data:v y.b2nd 2>err || fail "import of a $kind file of another name: $(cat err)"
    rm y.b2nd
done
rm x.b2nd

### a name - is standard output: of items only
for command in 'import a.npy -' 'create - --dtype |u1 --shape 3' 'copy a.b2nd -' 'concat a.b2nd a.b2nd -' \
    'stack a.b2nd a.b2nd -' 'transpose a.b2nd -' 'repair a.b2nd -' 'stat a.b2nd -o -' \
    'copy a.b2nd - --layout sparse'; do
    # shellcheck disable=SC2086
    run 2 $command
    says 'tess: -: not to standard output, only to a file or directory; tess export writes items to a pipe'
    [ ! -e ./- ] || fail "$command made a file -"
done

### paths that cannot be written
run 3 import a.npy absent/b.b2nd
says 'tess: absent/b.b2nd: there is no directory absent/ to write it to'
run 3 export a.b2nd absent/b.npy
says 'tess: absent/b.npy: there is no directory absent/ to write it to'
run 3 copy a.b2nd a.npy
says 'tess: a.npy: exists; --force replaces it'
mkdir locked
chmod a-w locked
if [ ! -w locked ]; then # not so for root
    run 3 copy a.b2nd locked/b.b2nd
    says 'tess: locked/b.b2nd: its directory cannot be written: Permission denied'
    chmod a-r a.npy
    run 3 import a.npy b.b2nd
    says 'tess: a.npy: opening the file: Permission denied'
fi

### parts and shapes that do not fit
run 2 slice a.b2nd 4
says 'tess: a.b2nd: index 4 is outside axis 0, which has 4 items'
run 2 slice a.b2nd 0,0,0
says 'tess: a.b2nd: slice 0,0,0: 3 axes, the array has 2'
run 2 copy a.b2nd b.b2nd --chunks 2,2
says 'tess: b.b2nd: --chunks 2,2: not a shape such as 400x300'
run 2 copy a.b2nd b.b2nd --chunks 2
says 'tess: b.b2nd: --chunks 2: the array has 2 dimensions, this shape 1'
run 2 resize a.b2nd 4
says 'tess: a.b2nd: 4: the array has 2 dimensions, this shape 1'
run 2 import a.raw b.b2nd --dtype '<f4' --shape 5x600
says 'tess: a.raw: the file has 9600 bytes; --shape and --dtype ask for 12000'

run 3 create b.b2nd --dtype '|u1' --shape 9223372036854775807
says 'tess: b.b2nd: the shape, filled up to whole chunks, has 2^63 items or more at axis 0'
run 3 create b.b2nd --dtype '|u1' --shape 4294967296x2147483648
says 'tess: b.b2nd: the shape has 2^63 items or more at axis 1'
run 3 create b.b2nd --dtype '|u1' --shape 0x1x1 --chunks 2000000000x2000000000x2000000000
says 'tess: b.b2nd: a chunk, filled up to whole blocks, has 2^63 items or more at axis 2'
for shape in 9223372036854775808 4x99999999999999999999; do
    run 2 create b.b2nd --dtype '|u1' --shape $shape
    says "tess: b.b2nd: --shape $shape: 2^63 or more along an axis"
    run 2 copy a.b2nd b.b2nd --chunks $shape
    says "tess: b.b2nd: --chunks $shape: 2^63 or more along an axis"
    run 2 resize a.b2nd $shape
    says "tess: a.b2nd: $shape: 2^63 or more along an axis"
done
shape=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1
run 2 create b.b2nd --dtype '|u1' --shape $shape
says "tess: b.b2nd: --shape $shape: more than 16 dimensions"

### pipes that nobody reads to their end, also where a parent ignores the signal
i=0
while [ $i -lt 20 ]; do cat a.raw && i=$((i + 1)); done >long.raw
"$tess" import long.raw long.b2nd --dtype '|u1' --shape 192000 || fail "no long array"
for ignore in '' "trap '' PIPE;"; do
    sh -c "$ignore "'
        { "$0" slice long.b2nd ...; echo $? >status; } 2>err | head -c 1 >out' "$tess"
    [ ! -s err ] || fail "a pipe closed early: $(cat err)"
done
if [ -w /dev/full ]; then
    for command in 'info a.b2nd --json' 'slice a.b2nd 0,:9 --json' 'diff a.b2nd long.b2nd' 'slice --help'; do
        # shellcheck disable=SC2086
        "$tess" $command >/dev/full 2>err
        [ $? -eq 3 ] || fail "$command to a full device: no failure"
        says 'tess: standard output: cannot write: No space left on device'
    done
    for command in 'slice long.b2nd ...' --man 'completion bash'; do # longer than a buffer
        # shellcheck disable=SC2086
        "$tess" $command >/dev/full 2>err
        [ $? -eq 3 ] || fail "$command to a full device: no failure"
        grep -q '^tess: standard output: cannot write' err || fail "$command: said: $(cat err)"
    done
fi

### standard streams that are closed: files of the array do not take their places
cp a.b2nd before.b2nd
silent='import a.raw x.b2nd --dtype |u1 --shape 9600;create x.b2nd --shape 9 --dtype |u1
copy a.b2nd x.b2nd;copy a.b2nd x.b2nd --layout sparse;concat a.b2nd a.b2nd x.b2nd
diff a.b2nd before.b2nd;stack a.b2nd a.b2nd x.b2nd;transpose a.b2nd x.b2nd;export a.b2nd x.npy;export a.b2nd x.raw
set a.b2nd 0 7;attr a.b2nd set x 1;attr a.b2nd'
printing='info a.b2nd;ls;slice a.b2nd 0;stat a.b2nd;show a.b2nd
resize a.b2nd 5x600;append a.b2nd before.b2nd;insert a.b2nd before.b2nd --at 0;delete a.b2nd 0
verify a.b2nd --json;compact a.b2nd;repair before.b2nd x.b2nd;export a.b2nd -
completion bash;--man;--help;--version;info --help'
closed() { # STATUS COMMAND: with each set of descriptors closed
    for close in '0<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
        rm -rf x.b2nd x.npy x.raw
        cp before.b2nd a.b2nd
        want=0
        case $close in '>&-'* | *' >&-'*) want=$1 ;; esac
        sh -c "\"\$0\" $2 $close" "$tess" >out 2>err </dev/null
        got=$?
        checks=$((checks + 1))
        [ $got -eq $want ] || fail "$2 $close: status $got, not $want: $(cat err)"
        for made in a.b2nd x.b2nd; do
            [ ! -e $made ] || "$tess" verify $made >/dev/null || fail "$2 $close: $made is damaged"
        done
    done
}
for what in silent printing; do
    eval "list=\$$what"
    [ $what = silent ] && status=0 || status=3
    echo "$list" | tr ';' '\n' | while read -r command; do
        closed $status "$(echo "$command" | sed "s/|u1/'|u1'/")"
        [ $failed -eq 0 ] || exit 1
    done || failed=$((failed + 1))
done
cp before.b2nd a.b2nd
rm -rf x.b2nd x.npy x.raw
"$tess" import - x.b2nd 2>err <&-
[ $? -eq 3 ] && grep -q '^tess: -: ' err || fail "import of a closed stdin: $(cat err)"

for left in b.b2nd .tess-* folder/*; do
    [ ! -e "$left" ] || fail "$left was left behind"
done
[ $failed -eq 0 ] && echo "errors.sh: $checks checks passed"
[ $failed -eq 0 ]
