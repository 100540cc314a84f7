/*
 * picked.c - the items of an array, or one field of them, as an array to read.
 *
 * The library reads whole items. The field is then moved to the front of the buffer, item by item:
 * what comes out is never longer than what it came from.
 */
#include "data/picked/picked.h"

#include "data/picked/pick.h"
#include "report.h"
#include "text/items/fields.h"

#include <tessera/iterate.h>
#include <tessera/select.h>
#include <tessera/view.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- which field

// The axes of a sub-array, whose elements have `size` bytes.
static tess_status
add_axes(struct picked *p, const struct field *f, tess_error *err)
{
    tess_info *const info = &p->info;
    int64_t stride = f->size;

    if (info->ndim + f->ndim > TESS_MAX_NDIM)
        return report_set(err, TESS_ERR_LIMIT, "the field has %d dimensions; at most %d",
                          info->ndim + f->ndim, TESS_MAX_NDIM);
    for (int i = f->ndim - 1; i >= 0; i--) {
        const int axis = info->ndim + i;

        info->shape[axis] = info->chunkshape[axis] = info->blockshape[axis] = f->shape[i];
        p->strides[axis] = stride;
        stride *= f->shape[i];
    }
    info->ndim += f->ndim;
    return TESS_OK;
}

static tess_status
refuse(const struct fields *fields, const char *name, size_t size, tess_error *err)
{
    char names[160] = "";

    for (int i = 0; i < fields->count; i++) {
        const size_t n = strlen(names);

        (void)snprintf(names + n, sizeof names - n, "%s%s", i > 0 ? ", " : "",
                       fields->items[i].name);
    }
    return report_set(err, TESS_ERR_ARG, "--field %.*s: no such field; there are %s",
                      (int)(size < 100 ? size : 100), name, names);
}

// The field of `fields` that the path begins with: a name may have points itself.
static const struct field *
find_first(const struct fields *fields, const char **path)
{
    size_t size = strlen(*path);
    const struct field *f = fields_find(fields, *path, size);

    while (!f && size > 0) {
        while (size > 0 && (*path)[size - 1] != '.')
            size--;
        if (size > 0)
            f = fields_find(fields, *path, --size);
    }
    if (!f || strcmp(*path + size, ".") == 0) // nothing behind the last point
        return NULL;
    *path += (*path)[size] == '.' ? size + 1 : size;
    return f;
}

// One step along the path; the rest is about the fields of the field.
static tess_status
enter(struct picked *p, const char **path, tess_error *err)
{
    struct fields *const fields = fields_parse(p->dtype ? p->dtype : p->info.dtype);
    tess_status st = TESS_OK;

    if (!fields)
        return report_set(err, TESS_ERR_ARG, "--field %.100s: items of type %.100s have no fields",
                          *path,
                          p->dtype        ? p->dtype
                          : p->info.dtype ? p->info.dtype
                                          : "unknown");
    const struct field *const f = find_first(fields, path);
    if (!f) {
        st = refuse(fields, *path, strcspn(*path, "."), err);
        goto out;
    }
    char *const dtype = strdup(f->dtype);
    if (!dtype) {
        st = report_nomem(err, (int64_t)strlen(f->dtype));
        goto out;
    }
    free(p->dtype);
    p->dtype = dtype;
    p->offset += f->offset;
    p->info.typesize = f->size;
    st = add_axes(p, f, err);
out:
    fields_free(fields);
    return st;
}

// -- its items

// Where the selected elements of a field lie in an item, in C order.
struct elements {
    int32_t *offsets;
    int64_t n;
};

// Along each axis of the field counts[axis] elements of the selection: those with the numbers
// indices[axis][], or, without `indices`, the first ones. The caller frees offsets, also after a
// failure.
static tess_status
list_elements(const struct picked *p, const struct slice_range *sel, const int64_t *counts,
              int64_t *const *indices, struct elements *e, tess_error *err)
{
    int64_t index[TESS_MAX_NDIM] = {0};

    *e = (struct elements){.n = 1};
    for (int k = p->base_ndim; k < p->info.ndim; k++)
        e->n *= counts[k];
    e->offsets = malloc((size_t)e->n * sizeof e->offsets[0] + 1);
    if (!e->offsets)
        return report_nomem(err, e->n);
    for (int64_t i = 0; i < e->n; i++) {
        int64_t at = p->offset;

        for (int k = p->base_ndim; k < p->info.ndim; k++) {
            const int64_t nth = indices ? indices[k][index[k]] : index[k];
            at += p->strides[k] * (sel->start[k] + sel->step[k] * nth);
        }
        e->offsets[i] = (int32_t)at;
        for (int k = p->info.ndim - 1; k >= p->base_ndim && ++index[k] == counts[k]; k--)
            index[k] = 0;
    }
    return TESS_OK;
}

