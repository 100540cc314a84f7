#!/bin/sh
# show.sh - tess show from outside: text and files, what it takes for missing, what it refuses.
#
#     sh show.sh TESS [nopictures]
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"
pictures=${2:-pictures}
unset NO_COLOR COLORTERM LC_ALL LC_CTYPE
export TERM=xterm LANG=C.UTF-8 COLUMNS=80 LINES=24

# run STATUS ARGUMENTS...: stdout to ./out, stderr to ./err: one sentence if it fails.
run() {
    expected=$1
    shift
    "$tess" show "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$expected" ] || fail "tess show $*: status $status, not $expected: $(cat err)"
    if [ $status -ne 0 ]; then
        grep -q '^tess: ' err || fail "tess show $*: no sentence on stderr"
        [ ! -s out ] || fail "tess show $*: failed with data on stdout"
    fi
    for leftover in .tess-*; do
        [ ! -e "$leftover" ] || fail "tess show $*: left $leftover behind"
        rm -f "$leftover"
    done
}

# prints TEXT: the whole of it.
prints() {
    [ "$(cat out)" = "$1" ] || fail "printed:
$(cat out)
instead of:
$1"
}

says() {
    grep -q -e "$1" err || fail "said \"$(cat err)\" without \"$1\""
}

# array NAME SHAPE BYTES: of unsigned bytes; BYTES in the notation of printf.
array() {
    printf "$3" >raw.bin
    "$tess" import raw.bin "$1" --dtype '|u1' --shape "$2" --force || fail "no array $1"
}

# Each item is enlarged to 2 x 2 pixels, which are two characters.
array a.b2nd 2x5 '\0\1\2\3\4\5\6\7\10\11'
run 0 a.b2nd --width 10 --height 4
[ ! -s err ] || fail "words on stderr: $(cat err)"
prints 'a.b2nd[:, :]
  ..::--==
++**##%%@@
0  .:-=+*#%@ 9 '
run 0 a.b2nd --width 10 --height 4 --flip
prints 'a.b2nd[:, :]
++**##%%@@
  ..::--==
0  .:-=+*#%@ 9 '
run 0 a.b2nd --width 4 --height 6 --axes 1,0 --slice '::-1,1:4'
prints 'a.b2nd[::-1, 1:4]
##  
%%..
@@::
1  .:-=+*#%@ 8 '

# Values outside the range have the colours of its ends; missing ones are not in it.
run 0 a.b2nd --width 10 --height 4 --range 4:5
prints 'a.b2nd[:, :]
          
@@@@@@@@@@
4  .:-=+*#%@ 5 '
run 0 a.b2nd --width 10 --height 4 --missing 0,9
prints 'a.b2nd[:, :]
??  ..::==
++##%%@@??
1  .:-=+*#%@ 8 
? missing'
"$tess" attr a.b2nd set missing_value '[0, 9]' || fail "attr"
"$tess" attr a.b2nd set long_name '"ten items"' || fail "attr"
"$tess" attr a.b2nd set units '"K"' || fail "attr"
"$tess" attr a.b2nd set dims '["lat", "lon"]' || fail "attr"
run 0 a.b2nd --width 10 --height 4
prints 'ten items
a.b2nd[:, :]
??  ..::==
++##%%@@??
1  .:-=+*#%@ 8 K
? missing'
run 0 a.b2nd --width 10 --height 4 --missing none
grep -q missing out && fail "values are missing: $(cat out)"
array named.b2nd 2x5 '\0\1\2\3\4\5\6\7\10\11'
"$tess" attr named.b2nd set _ARRAY_DIMENSIONS '["lat", "lon"]' || fail "attr"
run 0 named.b2nd --json
grep -q '"names": ."lat", "lon".' out || fail "names of dimensions: $(cat out)"
for bounds in 'valid_range [1,8]' 'valid_min 1' 'valid_range ["1","8"]'; do # the last one is none
    array bounded.b2nd 2x5 '\0\1\2\3\4\5\6\7\10\11'
    "$tess" attr bounded.b2nd set $bounds || fail "attr"
    "$tess" attr bounded.b2nd set valid_max 8 || fail "attr"
    "$tess" attr bounded.b2nd set scale_factor 0.5 || fail "attr" # bounds are of stored items
    run 0 bounded.b2nd --width 10 --height 4
    case $bounds in *1,8* | *min*) first='??' least=1 ;; *) first='  ' least=0 ;; esac
    grep -q "^$first" out || fail "$bounds: $(cat out)"
    grep -q '@@??$' out || fail "$bounds: $(cat out)"
    grep -q "^$least .* 8 \$" out || fail "$bounds: $(cat out)"
    run 0 bounded.b2nd --json --width 5 --height 2
    grep -q '"values": .*, 1[.]0, .* 8[.]0, null\]\]' out || fail "$bounds: $(cat out)"
    run 0 bounded.b2nd --width 10 --height 4 --missing none
    ! grep -q '?' out || fail "$bounds in spite of --missing none: $(cat out)"
done
run 0 a.b2nd --width 1 --height 1 --reduce mean
grep -q '^a.b2nd\[:, :\], mean of 2x5 items$' out || fail "no word of boxes: $(cat out)"
grep -q '^4.5 K$' out || fail "the mean is not 4.5: $(cat out)"
run 0 a.b2nd --width 1 --height 1 --reduce max --missing none
grep -q '^9 K$' out || fail "the greatest is not 9: $(cat out)"
run 0 a.b2nd --width 1 --height 1 --missing none
grep -q '1 of 2x5 items$' out || fail "no word of boxes: $(cat out)"
grep -q '^2 K$' out || fail "not the item in the middle: $(cat out)"

