/*
 * typed.c - boxes of an array, which may be a view, in memory of another type.
 */
#include "array/convert/typed.h"

#include "array/items/box.h"
#include "array/update.h"
#include "base/error.h"
#include "meta/dtype.h"
#include "ndcopy/convert/times.h"

#include <string.h>

static const struct {
    tess_kind kind;
    int32_t size;
    int id;
} types[] = {
    {TESS_KIND_BOOL, 1, NUMBER_B1},     {TESS_KIND_INT, 1, NUMBER_I1},
    {TESS_KIND_INT, 2, NUMBER_I2},      {TESS_KIND_INT, 4, NUMBER_I4},
    {TESS_KIND_INT, 8, NUMBER_I8},      {TESS_KIND_UINT, 1, NUMBER_U1},
    {TESS_KIND_UINT, 2, NUMBER_U2},     {TESS_KIND_UINT, 4, NUMBER_U4},
    {TESS_KIND_UINT, 8, NUMBER_U8},     {TESS_KIND_FLOAT, 2, ITEM_F2},
    {TESS_KIND_FLOAT, 4, NUMBER_F4},    {TESS_KIND_FLOAT, 8, NUMBER_F8},
    {TESS_KIND_COMPLEX, 8, ITEM_C8},    {TESS_KIND_COMPLEX, 16, ITEM_C16},
    {TESS_KIND_DATETIME, 8, ITEM_TIME}, {TESS_KIND_TIMEDELTA, 8, ITEM_TIME},
};

static bool
parse_type(const char *dtype, struct item_type *type)
{
    const tess_dtype parsed = dtype_parse(dtype);
    *type = (struct item_type){.id = -1, .turned = dtype_is_turned(&parsed)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == parsed.kind && types[i].size == parsed.size)
            type->id = types[i].id;
    return type->id >= 0 && (type->id != ITEM_TIME || time_unit_parse(dtype, &type->unit));
}

static tess_status
memory_type(const char *dtype, struct item_type *type, tess_error *err)
{
    if (strcmp(dtype, TESS_DTYPE_BF16) == 0) {
        *type = (struct item_type){.id = ITEM_BF16};
        return TESS_OK;
    }
    return parse_type(dtype, type) ? TESS_OK
                                   : err_set(err, TESS_ERR_UNSUPPORTED, -1,
                                             "%.80s is no type of numbers or times", dtype);
}

tess_status
typed_init(struct typed *t, const tess_array *a, const char *dtype, const tess_conversion *how,
           bool writing, tess_error *err)
{
    const char *const stored = a->nd.dtype ? a->nd.dtype : "";
    struct item_type memory, array;
    tess_status st = memory_type(dtype, &memory, err);
    if (st == TESS_OK &&
        (!parse_type(stored, &array) || convert_item_size(&array) != a->g->typesize))
        st = err_set(err, TESS_ERR_UNSUPPORTED, -1,
                     "items of the array, of type \"%.80s\", are no numbers or times", stored);
    if (st != TESS_OK)
        return st;
    t->itemsize = convert_item_size(&memory);
    t->as = (struct converted){
        .how = &t->converter, .dtype = writing ? stored : dtype, .ndim = a->g->ndim};
    st = writing ? converter_init(&t->converter, &memory, &array, how, true, err)
                 : converter_init(&t->converter, &array, &memory, how, false, err);
    return st == TESS_OK ? st : err_prefix(err, st, "%.80s and %.80s", stored, dtype);
}

// Items have the indices of the caller.
static void
name_items(struct converted *as, const int64_t *start)
{
    for (int i = 0; i < as->ndim; i++) {
        as->axis[i] = i;
        as->first[i] = start[i];
        as->step[i] = 1;
    }
}

tess_status
typed_read(struct typed *t, const tess_array *a, const int64_t *start, const int64_t *stop,
           const struct strided *dst, struct watch *watch, tess_error *err)
{
    struct strided to = *dst;
    name_items(&t->as, start);
    to.as = t->converter.count > 0 ? &t->as : NULL;
    return array_read(a, start, stop, NULL, &to, watch, err);
}

static tess_status
check_fit(const struct typed *t, const int64_t *start, const int64_t *stop,
          const struct strided_const *src, tess_error *err)
{
    static const int64_t none[NDIM_MAX] = {0};
    struct converted as = t->as;
    int64_t extent[NDIM_MAX];
    int64_t nitems = 1;
    if (t->converter.certain)
        return TESS_OK;
    for (int i = 0; i < as.ndim; i++) {
        extent[i] = stop[i] - start[i];
        nitems *= extent[i];
    }
    const int64_t done = convert_try(&t->converter, as.ndim, extent, src->items, src->stride);
    name_items(&as, start);
    return done == nitems ? TESS_OK : converted_misfit(&as, as.ndim, none, extent, done, err);
}

tess_status
typed_write(const struct typed *t, tess_array *a, const int64_t *start, const int64_t *stop,
            const struct strided_const *src, struct watch *watch, tess_error *err)
{
    struct strided_const from = *src;
    const tess_status st = check_fit(t, start, stop, src, err);
    if (st != TESS_OK)
        return st;
    from.as = t->converter.count > 0 ? &t->converter : NULL;
    return array_update_box(a, start, stop, NULL, &from, watch, err);
}
