#!/bin/sh
# convert.sh - tess import and tess export: other formats, attributes, names of dimensions, streams.
#
#     sh convert.sh TESS [netcdf] [hdf5] [npz]
#
# The words are what TESS was built with; $MAKE_HDF5 is test/cli/make_hdf5.c. Other programs make and
# look at the files: ncgen, ncdump, h5dump, zip; what needs one that is not there is left out. Stops
# with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"
shift
MAKE_HDF5=${MAKE_HDF5:-absent}
features=" $* "

has() {
    case $features in *" $1 "*) ;; *) return 1 ;; esac
    shift
    for program in "$@"; do
        command -v "$program" >/dev/null || return 1
    done
}

# piped STATUS FILE ARGUMENTS...: as run, with a pipe as standard input.
piped() {
    expected=$1
    file=$2
    shift 2
    { cat "$file"; } 2>/dev/null | "$tess" "$@" >out 2>err
    check_run $? "$expected" "tess $*"
}

# prints TEXT: what the last run printed.
prints() {
    [ "$(cat out)" = "$1" ] || fail "printed:
$(cat out)
instead of:
$1"
}

# has_attributes PATH TEXT
has_attributes() {
    run 0 attr "$1"
    prints "$2"
}

# npy NAME DICTIONARY ITEMS: a .npy file; items as printf takes them
npy() {
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "$2"
        printf "$3"
    } >"$1"
}

# So many numbers of seven digits, each with a blank, 8 bytes; after 1000003 they begin anew.
count() {
    awk 'BEGIN { for (i = 0; i < 1000003; i++) printf "%07d ", i }' >period
    for _ in $(seq 0 1000003 "$1"); do
        cat period
    done | head -c $((8 * $1))
    rm period
}

### standard input
npy c.npy "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }" '\0\1\0\2\0\3\0\4\0\5\377\377'
npy f.npy "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }" '\0\1\0\2\0\3\0\4\0\5\377\377'
npy zero.npy "{'descr': '<f8', 'fortran_order': False, 'shape': (), }" '\0\0\0\0\0\0\370\077'
npy empty.npy "{'descr': '<i4', 'fortran_order': False, 'shape': (0, 3), }" ''
piped 0 c.npy import - p.b2nd
run 0 slice p.b2nd ...
prints '[[1 2 3]
 [4 5 -1]]'
piped 0 c.npy append p.b2nd -
piped 2 f.npy append p.b2nd - --axis 2
piped 0 f.npy append p.b2nd - --axis 0
run 0 slice p.b2nd ...
prints '[[1 2 3]
 [4 5 -1]
 [1 2 3]
 [4 5 -1]
 [1 3 5]
 [2 4 -1]]'
piped 0 f.npy import - pf.b2nd --chunks 1x2 --blocks 1x2
run 0 slice pf.b2nd ...
prints '[[1 3 5]
 [2 4 -1]]'
piped 0 zero.npy import - pz.b2nd
run 0 slice pz.b2nd ...
prints 1.5
piped 0 empty.npy import - pe.b2nd
run 0 slice pe.b2nd ...
prints '[]'
tail -c 12 c.npy >items
piped 0 items import - r.b2nd --dtype '>i2' --shape 2x3

run 0 export r.b2nd r.npy
cmp -s c.npy r.npy || fail "raw items of standard input are others"
"$tess" import - from.b2nd <c.npy && "$tess" diff from.b2nd r.b2nd || fail "a file as standard input"

# what is too long, too short, or something else
for cut in 127 20 11 9 1 0; do
    head -c $cut c.npy >cut.npy
    piped 3 cut.npy import - x.b2nd
