/*
 * link.c - tess link: makes an entry of a store that leads to another one.
 */
#include "commands.h"
#include "data/open.h"
#include "data/store_path.h"
#include "options.h"
#include "report.h"

#include <tessera/store.h>

#include <errno.h>

// "tess link" TARGET PATH
enum { WORD_TARGET, WORD_PATH };

struct linking {
    const struct arguments *args;
    const char *words[2], *about;
    struct store_path at[2];
};

static tess_status
check_words(struct linking *l, tess_error *err)
{
    tess_status st = TESS_OK;
    for (int i = 0; i < 2 && st == TESS_OK; i++) {
        l->about = l->words[i];
        if (l->at[i].front == 0)
            st = report_set(err, TESS_ERR_ARG,
                            "is in no store: links are entries of stores, climate.b2d/latest");
        else if (store_path_is_whole(&l->at[i]))
            st = report_set(err, TESS_ERR_ARG, "is a store as a whole: links lead to arrays");
        else
            st = l->at[i].commit ? open_refuse_commit(&l->at[i], err)
                                 : open_check_no_file(l->words[i], &l->at[i], err);
    }
    return st;
}

static tess_status
make_link(struct linking *l, tess_error *err)
{
    const struct store_path *const target = &l->at[WORD_TARGET], *const path = &l->at[WORD_PATH];
    tess_store *store = NULL;
    tess_context context;
    tess_status st = TESS_OK;

    l->about = l->words[WORD_TARGET];
    TRY(open_check_same_store(l->words[WORD_TARGET], target, l->words[WORD_PATH], path,
                              "a link leads to an array of its own store", err));
    TRY(open_context(l->args, &context, err));
    TRY(open_store_to_change(l->words[WORD_TARGET], target, false, &context, &store, err));
    st = tess_store_link(store, target->inside, path->inside, err);
    if (st == TESS_ERR_IO && err->sys == EEXIST) {
        l->about = l->words[WORD_PATH];
        TRY(report_set(err, st, "exists"));
    }
    TRY(st);
    TRY(tess_store_commit(store, err));
out:
    tess_store_close(store);
    return st;
}

static int
run_link(const struct arguments *args)
{
    struct linking l = {
        .args = args,
        .words = {args->words[WORD_TARGET], args->words[WORD_PATH]},
        .at = {store_path_parse_entry(args->words[WORD_TARGET]),
               store_path_parse_entry(args->words[WORD_PATH])},
    };
    tess_status st = TESS_OK;
    tess_error err;

    TRY(check_words(&l, &err));
    TRY(make_link(&l, &err));
out:
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(l.about, &err);
}

const struct command cmd_link = {
    .name = "link",
    .purpose = "give an array of a store another path, which leads to the first",
    .words = "TARGET PATH",
    .nwords = 2,
    .details =
        "TARGET is an array of a store, or a link, and PATH, which must not exist, another path\n"
        "in the same store. What is read, written and exported at PATH is the array. When TARGET\n"
        "is renamed or removed, the link leads to what has its path then, or to nothing.\n"
        "tess remove and tess rename are about the link itself; tess ls shows where it leads. It\n"
        "is one commit. Programs that use python-blosc2 do not see links.\n",
    .examples =
        (const struct example[]){
            {"the same for two groups", "tess link climate.b2d/winds/u climate.b2d/gusts/u"},
            {"the newest of many", "tess link climate.b2d/winds/u climate.b2d/latest"},
            {0},
        },
    .run = run_link,
};
