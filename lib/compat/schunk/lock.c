/*
 * lock.c - a program holds the lock of a file, and follows what others commit.
 */
#include "blosc2/error.h"
#include "schunk/calls.h"
#include "schunk/schunk.h"

int
blosc2_schunk_lock(blosc2_schunk *schunk)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    if (!s->locking)
        return BLOSC2_ERROR_SUCCESS;
    int rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    tess_error err = {0};
    rc = b2_code_io(tess_array_lock(s->a, &err), &err, BLOSC2_ERROR_LOCK);
    s->lock_depth += rc == 0;
    const bool useless = s->lock_depth == 0; // others may write
    b2_schunk_end(s);
    if (useless)
        (void)b2_schunk_stop_writing(s); // nothing was written
    return rc;
}

int
blosc2_schunk_unlock(blosc2_schunk *schunk)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    if (!s->locking || s->lock_depth == 0)
        return BLOSC2_ERROR_SUCCESS;
    b2_schunk_alone_begin(s);
    s->lock_depth--;
    return b2_schunk_end_change(s);
}

int
blosc2_schunk_refresh(blosc2_schunk *schunk)
{
    return schunk ? b2_schunk_follow(b2_schunk_of(schunk)) : BLOSC2_ERROR_NULL_POINTER;
}
