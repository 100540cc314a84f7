/*
 * calls.h - what calls on stored chunks begin and end with.
 */
#ifndef API_CHUNK_CALLS_H
#define API_CHUNK_CALLS_H

#include "api/check.h"
#include "base/error.h"
#include "frame/commit/lock.h"
#include "frame/query.h"
#include "grid/write/write_back.h"
#include "task/gate.h"

#include <tessera/chunk.h>

#include <inttypes.h>

// A call that looks at stored chunks begins: nothing waits in the cache, the file stays, and the
// list of chunks does.
static inline tess_status
chunks_begin(const tess_array *a, tess_error *err)
{
    tess_status st = check_no_view(a, err);
    if (st == TESS_OK)
        st = write_back_all(a->grid, err);
    if (st == TESS_OK)
        st = frame_lock_share(a->grid->frame, err);
    if (st == TESS_OK)
        gate_enter(a->grid->gate);
    return st;
}

static inline tess_status
chunks_end(const tess_array *a, tess_status st, tess_error *err)
{
    gate_leave(a->grid->gate);
    st = array_check_current(a, st, err);
    frame_lock_unshare(a->grid->frame);
    return st;
}

static inline tess_status
check_number(const tess_array *a, int64_t n, tess_error *err)
{
    const int64_t nchunks = a->grid->g.nchunks;
    if (n < 0 || n >= nchunks)
        return err_set(err, TESS_ERR_ARG, -1, "chunk %" PRId64 " of an array with %" PRId64, n,
                       nchunks);
    return TESS_OK;
}

static inline tess_status
check_trust(tess_chunk_trust trust, tess_error *err)
{
    if (trust != TESS_CHUNK_UNTRUSTED && trust != TESS_CHUNK_TRUSTED)
        return err_set(err, TESS_ERR_ARG, -1, "%d is no trust", (int)trust);
    return TESS_OK;
}

#endif
