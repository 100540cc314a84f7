/*
 * open.c - the array that a command is about, and what the command may use for it.
 */
#include "cli/open.h"

#include "cli/report.h"
#include "cli/text.h"

#include <limits.h>

tess_status
open_context(const struct arguments *args, tess_context *context, tess_error *err)
{
    const char *const text = args->values[OPT_THREADS];
    int64_t threads = 0;

    tess_context_init(context);
    if (text && (!text_int64(text, &threads) || threads < 1 || threads > INT_MAX))
        return report_set(err, TESS_ERR_ARG, "--threads %s: not a number of threads", text);
    context->threads = (int)threads;
    return TESS_OK;
}

static tess_status
open_in_mode(const char *path, const struct arguments *args, tess_mode mode, tess_array **a,
             tess_error *err)
{
    const char *const offset = args->values[OPT_OFFSET];
    tess_context context;
    tess_storage storage;

    const tess_status st = open_context(args, &context, err);
    if (st != TESS_OK)
        return st;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.context = &context;
    if (offset && (!text_int64(offset, &storage.offset) || storage.offset < 0))
        return report_set(err, TESS_ERR_ARG, "--offset %s: not a number of bytes", offset);
    return tess_array_open(&storage, a, err);
}

tess_status
open_array(const char *path, const struct arguments *args, tess_array **a, tess_error *err)
{
    return open_in_mode(path, args, TESS_MODE_READ, a, err);
}

tess_status
open_array_to_change(const char *path, const struct arguments *args, tess_array **a,
                     tess_error *err)
{
    if (args->values[OPT_OFFSET])
        return report_set(err, TESS_ERR_ARG, "--offset: such a frame cannot be changed");
    return open_in_mode(path, args, TESS_MODE_UPDATE, a, err);
}
