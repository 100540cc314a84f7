#!/bin/sh
# make.sh - tess create, concat, stack, transpose from outside: what is in the arrays that they make.
#
#     sh make.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

prints() {
    [ "$(cat out)" = "$1" ] || fail "printed:
$(cat out)
instead of:
$1"
}

# shows PATH EXPR TEXT
shows() {
    run 0 slice "$1" "$2"
    prints "$3"
}

# has PATH PATTERN: a line of tess info
has() {
    "$tess" info "$1" | grep -q -e "$2" || fail "$1: no $2 in $("$tess" info "$1")"
}

### create
run 0 create a.b2nd --shape 2x3 --dtype '<i2'
prints ''
shows a.b2nd ... '[[0 0 0]
 [0 0 0]]'
run 3 create a.b2nd --shape 2x3 --dtype '<i2'
says 'exists; --force replaces it'
run 0 create a.b2nd --shape 2x3 --dtype '>i2' --fill -7 --force --chunks 2x2 --codec zstd --level 9
shows a.b2nd ... '[[-7 -7 -7]
 [-7 -7 -7]]'
has a.b2nd 'chunks  *2x2$'
has a.b2nd 'codec  *zstd, level 9'
run 0 resize a.b2nd 2x4
shows a.b2nd 0 '[-7 -7 -7 -7]'
run 0 create s --shape 4 --dtype '<f4' --layout sparse --fill 0.1
[ -d s ] || fail "no directory"
shows s ... '[0.1 0.1 0.1 0.1]'
run 0 create huge.b2nd --shape 1000000x1000000x100 --dtype '<f8' --fill nan
has huge.b2nd '100 of zeros or NaNs\|of zeros or NaNs'
[ "$(wc -c <huge.b2nd)" -lt 10000 ] || fail "NaNs take space"
shows huge.b2nd 7,8,9 nan
run 0 create scalar.b2nd --shape '' --dtype '|u1' --fill 3
shows scalar.b2nd ... 3
run 0 create none.b2nd --shape 0x4 --dtype '<f8'
shows none.b2nd ... '[]'

# item TYPE VALUE [PRINTED]: each value as it is printed
item() {
    run 0 create item.b2nd --shape '' --dtype "$1" --fill="$2" --force
    shows item.b2nd ... "${3-$2}"
}
item '|i1' -128
item '|i1' 127
item '|u1' 255
item '>i4' -2147483648
item '<i8' -9223372036854775808
item '>u8' 18446744073709551615
item '|b1' True
item '|b1' false False
item '<f2' 0.1 0.1
item '>f2' 65504 65500.0
item '<f2' 6e-8 6e-08
item '<f2' 1e-9 0.0
item '<f2' -inf
item '<f4' 16777217 16777216.0
item '<f4' 3.4e38 3.4e+38
item '>f8' -1e-300
item '<f8' nan
item '<f8' infinity inf
item '<c8' 1+2j 1.0+2.0j
item '>c16' '(1.5-2e3j)' 1.5-2000.0j
item '<c8' -2j 0.0-2.0j
item '<c16' 7 7.0+0.0j
item '<c16' nan+infj nan+infj
item '|S4' abc '"abc"'
item '|S4' '' '""'
item '<U3' 'aä€' '"aä€"'
item '>U2' 'x' '"x"'
item '<M8[D]' 2024-02-29
item '<M8[D]' 1582-10-15
item '<M8[Y]' 1969
item '>M8[M]' 2000-12
item '<M8[W]' 1970-01-08
item '<M8[h]' 2024-02-29T13
item '<M8[s]' 1969-12-31T23:59:59
item '<M8[s]' '2024-02-29 12:30' 2024-02-29T12:30:00
item '<M8[s]' 2024 2024-01-01T00:00:00
item '<M8[ms]' 2024-02-29T12:30:00.125
item '<M8[ns]' 1677-09-21T00:12:43.145224193
item '<M8[ns]' 2262-04-11T23:47:16.854775807
item '<M8[D]' NaT
item '<M8[10s]' 25 2510s
item '<m8[s]' 25 25s
item '<m8[s]' -3s -3s
item '<m8[D]' NaT
item '|V3' 0a0B0c 0a0b0c
item "[('a', '<i2'), ('b', '|u1')]" 010002 "(1, 2)"

