/*
 * caption.c - what is written around a picture.
 *
 * Names come from files: control characters in them and what is not UTF-8 are replaced. What is too
 * long is cut off.
 */
#include "picture/caption.h"

#include "data/path.h"
#include "meta/text.h"

#include <tessera/attr.h>
#include <tessera/meta.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Appends to what stands in a text of CAPTION_TEXT_SIZE.
static void TESS_PRINTF(2, 3) append(char *text, const char *format, ...)
{
    const size_t n = strlen(text);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text + n, CAPTION_TEXT_SIZE - n, format, args);
    va_end(args);
    for (char *p = text + n; *p;) {
        const size_t length =
            utf8_length((const uint8_t *)p, strlen(p)); // 0, too, where it was cut off

        if (length == 0 || (unsigned char)*p < ' ' || *p == 0x7f)
            *p++ = '?';
        else
            p += length;
    }
}

// Appends the string that an attribute holds, if it holds one.
static void
append_attribute(char *text, const tess_array *a, const char *name)
{
    char *value = NULL;

    if (tess_attr_get_string(a, name, &value, NULL, NULL) != TESS_OK)
        return;
    append(text, "%s", value);
    tess_free(value);
}

// A list of ndim strings, to be freed with tess_free(), or NULL.
static tess_value *
dimension_names(const tess_array *a, int ndim)
{
    static const char *const names[] = {"_ARRAY_DIMENSIONS", "dimension_names", "dims"};

    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        tess_value *value = NULL;

        if (tess_attr_get(a, names[n], &value, NULL) != TESS_OK)
            continue;
        bool good = value->type == TESS_VALUE_LIST && value->as.list.count == (size_t)ndim;
        for (int i = 0; good && i < ndim; i++)
            good = value->as.list.items[i].type == TESS_VALUE_STRING;
        if (good)
            return value;
        tess_free(value);
    }
    return NULL;
}

static void
append_axis(char *text, const tess_value *names, int axis)
{
    if (names && (size_t)axis < names->as.list.count) // else one of a sub-array
        append(text, "%s", names->as.list.items[axis].as.string.data);
    else
        append(text, "axis %d", axis);
}

// As it would be written for --slice.
static void
append_slice(char *text, const struct slice_range *sel, const int64_t *shape)
{
    append(text, "[");
    for (int i = 0; i < sel->ndim; i++) {
        const int64_t start = sel->start[i], step = sel->step[i], count = sel->count[i];
        const int64_t stop = start + step * (count - 1) + (step > 0 ? 1 : -1);

        if (i > 0)
            append(text, ", ");
        if (count == 1 && shape[i] > 1) {
            append(text, "%" PRId64, start);
            continue;
        }
        if (start != (step > 0 ? 0 : shape[i] - 1))
            append(text, "%" PRId64, start);
        append(text, ":");
        if (stop >= 0 && stop + step <= shape[i])
            append(text, "%" PRId64, stop);
        if (step != 1)
            append(text, ":%" PRId64, step);
    }
    append(text, "]");
}

static void
append_boxes(char *text, const struct slice_range *sel, const struct picture *p,
             enum picture_reduce reduce, const tess_value *names)
{
    static const char *const words[] = {[PICTURE_SAMPLE] = "1",
                                        [PICTURE_MEAN] = "mean",
                                        [PICTURE_MIN] = "least",
                                        [PICTURE_MAX] = "greatest"};
    const bool boxes = p->box[0] > 1 || p->box[1] > 1;
    const char *before = " over ";

    if (boxes)
        append(text, ", %s of %" PRId64 "x%" PRId64 " items", words[reduce], p->box[0], p->box[1]);
    else if (reduce != PICTURE_SAMPLE)
        append(text, ", %s", words[reduce]);
    for (int i = 0; i < sel->ndim; i++)
        if (sel->count[i] > 1 && i != p->axes[0] && i != p->axes[1]) {
            append(text, "%s", before);
            append_axis(text, names, i);
            before = ", ";
        }
}

void
caption_init(struct caption *c, const char *path, const char *field, const struct picked *picked,
             const struct slice_range *sel, const struct picture *p, enum picture_reduce reduce)
{
    const tess_array *const a = picked->a;
    tess_value *const names = dimension_names(a, picked->base_ndim);

    *c = (struct caption){0};
    append(c->slice, "%s", path + path_folder_size(path));
    if (field)
        append(c->slice, "['%s']", field);
    append_slice(c->slice, sel, picked->info.shape);
    append_boxes(c->slice, sel, p, reduce, names);
    append_attribute(c->title, a, "long_name");
    append_attribute(c->units, a, "units");
    for (int k = 0; k < 2; k++) {
        const int axis = p->axes[k];

        append_axis(c->sides[k], names, axis);
        c->first[k] = sel->start[axis];
        c->last[k] = sel->start[axis] + sel->step[axis] * (sel->count[axis] - 1);
    }
    tess_free(names);
}
