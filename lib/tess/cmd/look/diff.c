/*
 * diff.c - tess diff: whether two arrays hold the same.
 *
 * What is printed is made in memory first: a file that turns out to be damaged leaves nothing
 * half-said on stdout.
 */
#include "commands.h"
#include "data/compare.h"
#include "data/open.h"
#include "data/picked/pick.h"
#include "data/picked/select.h"
#include "options.h"
#include "report.h"
#include "text/items/item.h"
#include "text/items/real.h"
#include "text/json.h"
#include "text/text.h"

#include <tessera/attr.h>
#include <tessera/meta.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS = 10 }; // that are printed

struct side {
    const char *path;
    tess_array *array;
    tess_info info;
    struct slice_range sel;
};

struct diff {
    struct side a, b;
    const char *about;
    struct comparison items;
    int64_t compared, different; // of the items
    bool alike; // items can be compared
    bool equal; // nothing differs so far
    FILE *out;
    struct json *json; // NULL: words
};

// -- what is compared

static tess_status
open_side(struct diff *d, struct side *s, const struct arguments *args, tess_error *err)
{
    const char *const expr = args->values[OPT_SLICE];
    tess_status st = TESS_OK;

    d->about = s->path;
    TRY(open_array(s->path, args, &s->array, err));
    tess_array_info(s->array, &s->info);
    TRY(select_parse(expr ? expr : "...", s->info.ndim, s->info.shape, &s->sel, err));
out:
    return st;
}

static tess_status
parse_tolerance(const char *option, const char *text, double *value, tess_error *err)
{
    char *end = NULL;

    if (!text)
        return TESS_OK;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*value) || *value < 0)
        return report_set(err, TESS_ERR_ARG, "%s %s: not a number from 0 on", option, text);
    return TESS_OK;
}

static bool
same_shape(const struct side *a, const struct side *b)
{
    return a->info.ndim == b->info.ndim && a->sel.out_ndim == b->sel.out_ndim &&
           memcmp(a->sel.out_shape, b->sel.out_shape,
                  (size_t)a->sel.out_ndim * sizeof a->sel.out_shape[0]) == 0;
}

// -- shape and type

static void
tell_shapes(struct diff *d, bool same)
{
    const struct slice_range *const a = &d->a.sel, *const b = &d->b.sel;

    if (d->json) {
        json_open(d->json, "shape", '{');
        json_bool(d->json, "equal", same);
        json_ints(d->json, "a", a->out_ndim, a->out_shape);
        json_ints(d->json, "b", b->out_ndim, b->out_shape);
        json_close(d->json, '}');
    } else if (!same) {
        fputs("shape: ", d->out);
        text_shape_write(d->out, a->out_ndim, a->out_shape);
        fputs(", ", d->out);
        text_shape_write(d->out, b->out_ndim, b->out_shape);
        fputc('\n', d->out);
    }
}

static void
write_dtype(FILE *out, const tess_info *info)
{
    if (info->dtype && info->dtype[0])
        text_write(out, info->dtype);
    else
        fprintf(out, "unknown, %" PRId32 " bytes", info->typesize);
}

static void
tell_dtypes(struct diff *d, bool same)
{
    if (d->json) {
        json_open(d->json, "dtype", '{');
        json_bool(d->json, "equal", same);
        json_string(d->json, "a", d->a.info.dtype);
        json_string(d->json, "b", d->b.info.dtype);
        json_close(d->json, '}');
    } else if (!same) {
        fputs("dtype: ", d->out);
        write_dtype(d->out, &d->a.info);
        fputs(", ", d->out);
        write_dtype(d->out, &d->b.info);
        fputc('\n', d->out);
    }
}

// -- items

// Item n of a box, in C order.
static void
tell_item(struct diff *d, const struct box_walk *walk, int64_t n, const uint8_t *a,
          const uint8_t *b)
{
    const struct slice_range *const sel = &d->a.sel;
    int64_t index[TESS_MAX_NDIM];

    for (int i = sel->ndim - 1; i >= 0; i--) {
        const int64_t length = walk->stop[i] - walk->start[i];

        index[i] = sel->start[i] + sel->step[i] * (walk->start[i] + n % length);
        n /= length;
    }
    if (d->json) {
        json_open(d->json, NULL, '{');
        json_ints(d->json, "index", sel->ndim, index);
        item_json(d->json, "a", &d->items.a, a);
        item_json(d->json, "b", &d->items.b, b);
        json_close(d->json, '}');
        return;
    }
    fputs(sel->ndim > 0 ? "item " : "item", d->out);
    for (int i = 0; i < sel->ndim; i++)
        fprintf(d->out, "%s%" PRId64, i > 0 ? "," : "", index[i]);
    fputs(": ", d->out);
    item_print(d->out, &d->items.a, a);
    fputs(", ", d->out);
    item_print(d->out, &d->items.b, b);
    fputc('\n', d->out);
}

