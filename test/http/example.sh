#!/bin/sh
# example.sh EXAMPLE SERVE TESS - the program of the manual, test/examples/remote.c, prints a plane of
# an array that SERVE serves; an object that is not there is told.
example=$1
serve=$2
tess=$3
folder=$(mktemp -d) || exit 1
pid=
trap 'test -z "$pid" || kill "$pid"; rm -rf "$folder"' EXIT

fail() {
    echo "example.sh: $1" >&2
    exit 1
}

mkdir "$folder/www"
"$tess" create "$folder/www/a.b2nd" --shape 12x3x4 --dtype '<i2' --fill 7 || fail "no array"
"$tess" set "$folder/www/a.b2nd" 6,1,2 -5 || fail "no item"
"$serve" "$folder/www" >"$folder/address" &
pid=$!
n=0
until [ -s "$folder/address" ]; do
    n=$((n + 1))
    [ $n -lt 100 ] || fail "no address after 10 s"
    sleep 0.1
done
read -r address <"$folder/address"
export no_proxy='*'
got=$("$example" "${address}a.b2nd" | tr '\n' ,)
[ "$got" = '7 7 7 7,7 7 -5 7,7 7 7 7,' ] || fail "printed $got"
"$example" "${address}none.b2nd" 2>"$folder/message" && fail "an array that is not there was read"
grep -q 404 "$folder/message" || fail "the message is: $(cat "$folder/message")"
"$example" 2>/dev/null && fail "no URL, and no failure"
exit 0
