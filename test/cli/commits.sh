#!/bin/sh
# commits.sh - the commits of a store, from outside: listed, named and read; entries and arrays that
# are removed and renamed.
#
#     sh commits.sh TESS
#
# Stops with status 1 when a check failed, and names each that did.
. "$(dirname "$0")/start.sh"

# prints TEXT: so was the output of the last run.
prints_text() {
    checks=$((checks + 1))
    [ "$(cat out)" = "$1" ] || fail "printed \"$(cat out)\" instead of \"$1\""
}

says_out() {
    checks=$((checks + 1))
    grep -q -e "$1" out || fail "printed \"$(cat out)\" without \"$1\""
}

names() {
    checks=$((checks + 1))
    got=$(sed 1d out | cut -d' ' -f1 | tr '\n' ' ')
    [ "${got% }" = "$1" ] || fail "listed $got instead of $1"
}

# items PATH N: all items are N
items() {
    run 0 slice "$1" :
    prints_text "[$2 $2 $2 $2]"
}

make() {
    run 0 create "$1" --shape 4 --dtype '<i4' --fill "$2"
}

# -- listed and named

make s.b2d/winds/u 1
make s.b2d/a 1
run 0 attr s.b2d/winds set title first
run 0 commits s.b2d
prints_text 3
run 0 commits s.b2d --name early
run 0 commits s.b2d
prints_text '3  early'
for path in winds/u a; do
    run 0 set s.b2d/$path : 9
done
run 0 attr s.b2d/winds set title second
run 0 commits s.b2d/
prints_text '3  early
6'
run 0 commits s.b2d --json
prints_text '{"commits": [{"number": 3, "name": "early"}, {"number": 6, "name": null}]}'
run 3 commits s.b2d --name early
says 'early: File exists'
run 2 commits s.b2d --name 'two words'
run 2 commits s.b2d --name a/b
run 2 commits s.b2d --name x.b2nd
run 2 commits s.b2d --name ''
run 3 commits s.b2d --forget late
says 'has no commit late'
run 3 commits s.b2d --forget ''
run 2 commits s.b2d --name x --forget early
run 2 commits s.b2d --name x --json
run 2 commits s.b2d@early
says 'the store itself'
run 3 commits nothing.b2d
run 0 commits s.b2d
prints_text '3  early
6'

# Names of files that a stranger made.
printf x >"s.b2d/.tessera/00000000000000000004=$(printf '\033[31m')"
printf x >"s.b2d/.tessera/00000000000000000005=$(printf '\377')"
run 0 commits s.b2d
grep -q "$(printf '\033')" out && fail 'a name reaches the terminal as it is'
run 0 commits s.b2d --json
python3 -c 'import json, sys; assert len(json.load(open("out", "rb"))["commits"]) == 3' ||
    fail "JSON: $(cat out)"
run 3 info "s.b2d@$(printf '\377')/a"
rm s.b2d/.tessera/00000000000000000004=* s.b2d/.tessera/00000000000000000005=*
[ "$(find s.b2d/.tessera -name '0000*' | wc -l)" -eq 2 ] || fail 'files of commits'

# -- read at a commit, by its name and by its number

for commit in early 3; do
    for path in winds/u a; do
        items s.b2d@$commit/$path 1
        items s.b2d/$path 9
        run 0 info s.b2d@$commit/$path
        run 0 verify s.b2d@$commit/$path
        run 0 stat s.b2d@$commit/$path --op max
        prints_text 1
        run 1 diff s.b2d@$commit/$path s.b2d/$path
        run 0 diff s.b2d@$commit/$path s.b2d@early/$path
        run 0 copy s.b2d@$commit/$path copy.b2nd --force
        items copy.b2nd 1
        run 0 export s.b2d@$commit/$path x.bin --force
        [ "$(od -An -tx1 <x.bin | tr -d ' \n')" = 01000000010000000100000001000000 ] ||
            fail 'exported items'
    done
    run 0 attr s.b2d@$commit/winds get title
    prints_text '"first"'
    run 0 ls -R s.b2d@$commit
    names "s.b2d@$commit/a s.b2d@$commit/winds/u"
    run 0 ls s.b2d@$commit/
    names "s.b2d@$commit/a"
    run 0 ls s.b2d@$commit/winds
    names "s.b2d@$commit/winds/u"
    run 0 ls s.b2d@$commit/a
    names "s.b2d@$commit/a"
    run 0 copy s.b2d@$commit then.b2z --force
    run 0 copy s.b2d@$commit then.b2d
    items then.b2z/a 1
    items then.b2d/winds/u 1
    rm -r then.b2d
    # Paths lead on from other folders.
    (cd s.b2d/winds && "$tess" slice ../../s.b2d@$commit/a 0) >out
    prints_text 1
