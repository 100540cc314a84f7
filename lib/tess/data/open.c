/*
 * open.c - the array that a command is about, and what the command may use for it.
 */
#include "data/open.h"

#include "data/format.h"
#include "data/path.h"
#include "data/remote.h"
#include "data/store_path.h"
#include "report.h"
#include "text/text.h"

#include <tessera/store.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
take_url(const char *url, tess_storage *storage, tess_source *source, tess_error *err)
{
    storage->path = NULL;
    storage->source = source;
    storage->checksums = TESS_CHECKSUMS_WRITE;
    return remote_open(url, source, err);
}

// After a source was used to open something, with that status: it belongs to what was opened.
static tess_status
end_url(const tess_source *source, tess_status st)
{
    if (st != TESS_OK && source->close)
        source->close(source->user);
    return st;
}

static tess_status
open_url(const char *url, tess_storage *storage, tess_array **a, tess_error *err)
{
    tess_source source;
    if (storage->mode != TESS_MODE_READ)
        return report_set(err, TESS_ERR_UNSUPPORTED,
                          "an array at a URL cannot be changed; tess copy makes a file of it");
    const tess_status st = take_url(url, storage, &source, err);
    return st == TESS_OK ? end_url(&source, tess_array_open(storage, a, err)) : st;
}

typedef tess_status store_open_fn(tess_store *store, const char *path, tess_array **a,
                                  tess_error *err);

tess_status
open_refuse_commit(const struct store_path *at, tess_error *err)
{
    return at->commit ? report_set(err, TESS_ERR_UNSUPPORTED,
                                   "a commit of a store can only be read; the store has its path "
                                   "without the @")
                      : TESS_OK;
}

// The newest commit, or another one; NULL: the newest.
static tess_status
open_store_at(const char *path, const char *commit, tess_storage *storage, tess_store **store,
              tess_error *err)
{
    tess_source source;
    storage->path = path;
    if (commit && !commit[0])
        return report_set(err, TESS_ERR_ARG, "behind the @, the name of a commit is missing");
    if (commit)
        return open_explain(path, tess_store_open_commit(storage, commit, store, err), err);
    if (!remote_is_url(path))
        return open_explain(path, tess_store_open(storage, store, err), err);
    const tess_status st = take_url(path, storage, &source, err);
    return st == TESS_OK ? end_url(&source, tess_store_open(storage, store, err)) : st;
}

// The store that a path leads through.
static tess_status
open_store_of(const char *path, const struct store_path *at, tess_storage *storage,
              tess_store **store, tess_error *err)
{
    char *const name = strndup(path, at->front);
    char *const commit = at->commit ? strndup(at->commit, at->commit_size) : NULL;
    const tess_status st = name && !at->commit == !commit
                               ? open_store_at(name, commit, storage, store, err)
                               : report_nomem(err, (int64_t)at->front);
    free(commit);
    free(name);
    return st;
}

// What is at a path behind that of a store.
static tess_status
open_in_store(const char *path, const struct store_path *at, tess_storage *storage,
              store_open_fn *open, tess_array **a, tess_error *err)
{
    tess_store *store = NULL;
    tess_status st = TESS_OK;
    if (storage->offset != 0)
        st = report_set(err, TESS_ERR_ARG, "--offset: of an array in a store it is known");
    if (st == TESS_OK && storage->mode != TESS_MODE_READ)
        st = open_refuse_commit(at, err);
    if (st == TESS_OK)
        st = open_store_of(path, at, storage, &store, err);
    if (st == TESS_OK)
        st = open(store, at->inside, a, err);
    tess_store_close(store);
    return st;
}

// All but the path of a storage.
static tess_status
open_storage(const struct arguments *args, tess_mode mode, tess_context *context,
             tess_storage *storage, tess_error *err)
{
    const tess_status st = open_context(args, context, err);
    tess_storage_init(storage);
    storage->mode = mode;
    if (mode == TESS_MODE_READ && !args->values[OPT_UNCHECKED])
        storage->checksums = TESS_CHECKSUMS_VERIFY;
    storage->context = context;
    return st;
}

