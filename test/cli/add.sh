#!/bin/sh
# add.sh - tess export to netCDF and HDF5 files that exist: one variable more, or another in place
# of one; all others, groups, attributes and dimensions stay.
#
#     sh add.sh TESS [netcdf] [hdf5]
#
# The words are what TESS was built with; $MAKE_HDF5 is test/cli/make_hdf5.c. Stops with status 1
# when a check failed, and names each that did.
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

# refuses FILE PATTERN ARGUMENTS...: and the file stays as it is
refuses() {
    cp "$1" kept
    file=$1
    pattern=$2
    shift 2
    run 3 "$@"
    says "$pattern"
    cmp -s "$file" kept || fail "a refused export changed $file"
}

# holds FILE:NAME ARRAY: its items
holds() {
    run 0 import "$1" back.b2nd --force
    run 0 export back.b2nd -
    mv out back
    run 0 export "$2" -
    cmp -s out back || fail "$1 does not hold the items of $2"
}

# same WORDS: the last two dumps are
same() { diff before.txt after.txt >&2 || fail "$1"; }

# 2x2x3 shorts, and two of them other
printf '\1\0\2\0\3\0\4\0\5\0\6\0\7\0\10\0\11\0\12\0\13\0\14\0' >items
run 0 import items v.b2nd --dtype '<i2' --shape 2x2x3 --chunks 1x2x3
run 0 attr v.b2nd set _ARRAY_DIMENSIONS '["time", "lat", "lon"]'
run 0 attr v.b2nd set units '"K"'
run 0 copy v.b2nd w.b2nd --slice ::-1
run 0 copy v.b2nd short.b2nd --slice :1
printf '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0' >three
run 0 import three plain.b2nd --dtype '<i8' --shape 3
printf '\0\0\0\100\0\0\200\100' >two
run 0 import two lat.b2nd --dtype '<f4' --shape 2
run 0 attr lat.b2nd set standard_name '"latitude"'

### HDF5
if has hdf5 "$MAKE_HDF5" h5dump; then
    "$MAKE_HDF5" t.h5 || fail "make_hdf5"
    # all FILE: everything in it but /b and /new
    all() {
        h5dump "$1" | sed '/^HDF5 "/d;/^   DATASET "b"/,/^   }/d;/^   GROUP "new"/,/^   }/d'
    }
    all t.h5 >before.txt
    run 0 export v.b2nd t.h5:/b
    all t.h5 >after.txt
    same "a dataset more changed others"
    holds t.h5:/b v.b2nd
    refuses t.h5 '^tess: t.h5:/b: the file holds /b; --force replaces it$' export w.b2nd t.h5:/b
    holds t.h5:/b v.b2nd
    run 0 export w.b2nd t.h5:b --force
    holds t.h5:/b w.b2nd
    run 0 export plain.b2nd t.h5:/b --force # of another type and shape
    holds t.h5:/b plain.b2nd
    run 0 export lat.b2nd t.h5:/new/group/b
    holds t.h5:new/group/b lat.b2nd
    all t.h5 >after.txt
    same "replacing a dataset changed others"
    run 0 export lat.b2nd t.h5:/new/more --force # what --force may replace is not there
    refuses t.h5 ' g is a group or a type, and is not replaced$' export v.b2nd t.h5:g --force
    refuses t.h5 ' /b is no group of the file$' export v.b2nd t.h5:/b/c --force
    run 2 export v.b2nd t.h5:/
    refuses t.h5 " /g/ is a group" export v.b2nd t.h5:/g/

    # a file without :NAME is replaced as a whole, or not at all
    refuses t.h5 '^tess: t.h5: exists; --force replaces the whole file, t.h5:NAME adds to it$' \
        export v.b2nd t.h5
    cp t.h5 whole.h5
    run 0 export v.b2nd whole.h5 --force
    [ "$(h5dump -n whole.h5 | grep -c dataset)" -eq 1 ] || fail "whole.h5 was not replaced"

    # the mode stays, and links, to the file and in the file
    chmod 640 t.h5
    ln -s t.h5 link.h5
    run 0 export v.b2nd link.h5:/b --force
    [ -L link.h5 ] && [ "$(ls -l t.h5 | cut -c1-10)" = -rw-r----- ] || fail "mode, link: $(ls -l)"

    # a scale can only be written over, as others refer to it
    run 0 import t.h5:lon lon.b2nd
    run 0 attr lon.b2nd set units degrees
    printf '\0\0\0\0\0\0\44\100\0\0\0\0\0\0\64\100\0\0\0\0\0\0\76\100' >lon
    run 0 import lon other.b2nd --dtype '<f8' --shape 3
    run 0 attr other.b2nd set units '"degrees_east"'
    h5dump -d /rich t.h5 >before.txt
    refuses t.h5 ' lon is a dimension scale, which other datasets refer to: only items' \
        export plain.b2nd t.h5:lon --force
    refuses t.h5 ' the file holds lon; --force replaces it$' export other.b2nd t.h5:lon
    run 0 export other.b2nd t.h5:lon --force
    holds t.h5:lon other.b2nd
    h5dump -d /rich t.h5 >after.txt
    same "another scale changed the dataset that uses it"
    "$tess" import t.h5:rich rich.b2nd --force 2>/dev/null
    [ "$("$tess" attr rich.b2nd get _ARRAY_DIMENSIONS)" = '["row", "lon"]' ] ||
        fail "the scale was lost: $("$tess" attr rich.b2nd)"
    h5dump -a /lon/units t.h5 | grep -q degrees_east || fail "attributes of another scale"

    # what another program changes meanwhile, or has locked, is not overwritten
    if command -v flock >/dev/null; then
        cp t.h5 kept
        flock -x t.h5 "$tess" export v.b2nd t.h5:/c >out 2>err
        check_run $? 3 "export to a locked file"
        says '^tess: t.h5:/c: another program has it open for writing$'
        cmp -s t.h5 kept || fail "a locked file was changed"
    fi

    head -c 16000000 /dev/urandom >noise
    run 0 import noise noise.b2nd --dtype '|u1' --shape 16000000
    "$tess" export noise.b2nd t.h5:/c --level 9 >out 2>err &
    pid=$!
    while kill -0 $pid 2>/dev/null && ! [ -s "$(echo .tess-*.tmp)" ]; do sleep 0.02; done
    touch t.h5
    wait $pid
    check_run $? 3 "export to a file that is changed meanwhile"
    says '^tess: t.h5:/c: was changed by another program meanwhile$'

    # it is no HDF5 file, or damaged
    cp v.b2nd no.h5
    refuses no.h5 '^tess: no.h5:/b: exists, and cannot be opened as HDF5: ' export v.b2nd no.h5:/b
    refuses no.h5 'exists, and cannot be opened as HDF5: ' export v.b2nd no.h5:/b --force
    head -c 3000 t.h5 >no.h5
    refuses no.h5 'cannot be opened as HDF5: ' export v.b2nd no.h5:/b --force
    mkdir folder.h5
    run 3 export v.b2nd folder.h5:/b --force

    # where writing fails the old file stays
    cp t.h5 kept
    (
        ulimit -f 100
        "$tess" export noise.b2nd t.h5:/b --force --level 0
    ) >out 2>err
    check_run $? 3 "export beyond the file size limit"
    cmp -s t.h5 kept || fail "an export that failed changed the file"
