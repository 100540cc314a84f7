/*
 * rename.c - tess rename: gives an entry of a store, or an array, another path.
 *
 * An array outside of a store is open for writing, and so locked against writers, while its file or
 * directory gets the other name; that must be new. It then closes as it was: nothing is written.
 */
#include "io/names/rename.h"
#include "commands.h"
#include "data/open.h"
#include "data/path.h"
#include "data/remote.h"
#include "data/store_path.h"
#include "options.h"
#include "report.h"

#include <tessera/store.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

// "tess rename" FROM TO
enum { WORD_FROM, WORD_TO };

struct renaming {
    const struct arguments *args;
    const char *from, *to, *about;
    struct store_path from_at, to_at;
};

static tess_status
check_words(struct renaming *r, tess_error *err)
{
    const struct store_path *const both[] = {&r->from_at, &r->to_at};
    const char *const paths[] = {r->from, r->to};
    tess_status st = TESS_OK;

    for (int i = 0; i < 2 && st == TESS_OK; i++) {
        r->about = paths[i];
        if (both[i]->commit)
            st = open_refuse_commit(both[i], err);
        else if (both[i]->front > 0 && store_path_is_whole(both[i]))
            st = report_set(err, TESS_ERR_ARG,
                            "a store as a whole is not renamed: others may read "
                            "it; its entries are");
        else if (both[i]->front > 0)
            st = open_check_no_file(paths[i], both[i], err);
        else if (remote_is_url(paths[i]))
            st = report_set(err, TESS_ERR_UNSUPPORTED, "what is at a URL is not renamed");
    }
    return st;
}

static tess_status
rename_entry(struct renaming *r, tess_error *err)
{
    tess_store *store = NULL;
    tess_context context;
    tess_status st = TESS_OK;

    TRY(open_check_same_store(r->from, &r->from_at, r->to, &r->to_at,
                              "tess copy and tess remove move an array there", err));
    r->about = r->from;
    TRY(open_context(r->args, &context, err));
    TRY(open_store_to_change(r->from, &r->from_at, false, &context, &store, err));
    st = tess_store_rename(store, r->from_at.inside, r->to_at.inside, err);
    if (st == TESS_ERR_IO && err->sys == EEXIST) {
        r->about = r->to;
        TRY(report_set(err, st, "exists"));
    }
    TRY(st);
    TRY(tess_store_commit(store, err));
out:
    tess_store_close(store);
    return st;
}

static tess_status
check_files(struct renaming *r, tess_error *err)
{
    struct stat is;

    if (lstat(r->from, &is) != 0)
        return report_errno(err, "looking at it");
    if (S_ISLNK(is.st_mode))
        return report_set(err, TESS_ERR_UNSUPPORTED, "a link, not the array itself");
    r->about = r->to;
    if (r->to_at.front > 0)
        return report_set(err, TESS_ERR_ARG,
                          "in a store: tess copy and tess remove move an array "
                          "there");
    if (lstat(r->to, &is) == 0)
        return report_set(err, TESS_ERR_IO, "exists");
    r->about = r->from;
    return TESS_OK;
}

static tess_status
rename_file(struct renaming *r, tess_error *err)
{
    tess_array *a = NULL;
    tess_store *none = NULL;
    tess_status st = TESS_OK;

    r->about = r->from;
    TRY(check_files(r, err));
    TRY(open_array_to_change(r->from, r->args, &a, &none, err));
    r->about = r->to;
    if (!rename_new(AT_FDCWD, r->from, r->to))
        st = errno == EXDEV ? report_set(err, TESS_ERR_IO,
                                         "on another file system: tess copy and tess remove move "
                                         "an array there")
                            : report_errno(err, "cannot be made");
    TRY(st);
    const size_t to_folder = path_folder_size(r->to), from_folder = path_folder_size(r->from);
    const bool same = to_folder == from_folder && memcmp(r->to, r->from, to_folder) == 0;
    if (!path_sync_name(r->to) || (!same && !path_sync_name(r->from)))
        st = report_errno(err, "was renamed, but the new name could not be synced");
out:
    tess_array_discard(a);
    return st;
}

static int
run_rename(const struct arguments *args)
{
    const char *const from = args->words[WORD_FROM], *const to = args->words[WORD_TO];
    struct renaming r = {.args = args, .from = from, .to = to, .about = from};
    tess_status st = TESS_OK;
    tess_error err;

    r.from_at = store_path_parse_entry(from);
    r.to_at = store_path_parse_entry(to);
    TRY(check_words(&r, &err));
    TRY(r.from_at.front > 0 ? rename_entry(&r, &err) : rename_file(&r, &err));
out:
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(r.about, &err);
}

const struct command cmd_rename = {
    .name = "rename",
    .purpose = "give an array, or an entry of a store, another path",
    .words = "FROM TO",
    .nwords = 2,
    .details =
        "In a store, FROM is an array, or a group with all that is below it, and TO another path\n"
        "in the same store, climate.b2d/u to climate.b2d/winds/u. It is one commit: readers have\n"
        "the old path until they go on to it. Outside of stores FROM is an array, a file or\n"
        "directory that no program has open for writing, and TO a path on the same file system.\n"
        "TO must not exist. What is written anew is nothing but names.\n",
    .examples =
        (const struct example[]){
            {"in a store", "tess rename climate.b2d/winds/u climate.b2d/winds/east"},
            {"a file", "tess rename winds.b2nd uwnd.b2nd"},
            {0},
        },
    .run = run_rename,
};