// Those of one item; returns the end of what was written.
static uint8_t *
copy_elements(const struct elements *e, size_t size, const uint8_t *item, uint8_t *out)
{
    for (int64_t i = 0; i < e->n; i++, out += size)
        memcpy(out, item + e->offsets[i], size);
    return out;
}

// The fill value of the field; of sub-arrays the first element stands for all.
static tess_status
take_fill(struct picked *p, tess_error *err)
{
    if (!p->info.fill)
        return TESS_OK;
    p->fill = malloc((size_t)p->info.typesize);
    if (!p->fill)
        return report_nomem(err, p->info.typesize);
    memcpy(p->fill, (const uint8_t *)p->info.fill + p->offset, (size_t)p->info.typesize);
    p->info.fill = p->fill;
    return TESS_OK;
}

tess_status
picked_init(struct picked *p, const tess_array *a, const char *field, tess_error *err)
{
    tess_info *const info = &p->info;
    const char *path = field;
    tess_status st = TESS_OK;

    *p = (struct picked){.a = a};
    tess_array_info(a, info);
    p->item_size = info->typesize;
    p->base_ndim = info->ndim;
    if (!field)
        return TESS_OK;
    do
        TRY(enter(p, &path, err));
    while (*path);
    if (info->typesize == 0)
        return report_set(err, TESS_ERR_UNSUPPORTED, "--field %.100s: has no bytes", field);
    info->dtype = p->dtype;
    for (int k = p->base_ndim; k < info->ndim; k++)
        info->nitems *= info->shape[k];
    st = take_fill(p, err);
out:
    return st;
}

void
picked_finish(struct picked *p)
{
    free(p->dtype);
    free(p->fill);
    *p = (struct picked){0};
}

// The axes of the array in a selection that has those of the field, too.
static struct slice_range
base_of(const struct picked *p, const struct slice_range *sel)
{
    struct slice_range base = *sel;

    base.ndim = p->base_ndim;
    return base;
}

struct job {
    const struct picked *p;
    const struct slice_range *sel;
    struct elements elements;
    uint8_t *item;
    box_walk_visit_fn *visit;
    void *user;
};

static tess_status
gather_and_visit(const struct box_walk *w, uint8_t *buffer, void *user, tess_error *err)
{
    const struct job *const job = user;
    const size_t item_size = (size_t)job->p->item_size;
    struct box_walk box = *w;
    uint8_t *out = buffer;

    for (int64_t i = 0; i < w->items; i++) { // what is written may lie in the item that is read
        memcpy(job->item, buffer + (size_t)i * item_size, item_size);
        out = copy_elements(&job->elements, (size_t)job->p->info.typesize, job->item, out);
    }
    box.ndim = job->p->info.ndim;
    box.items *= job->elements.n;
    for (int k = job->p->base_ndim; k < box.ndim; k++) {
        box.start[k] = 0;
        box.stop[k] = job->sel->count[k];
    }
    return job->visit(&box, buffer, job->user, err);
}

tess_status
picked_run(const struct picked *p, const struct slice_range *sel, enum box_walk_order order,
           box_walk_visit_fn *visit, void *user, tess_error *err)
{
    const struct slice_range base = base_of(p, sel);
    struct job job = {.p = p, .sel = sel, .visit = visit, .user = user};
    tess_status st = TESS_OK;

    if (!p->dtype)
        return pick_run(p->a, sel, order, 1, visit, user, err);
    TRY(list_elements(p, sel, sel->count, NULL, &job.elements, err));
    if (job.elements.n == 0)
        goto out;
    job.item = malloc((size_t)p->item_size);
    if (!job.item) {
        st = report_nomem(err, p->item_size);
        goto out;
    }
    st = pick_run(p->a, &base, order, 1, gather_and_visit, &job, err);
out:
    free(job.item);
    free(job.elements.offsets);
    return st;
}

static tess_status
print_box(const struct box_walk *w, uint8_t *items, void *printer, tess_error *err)
{
    (void)err;
    printer_items(printer, items, w->items);
    return TESS_OK;
}

