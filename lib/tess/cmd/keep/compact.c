/*
 * compact.c - tess compact: gives back the space that a file or directory does not need.
 */
#include "commands.h"
#include "data/open.h"
#include "options.h"
#include "report.h"
#include "text/json.h"
#include "text/work.h"

#include <tessera/repair.h>

#include <inttypes.h>
#include <stdio.h>

static void
print(const struct arguments *args, int64_t before, int64_t after)
{
    struct json j;
    if (!args->values[OPT_JSON]) {
        printf("%" PRId64 " bytes, before %" PRId64 "\n", after, before);
        return;
    }
    json_begin(&j, stdout);
    json_int(&j, "size", after);
    json_int(&j, "size_before", before);
    json_end(&j);
}

static int
run_compact(const struct arguments *args)
{
    struct work work;
    int64_t before, after;
    tess_context context;
    tess_storage storage;
    tess_error err;

    tess_status st = open_context(args, &context, &err);
    if (st != TESS_OK)
        return report_print(args->words[0], &err);
    work_begin(&work, WORK_CANCELS);
    work_follow(&work, &context);
    tess_storage_init(&storage);
    storage.path = args->words[0];
    storage.context = &context;
    st = open_explain(storage.path, tess_compact(&storage, &before, &after, &err), &err);
    work_end(&work);
    if (work_status(st, &err) != TESS_OK)
        return report_print(args->words[0], &err);
    print(args, before, after);
    return EXIT_STATUS_FINE;
}

const struct command cmd_compact = {
    .name = "compact",
    .purpose = "make a file or directory as small as what it holds",
    .words = "PATH",
    .nwords = 1,
    .options = OPTIONS(OPT_JSON, OPT_THREADS),
    .details =
        "A file is written anew beside the old one, which it replaces when it is complete:\n"
        "there must be room for both. No other program may have it open for writing. A signal\n"
        "that ends the command leaves the old one as it was, and nothing beside it.\n",
    .examples =
        (const struct example[]){
            {"after many changes", "tess compact winds.b2nd"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"size", "integer", "bytes of the file, or of all files of the directory"},
            {"size_before", "integer", "what they were before"},
            {0},
        },
    .run = run_compact,
};
