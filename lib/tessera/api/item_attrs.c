/*
 * item_attrs.c - converts attributes whose values are items of the array (_FillValue, valid_min,
 * flag_values ...) when the items are converted to another type.
 *
 * Sources: NetCDF Users Guide, "Attribute Conventions"; CF 2.5.1, 3.5, 8.1 and appendix A.
 *
 * The rest may rely on this: a value is converted exactly as an item with that value is. For this a
 * value is stored in an array of one item of the first type, read and written with the conversions
 * of the caller, and read from an array of one item of the second type.
 *
 * Bounds are converted like items, because conversions keep the order of items; a negative scale
 * reverses the order, and swaps lower and upper bounds. A missing value must stay different from
 * all valid items. If it would become another number, it is omitted if no item can have it, and
 * refused otherwise.
 *
 * Not here: the conversion of items (array/convert), and that of the fill value of the format
 * (tess_params.fill), which callers do.
 */
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"

#include <tessera/attr.h>
#include <tessera/convert.h>
#include <tessera/meta.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum role {
    ROLE_NONE,
    ROLE_SCALING,
    ROLE_MISSING,
    ROLE_BOUNDS,
    ROLE_EXTENT,
    ROLE_FLAGS,
    ROLE_BITS
};

static const struct item_attr {
    const char *name;
    enum role role;
    const char *turned; // the attribute that gets the value if the scale is negative; NULL: itself
} item_attrs[] = {
    {"scale_factor", ROLE_SCALING, NULL},
    {"add_offset", ROLE_SCALING, NULL},
    {"_FillValue", ROLE_MISSING, NULL},
    {"missing_value", ROLE_MISSING, NULL},
    {"valid_min", ROLE_BOUNDS, "valid_max"},
    {"valid_max", ROLE_BOUNDS, "valid_min"},
    {"valid_range", ROLE_BOUNDS, "valid_range"},
    {"actual_range", ROLE_EXTENT, "actual_range"}, // of packed items: has unpacked numbers
    {"flag_values", ROLE_FLAGS, NULL},
    {"flag_masks", ROLE_BITS, NULL},
};

static const struct item_attr *
find_attr(const char *name)
{
    static const struct item_attr none = {NULL, ROLE_NONE, NULL};
    for (size_t i = 0; name && i < sizeof item_attrs / sizeof *item_attrs; i++)
        if (strcmp(item_attrs[i].name, name) == 0)
            return &item_attrs[i];
    return &none;
}

TESS_API bool
tess_attr_holds_items(const char *name)
{
    return find_attr(name)->role > ROLE_SCALING;
}

// -- numbers and values

static bool
number_of(const tess_value *value, tess_number *x)
{
    switch (value->type) {
    case TESS_VALUE_BOOL:
        *x = (tess_number){.kind = TESS_KIND_INT, .i = value->as.boolean};
        return true;
    case TESS_VALUE_INT:
        *x = (tess_number){.kind = TESS_KIND_INT, .i = value->as.i64};
        return true;
    case TESS_VALUE_UINT:
        *x = (tess_number){.kind = TESS_KIND_UINT, .u = value->as.u64};
        return true;
    case TESS_VALUE_FLOAT:
        *x = (tess_number){.kind = TESS_KIND_FLOAT, .f = value->as.f64};
        return true;
    default:
        return false;
    }
}

static tess_value
value_of(const tess_number *x)
{
    if (x->kind == TESS_KIND_INT)
        return (tess_value){.type = TESS_VALUE_INT, .as = {.i64 = x->i}};
    if (x->kind == TESS_KIND_UINT)
        return (tess_value){.type = TESS_VALUE_UINT, .as = {.u64 = x->u}};
    return (tess_value){.type = TESS_VALUE_FLOAT, .as = {.f64 = x->f}};
}

static double
double_of(const tess_number *x)
{
    return x->kind == TESS_KIND_INT    ? (double)x->i
           : x->kind == TESS_KIND_UINT ? (double)x->u
                                       : x->f;
}

static bool
is_same_attr(const tess_number *x, const tess_number *y)
{
    const double a = double_of(x), b = double_of(y);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (x->kind == TESS_KIND_FLOAT || y->kind == TESS_KIND_FLOAT)
        return a == b;
    return (a < 0) == (b < 0) && (x->kind == TESS_KIND_INT ? (uint64_t)x->i : x->u) ==
                                     (y->kind == TESS_KIND_INT ? (uint64_t)y->i : y->u);
}

