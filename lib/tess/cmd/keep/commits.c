/*
 * commits.c - tess commits: lists the commits that a store keeps, and names them.
 */
#include "commands.h"
#include "data/open.h"
#include "data/store_path.h"
#include "options.h"
#include "report.h"
#include "text/json.h"
#include "text/text.h"

#include <tessera/store.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void
print_words(const tess_commit *commits, int64_t count)
{
    char number[24] = "";
    if (count > 0) // the last one is the longest
        (void)snprintf(number, sizeof number, "%" PRIu64, commits[count - 1].number);
    for (int64_t i = 0; i < count; i++) {
        printf("%*" PRIu64, (int)strlen(number), commits[i].number);
        if (commits[i].name) {
            fputs("  ", stdout);
            text_write(stdout, commits[i].name);
        }
        putchar('\n');
    }
}

static void
print_json(const tess_commit *commits, int64_t count)
{
    struct json j;
    json_begin(&j, stdout);
    json_open(&j, "commits", '[');
    for (int64_t i = 0; i < count; i++) {
        char number[24];
        (void)snprintf(number, sizeof number, "%" PRIu64, commits[i].number);
        json_open(&j, NULL, '{');
        json_text(&j, "number", number);
        json_string(&j, "name", commits[i].name);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_end(&j);
}

static tess_status
load_commits(const struct arguments *args, tess_commit **commits, int64_t *count, tess_error *err)
{
    tess_store *store = NULL;
    tess_status st = TESS_OK;

    TRY(open_store(args->words[0], args, &store, err));
    TRY(tess_store_commits(store, commits, count, err));
out:
    tess_store_close(store);
    return st;
}

static tess_status
change_names(const struct arguments *args, tess_error *err)
{
    const char *const path = args->words[0];
    const char *const name = args->values[OPT_NAME], *const forgotten = args->values[OPT_FORGET];
    const struct store_path at = {.front = strlen(path), .inside = ""};
    tess_store *store = NULL;
    tess_context context;
    tess_status st = TESS_OK;

    TRY(open_context(args, &context, err));
    TRY(open_store_to_change(path, &at, false, &context, &store, err));
    TRY(name ? tess_store_name_commit(store, name, err)
             : tess_store_forget_commit(store, forgotten, err));
out:
    tess_store_close(store);
    return st;
}

static tess_status
check(const struct arguments *args, tess_error *err)
{
    const struct store_path at =
        store_path_parse(args->words[0], STORE_PATH_WHOLE | STORE_PATH_GROUPS);
    const bool names = args->values[OPT_NAME], forgets = args->values[OPT_FORGET];

    if (at.commit)
        return report_set(err, TESS_ERR_ARG,
                          "a commit of a store; the store itself has its path without the @");
    if (at.front > 0 && !store_path_is_whole(&at))
        return report_set(err, TESS_ERR_ARG,
                          "in a store; commits are those of the store as a "
                          "whole");
    if (names && forgets)
        return report_set(err, TESS_ERR_ARG, "--name and --forget: one at a time");
    if ((names || forgets) && args->values[OPT_JSON])
        return report_set(err, TESS_ERR_ARG, "--json goes with the list");
    return TESS_OK;
}

static int
run_commits(const struct arguments *args)
{
    const bool changes = args->values[OPT_NAME] || args->values[OPT_FORGET];
    tess_commit *commits = NULL;
    int64_t count = 0;
    tess_status st = TESS_OK;
    tess_error err;

    TRY(check(args, &err));
    TRY(load_commits(args, &commits, &count, &err));
    if (changes && count == 0) // to open it for writing would make it a store with commits
        st = report_set(&err, TESS_ERR_ARG, "it has no commits");
    else if (changes)
        st = change_names(args, &err);
    else if (args->values[OPT_JSON])
        print_json(commits, count);
    else
        print_words(commits, count);
out:
    tess_free(commits);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(args->words[0], &err);
}

const struct command cmd_commits = {
    .name = "commits",
    .purpose = "list the commits that a store keeps; name one, by which it stays",
    .words = "STORE",
    .nwords = 1,
    .options = OPTIONS(OPT_NAME, OPT_FORGET, OPT_JSON),
    .details =
        "STORE is a directory of arrays, .b2d; a zip file has no commits. Each command that\n"
        "changes the store makes a commit, with the next number. Listed are the number and the\n"
        "name of the newest one, of those that have a name, and of others that are read, or that\n"
        "no command that writes has removed yet.\n\n"
        "Commands that read take paths as climate.b2d@NAME/winds/u: the array as it is in that\n"
        "commit; NAME may be the number. A commit stays while it has a name. After --forget, the\n"
        "next command that writes to the store may remove it.\n",
    .examples =
        (const struct example[]){
            {"which there are", "tess commits climate.b2d"},
            {"keep the newest one", "tess commits climate.b2d --name april"},
            {"the array before",
             "tess commits climate.b2d --name april && tess append climate.b2d/winds/u winds.npy "
             "&& tess info climate.b2d@april/winds/u"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"commits", "list", "by ascending number; the last one is the newest"},
            {"commits[].number", "integer", "of the commit"},
            {"commits[].name", "string or null", "null: it has none"},
            {0},
        },
    .run = run_commits,
};
