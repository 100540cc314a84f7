#!/bin/sh
# serve.sh SERVE - the program serves the files of a directory until it is told to end.
#
# Requests come from server_test; here, what the program adds: arguments, the line with the address,
# the end. Without curl, no request is sent.
serve=$1
folder=$(mktemp -d) || exit 1
pid=
trap 'test -z "$pid" || kill "$pid"; rm -rf "$folder"' EXIT

fail() {
    echo "serve.sh: $1" >&2
    exit 1
}

for arguments in '' '--port' "$folder --port x" "$folder --port 65536" "$folder --delay -1" "$folder x"; do
    # shellcheck disable=SC2086
    "$serve" $arguments 2>/dev/null
    [ $? -eq 2 ] || fail "'$arguments' is taken"
done
"$serve" "$folder/none" 2>/dev/null
[ $? -eq 3 ] || fail "a directory that is not there is served"

printf 0123456789 >"$folder/f"
"$serve" "$folder" --delay 1 >"$folder/address" &
pid=$!
n=0
until [ -s "$folder/address" ]; do
    n=$((n + 1))
    [ $n -lt 100 ] || fail "no address after 10 s"
    sleep 0.1
done
read -r address <"$folder/address"
case $address in
http://127.0.0.1:*/) ;;
*) fail "the address is $address" ;;
esac
if command -v curl >/dev/null; then
    got=$(curl -s --noproxy '*' -r 2-5 "${address}f")
    [ "$got" = 2345 ] || fail "'$got' instead of 2345"
fi
kill "$pid"
wait "$pid"
status=$?
pid=
[ $status -eq 0 ] || fail "exit status $status after SIGTERM"