done
head -c 135 c.npy >cut.npy
piped 3 cut.npy import - x.b2nd
says '^tess: -: expected 12 bytes of items, found 7$'
cat c.npy items >long.npy
piped 3 long.npy import - x.b2nd
says '^tess: -: expected 12 bytes of items, found 24$'
piped 3 items import - x.b2nd
says 'not a .npy file; raw items need --dtype and --shape'
piped 2 items import - x.b2nd --dtype '>i2' --shape 2x4
says '^tess: -: expected 16 bytes of items, found 12$'
piped 2 items import - x.b2nd --dtype '>i2' --shape 5
says '^tess: -: expected 10 bytes of items, found 12$'
piped 2 items import - x.b2nd --dtype '>i2' --shape 0
says '^tess: -: expected 0 bytes of items, found 12$'
piped 2 items import - x.b2nd --dtype '>i2'
piped 2 items import - x.b2nd --shape 6
piped 2 items import - x.b2nd --dtype rubbish --shape 6
piped 2 items import - x.b2nd --dtype '<i2' --shape 9223372036854775807x2
piped 2 /dev/zero import - x.b2nd --dtype '|u1' --shape 100
says '^tess: -: expected 100 bytes of items, found 104[0-9]* or more$'
npy object.npy "{'descr': '|O', 'fortran_order': False, 'shape': (0,), }" ''
piped 3 object.npy import - x.b2nd
[ ! -e x.b2nd ] || fail "a part of standard input became an array"
cp r.b2nd before.b2nd
piped 3 long.npy append r.b2nd -
piped 3 cut.npy append r.b2nd -
run 0 diff r.b2nd before.b2nd

# larger than a box, whose chunks are cut; then those that were asked for, written in parts
count 10000000 >many # 80 MB, a box has 64 MiB
for layout in '' '--chunks 4x1000x1000 --level 1' '--layout sparse'; do
    # shellcheck disable=SC2086
    piped 0 many import - large.b2nd --force --dtype '<i4' --shape 4x5000x1000 $layout
    run 0 export large.b2nd -
    cmp -s out many || fail "a large stream came out as another: $layout"
done
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<i4', 'fortran_order': True, 'shape': (100, 50000, 4), }"
    cat many
} >large.npy
run 0 import large.npy large.b2nd --force --chunks 10x1000x4
piped 0 large.npy import - largep.b2nd
run 0 diff large.b2nd largep.b2nd
rm -rf large* many

# numbers of text, 40x1000 items of 4 bytes
awk 'BEGIN { for (i = 0; i < 40000; i++) printf "%d", i }' >digits
head -c 160000 digits >digits.cut
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<i4', 'fortran_order': False, 'shape': (40, 1000), }"
    cat digits.cut
} >d.npy
run 0 import d.npy d.b2nd

# What tess info calls the type.
type_of() {
    "$tess" info --json "$1" | sed 's/.*"dtype": "\([^"]*\)".*/\1/'
}

### HDF5
if has hdf5 "$MAKE_HDF5"; then
    "$MAKE_HDF5" t.h5 || fail "make_hdf5"
    # takes DATASET TYPE ITEMS
    takes() {
        run 0 import "t.h5:/g/$1" h.b2nd --force
        [ "$(type_of h.b2nd)" = "$2" ] || fail "$1 has type $(type_of h.b2nd), not $2"
        run 0 slice h.b2nd ...
        prints "$3"
    }
    takes i1 '|i1' '[0 1]'
    takes f2 '<f2' '[1.0 -2.0]'
    takes f4 '<f4' '[1.5 -2.5]'
    takes c16 '<c16' '[1.0+2.0j 3.0-4.0j]'
    takes bool '|b1' '[False True]'
    takes S3 '|S3' '["abc" "d"]'
    takes V1 '|V1' '[00 01]'
    takes scalar '<f4' 1.5
    for bad in 'enum enumeration' 'compound compound' 'vlen string of variable length' 'long float' \
        'bits bit field'; do
        run 3 import "t.h5:g/${bad%% *}" x.b2nd
        says "not imported: ${bad#* }"
    done
    run 3 import t.h5:/g/huge x.b2nd
    run 2 import t.h5:/absent x.b2nd
    says '^tess: t.h5:/absent: there is no dataset /absent; the file holds /g/S3, /g/V1, .*, \.\.\.$'
    run 2 import t.h5:g x.b2nd
    run 2 import t.h5: x.b2nd
    cp c.npy no.h5
    run 3 import no.h5:x x.b2nd
    says '^tess: no.h5:x: cannot open as HDF5: '

    "$tess" import t.h5:rich rich.b2nd >out 2>err || fail "import of a dataset with attributes"
    says '^tess: t.h5:rich: not carried over.*: g_odd$'
    [ "$(type_of rich.b2nd)" = '>i2' ] || fail "the byte order was lost"
    has_attributes rich.b2nd '_ARRAY_DIMENSIONS  list  ["row", "lon"]
