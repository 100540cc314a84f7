/*
 * input.c - where a command gets items from: an array, or what can be imported.
 */
#include "formats/input.h"

#include "base/swap.h"
#include "data/compare.h"
#include "data/format.h"
#include "data/open.h"
#include "data/remote.h"
#include "report.h"
#include "text/items/item.h"
#include "text/text.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_array(const char *name, const struct arguments *args)
{
    return remote_is_url(name) ||
           (!args->values[OPT_DTYPE] && !args->values[OPT_SHAPE] && strcmp(name, "-") != 0 &&
            !source_is_meant(name) && (access(name, F_OK) == 0 || !strchr(name, ':')));
}

static void
take_array(struct input *in, tess_array *a)
{
    tess_info info;

    tess_array_info(a, &info);
    in->array = a;
    in->dtype = info.dtype;
    in->typesize = info.typesize;
    in->ndim = info.ndim;
    memcpy(in->shape, info.shape, sizeof in->shape);
    in->order = BOX_WALK_C;
}

static tess_status
open_as_array(struct input *in, const char *name, const struct arguments *args, tess_error *err)
{
    tess_array *a = NULL;
    const tess_status st = open_array(name, args, &a, err);

    if (st == TESS_ERR_FORMAT && !format_at(name).what)
        return report_set(err, TESS_ERR_ARG, "is no array; raw input needs --dtype and --shape");
    if (st == TESS_OK)
        take_array(in, a);
    return st;
}

tess_status
input_open(struct input *in, const char *name, const struct arguments *args, tess_error *err)
{
    *in = (struct input){0};
    if (is_array(name, args))
        return open_as_array(in, name, args, err);
    const tess_status st =
        source_open(name, args->values[OPT_DTYPE], args->values[OPT_SHAPE], &in->source, err);
    if (st != TESS_OK)
        return st;
    in->dtype = in->source->dtype;
    in->typesize = in->source->typesize;
    in->ndim = in->source->ndim;
    memcpy(in->shape, in->source->shape, sizeof in->shape);
    in->order = source_order(in->source);
    return TESS_OK;
}

void
input_borrow(struct input *in, tess_array *a)
{
    *in = (struct input){.borrowed = true};
    take_array(in, a);
}

void
input_close(struct input *in)
{
    if (!in->borrowed)
        tess_array_discard(in->array);
    source_close(in->source);
    *in = (struct input){0};
}

bool
input_is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

tess_status
input_match(struct input *in, const tess_info *info, tess_error *err)
{
    struct comparison types;

    const bool alike = compare_init(&types, info->dtype, info->typesize, in->dtype, in->typesize);
    compare_finish(&types);
    if (!alike)
        return report_set(err, TESS_ERR_ARG,
                          "items of type %.100s, %" PRId32 " bytes; those of the array are %.100s, "
                          "%" PRId32 " bytes",
                          in->dtype ? in->dtype : "unknown", in->typesize,
                          info->dtype ? info->dtype : "unknown", info->typesize);
    in->swapped = 0;
    if (types.a.type.order != types.b.type.order && types.a.type.kind != TESS_KIND_OPAQUE)
        in->swapped = item_word_size(&types.a.type);
    return TESS_OK;
}

tess_status
input_read(struct input *in, const int64_t *start, const int64_t *stop, void *dst, size_t size,
           tess_error *err)
{
    if (in->converted)
        return input_read_converted(in, start, stop, dst, size, err);
    const tess_status st = in->array ? tess_array_read(in->array, start, stop, dst, size, err)
                                     : in->source->read(in->source, start, stop, dst, err);

    if (st == TESS_OK && in->swapped)
        swap_bytes(dst, size, (size_t)in->swapped);
    return st;
}