done
run 0 attr s.b2d/winds get title
prints_text '"second"'
make one.b2nd 1
run 0 concat s.b2d@early/a s.b2d/a s.b2d/both
run 0 slice s.b2d/both :
prints_text '[1 1 1 1 9 9 9 9]'
run 0 set s.b2d/a : --from s.b2d@early/a
items s.b2d/a 1

for command in info slice stat show verify export 'copy x'; do
    case $command in
    slice) set -- info s.b2d@late/a 0 ;;
    export) set -- export s.b2d@late/a x.npy ;;
    *x) set -- copy s.b2d@late/a x.b2nd ;;
    *) set -- "$command" s.b2d@late/a ;;
    esac
    [ "$command" = slice ] && set -- slice s.b2d@late/a 0
    run 3 "$@"
    says 'has no commit late'
done
run 3 ls s.b2d@late
says 'has no commit late'
run 3 ls s.b2d@early/late
says 'has no entry /late'
run 3 info s.b2d@early/late
says 'has no entry /late'
run 3 info s.b2d@early
says 'a group'
run 3 info s.b2d@early/winds
says 'a group'
run 3 info s.b2d@-3/a
says 'has no commit -3'
run 2 info s.b2d@/a
says 'the name of a commit is missing'
run 3 info then.b2z@early/a
says 'has no commits'
run 3 ls then.b2z@early
says 'has no commits'
run 3 info nothing.b2d@early/a
says 'No such file'
run 2 info s.b2d@early/a --offset 4
run 0 commits then.b2z
prints_text ''
run 0 commits then.b2z --json
prints_text '{"commits": []}'
run 2 commits then.b2z --name x
says 'has no commits'
mkdir plain
run 0 commits plain
prints_text ''
run 2 commits plain --name x
run 2 commits plain --forget x
[ -e plain/.tessera ] && fail 'a folder became a store'
for path in winds winds/u nothing; do
    run 2 commits s.b2d/$path --name x
    says 'of the store as a whole'
done

# -- nothing is written to one

cp -R s.b2d before
refuses() {
    run 3 "$@"
    says 'can only be read'
}
refuses set s.b2d@early/a : 3
refuses append s.b2d@early/a one.b2nd
refuses insert s.b2d@early/a one.b2nd --at 0
refuses delete s.b2d@early/a 0
refuses resize s.b2d@early/a 3
refuses attr s.b2d@early/a set units m
refuses attr s.b2d@early/winds set units m
refuses attr s.b2d@early del units
refuses create s.b2d@early/new --shape 3 --dtype '<i4'
refuses create s.b2d@early --shape 3 --dtype '<i4'
refuses copy one.b2nd s.b2d@early/a --force
refuses concat one.b2nd one.b2nd s.b2d@early/new.b2nd
run 0 export one.b2nd one.npy
refuses import one.npy s.b2d@early/new
refuses remove s.b2d@early/a
refuses remove s.b2d@early
refuses rename s.b2d@early/a s.b2d/b
refuses rename s.b2d/a s.b2d@early/b
run 2 copy s.b2d s.b2d@new.b2d
diff -r s.b2d before >/dev/null || fail 'what was refused changed the store'
[ -e s.b2d@early ] && fail 's.b2d@early was made'

# -- a file or directory with such a name goes first

