#!/bin/sh
# tree.sh - whole netCDF and HDF5 files as folders of arrays, and back.
#
#     sh tree.sh TESS [netcdf] [hdf5]
#
# The words are what TESS was built with; $MAKE_HDF5 is test/cli/make_hdf5.c. ncgen, ncdump and
# h5dump make and look at the files; what needs one that is not there is left out. Stops with status 1 when
# a check failed, and names each that did.
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

# listed FOLDER NAMES: what is in it, each name behind a blank.
listed() {
    found=$(cd "$1" && find . ! -name . | sed 's|^\./||' | LC_ALL=C sort | tr '\n' ' ')
    [ "$found" = "$2 " ] || fail "$1 holds $found, not $2"
}

# same_dump A B: all that ncdump says but the name of the file.
same_dump() {
    ncdump "$1" | sed 1d >a.txt && ncdump "$2" | sed 1d >b.txt || fail ncdump
    diff a.txt b.txt >difference || fail "$1 and $2 differ: $(cat difference)"
}

### a folder made by hand, without a record
printf '\1\2\3\4\5\6' >six
mkdir hand hand/inner hand/.hidden
run 0 import six hand/a.b2nd --dtype '|u1' --shape 2x3 --chunks 1x3
run 0 import six hand/x.b2nd --dtype '|u1' --shape 6
run 0 import six hand/inner/b.b2nd --dtype '|u1' --shape 6 --layout sparse
run 0 attr hand/a.b2nd set _ARRAY_DIMENSIONS '["y", "x"]'
run 0 attr hand/x.b2nd set _ARRAY_DIMENSIONS '["x"]'
run 0 attr hand/inner/b.b2nd set _ARRAY_DIMENSIONS '["x"]'
echo words >hand/README
run 2 export hand x.npy
says 'a folder of arrays goes to a whole file'
run 2 export hand x.nc:v
run 2 export hand x.nc --slice 0
run 2 export hand x.nc --field a
mkdir nothing
run 2 export nothing x.nc
if ! has netcdf; then
    run 3 export hand x.nc
elif has netcdf ncdump; then
    # x of a has another length than x of x
    "$tess" export hand hand.nc >out 2>err || fail "export of a folder: $(cat err)"
    ncdump -h hand.nc >dump
    for line in 'ubyte a(y, x)' 'ubyte x(dim_0)' 'ubyte b(dim_0)'; do
        grep -qF "$line" dump || fail "no $line in $(cat dump)"
    done
    says 'dimension 0 is called dim_0, as x has another length'
    # what arrays have beyond a length that is the commit of an append is left out
    echo '{"dimensions": [{"name": "x", "length": 2, "unlimited": true, "appended": true}]}' >hand/group.json
    "$tess" export hand appended.nc >out 2>err || fail "export of an append: $(cat err)"
    [ ! -s err ] || fail "export of an append says $(cat err)"
    ncdump appended.nc | tr -d '\n' | tr -s ' ' >dump
    for line in 'x = UNLIMITED ; // (2 currently)' 'ubyte a(y, x)' 'ubyte b(x)' 'a = {1, 2}, {4, 5} ;' \
        'x = 1, 2 ;' 'b = 1, 2 ;'; do
        grep -qF "$line" dump || fail "no $line in $(cat dump)"
    done
    echo '{"dimensions": [{"name": "x", "length": 9, "unlimited": true, "appended": true}]}' >hand/group.json
    "$tess" export hand longer.nc >out 2>err || fail "export of arrays that are too short: $(cat err)"
    says 'has another length'
    rm hand/group.json
    run 3 export hand hand.nc
    says 'exists; --force replaces'
    "$tess" export hand hand.nc --force >out 2>err || fail "export with --force: $(cat err)"
fi
echo '{"dimensions": [{"name": 1}]}' >hand/group.json
run 3 export hand x.nc
echo '{' >hand/group.json
run 3 export hand x.nc
says 'no JSON'
[ ! -e x.nc ] || fail "a folder that cannot be read became a file"

### netCDF
if has netcdf ncgen ncdump; then
    cat >c.cdl <<'END'
