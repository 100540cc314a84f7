/*
 * slice.c - tess slice: prints values.
 *
 * They are printed as they are read. Where a chunk is damaged they end, and JSON is left open.
 */
#include "cli/commands.h"
#include "cli/data/open.h"
#include "cli/data/pick.h"
#include "cli/data/select.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/text/item.h"
#include "cli/text/json.h"
#include "cli/text/print.h"

// Up to the items.
static void
begin_json(struct json *j, const tess_info *info, const struct selection *sel)
{
    json_begin(j, stdout);
    json_string(j, "dtype", info->dtype);
    json_ints(j, "shape", sel->out_ndim, sel->out_shape);
    json_key(j, "items");
}

static tess_status
print_box(const struct walk *w, uint8_t *items, void *printer, tess_error *err)
{
    (void)err;
    printer_items(printer, items, w->items);
    return TESS_OK;
}

static tess_status
print_selection(const tess_array *a, const struct selection *sel, bool json, tess_error *err)
{
    struct item_format format;
    struct printer printer;
    struct json j;
    tess_info info;

    tess_array_info(a, &info);
    item_format_init(&format, info.dtype, info.typesize);
    if (json) {
        begin_json(&j, &info, sel);
        printer_begin_json(&printer, &j, &format, sel->out_ndim, sel->out_shape);
    } else {
        printer_begin(&printer, stdout, &format, sel->out_ndim, sel->out_shape);
    }
    const tess_status st = pick_run(a, sel, WALK_STREAM, 1, print_box, &printer, err);
    if (st != TESS_OK)
        return st;
    printer_end(&printer);
    if (json)
        json_end(&j);
    return TESS_OK;
}

static int
run_slice(const struct arguments *args)
{
    const char *path = args->words[0];
    struct selection sel;
    tess_array *a = NULL;
    tess_status st = TESS_OK;
    tess_error err;
    tess_info info;

    TRY(open_array(path, args, &a, &err));
    tess_array_info(a, &info);
    TRY(select_parse(args->words[1], info.ndim, info.shape, &sel, &err));
    TRY(print_selection(a, &sel, args->values[OPT_JSON] != NULL, &err));
out:
    tess_array_discard(a);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(path, &err);
}

const struct command cmd_slice = {
    .name = "slice",
    .purpose = "print values",
    .words = "PATH EXPR",
    .nwords = 2,
    .options =
        OPT_BIT(OPT_JSON) | OPT_BIT(OPT_OFFSET) | OPT_BIT(OPT_UNCHECKED) | OPT_BIT(OPT_THREADS),
    .details = "EXPR selects as in NumPy: 0:10,5,...,::-2; ... alone is the whole array.\n"
               "Numbers are printed in full precision; structures and items of unknown type in\n"
               "hexadecimal.\n",
    .examples =
        (const struct example[]){
            {"one item", "tess slice winds.b2nd 0,36,72"},
            {"every tenth of the last row of the first month", "tess slice winds.b2nd 0,-1,::10"},
            {"all of it, page by page", "tess slice winds.b2nd ... | more"},
            {"for a program", "tess slice winds.b2nd :,36,72 --json"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"dtype", "string or null", "type of the items, as in NumPy; null: not recorded"},
            {"shape", "integers", "of what is selected"},
            {"items", "any",
             "a list of lists ... of items; numbers, booleans or strings; nan and inf "
             "are\nstrings. An item alone if nothing is left of the axes"},
            {0},
        },
    .run = run_slice,
};