# no TYPE VALUE WORDS: what a type does not have
no() {
    run 2 create no.b2nd --shape 2 --dtype "$1" --fill="$2"
    says "--fill $3"
    [ ! -e no.b2nd ] || fail "$1 $2: made all the same"
}
no '|i1' 128 '128: out of range; integers of 1 bytes go from -128 to 127'
no '|u1' -1 '-1: out of range; unsigned integers of 1 bytes go from 0 to 255'
no '<u8' 18446744073709551616 '18446744073709551616: out of range'
no '<i8' 9223372036854775808 '9223372036854775808: out of range'
no '<i4' 1.5 '1.5: not an integer'
no '<i4' nan 'nan: not an integer'
no '<i4' '' ': not an integer'
no '<i4' ' 1' ' 1: not an integer'
no '|b1' 2 '2: not True or False'
no '<f2' 65520 '65520: out of range; floats of 2 bytes go up to 65504'
no '<f4' 1e39 '1e39: out of range; floats of 4 bytes'
no '<f8' 1e309 '1e309: out of range'
no '<f8' 1.5x '1.5x: not a number'
no '<f8' 0x10 '0x10: not a number'
no '<f8' '' ': not a number'
no '<c8' 1+2 '1+2: not a complex number'
no '<c8' '(1+2j' '(1+2j: not a complex number'
no '<c8' 1e39j '1e39j: out of range'
no '|S2' abc 'abc: 3 bytes, items have 2'
no '<U2' abc 'abc: longer than 2 characters'
no '<M8[D]' 2023-02-29 '2023-02-29: not a date'
no '<M8[D]' 2023-13-01 '2023-13-01: not a date'
no '<M8[D]' 2023-01-01T12 '2023-01-01T12: no whole number of the unit D'
no '<M8[M]' 2023-01-02 '2023-01-02: no whole number of the unit M'
no '<M8[Y]' 2023-02 '2023-02: no whole number of the unit Y'
no '<M8[W]' 1970-01-02 '1970-01-02: no whole number of the unit W'
no '<M8[s]' 2023-01-01T00:00:00.5 '.*no whole number of the unit s'
no '<M8[ns]' 2262-04-11T23:47:16.854775808 '.*out of range of dates in the unit ns'
no '<M8[ns]' 1677-09-21T00:12:43.145224192 '.*out of range of dates in the unit ns'
no '<M8[s]' 2023-01-01T24:00 '.*not a date'
no '<m8[s]' 3D '3D: not a count such as 5s'
no '|V2' 0a0 '0a0: not 4 digits in hexadecimal'
no '|V2' 0a0b0c '.*too long'
run 2 create no.b2nd --shape 2
says '--dtype is missing'
run 2 create no.b2nd --dtype '<f4'
says '--shape is missing'
run 2 create no.b2nd --dtype rubbish --shape 2
says '--dtype rubbish: not a type such as <f4'
run 2 create no.b2nd --dtype '<f4' --shape 2,3
run 2 create no.b2nd --dtype '<f4' --shape 2x3 --chunks 2
run 2 create - --dtype '<f4' --shape 2
says 'not to standard output, only to a file or directory'
run 3 create absent/no.b2nd --dtype '<f4' --shape 2
[ ! -e no.b2nd ] || fail "a mistake made an array"

