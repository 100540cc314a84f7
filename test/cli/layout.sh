#!/bin/sh
# layout.sh - tess layout from outside: what it prints, keeps, makes and refuses.
#
#     sh layout.sh TESS [nozfp]
#
# Which layout is best is nobody's to say here; that rows agree with options and array is. JSON and
# CSV are read with Python, if there is one. Stops with status 1 when a check failed.
. "$(dirname "$0")/start.sh"
without=${2-}

subcommand=layout
prints=yes

# refused WORDS ARGUMENTS...: at once, whatever the budget.
refused() {
    words=$1
    shift
    run 2 --budget 300s "$@"
    says "$words"
}

# holds CONDITION...: Python's, each true of the JSON in ./out, d; rows are
# the best one and those that are not only known from elsewhere.
holds() {
    [ "$python" ] || return 0
    "$python" -SE - "$@" <<'END' || fail 'JSON, see above'
import json, sys
d = json.load(open('out'))
layouts = d['layouts']
def one(role):
    return next((l for l in layouts if role in l['roles']), None)
best = one('best')
rows = [l for l in layouts if 'best' in l['roles'] or not {'stored', 'blosc2'} & set(l['roles'])]
false = [condition for condition in sys.argv[1:] if not eval(condition, globals())]
for condition in false:
    print('not so:', condition, file=sys.stderr)
sys.exit(1 if false else 0)
END
}

python=$(command -v python3)
quick='--budget 0.1s' # a few layouts

# numbers NAME TYPE SHAPE COUNT OPTIONS...: COUNT numbers of 4 bytes, or as many as that TYPE takes
numbers() {
    name=$1 type=$2 shape=$3 count=$4
    shift 4
    awk -v n="$count" 'BEGIN { for (i = 0; i < n; i++) printf "%03d%c", i / 50 % 300, 65 + i % 23 }' \
        >raw.bin
    "$tess" import raw.bin "$name" --dtype "$type" --shape "$shape" --force "$@" ||
        fail "no array $name"
}

### the table

numbers a.b2nd '<i4' 30x40x50 60000 --chunks 10x20x25 --blocks 5x10x25 --codec blosclz
"$tess" attr a.b2nd set units K || fail 'no attribute'
run 0 a.b2nd $quick
for words in '^a.b2nd: 30x40x50, <i4' '^best[, ]' 'automatic ' 'blosc2 default ' 'write MB/s  read MB/s' 'L1 [0-9]* KiB, L2 ' 'as stored ' \
    'plane:2' 'The best layout is ' 'Options of tess copy: --chunks \|No difference: '; do
    grep -q -e "$words" out || fail "no $words in $(cat out)"
done
command=$(sed -n 's/^Options of tess copy: //p' out)
[ "$command" ] || grep -q '^No difference: ' out || fail 'no options of tess copy'
# shellcheck disable=SC2086
"$tess" copy a.b2nd by-hand.b2nd $command || fail "tess copy: $command does not work"
"$tess" diff a.b2nd by-hand.b2nd || fail "tess copy: $command makes another array"

### --json

run 0 a.b2nd $quick --json
holds 'd["verdict"] in ("better", "no difference", "present")' '0 < d["noise"] < 1' \
    '"stored" not in best["roles"] or d["verdict"] == "present"'