static void
tell_items(struct diff *d, int64_t compared, int64_t different)
{
    char text[REAL_TEXT_SIZE];
    const bool measured = d->items.largest >= 0;

    if (d->json) {
        json_int(d->json, "compared", compared);
        json_int(d->json, "different", different);
        const double none = compare_has_numbers(&d->items) ? 0 : (double)NAN; // which is null

        json_real(d->json, "largest_difference", measured ? d->items.largest : none);
    } else if (different > 0) {
        fprintf(d->out, "items: %" PRId64 " of %" PRId64 " differ", different, compared);
        if (measured) {
            real_format(d->items.largest, sizeof d->items.largest, text);
            fprintf(d->out, ", by %s at most", text);
        }
        fputc('\n', d->out);
    }
}

// A box of A has been read.
static tess_status
compare_box(const struct box_walk *w, uint8_t *a, void *user, tess_error *err)
{
    struct diff *const d = user;
    const int64_t n = w->items, size = d->a.info.typesize;
    uint8_t *const b = a + n * size;

    d->about = d->b.path;
    const tess_status st =
        pick_read(d->b.array, &d->b.sel, w->start, w->stop, b, (size_t)(n * size), err);
    if (st != TESS_OK)
        return st;
    d->about = d->a.path;
    for (int64_t i = compare_next(&d->items, a, b, 0, n); i < n;
         i = compare_next(&d->items, a, b, i + 1, n)) {
        if (d->different++ < POSITIONS)
            tell_item(d, w, i, a + i * size, b + i * size);
    }
    d->compared += n;
    return TESS_OK;
}

static tess_status
compare_items(struct diff *d, tess_error *err)
{
    if (d->json) {
        json_open(d->json, NULL, '{');
        json_open(d->json, "first", '[');
    }
    d->about = d->a.path;
    const tess_status st = pick_run(d->a.array, &d->a.sel, BOX_WALK_C, 2, compare_box, d, err);
    if (st != TESS_OK)
        return st;
    if (d->json)
        json_close(d->json, ']');
    tell_items(d, d->compared, d->different);
    d->equal &= d->different == 0;
    if (d->json)
        json_close(d->json, '}');
    return TESS_OK;
}

// The item that growth shows: zeros, if the array was made with no other.
static tess_status
compare_fill(struct diff *d, tess_error *err)
{
    const size_t size = (size_t)d->a.info.typesize;
    struct comparison exact = d->items;
    uint8_t *const zeros = calloc(1, size);

    if (!zeros)
        return report_nomem(err, (int64_t)size);
    exact.tolerance = exact.relative = 0;
    const uint8_t *const a = d->a.info.fill ? d->a.info.fill : zeros;
    const uint8_t *const b = d->b.info.fill ? d->b.info.fill : zeros;
    const bool same = compare_next(&exact, a, b, 0, 1) == 1;
    if (d->json) {
        json_open(d->json, NULL, '{');
        json_bool(d->json, "equal", same);
        item_json(d->json, "a", &d->items.a, a);
        item_json(d->json, "b", &d->items.b, b);
        json_close(d->json, '}');
    } else if (!same) {
        fputs("fill value: ", d->out);
        item_print(d->out, &d->items.a, a);
        fputs(", ", d->out);
        item_print(d->out, &d->items.b, b);
        fputc('\n', d->out);
    }
    d->equal &= same;
    free(zeros);
    return TESS_OK;
}

// -- attributes

// Its value as JSON, or NULL if there is none of that name.
static tess_status
attribute(struct diff *d, const struct side *s, const char *name, char **json, tess_error *err)
{
    const char *other = NULL;

    *json = NULL;
    d->about = s->path;
    for (int i = 0; (other = tess_vlmeta_name(s->array, i)) != NULL; i++)
        if (strcmp(other, name) == 0)
            return tess_attr_get_json(s->array, name, json, err);
    return TESS_OK;
}

static void
tell_attribute(struct diff *d, const char *name, const char *a, const char *b)
{
    if (!d->json) {
        fputs("attribute ", d->out);
        text_write(d->out, name);
        fprintf(d->out, ": %s, %s\n", a ? a : "none", b ? b : "none");
        return;
    }
    json_open(d->json, NULL, '{');
    json_string(d->json, "name", name);
    if (a)
        json_text(d->json, "a", a);
    if (b)
        json_text(d->json, "b", b);
    json_close(d->json, '}');
}