tess_status
open_store_around(const char *path, const struct store_path *at, const struct arguments *args,
                  tess_store **store, tess_error *err)
{
    tess_context context;
    tess_storage storage;
    const tess_status st = open_storage(args, TESS_MODE_READ, &context, &storage, err);
    return st == TESS_OK ? open_store_of(path, at, &storage, store, err) : st;
}

tess_status
open_store(const char *path, const struct arguments *args, tess_store **store, tess_error *err)
{
    struct store_path at = store_path_parse(path, STORE_PATH_WHOLE);
    if (at.front == 0 || (!at.commit && !store_path_is_whole(&at))) // its name does not matter
        at = (struct store_path){.front = strlen(path), .inside = ""};
    return open_store_around(path, &at, args, store, err);
}

static tess_status
open_in_mode(const char *path, const struct arguments *args, tess_mode mode, tess_array **a,
             tess_error *err)
{
    const char *const offset = args->values[OPT_OFFSET];
    tess_context context;
    tess_storage storage;

    const tess_status st = open_storage(args, mode, &context, &storage, err);
    if (st != TESS_OK)
        return st;
    storage.path = path;
    if (offset && (!text_int64(offset, &storage.offset) || storage.offset < 0))
        return report_set(err, TESS_ERR_ARG, "--offset %s: not a number of bytes", offset);
    const struct store_path at = store_path_parse(path, 0);
    if (at.front > 0)
        return open_in_store(path, &at, &storage, tess_store_array, a, err);
    return remote_is_url(path) ? open_url(path, &storage, a, err)
                               : open_explain(path, tess_array_open(&storage, a, err), err);
}

tess_status
open_array(const char *path, const struct arguments *args, tess_array **a, tess_error *err)
{
    return open_in_mode(path, args, TESS_MODE_READ, a, err);
}

// A store_open_fn.
static tess_status
open_holder(tess_store *store, const char *path, tess_array **a, tess_error *err)
{
    tess_entry entry = {.kind = TESS_ENTRY_ARRAY};
    const int64_t i = tess_store_find(store, path);
    if (i >= 0)
        tess_store_entry(store, i, &entry);
    return entry.kind == TESS_ENTRY_GROUP ? tess_store_attributes(store, path, a, err)
                                          : tess_store_array(store, path, a, err);
}

bool
open_is_store(const char *path)
{
    struct stat st;
    const struct store_path at = store_path_parse(path, STORE_PATH_WHOLE);
    if (at.front == 0 || !store_path_is_whole(&at))
        return false;
    return at.commit || remote_is_url(path) ||
           (stat(path, &st) == 0 && !(S_ISDIR(st.st_mode) && path_is_sparse(path)));
}

// What has attributes: a store itself, too.
static struct store_path
holder_path(const char *path)
{
    return store_path_parse(path, STORE_PATH_WHOLE | STORE_PATH_GROUPS);
}

tess_status
open_attributes(const char *path, const struct arguments *args, tess_array **a, tess_error *err)
{
    tess_context context;
    tess_storage storage;
    const struct store_path at = holder_path(path);
    if (at.front == 0)
        return open_array(path, args, a, err);
    const tess_status st = open_storage(args, TESS_MODE_READ, &context, &storage, err);
    return st == TESS_OK ? open_in_store(path, &at, &storage, open_holder, a, err) : st;
}

// -- to be changed

tess_status
open_store_to_change(const char *path, const struct store_path *at, bool make,
                     const tess_context *context, tess_store **store, tess_error *err)
{
    tess_storage storage;
    struct stat there;
    const tess_status st = open_refuse_commit(at, err);
    if (st != TESS_OK)
        return st;
    char *const name = strndup(path, at->front);
    if (!name)
        return report_nomem(err, (int64_t)at->front);
    tess_storage_init(&storage);
    storage.mode = make && stat(name, &there) != 0 ? TESS_MODE_NEW : TESS_MODE_UPDATE;
    free(name);
    storage.context = context;
    return open_store_of(path, at, &storage, store, err);
}