netcdf c {
dimensions:
  time = UNLIMITED ; lat = 2 ; lon = 3 ; unused = 7 ;
variables:
  short v(time, lat, lon) ;
    v:_FillValue = -999s ;
    v:units = "K" ;
    v:scale_factor = 0.01f ;
    v:valid_range = 0s, 500s ;
    v:count = 18446744073709551615ULL ;
    v:big = 5000000000LL ;
    v:small = 3b, 4b ;
    string v:names = "a", "b\303\266" ;
    string v:one = "x" ;
    v:limit = NaN ;
  double time(time) ;
    time:units = "days since 2000-01-01" ;
  float lat(lat) ;
  float lon(lon) ;
    lon:actual_range = 1.f, 2.f ;
  int scalar ;
  byte empty(time, unused) ;
  char letters(lat, lon) ;
// global attributes:
  :title = "all of \"it\"" ;
  :version = 3 ;
  :half = 0.5f ;
data:
  v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -999 ;
  time = 1, 2 ; lat = 10, 20 ; lon = 1, 2, 3 ; scalar = 7 ; letters = "abc", "def" ;
group: g {
  dimensions: lat = 4 ; 
  variables: int w(time, lat) ; int lat(lat) ;
  :note = "inner" ;
  data: w = 1, 2, 3, 4, 5, 6, 7, 8 ; lat = 1, 2, 3, 4 ;
  group: h { variables: ubyte z(lon) ; data: z = 1, 2, 3 ; }
}
}
END
    ncgen -4 -o c.nc c.cdl || fail ncgen
    run 0 import c.nc c/
    listed c 'empty.b2nd g g/group.json g/h g/h/group.json g/h/z.b2nd g/lat.b2nd g/w.b2nd group.json lat.b2nd letters.b2nd lon.b2nd scalar.b2nd time.b2nd v.b2nd'
    run 0 attr c/g/w.b2nd get _ARRAY_DIMENSIONS
    [ "$(cat out)" = '["time", "lat"]' ] || fail "dimensions: $(cat out)"
    run 0 import c.nc:v v.b2nd
    run 0 diff v.b2nd c/v.b2nd
    run 0 export c back.nc
    same_dump c.nc back.nc
    run 0 export c stored.nc --level 0
    same_dump c.nc stored.nc
    # a folder is replaced if it holds arrays, and with --force
    run 3 import c.nc c/
    says 'exists; --force replaces it'
    echo '{' >c/group.json.part # of a writer that was killed
    run 0 import c.nc c/ --force --layout sparse --codec zstd
    [ -e c/v.b2nd/chunks.b2frame ] || fail "no sparse array"
    run 0 export c sparse.nc
    same_dump c.nc sparse.nc
    mkdir mine
    cp six mine/precious
    run 3 import c.nc mine/ --force
    says 'no directory that holds arrays and nothing else'
    listed mine precious
    run 0 import c.nc c/ --force
    run 0 import c.nc empty/ --force --no-attributes
    run 0 attr empty/lat.b2nd
    [ ! -s out ] || fail "attributes in spite of --no-attributes: $(cat out)"
    run 2 import c.nc x/ --chunks 1x2x3
    says '^tess: c.nc: --chunks is for a single array$'
    run 3 import absent.nc x/
    run 2 import six x/ # which is no such file

    # arrays that were changed meanwhile: other lengths, other values of attributes
    cp -R c changed
    for name in v time empty; do run 0 resize changed/$name.b2nd "$(
        "$tess" info changed/$name.b2nd --json | sed 's/.*"shape": \[2\([^]]*\)\].*/3\1/; s/, /x/g'
    )"; done
    run 0 attr changed/v.b2nd set big 7
    run 0 attr changed/v.b2nd set scale_factor 0.1
    run 0 attr changed/v.b2nd set small 300
    rm -r changed/g changed/letters.b2nd
    run 0 export changed changed.nc
    ncdump -h changed.nc >dump
    for line in 'time = UNLIMITED ; // (3 currently)' 'v:big = 7LL' 'v:scale_factor = 0.1 ;' \
        'v:small = 300 ;'; do
        grep -qF "$line" dump || fail "no $line in $(cat dump)"
    done

    # what no array can hold is named and skipped, or a failure
    cat >s.cdl <<'END'