// Those of A; with `rest`, those of B that A has not.
static tess_status
compare_attributes(struct diff *d, bool rest, tess_error *err)
{
    const tess_array *const names = rest ? d->b.array : d->a.array;
    tess_status st = TESS_OK;
    const char *name;

    for (int i = 0; st == TESS_OK && (name = tess_vlmeta_name(names, i)) != NULL; i++) {
        char *a = NULL, *b = NULL;

        st = attribute(d, &d->a, name, &a, err);
        if (st == TESS_OK)
            st = attribute(d, &d->b, name, &b, err);
        const bool same = a && b && strcmp(a, b) == 0;
        if (st == TESS_OK && !same && !(rest && a)) {
            tell_attribute(d, name, a, b);
            d->equal = false;
        }
        tess_free(a);
        tess_free(b);
    }
    return st;
}

// -- metalayers

// Those that describe the array itself are no content.
static bool
is_own(const char *name)
{
    return strcmp(name, "b2nd") == 0 || strcmp(name, "caterva") == 0;
}

static tess_status
find_metalayer(const struct side *s, const char *name, tess_metalayer *layer, tess_error *err)
{
    *layer = (tess_metalayer){0};
    for (int i = 0; i < s->info.nmetalayers; i++) {
        tess_metalayer l;
        const tess_status st = tess_meta_at(s->array, i, &l, err);

        if (st != TESS_OK)
            return st;
        if (strcmp(l.name, name) == 0)
            *layer = l;
    }
    return TESS_OK;
}

static void
tell_metalayer(struct diff *d, const char *name, const tess_metalayer *a, const tess_metalayer *b)
{
    if (d->json) {
        json_string(d->json, NULL, name);
        return;
    }
    fputs("metalayer ", d->out);
    text_write(d->out, name);
    if (!a->name || !b->name)
        fprintf(d->out, ": %s, %s\n", a->name ? "there" : "none", b->name ? "there" : "none");
    else
        fprintf(d->out, ": %zu bytes, %zu other bytes\n", a->size, b->size);
}

static tess_status
compare_metalayers(struct diff *d, bool rest, tess_error *err)
{
    const struct side *const names = rest ? &d->b : &d->a;
    const struct side *const others = rest ? &d->a : &d->b;
    tess_status st = TESS_OK;

    for (int i = 0; i < names->info.nmetalayers; i++) {
        tess_metalayer own, other;

        d->about = names->path;
        TRY(tess_meta_at(names->array, i, &own, err));
        d->about = others->path;
        TRY(find_metalayer(others, own.name, &other, err));
        const bool same = other.name && own.size == other.size &&
                          (own.size == 0 || memcmp(own.content, other.content, own.size) == 0);
        if (same || is_own(own.name) || (rest && other.name))
            continue;
        tell_metalayer(d, own.name, rest ? &other : &own, rest ? &own : &other);
        d->equal = false;
    }
out:
    return st;
}

// -- the command

typedef tess_status compare_fn(struct diff *d, bool rest, tess_error *err);

static tess_status
compare_named(struct diff *d, const char *key, compare_fn *compare, tess_error *err)
{
    tess_status st;

    if (d->json) {
        json_open(d->json, key, '[');
    }
    st = compare(d, false, err);
    if (st == TESS_OK)
        st = compare(d, true, err);
    if (d->json)
        json_close(d->json, ']');
    return st;
}

// What was not compared is null in JSON.
static void
begin_items(struct diff *d, const char *key, bool compared)
{
    if (!d->json)
        return;
    json_key(d->json, key);
    if (!compared)
        json_string(d->json, NULL, NULL);
}

static tess_status
compare(struct diff *d, tess_error *err)
{
    const bool same_shapes = same_shape(&d->a, &d->b);
    tess_status st = TESS_OK;

    d->equal = same_shapes && d->alike;
    if (d->json)
        json_open(d->json, NULL, '{');
    tell_shapes(d, same_shapes);
    tell_dtypes(d, d->alike);
    begin_items(d, "items", same_shapes && d->alike);
    if (same_shapes && d->alike)
        TRY(compare_items(d, err));
    begin_items(d, "fill", d->alike);
    if (d->alike)
        TRY(compare_fill(d, err));
    TRY(compare_named(d, "attributes", compare_attributes, err));
    TRY(compare_named(d, "metalayers", compare_metalayers, err));
    if (d->json) {
        json_bool(d->json, "equal", d->equal);
        json_end(d->json);
    }
out:
    return st;
}