holds 'set(d) == {"name", "shape", "dtype", "sample_shape", "threads", "caches",
            "disk_bytes_per_second", "disk_latency_seconds", "mix", "seconds", "cut_short",
            "applied", "verdict", "noise", "layouts"}' \
    'all(set(l) == {"roles", "chunkshape", "blockshape", "codec", "codec_meta", "clevel",
            "filters", "filters_id", "filters_meta", "cratio", "write_bytes_per_second", "read_bytes_per_second", "accesses", "mix_seconds",
            "rounds", "on_front"} for l in layouts)' \
    'd["name"] == "a.b2nd" and d["shape"] == [30, 40, 50] == d["sample_shape"]' \
    'd["dtype"] == "<i4" and d["applied"] is None and len(d["caches"]) == 3' \
    'd["mix"][0] == {"access": "full", "weight": 1} and len(d["mix"]) == 5' \
    '[m["access"] for m in d["mix"]] == [a["access"] for a in best["accesses"]]' \
    'all(l["cratio"] > 0 and l["mix_seconds"] > 0 and l["rounds"] > 0 for l in layouts)' \
    'all(1 <= b <= c <= s for l in layouts
         for b, c, s in zip(l["blockshape"], l["chunkshape"], d["shape"]))' \
    'one("stored")["chunkshape"] == [10, 20, 25] and one("stored")["codec"] == "blosclz"' \
    'one("stored")["blockshape"] == [5, 10, 25]' \
    'one("blosc2")["codec"] == "zstd" and one("automatic")["codec"] == "lz4"' \
    'sum("best" in l["roles"] for l in layouts) == 1' \
    'len({json.dumps([l[k] for k in ("chunkshape", "blockshape", "codec", "clevel", "filters")])
          for l in layouts}) == len(layouts)' \
    'all(abs(sum(m["weight"] * a["seconds"] for m, a in zip(d["mix"], l["accesses"]))
             - l["mix_seconds"]) < 0.01 * l["mix_seconds"] for l in layouts)' \
    'any(l["on_front"] for l in layouts) and min(layouts, key=lambda l: l["mix_seconds"])["on_front"]'

# The disk: none of it, a part of each access, or nearly all.
run 0 a.b2nd $quick --json --disk-speed 0
holds 'd["disk_bytes_per_second"] is None' 'all(a["of_disk"] == 0 for a in best["accesses"])'
run 0 a.b2nd $quick --json --access full,point --disk-speed 0.001 --disk-latency 3
holds 'd["disk_bytes_per_second"] == 1e3 and d["disk_latency_seconds"] == 0.003' \
    'all(a["of_disk"] >= 0.003 and a["seconds"] >= a["of_disk"]
         for l in layouts for a in l["accesses"])' \
    'best["accesses"][0]["of_disk"] > 0.9 * best["accesses"][0]["seconds"]'

### --csv: a line of names, and as many fields in each

run 0 a.b2nd $quick --csv --access 'box:3x3x3*2,row,append:0,update:2x2x2,write,line:1*0.5'
sed 's/"[^"]*"//g' out | awk -F, 'NR == 1 { n = NF } NF != n || n != 18 { exit 1 }
    END { exit NR < 4 }' || fail "fields of $(cat out)"
head -n 1 out | grep -q \
    '^roles,chunks,blocks,.*,box:3x3x3,row,append:0,update:2x2x2,write,line:1,mix_seconds,' ||
    fail "names of $(head -n 1 out)"

### --apply

run 0 a.b2nd $quick --json --apply applied.b2nd
holds 'd["applied"] == "applied.b2nd"'
"$tess" diff a.b2nd applied.b2nd || fail 'what is applied differs from the array'
[ "$("$tess" attr applied.b2nd get units)" = '"K"' ] || fail 'the attribute is lost'
"$tess" info --json applied.b2nd >info || fail 'no info of what was applied'
holds 'all(json.load(open("info"))[k] == best[k] for k in
           ("chunkshape", "blockshape", "codec", "clevel", "filters_id", "filters_meta"))'
cp applied.b2nd before
run 3 a.b2nd --budget 300s --apply applied.b2nd # at once
says 'exists'
cmp -s applied.b2nd before || fail 'what exists was replaced'
run 0 a.b2nd $quick --apply applied.b2nd --force --chunks 15x40x50 --blocks 5x5x50
"$tess" info --json applied.b2nd | tr -d ' \n' | grep -q '"chunkshape":\[15,40,50\]' ||
    fail 'not made with these chunks'
cp a.b2nd itself.b2nd
run 0 itself.b2nd $quick --apply itself.b2nd --force
"$tess" diff a.b2nd itself.b2nd || fail 'an array put in its own place differs'
run 3 a.b2nd --budget 300s --apply nowhere/out.b2nd
refused 'apply' --shape 30x40 --dtype '<f4' --apply described.b2nd
[ ! -e described.b2nd ] || fail 'a refused --apply made something'
"$tess" export a.b2nd a.npy || fail 'no .npy'
run 0 a.npy $quick --json --apply imported.b2nd
"$tess" info --json imported.b2nd >info || fail 'no info of what was imported'
holds 'all(json.load(open("info"))[k] == best[k] for k in
           ("chunkshape", "blockshape", "codec", "clevel", "filters_id", "filters_meta"))'
