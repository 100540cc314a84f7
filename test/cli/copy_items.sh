#!/bin/sh
# copy_items.sh - tess copy where items become others: types, packing, downsampling, pyramids.
#
#     sh copy_items.sh TESS
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

# has PATH PATTERN: a line of tess info
has() {
    checks=$((checks + 1))
    "$tess" info "$1" | grep -q -e "$2" || fail "$1: no $2 in $("$tess" info "$1")"
}

bytes() {
    for byte in "$@"; do
        printf "\\$(printf '%03o' "$byte")"
    done
}

### types
run 0 create f.b2nd --shape 2x4 --dtype '<f8' --chunks 1x3 --blocks 1x2 --codec zlib:7
"$tess" set f.b2nd 0 1.9
"$tess" set f.b2nd 1,0 -300
"$tess" set f.b2nd 1,1 70000
"$tess" attr f.b2nd set units '"K"'
run 0 copy f.b2nd g.b2nd --dtype '>f4'
[ ! -s out ] || fail "copy prints something"
shows g.b2nd 0 "$(printf '[1.9 1.9 1.9 1.9]')"
shows g.b2nd 1 '[-300.0 70000.0 0.0 0.0]'
has g.b2nd '>f4'
has g.b2nd 'chunks  *1x3$'
has g.b2nd 'codec  *zlib, level 7'
[ "$("$tess" attr g.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 0 copy f.b2nd g.b2nd --dtype '<i4' --force --blocks 1x1 --chunks 2x2 --layout sparse
shows g.b2nd ... '[[1 1 1 1]
 [-300 70000 0 0]]'
has g.b2nd 'chunks  *2x2$'
run 3 copy f.b2nd g.b2nd --dtype '<i2' --force
says '^tess: g.b2nd: '
shows g.b2nd 1,1 70000
run 0 copy f.b2nd g.b2nd --dtype '<i2' --force --misfit saturate --threads 1
shows g.b2nd 1 '[-300 32767 0 0]'
run 0 copy f.b2nd g.b2nd --dtype '<i2' --force --misfit wrap --slice 1,:2
shows g.b2nd ... '[-300 4464]'
run 0 create t.b2nd --shape 2 --dtype '<M8[D]' --fill 2024-02-29
run 0 copy t.b2nd g.b2nd --dtype '<M8[s]' --force
shows g.b2nd ... '[2024-02-29T00:00:00 2024-02-29T00:00:00]'
run 0 resize g.b2nd 3
shows g.b2nd 2 2024-02-29T00:00:00
run 0 create fill.b2nd --shape 1 --dtype '<f4' --fill 2.5
run 0 copy fill.b2nd g.b2nd --dtype '<f8' --force
run 0 resize g.b2nd 2
shows g.b2nd ... '[2.5 2.5]'
run 0 copy f.b2nd s.b2nd --slice 0,0
run 0 copy s.b2nd g.b2nd --dtype '|u1' --force
shows g.b2nd ... 1
run 0 copy f.b2nd e.b2nd --slice :0
run 0 copy e.b2nd g.b2nd --dtype '|u1' --force
has g.b2nd 'shape  *0x4'
run 0 create text.b2nd --shape 2 --dtype '|S2'
run 3 copy text.b2nd no.b2nd --dtype '<f4'
run 2 copy f.b2nd no.b2nd --dtype '<f4' --misfit maybe
says 'none of error, saturate, wrap'
run 2 copy f.b2nd no.b2nd --misfit wrap
says '--misfit is for'
run 2 copy f.b2nd no.b2nd --dtype rubbish
[ ! -e no.b2nd ] || fail "a mistake made an array"

### packing
run 0 create k.b2nd --shape 4 --dtype '<f4'
"$tess" set k.b2nd 0 280.25
"$tess" set k.b2nd 1 nan
"$tess" set k.b2nd 2 -40
"$tess" set k.b2nd 3 273.15
run 0 copy k.b2nd p.b2nd --dtype '<i2' --pack 0.01,273.15 --missing -32768
shows p.b2nd ... '[710 -32768 -31315 0]'
[ "$("$tess" attr p.b2nd get scale_factor)" = 0.01 ] || fail "no scale_factor"
[ "$("$tess" attr p.b2nd get add_offset)" = 273.15 ] || fail "no add_offset"
[ "$("$tess" attr p.b2nd get _FillValue)" = -32768 ] || fail "no _FillValue"
# an array has 16 attributes: the one without room is named, and --missing would not help
run 0 create full.b2nd --shape 2 --dtype '<f4'
i=0
while [ $i -lt 15 ]; do
    "$tess" attr full.b2nd set "n$i" $i
    i=$((i + 1))