# Colours: as the terminal can, and only where they are asked for.
escape=$(printf '\033')
run 0 a.b2nd
grep -q "$escape" out && fail "colours in a file"
export COLORTERM=truecolor
run 0 a.b2nd -o -
grep -q "$escape\[38;2;200;200;200m" out || fail "missing values have no colour of their own"
run 0 a.b2nd -o - --missing none
grep -q "$escape\[38;2;68;1;84m$escape\[48;2;68;1;84m▀" out || fail "no 24-bit colours"
unset COLORTERM
export TERM=xterm-256color
run 0 a.b2nd -o - --missing none --colors gray
grep -q "$escape\[38;5;16m$escape\[48;5;16m▀" out || fail "no 256 colours"
for setting in NO_COLOR=1 TERM=dumb LANG=C; do
    (
        export COLORTERM=truecolor "${setting?}"
        run 0 a.b2nd -o -
        ! grep -q "$escape" out
    ) || fail "colours in spite of $setting"
done

# Axes: the last two that are longer than one item; the middle of others, or all of them.
array b.b2nd 3x2x1x2 '\0\1\2\3\4\5\6\7\10\11\12\13'
run 0 b.b2nd
says 'shown is index 1 of axis 0;'
grep -q '^4 .* 7 $' out || fail "not the middle: $(cat out)"
run 0 b.b2nd --slice -1
[ ! -s err ] || fail "words on stderr: $(cat err)"
grep -q '^8 .* 11 $' out || fail "not the slice: $(cat out)"
run 0 b.b2nd --reduce min
grep -q '^0 .* 3 $' out || fail "not the least: $(cat out)"
grep -q 'least over axis 0$' out || fail "no word of the axis: $(cat out)"
run 0 b.b2nd --axes 0,1
says 'shown is index 1 of axis 3;'
grep -q '^1 .* 11 $' out || fail "not the axes: $(cat out)"

run 2 b.b2nd --slice 0,0,0
says 'a picture needs 2 axes, the slice leaves 1'
run 2 b.b2nd --slice 0:0
says 'axis 0 has no items'
for mistake in '--axes 0,4' '--axes 1,1' '--axes 1' '--axes 0,1,2' '--reduce sum' '--range 1' \
    '--range 2:1' '--range 1:nan' '--range 1:2x' '--colors grue' '--missing x' '--missing 1,' \
    '--width 0' '--height 9999' '--output a.gif' '--slice 9'; do
    # shellcheck disable=SC2086 # options and their values
    run 2 b.b2nd $mistake
done
run 3 nothing.b2nd
"$tess" import raw.bin s.b2nd --dtype '|S1' --shape 3x4 || fail "no array of strings"
run 3 s.b2nd
says 'no numbers'

if [ "$pictures" = pictures ]; then
    # begins FILE BYTES: what the file begins with.
    begins() {
        [ "$(head -c ${#2} "$1")" = "$2" ] || fail "$1 begins with $(head -c ${#2} "$1")"
    }
    run 0 a.b2nd -o a.png
    [ ! -s out ] || fail "an image and text"
    [ "$(head -c 8 a.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "no PNG"
    # Width and height: 10 and 4 pixels of items need less than their words.
    size() {
        od -An -j 16 -N 8 -tu1 "$1" | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }'
    }
    size a.png >large.txt
    run 0 a.b2nd -o a.png --force --width 500 --height 200
    size a.png >small.txt
    paste -d ' ' large.txt small.txt |
        awk '!($1 > 1024 && $1 < 1600 && $2 > 409 && $2 < 700 && $3 > 500 && $3 < 700 &&
               $4 > 200 && $4 < 400) { exit 1 }' ||
        fail "sizes of images: $(cat large.txt), $(cat small.txt)"
    cp a.png before.png
    run 3 a.b2nd -o a.png
    says 'exists; --force replaces it'
    cmp -s a.png before.png || fail "the image was changed"
    run 0 b.b2nd --slice 0 -o a.png --force
    cmp -s a.png before.png && fail "the image was not replaced"
    run 3 a.b2nd -o nowhere/a.png
    run 0 a.b2nd -o a.svg
    begins a.svg '<?xml'
    grep -q '<svg ' a.svg || fail "no SVG"
    run 0 a.b2nd -o a.pdf
    begins a.pdf '%PDF-'
    # Names that are no UTF-8 and attributes of other languages can be drawn.
    "$tess" attr a.b2nd set long_name '"Höhe über dem Meer"' || fail "attr"
    odd=$(printf 'odd\377.b2nd')
    if cp a.b2nd "$odd"; then
        run 0 "$odd" -o odd.png
        run 0 "$odd" --width 10
        grep -q '^odd?.b2nd' out || fail "the name is $(head -n 2 out)"
    fi
else
    for name in a.png a.svg a.pdf; do
        run 3 a.b2nd -o $name
        says 'does not write PNG.*libcairo2-dev'
        [ ! -e $name ] || fail "a failed command left something behind"
    done
fi
"$tess" --help | grep -q '  show ' || fail "tess --help does not name show"
run 0 --help
exit $((failed > 0))
