/*
 * status.c - checks what functions of a source return.
 */
#include "io/source/status.h"

#include "base/error.h"

#include <stdbool.h>

tess_status
source_status(tess_status st, const char *name, tess_error *err)
{
    if (st == TESS_OK)
        return st;
    const bool known = st > TESS_OK && st <= TESS_ERR_TYPE;
    const tess_status status = known ? st : TESS_ERR_IO;
    if (!known)
        return err_set(err, status, -1, "%s of the source returned %d, which is no status", name,
                       (int)st);
    if (!err)
        return status;
    err->message[TESS_ERROR_MESSAGE_SIZE - 1] = '\0';
    if (err->message[0] == '\0')
        return err_set(err, status, -1, "%s of the source failed, without a message", name);
    err->status = status;
    err->offset = -1;
    return status;
}