netcdf s {
types: compound pair { int a ; float b ; } ;
dimensions: x = 2 ;
variables: string words(x) ; pair p(x) ; int good(x) ; 
data: words = "a", "b" ; good = 1, 2 ;
}
END
    ncgen -4 -o s.nc s.cdl || fail ncgen
    "$tess" import s.nc s/ >out 2>err
    [ $? -eq 1 ] || fail "import with variables that are skipped: $(cat err)"
    [ "$(grep -c '^tess: s.nc:[a-z]*: skipped: ' err)" -eq 2 ] || fail "skipped: $(cat err)"
    listed s 'good.b2nd group.json'
    run 3 import s.nc strict/ --strict
    [ ! -e strict ] || fail "a failed import left a folder"
    : >none
    run 0 import none s/odd.b2nd --dtype '<c8' --shape 0
    "$tess" export s s2.nc >out 2>err
    [ $? -eq 1 ] || fail "export with an array that is skipped: $(cat err)"
    says 'skipped: items of type <c8 have no counterpart'
    run 3 export s s3.nc --strict
    [ ! -e s3.nc ] || fail "a failed export left a file"

    # netCDF-3
    printf 'netcdf k { dimensions: t = UNLIMITED ; variables: int i(t) ; :a = "b" ; data: i = 1, 2 ; }' |
        ncgen -3 -o k.nc || fail ncgen
    run 0 import k.nc k/
    run 0 export k k4.nc
    same_dump k.nc k4.nc

    # attributes keep their NULs; what netCDF cannot hold is left out and told, and no file is lost
    cat >nul.cdl <<'EOF'
netcdf nul {
dimensions:
    x = 2 ; n = 3 ;
variables:
    char name(x, n) ;
        name:_FillValue = "\000" ;
        name:comment = "a\000b\000" ;
    char other(x, n) ;
        other:_FillValue = "X" ;
        other:units = "K\000" ;
    float v(x) ;
        v:missing_value = "NaN" ;
// global attributes:
        :title = "t\000" ;
data:
    name = "ab", "c" ;
    other = "abc", "cX" ;
    v = 1, 2 ;
}
EOF
    for kind in netCDF-4 classic; do
        ncgen -k $kind -o nul.nc nul.cdl || fail ncgen
        rm -rf nul nul2.nc
        run 0 import nul.nc nul/
        run 0 attr nul/name.b2nd get _FillValue
        [ "$(cat out)" = '"\u0000"' ] || fail "the attribute is $(cat out)"
        run 0 export nul nul2.nc
        ncdump nul.nc | sed 1d >a.txt && ncdump nul2.nc | sed 1d >b.txt || fail ncdump
        diff a.txt b.txt >difference || fail "$kind with NULs: $(cat difference)"
        od -c nul2.nc | tr -d ' \n' | grep -q 'a..b' || fail "no NUL in nul2.nc"
    done
    run 0 export nul/name.b2nd one.nc
    # all at once: a variable of numbers and one of characters for each
    n=0
    for value in '""' '"NA"' '"NaN"' '[1, 2]' '[]' 'null' 'true' '{"a": 1}' '["a", "b"]' '1e300' '"\u00ff"' \
        '[1, "a"]'; do
        n=$((n + 1))
        cp nul/name.b2nd nul/name$n.b2nd
        cp nul/v.b2nd nul/v$n.b2nd
        run 0 attr nul/name$n.b2nd set _FillValue "$value"
        run 0 attr nul/v$n.b2nd set _FillValue "$value"
    done
    rm -f nul2.nc one.nc
    "$tess" export nul nul2.nc >out 2>err || fail "odd _FillValues, a folder: $(cat err)"
    [ "$(grep -c 'not carried over.*: _FillValue$' err)" -eq $((2 * n)) ] || fail "told: $(cat err)"
    ncdump nul2.nc >dump || fail "odd _FillValues: ncdump"
    [ "$(grep -c '^ name[0-9]* = *$' dump)" -eq $((n + 1)) ] || fail "odd _FillValues: $(cat dump)"
    "$tess" export nul/v1.b2nd one.nc >out 2>err || fail "an empty _FillValue: $(cat err)"
    says 'not carried over.*: _FillValue$'
    if has hdf5; then
        "$tess" export nul one.h5 >out 2>err || fail "odd _FillValues, HDF5: $(cat err)"
        says 'nul/v10.b2nd: not carried over.*: _FillValue$' # 1e300, no float of 4 bytes
    fi

    # attributes that hold items are of the type that the array has now
    cat >t.cdl <<'EOF'
