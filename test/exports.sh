#!/bin/sh
# The library shows exactly the functions that the public headers declare with TESS_API.
#
#     exports.sh INCLUDE_DIR LIBRARY        a shared library, or an archive (.a)

include=$1
library=$2
table=-D
case $library in
*.a) table=-g ;;
esac
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# A declaration runs from TESS_API to the first parenthesis; the name stands before it.
cat "$include"/tessera/*.h | tr '\n' ' ' | awk '{
    n = split($0, part, /TESS_API/)
    for (i = 2; i <= n; i++) {
        sub(/\(.*/, "", part[i])
        if (match(part[i], /tess_[a-z0-9_]+$/))
            print substr(part[i], RSTART)
    }
}' | sort -u >"$tmp/declared"

# Names that begin with _ belong to the compiler; A are the names of symbol versions.
"${NM:-nm}" $table --defined-only "$library" |
    awk 'NF == 3 && $3 !~ /^_/ && $2 != "A" { print $3 }' >"$tmp/names"
sed 's/@.*//' "$tmp/names" | sort -u >"$tmp/defined"
if grep -q '@' "$tmp/names" && grep -v '@@TESSERA_' "$tmp/names"; then
    echo "these have no symbol version"
    exit 1
fi

if [ ! -s "$tmp/declared" ]; then
    echo "no declarations found in $include"
    exit 1
fi
diff "$tmp/declared" "$tmp/defined" && exit 0
echo "< declared in $include but not in $library; > the other way round"
exit 1
