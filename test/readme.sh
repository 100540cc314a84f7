#!/bin/sh
# The C samples in README.rst compile without a warning. Those that are programs run, and print what
# their comment says.
#
#     readme.sh README INCLUDE_DIR LIBRARY     (CC in the environment)

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
programs=0

awk -v folder="$tmp" '
    /^\.\. code-block:: / { code = $3 == "c"; n += code; next }
    /^[^ ]/ { code = 0 }
    code { sub(/^    /, ""); print >(folder "/" n ".c") }' "$1"
for source in "$tmp"/*.c; do
    # shellcheck disable=SC2086
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$2" -c "$source" -o "$source.o" || exit 1
    grep -q '^int main(' "$source" || continue
    # shellcheck disable=SC2086
    $CC "$source.o" "$3" -Wl,-rpath,"$(dirname "$3")" -o "$source.run" || exit 1
    printed=$("$source.run") || exit 1
    expected=$(sed -n 's/.*printf.*; \/\/ //p' "$source")
    programs=$((programs + 1))
    [ -n "$expected" ] && [ "$printed" = "$expected" ] && continue
    echo "README.rst says '$expected', the program printed '$printed'"
    exit 1
done
[ $programs -gt 0 ]