netcdf t {
dimensions: x = 3 ;
variables: short v(x) ; v:_FillValue = -999s ; v:valid_range = 0s, 500s ; v:valid_max = 400.f ;
data: v = 1, _, 3 ;
}
EOF
    ncgen -4 -o t.nc t.cdl || fail ncgen
    run 0 import t.nc types/
    run 0 export types t2.nc
    same_dump t.nc t2.nc
    run 0 copy types/v.b2nd types/v.b2nd --dtype '<f8' --force
    run 0 export types t3.nc
    ncdump t3.nc >dump
    for line in 'double v(x)' 'v:_FillValue = -999. ;' 'v:valid_range = 0., 500. ;' 'v:valid_max = 400.f ;' \
        'v = 1, _, 3 ;'; do
        grep -qF "$line" dump || fail "no $line in $(cat dump)"
    done
    run 0 import t.nc:v one.b2nd
    run 0 attr one.b2nd set valid_min 70000
    run 0 attr one.b2nd set missing_value 1.5
    for file in one.nc one.h5; do
        has "$(case $file in *nc) echo netcdf ;; *) echo hdf5 ;; esac)" || continue
        "$tess" export one.b2nd $file --force >out 2>err || fail "export of misfits: $(cat err)"
        says "^tess: $file: not carried over.*: valid_min, missing_value$"
        run 0 import $file back.b2nd --force
        no=said
        run 1 attr back.b2nd get missing_value
        no=quiet
        run 0 attr back.b2nd get valid_range
        [ "$(cat out)" = '[0, 500]' ] || fail "$file: valid_range is $(cat out)"
    done

    # a disk that is full
    head -c 4000000 /dev/urandom >noise
    run 0 import noise big.b2nd --dtype '|u1' --shape 4000000
    mkdir big
    mv big.b2nd big/
    run 0 import six big/a.b2nd --dtype '|u1' --shape 6
    run 0 export big big.nc
    (ulimit -f 2000 && "$tess" import big.nc full/ >out 2>err)
    check_run $? 3 'import on a full disk'
    [ ! -e full ] || fail "a part of a file became a folder"
    (ulimit -f 2000 && "$tess" export big full.nc >out 2>err)
    check_run $? 3 'export on a full disk'
    [ ! -e full.nc ] || fail "a part of a folder became a file"
fi

