/*
 * repair.c - tess repair: a new array of what is left of a damaged one.
 *
 * What is lost is printed when all is done, the boxes in the notation of --slice.
 */
#include "commands.h"
#include "data/open.h"
#include "data/output.h"
#include "options.h"
#include "report.h"
#include "text/json.h"
#include "text/text.h"
#include "text/work.h"

#include <tessera/params.h>
#include <tessera/repair.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A box that is lost.
struct box {
    int64_t chunk;
    int ndim;
    int64_t start[TESS_MAX_NDIM];
    int64_t stop[TESS_MAX_NDIM];
    char *why;
};

struct boxes {
    struct box *items;
    size_t count, capacity;
    bool full; // no memory for more
};

static void
boxes_finish(struct boxes *boxes)
{
    for (size_t i = 0; i < boxes->count; i++)
        free(boxes->items[i].why);
    free(boxes->items);
}

static void
note(const tess_lost *lost, void *user)
{
    struct boxes *const boxes = user;
    if (boxes->count == boxes->capacity) {
        const size_t capacity = boxes->capacity > 0 ? 2 * boxes->capacity : 16;
        struct box *const items = realloc(boxes->items, capacity * sizeof *items);
        boxes->full |= !items;
        if (!items)
            return;
        boxes->items = items;
        boxes->capacity = capacity;
    }
    struct box *const box = &boxes->items[boxes->count];
    *box = (struct box){.chunk = lost->chunk, .ndim = lost->ndim, .why = strdup(lost->why)};
    boxes->full |= !box->why;
    if (!box->why)
        return;
    memcpy(box->start, lost->start, (size_t)lost->ndim * sizeof *box->start);
    memcpy(box->stop, lost->stop, (size_t)lost->ndim * sizeof *box->stop);
    boxes->count++;
}

// Where parts of the new array come from.
static const char *const source_names[] = {
    [TESS_REPAIR_LOST] = "lost",           [TESS_REPAIR_IN_PLACE] = "in place",
    [TESS_REPAIR_LEDGER] = "ledger",       [TESS_REPAIR_SEARCH] = "search",
    [TESS_REPAIR_METALAYER] = "metalayer", [TESS_REPAIR_ORDER] = "order",
};

static const char *const list_words[] = {
    [TESS_REPAIR_LOST] = "the index is lost, and with it the numbers of the chunks",
    [TESS_REPAIR_IN_PLACE] = "the index stands where the header says",
    [TESS_REPAIR_LEDGER] = "which chunk is where: from the checksums of the commit",
    [TESS_REPAIR_SEARCH] = "the index was found by its trailer, which ends where the header says",
    [TESS_REPAIR_ORDER] =
        "places of chunks are those of their order in the file, which nothing confirms",
};

// What was taken from elsewhere than its place.
static void
print_sources(const tess_repair_report *r)
{
    if (r->older)
        printf("an older state, of commit %" PRIu64 "\n", r->commit);
    else if (r->header_lost)
        printf("the state of commit %" PRIu64 ", the newest that was found\n", r->commit);
    if (r->header_source == TESS_REPAIR_LEDGER)
        printf("the header is the copy that its commit kept\n");
    if (r->header_source == TESS_REPAIR_METALAYER)
        printf("the header is rebuilt from the shape in its metalayer\n");
    if (r->list_source != TESS_REPAIR_IN_PLACE)
        printf("%s\n", list_words[r->list_source]);
    if (r->trailer_source == TESS_REPAIR_LOST)
        printf("the trailer is lost, with all attributes, if there were any\n");
}

// What the new array holds.
static void
print_chunks(const tess_repair_report *r)
{
    if (r->nunplaced > 0)
        printf("%" PRId64
               " intact chunks are left out: nothing proves their numbers, or that they are not "
               "older ones\n",
               r->nunplaced);
    if (r->nplaceable > 0)
        printf("--in-order would place %" PRId64 " of them: %" PRId64 " of %" PRId64
               " chunks, if they stand in the file in the order of their numbers\n",
               r->nplaceable, r->nchunks - r->nlost + r->nplaceable, r->nchunks);
    if (r->nlost > 0)
        printf("%" PRId64 " chunks are lost: %" PRId64 " items have the fill value\n", r->nlost,
               r->nitems_lost);
    if (r->nspecial > 0)
        printf("%" PRId64 " chunks are stored, %" PRId64
               " were not stored: zeros, NaN or never written\n",
               r->nstored, r->nspecial);
    printf("%" PRId64 " of %" PRId64 " chunks are there%s\n", r->nchunks - r->nlost, r->nchunks,
           r->checked ? ", compared with their checksums" : "");
}