"$tess" export imported.b2nd b.npy && cmp -s a.npy b.npy || fail 'what is imported differs'
"$tess" layout - <a.npy >out 2>err && fail 'layout - passed'
says 'once'

### --plot

if command -v gnuplot >/dev/null 2>&1; then
    run 0 a.b2nd $quick --plot plot.svg
    grep -q '</svg>' plot.svg || fail 'no SVG'
    run 0 a.b2nd $quick --plot plot.png --access 'full,row*3'
    [ "$(head -c 4 plot.png | tail -c 3)" = PNG ] || fail 'no PNG'
    cp plot.svg before
    run 3 a.b2nd --budget 300s --plot plot.svg
    cmp -s plot.svg before || fail 'a plot was replaced'
    run 0 a.b2nd $quick --plot plot.svg --force
fi
refused 'ends in' a.b2nd --plot plot.pdf
mkdir empty
PATH=$dir/empty "$tess" layout a.b2nd --budget 300s --plot other.svg >out 2>err &&
    fail 'a plot without gnuplot'
says 'gnuplot'
[ ! -s out ] && [ ! -e other.svg ] || fail 'a plot without gnuplot, but something came of it'

### what is fixed stays

for budget in 1s 5s; do # on most machines the first is enough
    run 0 a.b2nd --budget $budget --json --chunks 30x20x50
    [ "$(grep -o '"chunkshape"' out | wc -l)" -le 3 ] || break
done
holds 'all(l["chunkshape"] == [30, 20, 50] for l in rows)' \
    'one("stored")["chunkshape"] == [10, 20, 25]' 'len(rows) > 1'
run 0 a.b2nd $quick --json --blocks 7x9x11
holds 'all(l["blockshape"] == [7, 9, 11] for l in rows)'
run 0 a.b2nd $quick --json --chunks 30x20x50 --blocks 5x20x50
holds 'all(l["chunkshape"] + l["blockshape"] == [30, 20, 50, 5, 20, 50] for l in rows)'
run 0 a.b2nd $quick --json --codec zstd
holds 'all(l["codec"] == "zstd" for l in rows)'
run 0 a.b2nd $quick --json --level 2
holds 'all(l["clevel"] == 2 for l in rows)'
run 0 a.b2nd $quick --json --codec zlib --level 1 --filter bitshuffle
holds 'all((l["codec"], l["clevel"]) == ("zlib", 1) for l in rows)' \
    'all("bitshuffle" in json.dumps(l["filters"]) for l in rows)'
run 0 a.b2nd $quick --json --level 0
holds 'all(l["clevel"] == 0 for l in rows)'
numbers f.b2nd '<f4' 100x100 10000
run 0 f.b2nd $quick --json --filter trunc_prec:10,shuffle --access 'row,update:3x3'
holds 'all("trunc_prec" in json.dumps(l["filters"]) for l in rows)'
run 0 f.b2nd $quick --csv --filter none
if [ "$without" = nozfp ]; then
    echo "layout.sh: skipped: layouts with zfp_rate"
else
    run 0 f.b2nd $quick --json --codec zfp_rate:50 --filter none
    holds 'all((l["codec"], l["codec_meta"]) == ("zfp_rate", 50) for l in rows)'
    run 0 f.b2nd $quick --codec zfp_rate:50 --filter none
    command=$(sed -n 's/^Options of tess copy: //p' out)
    # shellcheck disable=SC2086
    "$tess" copy f.b2nd nearly.b2nd $command || fail "tess copy: $command does not work"

    # What an array has lost by its codec it does not lose again, unless that is asked for.
    "$tess" copy f.b2nd l.b2nd --codec zfp_rate:50 --filter none || fail 'no lossy copy'
    run 0 l.b2nd $quick --json --access point --apply again.b2nd
    holds 'all(not l["codec"].startswith("zfp") for l in rows)'
    "$tess" diff l.b2nd again.b2nd || fail 'items changed with the layout'
fi

### all kinds of input

run 0 a.npy $quick --json
holds 'd["name"] == "a.npy" and d["shape"] == [30, 40, 50] and one("stored") is None'
run 0 raw.bin $quick --json --shape 200x50 --dtype '<u4'
holds 'd["shape"] == [200, 50] and d["dtype"] == "<u4"'
"$tess" copy a.b2nd s.d --layout sparse || fail 'no directory'
run 0 s.d $quick --apply t.d
[ -d t.d ] || fail 'a sparse array became a file'
"$tess" diff a.b2nd t.d || fail 'a sparse array differs'
run 0 --shape 120x130 --dtype '<f8' $quick --json
holds 'd["shape"] == [120, 130] and one("stored") is None and one("automatic") and best'

