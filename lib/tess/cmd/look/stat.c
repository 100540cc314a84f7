/*
 * stat.c - tess stat: statistics of the items.
 *
 * Without --axis and --op one row for each array, made in memory first; of an array that cannot be
 * read there is a sentence instead. Else a reduction: its result is an array in memory, which is
 * printed, or one that is stored.
 */
#include "commands.h"
#include "data/axis.h"
#include "data/box_walk.h"
#include "data/open.h"
#include "data/params.h"
#include "data/picked/part.h"
#include "data/picked/picked.h"
#include "data/picked/picked_copy.h"
#include "data/picked/select.h"
#include "data/target.h"
#include "help/values.h"
#include "options.h"
#include "report.h"
#include "text/items/item.h"
#include "text/items/real.h"
#include "text/json.h"
#include "text/names.h"
#include "text/print.h"
#include "text/table.h"
#include "text/text.h"
#include "text/work.h"

#include <tessera/convert.h>
#include <tessera/dims.h>
#include <tessera/iterate.h>
#include <tessera/reduce.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bytes of a result that is printed; more are stored.
#define PRINTED_MOST (INT64_C(256) << 20)

struct stat_job {
    const struct arguments *args;
    const char *path;
    tess_array *array; // or a view of what is selected
    tess_info info;
};

// Replace the array by a copy in memory of what is selected of the field.
static tess_status
take_field(struct stat_job *job, const char *field, tess_error *err)
{
    const char *const expr = job->args->values[OPT_SLICE];
    struct picked picked = {.a = NULL};
    struct slice_range sel;
    tess_context context;
    tess_array *items = NULL;
    tess_status st = TESS_OK;

    TRY(picked_init(&picked, job->array, field, err));
    TRY(select_parse(expr ? expr : "...", picked.info.ndim, picked.info.shape, &sel, err));
    TRY(open_context(job->args, &context, err));
    TRY(picked_copy(&picked, &sel, &context, &items, err));
    tess_array_discard(job->array);
    job->array = items;
out:
    picked_finish(&picked);
    return st;
}

// The names of the axes, which the caller frees; NULL: there are none, or they are not usable.
static const char **
axis_names(const tess_array *a)
{
    const char **names = NULL;
    tess_error ignored;

    return tess_dims_get(a, &names, &ignored) == TESS_OK ? names : NULL;
}

// -- missing values

struct blank_job {
    const tess_array *in;
    tess_array *out;
    const char *dtype;
    size_t typesize;
    const tess_conversion *how;
};

static tess_status
blank_box(const struct box_walk *w, uint8_t *items, void *user, tess_error *err)
{
    const struct blank_job *const b = user;
    const size_t size = (size_t)w->items * b->typesize;
    const tess_status st =
        tess_array_read_as(b->in, w->start, w->stop, b->dtype, b->how, items, size, NULL, err);

    return st == TESS_OK ? tess_array_write(b->out, w->start, w->stop, items, size, err) : st;
}

// Replace the array by a copy in memory whose missing items are NaN.
static tess_status
blank_missing(struct stat_job *job, const tess_conversion *how, tess_error *err)
{
    struct blank_job b = {.in = job->array, .how = how};
    const char **names = NULL;
    tess_storage memory;
    tess_params params;
    tess_context context;
    tess_info info;
    tess_status st = TESS_OK;

    tess_array_info(job->array, &info);
    b.dtype = tess_dtype_parse(info.dtype).kind == TESS_KIND_FLOAT ? info.dtype : TESS_DTYPE_F64;
    b.typesize = (size_t)tess_dtype_parse(b.dtype).size;
    tess_storage_init(&memory);
    tess_params_init(&params);
    TRY(open_context(job->args, &context, err));
    memory.context = &context;
    params.dtype = b.dtype;
    params.ndim = info.ndim;
    memcpy(params.shape, info.shape, sizeof params.shape);
    TRY(tess_array_uninit(&memory, &params, &b.out, err));
    tess_array_info(b.out, &info);
    TRY(box_walk_run(
        &(struct box_walk_plan){
            .ndim = info.ndim, .shape = info.shape, .grain = info.chunkshape, .order = BOX_WALK_C},
        (int32_t)b.typesize, blank_box, &b, err));
    names = axis_names(job->array);
    if (names)
        TRY(tess_dims_set(b.out, names, err));
    tess_array_discard(job->array);
    job->array = b.out;
    b.out = NULL;
out:
    tess_free((void *)names);
    tess_array_discard(b.out);
    return st;
}