// The address of the member that holds the number, 8 bytes.
static void *
place_of_attr(tess_number *x)
{
    return x->kind == TESS_KIND_INT    ? (void *)&x->i
           : x->kind == TESS_KIND_UINT ? (void *)&x->u
                                       : &x->f;
}

enum { NUMBER_TEXT = 32 };

static const char *
text_of(const tess_number *x, char *text)
{
    if (x->kind == TESS_KIND_INT)
        (void)snprintf(text, NUMBER_TEXT, "%" PRId64, x->i);
    else if (x->kind == TESS_KIND_UINT)
        (void)snprintf(text, NUMBER_TEXT, "%" PRIu64, x->u);
    else
        (void)snprintf(text, NUMBER_TEXT, "%.*g", (double)(float)x->f == x->f ? 7 : DBL_DIG, x->f);
    return text;
}

// -- the conversion of one item

enum { TYPE_NAME = 32 };

struct one_item {
    tess_array *array;
    char dtype[TYPE_NAME]; // native 64-bit type in which the item is read and written
    tess_kind kind; // of dtype: signed, unsigned or float
    bool whole; // items of the array are integers or times: floats are rounded
};

struct transfer {
    struct one_item from, to;
    bool numbers; // all types are numbers or times; false: attributes are copied unchanged
    const char *memory; // type of the items in memory
    tess_conversion read, write; // of the caller, without missing values and bounds
    bool blanks, bounded; // reading turns missing values, and items out of bounds, into NaN
    bool scaled; // reading or writing scales
    bool packed; // `from` has a scale_factor or add_offset
    const tess_number *missing; // what writing stores for NaN, or NULL
};

static tess_status
one_item_init(struct one_item *one, const char *dtype, tess_error *err)
{
    const tess_dtype type = tess_dtype_parse(dtype);
    const bool time = type.kind == TESS_KIND_DATETIME || type.kind == TESS_KIND_TIMEDELTA;
    tess_storage memory;
    tess_params p;

    one->whole = type.kind != TESS_KIND_FLOAT && type.kind != TESS_KIND_COMPLEX;
    one->kind = !one->whole                                                  ? TESS_KIND_FLOAT
                : type.kind == TESS_KIND_UINT || type.kind == TESS_KIND_BOOL ? TESS_KIND_UINT
                                                                             : TESS_KIND_INT;
    (void)snprintf(one->dtype, sizeof one->dtype, "%.1s%.30s", TESS_DTYPE_I64,
                   time                           ? dtype + strspn(dtype, "<>=|")
                   : one->kind == TESS_KIND_FLOAT ? "f8"
                   : one->kind == TESS_KIND_UINT  ? "u8"
                                                  : "i8");
    tess_storage_init(&memory);
    tess_params_init(&p);
    p.dtype = dtype;
    return tess_array_zeros(&memory, &p, &one->array, err);
}

static bool
is_number(const char *dtype)
{
    const tess_kind kind = tess_dtype_parse(dtype).kind;
    return dtype && strlen(dtype) < TYPE_NAME && kind != TESS_KIND_OPAQUE &&
           kind != TESS_KIND_BYTES && kind != TESS_KIND_UNICODE && kind != TESS_KIND_STRUCT;
}

// Copy a conversion of the caller, of any size of the struct. *scaled: whether it scales.
static tess_status
take_attr_conversion(tess_conversion *own, const tess_conversion *given, bool *scaled,
                     tess_error *err)
{
    tess_status st = TESS_OK;
    tess_conversion_init(own);
    if (given)
        st = sized_take(own, sizeof *own, SIZED_UP_TO(tess_conversion, most), given, "conversion",
                        err);
    *scaled = own->scale != 1 || own->offset != 0;
    return st;
}

static bool
has_attr(const tess_array *a, const char *name)
{
    const char *other;
    for (int i = 0; (other = tess_vlmeta_name(a, i)) != NULL; i++)
        if (strcmp(other, name) == 0)
            return true;
    return false;
}

