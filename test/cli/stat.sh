#!/bin/sh
# stat.sh - tess stat from outside: the numbers that it prints and stores.
#
#     sh stat.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

prints() {
    checks=$((checks + 1))
    [ "$(cat out)" = "$1" ] || fail "printed:
$(cat out)
instead of:
$1"
}

bytes() {
    for byte in "$@"; do
        printf "\\$(printf '%03o' "$byte")"
    done
}

bytes 1 2 3 4 5 7 >raw
run 0 import raw a.b2nd --dtype '|u1' --shape 2x3 --chunks 1x2
run 0 create f.b2nd --shape 2x2 --dtype '<f4'
run 0 set f.b2nd 0,0 nan
run 0 set f.b2nd 0,1 -1.5
run 0 set f.b2nd 1,0 inf
run 0 set f.b2nd 1,1 0.1
run 0 create nan.b2nd --shape 3 --dtype '<f8' --fill nan
run 0 create empty.b2nd --shape 0 --dtype '<i4'
run 0 create text.b2nd --shape 3 --dtype '|S2'
run 0 create huge.b2nd --shape 1000000x1000000 --dtype '<i8' --fill 9223372036854775807 \
    --chunks 16384x8192 # of few chunks: each takes a moment

### a row for each array
run 0 stat a.b2nd
prints 'array   items  nonfinite  min  max         mean          std  sum
a.b2nd      6          0    1    7  3.666666667  1.972026594   22'
run 0 stat a.b2nd f.b2nd nan.b2nd empty.b2nd --threads 1
[ "$(wc -l <out)" -eq 5 ] || fail "rows: $(cat out)"
grep -q '^f.b2nd  *4  *2  *-1.5  *0.1  *-0.6999999993  *nan  *-1.39' out || fail "f: $(cat out)"
grep -q '^nan.b2nd  *3  *3  *-  *-  *nan  *nan  *0.0$' out || fail "nan: $(cat out)"
grep -q '^empty.b2nd  *0  *0  *-  *-  *nan  *nan  *0$' out || fail "empty: $(cat out)"
run 0 stat huge.b2nd
grep -q '  1000000000000  *0  *9223372036854775807  *9223372036854775807  *9.22337.*e+18  *0 ' out ||
    fail "huge: $(cat out)"
run 0 stat a.b2nd --slice :,::-2 --json
grep -q '^{"path": "a.b2nd", "dtype": "|u1", "shape": \[2, 2\], "count": 4, "nonfinite": 0, "min": 1, "max": 7, "mean": 3.75, "var": 4.68[0-9]*, "std": 2.16506350946[0-9]*, "sum": 15}$' out ||
    fail "with a slice: $(cat out)"
run 0 stat f.b2nd --json
grep -q '"nonfinite": 2, "min": -1.5, "max": 0.1, "mean": -0.69.*, "var": null, "std": null, "sum": -1.39' out ||
    fail "f: $(cat out)"
run 3 stat text.b2nd
says '^tess: text.b2nd: '
"$tess" stat missing.b2nd a.b2nd text.b2nd >out 2>err
check=$?
[ $check -eq 3 ] || fail "some arrays: status $check"
grep -q '^a.b2nd ' out && [ "$(wc -l <err)" -eq 2 ] || fail "some arrays: $(cat out err)"

### along axes
run 0 stat a.b2nd --axis 0
prints '[2.5 3.5 5.0]'
run 0 stat a.b2nd --axis -1 --op sum
prints '[6 16]'
run 0 stat a.b2nd --axis 0,1 --op max
prints 7
run 0 stat a.b2nd --op min
prints 1
run 0 stat a.b2nd --axis 1 --op var
grep -q '^\[0.66666666666666[0-9]* 1.5555555555555[0-9]*\]$' out || fail "variances: $(cat out)"
run 0 stat a.b2nd --axis 1 --op std
prints '[0.816496580927726 1.247219128924647]'
run 0 stat a.b2nd --op std
prints '1.9720265943665387'
run 0 stat a.b2nd --axis 0 --op count
prints '[2 2 2]'
run 0 stat a.b2nd --axis 0 --op any
prints '[True True True]'
run 0 stat a.b2nd --axis 0 --slice :,1: --op sum --json
prints '{"path": "a.b2nd", "dtype": "<u8", "shape": [2], "op": "sum", "items": [7, 10]}'
run 0 stat f.b2nd --axis 0
prints '[nan -0.6999999992549419]'
run 0 stat f.b2nd --axis 1 --skip-nan --op max
prints '[-1.5 inf]'
run 0 stat a.b2nd a.b2nd --op sum
prints '22
22'