a_units  string  "K"
b_fixed  string  "m/s"
c_words  list  ["a", "bö"]
d_large  uint  18446744073709551615
e_many  list  [0.5, 1.5]
f_yes  bool  true'
    run 0 resize rich.b2nd 3x3
    run 0 slice rich.b2nd ...
    prints '[[1 2 3]
 [4 5 -6]
 [-7 -7 -7]]'
    run 0 import t.h5:rich plain.b2nd --force --no-attributes
    has_attributes plain.b2nd ''
    run 0 append plain.b2nd t.h5:rich
    run 0 import t.h5:lon lon.b2nd
    has_attributes lon.b2nd '_ARRAY_DIMENSIONS  list  ["lon"]'

    # cut off, or bytes changed: whatever comes out, it ends in an orderly way. HDF5 itself asks
    # for memory that is not there, and forgets some.
    asan=${ASAN_OPTIONS:-}
    export ASAN_OPTIONS="$asan:allocator_may_return_null=1:detect_leaks=0"
    size=$(wc -c <t.h5)
    n=0
    while [ $n -lt "$size" ]; do
        head -c $n t.h5 >cut.h5
        cp t.h5 bent.h5
        printf '\377' | dd of=bent.h5 bs=1 seek=$n conv=notrunc 2>/dev/null
        for file in cut bent; do
            "$tess" import $file.h5:rich cut.b2nd --force >out 2>err
            status=$?
            [ $status -eq 0 ] || [ $status -eq 2 ] || [ $status -eq 3 ] ||
                fail "a file $file at byte $n: status $status: $(cat err)"
            [ "$(grep -vc 'WARNING: AddressSanitizer' err)" -le 1 ] ||
                fail "$file at byte $n: more than one sentence: $(cat err)"
        done
        n=$((n + size / 40 + 1))
    done
    export ASAN_OPTIONS="$asan"
    [ ! -e x.b2nd ] || fail "what cannot be imported became an array"
else
    : >no.h5
    run 3 import no.h5:x x.b2nd
fi

### .npz, stored and deflated
if has npz zip; then
    zip -q -0 stored.npz c.npy d.npy && zip -q deflated.npz d.npy f.npy zero.npy &&
        zip -q one.npz c.npy && zip -q six.npz c.npy d.npy f.npy zero.npy empty.npy object.npy ||
        fail zip
    for file in stored.npz:d deflated.npz:d.npy; do
        run 0 import $file d2.b2nd --force --chunks 7x300 --blocks 7x100
        run 0 diff d.b2nd d2.b2nd
    done
    run 0 import one.npz one.b2nd
    run 0 import one.npz:c one2.b2nd
    run 0 append one.b2nd deflated.npz:f
    run 0 slice one.b2nd ...
    prints '[[1 2 3]
 [4 5 -1]
 [1 3 5]
 [2 4 -1]]'
    run 0 append one2.b2nd one.npz
    run 0 import six.npz:empty e.b2nd
    run 0 import six.npz:zero z.b2nd
    run 2 import stored.npz x.b2nd
    says '^tess: stored.npz: which member; the archive holds c.npy, d.npy$'
    run 2 import six.npz:absent x.b2nd
    says 'there is no absent; the archive holds c.npy, d.npy, f.npy, zero.npy, empty.npy, \.\.\.$'
    run 2 import six.npz: x.b2nd
    run 3 import six.npz:object x.b2nd
    run 2 import one.npz x.b2nd --shape 6
    run 3 import absent.npz x.b2nd
    run 3 import absent.npz:c x.b2nd
    cp c.npy no.npz # what it is decides
    run 0 import no.npz x.b2nd
    rm x.b2nd
    tail -c +2 c.npy >no.npz
    run 3 import no.npz x.b2nd
    says '^tess: no.npz: cannot open as .npz: '

    # a member that is damaged, too long, or cut off
    sed 's/9999/9998/' stored.npz >hurt.npz
    run 3 import hurt.npz:d x.b2nd
    says 'CRC'
    cp long.npy c.npy
    zip -q long.npz c.npy
    run 3 import long.npz x.b2nd
    says 'expected 12 bytes of items, found 24$'
    size=$(wc -c <deflated.npz)
    n=0
    while [ $n -lt "$size" ]; do
        head -c $n deflated.npz >cut.npz
        run 3 import cut.npz:d x.b2nd
        n=$((n + size / 50 + 1))
    done
    # bytes of the tables changed, one at a time: whatever comes out, it ends in an orderly way
    for n in 1 5 9 20 30 40 45 60 80 100 120 150 200 250 300 350 400; do
        cp deflated.npz bent.npz
        printf '\377' | dd of=bent.npz bs=1 seek=$((size - n)) conv=notrunc 2>/dev/null
        "$tess" import bent.npz:d bent.b2nd --force >out 2>err
        status=$?
        [ $status -eq 0 ] || [ $status -eq 2 ] || [ $status -eq 3 ] ||
            fail "a bent archive, byte -$n: status $status: $(cat err)"
    done
    [ ! -e x.b2nd ] || fail "a damaged archive became an array"