mkdir s.b2d@3 s.b2d@real.b2d
cp one.b2nd s.b2d@3/a
items s.b2d@3/a 1
make s.b2d@real.b2d/a 5
items s.b2d@real.b2d/a 5
run 0 commits s.b2d@real.b2d --name then
run 0 set s.b2d@real.b2d/a : 6
items s.b2d@real.b2d@then/a 5
items s.b2d@real.b2d/a 6
cp one.b2nd s.b2d@early
items s.b2d@early 1
run 0 ls s.b2d@early
names s.b2d@early
rm -r s.b2d@*
make s.b2d@x.b2nd 7
items s.b2d@x.b2nd 7
items s.b2d@early/winds/u 1
run 0 set s.b2d/a : 2
run 0 commits s.b2d --name a@b.b2d
run 0 set s.b2d/a : 3
items s.b2d@a@b.b2d/a 2
mkdir nested.b2d
mv s.b2d nested.b2d
items nested.b2d/s.b2d@early/a 1
run 0 ls nested.b2d/s.b2d@early
names nested.b2d/s.b2d@early/a
mv nested.b2d/s.b2d .

# -- forgotten: it goes with the next commit

run 0 commits s.b2d --forget early
run 3 info s.b2d@early/a
items s.b2d@3/a 1
run 0 set s.b2d/a : 4
run 3 info s.b2d@3/a
says 'has no commit 3'

# -- removed

newest() {
    run 0 commits "$1"
    tail -n 1 out | sed 's/ .*//'
}

make r.b2d/a 1
for path in b g/c g/d h/e f; do
    make r.b2d/$path 1
done
run 0 commits r.b2d --name all
cp one.b2nd two.b2nd
run 3 remove r.b2d/a r.b2d/nothing one.b2nd
says 'nothing: the store has no entry'
run 3 remove r.b2d/a one.b2nd nothing.b2nd
says 'nothing.b2nd: .*No such file'
run 3 remove r.b2d/a one.b2nd then.b2z/a
says 'can only be read'
run 3 remove r.b2d/a nothing.b2d/a
run 3 remove r.b2d/a r.b2d@all/b
says 'can only be read'
run 0 ls -R r.b2d
names 'r.b2d/a r.b2d/b r.b2d/f r.b2d/g/c r.b2d/g/d r.b2d/h/e'
before=$(newest r.b2d)
make r2.b2d/x 1
run 0 remove r.b2d/a ./r.b2d/g/ "$PWD/r.b2d/h" one.b2nd r2.b2d/x
[ "$(newest r.b2d)" -eq $((before + 1)) ] || fail 'several removals from a store are not one commit'
[ "$(newest r2.b2d)" -eq 2 ] || fail 'commits of the second store'
[ -e one.b2nd ] && fail 'one.b2nd is there still'
run 0 ls -R r.b2d r2.b2d
names 'r.b2d/b r.b2d/f'
[ -e r.b2d/g ] && fail 'the directory of a group is there still'
run 0 ls -R r.b2d@all
names 'r.b2d@all/a r.b2d@all/b r.b2d@all/f r.b2d@all/g/c r.b2d@all/g/d r.b2d@all/h/e'
items r.b2d@all/g/c 1
run 3 remove r.b2d/b r.b2d/b
items r.b2d/b 1
for path in r.b2d r.b2d/ then.b2z; do
    run 2 remove $path
    says 'all of a store'
done
run 2 remove r.b2d/b.b2nd
says 'a file of the store r.b2d'
run 2 remove r.b2d/embed.b2e
run 2 remove r.b2d/.tessera
run 2 remove r.b2d/../r.b2d/b
ln -s b.b2nd r.b2d/link.b2nd
run 0 info r.b2d/link
run 3 remove r.b2d/link
says 'it is a symbolic link'
run 3 rename r.b2d/link r.b2d/x
says 'it is a symbolic link'
run 3 create r.b2d/link --shape 4 --dtype '<i4' --force
rm r.b2d/link.b2nd
run 0 copy two.b2nd r.b2d/sparse.b2nd --layout sparse
run 3 remove r.b2d/sparse
says 'it is a directory'
run 3 create r.b2d/sparse --shape 4 --dtype '<i4' --force # which no file could follow
run 3 create r.b2d/b/below --shape 4 --dtype '<i4'
says 'Not a directory'
make r.b2d/new/g/x 1
run 3 create r.b2d/new/g --shape 4 --dtype '<i4' --force
says 'exists'
run 0 remove r.b2d/new
mkdir r.b2d/b # as no store makes it
run 0 copy two.b2nd r.b2d/b/below.b2nd
run 0 remove r.b2d/sparse.b2nd
[ -e r.b2d/sparse.b2nd ] && fail 'the sparse array is there still'
run 0 remove r.b2d/b # and what is below it
run 0 ls -R r.b2d
names 'r.b2d/f'