static tess_status
transfer_init(struct transfer *r, const tess_array *from, const tess_array *to, const char *dtype,
              const tess_conversion *read, const tess_conversion *write, tess_error *err)
{
    tess_info x, y;
    bool unpacks = false, packs = false;
    tess_array_info(from, &x);
    tess_array_info(to, &y);
    tess_status st = take_attr_conversion(&r->read, read, &unpacks, err);
    if (st == TESS_OK)
        st = take_attr_conversion(&r->write, write, &packs, err);
    r->memory = dtype ? dtype : y.dtype;
    r->numbers = is_number(x.dtype) && is_number(y.dtype) && is_number(r->memory);
    if (st != TESS_OK || !r->numbers)
        return st;
    const bool floats = tess_dtype_parse(r->memory).kind == TESS_KIND_FLOAT ||
                        strcmp(r->memory, TESS_DTYPE_BF16) == 0;
    r->scaled = unpacks || packs;
    r->packed = has_attr(from, "scale_factor") || has_attr(from, "add_offset");
    r->blanks = floats && r->read.nmissing > 0;
    r->bounded = floats && ((int)r->read.least.kind != 0 || (int)r->read.most.kind != 0);
    r->missing = floats && r->write.nmissing > 0 ? &write->missing[0] : NULL;
    r->read.nmissing = r->write.nmissing = 0;
    r->read.least = r->read.most = (tess_number){0};
    st = one_item_init(&r->from, x.dtype, err);
    return st == TESS_OK ? one_item_init(&r->to, y.dtype, err) : st;
}

static void
transfer_finish(struct transfer *r)
{
    tess_array_discard(r->from.array);
    tess_array_discard(r->to.array);
}

enum fate {
    FATE_SAME, // becomes the same number, apart from rounding by scales
    FATE_OTHER, // becomes another number: rounded to an integer, saturated, wrapped
    FATE_NONE, // does not fit; writing such an item fails
    FATE_NO_ITEM, // no item of the first type has this value
};

// Store a number in an array of one item. *same: the item has exactly this value.
static tess_status
put_number(const struct one_item *one, const tess_number *x, bool *same, tess_error *err)
{
    const char *const dtype = x->kind == TESS_KIND_FLOAT  ? TESS_DTYPE_F64
                              : x->kind == TESS_KIND_UINT ? TESS_DTYPE_U64
                                                          : one->dtype;
    const bool as_signed = x->kind == TESS_KIND_INT && one->kind != TESS_KIND_INT;
    const bool is_time = one->kind == TESS_KIND_INT && strchr("mM", one->dtype[1]) != NULL;
    tess_number own = *x;
    const tess_status st =
        is_time && x->kind != TESS_KIND_INT
            ? TESS_ERR_LIMIT
            : tess_array_write_as(one->array, NULL, NULL, as_signed ? TESS_DTYPE_I64 : dtype, NULL,
                                  place_of_attr(&own), sizeof own.f, NULL, err);
    *same = st == TESS_OK && !(one->whole && x->kind == TESS_KIND_FLOAT && rint(x->f) != x->f);
    return st == TESS_ERR_LIMIT ? TESS_OK : st;
}

// Convert the item of r->from to the item of r->to. *y: its value.
static tess_status
pass(const struct transfer *r, enum tess_misfit misfit, tess_number *y, tess_error *err)
{
    const int how_read = misfit == TESS_MISFIT_ERROR ? TESS_MISFIT_ERROR : r->read.misfit;
    const int how_write = misfit == TESS_MISFIT_ERROR ? TESS_MISFIT_ERROR : r->write.misfit;
    tess_conversion read = r->read, write = r->write;
    uint8_t item[16];

    read.misfit = how_read;
    write.misfit = how_write;
    tess_status st = tess_array_read_as(r->from.array, NULL, NULL, r->memory, &read, item,
                                        sizeof item, NULL, err);
    if (st == TESS_OK)
        st = tess_array_write_as(r->to.array, NULL, NULL, r->memory, &write, item, sizeof item,
                                 NULL, err);
    *y = (tess_number){.kind = r->to.kind};
    if (st == TESS_OK)
        st = tess_array_read_as(r->to.array, NULL, NULL, r->to.dtype, NULL, place_of_attr(y),
                                sizeof y->f, NULL, err);
    return st;
}

// Whether an integer is the scaled number, within a relative error of 1e-6.
static bool
is_calculated(const struct transfer *r, const tess_number *x, const tess_number *y)
{
    const double exact =
        (double_of(x) * r->read.scale + r->read.offset - r->write.offset) / r->write.scale;
    return fabs(exact - double_of(y)) <= 1e-6 * fmax(1, fabs(exact));
}

