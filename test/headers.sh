#!/bin/sh
# Every public header compiles alone, without a warning, as C and as C++. Those of MPI programs are
# compiled with each MPI library that is there.
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
quiet="-Wno-unused-function -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX" # the C++ of the libraries
left_out="tessera/mpi.h and tessera/mpi are left out: no mpicc.openmpi or mpicc.mpich"
for mpicc in mpicc.openmpi mpicc.mpich; do
    command -v $mpicc >/dev/null 2>&1 || continue
    left_out=
    for header in tessera/mpi.h tessera/mpi/*.h; do
        compile c c11 "$header" $mpicc $quiet
        [ -z "$CXX" ] || compile c++ c++11 "$header" $mpicc $quiet
    done
done
[ -z "$left_out" ] || echo "$left_out"
for header in *.h tessera/*.h; do
    [ "$header" != tessera/mpi.h ] || continue
    # shellcheck disable=SC2086
    compile c c11 "$header" $CC
    # shellcheck disable=SC2086
    [ -z "$CXX" ] || compile c++ c++11 "$header" $CXX
done
exit $status
