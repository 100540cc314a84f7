/*
 * check.h - expectations of MPI programs: a rank that finds one wrong says so and ends all.
 */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <tessera/error.h>

static uint64_t now_at; // seed of the case, for messages

#define check(is, what)                                                          \
    do {                                                                         \
        if (!(is)) {                                                             \
            fprintf(stderr, "%s:%d: %s (seed %llu)\n", __FILE__, __LINE__, what, \
                    (unsigned long long)now_at);                                 \
            MPI_Abort(MPI_COMM_WORLD, 1);                                        \
        }                                                                        \
    } while (0)

// A call that fills `err`.
#define ok(call) check((call) == TESS_OK, err.message)

#endif