done
run 3 copy full.b2nd no.b2nd --dtype '<i2' --pack 0.5
says "no room for the attribute or metalayer 'add_offset': 16 are there, at most 16 can be\$"
[ ! -e no.b2nd ] || fail "a full array was packed"
"$tess" attr p.b2nd set units '"K"'
run 0 copy p.b2nd u.b2nd --unpack
has u.b2nd '<f8'
shows u.b2nd 1::2 '[nan 273.15]'
[ "$("$tess" attr u.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
no=said
run 1 attr u.b2nd get scale_factor
run 1 attr u.b2nd get _FillValue
run 0 copy p.b2nd u.b2nd --unpack --dtype '<f4' --force
shows u.b2nd 0 280.25
run 0 copy k.b2nd p.b2nd --dtype '<i4' --pack 2 --missing 0 --force --slice :3
shows p.b2nd ... '[140 0 -20]'
run 0 copy k.b2nd u.b2nd --unpack --force
has u.b2nd '<f4'
run 3 copy k.b2nd no.b2nd --dtype '<i2' --pack 0.01
says '^tess: no.b2nd: '
run 3 copy k.b2nd no.b2nd --dtype '|i1' --pack 0.01,273.15 --missing -128
run 2 copy k.b2nd no.b2nd --pack 0.01,0
says '--pack needs --dtype'
for bad in 0 x 1,y 1,2,3 1, nan; do
    run 2 copy k.b2nd no.b2nd --dtype '<i2' --pack $bad
done
run 2 copy k.b2nd no.b2nd --missing 3
says '--missing is for --pack and --dtype'
run 2 copy k.b2nd no.b2nd --dtype '<i2' --pack 1 --missing x
run 2 copy k.b2nd no.b2nd --dtype '<i2' --pack 1 --unpack
says 'exclude each other'
[ ! -e no.b2nd ] || fail "a mistake made an array"

### attributes that hold items become what items become
# attr_is PATH NAME VALUE; the value - : there is none
attr_is() {
    checks=$((checks + 1))
    got=$("$tess" attr "$1" get "$2" 2>/dev/null) || got=-
    [ "$got" = "$3" ] || fail "$1: $2 is $got instead of $3"
}
# tells TEXT ARGUMENTS...: a copy that is fine, and leaves something out
tells() {
    checks=$((checks + 1))
    text=$1
    shift
    "$tess" copy "$@" 2>err || fail "tess copy $*: $(cat err)"
    says "$text"
}
run 0 create s.b2nd --shape 5 --dtype '<f4' --fill -999 --force
"$tess" set s.b2nd 0 18.5
"$tess" set s.b2nd 1 -3.25
"$tess" set s.b2nd 2 -99
"$tess" attr s.b2nd set _FillValue -999
"$tess" attr s.b2nd set missing_value '[-999, -99]'
"$tess" attr s.b2nd set valid_min -60.5
"$tess" attr s.b2nd set valid_max 1e9
"$tess" attr s.b2nd set actual_range '[-3.25, 18.5]'
"$tess" attr s.b2nd set flag_values '[1, 2]'
"$tess" attr s.b2nd set flag_masks '[1, 2]'
"$tess" attr s.b2nd set units '"K"'
tells 'do not fit in >i2 are left out: valid_max 1e+09$' s.b2nd i.b2nd --dtype '>i2'
shows i.b2nd ... '[18 -3 -99 -999 -999]'
attr_is i.b2nd _FillValue -999
attr_is i.b2nd missing_value '[-999, -99]'
attr_is i.b2nd valid_min -60
attr_is i.b2nd valid_max -
attr_is i.b2nd actual_range '[-3, 18]'
attr_is i.b2nd flag_values '[1, 2]'
attr_is i.b2nd flag_masks '[1, 2]'
attr_is i.b2nd units '"K"'
tells 'left out: flag_masks 1$' i.b2nd u.b2nd --unpack --force
shows u.b2nd ... '[18.0 -3.0 nan nan nan]'
tells 'left out: flag_masks 1$' s.b2nd w.b2nd --dtype '<f8'
attr_is w.b2nd _FillValue -999.0
attr_is w.b2nd flag_masks -

# Packed and unpacked again; a negative scale turns bounds around.
tells 'left out: valid_max 1e+09, flag_masks 1$' s.b2nd p.b2nd --dtype '<i4' --pack -0.25,1 --force
shows p.b2nd ... '[-70 17 400 4000 4000]'
attr_is p.b2nd _FillValue 4000
attr_is p.b2nd missing_value '[4000, 400]'
attr_is p.b2nd valid_max 246
attr_is p.b2nd valid_min -
attr_is p.b2nd actual_range '[-3.25, 18.5]'
run 0 copy p.b2nd u.b2nd --unpack --force
shows u.b2nd ... '[18.5 -3.25 nan nan nan]'
attr_is u.b2nd missing_value -
# Integers have no NaN: missing values are unpacked, and what says so, too.
run 0 copy p.b2nd u.b2nd --unpack --dtype '<i8' --force
shows u.b2nd 2: '[-99 -999 -999]'
attr_is u.b2nd _FillValue -999
attr_is u.b2nd missing_value '[-999, -99]'
attr_is u.b2nd scale_factor -

# What would become a number like others is refused, and --missing is the way around.
for value in -99.9 1e20 -40000 0.5; do
    run 0 create v.b2nd --shape 3 --dtype '<f8' --force
    "$tess" set v.b2nd 1 "$value"
    "$tess" set v.b2nd 2 7
    "$tess" attr v.b2nd set missing_value "$value"
    run 3 copy v.b2nd no.b2nd --dtype '<i2' --misfit saturate
    says "^tess: no.b2nd: attribute missing_value: .* does not fit in <i2"
    run 3 copy v.b2nd no.b2nd --dtype '<u2' --misfit wrap
    says "attribute missing_value: .*; --missing gives them a number"
    [ ! -e no.b2nd ] || fail "a refused copy made an array"
    run 0 copy v.b2nd g.b2nd --dtype '<i2' --missing -7 --force
    shows g.b2nd ... '[0 -7 7]'
    attr_is g.b2nd _FillValue -7
    attr_is g.b2nd missing_value -
done
run 0 create v.b2nd --shape 2 --dtype '<i4' --fill 70000 --force
"$tess" set v.b2nd 0 3
"$tess" attr v.b2nd set _FillValue 70000
run 3 copy v.b2nd no.b2nd --dtype '<i2'
says '^tess: no.b2nd: the fill value 70000 does not fit in <i2'
run 0 copy v.b2nd g.b2nd --dtype '<i2' --missing -1 --force
shows g.b2nd ... '[3 -1]'
run 0 resize g.b2nd 3
shows g.b2nd 2 -1
# No item has a value that none can have.
run 0 create v.b2nd --shape 2 --dtype '<i4' --force
"$tess" attr v.b2nd set _FillValue 70000
tells 'left out: _FillValue 70000$' v.b2nd g.b2nd --dtype '<i2' --force
attr_is g.b2nd _FillValue -

### downsampling
bytes 1 2 3 4 5 6 7 8 9 9 0 0 13 14 15 >raw
run 0 import raw d.b2nd --dtype '|u1' --shape 3x5 --chunks 2x2 --blocks 1x2 --codec zstd
"$tess" attr d.b2nd set units '"K"'
run 0 copy d.b2nd h.b2nd --downsample 2x2
shows h.b2nd ... '[[4 6 7]
 [0 14 15]]'
