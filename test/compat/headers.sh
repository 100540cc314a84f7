#!/bin/sh
# The headers of the interfaces of c-blosc2 and Caterva compile alone, together with Tessera's, and in
# the ways of their programs, without a warning, as C and as C++.
#
#     headers.sh INCLUDE_DIR     (CC and CXX in the environment; without CXX no C++)

include=$1
status=0
folder=tessera-b2nd # whose headers are found first

# compile LANGUAGE STANDARD LINE COMPILER...: a unit of that line; \n stands for an end of line
compile() {
    language=$1 standard=$2 line=$3
    shift 3
    if ! printf '%b\nint used;\n' "$line" |
        "$@" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Werror \
            -I"$include/$folder" -I"$include/tessera-b2nd" -I"$include" -fsyntax-only -; then
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
both '#define TESSERA_B2ND_PLAIN_NAMES\n#include <b2nd.h>'
both '#define BLOSC1_COMPAT\n#include <blosc2.h>\nint f(const void *s, void *d);
int f(const void *s, void *d) { return blosc_decompress(s, d, BLOSC_MAX_OVERHEAD); }'
both '#include <blosc2.h>\nint f(const char *p);
int f(const char *p) { BLOSC_ERROR_NULL(p, -1); BLOSC_ERROR(0); BLOSC_INFO("plain");
BLOSC_TRACE_WARNING("%d of %s", 1, p); return 0; }'
for folder in tessera-caterva tessera-caterva-dev; do
    for header in caterva.h caterva-names.h; do
        both "#include <$header>"
    done
    both '#include <caterva.h>\n#include <tessera.h>'
    both '#include <b2nd.h>\n#include <caterva.h>'
    both '#include <caterva.h>\nint f(const char *p);
int f(const char *p) { CATERVA_ERROR_NULL(p); CATERVA_ERROR(1); puts(print_error(2)); return 0; }'
done

# What does not exist here is refused, by name.
# refused FOLDER REASON LINE: a unit of that line does not compile, and the compiler says why
refused() {
    reason=$2
    # shellcheck disable=SC2086
    if printf '%b\n' "$3" | $CC -x c -std=c11 -I"$include/$1" -I"$include/tessera-b2nd" \
        -c -o /dev/null - 2>"${TMPDIR:-/tmp}/refused.$$"; then
        echo "compiles: $3"
        status=1
    elif ! grep -q "$reason" "${TMPDIR:-/tmp}/refused.$$"; then
        echo "the compiler does not say why: $(cat "${TMPDIR:-/tmp}/refused.$$")"
        status=1
    fi
    rm -f "${TMPDIR:-/tmp}/refused.$$"
}

refused tessera-b2nd 'calls no tuners' '#include <blosc2.h>\nint f(blosc2_tuner *t);
int f(blosc2_tuner *t) { return blosc2_register_tuner(t); }'
refused tessera-caterva 'has no caterva_append()' '#include <caterva.h>
int f(caterva_ctx_t *c, caterva_array_t *a);
int f(caterva_ctx_t *c, caterva_array_t *a) { return caterva_append(c, a, c, 4); }'
refused tessera-caterva-dev 'calls_no_tuners' '#include <caterva.h>\nint size = sizeof(blosc2_btune);'
exit $status
