#!/bin/sh
# ls.sh - tess ls from outside: which arrays it lists, and what it says of them.
#
#     sh ls.sh TESS
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

# names: the first column of what was printed, without its head
names() {
    checks=$((checks + 1))
    got=$(sed 1d out | cut -d' ' -f1 | tr '\n' ' ')
    [ "${got% }" = "$1" ] || fail "listed $got instead of $1"
}

mkdir d d/sub d/sub/deep d/.hidden
run 0 ls d
prints ''
head -c 4800 /dev/zero | tr '\0' 'abc' >raw
run 0 import raw d/b.b2nd --dtype '<f4' --shape 30x40 --chunks 10x40 --codec zstd:3
run 0 import raw d/s --dtype '|S48' --shape 100 --chunks 50 --layout sparse
run 0 create d/a.b2nd --shape 2x3 --dtype "[('a', '<i4'), ('b', '<f8'), ('c', '|u1')]"
run 0 create d/sub/x.b2nd --shape 5 --dtype '|u1'
run 0 create d/sub/deep/y --shape '' --dtype '|u1'
cp d/a.b2nd d/.hidden.b2nd
cp d/a.b2nd d/.hidden/a.b2nd
cp d/a.b2nd d/c.b2nd.tess-0.tmp
cp raw d/raw
: >d/empty
mkfifo d/pipe
ln -s ../../d d/sub/loop
ln -s b.b2nd d/link
ln -s nowhere d/dangling
size=$(wc -c <d/b.b2nd)
sparse=$(cat d/s/* | wc -c)
run 0 ls d
names 'd/a.b2nd d/b.b2nd d/link d/s'
grep -q "^d/b.b2nd  *30x40  *<f4  *10x40  *zstd:3  *[0-9.]*  *$size$" out || fail "row: $(cat out)"
grep -q "^d/s  *100  *|S48  *50  *lz4:5  *[0-9.]*  *$sparse$" out || fail "row: $(cat out)"
grep -q "^d/a.b2nd  *2x3  *\[('a', '<i4'), ('b', '<f.*  *lz4:5  *-  *[0-9]*$" out || fail "row: $(cat out)"
run 0 ls d/ --recursive --threads 1
names 'd/a.b2nd d/b.b2nd d/link d/s d/sub/deep/y d/sub/x.b2nd'
run 0 ls -R d/sub
names 'd/sub/deep/y d/sub/x.b2nd'
run 0 ls d/s d/b.b2nd d/sub d/sub/loop
names 'd/s d/b.b2nd d/sub/x.b2nd d/sub/loop/a.b2nd d/sub/loop/b.b2nd d/sub/loop/link d/sub/loop/s'
(cd d/sub && "$tess" ls >../../out 2>../../err)
check_run $? 0 'ls without words'
names 'x.b2nd'
(cd d && "$tess" ls -R --json >../out 2>../err)
check_run $? 0 'ls -R --json'
[ "$(wc -l <out)" -eq 6 ] || fail "objects: $(cat out)"
grep -q '^{"path": "s", "size": '"$sparse"', "damaged": null, "shape": \[100\], "dtype": "|S48", "chunkshape": \[50\], "blockshape": \[50\], "codec": "lz4", "clevel": 5, "cbytes": [0-9]*, "ratio": [0-9.]*, "contiguous": false}$' out ||
    fail "object: $(cat out)"

### damaged, unreadable, no arrays
head -c 90 d/b.b2nd >d/cut.b2nd
mkdir d/broken
: >d/broken/chunks.b2frame
"$tess" ls d >out 2>err
[ $? -eq 1 ] || fail "damaged arrays: status"
names 'd/a.b2nd d/b.b2nd d/broken d/cut.b2nd d/link d/s'
grep -q '^d/cut.b2nd  *damaged  *-' out || fail "row of a damaged one: $(cat out)"
grep -q '^tess: d/cut.b2nd: damaged: ' err && [ "$(wc -l <err)" -eq 2 ] || fail "reasons: $(cat err)"
"$tess" ls d --json >out 2>err
[ $? -eq 1 ] && [ ! -s err ] || fail "damaged arrays as JSON: $(cat err)"
grep -q '^{"path": "d/cut.b2nd", "size": 90, "damaged": "..*"}$' out || fail "objects: $(cat out)"
run 3 ls d/raw
says '^tess: d/raw: '
run 3 ls missing
says '^tess: missing: opening the file: No such file'
run 2 ls d --chunks
if [ "$(id -u)" -ne 0 ]; then
    chmod 0 d/sub/deep
    "$tess" ls -R d/sub >out 2>err
    [ $? -eq 3 ] && grep -q 'deep' err || fail "a folder that cannot be read: $(cat err)"
    names 'd/sub/x.b2nd'
    chmod 700 d/sub/deep
fi
name=$(printf 'd/esc\033[31m.b2nd')
cp d/a.b2nd "$name"
run 0 ls "$name"
grep -q '\\x1b\[31m' out || fail "a name controls the terminal: $(cat -v out)"

run 0 ls --help
grep -q '^usage: tess ls \[FOLDER' out || fail "no usage"
grep -q -- '-R: folders' out || fail "no -R in the help"
"$tess" --help | grep -q '  ls ' || fail "tess --help does not name ls"

[ $failed -eq 0 ] && echo "ls.sh: $checks checks passed"
[ $failed -eq 0 ]
