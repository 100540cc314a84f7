#!/bin/sh
# set.sh - tess set from outside: which items change, and to what.
#
#     sh set.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

# shows PATH EXPR TEXT
shows() {
    run 0 slice "$1" "$2"
    [ "$(cat out)" = "$3" ] || fail "$1 $2 is
$(cat out)
instead of:
$3"
}

bytes() {
    for byte in "$@"; do
        printf "\\$(printf '%03o' "$byte")"
    done
}

# A .npy file of bytes: npy NAME TYPE ORDER SHAPE NUMBER...
npy() {
    file=$1
    header="{'descr': '$2', 'fortran_order': $3, 'shape': $4, }"
    shift 4
    {
        printf '\223NUMPY\001\000\166\000'
        printf '%-117s\n' "$header"
        bytes "$@"
    } >"$file"
}

### one value
run 0 create a.b2nd --shape 3x4 --dtype '<i2' --chunks 2x2 --blocks 1x2
cp a.b2nd zeros.b2nd
run 0 set a.b2nd 1,2 -5
[ ! -s out ] || fail "set prints something"
run 0 set a.b2nd ::2,::-2 7 --threads 1
run 0 set a.b2nd 2 9
shows a.b2nd ... '[[0 7 0 7]
 [0 0 -5 0]
 [9 9 9 9]]'
run 0 set a.b2nd 5:9 1
run 0 set a.b2nd -- -1,-1 8
shows a.b2nd -1 '[9 9 9 8]'
run 0 set a.b2nd ... 1
shows a.b2nd ... '[[1 1 1 1]
 [1 1 1 1]
 [1 1 1 1]]'
run 0 create s --shape 4 --dtype '<M8[s]' --layout sparse
run 0 set s 1:3 2024-02-29T12:00
shows s ... '[1970-01-01T00:00:00 2024-02-29T12:00:00 2024-02-29T12:00:00 1970-01-01T00:00:00]'
run 0 create scalar.b2nd --shape '' --dtype '<c16'
run 0 set scalar.b2nd ... 1-2j
shows scalar.b2nd ... 1.0-2.0j
run 0 create t.b2nd --shape 2 --dtype '<U4'
run 0 set t.b2nd 1 'süß'
shows t.b2nd ... '["" "süß"]'

cp zeros.b2nd a.b2nd
run 2 set a.b2nd 0,0 40000
says '^tess: a.b2nd: 40000: out of range; integers of 2 bytes go from -32768 to 32767'
run 2 set a.b2nd 0,0 nan
run 2 set a.b2nd 3,0 1
says 'index 3 is outside axis 0'
run 2 set a.b2nd 0,0,0 1
run 2 set a.b2nd 0,0
says 'VALUE is missing, or --from FILE'
run 2 set a.b2nd 0,0 1 --from zeros.b2nd
says 'exclude each other'
run 2 set a.b2nd
run 3 set missing.b2nd 0 1
run 2 set a.b2nd 0 --from zeros.b2nd --misfit maybe
says 'none of error, saturate, wrap'
cmp -s a.b2nd zeros.b2nd || fail "a mistake changed the file"

### structures: all fields, or one of them
type="[('id', '<i2'), ('', '|V1'), ('w', [('v', '>i2'), ('m', '|u1', (2, 2))]), ('t', '|S2')]"
run 0 create p.b2nd --shape 3x4 --dtype "$type" --chunks 2x3 --blocks 1x2 \
    --fill '(1, (2, [[3, 4], [5, 6]]), "ab")'
shows p.b2nd -1,-1 '(1, (2, [[3, 4], [5, 6]]), "ab")'
run 0 set p.b2nd 1,2 '(-1,(300,[[7,8],[9,10]]),"\x61,")'
shows p.b2nd 1,2 '(-1, (300, [[7, 8], [9, 10]]), "a,")'
run 0 set p.b2nd 0,0 0100000002030405066162
shows p.b2nd 0,0 '(1, (2, [[3, 4], [5, 6]]), "ab")'
cp p.b2nd whole.b2nd
for slice in ::2,::-2 :,1:3 ::-1,0 ... 3:; do # of all of them, the rest stays
    run 0 set p.b2nd "$slice" 77 --field id
    run 0 slice p.b2nd --field id
    cp out ids
    run 0 export whole.b2nd ids.npy --field id --force
    run 0 import ids.npy ids.b2nd --force
    run 0 set ids.b2nd "$slice" 77
    run 0 slice ids.b2nd
    cmp -s out ids || fail "set $slice --field id: $(cat ids)"
    for field in w t; do
        run 0 slice whole.b2nd --field $field
        cp out was
        run 0 slice p.b2nd --field $field
        cmp -s out was || fail "set $slice --field id changed $field: $(cat out)"
    done
    cp whole.b2nd p.b2nd
