/*
 * ls.c - tess ls: the arrays in a folder.
 *
 * Of each array what opening tells, and the sizes in the headers of its chunks. Files that are no
 * arrays are passed over, unless they are named; damaged ones are listed with the reason.
 */
#include "commands.h"
#include "data/open.h"
#include "options.h"
#include "report.h"
#include "several/find.h"
#include "text/json.h"
#include "text/table.h"
#include "text/text.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    const struct arguments *args;
    struct table table; // unless --json
    size_t head; // cells of its first line
    bool damaged, failed;
};

// What a row says.
struct entry {
    const char *path;
    const char *target; // where a link leads; NULL: it is none
    int64_t size; // bytes of the file, or of all files of the directory
    const tess_info *info; // NULL: it does not open, and `reason` says why
    const char *reason;
};

static void
add_shape(struct table *t, int ndim, const int64_t *shape)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    if (out) {
        text_shape_write(out, ndim, shape);
        (void)fclose(out);
    }
    table_cell(t, "%s", text ? text : "?");
    free(text);
}

// Text of unknown origin, fit for a terminal; no more than `most` bytes of it.
static void
add_text(struct table *t, const char *unknown, int most)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    if (out) {
        text_write(out, unknown);
        (void)fclose(out);
    }
    table_cell(t, "%.*s%s", most, text ? text : "?", text && size > (size_t)most ? "..." : "");
    free(text);
}

static void
add_path(struct table *t, const struct entry *e)
{
    char *whole = NULL;

    if (e->target && asprintf(&whole, "%s -> %s", e->path, e->target) < 0)
        whole = NULL;
    add_text(t, whole ? whole : e->path, PATH_MAX);
    free(whole);
}

static void
add_row(struct table *t, const struct entry *e)
{
    const tess_info *const info = e->info;

    add_path(t, e);
    if (!info) {
        table_cell(t, "damaged");
        for (int i = 0; i < 4; i++)
            table_cell(t, "-");
        table_cell(t, "%" PRId64, e->size);
        return;
    }
    add_shape(t, info->ndim, info->shape);
    add_text(t, info->dtype && info->dtype[0] ? info->dtype : "?", 24);
    add_shape(t, info->ndim, info->chunkshape);
    table_cell(t, "%s:%d", info->codec_name, info->clevel);
    if (info->ratio > 0)
        table_cell(t, "%.2f", info->ratio);
    else
        table_cell(t, "-");
    table_cell(t, "%" PRId64, e->size);
}

static void
json_row(const struct entry *e)
{
    const tess_info *const info = e->info;
    struct json j;

    json_begin(&j, stdout);
    json_string(&j, "path", e->path);
    if (e->target)
        json_string(&j, "link", e->target);
    json_int(&j, "size", e->size);
    json_string(&j, "damaged", e->reason);
    if (info) {
        json_ints(&j, "shape", info->ndim, info->shape);
        json_string(&j, "dtype", info->dtype);
        json_ints(&j, "chunkshape", info->ndim, info->chunkshape);
        json_ints(&j, "blockshape", info->ndim, info->blockshape);
        json_string(&j, "codec", info->codec_name);
        json_int(&j, "clevel", info->clevel);
        json_int(&j, "cbytes", info->cbytes);
        json_real(&j, "ratio", info->ratio > 0 ? info->ratio : (double)NAN);
        json_bool(&j, "contiguous", info->contiguous);
    }
    json_end(&j);
}

static void
tell(struct listing *l, const struct entry *e)
{
    if (l->args->values[OPT_JSON])
        json_row(e);
    else
        add_row(&l->table, e);
    if (e->reason && !l->args->values[OPT_JSON]) {
        tess_error err;

        (void)report_set(&err, TESS_OK, "damaged: %.280s", e->reason);
        (void)report_print(e->path, &err);
    }
    l->damaged |= e->reason != NULL;
}