run 0 copy two.b2nd sparse --layout sparse
ln -s two.b2nd link
run 3 remove link
says 'symbolic link'
echo text >text
run 3 remove text
run 2 remove .
run 3 remove http://127.0.0.1:1/a.b2nd
says 'at a URL'
printf 'hurt' | dd of=two.b2nd bs=1 seek=200 conv=notrunc 2>/dev/null
run 0 remove sparse two.b2nd # damaged
[ -e sparse ] || [ -e two.b2nd ] && fail 'arrays are there still'
[ -e text ] || fail 'text was removed'
run 2 remove

# -- renamed

make n.b2d/a 1
make n.b2d/g/b 2
make n.b2d/g/deep/c 3
make n.b2d/h/d 4
run 0 commits n.b2d --name before
number=$(newest n.b2d)
run 0 rename n.b2d/a n.b2d/new/a
items n.b2d/new/a 1
run 3 info n.b2d/a
run 0 rename n.b2d/g ./n.b2d/moved/g/
[ "$(newest n.b2d)" -eq $((number + 2)) ] || fail 'a rename is not one commit'
run 0 ls -R n.b2d
names 'n.b2d/h/d n.b2d/moved/g/b n.b2d/moved/g/deep/c n.b2d/new/a'
items n.b2d/moved/g/deep/c 3
items n.b2d@before/g/deep/c 3
items n.b2d@before/a 1
for to in n.b2d/new/a n.b2d/new n.b2d/moved/g n.b2d/h n.b2d/h/d; do
    run 3 rename n.b2d/h/d $to
    says "$to: exists"
done
run 3 rename n.b2d/nothing n.b2d/x
says 'has no entry /nothing'
run 3 rename nothing.b2d/a nothing.b2d/b
for to in n.b2d n.b2d/; do
    run 2 rename n.b2d/h/d $to
    says 'as a whole'
done
run 2 rename n.b2d x.b2d
says 'as a whole'
run 2 rename n.b2d/h/d r.b2d/d
says 'is not in the same store'
run 2 rename n.b2d/h/d d.b2nd
says 'is not in the same store'
run 2 rename n.b2d/h/d ../d
run 2 rename n.b2d/h/d n.b2d/h/../d
run 2 rename n.b2d/h/d.b2nd n.b2d/d
says 'a file of the store'
run 2 rename n.b2d/h/d n.b2d/new/a.b2nd
run 3 rename then.b2z/a then.b2z/b
says 'can only be read'
items n.b2d/h/d 4

make one.b2nd 1
run 0 copy one.b2nd sparse --layout sparse
run 0 attr one.b2nd set units m
cp one.b2nd same
run 0 rename one.b2nd two.b2nd
cmp -s two.b2nd same || fail 'a renamed file is another one'
[ -e one.b2nd ] && fail 'one.b2nd is there still'
run 0 rename sparse folder.b2nd
items folder.b2nd 1
[ -e sparse ] && fail 'sparse is there still'
cp two.b2nd other.b2nd
for to in other.b2nd folder.b2nd . text; do
    run 3 rename two.b2nd $to
    says exists
