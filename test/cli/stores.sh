#!/bin/sh
# stores.sh - arrays in stores of python-blosc2, .b2z and .b2d, from outside.
#
#     sh stores.sh TESS [netcdf]
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

names() {
    checks=$((checks + 1))
    got=$(sed 1d out | cut -d' ' -f1 | tr '\n' ' ')
    [ "${got% }" = "$1" ] || fail "listed $got instead of $1"
}

equal() {
    checks=$((checks + 1))
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

mkdir -p s.b2d/winds/deep
head -c 4800 /dev/zero | tr '\0' 'abc' >raw
run 0 import raw s.b2d/a.b2nd --dtype '<i4' --shape 30x40 --chunks 10x40
run 0 import raw s.b2d/winds/u.b2nd --dtype '<i2' --shape 2400 --chunks 500
run 0 import raw s.b2d/winds/deep/v.b2nd --dtype '|u1' --shape 60x80
run 0 attr s.b2d/winds/u.b2nd set units m/s
python3 - <<'END' || exit 1
import os, zipfile
with zipfile.ZipFile("s.b2z", "w", zipfile.ZIP_STORED) as z:
    for folder, _, files in os.walk("s.b2d"):
        for name in files:
            path = os.path.join(folder, name)
            z.write(path, os.path.relpath(path, "s.b2d"))
    z.write("s.b2d/a.b2nd", "packed.b2nd", zipfile.ZIP_DEFLATED)
END

run 0 ls s.b2z
names 's.b2z/a'
run 0 ls -R s.b2z
names 's.b2z/a s.b2z/winds/deep/v s.b2z/winds/u'
run 0 ls
names ''
run 0 ls -R
names 's.b2d/a s.b2d/winds/deep/v s.b2d/winds/u s.b2z/a s.b2z/winds/deep/v s.b2z/winds/u'
run 0 ls -R s.b2z --json
grep -q '"path": "s.b2z/winds/u"' out || fail "JSON: $(cat out)"

# What reads an array reads one in a store, and finds the same.
for path in a winds/u winds/deep/v; do
    run 0 info s.b2z/$path
    size=$(wc -c <s.b2d/$path.b2nd)
    grep -q "^  file  *$size bytes" out || fail "info: $(cat out)"
    run 0 export s.b2z/$path z.bin --force
    run 0 export s.b2d/$path d.bin --force
    run 0 export s.b2d/$path.b2nd f.bin --force
    equal z.bin f.bin
    equal d.bin f.bin
    run 0 diff s.b2z/$path s.b2d/$path.b2nd
    run 0 verify s.b2z/$path
    run 0 stat s.b2z/$path
    run 0 copy s.b2z/$path copy.b2nd --force
    run 0 diff copy.b2nd s.b2d/$path
done
run 0 attr s.b2z/winds/u get units
[ "$(cat out)" = '"m/s"' ] || fail "attribute: $(cat out)"
run 0 slice s.b2z/a 0,0

# Attributes of groups, as python-blosc2 keeps them: in a super-chunk __vlmeta__.b2f.
cp s.b2d/winds/u.b2nd s.b2d/winds/__vlmeta__.b2f
cp s.b2d/winds/u.b2nd s.b2d/__vlmeta__.b2f
for path in s.b2d s.b2d/ s.b2d/winds; do
    run 0 attr $path get units
    [ "$(cat out)" = '"m/s"' ] || fail "attribute of $path: $(cat out)"
done
run 3 attr s.b2d/winds/deep
says 'has no attributes'
run 0 ls s.b2d
names 's.b2d/a'

# What changes an array changes one in a directory, and none in a zip file.
cp s.b2z before
run 3 resize s.b2z/a 3x3
says 'a zip file of arrays can only be read'
run 3 create s.b2z/new --shape 3 --dtype '<i4'
equal s.b2z before
run 0 attr s.b2d/winds/u set units km/h
run 0 attr s.b2d/winds/u get units
[ "$(cat out)" = '"km/h"' ] || fail "attribute: $(cat out)"
run 0 attr s.b2d/winds set title wind
run 0 attr s.b2d/winds get title
[ "$(cat out)" = '"wind"' ] || fail "attribute of a group: $(cat out)"


# A new store, made by its first array; each command is a commit.
run 0 create new.b2d/grid/x --shape 4x6 --dtype '<i4'
run 0 set new.b2d/grid/x 0,0 7
run 0 copy new.b2d/grid/x new.b2d/grid/y --codec zstd
run 0 append new.b2d/grid/x new.b2d/grid/y
run 0 resize new.b2d/grid/y 2x6
run 0 import raw new.b2d/raw --dtype '<i4' --shape 30x40
run 0 concat new.b2d/grid/x new.b2d/grid/y new.b2d/both
run 3 create new.b2d/raw --shape 4 --dtype '<i4'
says 'exists; --force replaces it'
run 0 create new.b2d/raw --shape 4 --dtype '<i4' --force
run 3 create new.b2d/sparse --shape 4 --dtype '<i4' --layout sparse
says 'a sparse array'
run 3 create new.b2d/../out --shape 4 --dtype '<i4'
run 0 ls -R new.b2d
names 'new.b2d/both new.b2d/grid/x new.b2d/grid/y new.b2d/raw'
run 0 info new.b2d/both
grep -q 'shape  *10x6' out || fail "both: $(cat out)"
[ -f new.b2d/grid/x.b2nd ] || fail 'an array of a store is not a file of its path'
[ -f new.b2d/embed.b2e ] || fail 'a new store has no embed.b2e'

# Copied to a zip file, and back.
run 0 copy new.b2d new.b2z
run 3 copy new.b2d new.b2z
run 0 copy new.b2d new.b2z --force
run 0 copy new.b2z back.b2d
run 3 copy new.b2z back.b2d
run 2 copy new.b2z file.b2nd
says 'a store is copied to a .b2z or .b2d'
run 2 copy new.b2d other.b2z --codec zstd
for path in both grid/x grid/y raw; do
    run 0 diff new.b2d/$path new.b2z/$path
    run 0 diff new.b2d/$path back.b2d/$path
done
checks=$((checks + 1))
python3 - <<'END' || fail 'python finds the zip file wrong'
import zipfile
with zipfile.ZipFile("new.b2z") as z:
    assert z.testzip() is None
    names = z.namelist()
    assert names[-1] == "embed.b2e" and "grid/x.b2nd" in names, names
    assert all(m.compress_type == zipfile.ZIP_STORED for m in z.infolist())
END

# A whole file as a store, and back.
if command -v ncgen >/dev/null && [ "${2:-}" = netcdf ]; then
    cat >t.cdl <<'END'
netcdf t { dimensions: time = UNLIMITED ; x = 4 ;
  variables: double time(time) ; time:units = "days since 2000-01-01" ;
    float u(time, x) ; u:_FillValue = -1.f ; u:long_name = "wind" ; :title = "all" ; :n = 5s ;
  data: time = 1, 2, 3 ; u = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ;
  group: sub { dimensions: y = 2 ; variables: int z(y) ; :title = "inner" ; data: z = 7, 8 ; } }
END
    ncgen -k nc4 -o t.nc t.cdl || exit 1
    run 0 import t.nc whole.b2d
    run 0 ls -R whole.b2d
    names 'whole.b2d/sub/z whole.b2d/time whole.b2d/u'
    run 0 attr whole.b2d/sub get title
    [ "$(cat out)" = '"inner"' ] || fail "attribute: $(cat out)"
    run 0 copy whole.b2d whole.b2z
    ncdump t.nc | sed 1d >t.txt
    for path in whole.b2d whole.b2z; do
        run 0 export $path back.nc --force
        ncdump back.nc | sed 1d >back.txt
        equal t.txt back.txt
    done
    run 0 commits whole.b2d --name then
    run 0 set whole.b2d/u : 7
    run 0 rename whole.b2d/sub whole.b2d/other
    for path in whole.b2d@then whole.b2d@then/; do
        run 0 export $path back.nc --force
        ncdump back.nc | sed 1d >back.txt
        equal t.txt back.txt
    done
    run 3 export whole.b2d@no back.nc --force
    says 'has no commit no'
    echo 'no array' >whole.b2d/u # no entry
    run 0 export whole.b2d/ back.nc --force
    rm whole.b2d/u
    run 0 commits whole.b2d --forget then
    run 3 import t.nc whole.b2d
    says 'File exists'
    run 0 import t.nc whole.b2d --force
    run 0 import t.nc new.b2d/climate/
    run 0 diff whole.b2d/sub/z new.b2d/climate/sub/z
    checks=$((checks + 1))
    [ "$(find whole.b2d -name '0000*' | wc -l)" -eq 1 ] || fail 'commits of a store are left'
else
    echo 'stores.sh: without netCDF, whole files were not imported'
fi

run 3 info s.b2z/nothing
says 'the store has no entry /nothing'
run 3 info s.b2z/winds
says '/winds is a group'
run 3 info s.b2z/packed
says 'the store has no entry /packed'
run 3 info s.b2z
says 'a zip file; tess ls lists the arrays of a .b2z'
run 3 info nothing.b2z/a
says 'No such file'
run 2 slice s.b2z/a 0 --offset 5
echo 'no zip file' >text.b2z
run 3 ls text.b2z
says 'no zip file'
run 3 info text.b2z/a
says 'no zip file'

[ $failed -eq 0 ] && echo "stores.sh: $checks checks passed"
[ $failed -eq 0 ]