// What attributes say of stored items; scale and offset are not applied.
static tess_status
find_missing(const struct stat_job *job, tess_conversion *how, tess_error *err)
{
    const tess_status st = tess_conversion_from_attributes(job->array, how, err);

    how->scale = 1;
    how->offset = 0;
    return st;
}

static tess_status
open_part(struct stat_job *job, tess_error *err)
{
    const char *const field = job->args->values[OPT_FIELD];
    tess_conversion how;
    tess_status st = TESS_OK;

    TRY(open_array(job->path, job->args, &job->array, err));
    TRY(field ? take_field(job, field, err)
              : part_view_expr(&job->array, job->args->values[OPT_SLICE], NULL, err));
    if (job->args->values[OPT_SKIP_MISSING]) {
        TRY(find_missing(job, &how, err));
        if (how.nmissing > 0 || (int)how.least.kind != 0 || (int)how.most.kind != 0)
            TRY(blank_missing(job, &how, err));
    }
    tess_array_info(job->array, &job->info);
out:
    return st;
}

// -- one row for each array

struct row {
    tess_statistics s;
    double variance; // of the items other than NaN
};

// The only item of an array of 0 dimensions.
static tess_status
reduce_all(const struct stat_job *job, tess_reduction op, double *value, tess_error *err)
{
    tess_reduce_options options;
    tess_storage memory;
    tess_params params;
    tess_array *out = NULL;
    tess_status st = TESS_OK;

    tess_reduce_options_init(&options);
    options.skip_nan = 1;
    tess_storage_init(&memory);
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_F64;
    TRY(tess_array_reduce(job->array, op, NULL, 0, &options, &memory, &params, &out, err));
    TRY(tess_array_get_item(out, NULL, value, sizeof *value, err));
out:
    tess_array_discard(out);
    return st;
}

// Of structures without --field.
static tess_status
explain(const struct stat_job *job, tess_status st, tess_error *err)
{
    tess_info info;

    if (st == TESS_OK)
        return st;
    tess_array_info(job->array, &info);
    return picked_explain(info.dtype, st, err);
}

static tess_status
find_row(struct stat_job *job, struct row *row, tess_error *err)
{
    struct work work;
    tess_status st = TESS_OK;

    work_begin(&work, WORK_ENDS);
    work_follow_array(&work, job->array);
    TRY(tess_array_statistics(job->array, NULL, NULL, &row->s, err));
    TRY(reduce_all(job, TESS_REDUCE_VAR, &row->variance, err));
out:
    work_end(&work);
    return st;
}

// A number in the precision of the items.
static void
number_text(const struct stat_job *job, const tess_number *n, char text[REAL_TEXT_SIZE])
{
    switch (n->kind) {
    case TESS_KIND_INT:
        (void)snprintf(text, REAL_TEXT_SIZE, "%" PRId64, n->i);
        break;
    case TESS_KIND_UINT:
        (void)snprintf(text, REAL_TEXT_SIZE, "%" PRIu64, n->u);
        break;
    default:
        real_format(n->f, job->info.typesize, text);
    }
}

static void
sum_text(const struct row *row, char text[REAL_TEXT_SIZE])
{
    if (row->s.exact)
        (void)snprintf(text, REAL_TEXT_SIZE, "%" PRId64, row->s.integer);
    else
        real_format(row->s.sum, sizeof row->s.sum, text);
}

// Ten digits: that is what people compare.
static void
add_real(struct table *t, double v)
{
    table_cell(t, "%.10g", v);
}

