#!/bin/sh
# Programs of tessera/mpi.h, with several ranks.
#
#     run.sh MPI arrays PROGRAM         random arrays, by 1, 2, 3, 4 and 8 ranks
#     run.sh MPI killed PROGRAM         a rank dies at a call of MPI, for many calls
#     run.sh MPI failures PROGRAM       one rank does something wrong, or has no memory
#     run.sh MPI heat PROGRAM           the example, started again with other ranks
#
# MPI is openmpi or mpich. TESS_TEST_CASES: arrays; TESS_TEST_LONG=1: more, and every call;
# TESS_TEST_SEED: of the arrays.
set -eu

mpi=$1 what=$2 program=$3
long=${TESS_TEST_LONG:-0}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Ranks need not have a core each, and OpenMPI wants to be told that it is root.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# Libraries of MPI keep memory until the end.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"

ranks() {
    several=$1
    shift
    "mpiexec.$mpi" -n "$several" "$@"
}

arrays() {
    cases=${TESS_TEST_CASES:-$([ "$long" = 1 ] && echo 300 || echo 25)}
    seed=${TESS_TEST_SEED:-$(date +%s)}
    other=$(dirname "$0")/../golden/files/c053_zlib_l1_dbits_ts3.b2nd
    for n in 1 2 3 4 8; do
        ranks $n "$program" "$folder" "$seed" "$cases" "$other"
    done
}

# What the file has after a rank died: a commit, and room for the next ones.
after() {
    "$program" "$1" check >"$folder/found" 2>&1 || {
        cat "$folder/found"
        echo "rank $2 died at call $3: no commit is left"
        exit 1
    }
}

killed() {
    path=$1 n=$2 died=0
    step=$([ "$long" = 1 ] && echo 1 || echo 29)
    rank=0
    while [ $rank -lt "$n" ]; do
        ranks "$n" "$program" "$path" create # where a rank died, if one did
        rm -rf "$folder/first"
        cp -R "$path" "$folder/first"
        last=$(ranks "$n" "$program" "$path" write $rank 0 | sed -n 's/^calls //p')
        call=$((1 + rank % step))
        while [ $call -le "$last" ]; do
            rm -rf "$path"
            cp -R "$folder/first" "$path"
            # Launchers do not always tell that a rank died; a rank that did not says so.
            ranks "$n" "$program" "$path" write $rank $call >"$folder/said" 2>&1 || true
            if grep -q '^calls ' "$folder/said"; then
                echo "rank $rank did not die at call $call of $last"
                exit 1
            fi
            after "$path" $rank $call
            died=$((died + 1))
            call=$((call + step))
        done
        rank=$((rank + 1))
    done
    ranks "$n" "$program" "$path" write -1 0
    after "$path" - -
    grep -q 'commit 2, ' "$folder/found"
    [ $died -gt 0 ]
    echo "$n ranks, $(basename "$path"): a commit was there each of $died times"
}

failures() {
    step=$([ "$long" = 1 ] && echo 1 || echo 13)
    ranks 1 "$program" "$folder/file" calls
    ranks 3 "$program" "$folder/file" calls
    ranks 2 "$program" "$folder/file" memory 0 "$step"
    ranks 2 "$program" "$folder/file" memory 1 "$step"
}

heat() {
    ranks 1 "$program" "$folder/one" 100 | grep '^step' >"$folder/want"
    ranks 3 "$program" "$folder/more" 40 >/dev/null
    ranks 4 "$program" "$folder/more" 100 | grep '^step' >"$folder/got"
    cat "$folder/got"
    cmp "$folder/want" "$folder/got"
    grep -q '^step 100: ' "$folder/got"
}

case $what in
arrays) arrays ;;
killed)
    killed "$folder/file" 3
    killed "$folder/folder" 2
    ;;
failures) failures ;;
heat) heat ;;
*) exit 2 ;;
esac
