#!/bin/sh
# Every public header compiles alone, without a warning, as C and as C++.
#
#     headers.sh INCLUDE_DIR     (CC and CXX in the environment; without CXX no C++)

include=$1
status=0

# compile LANGUAGE STANDARD HEADER COMPILER...
compile() {
    language=$1 standard=$2 header=$3
    shift 3
    if ! echo "#include <$header>" |
        "$@" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Werror -I . \
            -fsyntax-only -; then
        echo "$header does not compile alone as $standard"
        status=1
    fi
}

cd "$include" || exit 1
for header in *.h tessera/*.h; do
    # shellcheck disable=SC2086
    compile c c11 "$header" $CC
    # shellcheck disable=SC2086
    [ -z "$CXX" ] || compile c++ c++11 "$header" $CXX
done
exit $status