done
run 3 rename two.b2nd nothing/two.b2nd
says 'No such file'
run 3 rename two.b2nd text/two.b2nd
run 3 rename nothing.b2nd x
run 3 rename link x
says 'a link'
run 3 rename text words
says 'not a Blosc2 frame'
run 3 rename http://127.0.0.1:1/a.b2nd x
says 'at a URL'
run 3 rename two.b2nd s3://bucket/x
says 'at a URL'
run 2 rename two.b2nd n.b2d/two
says 'in a store'
run 2 rename two.b2nd n.b2d/two.b2nd
says 'in a store'
python3 - <<'PY' &
import fcntl, os, time
file = open("two.b2nd", "r+")
fcntl.flock(file, fcntl.LOCK_EX)
open("locked", "w").close()
while not os.path.exists("done"):
    time.sleep(0.01)
PY
while [ ! -e locked ]; do sleep 0.1; done
run 3 rename two.b2nd three.b2nd
run 3 remove two.b2nd
: >done
wait
items two.b2nd 1

# -- links

make l.b2d/g/a 1
number=$(newest l.b2d)
run 0 link l.b2d/g/a l.b2d/new/link
run 0 link l.b2d/new/link ./l.b2d/again
[ "$(newest l.b2d)" -eq $((number + 2)) ] || fail 'a link is not one commit'
run 0 set l.b2d/again : 5
items l.b2d/g/a 5
items l.b2d/new/link 5
run 0 ls -R l.b2d
names 'l.b2d/again l.b2d/g/a l.b2d/new/link'
says_out 'l.b2d/again -> /new/link '
run 0 ls l.b2d/again --json
says_out '"link": "/new/link"'
run 0 copy l.b2d l.b2z
items l.b2z/again 5
run 3 link l.b2d/g/a l.b2d/again
says 'again: exists'
run 3 link l.b2d/g/a l.b2d/g
says 'g: exists'
run 3 link l.b2d/no l.b2d/x
run 3 link l.b2z/g/a l.b2z/x
for target in l.b2d l.b2d/g n.b2d/new/a one.b2nd two.b2nd l.b2d/g/a.b2nd l.b2d@$number/g/a; do
    "$tess" link "$target" l.b2d/x >out 2>err && fail "a link to $target"
    checks=$((checks + 1))
done
for path in l.b2d n.b2d/x x.b2nd http://127.0.0.1:1/l.b2d/x l.b2d/../x; do
    run 2 link l.b2d/g/a $path
done
run 0 rename l.b2d/g/a l.b2d/g/b
"$tess" ls -R l.b2d >out 2>err
[ $? -eq 1 ] || fail 'two links that lead to nothing are fine'
says 'a link to /g/a, and the store has no such entry'
run 3 stat l.b2d/again
make l.b2d/g/a 7
items l.b2d/again 7
run 0 rename l.b2d/again l.b2d/other
run 0 remove l.b2d/other l.b2d/new
run 0 ls -R l.b2d
names 'l.b2d/g/a l.b2d/g/b'

# -- what is embedded

mkdir e.b2d e.b2d/g
run 0 copy two.b2nd e.b2d/file.b2nd
run 0 copy two.b2nd e.b2d/g/file.b2nd
size=$(wc -c <two.b2nd)
input=two.b2nd
run 0 import - embed.b2nd --dtype '|u1' --shape "$size"
input=/dev/null
run 0 attr embed.b2nd set estore_metadata "{\"embed_map\": {
    \"/e\": {\"offset\": 0, \"length\": $size}, \"/g/e\": {\"offset\": 0, \"length\": $size}},
    \"current_offset\": $size}"
mv embed.b2nd e.b2d/embed.b2e
run 0 ls -R e.b2d
names 'e.b2d/e e.b2d/file e.b2d/g/e e.b2d/g/file'
items e.b2d/e 1
for path in e g g/e; do
    run 3 remove e.b2d/file e.b2d/$path
    says 'e is in embed.b2e'
    run 3 rename e.b2d/$path e.b2d/x
    says 'e is in embed.b2e'
    run 3 rename e.b2d/file e.b2d/$path
    says 'exists'
done
run 0 remove e.b2d/file e.b2d/g/file
run 0 ls -R e.b2d
names 'e.b2d/e e.b2d/g/e'

[ $failed -eq 0 ] && echo "commits.sh: $checks checks passed"
[ $failed -eq 0 ]