done
run 0 set p.b2nd 0,:,1,::-1 99 --field w.m
shows p.b2nd 0,0 '(1, (2, [[3, 4], [99, 99]]), "ab")'
shows p.b2nd 1,0 '(1, (2, [[3, 4], [5, 6]]), "ab")'
run 0 set p.b2nd :,0,1,2: 9 --field w.m # of nothing
run 0 set p.b2nd 0,0 '(-5, [[1, 2], [3, 4]])' --field w
shows p.b2nd 0,0 '(1, (-5, [[1, 2], [3, 4]]), "ab")'
run 0 set p.b2nd 0,1 x --field t
shows p.b2nd 0,1 '(1, (2, [[3, 4], [99, 99]]), "x")'
run 0 create d --shape 5 --dtype "$type" --layout sparse
run 0 set d 1::2 258 --field w.v
run 0 slice d --field w.v ...
[ "$(cat out)" = '[0 258 0 258 0]' ] || fail "a field of a sparse array: $(cat out)"

cp p.b2nd whole.b2nd
run 2 set p.b2nd 0,0 '(1, (2, [[3, 4], [5, 256]]), "ab")'
says '^tess: p.b2nd: field w.m: 256: out of range'
run 2 set p.b2nd 0,0 '(1, (2, [[3, 4], [5, 6]]))'
says '^tess: p.b2nd: field t: there are 2 values for 3 fields$'
run 2 set p.b2nd 0,0 7
says 'neither fields such as (1, 2.5, "ab") nor 22 digits in hexadecimal$'
run 2 set p.b2nd 0,0 70000 --field w.v
says '^tess: p.b2nd: --field w.v: 70000: out of range'
run 2 set p.b2nd 0,0 '(1)' --field w
says '^tess: p.b2nd: --field w: field m: there are 1 values for 2 fields$'
run 2 set p.b2nd 0,0 1 --field x
says 'no such field; there are id, w, t$'
run 2 set p.b2nd 0,0,2,0 1 --field w.m
says 'outside axis 2'
run 2 set p.b2nd 0,0 --from p.b2nd --field w
says 'takes a VALUE'
run 2 set a.b2nd 0,0 1 --field x
says 'have no fields'
run 2 create no.b2nd --shape 2 --dtype "$type" --fill '(1, 2)'
says '^tess: no.b2nd: --fill field w: 2: neither fields such as'
cmp -s p.b2nd whole.b2nd || fail "a mistake changed the file"

### from a file: shapes as NumPy broadcasts them
npy in.npy '|u1' False '(4,)' 1 2 3 4
run 0 set a.b2nd 1 --from in.npy
shows a.b2nd ... '[[0 0 0 0]
 [1 2 3 4]
 [0 0 0 0]]'
run 0 set a.b2nd ... --from in.npy
shows a.b2nd ... '[[1 2 3 4]
 [1 2 3 4]
 [1 2 3 4]]'
run 0 set a.b2nd ::-2,::-1 --from in.npy
shows a.b2nd ... '[[4 3 2 1]
 [1 2 3 4]
 [4 3 2 1]]'
npy in.npy '|u1' True '(3, 1)' 10 20 30
run 0 set a.b2nd :,:3 --from in.npy
shows a.b2nd ... '[[10 10 10 1]
 [20 20 20 4]
 [30 30 30 1]]'
npy in.npy '|u1' True '(3, 2)' 1 2 3 4 5 6
run 0 set a.b2nd :,1:3 --from in.npy
shows a.b2nd ... '[[10 1 4 1]
 [20 2 5 4]
 [30 3 6 1]]'
