/*
 * open.c - the array that a command is about, and what the command may use for it.
 */
#include "cli/data/open.h"

#include "cli/data/remote.h"
#include "cli/report.h"
#include "cli/text/text.h"

#include <limits.h>
#include <stdio.h>
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

// What the file is instead, by its first bytes; NULL: nothing that tess knows.
static const char *
other_format(const char *path)
{
    static const struct {
        const char *magic;
        size_t size;
        const char *words;
    } formats[] = {
        {"\x93NUMPY", 6, "a NumPy file; tess import makes an array of it"},
        {"PK\x03\x04", 4, "a zip file; if it is an .npz, tess import makes arrays of it"},
        {"CDF", 3, "a netCDF file; tess import makes arrays of its variables"},
        {"\x89HDF", 4, "an HDF5 file; tess import makes arrays of what is in it"},
    };
    FILE *const in = fopen(path, "rb");
    char head[8] = "";

    if (!in)
        return NULL;
    const size_t n = fread(head, 1, sizeof head, in);
    const bool empty = n == 0 && !ferror(in); // a directory cannot be read
    (void)fclose(in);
    if (empty)
        return "an empty file";
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (n >= formats[i].size && memcmp(head, formats[i].magic, formats[i].size) == 0)
            return formats[i].words;
    return NULL;
}

tess_status
open_explain(const char *path, tess_status st, tess_error *err)
{
    const char *const other = st == TESS_ERR_FORMAT ? other_format(path) : NULL;

    if (other)
        return report_set(err, st, "no array but %s", other);
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