### a field of structures: what an array of its items gives
head -c 13000 /dev/urandom >raw
type="[('id', '<i2'), ('w', [('v', '>i2'), ('m', '|u1', (2, 3))]), ('x', '|S3')]"
run 0 import raw p.b2nd --dtype "$type" --shape 20x50 --chunks 7x16
for field in id w.v w.m; do
    case $field in w.m) chunks=7x16x2x3 ;; *) chunks=7x16 ;; esac # sums of floats are rounded alike
    run 0 export p.b2nd field.npy --field $field --force
    run 0 import field.npy field.b2nd --chunks $chunks --force
    for how in '' --json '--axis 0' '--axis -1 --op max' '--axis 0,1 --op std --json' \
        '--slice ::-3,5:40 --op sum' '--slice 3 --axis 0' '--slice 5:5'; do
        # shellcheck disable=SC2086
        run 0 stat field.b2nd $how
        sed 's/field.b2nd/p.b2nd/' out >wanted
        # shellcheck disable=SC2086
        run 0 stat p.b2nd --field $field $how
        tr -s ' ' <out >found
        tr -s ' ' <wanted | cmp -s - found || fail "stat --field $field $how: $(cat out wanted)"
    done
done
run 0 stat p.b2nd --field w.m --slice 4,:,1,::2 --axis 0 --op max -o top.b2nd
run 0 slice top.b2nd ...
cp out found
run 0 slice p.b2nd 4,:,1,::2 --field w.m
tr -d '[]' <out | awk '{ for (i = 1; i <= 2; i++) if ($i > m[i]) m[i] = $i }
    END { printf "[%d %d]\n", m[1], m[2] }' | cmp -s - found || fail "a stored field: $(cat found)"
run 3 stat p.b2nd
run 3 stat p.b2nd --field x
run 2 stat p.b2nd --field y
says '^tess: p.b2nd: --field y: no such field; there are id, w, x$'
run 2 stat p.b2nd --field w.m --slice 0,0,2
says 'outside axis 2'

### stored
run 0 stat a.b2nd --axis 0 -o m.b2nd --chunks 2 --codec zstd
prints ''
run 0 slice m.b2nd ...
prints '[2.5 3.5 5.0]'
"$tess" info m.b2nd | grep -q 'codec  *zstd' || fail "codec of the result"
run 3 stat a.b2nd --axis 0 -o m.b2nd
says 'exists; --force replaces it'
run 0 stat a.b2nd --axis 1 --op std --output m.b2nd --force --layout sparse
run 0 slice m.b2nd ...
prints '[0.816496580927726 1.247219128924647]'
run 0 stat a.b2nd -o a.b2nd --force
run 0 slice a.b2nd ...
prints 3.6666666666666665

### mistakes
bytes 1 2 3 4 5 7 >raw
run 0 import raw a.b2nd --dtype '|u1' --shape 2x3 --force
run 2 stat a.b2nd --axis 2
says '--axis 2: the array has 2 dimensions'
run 2 stat a.b2nd --axis 0,0
run 2 stat a.b2nd --axis x
run 2 stat a.b2nd --op median
says 'none of sum, mean'
run 2 stat a.b2nd --slice 5
run 2 stat a.b2nd f.b2nd -o no.b2nd
run 2 stat a.b2nd --chunks 2
says '--chunks: is for --output'
run 2 stat empty.b2nd --op max
run 3 stat text.b2nd --op max
run 3 stat huge.b2nd --op sum
run 3 stat huge.b2nd --axis 0 --slice ...,:500000000 -o absent/no.b2nd
run 0 create wide.b2nd --shape 2x100000000 --dtype '|u1'
run 3 stat wide.b2nd --axis 0
says 'the result has 100000000 items: store it with --output'
[ ! -e no.b2nd ] || fail "a mistake made an array"

run 0 stat --help
grep -q '^usage: tess stat PATH' out || fail "no usage"
"$tess" --help | grep -q '  stat ' || fail "tess --help does not name stat"

# missing values are left out on request, and told otherwise
bytes 1 2 3 4 99 99 >six
run 0 import six m.b2nd --dtype '|u1' --shape 2x3 --force
run 0 attr m.b2nd set _ARRAY_DIMENSIONS '["y", "x"]'
run 0 attr m.b2nd set _FillValue 99
"$tess" stat m.b2nd >out 2>err || fail "stat with missing values"
says '^tess: m.b2nd: items that are 99 stand for missing ones; --missing leaves them out$'
grep -q '34.66666667' out || fail "stat with missing values: $(cat out)"
run 0 stat m.b2nd --missing
grep -q 'm.b2nd *6 *2 *1.0 *4.0 *2.5 ' out || fail "stat --missing: $(cat out)"
run 0 stat m.b2nd --missing --axis 0
prints '[2.5 2.0 3.0]'
run 0 stat m.b2nd --missing --axis 1 --op max -o largest.b2nd
run 0 slice largest.b2nd ...
prints '[3.0 4.0]'
run 0 attr largest.b2nd get _ARRAY_DIMENSIONS
prints '["y"]'
run 0 attr m.b2nd set valid_min 2
run 0 stat m.b2nd --missing --op min
prints 2.0
run 0 stat m.b2nd --missing --slice 1 --op count
run 0 attr m.b2nd set _FillValue 5
run 0 stat m.b2nd

[ $failed -eq 0 ] && echo "stat.sh: $checks checks passed"
[ $failed -eq 0 ]
