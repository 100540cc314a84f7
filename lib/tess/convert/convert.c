/*
 * convert.c - a copy of an array with items of another type, or scaled.
 *
 * The library converts items twice: from the array to memory, and from memory to the copy. Scale
 * and offset are members of the conversion of the packed side. Missing values that change are NaN
 * in memory.
 */
#include "convert/convert.h"

#include "convert/layers.h"
#include "data/box_walk.h"
#include "data/compare.h"
#include "help/values.h"
#include "report.h"
#include "text/items/item.h"
#include "text/names.h"

#include <tessera/attr.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTRIBUTES_MAX 16 // attributes of an array

// -- options

static tess_status
parse_pack(struct convert *c, const char *text, tess_error *err)
{
    tess_conversion *const how = &c->write;
    char *end = NULL;

    how->scale = strtod(text, &end);
    if (end > text && *end == ',') {
        const char *const rest = end + 1;

        how->offset = strtod(rest, &end);
        end = end > rest ? end : (char *)NULL;
    }
    if (!end || end == text || *end != '\0' || !isfinite(how->scale) || how->scale == 0 ||
        !isfinite(how->offset))
        return report_set(err, TESS_ERR_ARG,
                          "--pack %s: not SCALE,OFFSET or SCALE: two numbers, the first not 0",
                          text);
    return TESS_OK;
}

// --missing: all missing values become NaN in memory, and the given value in the copy.
static tess_status
parse_missing(struct convert *c, const tess_array *a, const char *text, tess_error *err)
{
    char *end = NULL;
    const double missing = strtod(text, &end);
    tess_conversion stored;
    tess_info info;
    tess_status st = TESS_OK;

    if (end == text || *end != '\0' || !isfinite(missing))
        return report_set(err, TESS_ERR_ARG, "--missing %s: not a number", text);
    c->has_missing = true;
    c->write.nmissing = 1;
    c->write.missing[0] = (tess_number){.kind = TESS_KIND_FLOAT, .f = missing};
    TRY(tess_conversion_from_attributes(a, &stored, err));
    c->read.nmissing = stored.nmissing;
    memcpy(c->read.missing, stored.missing, sizeof stored.missing);
    tess_array_info(a, &info);
    const tess_dtype type = tess_dtype_parse(info.dtype);
    if (stored.nmissing > 0 && type.kind != TESS_KIND_FLOAT) {
        c->memory = TESS_DTYPE_F64;
        if (type.size > 4)
            st = report_set(err, TESS_ERR_UNSUPPORTED,
                            "--missing: integers of %d bytes, which doubles do not hold",
                            (int)type.size);
    }
out:
    return st;
}

static bool
is_same_type(const tess_info *info, const char *dtype)
{
    struct comparison types;

    return compare_init(&types, info->dtype, info->typesize, dtype, tess_dtype_parse(dtype).size);
}

// The type of unpacked items: floats keep their type.
static const char *
unpacked_type(const tess_info *info)
{
    return tess_dtype_parse(info->dtype).kind == TESS_KIND_FLOAT ? info->dtype : "<f8";
}

tess_status
convert_parse(struct convert *c, const tess_array *a, const struct arguments *args,
              const char **dtype, bool *wanted, tess_error *err)
{
    const char *const *const values = args->values;
    int misfit = TESS_MISFIT_ERROR;
    tess_status st = TESS_OK;
    tess_info info;

    *c = (struct convert){0};
    *dtype = values[OPT_DTYPE];
    tess_array_info(a, &info);
    tess_conversion_init(&c->read);
    tess_conversion_init(&c->write);
    if (values[OPT_UNPACK] && values[OPT_PACK])
        return report_set(err, TESS_ERR_ARG, "--unpack and --pack exclude each other");
    if (values[OPT_UNPACK]) {
        TRY(tess_conversion_from_attributes(a, &c->read, err));
        if (!*dtype)
            *dtype = unpacked_type(&info);
    }
    if (values[OPT_PACK]) {
        TRY(parse_pack(c, values[OPT_PACK], err));
        if (!*dtype)
            return report_set(err, TESS_ERR_ARG, "--pack needs --dtype, the type of packed items");
    }
    const bool retyped = *dtype && info.dtype && !is_same_type(&info, *dtype);
    *wanted = values[OPT_UNPACK] || values[OPT_PACK] || retyped;
    if (values[OPT_MISFIT] && !*wanted)
        return report_set(err, TESS_ERR_ARG, "--misfit is for --dtype, --pack and --unpack");
    if (values[OPT_MISSING] && (!*wanted || values[OPT_UNPACK]))
        return report_set(err, TESS_ERR_ARG, "--missing is for --pack and --dtype");
    c->memory = values[OPT_PACK] || values[OPT_MISSING] ? info.dtype : *dtype;
    if (values[OPT_MISSING])
        TRY(parse_missing(c, a, values[OPT_MISSING], err));
    if (values[OPT_MISFIT] && !names_value(names_misfit, values[OPT_MISFIT], &misfit))
        return values_refuse(OPT_MISFIT, values[OPT_MISFIT], values[OPT_MISFIT], err);
    c->read.misfit = c->write.misfit = misfit;
out:
    return st;
}