has h.b2nd 'codec  *zstd'
has h.b2nd 'chunks  *2x2'
[ "$("$tess" attr h.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 0 copy d.b2nd h.b2nd --downsample 1x3:max --force --codec lz4:1
shows h.b2nd ... '[[3 5]
 [8 9]
 [13 15]]'
has h.b2nd 'codec  *lz4, level 1'
run 0 copy d.b2nd h.b2nd --downsample 3x1:min --force
shows h.b2nd ... '[[0 0 3 4 5]]'
run 0 copy d.b2nd h.b2nd --downsample 2x2:nearest --force --slice ::-1
shows h.b2nd ... '[[0 13 15]
 [1 3 5]]'
run 0 copy d.b2nd h.b2nd --downsample 3x5:mode --force --layout sparse
shows h.b2nd ... '[[9]]'
run 0 copy k.b2nd h.b2nd --downsample 2 --force
shows h.b2nd ... '[nan 116.575]'
run 0 copy k.b2nd h.b2nd --downsample 2 --skip-nan --force
shows h.b2nd ... '[280.25 116.575]'
run 2 copy d.b2nd no.b2nd --downsample 2
says '--downsample 2: the array has 2 dimensions, this cell 1'
run 2 copy d.b2nd no.b2nd --downsample 0x1
run 2 copy d.b2nd no.b2nd --downsample 2,2
run 2 copy d.b2nd no.b2nd --downsample 2x2:median
says 'median: none of mean, nearest'
run 2 copy d.b2nd no.b2nd --downsample 2x2 --dtype '<f4'
says 'two copies do it'
run 2 copy d.b2nd no.b2nd --skip-nan
run 3 copy text.b2nd no.b2nd --downsample 2
run 0 copy text.b2nd x.b2nd --downsample 2:nearest
[ ! -e no.b2nd ] || fail "a mistake made an array"