else
    : >no.npz
    run 3 import no.npz x.b2nd
fi

### netCDF: attributes and names of dimensions
if has netcdf ncgen; then
    cat >a.cdl <<'END'
netcdf a {
types:
  int enum colour { RED = 0, BLUE = 1 } ;
dimensions:
  time = UNLIMITED ; lat = 2 ; lon = 3 ;
variables:
  short v(time, lat, lon) ;
    v:_FillValue = -999s ;
    v:units = "K" ;
    v:scale_factor = 0.01 ;
    v:valid_range = 0s, 500s ;
    v:count = 18446744073709551615ULL ;
    v:big = 5000000000LL ;
    string v:names = "a", "b\303\266" ;
    string v:one = "x" ;
    v:empty = "" ;
    v:latin = "\260C" ;
    v:single = 0.5f, 1.5f ;
  float odd(lon) ;
    odd:colour = "red" ;
    odd:missing_value = 7 ;
    colour odd:picked = BLUE ;
  double scalar ;
    scalar:_FillValue = 2.5 ;
  double many(lon) ;
    many:a_name_that_is_longer_than_the_library_takes = "yes" ;
    many:attributes = "mine" ;
    many:_tess = 1 ;
    many:n01 = 1 ; many:n02 = 2 ; many:n03 = 3 ; many:n04 = 4 ; many:n05 = 5 ; many:n06 = 6 ;
    many:n07 = 7 ; many:n08 = 8 ; many:n09 = 9 ; many:n10 = 10 ; many:n11 = 11 ; many:n12 = 12 ;
    many:n13 = 13 ; many:n14 = 14 ; many:n15 = 15 ;
    many:missing_value = -9. ;
data:
  v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -999 ;
  odd = 1, 2, 3 ;
  scalar = 0.25 ;
  many = 1, 2, 3 ;
}
END
    ncgen -4 -o a.nc a.cdl || fail "ncgen"
    run 0 import a.nc:v v.b2nd
    has_attributes v.b2nd '_ARRAY_DIMENSIONS  list  ["time", "lat", "lon"]
