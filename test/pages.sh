#!/bin/sh
# The samples in C and C++ on the pages of the manual compile without a warning. Those that are
# programs run, each in a folder of its own, and print what the comments behind their printf() say,
# in this order. Those that use tessera/http.h need a server: test/http/example.sh runs the program.
#
#     pages.sh INCLUDE_DIR LIBRARY PAGE...     (CC in the environment; CXX, if there is one)

include=$1
case $2 in /*) library=$2 ;; *) library=$PWD/$2 ;; esac
shift 2
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
warnings='-Wall -Wextra -Wpedantic -Werror'
programs=0
failed=0

fail() {
    echo "FAILED: $*" >&2
    failed=$((failed + 1))
}

# compile SOURCE: makes SOURCE.o.
compile() {
    # shellcheck disable=SC2086
    case $1 in
    *.c) $CC -std=c11 -D_POSIX_C_SOURCE=200809L $warnings -I "$include" -c "$1" -o "$1.o" ;;
    *) $CXX -std=c++17 $warnings -I "$include" -c "$1" -o "$1.o" ;;
    esac
}

# run SOURCE: links and runs what was compiled, and compares what it prints.
run() {
    mkdir "$1.d" || return 1
    # shellcheck disable=SC2086
    case $1 in
    *.c) $CC "$1.o" "$library" -Wl,-rpath,"$(dirname "$library")" -o "$1.run" ;;
    *) $CXX "$1.o" "$library" -Wl,-rpath,"$(dirname "$library")" -o "$1.run" ;;
    esac || return 1
    (cd "$1.d" && "$1.run") >"$1.printed" || return 1
    awk '/printf\(/ { statement = 1 }
        statement && /; \/\/ / { sub(/.*; \/\/ /, ""); print }
        /;/ { statement = 0 }' "$1" >"$1.expected"
    diff "$1.expected" "$1.printed"
}

for page in "$@"; do
    rm -rf "${tmp:?}"/*
    # Each sample begins with #line, so that messages tell the place on the page.
    awk -v folder="$tmp" -v page="$page" '
        /^\.\. code-block:: / {
            suffix = $3 == "c" ? "c" : $3 == "c++" ? "cc" : ""
            file = folder "/" NR "." suffix
            if (suffix != "") printf "#line %d \"%s\"\n", NR + 1, page >file
            next
        }
        /^[^ ]/ { suffix = "" }
        suffix != "" { sub(/^    /, ""); print >file }' "$page"
    for source in "$tmp"/*.c "$tmp"/*.cc; do
        [ -f "$source" ] || continue
        line=${source##*/}
        line=${line%.*}
        case $source in *.cc) [ -n "$CXX" ] || continue ;; esac
        compile "$source" || { fail "$page, line $line: does not compile"; continue; }
        grep -q '^int main(\|^main(' "$source" || continue
        grep -q '^#include <tessera/http.h>' "$source" && continue
        run "$source" || { fail "$page, line $line: prints something else, or fails"; continue; }
        programs=$((programs + 1))
    done
done
[ $programs -gt 0 ] || fail "no program was run"
[ $failed -eq 0 ] && echo "pages.sh: passed, $programs programs"
[ $failed -eq 0 ]
