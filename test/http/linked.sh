#!/bin/sh
# libtessera needs no libcurl, and libtessera-http shows what http.h declares, and nothing else.
#
#     linked.sh INCLUDE_DIR LIBTESSERA LIBTESSERA_HTTP     (READELF, NM in the environment)

include=$1 tessera=$2 http=$3
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

needed() {
    "${READELF:-readelf}" -d "$1" | grep NEEDED
}

if needed "$tessera" | grep -E 'curl|nettle'; then
    echo "$tessera needs these"
    failed=1
fi
for name in curl tessera; do
    if ! needed "$http" | grep -q "$name"; then
        echo "$http does not need $name: this test looks at the wrong file"
        failed=1
    fi
done
tr '\n' ' ' <"$include/tessera/http.h" | grep -o 'TESS_HTTP_API [^;(]*(' |
    grep -o 'tess_[a-z0-9_]*(' | tr -d '(' | sort -u >"$tmp/declared"
"${NM:-nm}" -D --defined-only "$http" | awk '$3 !~ /^_/ { print $3 }' | sort -u >"$tmp/defined"
if [ ! -s "$tmp/declared" ] || ! diff "$tmp/declared" "$tmp/defined"; then
    echo "< declared in http.h but not in $http; > the other way round"
    failed=1
fi
exit $failed