static tess_status
compare_and_print(struct diff *d, tess_error *err)
{
    char *text = NULL;
    size_t size = 0;

    d->out = open_memstream(&text, &size);
    if (!d->out)
        return report_errno(err, "cannot describe");
    if (d->json)
        json_init(d->json, d->out);
    tess_status st = compare(d, err);
    if (fclose(d->out) != 0 && st == TESS_OK)
        st = report_nomem(err, (int64_t)size);
    if (st == TESS_OK)
        (void)fwrite(text, 1, size, stdout);
    free(text);
    return st;
}

static int
run_diff(const struct arguments *args)
{
    struct diff d = {.a = {.path = args->words[0]}, .b = {.path = args->words[1]}};
    struct comparison *const items = &d.items;
    struct json j;
    tess_status st = TESS_OK;
    tess_error err;

    TRY(open_side(&d, &d.a, args, &err));
    TRY(open_side(&d, &d.b, args, &err));
    d.json = args->values[OPT_JSON] ? &j : NULL;
    d.alike =
        compare_init(items, d.a.info.dtype, d.a.info.typesize, d.b.info.dtype, d.b.info.typesize);
    d.about = "diff";
    TRY(parse_tolerance("--tolerance", args->values[OPT_TOLERANCE], &items->tolerance, &err));
    TRY(parse_tolerance("--relative", args->values[OPT_RELATIVE], &items->relative, &err));
    TRY(compare_and_print(&d, &err));
out:
    compare_finish(items);
    tess_array_discard(d.a.array);
    tess_array_discard(d.b.array);
    if (st != TESS_OK)
        return report_print(d.about, &err);
    return d.equal ? EXIT_STATUS_FINE : EXIT_STATUS_NO;
}

const struct command cmd_diff = {
    .name = "diff",
    .purpose = "whether two arrays hold the same",
    .words = "A B",
    .nwords = 2,
    .options =
        OPTIONS(OPT_JSON, OPT_SLICE, OPT_UNCHECKED, OPT_TOLERANCE, OPT_RELATIVE, OPT_THREADS),
    .details =
        "Compares shape, type, items, fill value, attributes and metalayers; not chunks, codec\n"
        "and byte order. NaN equals NaN. Prints a line for each difference, of A first: for the\n"
        "first ten items with their index, and how many differ by how much. Numbers are equal if\n"
        "they differ by X at most, or by R times the larger of the two; NaN equals no number.\n"
        "Of an array that does not record its type, items are taken to be of the other's.\n"
        "Exit status: 0 equal, 1 different, 3 a file could not be read.\n",
    .examples =
        (const struct example[]){
            {"whether a copy is one", "tess diff winds.b2nd copy.b2nd"},
            {"how far a lossy copy is off in the first month",
             "tess diff winds.b2nd lossy.b2nd --slice 0 --tolerance 0.01"},
            {"only the answer, for a script",
             "tess diff winds.b2nd copy.b2nd >/dev/null && echo equal"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"shape.equal", "boolean", "whether the shapes are equal"},
            {"shape.a", "integers", "of A, after --slice"},
            {"shape.b", "integers", "of B"},
            {"dtype.equal", "boolean", "whether items can be compared"},
            {"dtype.a", "string or null",
             "type of the items of A, as in NumPy; null: not recorded"},
            {"dtype.b", "string or null", "of those of B"},
            {"items", "object or null", "null: not compared, as shapes or types differ"},
            {"items.first", "list", "the first 10 items that differ"},
            {"items.first[].index", "integers", "in A"},
            {"items.first[].a", "item",
             "of A: a number, boolean or string; nan and inf are strings"},
            {"items.first[].b", "item", "of B"},
            {"items.compared", "integer", "number of items"},
            {"items.different", "integer", "how many of them differ"},
            {"items.largest_difference", "number or null", "null: not a number"},
            {"fill", "object or null", "fill value; null: not compared"},
            {"fill.equal", "boolean", "whether the fill values are equal"},
            {"fill.a", "item", "of A"},
            {"fill.b", "item", "of B"},
            {"attributes", "list", "those that differ"},
            {"attributes[].name", "string", "name"},
            {"attributes[].a", "any or absent", "value in A"},
            {"attributes[].b", "any or absent", "value in B"},
            {"metalayers", "strings", "names of those that differ"},
            {"equal", "boolean", "all of it is equal"},
            {0},
        },
    .run = run_diff,
};