static void
add_row(struct table *t, const struct stat_job *job, const struct row *row)
{
    const bool any = row->s.count > row->s.nonfinite;
    char text[REAL_TEXT_SIZE];

    table_cell(t, "%s", job->path);
    table_cell(t, "%" PRId64, row->s.count);
    table_cell(t, "%" PRId64, row->s.nonfinite);
    number_text(job, &row->s.min, text);
    table_cell(t, "%s", any ? text : "-");
    number_text(job, &row->s.max, text);
    table_cell(t, "%s", any ? text : "-");
    add_real(t, row->s.mean);
    add_real(t, sqrt(row->variance));
    sum_text(row, text);
    table_cell(t, "%s", text);
}

static void
add_head(struct table *t)
{
    static const char *const names[] = {"array", "items", "nonfinite", "min",
                                        "max",   "mean",  "std",       "sum"};

    table_init(t, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        table_cell(t, "%s", names[i]);
}

static void
json_begin_array(struct json *j, const struct stat_job *job)
{
    json_begin(j, stdout);
    json_string(j, "path", job->path);
    json_string(j, "dtype", job->info.dtype);
}

static void
json_number(struct json *j, const char *key, const struct stat_job *job, const tess_number *n,
            bool any)
{
    char text[REAL_TEXT_SIZE];

    number_text(job, n, text);
    json_text(j, key, any ? text : "null");
}

static void
print_json_row(const struct stat_job *job, const struct row *row)
{
    const bool any = row->s.count > row->s.nonfinite;
    struct json j;

    json_begin_array(&j, job);
    json_ints(&j, "shape", job->info.ndim, job->info.shape);
    json_int(&j, "count", row->s.count);
    json_int(&j, "nonfinite", row->s.nonfinite);
    json_number(&j, "min", job, &row->s.min, any);
    json_number(&j, "max", job, &row->s.max, any);
    json_real(&j, "mean", row->s.mean);
    json_real(&j, "var", row->variance);
    json_real(&j, "std", sqrt(row->variance));
    if (row->s.exact)
        json_int(&j, "sum", row->s.integer);
    else
        json_real(&j, "sum", row->s.sum);
    json_end(&j);
}

static double
double_of(const tess_number *x)
{
    return x->kind == TESS_KIND_INT    ? (double)x->i
           : x->kind == TESS_KIND_UINT ? (double)x->u
                                       : x->f;
}

// Print a note if the least or greatest item is a missing value: the row is misleading then.
static tess_status
tell_missing(const struct stat_job *job, const struct row *row, tess_error *err)
{
    const double least = double_of(&row->s.min), most = double_of(&row->s.max);
    char text[REAL_TEXT_SIZE];
    tess_conversion how;
    tess_error note;

    const tess_status st = find_missing(job, &how, err);
    for (int i = 0; st == TESS_OK && i < how.nmissing; i++) {
        const bool single = job->info.typesize == 4 && how.missing[i].kind == TESS_KIND_FLOAT;
        const double x = single ? (double)(float)how.missing[i].f : double_of(&how.missing[i]);

        if (x != least && x != most)
            continue;
        number_text(job, &how.missing[i], text);
        (void)report_set(&note, TESS_OK,
                         "items that are %s stand for missing ones; --missing "
                         "leaves them out",
                         text);
        (void)report_print(job->path, &note);
        break;
    }
    return st;
}

// Of one array; its exit status.
static int
stat_one(const char *path, const struct arguments *args, struct table *t)
{
    struct stat_job job = {.args = args, .path = path};
    struct row row = {0};
    tess_status st = TESS_OK;
    tess_error err;

    TRY(open_part(&job, &err));
    TRY(explain(&job, find_row(&job, &row, &err), &err));
    if (!args->values[OPT_SKIP_MISSING] && row.s.count > row.s.nonfinite)
        TRY(tell_missing(&job, &row, &err));
    if (args->values[OPT_JSON])
        print_json_row(&job, &row);
    else
        add_row(t, &job, &row);
out:
    tess_array_discard(job.array);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(path, &err);
}

static int
stat_all(const struct arguments *args)
{
    int worst = EXIT_STATUS_FINE;
    struct table t;
    tess_error err;

    add_head(&t);
    const size_t head = t.cells;
    for (char *const *path = args->words; *path; path++) {
        const int status = stat_one(*path, args, &t);
        worst = status > worst ? status : worst;
    }
    if (t.cells > head && table_print(&t, stdout, &err) != TESS_OK)
        worst = report_print("statistics", &err);
    table_finish(&t);
    return worst;
}

// -- reductions

struct reduction {
    tess_reduction op;
    const char *name;
    bool root; // of each item of the result
    int axes[TESS_MAX_NDIM], naxes;
    tess_reduce_options options;
};

static tess_status
parse_reduction(const struct stat_job *job, struct reduction *r, tess_error *err)
{
    const char *const op = job->args->values[OPT_OP], *const along = job->args->values[OPT_ALONG];
    int value = TESS_REDUCE_MEAN;
    tess_status st = TESS_OK;

    if (op && !names_value(names_op, op, &value))
        return values_refuse(OPT_OP, op, op, err);
    r->name = names_text(names_op, value);
    r->root = value == NAMES_OP_STD;
    r->op = r->root ? TESS_REDUCE_VAR : (tess_reduction)value;
    if (along)
        TRY(axis_parse_list("--axis", along, job->info.ndim, r->axes, &r->naxes, err));
    else
        for (r->naxes = 0; r->naxes < job->info.ndim; r->naxes++)
            r->axes[r->naxes] = r->naxes;
    tess_reduce_options_init(&r->options);
    r->options.skip_nan =
        job->args->values[OPT_SKIP_NAN] != NULL || job->args->values[OPT_SKIP_MISSING] != NULL;
out:
    return st;
}

static int64_t
result_items(const struct stat_job *job, const struct reduction *r)
{
    int64_t n = 1;

    for (int i = 0; i < job->info.ndim; i++) {
        bool reduced = false;

        for (int k = 0; k < r->naxes; k++)
            reduced |= r->axes[k] == i;
        if (!reduced && __builtin_mul_overflow(n, job->info.shape[i], &n))
            return INT64_MAX;
    }
    return n;
}

// A tess_change_fn. Parts of the result of a variance, in the byte order of the machine.
static tess_each_next
take_roots(const tess_part *part, void *items, void *user)
{
    int64_t index[TESS_MAX_NDIM] = {0};

    (void)user;
    for (;;) {
        uint8_t *p = items;
        int axis = part->ndim - 1;
        double v;

        for (int i = 0; i < part->ndim; i++)
            p += index[i] * part->strides[i];
        memcpy(&v, p, sizeof v);
        v = sqrt(v);
        memcpy(p, &v, sizeof v);
        for (; axis >= 0 && ++index[axis] == part->stop[axis] - part->start[axis]; axis--)
            index[axis] = 0;
        if (axis < 0)
            return TESS_EACH_CHANGED;
    }
}

static tess_status
reduce(const struct stat_job *job, const struct reduction *r, const tess_storage *storage,
       tess_params *params, tess_array **out, tess_error *err)
{
    struct work work;
    tess_status st = TESS_OK;

    if (r->root)
        params->dtype = TESS_DTYPE_F64;
    work_begin(&work, WORK_ENDS);
    work_follow_array(&work, job->array);
    TRY(tess_array_reduce(job->array, r->op, r->axes, r->naxes, &r->options, storage, params, out,
                          err));
    if (r->root)
        TRY(tess_array_change(*out, TESS_BLOCKS, NULL, NULL, take_roots, NULL, err));
out:
    work_end(&work);
    return st;
}

static tess_status
print_result(const struct stat_job *job, const struct reduction *r, const tess_array *out,
             tess_error *err)
{
    struct item_format format = {.fields = NULL};
    struct picked items = {.a = NULL};
    const tess_info *const info = &items.info;
    struct slice_range all;
    struct printer printer;
    struct json j;
    tess_status st = TESS_OK;

    TRY(picked_init(&items, out, NULL, err));
    item_format_init(&format, info->dtype, info->typesize);
    TRY(select_parse("...", info->ndim, info->shape, &all, err));
    if (job->args->values[OPT_JSON]) {
        json_begin(&j, stdout);
        json_string(&j, "path", job->path);
        json_string(&j, "dtype", info->dtype);
        json_ints(&j, "shape", info->ndim, info->shape);
        json_string(&j, "op", r->name);
        json_key(&j, "items");
        printer_begin_json(&printer, &j, &format, info->ndim, info->shape);
    } else {
        printer_begin(&printer, stdout, &format, info->ndim, info->shape);
    }
    TRY(picked_print(&items, &all, &printer, err));
    if (job->args->values[OPT_JSON])
        json_end(&j);
out:
    item_format_finish(&format);
    picked_finish(&items);
    return st;
}

static tess_status
reduce_and_print(struct stat_job *job, const struct reduction *r, tess_error *err)
{
    const int64_t items = result_items(job, r);
    tess_storage memory;
    tess_params params;
    tess_array *out = NULL;
    tess_status st = TESS_OK;

    if (items > PRINTED_MOST / 8)
        return report_set(err, TESS_ERR_LIMIT,
                          "the result has %" PRId64 " items: store it with --output", items);
    tess_storage_init(&memory);
    tess_params_init(&params);
    TRY(reduce(job, r, &memory, &params, &out, err));
    TRY(print_result(job, r, out, err));
out:
    tess_array_discard(out);
    return st;
}

// The axes of the result keep their names.
static tess_status
name_axes(const struct stat_job *job, const struct reduction *r, tess_array *out, tess_error *err)
{
    const char **const names = axis_names(job->array), *left[TESS_MAX_NDIM];
    int n = 0;
    tess_status st = TESS_OK;

    for (int i = 0; names && i < job->info.ndim; i++) {
        bool reduced = false;

        for (int k = 0; k < r->naxes; k++)
            reduced |= r->axes[k] == i;
        if (!reduced)
            left[n++] = names[i];
    }
    if (n > 0)
        st = tess_dims_set(out, left, err);
    tess_free((void *)names);
    return st;
}

static tess_status
reduce_and_store(struct stat_job *job, const struct reduction *r, const char **about,
                 tess_error *err)
{
    const char *const name = job->args->values[OPT_STORE];
    struct target target = {0};
    tess_params params;
    tess_array *out = NULL;
    tess_status st = TESS_OK;

    *about = name;
    tess_params_init(&params);
    params.ndim = job->info.ndim - r->naxes;
    TRY(params_set(&params, job->args, err));
    TRY(target_open(&target, name, params.layout, job->args, err));
    st = reduce(job, r, &target.storage, &params, &out, err);
    if (st != TESS_OK)
        *about = job->path;
    TRY(st);
    TRY(name_axes(job, r, out, err));
    st = target_publish(&target, out, err);
    out = NULL;
out:
    tess_array_discard(out);
    target_close(&target);
    return st;
}

static int
reduce_one(const char *path, const struct arguments *args)
{
    struct stat_job job = {.args = args, .path = path};
    struct reduction r = {0};
    const char *about = path;
    tess_status st = TESS_OK;
    tess_error err;

    TRY(open_part(&job, &err));
    TRY(parse_reduction(&job, &r, &err));
    if (args->values[OPT_STORE])
        TRY(explain(&job, reduce_and_store(&job, &r, &about, &err), &err));
    else
        TRY(explain(&job, reduce_and_print(&job, &r, &err), &err));
out:
    tess_array_discard(job.array);
    return st == TESS_OK ? EXIT_STATUS_FINE : report_print(about, &err);
}

// What is said about the array that --output makes.
static tess_status
check_store(const struct arguments *args, tess_error *err)
{
    static const enum option_id of_output[] = {OPTS_LAYOUT, OPT_FORCE, OPT_COUNT};

    if (args->values[OPT_STORE])
        return args->nwords == 1 ? TESS_OK
                                 : report_set(err, TESS_ERR_ARG,
                                              "--output: the results of one array can be stored");
    for (int id = 0; id < OPT_COUNT; id++)
        if (args->values[id] && options_include(of_output, id))
            return report_set(err, TESS_ERR_ARG, "%s: is for --output", options_table[id].name);
    return TESS_OK;
}

static int
run_stat(const struct arguments *args)
{
    const char *const *const values = args->values;
    int worst = EXIT_STATUS_FINE;
    tess_error err;

    if (check_store(args, &err) != TESS_OK)
        return report_print("stat", &err);
    if (!values[OPT_ALONG] && !values[OPT_OP] && !values[OPT_STORE])
        return stat_all(args);
    for (char *const *path = args->words; *path; path++) {
        const int status = reduce_one(*path, args);
        worst = status > worst ? status : worst;
    }
    return worst;
}

const struct command cmd_stat = {
    .name = "stat",
    .purpose = "minimum, maximum, mean, sum ... of the items, or along axes",
    .words = "PATH...",
    .nwords = 1,
    .nwords_more = OPTIONS_MORE,
    .options =
        OPTIONS(OPTS_LAYOUT, OPT_ALONG, OPT_OP, OPT_SKIP_NAN, OPT_SKIP_MISSING, OPT_SLICE,
                OPT_FIELD, OPT_STORE, OPT_JSON, OPT_OFFSET, OPT_UNCHECKED, OPT_FORCE, OPT_THREADS),
    .details =
        "A row for each array: its items, how many of them are NaN or infinite, and of the others\n"
        "minimum, maximum, mean, standard deviation (divided by their number; nan where items are\n"
        "infinite) and sum. Items are numbers; read is twice, which regions of one value do not\n"
        "need. With --axis or --op one of these for each place along the other axes, printed as\n"
        "by tess slice, or with -o stored as an array, which the layout options are for. A NaN\n"
        "makes its result NaN then, unless --skip-nan is given. Packed items are taken as they\n"
        "are; tess copy --unpack makes numbers of them. So are missing values of netCDF, which a\n"
        "sentence names where they are the least or the greatest items: with --missing they are\n"
        "NaN, in a copy in memory, compressed, and left out.\n"
        "A field of structures (--field) is first copied into memory, compressed; its axes are\n"
        "those of the array and of its sub-arrays. With --json, one object for each array.\n",
    .examples =
        (const struct example[]){
            {"two arrays", "tess stat winds.b2nd east.b2nd"},
            {"means of the rows of the first month", "tess stat winds.b2nd --slice 0 --axis -1"},
            {"the largest of each month", "tess stat winds.b2nd --axis 1,2 --op max"},
            {"without what attributes call missing", "tess stat winds.b2nd --missing"},
            {"one field of structures", "tess stat stations.b2nd --field wind.speed"},
            {"the mean over the months, as an array",
             "tess stat winds.b2nd --axis 0 --skip-nan -o mean.b2nd --codec zstd"},
            {0},
        },
    .json =
        (const struct json_member[]){
            {"path", "string", "the file or directory; one object, on one line, for each"},
            {"dtype", "string or null", "type of the items, or of the results of --op"},
            {"shape", "integers", "of what is selected, or of the results"},
            {"count", "integer or absent", "items; as all below up to sum not with --axis or --op"},
            {"nonfinite", "integer or absent", "of these, NaNs and infinities"},
            {"min", "number or null or absent", "minimum of the others; null: there are none"},
            {"max", "number or null or absent", "maximum"},
            {"mean", "number or null or absent", "mean"},
            {"var", "number or null or absent", "variance; null also where items are infinite"},
            {"std", "number or null or absent", "its square root"},
            {"sum", "number or null or absent", "sum; of integers exact, if it is below 2^63"},
            {"op", "string or absent", "what was done with --axis or --op"},
            {"items", "any or absent", "its results, as items of tess slice --json"},
            {0},
        },
    .run = run_stat,
};