### pyramids
run 0 create big.b2nd --shape 1000x300 --dtype '<f4' --fill 2 --chunks 100x100
run 0 copy big.b2nd pyramid --levels 3
[ "$(cd pyramid && echo *)" = '1.b2nd 2.b2nd 3.b2nd' ] || fail "levels: $(ls -a pyramid)"
has pyramid/1.b2nd 'shape  *500x150$'
has pyramid/3.b2nd 'shape  *125x38$'
shows pyramid/3.b2nd -1,-1 2.0
run 0 copy big.b2nd automatic/ --levels auto --codec zstd:3
[ "$(cd automatic && echo *)" = '1.b2nd 2.b2nd' ] || fail "levels: $(ls -a automatic)"
has automatic/2.b2nd 'codec  *zstd, level 3'
run 0 copy d.b2nd p2 --levels 2 --downsample 1x2:max
shows p2/2.b2nd ... '[[4 5]
 [9 9]
 [14 15]]'
[ "$("$tess" attr p2/2.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 3 copy d.b2nd p2 --levels 2
says 'exists'
run 3 copy d.b2nd p2 --levels 2 --force
run 2 copy d.b2nd no --levels auto
says 'no axis is longer than 256'
run 2 copy d.b2nd no --levels 0
run 2 copy d.b2nd no --levels x
run 2 copy d.b2nd no --levels 2 --layout sparse
run 3 copy text.b2nd no --levels 2
[ ! -e no ] || fail "a mistake made a folder"

### levels of codecs
run 0 copy d.b2nd c.b2nd --codec zstd:9
has c.b2nd 'codec  *zstd, level 9'
run 0 copy d.b2nd c.b2nd --codec blosclz:0 --force
has c.b2nd 'codec  *blosclz, level 0'
run 0 copy d.b2nd c.b2nd --codec lz4 --level 2 --force
has c.b2nd 'codec  *lz4, level 2'
run 0 create n.b2nd --shape 16x16 --dtype '|u1' --codec ndlz:4 --level 3
has n.b2nd 'codec  *ndlz:4, level 3'
run 2 copy d.b2nd no.b2nd --codec zstd:9 --level 9
says '--codec zstd:9 has a level, and --level 9 another'
run 2 copy d.b2nd no.b2nd --codec zstd:10
says '--codec zstd:10: behind the : stands a level from 0 to 9'
run 2 copy d.b2nd no.b2nd --codec zstd:
run 2 create no.b2nd --shape 2 --dtype '|u1' --codec lz4:x
[ ! -e no.b2nd ] || fail "a mistake made an array"
"$tess" layout d.b2nd --codec zstd:2 --chunks 3x5 --blocks 3x5 --filter none --budget 1s --json >out ||
    fail "layout with a level"
grep -q '"codec": "zstd", "codec_meta": 0, "clevel": 2' out ||
    fail "layout with a level: $(cat out)"

[ $failed -eq 0 ] && echo "copy_items.sh: $checks checks passed"
[ $failed -eq 0 ]