# Dates, there and back, with those that are printed.
day=-720000
while [ $day -lt 800000 ]; do
    run 0 create d.b2nd --shape '' --dtype '<i8' --fill=$day --force
    run 0 export d.b2nd d.raw --force
    run 0 import d.raw d.b2nd --dtype '<M8[D]' --shape '' --force
    run 0 slice d.b2nd ...
    item '<M8[D]' "$(cat out)"
    run 0 export item.b2nd item.raw --force
    cmp -s d.raw item.raw || fail "day $day became another one"
    day=$((day + 109471))
done

### concat and stack
bytes() {
    for byte in "$@"; do
        printf "\\$(printf '%03o' "$byte")"
    done
}
bytes 1 2 3 4 5 6 >raw
run 0 import raw a.b2nd --dtype '|u1' --shape 2x3 --chunks 1x3 --blocks 1x2 --force
"$tess" attr a.b2nd set units '"K"'
bytes 7 8 9 >raw
run 0 import raw b.b2nd --dtype '|u1' --shape 1x3
run 0 concat a.b2nd b.b2nd a.b2nd c.b2nd
prints ''
shows c.b2nd ... '[[1 2 3]
 [4 5 6]
 [7 8 9]
 [1 2 3]
 [4 5 6]]'
has c.b2nd 'chunks  *1x3$'
has c.b2nd 'blocks  *1x2$'
[ "$("$tess" attr c.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 0 concat a.b2nd a.b2nd d.b2nd --axis -1 --force --chunks 2x2 --codec zlib --level 3 --threads 1
shows d.b2nd ... '[[1 2 3 1 2 3]
 [4 5 6 4 5 6]]'
has d.b2nd 'chunks  *2x2$'
has d.b2nd 'codec  *zlib, level 3'
run 0 concat a.b2nd one.b2nd
run 0 diff a.b2nd one.b2nd
run 0 concat a.b2nd c.b2nd a.b2nd --force
shows a.b2nd 1:4 '[[4 5 6]
 [1 2 3]
 [4 5 6]]'
run 0 concat b.b2nd b.b2nd sparse --layout sparse
[ -d sparse ] || fail "no directory"
run 0 concat sparse sparse sparse --force --layout contiguous
[ -f sparse ] || fail "still a directory"
shows sparse :,0 '[7 7 7 7]'
run 0 stack b.b2nd b.b2nd st.b2nd
shows st.b2nd ... '[[[7 8 9]]
 [[7 8 9]]]'
run 0 stack b.b2nd b.b2nd st.b2nd --axis -1 --force --chunks 1x2x2
shows st.b2nd ... '[[[7 7]
  [8 8]
  [9 9]]]'