// Convert a number that an item may have. *y is undefined for FATE_NONE.
static tess_status
convert_number(const struct transfer *r, const tess_number *x, tess_number *y, enum fate *fate,
               tess_error *err)
{
    bool same;
    tess_error first;
    tess_status st = put_number(&r->from, x, &same, err);
    *fate = FATE_NO_ITEM;
    *y = *x;
    if (st != TESS_OK || !same)
        return st;
    st = pass(r, TESS_MISFIT_ERROR, y, &first);
    if (st == TESS_OK) {
        const bool time = strchr("mM", r->to.dtype[1]) != NULL; // the unit may be another one
        const bool kept =
            !r->to.whole || time || (r->scaled ? is_calculated(r, x, y) : is_same_attr(x, y));
        *fate = kept ? FATE_SAME : FATE_OTHER;
        return TESS_OK;
    }
    if (st != TESS_ERR_LIMIT)
        return err_set(err, st, -1, "%s", first.message);
    st = pass(r, TESS_MISFIT_SATURATE, y, err);
    *fate = st == TESS_OK ? FATE_OTHER : FATE_NONE;
    return st == TESS_ERR_LIMIT ? TESS_OK : st;
}

// -- the attributes

struct attr_job {
    struct transfer transfer;
    const tess_array *from;
    tess_array *to;
    char *omitted; // names and values of omitted attributes, or NULL
    size_t omitted_size;
    const char *to_dtype;
};

static void
omit(struct attr_job *job, const char *name, const tess_number *x)
{
    const size_t used = job->omitted_size > 0 ? strlen(job->omitted) : 0;
    char text[NUMBER_TEXT];
    if (job->omitted_size > 0)
        (void)snprintf(job->omitted + used, job->omitted_size - used, "%s%s %s",
                       used > 0 ? ", " : "", name, text_of(x, text));
}

static tess_status
refuse(const struct attr_job *job, const char *name, const tess_number *x, const tess_number *y,
       tess_error *err)
{
    char from[NUMBER_TEXT], to[NUMBER_TEXT];
    return err_set(
        err, TESS_ERR_LIMIT, -1,
        "attribute %s: %s does not fit in %.40s: missing items would become %s, a number "
        "that valid items may have",
        name, text_of(x, from), job->to_dtype, text_of(y, to));
}

// Convert the n values of an attribute; `values` has room for n. *count: how many are kept. Of
// missing values each is kept or omitted on its own; other lists are kept or omitted as a whole.
static tess_status
convert_values(struct attr_job *job, const struct item_attr *attr, const tess_value *items,
               size_t n, tess_value *values, size_t *count, tess_error *err)
{
    const bool in_place = attr->role != ROLE_MISSING;
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        tess_number x, y;
        enum fate fate;
        if (!number_of(&items[i], &x)) { // a string: kept unchanged
            values[(*count)++] = items[i];
            continue;
        }
        const tess_status st = convert_number(&job->transfer, &x, &y, &fate, err);
        if (st != TESS_OK)
            return st;
        if (attr->role == ROLE_MISSING && fate == FATE_OTHER)
            return refuse(job, attr->name, &x, &y, err);
        const bool monotone = attr->role == ROLE_BOUNDS || attr->role == ROLE_EXTENT;
        if (fate == FATE_SAME || (fate == FATE_OTHER && monotone)) {
            values[(*count)++] = value_of(&y);
        } else {
            omit(job, attr->name, &x);
            *count = in_place ? 0 : *count;
            if (in_place)
                return TESS_OK;
        }
    }
    return TESS_OK;
}

static bool
turns(const struct transfer *r)
{
    return (r->read.scale < 0) != (r->write.scale < 0);
}

static tess_status
convert_attr(struct attr_job *job, const struct item_attr *attr, const tess_value *value,
             tess_error *err)
{
    const bool list = value->type == TESS_VALUE_LIST;
    const size_t n = list ? value->as.list.count : 1;
    const bool turned = attr->turned && turns(&job->transfer);
    tess_value *const values = mem_zeroed(n + 1, sizeof *values);
    size_t count = 0;

    if (!values)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu values", n);
    tess_status st =
        convert_values(job, attr, list ? value->as.list.items : value, n, values, &count, err);
    if (turned && count == 2) {
        const tess_value first = values[0];
        values[0] = values[1];
        values[1] = first;
    }
    const tess_value all = {.type = TESS_VALUE_LIST, .as = {.list = {values, count}}};
    if (st == TESS_OK && (count > 0 || (list && n == 0)))
        st = tess_attr_set(job->to, turned ? attr->turned : attr->name, list ? &all : values, err);
    mem_free(values);
    return st;
}