_FillValue  int  -999
units  string  "K"
scale_factor  float  0.01
valid_range  list  [0, 500]
count  uint  18446744073709551615
big  int  5000000000
names  list  ["a", "bö"]
one  string  "x"
empty  string  ""
latin  string  "°C"
single  list  [0.5, 1.5]'
    run 0 resize v.b2nd 3x2x3
    run 0 slice v.b2nd 1:,1
    prints '[[10 11 -999]
 [-999 -999 -999]]'
    # the fill value is shown as such; where it is kept is no metalayer
    run 0 info v.b2nd
    grep -q '^  fill          -999$' out || fail "info without the fill value: $(cat out)"
    ! grep -q tess_fill out || fail "info: $(cat out)"
    run 0 info v.b2nd --json
    grep -q '"fill": -999, .*"metalayers": {"b2nd": "[0-9a-f]*"}' out || fail "info: $(cat out)"
    run 0 import a.nc:v bare.b2nd --no-attributes
    has_attributes bare.b2nd ''
    run 0 resize bare.b2nd 3x2x3
    run 0 slice bare.b2nd -1,0
    prints '[0 0 0]'
    run 2 append bare.b2nd a.nc:v
    says '^tess: a.nc:v: attribute scale_factor: 0.01 here, none in the array: integers of which only'
    has_attributes bare.b2nd ''
    run 0 import a.nc:scalar scalar.b2nd
    has_attributes scalar.b2nd '_FillValue  float  2.5'

    # what has no counterpart is named; the import is fine nevertheless
    "$tess" import a.nc:odd odd.b2nd >out 2>err || fail "import of a variable with an odd attribute"
    says '^tess: a.nc:odd: not carried over.*: picked$'
    has_attributes odd.b2nd '_ARRAY_DIMENSIONS  list  ["lon"]
colour  string  "red"
missing_value  int  7'

    # more, and longer names, than the library takes; and names that it uses
    run 0 import a.nc:many many.b2nd
    has_attributes many.b2nd "$(
        echo '_ARRAY_DIMENSIONS  list  ["lon"]'
        for n in 01 02 03 04 05 06 07 08 09 10 11 12; do echo "n$n  int  ${n#0}"; done
        echo 'missing_value  float  -9.0' # conversions look for it by its name
        echo 'attributes  map  {"a_name_that_is_longer_than_the_library_takes": "yes",' \
            '"attributes": "mine", "_tess": 1, "n13": 13, "n14": 14, "n15": 15}'
    )"
    run 0 verify many.b2nd
    grep -q 'matches its checksum' out || fail "no room was left for checksums: $(cat out)"
fi

### export to netCDF, and back
npy wide.npy "{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }" '\077\360\0\0\0\0\0\0\300\0\0\0\0\0\0\0'
npy half.npy "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }" '\0\074\0\300\001\0'
npy bool.npy "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }" '\0\1'
npy complex.npy "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }" '\0\0\200\077\0\0\0\300'
npy text.npy "{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }" 'abcd\0\0'
npy time.npy "{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1,), }" '\1\0\0\0\0\0\0\0'
for name in wide half bool complex text time zero empty; do
    run 0 import $name.npy $name.b2nd --force
done
run 2 export wide.b2nd wide.xyz
run 2 export wide.b2nd wide.xyz:v
run 2 export wide.b2nd wide.npy:v
run 2 export wide.b2nd wide.npy --force --level 3
if has netcdf ncgen ncdump; then
    run 0 export wide.b2nd wide.nc --level 9
    run 0 import wide.nc:wide back.b2nd --force
    run 0 slice back.b2nd :
    prints '[1.0 -2.0]'
    run 0 export half.b2nd half.nc
    run 0 import half.nc:half back.b2nd --force
    run 0 slice back.b2nd :
    prints '[1.0 -2.0 5.9604645e-08]'
    run 0 export bool.b2nd b.nc:flags
    run 0 import b.nc:flags back.b2nd --force
    run 0 slice back.b2nd :
    prints '[0 1]'
    run 0 export zero.b2nd zero.nc
    run 0 import zero.nc:zero back.b2nd --force
    run 0 diff zero.b2nd back.b2nd
    run 0 export empty.b2nd empty.nc:e
    run 0 import empty.nc:e back.b2nd --force
    run 0 slice back.b2nd :
    prints '[]'
    for name in complex text time; do
        run 3 export $name.b2nd x.nc
        says 'items of type .* have no counterpart in netCDF$'
    done
    run 0 export wide.b2nd 'group.nc:a/b'
    run 0 import group.nc:a/b back.b2nd --force
    run 2 export wide.b2nd 'x.nc:a/'
    run 3 export wide.b2nd wide.nc
    run 2 export wide.b2nd x.nc:
    run 2 export wide.b2nd x.nc --level 10
    [ ! -e x.nc ] || fail "what netCDF cannot hold became a file"

    # attributes have the type of the items, or int, int64, uint64, double, text, string
    cat >r.cdl <<'END'
