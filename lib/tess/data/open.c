/*
 * open.c - the array that a command is about, and what the command may use for it.
 */
#include "data/open.h"

#include "data/format.h"
#include "data/remote.h"
#include "report.h"
#include "text/text.h"

#include <limits.h>
#include <string.h>

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

tess_status
open_explain(const char *path, tess_status st, tess_error *err)
{
    const struct format_found is =
        st == TESS_ERR_FORMAT ? format_at(path) : (struct format_found){.what = NULL};

    if (st == TESS_ERR_FORMAT && is.what && is.kind != FORMAT_ARRAY)
        return report_set(err, st, "no array but %s%s%s", is.what, is.how ? "; " : "",
                          is.how ? is.how : "");
    if (st != TESS_ERR_NOT_FOUND)
        return st;
    if (strcmp(path, "-") == 0)
        return report_set(err, TESS_ERR_ARG,
                          "an array is a file or a directory, not standard input");
    return st;
}

// Over a network, checksums would make each read one of whole chunks: they are compared where all
// of a chunk is needed anyway, by tess verify and when stored chunks are copied.
static tess_status
open_url(const char *url, tess_storage *storage, tess_array **a, tess_error *err)
{
    tess_source source;
    if (storage->mode != TESS_MODE_READ)
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "an array at a URL cannot be changed; tess copy makes a file of it");
    tess_status st = remote_open(url, &source, err);
    if (st != TESS_OK)
        return st;
    storage->path = NULL;
    storage->source = &source;
    storage->checksums = TESS_CHECKSUMS_WRITE;
    st = tess_array_open(storage, a, err);
    if (st != TESS_OK && source.close)
        source.close(source.user);
    return st;
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
    if (mode == TESS_MODE_READ && !args->values[OPT_UNCHECKED])
        storage.checksums = TESS_CHECKSUMS_VERIFY;
    storage.context = &context;
    if (offset && (!text_int64(offset, &storage.offset) || storage.offset < 0))
        return report_set(err, TESS_ERR_ARG, "--offset %s: not a number of bytes", offset);
    return remote_is_url(path) ? open_url(path, &storage, a, err)
                               : open_explain(path, tess_array_open(&storage, a, err), err);
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

tess_status
open_close_changed(tess_array *a, tess_status st, tess_error *err)
{
    if (st == TESS_OK)
        return tess_array_close(a, err);
    tess_array_discard(a);
    return st;
}

tess_status
open_measure(const tess_array *a, tess_info *info, tess_error *err)
{
    const tess_status st = tess_array_measure(a, info, err);

    if (st != TESS_ERR_CORRUPT && st != TESS_ERR_IO)
        return st;
    tess_array_info(a, info);
    return TESS_OK;
}

void
open_storage_to_make(const char *path, const tess_context *context, tess_storage *storage)
{
    tess_storage_init(storage);
    storage->path = path;
    storage->mode = TESS_MODE_NEW;
    storage->durability = TESS_DURABILITY_NONE;
    storage->context = context;
}
