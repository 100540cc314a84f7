/*
 * slice.c - tess slice: prints values.
 *
 * What EXPR selects is printed as it is read. Where a chunk is damaged it ends, and JSON is left
 * open. Without EXPR the array is printed as NumPy does: at once, of a long one only the edges,
 * which are all that is read.
 */
#include "commands.h"
#include "data/open.h"
#include "data/picked/picked.h"
#include "data/picked/select.h"
#include "options.h"
#include "report.h"
#include "text/items/item.h"
#include "text/json.h"
#include "text/print.h"

#include <stdlib.h>
#include <string.h>

#define THRESHOLD 1000 // an array of more items is shown in part
#define EDGE 3 // items at each end of an axis then
#define EDGES_MOST 50000 // items in all; else, with many axes, the edges are shorter

struct slice {
    struct picked picked;
    struct slice_range sel;
    struct item_format format;
    struct printer printer;
    bool has_json;
    struct json json;

    // Of the edges: what is shown along each axis.
    int64_t counts[TESS_MAX_NDIM];
    int64_t *indices[TESS_MAX_NDIM];
    int64_t gaps[TESS_MAX_NDIM]; // of struct printer
    bool shortened;
};

// -- up to the items

static void
begin(struct slice *s, const int64_t *shape)
{
    const int ndim = s->sel.out_ndim;

    if (!s->has_json) {
        printer_begin(&s->printer, stdout, &s->format, ndim, shape);
        return;
    }
    json_begin(&s->json, stdout);
    json_string(&s->json, "dtype", s->picked.info.dtype);
    json_ints(&s->json, "shape", ndim, s->sel.out_shape);
    json_bool(&s->json, "complete", !s->shortened);
    json_key(&s->json, "items");
    printer_begin_json(&s->printer, &s->json, &s->format, ndim, shape);
}

// -- all that is selected

static tess_status
print_all(struct slice *s, tess_error *err)
{
    begin(s, s->sel.out_shape);
    return picked_print(&s->picked, &s->sel, &s->printer, err);
}

// -- the edges

// Whether an array of that shape has at most so many items.
static bool
has_at_most(int64_t most, int ndim, const int64_t *shape)
{
    int64_t n = 1;

    for (int i = 0; i < ndim; i++)
        if (shape[i] == 0)
            return true;
    for (int i = 0; i < ndim; i++)
        if (__builtin_mul_overflow(n, shape[i], &n) || n > most)
            return false;
    return true;
}

static void
choose_counts(struct slice *s)
{
    const struct slice_range *const sel = &s->sel;
    const bool is_short = has_at_most(THRESHOLD, sel->ndim, sel->count);
    int64_t edge = EDGE;

    do
        for (int i = 0; i < sel->ndim; i++) {
            const bool cut = !is_short && sel->count[i] > 2 * edge;

            s->counts[i] = cut ? 2 * edge : sel->count[i];
            s->gaps[i] = cut ? edge : 0;
            s->shortened = s->shortened || cut;
        }
    while (!has_at_most(EDGES_MOST, sel->ndim, s->counts) && --edge > 0);
}

static tess_status
list_indices(struct slice *s, tess_error *err)
{
    for (int i = 0; i < s->sel.ndim; i++) {
        int64_t *const list = malloc((size_t)s->counts[i] * sizeof *list + 1);

        s->indices[i] = list;
        if (!list)
            return report_nomem(err, s->counts[i]);
        for (int64_t k = 0; k < s->counts[i]; k++)
            list[k] = s->gaps[i] > 0 && k >= s->gaps[i] ? s->sel.count[i] - s->counts[i] + k : k;
    }
    return TESS_OK;
}

static tess_status
print_edges(struct slice *s, tess_error *err)
{
    uint8_t *items = NULL;
    int64_t n = 1;
    tess_status st = TESS_OK;

    choose_counts(s);
    TRY(list_indices(s, err));
    TRY(picked_get(&s->picked, &s->sel, s->counts, s->indices, &items, err));
    for (int i = 0; i < s->sel.ndim; i++)
        n *= s->counts[i];
    begin(s, s->counts); // no axis is dropped
    memcpy(s->printer.gap, s->gaps, sizeof s->gaps);
    if (!s->has_json)
        TRY(printer_align(&s->printer, items, n, err));
    printer_items(&s->printer, items, n);
    printer_end(&s->printer);
out:
    for (int i = 0; i < s->sel.ndim; i++)
        free(s->indices[i]);
    free(items);
    return st;
}

static int
run_slice(const struct arguments *args)
{
    const char *const path = args->words[0], *const expr = arguments_word(args, 1);
    struct slice s = {.has_json = args->values[OPT_JSON] != NULL};
    tess_info *const info = &s.picked.info;
    tess_array *a = NULL;
    tess_status st = TESS_OK;
    tess_error err;

    TRY(open_array(path, args, &a, &err));
    TRY(picked_init(&s.picked, a, args->values[OPT_FIELD], &err));
    TRY(select_parse(expr ? expr : "...", info->ndim, info->shape, &s.sel, &err));
    item_format_init(&s.format, info->dtype, info->typesize);
    TRY(expr || args->values[OPT_ALL] ? print_all(&s, &err) : print_edges(&s, &err));
    if (s.has_json)
        json_end(&s.json);
out:
    item_format_finish(&s.format);
    picked_finish(&s.picked);
    tess_array_discard(a);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(path, &err);
}

const struct command cmd_slice = {
    .name = "slice",
    .purpose = "print values",
    .words = "PATH [EXPR]",
    .nwords = 1,
    .nwords_more = 1,
    .options = OPTIONS(OPT_JSON, OPT_OFFSET, OPT_UNCHECKED, OPT_THREADS, OPT_FIELD, OPT_ALL),
    .details =
        "EXPR selects as in NumPy: 0:10,5,...,::-2; all of that is printed, a line per row.\n"
        "Without EXPR the whole array is printed as NumPy does, in columns. If it has more than\n"
        "1000 items, only the first and the last three of each axis are read and printed, with\n"
        "... between them; --all prints all. Numbers are printed in full precision, structures\n"
        "by field, as (1, 2.5, \"ab\"), items of unknown type in hexadecimal. The axes of a field\n"
        "(--field) are those of the array and of its sub-arrays, as in NumPy.\n",
    .examples =
        (const struct example[]){
            {"one item", "tess slice winds.b2nd 0,36,72"},
            {"every tenth of the last row of the first month", "tess slice winds.b2nd 0,-1,::10"},
            {"the array as NumPy prints it, the edges of a long one", "tess slice winds.b2nd"},
            {"all of it, page by page", "tess slice winds.b2nd --all | more"},
            {"one field of structures", "tess slice stations.b2nd :3 --field wind.speed"},
            {"for a program", "tess slice winds.b2nd :,36,72 --json"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"dtype", "string or null", "type of the items, as in NumPy; null: not recorded"},
            {"shape", "integers", "of what is selected"},
            {"complete", "boolean",
             "all items are there; false: without EXPR and --all, \"...\" in a list stands for "
             "those\nleft out"},
            {"items", "any",
             "a list of lists ... of items; numbers, booleans or strings; nan and inf "
             "are\nstrings, structures are objects. An item alone if nothing is left of the axes"},
            {0},
        },
    .run = run_slice,
};