fi

### netCDF, of each kind
if has netcdf ncgen ncdump; then
    cat >c.cdl <<'END'
netcdf c {
dimensions:
  time = UNLIMITED ; lat = 2 ; lon = 3 ; n = 4 ;
variables:
  float lat(lat) ;
    lat:units = "degrees_north" ;
  short v(time, lat, lon) ;
    v:units = "degC" ;
    v:scale_factor = 0.5 ;
  double time(time) ;
    time:units = "days since 2000-01-01" ;
  char name(n) ;
  float scalar ;
  int r(time) ;
  byte m(lat, lon) ;
  :title = "kept" ;
data:
  lat = 10, 20 ; time = 1, 2 ; name = "abcd" ; scalar = 7 ; r = 5, 6 ; m = 1, 2, 3, 4, 5, 6 ;
  v = -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12 ;
}
END
    # all FILE: everything in it but the variables v and new, blank lines left out
    all() { ncdump "$1" | sed '1d;/[ 	]\(v\|new\)[(:]/d;/^ \(v\|new\) =/,/;/d;/^$/d'; }
    for kind in classic '64-bit offset' netCDF-4 'netCDF-4 classic model' cdf5; do
        ncgen -k "$kind" -o c.nc c.cdl || fail "ncgen -k $kind"
        all c.nc >before.txt
        run 0 export v.b2nd c.nc:new
        holds c.nc:new v.b2nd
        refuses c.nc '^tess: c.nc:v: the file holds v; --force replaces it$' export v.b2nd c.nc:v
        run 0 export w.b2nd c.nc:v --force
        holds c.nc:v w.b2nd
        ncdump -h c.nc | grep -q '	short v(time, lat, lon) ;' || fail "$kind: dimensions of v"
        ncdump -h c.nc | grep -q '	v:units = "K" ;' || fail "$kind: attributes of v"
        ncdump -h c.nc | grep -q 'v:scale_factor' && fail "$kind: an attribute of the old v"
        run 0 export w.b2nd c.nc:new --force --no-attributes --slice 0
        all c.nc | grep -v 'dim_' >after.txt
        same "$kind: other variables, attributes or dimensions are not what they were"
        [ "$(ncdump -k c.nc)" = "$kind" ] || fail "$kind: the kind is $(ncdump -k c.nc)"
        run 2 export v.b2nd c.nc:/

        # the variable of a dimension
        run 0 attr lat.b2nd set _ARRAY_DIMENSIONS '["lat"]'
        run 0 export lat.b2nd c.nc:lat --force
        holds c.nc:lat lat.b2nd
        ncdump -h c.nc | grep -q '	float lat(lat) ;' || fail "$kind: the dimension of lat"
        ncdump -h c.nc | grep -q 'lat:standard_name = "latitude" ;' || fail "$kind: attributes"
        ncdump -h c.nc | grep -q 'lat:units' && fail "$kind: an attribute of the old lat"
        case $kind in
        netCDF-4*)
            refuses c.nc 'lat has the values of a dimension: only items of the same type' \
                export v.b2nd c.nc:lat --force
            ;;
        *) run 0 export v.b2nd c.nc:lat --force ;;
        esac

        # what a kind of file cannot hold
        case $kind in
        netCDF-4)
            run 0 export plain.b2nd c.nc:/g/h/new
            holds c.nc:g/h/new plain.b2nd
            refuses c.nc ' g is a group, and is not replaced$' export v.b2nd c.nc:g --force
            ;;
        *)
            refuses c.nc 'classic model (netCDF-3), which has no groups$' export v.b2nd c.nc:g/new
            ;;
        esac
        case $kind in
        netCDF-4 | cdf5) run 0 export plain.b2nd c.nc:long ;;
        *)
            refuses c.nc '(netCDF-3), in which items of type <i8 have no counterpart$' \
                export plain.b2nd c.nc:long
            ;;
        esac
        case $kind in
        netCDF-4*) ;;
        *) refuses c.nc 'in which nothing is compressed$' export v.b2nd c.nc:x --level 3 ;;
        esac

        # dimensions of another length, and without names, again and again
        cp c.nc d.nc
        "$tess" export short.b2nd d.nc:short >out 2>err || fail "$kind: $(cat err)"
        says '^tess: d.nc:short: dimension 0 is called dim_0.*, as time has another length in the '
        for last in 3 2 1; do
            run 0 export v.b2nd d.nc:p$last --no-attributes --slice ...,:$last
            run 0 import d.nc:p$last back.b2nd --force
        done
        run 0 export w.b2nd d.nc:v --force
        holds d.nc:p3 v.b2nd
        holds d.nc:v w.b2nd
    done

    # an unlimited dimension of which the variable was the only one may get another length
    for kind in classic netCDF-4; do
        echo 'netcdf u { dimensions: time = UNLIMITED ; lat = 2 ; lon = 3 ;
            variables: short v(time, lat, lon) ; data: v = 1, 2, 3, 4, 5, 6 ; }' |
            ncgen -k "$kind" -o u.nc
        run 0 export v.b2nd u.nc:v --force
        ncdump -h u.nc | grep -q 'UNLIMITED ; // (2 currently)' || fail "$kind: $(ncdump u.nc)"
        holds u.nc:v v.b2nd
    done

    # files that only HDF5 knows how to look into stay whole, too: scales, and what they list
    if has hdf5 h5dump; then
        ncgen -k netCDF-4 -o c.nc c.cdl
        for i in 1 2 3; do run 0 export w.b2nd c.nc:v --force; done
        [ "$(h5dump -a /lat/REFERENCE_LIST c.nc | grep -c 'DATASET [0-9]* "/')" -eq 2 ] ||
            fail "scales list what is gone: $(h5dump -a /lat/REFERENCE_LIST c.nc)"
        h5dump c.nc >/dev/null 2>err || fail "h5dump: $(cat err)"
    fi
    printf old >no.nc
    refuses no.nc '^tess: no.nc:v: exists, and cannot be opened as netCDF: ' \
        export v.b2nd no.nc:v --force
fi

### names of dimensions that are too few are told
run 0 attr v.b2nd set _ARRAY_DIMENSIONS '["lat", "lon"]'
for file in few.nc few.h5; do
    case $file in *nc) has netcdf || continue ;; *) has hdf5 || continue ;; esac
    "$tess" export v.b2nd $file >out 2>err || fail "export with few names: $(cat err)"
    says "^tess: $file: dimensions have no names, as _ARRAY_DIMENSIONS has 2 for 3\$"
done

[ $failed -eq 0 ] && echo "add.sh: $checks checks passed"
[ $failed -eq 0 ]
