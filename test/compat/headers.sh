#!/bin/sh
# The headers of c-blosc2's interface compile alone, together with Tessera's, and in the ways of their
# programs, without a warning, as C and as C++.
#
#     headers.sh INCLUDE_DIR     (CC and CXX in the environment; without CXX no C++)

include=$1
status=0

# compile LANGUAGE STANDARD LINE COMPILER...: a unit of that line; \n stands for an end of line
compile() {
    language=$1 standard=$2 line=$3
    shift 3
    if ! printf '%b\nint used;\n' "$line" |
        "$@" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Werror \
            -I"$include/tessera-b2nd" -I"$include" -fsyntax-only -; then
        echo "does not compile as $standard: $line"
        status=1
    fi
}

# both LINE: as C and as C++
both() {
    # shellcheck disable=SC2086
    compile c c11 "$1" $CC
    # shellcheck disable=SC2086
    compile c gnu99 "$1" $CC
    # shellcheck disable=SC2086
    [ -z "$CXX" ] || compile c++ c++11 "$1" $CXX
}

cd "$include/tessera-b2nd" || exit 1
for header in *.h blosc2/*.h; do
    both "#include <$header>"
done
both '#include <b2nd.h>\n#include <blosc2.h>\n#include <tessera.h>'
both '#include <tessera.h>\n#include <b2nd.h>'
both '#define BLOSC1_COMPAT\n#include <blosc2.h>\nint f(const void *s, void *d);
int f(const void *s, void *d) { return blosc_decompress(s, d, BLOSC_MAX_OVERHEAD); }'
both '#include <blosc2.h>\nint f(const char *p);
int f(const char *p) { BLOSC_ERROR_NULL(p, -1); BLOSC_ERROR(0); BLOSC_INFO("plain");
BLOSC_TRACE_WARNING("%d of %s", 1, p); return 0; }'
# What does not exist here is refused, by name.
tuner='#include <blosc2.h>\nint f(blosc2_tuner *t);
int f(blosc2_tuner *t) { return blosc2_register_tuner(t); }'
# shellcheck disable=SC2086
if printf '%b\n' "$tuner" | $CC -x c -std=c11 -I. -c -o /dev/null - 2>"${TMPDIR:-/tmp}/refused.$$"; then
    echo "a program that registers a tuner compiles"
    status=1
elif ! grep -q 'calls no tuners' "${TMPDIR:-/tmp}/refused.$$"; then
    echo "the compiler does not say why: $(cat "${TMPDIR:-/tmp}/refused.$$")"
    status=1
fi
rm -f "${TMPDIR:-/tmp}/refused.$$"
exit $status