// --offset is refused. at->front 0: it is in no store.
static tess_status
open_changing(const char *path, const struct store_path *at, const struct arguments *args,
              store_open_fn *open, tess_array **a, tess_store **store, tess_error *err)
{
    tess_context context;
    if (args->values[OPT_OFFSET])
        return report_set(err, TESS_ERR_ARG, "--offset: such a frame cannot be changed");
    if (at->front == 0)
        return open_in_mode(path, args, TESS_MODE_UPDATE, a, err);
    tess_status st = open_context(args, &context, err);
    if (st == TESS_OK)
        st = open_store_to_change(path, at, false, &context, store, err);
    return st == TESS_OK ? open(*store, at->inside, a, err) : st;
}

tess_status
open_array_to_change(const char *path, const struct arguments *args, tess_array **a,
                     tess_store **store, tess_error *err)
{
    const struct store_path at = store_path_parse(path, 0);
    return open_changing(path, &at, args, tess_store_array, a, store, err);
}

tess_status
open_attributes_to_change(const char *path, const struct arguments *args, tess_array **a,
                          tess_store **store, tess_error *err)
{
    const struct store_path at = holder_path(path);
    return open_changing(path, &at, args, open_holder, a, store, err);
}

tess_status
open_check_no_file(const char *path, const struct store_path *at, tess_error *err)
{
    struct stat is;
    if (at->commit || lstat(path, &is) != 0 || S_ISDIR(is.st_mode))
        return TESS_OK;
    return report_set(err, TESS_ERR_ARG,
                      "a file of the store %.*s, which changes by its paths: without the ending, "
                      "that of the array",
                      (int)at->front, path);
}

// The path of a store, as it is on the disk. False: errno.
static bool
stat_store(const char *path, const struct store_path *at, struct stat *is)
{
    char *const front = strndup(path, at->front);
    const bool there = front && stat(front, is) == 0;
    free(front);
    return there;
}

static tess_status
check_same_store(const struct open_pair *pair, const char *advice, tess_error *err)
{
    struct stat a, b;
    if (!stat_store(pair->paths[0], &pair->at[0], &a))
        return report_errno(err, "looking at the store");
    if (pair->at[1].front > 0 && stat_store(pair->paths[1], &pair->at[1], &b) &&
        a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return TESS_OK;
    return report_set(err, TESS_ERR_ARG, "%.200s is not in the same store: %s", pair->paths[1],
                      advice);
}

tess_status
open_change_pair(struct open_pair *pair, const struct arguments *args, open_pair_fn *change,
                 const char *advice, tess_error *err)
{
    tess_store *store = NULL;
    tess_context context;
    tess_status st = TESS_OK;

    pair->about = pair->paths[0];
    TRY(check_same_store(pair, advice, err));
    TRY(open_context(args, &context, err));
    TRY(open_store_to_change(pair->paths[0], &pair->at[0], false, &context, &store, err));
    st = change(store, pair->at[0].inside, pair->at[1].inside, err);
    if (st == TESS_ERR_IO && err->sys == EEXIST) {
        pair->about = pair->paths[1];
        TRY(report_set(err, st, "exists"));
    }
    TRY(st);
    TRY(tess_store_commit(store, err));
out:
    tess_store_close(store);
    return st;
}

tess_status
open_close_changed(tess_array *a, tess_store *store, tess_status st, tess_error *err)
{
    if (store && st == TESS_OK)
        st = tess_store_commit(store, err);
    if (!store && st == TESS_OK)
        return tess_array_close(a, err);
    tess_array_discard(a);
    tess_store_close(store);
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
