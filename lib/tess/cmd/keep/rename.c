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

// Of "tess rename" FROM TO, and of their pair.
enum { FROM, TO };

static tess_status
check_words(struct open_pair *r, tess_error *err)
{
    tess_status st = TESS_OK;

    for (int i = FROM; i <= TO && st == TESS_OK; i++) {
        const struct store_path *const at = &r->at[i];
        r->about = r->paths[i];
        if (at->commit)
            st = open_refuse_commit(at, err);
        else if (at->front > 0 && store_path_is_whole(at))
            st = report_set(err, TESS_ERR_ARG,
                            "a store as a whole is not renamed: others may read "
                            "it; its entries are");
        else if (at->front > 0)
            st = open_check_no_file(r->paths[i], at, err);
        else if (remote_is_url(r->paths[i]))
            st = report_set(err, TESS_ERR_UNSUPPORTED, "what is at a URL is not renamed");
    }
    return st;
}

static tess_status
check_files(struct open_pair *r, tess_error *err)
{
    struct stat is;

    if (lstat(r->paths[FROM], &is) != 0)
        return report_errno(err, "looking at it");
    if (S_ISLNK(is.st_mode))
        return report_set(err, TESS_ERR_UNSUPPORTED, "a link, not the array itself");
    r->about = r->paths[TO];
    if (r->at[TO].front > 0)
        return report_set(err, TESS_ERR_ARG,
                          "in a store: tess copy and tess remove move an array "
                          "there");
    if (lstat(r->paths[TO], &is) == 0)
        return report_set(err, TESS_ERR_IO, "exists");
    r->about = r->paths[FROM];
    return TESS_OK;
}

static tess_status
rename_file(struct open_pair *r, const struct arguments *args, tess_error *err)
{
    tess_array *a = NULL;
    tess_store *none = NULL;
    tess_status st = TESS_OK;

    r->about = r->paths[FROM];
    TRY(check_files(r, err));
    TRY(open_array_to_change(r->paths[FROM], args, &a, &none, err));
    r->about = r->paths[TO];
    if (!rename_new(AT_FDCWD, r->paths[FROM], r->paths[TO]))
        st = errno == EXDEV ? report_set(err, TESS_ERR_IO,
                                         "on another file system: tess copy and tess remove move "
                                         "an array there")
                            : report_errno(err, "cannot be made");
    TRY(st);
    const size_t to_folder = path_folder_size(r->paths[TO]),
                 from_folder = path_folder_size(r->paths[FROM]);
    const bool same =
        to_folder == from_folder && memcmp(r->paths[TO], r->paths[FROM], to_folder) == 0;
    if (!path_sync_name(r->paths[TO]) || (!same && !path_sync_name(r->paths[FROM])))
        st = report_errno(err, "was renamed, but the new name could not be synced");
out:
    tess_array_discard(a);
    return st;
}

static int
run_rename(const struct arguments *args)
{
    struct open_pair r = {
        .paths = {args->words[FROM], args->words[TO]},
        .at = {store_path_parse_entry(args->words[FROM]), store_path_parse_entry(args->words[TO])},
    };
    tess_status st = TESS_OK;
    tess_error err;

    TRY(check_words(&r, &err));
    TRY(r.at[FROM].front > 0
            ? open_change_pair(&r, args, tess_store_rename,
                               "tess copy and tess remove move an array there", &err)
            : rename_file(&r, args, &err));
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
