#!/bin/sh
# The program in README.rst compiles without a warning, runs, and prints what its comment says.
#
#     readme.sh README INCLUDE_DIR LIBRARY     (CC in the environment)

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

awk '/^\.\. code-block:: c$/ { code = 1; next }
     code && /^[^ ]/ { exit }
     code { sub(/^    /, ""); print }' "$1" >"$tmp/readme.c"
# shellcheck disable=SC2086
$CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$2" "$tmp/readme.c" "$3" \
    -Wl,-rpath,"$(dirname "$3")" -o "$tmp/readme" || exit 1
printed=$("$tmp/readme") || exit 1
expected=$(sed -n 's/.*printf.*; \/\/ //p' "$tmp/readme.c")
[ -n "$expected" ] && [ "$printed" = "$expected" ] && exit 0
echo "README.rst says '$expected', the program printed '$printed'"
exit 1
