/*
 * witness.h - a thread that reads an array of history.h in all ways there are, and compares what
 * it gets with one commit.
 */
#ifndef API_WITNESS_H
#define API_WITNESS_H

#include "api/history.h"
#include "support/random.h"

#include <stdatomic.h>

struct witness {
    struct random random;
    uint64_t *got; // HISTORY_ITEMS
    // The array and what it must hold, for the next call.
    tess_array *a;
    const struct moment *moment;
    const char *way; // that was used last
    // What was wrong in it; sentence[0] is 0 if nothing was.
    atomic_bool wrong;
    char sentence[200];
};

// Read something. Only after TESS_OK it is known whether it was wrong.
tess_status witness_read(struct witness *w, tess_error *err);
tess_status witness_read_all(struct witness *w, tess_error *err);
tess_status witness_verify(struct witness *w, tess_error *err);

#endif