netcdf r {
dimensions:
  time = 2 ; lat = 2 ; lon = 3 ;
variables:
  short v(time, lat, lon) ;
    v:_FillValue = -999s ;
    v:units = "K" ;
    v:scale_factor = 0.01 ;
    v:valid_range = 0s, 500s ;
    v:count = 18446744073709551615ULL ;
    v:big = 5000000000LL ;
    v:small = 5 ;
    string v:names = "a", "b\303\266" ;
    v:empty = "" ;
    v:pair = 0.5, 1.5 ;
    v:a_name_that_is_longer_than_the_library_takes = "yes" ;
data:
  v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -999 ;
}
END
    ncgen -4 -o r.nc r.cdl || fail "ncgen"
    run 0 import r.nc:v r.b2nd --force --chunks 1x2x2 --blocks 1x1x2
    mkdir out.d
    run 0 export r.b2nd out.d/r.nc:v
    ncdump r.nc >before.txt && ncdump out.d/r.nc >after.txt || fail "ncdump"
    diff before.txt after.txt >&2 || fail "netCDF came back as another"
    ncdump -s -h out.d/r.nc >special.txt
    for part in 'v:_ChunkSizes = 1, 2, 2 ;' 'v:_DeflateLevel = 4 ;' 'v:_Shuffle = "true" ;'; do
        grep -q "$part" special.txt || fail "netCDF without $part: $(cat special.txt)"
    done
    run 0 export r.b2nd part.nc:v --slice 1,:,::-2 --no-attributes
    [ "$(ncdump part.nc | tr -d '\n\t ')" = \
        'netcdfpart{dimensions:dim_0=2;dim_1=2;variables:shortv(dim_0,dim_1);data:v=9,7,-999,10;}' ] ||
        fail "a part without attributes: $(ncdump part.nc)"
    run 0 export r.b2nd named.nc:v --slice 1,:,::-2
    grep -q . out && fail "export printed $(cat out)"
    ncdump -h named.nc | grep -q 'short v(lat, lon) ;' || fail "names of dimensions of a part"

    # names that are no names, lengths that disagree, values without a counterpart
    run 0 import wide.npy odd.b2nd --force
    run 0 append odd.b2nd wide.npy
    run 0 attr odd.b2nd set _ARRAY_DIMENSIONS '["a/b"]'
    run 0 attr odd.b2nd set map '{"a": 1}'
    run 0 attr odd.b2nd set mixed '[1, "a"]'
    run 0 attr odd.b2nd set none '[]'
    run 0 attr odd.b2nd set flag true
    "$tess" export odd.b2nd odd.nc:v >out 2>err || fail "export with odd attributes: $(cat err)"
    says '^tess: odd.nc:v: not carried over.*: map, mixed, none$'
    says '^tess: odd.nc:v: dimension 0 is called dim_0, as netCDF does not take a/b$'
    ncdump -h odd.nc | grep -q 'double v(dim_0) ;' || fail "a dimension without a good name"
    ncdump -h odd.nc | grep -q 'v:flag = 1UB ;' || fail "a boolean attribute"
    run 0 import r.npy square.b2nd
    run 0 attr square.b2nd set _ARRAY_DIMENSIONS '["x", "x"]'
    "$tess" export square.b2nd square.nc:v >out 2>err || fail "one name for two: $(cat err)"
    says '^tess: square.nc:v: dimension 1 is called dim_1, as x has another length in the file$'
    ncdump -h square.nc | grep -q 'short v(x, dim_1) ;' || fail "two lengths of one dimension"

    # attributes of a variable, as those of an array, say what its items mean
    printf 'netcdf f { dimensions: x = 3 ; variables: short v(x) ; v:_FillValue = -1s ; %s }' \
        'v:scale_factor = 0.5 ; data: v = 8, _, 4 ;' | ncgen -4 -o f.nc || fail ncgen
    run 0 create mine.b2nd --shape 1 --dtype '<i2'
    run 0 attr mine.b2nd set scale_factor 0.25
    run 0 attr mine.b2nd set _FillValue -99
    run 0 append mine.b2nd f.nc:v
    run 0 slice mine.b2nd :
    [ "$(cat out)" = '[0 16 -99 8]' ] || fail "appended of netCDF: $(cat out)"

    # real data, if they are there
    real=/usr/share/ferret-vis/data/coads_climatology.cdf
    if [ -r $real ]; then
        run 0 import $real:SST sst.b2nd --chunks 5x50x50
        run 0 export sst.b2nd sst.nc
        ncdump -v SST $real | sed -n '/^data:/,$p' >before.txt
        ncdump -v sst sst.nc | sed -n '/^data:/,$p' | sed 's/^ sst =/ SST =/' >after.txt
        cmp before.txt after.txt || fail "the values of $real came back as others"
        ncdump -h $real | grep '	SST:' >before.txt
        ncdump -h sst.nc | grep '	sst:' | sed 's/sst:/SST:/' >after.txt
        cmp before.txt after.txt || fail "the attributes of $real came back as others"
    fi