// Whether the conversion has applied the attribute, so that the new items do not need it.
static bool
is_done(const struct transfer *r, const struct item_attr *attr, const tess_value *value)
{
    tess_number x;
    if (attr->role == ROLE_MISSING)
        return r->blanks;
    if (attr->role == ROLE_BOUNDS)
        return r->bounded;
    if (attr->role != ROLE_SCALING)
        return false;
    if (value->type == TESS_VALUE_LIST && value->as.list.count == 1)
        value = value->as.list.items;
    const bool scale = strcmp(attr->name, "scale_factor") == 0;
    return number_of(value, &x) && double_of(&x) == (scale ? r->read.scale : r->read.offset);
}

static tess_status
copy_attr(struct attr_job *job, const char *name, tess_error *err)
{
    const struct item_attr *const attr = find_attr(name);
    const struct transfer *const r = &job->transfer;
    void *content = NULL;
    tess_value *value = NULL;
    size_t size = 0;
    tess_status st = TESS_OK;

    if (attr->role == ROLE_NONE || !r->numbers) {
        st = tess_vlmeta_get(job->from, name, &content, &size, err);
        if (st == TESS_OK)
            st = tess_vlmeta_set(job->to, name, content, size, err);
        mem_free(content);
        return st;
    }
    st = tess_attr_get(job->from, name, &value, err);
    if (st != TESS_OK)
        return st;
    const bool verbatim =
        attr->role == ROLE_SCALING || (attr->role == ROLE_EXTENT && (r->packed || r->scaled));
    if (is_done(r, attr, value)) {
        st = TESS_OK;
    } else if (attr->role == ROLE_BITS && (r->scaled || !r->to.whole)) {
        tess_number x;
        if (number_of(value->type == TESS_VALUE_LIST && value->as.list.count > 0
                          ? value->as.list.items
                          : value,
                      &x))
            omit(job, name, &x);
    } else if (verbatim) {
        st = tess_attr_set(job->to, name, value, err);
    } else {
        st = convert_attr(job, attr, value, err);
    }
    mem_free(value);
    return st;
}

// The attributes that describe how `to` is packed: scale_factor, add_offset, _FillValue.
static tess_status
describe_packing(struct attr_job *job, tess_error *err)
{
    const struct transfer *const r = &job->transfer;
    tess_number y = {0};
    bool same = true;
    tess_status st = TESS_OK;

    if (r->numbers && (r->write.scale != 1 || r->write.offset != 0)) {
        st = tess_attr_set_float(job->to, "scale_factor", r->write.scale, err);
        if (st == TESS_OK)
            st = tess_attr_set_float(job->to, "add_offset", r->write.offset, err);
    }
    if (st != TESS_OK || !r->numbers || !r->missing)
        return st;
    st = put_number(&r->to, r->missing, &same, err);
    y.kind = r->to.kind;
    if (st == TESS_OK && same)
        st = tess_array_read_as(r->to.array, NULL, NULL, r->to.dtype, NULL, place_of_attr(&y),
                                sizeof y.f, NULL, err);
    const tess_value value = value_of(&y);
    return st == TESS_OK && same ? tess_attr_set(job->to, "_FillValue", &value, err) : st;
}

TESS_API tess_status
tess_attrs_copy_as(const tess_array *from, const char *dtype, const tess_conversion *read,
                   const tess_conversion *write, tess_array *to, char *omitted, size_t omitted_size,
                   tess_error *err)
{
    UNCANCELLED;
    struct attr_job job = {
        .from = from, .to = to, .omitted = omitted, .omitted_size = omitted_size};
    const char *name;
    tess_status st;

    if (!from || !to)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    if (omitted_size > 0 && !omitted)
        return err_set(err, TESS_ERR_ARG, -1, "omitted is NULL, but omitted_size is %zu",
                       omitted_size);
    if (omitted_size > 0)
        omitted[0] = '\0';
    tess_info info;
    tess_array_info(to, &info);
    job.to_dtype = info.dtype ? info.dtype : "";
    st = transfer_init(&job.transfer, from, to, dtype, read, write, err);
    for (int i = 0; st == TESS_OK && (name = tess_vlmeta_name(from, i)) != NULL; i++)
        st = copy_attr(&job, name, err);
    if (st == TESS_OK)
        st = describe_packing(&job, err);
    transfer_finish(&job.transfer);
    return st;
}
