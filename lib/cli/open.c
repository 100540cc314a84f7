/*
 * open.c - the array that a command is about.
 */
#include "cli/open.h"

#include "cli/report.h"
#include "cli/text.h"

tess_status
open_array(const char *path, const struct arguments *args, tess_array **a, tess_error *err)
{
    const char *offset = args->values[OPT_OFFSET];
    tess_storage storage;

    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = TESS_MODE_READ;
    if (offset && (!text_int64(offset, &storage.offset) || storage.offset < 0))
        return report_set(err, TESS_ERR_ARG, "--offset %s: not a number of bytes", offset);
    return tess_array_open(&storage, a, err);
}