static void
print_words(const tess_repair_report *r, const struct boxes *boxes)
{
    print_sources(r);
    if (r->header_damaged)
        printf("header damaged, or changed by another program\n");
    if (r->index_damaged)
        printf("index damaged\n");
    if (r->trailer_damaged)
        printf("trailer damaged\n");
    if (r->checksums_damaged)
        printf("checksums damaged\n");
    if (r->nfound > 0)
        printf("%" PRId64 " chunks were not where the index says\n", r->nfound);
    if (r->nuntried > 0)
        printf("%" PRId64 " chunks could not be decoded with this program, and are as they were\n",
               r->nuntried);
    if (r->nunconfirmed > 0)
        printf("%" PRId64
               " chunks have no checksum: they decode, and nothing confirms their items\n",
               r->nunconfirmed);
    if (r->nlayers_unconfirmed > 0)
        printf("%d metalayers or attributes have no checksum, and are as they were found\n",
               r->nlayers_unconfirmed);
    if (r->nlayers_lost > 0)
        printf("%d metalayers or attributes are lost\n", r->nlayers_lost);
    for (size_t i = 0; i < boxes->count; i++) {
        const struct box *const box = &boxes->items[i];
        printf("lost: chunk %" PRId64 ", items ", box->chunk);
        for (int k = 0; k < box->ndim; k++)
            printf("%s%" PRId64 ":%" PRId64, k > 0 ? "," : "", box->start[k], box->stop[k]);
        fputs(": ", stdout);
        text_write(stdout, box->why);
        putchar('\n');
    }
    print_chunks(r);
}

static void
print_boxes(struct json *j, const struct boxes *boxes)
{
    json_open(j, "lost", '[');
    for (size_t i = 0; i < boxes->count; i++) {
        const struct box *const box = &boxes->items[i];
        json_open(j, NULL, '{');
        json_int(j, "chunk", box->chunk);
        json_ints(j, "start", box->ndim, box->start);
        json_ints(j, "stop", box->ndim, box->stop);
        json_string(j, "message", box->why);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
print_json(const tess_repair_report *r, const struct boxes *boxes)
{
    const struct {
        const char *key;
        bool value;
    } flags[] = {
        {"complete", r->complete},
        {"older", r->older},
        {"header_damaged", r->header_damaged},
        {"index_damaged", r->index_damaged},
        {"trailer_damaged", r->trailer_damaged},
        {"checksums_damaged", r->checksums_damaged},
        {"in_order", r->in_order},
        {"checked", r->checked},
        {"header_lost", r->header_lost},
    };
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"nchunks", r->nchunks},
        {"nstored", r->nstored},
        {"nspecial", r->nspecial},
        {"nlost", r->nlost},
        {"nitems_lost", r->nitems_lost},
        {"nunplaced", r->nunplaced},
        {"nplaceable", r->nplaceable},
        {"nfound", r->nfound},
        {"nuntried", r->nuntried},
        {"nunconfirmed", r->nunconfirmed},
        {"nmetalayers_lost", r->nlayers_lost},
        {"nmetalayers_unconfirmed", r->nlayers_unconfirmed},
    };
    struct json j;
    json_begin(&j, stdout);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        json_bool(&j, flags[i].key, flags[i].value);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        json_int(&j, numbers[i].key, numbers[i].value);
    }
    json_string(&j, "header_source", source_names[r->header_source]);
    json_string(&j, "list_source", source_names[r->list_source]);
    json_string(&j, "trailer_source", source_names[r->trailer_source]);
    json_known(&j, "commit", r->commit > 0, (int64_t)r->commit);
    print_boxes(&j, boxes);
    json_end(&j);
}

