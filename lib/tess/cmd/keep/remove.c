/*
 * remove.c - tess remove: removes arrays, and entries of stores.
 *
 * First all entries are removed from their stores, which are open then and uncommitted; and other
 * paths are looked at. What is wrong with one of them ends the command before anything is gone.
 */
#include "commands.h"
#include "data/open.h"
#include "data/remote.h"
#include "data/store_path.h"
#include "options.h"
#include "report.h"

#include <tessera/files.h>
#include <tessera/store.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A store, by whatever paths it is named.
struct opened {
    struct stat is;
    const char *about; // the first path
    tess_store *store;
};

struct removal {
    const struct arguments *args;
    tess_context context;
    const char *about; // the path that is at work
    struct opened *stores;
    int nstores;
    const char **files; // arrays that are in no store
    int nfiles;
};

// The store that a path leads through: one that is open already, or a further one.
static tess_status
find_opened(struct removal *r, const char *path, const struct store_path *at, tess_store **store,
            tess_error *err)
{
    struct opened *const next = &r->stores[r->nstores];
    char *const front = strndup(path, at->front);
    if (!front)
        return report_nomem(err, (int64_t)at->front);
    const bool is_there = stat(front, &next->is) == 0;
    const tess_status st = is_there ? TESS_OK : report_errno(err, front);
    free(front);
    if (st != TESS_OK)
        return st;
    for (int i = 0; i < r->nstores; i++)
        if (r->stores[i].is.st_dev == next->is.st_dev &&
            r->stores[i].is.st_ino == next->is.st_ino) {
            *store = r->stores[i].store;
            return TESS_OK;
        }
    *next = (struct opened){.is = next->is, .about = path};
    r->nstores++;
    const tess_status opened =
        open_store_to_change(path, at, false, &r->context, &next->store, err);
    *store = next->store;
    return opened;
}

static tess_status
take_entry(struct removal *r, const char *path, const struct store_path *at, tess_error *err)
{
    tess_store *store = NULL;
    tess_status st = TESS_OK;

    TRY(find_opened(r, path, at, &store, err));
    TRY(tess_store_remove(store, at->inside, err));
out:
    return st;
}

static tess_status
take_file(struct removal *r, const char *path, tess_error *err)
{
    struct stat is;
    if (remote_is_url(path))
        return report_set(err, TESS_ERR_UNSUPPORTED, "what is at a URL is not removed");
    if (lstat(path, &is) != 0)
        return report_errno(err, "looking at it");
    r->files[r->nfiles++] = path;
    return TESS_OK;
}

static tess_status
take(struct removal *r, const char *path, tess_error *err)
{
    const struct store_path at = store_path_parse_entry(path);
    if (at.front == 0)
        return take_file(r, path, err);
    if (at.commit)
        return open_refuse_commit(&at, err);
    if (store_path_is_whole(&at))
        return report_set(err, TESS_ERR_ARG,
                          "all of a store: its entries are removed one by one; rm removes the "
                          "%s that it is",
                          path[at.front - 1] == 'd' ? "directory" : "file");
    const tess_status st = open_check_no_file(path, &at, err);
    return st == TESS_OK ? take_entry(r, path, &at, err) : st;
}

static tess_status
remove_all(struct removal *r, tess_error *err)
{
    tess_status st = TESS_OK;

    for (int i = 0; i < r->args->nwords; i++) {
        r->about = r->args->words[i];
        TRY(take(r, r->about, err));
    }
    for (int i = 0; i < r->nstores; i++) {
        r->about = r->stores[i].about;
        TRY(tess_store_commit(r->stores[i].store, err));
    }
    for (int i = 0; i < r->nfiles; i++) {
        tess_storage storage;

        r->about = r->files[i];
        tess_storage_init(&storage);
        storage.path = r->files[i];
        storage.context = &r->context;
        TRY(open_explain(r->about, tess_remove(&storage, err), err));
    }
out:
    return st;
}

static int
run_remove(const struct arguments *args)
{
    const size_t count = (size_t)args->nwords;
    struct removal r = {.args = args, .about = args->words[0]};
    tess_status st = TESS_OK;
    tess_error err;

    r.stores = calloc(count, sizeof *r.stores);
    r.files = calloc(count, sizeof *r.files);
    if (!r.stores || !r.files)
        TRY(report_nomem(&err, (int64_t)count));
    TRY(open_context(args, &r.context, &err));
    TRY(remove_all(&r, &err));
out:
    for (int i = 0; i < r.nstores; i++)
        tess_store_close(r.stores[i].store);
    free(r.stores);
    free(r.files);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(r.about, &err);
}

const struct command cmd_remove = {
    .name = "remove",
    .purpose = "remove arrays, and entries of stores",
    .words = "PATH...",
    .nwords = 1,
    .nwords_more = OPTIONS_MORE,
    .details =
        "PATH is an array, damaged or not, with what belongs to it; other files and folders are\n"
        "refused. Or it is an array or a group in a store, as climate.b2d/winds: with all that is\n"
        "below it. What is removed from one store goes with one commit; a commit that has a name,\n"
        "or is read, still has it (tess commits). All paths are looked up before anything is\n"
        "removed. Then each store is committed, and last the files are removed, up to the first\n"
        "failure.\n",
    .examples =
        (const struct example[]){
            {"an array", "tess remove winds.b2nd"},
            {"of a store", "tess remove climate.b2d/winds/u"},
            {0},
        },
    .run = run_remove,
};