elif ! has netcdf; then
    run 3 export wide.b2nd x.nc
fi

### export to HDF5, and back
if has hdf5; then
    for name in wide half bool complex text zero empty; do
        run 0 export $name.b2nd $name.h5:/some/group/data
        run 0 import $name.h5:some/group/data back.b2nd --force
        run 0 diff $name.b2nd back.b2nd
        [ "$(type_of $name.b2nd)" = "$(type_of back.b2nd)" ] || fail "$name has another type"
    done
    run 3 export time.b2nd x.h5
    says 'items of type <M8.s. have no counterpart in HDF5$'
    run 3 export wide.b2nd wide.h5
    [ ! -e x.h5 ] || fail "what HDF5 cannot hold became a file"
    run 0 export d.b2nd d.h5 --level 0 --slice ::-1,10:
    run 0 export d.b2nd d.raw --slice ::-1,10:
    run 0 import d.h5:d back.b2nd --force
    run 0 export back.b2nd -
    cmp -s out d.raw || fail "a part came back from HDF5 as another"
    if has hdf5 "$MAKE_HDF5" h5dump; then
        run 0 export rich.b2nd back.h5:/rich
        run 0 import back.h5:/rich back.b2nd --force
        run 0 diff rich.b2nd back.b2nd
        "$tess" attr rich.b2nd | sort >before.txt
        "$tess" attr back.b2nd | sort >after.txt
        cmp before.txt after.txt || fail "attributes came back from HDF5 as others"
        h5dump -p -H -d /rich back.h5 | tr -d '\n\t ' >dump.txt
        h5dump -p -H -d /rich t.h5 | tr -d '\n\t ' >original.txt
        for part in 'DATATYPEH5T_STD_I16BE' 'FILLVALUE{FILL_TIMEH5D_FILL_TIME_IFSETVALUE-7}'; do
            grep -qF "$part" dump.txt || fail "HDF5 without $part"
            grep -qF "$part" original.txt || fail "the original without $part"
        done
        grep -q 'SHUFFLE.*DEFLATE{LEVEL4}' dump.txt || fail "HDF5 without shuffle and deflate"
    fi
else
    run 3 export wide.b2nd x.h5
fi

# where writing fails nothing is left, and what was there stays
for file in big.nc big.h5; do
    case $file in *nc) has netcdf || continue ;; *) has hdf5 || continue ;; esac
    printf 'old' >$file
    (
        ulimit -f 8
        "$tess" export d.b2nd $file --force --level 0
    ) >out 2>err
    [ $? -eq 3 ] || fail "export to $file beyond the file size limit: $(cat err)"
    [ "$(cat $file)" = old ] || fail "export beyond the file size limit replaced $file"
    [ "$(wc -l <err)" -eq 1 ] || fail "export to $file: more than one sentence: $(cat err)"
    ls .tess-* 2>/dev/null && fail "export beyond the file size limit left a file behind"
done

[ $failed -eq 0 ] && echo "convert.sh: all checks passed"
[ $failed -eq 0 ]