tess_status
picked_print(const struct picked *p, const struct slice_range *sel, struct printer *printer,
             tess_error *err)
{
    const tess_status st = picked_run(p, sel, BOX_WALK_STREAM, print_box, printer, err);

    if (st == TESS_OK)
        printer_end(printer);
    return st;
}

// -- some indices of each axis

// The indices along the axes of the array that are meant; those of a field stay in `rest`.
static tess_status
read_base(const struct picked *p, const struct slice_range *sel, const int64_t *counts,
          int64_t *const *indices, uint8_t *items, size_t size, tess_error *err)
{
    const int64_t *lists[TESS_MAX_NDIM] = {NULL};
    int64_t *made[TESS_MAX_NDIM] = {NULL};
    tess_status st = TESS_OK;

    for (int k = 0; k < p->base_ndim; k++) {
        made[k] = malloc((size_t)counts[k] * sizeof *made[k] + 1);
        if (!made[k]) {
            st = report_nomem(err, counts[k]);
            goto out;
        }
        for (int64_t i = 0; i < counts[k]; i++)
            made[k][i] = sel->start[k] + sel->step[k] * indices[k][i];
        lists[k] = made[k];
    }
    TRY(tess_array_get_orthogonal(p->a, counts, lists, items, size, err));
out:
    for (int k = 0; k < p->base_ndim; k++)
        free(made[k]);
    return st;
}

tess_status
picked_get(const struct picked *p, const struct slice_range *sel, const int64_t *counts,
           int64_t *const *indices, uint8_t **items, tess_error *err)
{
    struct elements elements = {0};
    int64_t n = 1;
    uint8_t *whole = NULL, *out = NULL, *at;
    tess_status st = TESS_OK;

    *items = NULL;
    for (int k = 0; k < p->base_ndim; k++)
        n *= counts[k];
    TRY(list_elements(p, sel, counts, indices, &elements, err));
    const size_t size = (size_t)(n * p->item_size),
                 out_size = (size_t)(n * elements.n * p->info.typesize);
    whole = malloc(size + 1);
    out = malloc(out_size + 1);
    if (!whole || !out) {
        st = report_nomem(err, (int64_t)(size + out_size));
        goto out;
    }
    if (n * elements.n > 0)
        TRY(read_base(p, sel, counts, indices, whole, size, err));
    at = out;
    for (int64_t i = 0; i < n; i++)
        at = copy_elements(&elements, (size_t)p->info.typesize, whole + i * p->item_size, at);
    *items = out;
    out = NULL;
out:
    free(elements.offsets);
    free(whole);
    free(out);
    return st;
}

// -- one value for all

struct fill {
    struct elements elements;
    const uint8_t *value;
    size_t size;
};

// A tess_change_fn.
static tess_each_next
fill_part(const tess_part *part, void *items, void *user)
{
    const struct fill *const fill = user;
    int64_t index[TESS_MAX_NDIM] = {0};
    int axis;

    do {
        uint8_t *item = items;

        for (int i = 0; i < part->ndim; i++)
            item += index[i] * part->strides[i];
        for (int64_t i = 0; i < fill->elements.n; i++)
            memcpy(item + fill->elements.offsets[i], fill->value, fill->size);
        for (axis = part->ndim - 1; axis >= 0; index[axis--] = 0)
            if (++index[axis] < part->stop[axis] - part->start[axis])
                break;
    } while (axis >= 0);
    return TESS_EACH_CHANGED;
}

tess_status
picked_fill(const struct picked *p, tess_array *a, const struct slice_range *sel,
            const uint8_t *value, tess_error *err)
{
    const struct slice_range base = base_of(p, sel);
    struct fill fill = {.value = value, .size = (size_t)p->info.typesize};
    int64_t stop[TESS_MAX_NDIM];
    tess_array *view = NULL;
    tess_status st = TESS_OK;

    select_stop(&base, stop);
    TRY(list_elements(p, sel, sel->count, NULL, &fill.elements, err));
    TRY(tess_array_view_slice(a, base.start, stop, base.step, &view, err));
    TRY(tess_array_change(view, TESS_BLOCKS, NULL, NULL, fill_part, &fill, err));
out:
    tess_array_discard(view);
    free(fill.elements.offsets);
    return st;
}

tess_status
picked_explain(const char *dtype, tess_status st, tess_error *err)
{
    const tess_error reason = *err;

    if (st != TESS_ERR_UNSUPPORTED && st != TESS_ERR_TYPE)
        return st;
    if (!dtype || dtype[0] != '[')
        return st;
    return report_set(err, st, "%.250s; --field NAME takes one field", reason.message);
}