// A find_fn.
static void
look(const struct found *found, void *user)
{
    struct listing *const l = user;
    struct entry e = {.path = found->path, .size = found->size};
    tess_array *a = NULL;
    char *target = NULL;
    tess_info info;
    tess_error err;

    if (found->is_link && tess_store_target(found->store, found->inside, &target, &err) == TESS_OK)
        e.target = target;
    tess_status st = found->store ? tess_store_array(found->store, found->inside, &a, &err)
                                  : open_array(found->path, l->args, &a, &err);
    if (st == TESS_OK)
        st = open_measure(a, &info, &err);
    if (st == TESS_OK) {
        e.info = &info;
        if (found->store && e.size == 0) // a directory with one file per chunk
            e.size = info.file_size;
        tell(l, &e);
    } else if ((found->is_link && (st == TESS_ERR_NOT_FOUND || st == TESS_ERR_TYPE)) ||
               st == TESS_ERR_CORRUPT || st == TESS_ERR_LIMIT || st == TESS_ERR_UNSUPPORTED ||
               (st == TESS_ERR_FORMAT && (found->is_folder || found->store))) {
        e.reason = err.message;
        tell(l, &e);
    } else if (st != TESS_ERR_FORMAT || found->named) {
        l->failed = true;
        (void)report_print(found->path, &err);
    }
    tess_array_discard(a);
    tess_free(target);
}

static void
add_head(struct listing *l)
{
    static const char *const names[] = {"array", "shape", "dtype", "chunks",
                                        "codec", "ratio", "bytes"};

    table_init(&l->table, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        table_cell(&l->table, "%s", names[i]);
    l->head = l->table.cells;
}

static int
run_ls(const struct arguments *args)
{
    const bool recursive = args->values[OPT_RECURSIVE] != NULL;
    struct listing l = {.args = args};
    tess_error err;

    add_head(&l);
    for (int i = 0; i < args->nwords || i == 0; i++) {
        const char *const word = arguments_word(args, i);

        if (find_arrays(word, args, recursive, look, &l, &err) != TESS_OK) {
            (void)report_print(word ? word : ".", &err);
            l.failed = true;
        }
    }
    if (l.table.cells > l.head && table_print(&l.table, stdout, &err) != TESS_OK) {
        (void)report_print("ls", &err);
        l.failed = true;
    }
    table_finish(&l.table);
    return l.failed ? EXIT_STATUS_FAILED : l.damaged ? EXIT_STATUS_NO : EXIT_STATUS_FINE;
}

const struct command cmd_ls = {
    .name = "ls",
    .purpose = "list the arrays in a folder",
    .words = "[FOLDER...]",
    .nwords = 0,
    .nwords_more = OPTIONS_MORE,
    .options = OPTIONS(OPT_RECURSIVE, OPT_JSON, OPT_THREADS),
    .details =
        "FOLDER is a folder, by default the current one, an array, or a store of arrays: .b2d,\n"
        "or .b2z, also at a URL; or what is in one, climate.b2z/winds. climate.b2d@april is the\n"
        "store at a commit (tess commits). A directory with one file per chunk counts as one\n"
        "array. Files that are no arrays, names that begin with a dot and unfinished outputs are\n"
        "passed over; folders behind symbolic links, too. Links of a store (tess link) are shown\n"
        "with where they lead, -> /winds/u, as the array that is there. Of chunks only the headers "
        "are read: tess verify\n"
        "reads all.\n"
        "The ratio is that of tess info: bytes of the items by those of the chunks; codec and\n"
        "level are those of new chunks.\n"
        "Exit status: 0 fine, 1 an array is damaged, 3 something could not be read.\n",
    .examples =
        (const struct example[]){
            {"in this folder", "tess ls ."},
            {"all below", "tess ls -R"},
            {"in a store of python-blosc2", "tess ls -R climate.b2z"},
            {"for a program", "tess ls --recursive --json"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"path", "string",
             "the file, directory or array in a store; one object, on one line, each"},
            {"link", "string or absent", "of a link in a store: the path in it where it leads"},
            {"size", "integer", "bytes of the file, or of all files of the directory"},
            {"damaged", "string or null", "why it cannot be opened; all below is absent then"},
            {"shape", "integers or absent", "items along each axis"},
            {"dtype", "string or null or absent", "type of the items; null: not recorded"},
            {"chunkshape", "integers or absent", "items of a chunk along each axis"},
            {"blockshape", "integers or absent", "of a block"},
            {"codec", "string or absent", "of new chunks"},
            {"clevel", "integer or absent", "its level, 0 to 9"},
            {"cbytes", "integer or absent", "bytes of the chunks, unused space included"},
            {"ratio", "number or null or absent",
             "cratio of tess info; null: nothing is stored, or a chunk is damaged"},
            {"contiguous", "boolean or absent", "one file; false: a directory"},
            {0},
        },
    .run = run_ls,
};