npy in.npy '|u1' False '(1, 1, 2)' 7 8
run 0 set a.b2nd 0,:2 --from in.npy
shows a.b2nd 0 '[7 8 4 1]'
npy in.npy '|u1' False '()' 99
run 0 set a.b2nd :,0 --from in.npy
shows a.b2nd :,0 '[99 99 99]'
run 0 set a.b2nd 1,1 --from in.npy
shows a.b2nd 1,1 99
run 0 set a.b2nd 5:,: --from in.npy
bytes 1 0 2 0 3 0 4 0 >raw
run 0 set a.b2nd 0 --from raw --dtype '<u2' --shape 4
shows a.b2nd 0 '[1 2 3 4]'
bytes 0 5 0 6 0 7 0 8 >raw
input=raw
run 0 set a.b2nd 0 --from - --dtype '>i2' --shape 4
input=/dev/null
shows a.b2nd 0 '[5 6 7 8]'
run 0 copy a.b2nd row.b2nd --slice ::-1
run 0 set a.b2nd ... --from row.b2nd
run 0 diff a.b2nd row.b2nd
run 0 set a.b2nd ::-1 --from a.b2nd
shows a.b2nd 0 '[5 6 7 8]'

### conversions
npy in.npy '<i2' False '(4,)' 1 0 255 255 44 1 0 128
run 0 create u.b2nd --shape 4 --dtype '|u1'
cp u.b2nd u0.b2nd
run 3 set u.b2nd ... --from in.npy
says '^tess: u.b2nd: .*1'
cmp -s u.b2nd u0.b2nd || fail "a misfit changed the file"
run 0 set u.b2nd ... --from in.npy --misfit saturate
shows u.b2nd ... '[1 0 255 0]'
run 0 set u.b2nd ::-1 --from in.npy --misfit wrap
shows u.b2nd ... '[0 44 255 1]'
run 0 create f.b2nd --shape 2x4 --dtype '>f4'
run 0 set f.b2nd 1,::-1 --from in.npy
shows f.b2nd ... '[[0.0 0.0 0.0 0.0]
 [-32768.0 300.0 -1.0 1.0]]'
run 0 create day.b2nd --shape 4 --dtype '<M8[D]'
run 0 set day.b2nd ... --from s
shows day.b2nd 1 2024-02-29
run 2 set t.b2nd ... --from in.npy
says 'items of type <i2, 2 bytes; those of the array are <U4, 16 bytes'
npy in.npy '|u1' False '(3,)' 1 2 3
run 2 set u.b2nd ... --from in.npy
says '^tess: in.npy: axis 0: 3 items, 4 are selected'
npy in.npy '|u1' False '(2, 4)' 1 2 3 4 5 6 7 8
run 2 set u.b2nd ... --from in.npy
says '2 dimensions, 1 are selected'
run 2 set u.b2nd ... --from raw
says 'raw input needs --dtype and --shape'
run 3 set u.b2nd ... --from missing.npy

### more than a buffer: box by box, and back after a failure
{ head -c 67999998 /dev/zero; head -c 2000000 /dev/urandom; printf '\000x'; } >big.raw
run 0 create big.b2nd --shape 7x5000x2000 --dtype '|u1' --fill 3 --chunks 1x1000x2000
cp big.b2nd before.b2nd
run 2 set big.b2nd ... --from big.raw --dtype '|u1' --shape 70000000
run 0 set big.b2nd ... --from big.raw --dtype '|u1' --shape 7x5000x2000
run 0 export big.b2nd big2.raw
cmp -s big.raw big2.raw || fail "other items were set"
rm big2.raw
cp before.b2nd big.b2nd
run 0 set big.b2nd ::-1,... --from big.raw --dtype '|b1' --shape 7x5000x2000 --misfit error
shows big.b2nd 0,-1,-1 1
shows big.b2nd 0,-1,-2 0
run 0 create twice.b2nd --shape 14x5000x2000 --dtype '<i2' --fill -1 --chunks 1x1000x2000
cp twice.b2nd before.b2nd
run 0 import big.raw in.b2nd --dtype '|u1' --shape 7x5000x2000 --layout sparse --chunks 1x1000x2000
run 0 set twice.b2nd ::2 --from in.b2nd
shows twice.b2nd 11:13,-1,-1 '[-1 120]'
# the last chunk is damaged, or missing: the others were set before
dd if=in.b2nd/00000001.chunk of=cut bs=20 count=1 2>/dev/null
mv cut in.b2nd/00000001.chunk
"$tess" verify in.b2nd >out && fail "the damage does no harm: $(ls in.b2nd)"
cp before.b2nd twice.b2nd
run 3 set twice.b2nd ::2 --from in.b2nd
says '^tess: in.b2nd: '
run 0 diff twice.b2nd before.b2nd
run 0 verify twice.b2nd
# stdin ends too early
head -c 69000000 big.raw >short.raw
input=short.raw
run 2 set twice.b2nd 1::2 --from - --dtype '|u1' --shape 7x5000x2000
input=/dev/null
run 0 diff twice.b2nd before.b2nd
run 0 set --help
grep -q '^usage: tess set PATH EXPR' out || fail "no usage"
"$tess" --help | grep -q '  set ' || fail "tess --help does not name set"

