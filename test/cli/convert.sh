#!/bin/sh
# convert.sh - tess import and tess export between formats: values, attributes, names of dimensions.
#
#     sh convert.sh TESS [netcdf] [hdf5] [npz]
#
# The words are what TESS was built with; $MAKE_HDF5 is test/cli/make_hdf5.c. Other programs make and look at the files: ncgen, ncdump,
# h5dump, zip; what needs one that is not there is left out. Stops with status 1 when a check
# failed, and names each that did.
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

# run STATUS ARGUMENTS...: tess; if it fails one sentence on stderr, and nothing left behind.
run() {
    expected=$1
    shift
    "$tess" "$@" >out 2>err </dev/null
    check "$expected" "$*"
}

# piped STATUS FILE ARGUMENTS...: the same, with a pipe as standard input.
piped() {
    expected=$1
    file=$2
    shift 2
    { cat "$file"; } 2>/dev/null | "$tess" "$@" >out 2>err
    check "$expected" "$*"
}

check() {
    status=$?
    [ $status -eq "$1" ] || fail "tess $2: status $status, not $1: $(cat err)"
    if [ $status -eq 0 ]; then
        [ ! -s err ] || fail "tess $2: words on stderr: $(cat err)"
    else
        grep -q '^tess: ' err || fail "tess $2: no sentence on stderr"
        [ "$(wc -l <err)" -eq 1 ] || fail "tess $2: more than one sentence: $(cat err)"
    fi
    for leftover in .tess-*; do
        [ ! -e "$leftover" ] || fail "tess $2: left $leftover behind"
        rm -f "$leftover"
    done
}

says() {
    grep -q -- "$1" err || fail "said \"$(cat err)\" without \"$1\""
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

# Numbers of seven digits, each with a blank: 8 bytes.
count() {
    awk "BEGIN { for (i = 0; i < $1; i++) printf \"%07d \", i % 1000003 }"
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
count 16000000 >many
for layout in '' '--chunks 4x1000x1000 --level 1' '--layout sparse'; do
    # shellcheck disable=SC2086
    piped 0 many import - large.b2nd --force --dtype '<i4' --shape 4x8000x1000 $layout
    run 0 export large.b2nd -
    cmp -s out many || fail "a large stream came out as another: $layout"
done
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<i4', 'fortran_order': True, 'shape': (100, 80000, 4), }"
    cat many
} >large.npy
run 0 import large.npy large.b2nd --force --chunks 10x1000x4
piped 0 large.npy import - largep.b2nd
run 0 diff large.b2nd largep.b2nd
rm -rf large* many

### HDF5
if has hdf5 "$MAKE_HDF5"; then
    "$MAKE_HDF5" t.h5 || fail "make_hdf5"
    type_of() {
        "$tess" info --json "$1" | sed 's/.*"dtype": "\([^"]*\)".*/\1/'
    }
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
    says '^tess: t.h5:rich: left behind.*: g_odd$'
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

    # cut off, or bytes changed: whatever comes out, it ends in an orderly way
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
            [ "$(wc -l <err)" -le 1 ] || fail "$file at byte $n: more than one sentence: $(cat err)"
        done
        n=$((n + size / 40 + 1))
    done
    [ ! -e x.b2nd ] || fail "what cannot be imported became an array"
else
    : >no.h5
    run 3 import no.h5:x x.b2nd
fi

### .npz, stored and deflated
if has npz zip; then
    awk 'BEGIN { for (i = 0; i < 40000; i++) printf "%d", i }' >digits
    head -c 160000 digits >digits.cut
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "{'descr': '<i4', 'fortran_order': False, 'shape': (40, 1000), }"
        cat digits.cut
    } >d.npy
    zip -q -0 stored.npz c.npy d.npy && zip -q deflated.npz d.npy f.npy zero.npy &&
        zip -q one.npz c.npy && zip -q six.npz c.npy d.npy f.npy zero.npy empty.npy object.npy ||
        fail zip
    run 0 import d.npy d.b2nd
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
    run 2 import absent.npz:c x.b2nd
    cp c.npy no.npz
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
    run 0 import a.nc:v bare.b2nd --no-attributes
    has_attributes bare.b2nd ''
    run 0 resize bare.b2nd 3x2x3
    run 0 slice bare.b2nd -1,0
    prints '[0 0 0]'
    run 0 append bare.b2nd a.nc:v
    has_attributes bare.b2nd ''
    run 0 import a.nc:scalar scalar.b2nd
    has_attributes scalar.b2nd '_FillValue  float  2.5'

    # what has no counterpart is named; the import is fine nevertheless
    "$tess" import a.nc:odd odd.b2nd >out 2>err || fail "import of a variable with an odd attribute"
    says '^tess: a.nc:odd: left behind.*: picked$'
    has_attributes odd.b2nd '_ARRAY_DIMENSIONS  list  ["lon"]
colour  string  "red"
missing_value  int  7'

    # more, and longer names, than the library takes; and names that it uses
    run 0 import a.nc:many many.b2nd
    has_attributes many.b2nd "$(
        echo '_ARRAY_DIMENSIONS  list  ["lon"]'
        for n in 01 02 03 04 05 06 07 08 09 10 11 12 13; do echo "n$n  int  ${n#0}"; done
        echo 'attributes  map  {"a_name_that_is_longer_than_the_library_takes": "yes",' \
            '"attributes": "mine", "_tess": 1, "n14": 14, "n15": 15}'
    )"
    run 0 verify many.b2nd
    grep -q 'checksums' out || fail "no room was left for checksums: $(cat out)"
fi

[ $failed -eq 0 ] && echo "convert.sh: all checks passed"
[ $failed -eq 0 ]
