/*
 * convert.c - a copy of an array with items of another type, or scaled.
 *
 * The library converts between an array and memory. Where items are unpacked, or only change their
 * type, they are converted when they are read, else when they are written: scale and offset belong
 * to the packed side.
 */
#include "cli/convert/convert.h"

#include "cli/convert/layers.h"
#include "cli/data/compare.h"
#include "cli/data/walk.h"
#include "cli/help/values.h"
#include "cli/report.h"
#include "cli/text/names.h"
#include "cli/text/text.h"

#include <tessera/attr.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- what is asked for

static tess_status
parse_pack(struct convert *c, const char *text, tess_error *err)
{
    char *end = NULL;

    c->how.scale = strtod(text, &end);
    if (end > text && *end == ',') {
        const char *const rest = end + 1;

        c->how.offset = strtod(rest, &end);
        end = end > rest ? end : (char *)NULL;
    }
    if (!end || end == text || *end != '\0' || !isfinite(c->how.scale) || c->how.scale == 0 ||
        !isfinite(c->how.offset))
        return report_set(err, TESS_ERR_ARG,
                          "--pack %s: not SCALE,OFFSET or SCALE: two numbers, the first not 0",
                          text);
    c->packs = true;
    return TESS_OK;
}

static tess_status
parse_missing(struct convert *c, const char *text, tess_error *err)
{
    char *end = NULL;

    if (!c->packs)
        return report_set(err, TESS_ERR_ARG, "--missing is for --pack");
    c->missing = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(c->missing))
        return report_set(err, TESS_ERR_ARG, "--missing %s: not a number", text);
    c->has_missing = true;
    c->how.nmissing = 1;
    c->how.missing[0] = (tess_number){.kind = TESS_KIND_FLOAT, .f = c->missing};
    return TESS_OK;
}

static bool
is_same_type(const tess_info *info, const char *dtype)
{
    struct comparison types;

    return compare_init(&types, info->dtype, info->typesize, dtype, tess_dtype_parse(dtype).size);
}

// Floats keep their type when they are unpacked.
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
    tess_status st = TESS_OK;
    tess_info info;

    *c = (struct convert){0};
    *dtype = values[OPT_DTYPE];
    tess_array_info(a, &info);
    tess_conversion_init(&c->how);
    if (values[OPT_UNPACK] && values[OPT_PACK])
        return report_set(err, TESS_ERR_ARG, "--unpack and --pack exclude each other");
    if (values[OPT_UNPACK]) {
        TRY(tess_conversion_from_attributes(a, &c->how, err));
        c->unpacks = true;
        if (!*dtype)
            *dtype = unpacked_type(&info);
    }
    if (values[OPT_PACK]) {
        TRY(parse_pack(c, values[OPT_PACK], err));
        if (!*dtype)
            return report_set(err, TESS_ERR_ARG, "--pack needs --dtype, the type of packed items");
    }
    if (values[OPT_MISSING])
        TRY(parse_missing(c, values[OPT_MISSING], err));
    if (values[OPT_MISFIT] && !names_value(names_misfit, values[OPT_MISFIT], &c->how.misfit))
        return values_refuse(OPT_MISFIT, values[OPT_MISFIT], values[OPT_MISFIT], err);
    *wanted = c->unpacks || c->packs || (*dtype && info.dtype && !is_same_type(&info, *dtype));
    if (values[OPT_MISFIT] && !*wanted)
        return report_set(err, TESS_ERR_ARG, "--misfit is for --dtype, --pack and --unpack");
out:
    return st;
}

// -- the items

struct convert_job {
    const struct convert *c;
    const tess_array *in;
    tess_array *out;
    tess_info in_info, out_info;
};

static tess_status
convert_box(const struct walk *w, uint8_t *buffer, void *user, tess_error *err)
{
    const struct convert_job *const job = user;
    const tess_conversion *const how = &job->c->how;
    const size_t in_size = (size_t)(w->items * job->in_info.typesize);
    const size_t out_size = (size_t)(w->items * job->out_info.typesize);
    tess_status st = TESS_OK;

    if (job->c->packs) {
        TRY(tess_array_read(job->in, w->start, w->stop, buffer, in_size, err));
        TRY(tess_array_write_as(job->out, w->start, w->stop, job->in_info.dtype, how, buffer,
                                in_size, NULL, err));
    } else {
        TRY(tess_array_read_as(job->in, w->start, w->stop, job->out_info.dtype, how, buffer,
                               out_size, NULL, err));
        TRY(tess_array_write(job->out, w->start, w->stop, buffer, out_size, err));
    }
out:
    return st;
}

// One item, in arrays in memory: the fill value. NULL: zeros, which stay zeros.
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
    struct convert_job job = {.c = c, .in = one, .out = other};
    tess_array_info(one, &job.in_info);
    tess_array_info(other, &job.out_info);
    const struct walk w = {.items = 1};
    const int32_t size = job.out_info.typesize;
    *fill = malloc((size_t)(job.in_info.typesize + size));
    if (!*fill) {
        st = report_nomem(err, size);
        goto out;
    }
    TRY(convert_box(&w, *fill, &job, err));
    TRY(tess_array_get_item(other, NULL, *fill, (size_t)size, err));
    params->fill = *fill;
    params->fill_size = (size_t)size;
out:
    if (st == TESS_ERR_LIMIT) {
        const tess_error reason = *err;
        (void)report_set(err, st, "the fill value: %.250s", reason.message);
    }
    tess_array_discard(one);
    tess_array_discard(other);
    return st;
}

static tess_status
set_attributes(const struct convert *c, tess_array *out, tess_error *err)
{
    tess_status st = TESS_OK;

    if (!c->packs)
        return TESS_OK;
    TRY(tess_attr_set_float(out, "scale_factor", c->how.scale, err));
    TRY(tess_attr_set_float(out, "add_offset", c->how.offset, err));
    if (c->has_missing && c->missing == rint(c->missing) && fabs(c->missing) < 0x1p53)
        TRY(tess_attr_set_int(out, "_FillValue", (int64_t)c->missing, err));
    else if (c->has_missing)
        TRY(tess_attr_set_float(out, "_FillValue", c->missing, err));
out:
    return st;
}

static tess_status
convert_items(const struct convert *c, const tess_array *in, tess_array *out, tess_error *err)
{
    struct convert_job job = {.c = c, .in = in, .out = out};

    tess_array_info(in, &job.in_info);
    tess_array_info(out, &job.out_info);
    const int32_t in_size = job.in_info.typesize, out_size = job.out_info.typesize;
    return walk_run(&(struct walk_plan){.ndim = job.out_info.ndim,
                                        .shape = job.out_info.shape,
                                        .grain = job.out_info.chunkshape,
                                        .order = WALK_C},
                    in_size > out_size ? in_size : out_size, convert_box, &job, err);
}

tess_status
convert_copy(const struct convert *c, const tess_array *a, const tess_storage *storage,
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
    TRY(layers_load(&layers, a, c->unpacks || c->packs, err));
    p.metalayers = layers.fixed;
    p.nmetalayers = layers.nfixed;
    TRY(tess_array_uninit(storage, &p, out, err));
    TRY(convert_items(c, a, *out, err));
    TRY(layers_store(&layers, *out, err));
    TRY(set_attributes(c, *out, err));
out:
    free(fill);
    if (st != TESS_OK) {
        tess_array_discard(*out);
        *out = NULL;
    }
    return st;
}