has st.b2nd 'chunks  *1x2x2$'
run 0 stack c.b2nd st2.b2nd --axis 1
shows st2.b2nd 2 '[[7 8 9]]'
[ "$("$tess" attr st2.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 0 stack scalar.b2nd scalar.b2nd st3.b2nd
shows st3.b2nd ... '[3 3]'
run 0 create flat.b2nd --shape 8x8 --dtype '|u1' --fill 5 --codec ndlz:4 --filter none
run 0 stack flat.b2nd flat.b2nd st4.b2nd # ndlz is for two dimensions
shows st4.b2nd 1,7,6:8 '[5 5]'
has st4.b2nd 'codec  *lz4'
set --
i=0
while [ $i -lt 1100 ]; do
    set -- "$@" b.b2nd
    i=$((i + 1))
done
(
    ulimit -Sn 64
    exec "$tess" concat "$@" many.b2nd
) >out 2>err
check_run $? 0 'concat of 1100 arrays'
has many.b2nd 'shape  *1100x3$'

run 2 concat a.b2nd
says 'OUT is missing'
run 2 concat
says 'PATH... is missing'
run 2 concat a.b2nd b.b2nd no.b2nd --axis 2
says '--axis 2: the array has 2 dimensions'
run 2 concat a.b2nd b.b2nd no.b2nd --axis 1
says '^tess: b.b2nd: '
run 2 concat b.b2nd scalar.b2nd no.b2nd
says '^tess: scalar.b2nd: '
run 2 stack b.b2nd b.b2nd a.b2nd no.b2nd
says '^tess: a.b2nd: '
run 2 stack b.b2nd no.b2nd --axis 3
says '--axis 3: the array has 3 dimensions'
run 2 concat s b.b2nd no.b2nd
run 2 concat b.b2nd b.b2nd -
run 2 concat b.b2nd b.b2nd no.b2nd --chunks 2
run 3 concat b.b2nd missing.b2nd no.b2nd
says '^tess: missing.b2nd: '
run 3 concat b.b2nd raw no.b2nd
says '^tess: raw: '
run 3 concat b.b2nd c.b2nd st.b2nd
says 'exists; --force replaces it'
[ ! -e no.b2nd ] || fail "a mistake made an array"

### transpose
i=0
while [ $i -lt 24 ]; do bytes $i; i=$((i + 1)); done >raw
run 0 import raw t.b2nd --dtype '|u1' --shape 2x3x4 --chunks 2x2x3 --blocks 1x2x3
"$tess" attr t.b2nd set units '"K"'
run 0 transpose t.b2nd u.b2nd
prints ''
has u.b2nd 'shape  *4x3x2$'
has u.b2nd 'chunks  *3x2x2$'
has u.b2nd 'blocks  *3x2x1$'
shows u.b2nd 3,1 '[7 19]'
[ "$("$tess" attr u.b2nd get units)" = '"K"' ] || fail "the attribute is lost"
run 0 transpose u.b2nd v.b2nd
run 0 diff t.b2nd v.b2nd
run 0 transpose t.b2nd u.b2nd --force --axes 1,-1,0 --chunks 1x1x2 --codec zstd
has u.b2nd 'shape  *3x4x2$'
has u.b2nd 'chunks  *1x1x2$'
shows u.b2nd 2,3 '[11 23]'
run 0 transpose t.b2nd u.b2nd --force --slice 1,::-1
shows u.b2nd ... '[[20 16 12]
 [21 17 13]
 [22 18 14]
 [23 19 15]]'
run 0 transpose t.b2nd t.b2nd --force
shows t.b2nd 0,0 '[0 12]'
run 0 transpose scalar.b2nd u.b2nd --force
shows u.b2nd ... 3
run 2 transpose t.b2nd no.b2nd --axes 0,1
says '--axes 0,1: 2 axes, the array has 3'
run 2 transpose t.b2nd no.b2nd --axes 0,1,1
says '--axes 0,1,1: axis 1 twice'
run 2 transpose t.b2nd no.b2nd --axes 0,1,3
run 2 transpose t.b2nd no.b2nd --axes 0,x,1
run 2 transpose t.b2nd no.b2nd --slice 9
run 3 transpose missing.b2nd no.b2nd
[ ! -e no.b2nd ] || fail "a mistake made an array"

### damage: nothing is made of it, unless that is asked for
run 0 copy v.b2nd damaged.b2nd --level 0
printf '\377' | dd of=damaged.b2nd bs=1 seek=300 conv=notrunc 2>/dev/null
"$tess" verify damaged.b2nd >out && fail "the damage does no harm"
run 3 transpose damaged.b2nd no.b2nd
says '^tess: damaged.b2nd: .*checksum'
run 3 concat v.b2nd damaged.b2nd no.b2nd
says 'checksum'
[ ! -e no.b2nd ] || fail "a failure left an array"
run 0 transpose damaged.b2nd no.b2nd --unchecked

for command in create concat stack transpose; do
    run 0 $command --help
    grep -q "^usage: tess $command PATH" out || fail "no usage"
    "$tess" --help | grep -q "  $command " || fail "tess --help does not name $command"
done

[ $failed -eq 0 ] && echo "make.sh: $checks checks passed"
[ $failed -eq 0 ]