### items whose attributes give them another meaning: set, append, insert, concat
# described PATH DTYPE VALUES NAME=VALUE...: an array of three
described() {
    described=$1
    n=0
    run 0 create "$1" --shape 3 --dtype "$2" --force
    for value in $3; do
        run 0 set "$1" $n -- "$value"
        n=$((n + 1))
    done
    shift 3
    for attr in "$@"; do
        run 0 attr "$described" set "${attr%%=*}" "${attr#*=}"
    done
}
while IFS='|' read -r what type attrs from_type from_attrs values text; do
    described target.b2nd "$type" '' $attrs
    described from.b2nd "$from_type" "$values" $from_attrs
    case $text in
    '['*)
        run 0 set target.b2nd : --from from.b2nd
        shows target.b2nd : "$text"
        if [ "$type" = "$from_type" ]; then
            run 0 append target.b2nd from.b2nd
            shows target.b2nd 3: "$text"
            run 0 insert target.b2nd from.b2nd --at 0
            shows target.b2nd :3 "$text"
            [ -z "$from_attrs" ] || [ "$attrs" = "$from_attrs" ] || run 2 concat target.b2nd from.b2nd x.b2nd
        fi
        ;;
    *)
        cp target.b2nd before.b2nd
        for words in 'set target.b2nd : --from from.b2nd' 'append target.b2nd from.b2nd' \
            'insert target.b2nd from.b2nd --at 0'; do
            [ "$type" = "$from_type" ] || [ "${words%% *}" = set ] || continue
            "$tess" $words >out 2>err && fail "$what: $words is taken"
            says "^tess: .*$text"
            "$tess" diff target.b2nd before.b2nd >out || fail "$what: $words changed the array"
        done
        ;;
    esac
done <<'END'
another missing value|<i2|_FillValue=-99|<i2|_FillValue=-1|1 -1 3|[1 -99 3]
two names for it|<i2|_FillValue=-99|<i2|missing_value=-1|1 -1 3|[1 -99 3]
the same one|<i2|_FillValue=-1|<i2|_FillValue=-1|1 -1 3|[1 -1 3]
bounds of its own|<i2|_FillValue=-99|<i2|valid_range=[0,2]|1 2 3|[1 2 -99]
an upper one|<f4|_FillValue=-99|<f4|valid_max=2|1 2 3|[1.0 2.0 -99.0]
another scale|<i2|scale_factor=0.5 _FillValue=-99|<i2|scale_factor=0.25 _FillValue=-1|8 -1 4|[4 -99 2]
another offset|<u1|add_offset=10|<u1|add_offset=20|1 2 3|[11 12 13]
floats into packed|<i2|scale_factor=0.5 _FillValue=-99|<f8||1.5 nan 3|[3 -99 6]
packed into floats|<f4||<i2|scale_factor=0.5 _FillValue=-1|3 -1 4|[1.5 nan 2.0]
packed into floats with one|<f4|_FillValue=-9|<i2|scale_factor=0.5 _FillValue=-1|3 -1 4|[1.5 -9.0 2.0]
it says nothing of itself|<i2|scale_factor=0.5 _FillValue=-99|<i2||1 -99 3|[1 -99 3]
the array says nothing|<i2||<i2|_FillValue=-1|1 -1 3|attribute _FillValue: -1 here, none in the array: no value
only one is packed|<i2|scale_factor=0.5|<i2|_FillValue=-1|1 2 3|attribute scale_factor: none here, 0.5 in the array
8 bytes|<i8|_FillValue=-99|<i8|_FillValue=-1|1 -1 3|attribute _FillValue: -1 here, -99 in the array: doubles
times|<M8[s]|_FillValue=-99|<M8[s]|_FillValue=-1|2024-01-01 2024-01-02 2024-01-03|attribute _FillValue: -1 here, -99 in the array: only numbers
a number that is missing there|<i2|_FillValue=-99|<i2|_FillValue=-1|1 -99 3|-99 is a number here, and would become -99
too large when packed|<i2|scale_factor=0.001|<i2|scale_factor=1|1 2 300|does not fit
END

[ $failed -eq 0 ] && echo "set.sh: $checks checks passed"
[ $failed -eq 0 ]