// -- the items

struct convert_job {
    const struct convert *c;
    const tess_array *in;
    tess_array *out;
};

static tess_status
convert_box(const struct box_walk *w, uint8_t *buffer, void *user, tess_error *err)
{
    const struct convert_job *const job = user;
    const struct convert *const c = job->c;
    const size_t in_size = (size_t)(w->items * tess_dtype_parse(c->memory).size);
    tess_status st = TESS_OK;

    TRY(tess_array_read_as(job->in, w->start, w->stop, c->memory, &c->read, buffer, in_size, NULL,
                           err));
    TRY(tess_array_write_as(job->out, w->start, w->stop, c->memory, &c->write, buffer, in_size,
                            NULL, err));
out:
    return st;
}

static tess_status
refuse_fill(const struct convert *c, const tess_info *info, const char *dtype, tess_error *err)
{
    struct item_format format;
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    item_format_init(&format, info->dtype, info->typesize);
    if (out) {
        item_print(out, &format, info->fill);
        (void)fclose(out);
    }
    item_format_finish(&format);
    const tess_status st = report_set(
        err, TESS_ERR_LIMIT, "the fill value %.100s does not fit in %.40s; see --misfit%s",
        text ? text : "", dtype, c->has_missing ? "" : " and --missing");
    free(text);
    return st;
}

// Convert the fill value, as the item of an array in memory. Without one, items are zeros, and stay
// zeros.
static tess_status
convert_fill(const struct convert *c, const tess_info *info, tess_params *params, uint8_t **fill,
             tess_error *err)
{
    tess_array *one = NULL, *other = NULL;
    tess_storage memory;
    tess_params p, q;
    tess_status st = TESS_OK;

    params->fill = NULL;
    params->fill_size = 0;
    if (!info->fill)
        return TESS_OK;
    tess_storage_init(&memory);
    tess_params_init(&p);
    tess_params_init(&q);
    p.dtype = info->dtype;
    q.dtype = params->dtype;
    TRY(tess_array_from(&memory, &p, info->fill, (size_t)info->typesize, &one, err));
    TRY(tess_array_zeros(&memory, &q, &other, err));
    const struct convert_job job = {.c = c, .in = one, .out = other};
    const int32_t size = tess_dtype_parse(params->dtype).size;
    const int32_t memory_size = tess_dtype_parse(c->memory).size;
    *fill = malloc((size_t)(size > memory_size ? size : memory_size));
    if (!*fill) {
        st = report_nomem(err, size);
        goto out;
    }
    TRY(convert_box(&(struct box_walk){.items = 1}, *fill, (void *)&job, err));
    TRY(tess_array_get_item(other, NULL, *fill, (size_t)size, err));
    params->fill = *fill;
    params->fill_size = (size_t)size;
out:
    if (st == TESS_ERR_LIMIT)
        (void)refuse_fill(c, info, params->dtype, err);
    tess_array_discard(one);
    tess_array_discard(other);
    return st;
}

// If the copy has no room for attributes, the message of the library says so. Any other
// TESS_ERR_LIMIT is about a missing value: then the message mentions --missing.
static tess_status
convert_attributes(struct convert *c, const tess_array *a, tess_array *out, tess_error *err)
{
    const tess_status st =
        tess_attrs_copy_as(a, c->memory, &c->read, &c->write, out, c->left, sizeof c->left, err);
    const tess_error reason = *err;
    tess_info info;

    tess_array_info(out, &info);
    if (st == TESS_ERR_LIMIT && !c->has_missing && info.nvlmetalayers < ATTRIBUTES_MAX)
        return report_set(err, st, "%.250s; --missing gives them a number of their own",
                          reason.message);
    return st;
}

static tess_status
convert_items(const struct convert *c, const tess_array *in, tess_array *out, tess_error *err)
{
    const struct convert_job job = {.c = c, .in = in, .out = out};
    tess_info info;

    tess_array_info(out, &info);
    return box_walk_run(&(struct box_walk_plan){.ndim = info.ndim,
                                                .shape = info.shape,
                                                .grain = info.chunkshape,
                                                .order = BOX_WALK_C,
                                                .array = out},
                        tess_dtype_parse(c->memory).size, convert_box, (void *)&job, err);
}

tess_status
convert_copy(struct convert *c, const tess_array *a, const tess_storage *storage,
             const tess_params *params, tess_array **out, tess_error *err)
{
    tess_params p = *params;
    struct layers layers = {0};
    uint8_t *fill = NULL;
    tess_status st = TESS_OK;
    tess_info info;

    *out = NULL;
    tess_array_info(a, &info);
    TRY(convert_fill(c, &info, &p, &fill, err));
    TRY(layers_load(&layers, a, err));
    p.metalayers = layers.fixed;
    p.nmetalayers = layers.nfixed;
    TRY(tess_array_uninit(storage, &p, out, err));
    TRY(convert_attributes(c, a, *out, err)); // before the items, since attributes may be refused
    TRY(convert_items(c, a, *out, err));
out:
    free(fill);
    if (st != TESS_OK) {
        tess_array_discard(*out);
        *out = NULL;
    }
    return st;
}
