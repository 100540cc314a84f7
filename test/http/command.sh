#!/bin/sh
# command.sh SERVE TESS - the command reads arrays at URLs that SERVE serves, files and directories,
# as it reads them on the disk, and writes to s3://.
serve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
tess=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
folder=$(mktemp -d) || exit 1
pid=
trap 'test -z "$pid" || kill "$pid"; rm -rf "$folder"' EXIT

fail() {
    echo "command.sh: $1" >&2
    exit 1
}

# same WHAT FILE URL WORD...: the command prints the same of both.
same() {
    what=$1 file=$2 url=$3
    shift 3
    "$tess" "$what" "$file" "$@" >"$folder/here" || fail "$what $file"
    "$tess" "$what" "$url" "$@" >"$folder/there" || fail "$what $url"
    cmp -s "$folder/here" "$folder/there" || fail "$what $* of $url: $(cat "$folder/there")"
}

mkdir "$folder/www"
cd "$folder" || exit 1
head -c 240000 /dev/urandom >items.bin
"$tess" import items.bin www/a.b2nd --dtype '<i4' --shape 20x30x100 --chunks 5x30x50 || fail "import"
"$tess" attr www/a.b2nd set unit K || fail "attribute"
"$tess" copy www/a.b2nd www/d.b2nd --layout sparse || fail "sparse copy"
"$serve" www >address &
pid=$!
n=0
until [ -s address ]; do
    n=$((n + 1))
    [ $n -lt 100 ] || fail "no address after 10 s"
    sleep 0.1
done
read -r address <address
export no_proxy='*'

for url in "${address}a.b2nd" "${address}d.b2nd/"; do
    same slice www/a.b2nd "$url" 3,::7,5:9
    same attr www/a.b2nd "$url" get unit
    "$tess" info "$url" >info || fail "info $url"
    grep -q '20x30x100' info || fail "info $url: $(cat info)"
    grep -q damaged info && fail "info $url says: $(cat info)"
    "$tess" verify "$url" >verify || fail "verify $url: $(cat verify)"
    "$tess" diff "$url" www/a.b2nd || fail "diff $url"
    "$tess" export "$url" got.bin --force || fail "export $url"
    cmp -s got.bin items.bin || fail "$url was exported with other items"
    "$tess" copy "$url" copy.b2nd --force --codec zstd:3 || fail "copy $url"
    "$tess" diff copy.b2nd www/a.b2nd || fail "the copy of $url differs"
done

"$tess" slice "${address}none.b2nd" 0 2>message && fail "an array that is not there was read"
grep -q 404 message || fail "the message is: $(cat message)"
"$tess" attr "${address}a.b2nd" set unit C 2>message && fail "an array at a URL was changed"
grep -q 'cannot be changed' message || fail "the message is: $(cat message)"
"$tess" create "${address}new.b2nd" --shape 3 --dtype '<i4' 2>message && fail "an array was created at a URL"
grep -q 'only tess copy' message || fail "the message is: $(cat message)"

export TESS_HTTP_CACHE="$folder/cache"
same slice www/a.b2nd "${address}a.b2nd" 19,29,:
[ -n "$(ls cache)" ] || fail "nothing is in the cache"
unset TESS_HTTP_CACHE

export AWS_ENDPOINT_URL="${address%/}" AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret \
    AWS_REGION=us-east-1 AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
mkdir -p www/bucket
"$tess" copy www/a.b2nd s3://bucket/up.b2nd || fail "copy to s3"
"$tess" diff www/a.b2nd s3://bucket/up.b2nd || fail "what was copied to s3 differs"
"$tess" copy www/a.b2nd s3://bucket/up.b2nd 2>message && fail "an object was replaced"
"$tess" copy www/a.b2nd s3://bucket/up.b2nd --force --chunks 20x10x100 || fail "replacing"
"$tess" diff www/a.b2nd s3://bucket/up.b2nd || fail "what was replaced differs"
"$tess" copy www/a.b2nd s3://bucket/up.b2nd --layout sparse --force 2>message && fail "sparse"
exit 0