for type in '|b1' '|u1' '<i2' '>i4' '<u8' '<f2' '>f4' '<c16' '|S300' '<U5' '|V17' '<M8[s]' \
    "[('a', '<i4'), ('b', '<f8')]"; do
    run 0 --shape 60x70 --dtype "$type" --budget 0.1s --json
    holds 'd["dtype"] == '"\"$type\""
done
numbers v.b2nd '|V300' 10x13 9750
run 0 v.b2nd --budget 0.1s --apply w.b2nd --access box:2x2,full
"$tess" diff v.b2nd w.b2nd || fail 'items of 300 bytes differ'
for shape in 1 1x1x1 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1; do
    run 0 --shape $shape --dtype '<f4' --budget 0.1s --json
    holds 'all(set(l["chunkshape"] + l["blockshape"]) == {1} for l in layouts)'
done
numbers n.b2nd '|u1' 3x2x2x2x2x2x2x2x2x2x2x2x2x2x1x2 12288
run 0 n.b2nd --budget 0.1s --json --access full,plane:-1,point --apply m.b2nd
holds 'len(best["chunkshape"]) == 16'
"$tess" diff n.b2nd m.b2nd || fail '16 axes differ'

### a sample of a larger array

run 0 --shape 100000x100000 --dtype '<f4' --sample 0.05 --budget 0.5s --json --access plane:0,row
holds 'd["sample_shape"] != d["shape"] == [100000, 100000]' \
    '0 < d["sample_shape"][0] * d["sample_shape"][1] * 4 <= 0.05 * 2**20' \
    'all(a["seconds"] > 0 for l in layouts for a in l["accesses"])'
run 0 a.b2nd --sample 0.01 $quick --json --apply sampled.b2nd
holds 'd["sample_shape"][0] * d["sample_shape"][1] * d["sample_shape"][2] * 4 <= 0.01 * 2**20'
"$tess" diff a.b2nd sampled.b2nd || fail 'what was chosen by a sample differs'
run 0 a.b2nd --sample 0 $quick
run 0 a.b2nd --budget 0

### --exhaustive

run 0 --shape 60x100 --dtype '<f4' --budget 3s --exhaustive --json --access full,row
holds 'len(layouts) > 3 and d["seconds"] < 60'

### refusals

refused 'axis 0 is empty' --shape 0x3 --dtype '<f4'
refused 'one layout only' --shape '' --dtype '<f4'
refused 'is needed' --shape 10
refused 'is needed' --dtype '<f4'
refused 'is needed'
refused 'not a shape' --shape 10xx --dtype '<f4'
refused 'not a type' --shape 10 --dtype foo
refused 'not one of' a.b2nd --access foo
refused 'no axis' a.b2nd --access plane:3
refused 'not a shape' a.b2nd --access box:1x2
refused 'not a weight' a.b2nd --access full*-1
for number in x '' -1 1x nan inf; do
    run 2 a.b2nd --budget "$number"
    says 'budget'
    run 2 a.b2nd --budget 300s --sample "$number"
    says 'sample'
done
refused 'disk-speed' a.b2nd --disk-speed fast
refused 'disk-latency' a.b2nd --disk-latency -1
refused 'dimensions' a.b2nd --chunks 3x3
refused 'blocks of 20' a.b2nd --chunks 10x10x10 --blocks 20x1x1
refused 'codec' a.b2nd --codec foo
refused 'level' a.b2nd --level 10
refused 'filter' a.b2nd --filter foo
refused 'dtype and --shape' raw.bin
refused 'bytes' raw.bin --shape 7 --dtype '<f4'
refused 'too many' a.b2nd a.npy
run 3 nothing.b2nd --budget 300s
numbers hollow.b2nd '<f4' 10000 10000 && "$tess" resize hollow.b2nd 0 >out || fail 'no empty array'
refused 'axis 0 is empty' hollow.b2nd

"$tess" --help | grep -q '  layout ' || fail "tess --help does not name layout"
run 0 --help
exit $((failed > 0))
