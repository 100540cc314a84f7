/*
 * link.c - tess link: makes an entry of a store that leads to another one.
 */
#include "commands.h"
#include "data/open.h"
#include "data/store_path.h"
#include "options.h"
#include "report.h"

#include <tessera/store.h>

static tess_status
check_words(struct open_pair *pair, tess_error *err)
{
    tess_status st = TESS_OK;
    for (int i = 0; i < 2 && st == TESS_OK; i++) {
        const struct store_path *const at = &pair->at[i];
        pair->about = pair->paths[i];
        if (at->front == 0)
            st = report_set(err, TESS_ERR_ARG,
                            "is in no store: links are entries of stores, climate.b2d/latest");
        else if (store_path_is_whole(at))
            st = report_set(err, TESS_ERR_ARG, "is a store as a whole: links lead to arrays");
        else
            st = at->commit ? open_refuse_commit(at, err)
                            : open_check_no_file(pair->paths[i], at, err);
    }
    return st;
}

static int
run_link(const struct arguments *args)
{
    struct open_pair pair = {
        .paths = {args->words[0], args->words[1]}, // TARGET PATH
        .at = {store_path_parse_entry(args->words[0]), store_path_parse_entry(args->words[1])},
    };
    tess_status st = TESS_OK;
    tess_error err;

    TRY(check_words(&pair, &err));
    TRY(open_change_pair(&pair, args, tess_store_link, "a link leads to an array of its own store",
                         &err));
out:
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(pair.about, &err);
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