### HDF5
if has hdf5; then
    # names that no file can have are others on the disk
    mkdir names
    for name in '%2E%2E' 'a%25b' 'c%3Ad' 'blank s'; do
        run 0 import six "names/$name.b2nd" --dtype '|u1' --shape 2x3
    done
    mkdir names/%2Ehidden names/x%2Eb2nd names/group%2Ejson
    run 0 import six names/%2Ehidden/i.b2nd --dtype '|u1' --shape 6
    run 0 export names names.h5
    run 0 import names.h5 again/
    listed again '%2E..b2nd %2Ehidden %2Ehidden/group.json %2Ehidden/i.b2nd a%25b.b2nd blank s.b2nd c%3Ad.b2nd group%2Ejson group%2Ejson/group.json group.json x%2Eb2nd x%2Eb2nd/group.json'
    run 0 export again again.h5
    if command -v h5dump >/dev/null; then
        h5dump names.h5 | sed 1d >a.txt && h5dump again.h5 | sed 1d >b.txt || fail h5dump
        diff a.txt b.txt >difference || fail "names: $(cat difference)"
    fi
    cp six 'names/a%2Fb.b2nd'
    run 3 export names bad.h5
    says 'no name that a file can have'

    if has hdf5 "$MAKE_HDF5" h5dump; then
        "$MAKE_HDF5" t.h5 || fail make_hdf5
        "$tess" import t.h5 t/ >out 2>err
        [ $? -eq 1 ] || fail "import of an HDF5 file: $(cat err)"
        [ -e t/g/i1.b2nd ] && [ -e t/rich.b2nd ] && [ -e t/lon.b2nd ] || fail "$(ls -R t)"
        ! grep -v ': skipped: \|: not carried over' err || fail "words of HDF5: $(cat err)"
        "$tess" export t t2.h5 >out 2>err || fail "export to HDF5: $(cat err)"
        for name in rich lon g/f4 g/bool g/c16 g/S3; do
            h5dump -d $name -y t.h5 | sed 1d | grep -v 'DATASET [0-9]' >a.txt
            "$tess" import t2.h5:$name x.b2nd --force 2>/dev/null || fail "import of t2.h5:$name"
            run 0 diff t/$name.b2nd x.b2nd
        done
        "$tess" import t2.h5 t3/ >out 2>err || fail "$(cat err)"
        "$tess" export t3 t3.h5 >out 2>err || fail "$(cat err)"
        h5dump t2.h5 | sed 1d | sed 's/DATASET [0-9]*/DATASET/' >a.txt
        h5dump t3.h5 | sed 1d | sed 's/DATASET [0-9]*/DATASET/' >b.txt
        diff a.txt b.txt >difference || fail "HDF5 there and back: $(cat difference)"
    fi
    if has hdf5 "$MAKE_HDF5"; then
        # of datasets of 2^36 items only what is stored is read
        "$MAKE_HDF5" sp.h5 sparse || fail make_hdf5
        run 0 import sp.h5 sp/
        for name in f0n c0n c0w; do
            stored=$("$tess" info sp/$name.b2nd | grep -o 'stored  *[01] of 32768 chunks; 3276[78] of zeros')
            [ -n "$stored" ] || fail "$name: $("$tess" info sp/$name.b2nd)"
        done
        for item in f0n:9,9:0 c0n:9,9:0 f7n:9,9:-7 c7n:-1,-1:-7 c0w:4000001,701:4 c0w:4000001,702:0 c0w:0,0:0 \
            c7w:4000001,700:3 c7w:4000001,702:-7 c7w:0,0:-7 f0w:2,3:2 f0w:4,4:0 f7w:3,2:3 f7w:4,4:-7 \
            many:0,99:99 many:0,98:-7 many:50,50:-7 many:50,51:-7 many:50,49:5049; do
            name=${item%%:*} value=${item##*:} at=${item#*:}
            run 0 slice sp/$name.b2nd ${at%:*}
            [ "$(cat out)" = "$value" ] || fail "$item is $(cat out)"
        done
        run 0 import sp.h5:c0w x.b2nd --force --no-attributes
        # tess diff would decode 2^36 items
        "$tess" info x.b2nd | grep -q 'stored  *1 of 32768 chunks' || fail "without attributes: c0w"
        run 0 slice x.b2nd 4000001,700:703
        cp out x.txt
        run 0 slice sp/c0w.b2nd 4000001,700:703
        cmp -s out x.txt || fail "without attributes, c0w has $(cat x.txt), not $(cat out)"
        run 0 import sp.h5:many x.b2nd --force --no-attributes --chunks 7x7
        run 0 slice x.b2nd 0,:4
        [ "$(cat out)" = '[0 -7 -7 3]' ] || fail "without attributes: $(cat out)"
        rm -rf sp sp.h5

        # what cannot be read is named, and all else is imported
        "$MAKE_HDF5" b.h5 broken || fail make_hdf5
        for layout in contiguous sparse; do
            rm -rf b
            "$tess" import b.h5 b/ --layout $layout >out 2>err
            [ $? -eq 3 ] || fail "import of a file of which a part cannot be read: $(cat err)"
            nothing_left 'import of a part'
            [ "$(echo b/*)" = 'b/a_first.b2nd b/group.json b/last.b2nd b/middle.b2nd' ] ||
                fail "imported: $(echo b/*)"
            says "^tess: b.h5:filter: skipped: cannot read: required filter 'lzf' is not registered$"
            says '^tess: b.h5:chunk: skipped: cannot read: '
            says '^tess: b.h5:external: skipped: cannot read: '
            [ "$(grep -c skipped err)" -eq 3 ] || fail "skipped: $(cat err)"
        done
        run 0 slice b/middle.b2nd -1
        [ "$(cat out)" = '[12 13 14 15]' ] || fail "middle is $(cat out)"
        run 0 export b b2.h5
        run 3 import b.h5 strict/ --strict
        run 3 import b.h5:filter x.b2nd --force
        says "^tess: b.h5:filter: cannot read: required filter 'lzf' is not registered$"
        [ ! -e strict ] || fail "a failure made a folder"
    fi
    if has netcdf ncgen ncdump; then
        # dimensions and coordinates survive HDF5
        run 0 export c c.h5
        run 0 import c.h5 h/
        run 0 export h h.nc
        ncdump -h h.nc >dump
        for line in 'time = UNLIMITED ; // (2 currently)' 'short v(time, lat, lon)' 'int w(time, lat)' \
            'v:scale_factor = 0.01f' ':half = 0.5f' ':note = "inner"'; do
            grep -qF "$line" dump || fail "no $line in $(cat dump)"
        done
        cp c.nc c4.h5 # what netCDF-4 writes is HDF5
        run 0 import c4.h5 c4/
        run 0 diff c4/v.b2nd c/v.b2nd
    fi
fi

[ $failed -eq 0 ] && echo "tree.sh: $checks checks"
[ $failed -eq 0 ]