// --force replaces what is at `out`, but not what is repaired.
static tess_status
check_paths(const char *in, const char *out, bool *directory, tess_error *err)
{
    struct stat a, b;
    *directory = false;
    if (stat(in, &a) != 0)
        return report_errno(err, "opening the file");
    *directory = S_ISDIR(a.st_mode);
    if (stat(out, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return report_set(err, TESS_ERR_ARG, "the repaired array needs another path");
    return TESS_OK;
}

static tess_status
repair(const struct arguments *args, const char *to, struct boxes *boxes,
       tess_repair_report *report, tess_error *err)
{
    struct work work;
    tess_repair_options options;
    tess_storage source, target;
    tess_context context;

    tess_repair_options_init(&options);
    options.keep_header = args->values[OPT_KEEP_HEADER] != NULL;
    options.older = args->values[OPT_OLDER] != NULL;
    options.in_order = args->values[OPT_IN_ORDER] != NULL;
    options.lost = note;
    options.user = boxes;
    tess_status st = open_context(args, &context, err);
    if (st != TESS_OK)
        return st;
    work_begin(&work, WORK_ENDS);
    work_follow(&work, &context);
    tess_storage_init(&source);
    source.path = args->words[0];
    const char *const offset = args->values[OPT_OFFSET];
    if (offset && (!text_int64(offset, &source.offset) || source.offset < 0))
        return report_set(err, TESS_ERR_ARG, "--offset %s: not a number of bytes", offset);
    tess_storage_init(&target);
    target.path = to;
    target.mode = TESS_MODE_NEW;
    target.durability = TESS_DURABILITY_NONE; // output_publish() brings it to the disk
    target.context = &context;
    st = tess_repair(&source, &target, &options, report, err);
    work_end(&work);
    return st;
}

static int
run_repair(const struct arguments *args)
{
    const char *about = args->words[0];
    struct boxes boxes = {0};
    struct output file = {0};
    tess_repair_report report;
    tess_status st = TESS_OK;
    bool directory;
    tess_error err;

    TRY(check_paths(args->words[0], args->words[1], &directory, &err));
    about = args->words[1];
    TRY(output_open(&file, args->words[1], directory ? OUTPUT_DIRECTORY : OUTPUT_FILE,
                    args->values[OPT_FORCE] != NULL, &err));
    about = args->words[0];
    TRY(repair(args, file.temporary, &boxes, &report, &err));
    if (boxes.full)
        TRY(report_nomem(&err, (int64_t)(boxes.count * sizeof *boxes.items)));
    about = args->words[1];
    TRY(output_publish(&file, &err));
    if (args->values[OPT_JSON])
        print_json(&report, &boxes);
    else
        print_words(&report, &boxes);
out:
    output_close(&file);
    boxes_finish(&boxes);
    if (st != TESS_OK)
        return report_print(about, &err);
    return report.complete ? EXIT_STATUS_FINE : EXIT_STATUS_NO;
}

const struct command cmd_repair = {
    .name = "repair",
    .purpose = "make a new array of what is left of a damaged one",
    .words = "PATH OUT",
    .nwords = 2,
    .options = OPTIONS(OPT_JSON, OPT_FORCE, OPT_OFFSET, OPT_KEEP_HEADER, OPT_OLDER, OPT_IN_ORDER,
                       OPT_THREADS),
    .details =
        "PATH is only read. OUT, a file or directory as PATH, appears when it is complete;\n"
        "chunks that are lost hold the fill value there, and are listed. Status 0: all is\n"
        "there, and compared with what Tessera wrote; 1: something is lost, or could not be\n"
        "compared, as in files that other programs wrote; 3: nothing could be made.\n",
    .examples =
        (const struct example[]){
            {"what is left, under another name", "tess repair damaged.b2nd saved.b2nd"},
            {"an older state, if the newest is lost",
             "tess repair damaged.b2nd saved.b2nd --older"},
            {"a file that was cut, written from first to last chunk",
             "tess repair damaged.b2nd saved.b2nd --in-order"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"complete", "boolean", "the new array holds all that the old one did, for certain"},
            {"older", "boolean", "it is an older state, or may be one; with --older"},
            {"header_damaged", "boolean", "or changed by another program"},
            {"index_damaged", "boolean", "the list of chunks was made anew"},
            {"trailer_damaged", "boolean", "metalayers of variable length were read one by one"},
            {"checksums_damaged", "boolean", "chunks could be decoded, no more"},
            {"in_order", "boolean",
             "chunks are taken to stand in the order of the file; with --in-order"},
            {"checked", "boolean", "they were compared with checksums"},
            {"header_lost", "boolean",
             "it is the newest state that was found; the header would name the newest"},
            {"nchunks", "integer", "chunks of the array"},
            {"nstored", "integer", "those whose stored items were recovered"},
            {"nspecial", "integer", "those that were not stored: zeros, NaN, never written"},
            {"nlost", "integer", "those whose items are the fill value now"},
            {"nitems_lost", "integer", "items of those"},
            {"nunplaced", "integer",
             "intact chunks that were left out: nothing proves which number they have"},
            {"nplaceable", "integer", "those of them that --in-order would place"},
            {"nfound", "integer", "those that were not where the index says"},
            {"nuntried", "integer",
             "those that this build cannot decode; they are copied as they are"},
            {"nunconfirmed", "integer", "those without a checksum, which could be decoded"},
            {"nmetalayers_lost", "integer",
             "metalayers and attributes that could not be read, at least"},
            {"nmetalayers_unconfirmed", "integer", "metalayers and attributes without a checksum"},
            {"header_source", "string", "in place, ledger or metalayer"},
            {"list_source", "string", "in place, ledger, search, order or lost"},
            {"trailer_source", "string", "in place or lost"},
            {"commit", "integer or null", "number of the commit; null: not known"},
            {"lost", "list", "the chunks that are lost"},
            {"lost[].chunk", "integer", "its number, in C order of the grid"},
            {"lost[].start", "integers", "first item of its box"},
            {"lost[].stop", "integers", "end of the box, which is not in it"},
            {"lost[].message", "string", "why, in one sentence"},
            {0},
        },
    .run = run_repair,
};
