/*
 * missing.c - the values that stand for no value.
 *
 * They are compared with items, so they are rounded as items are: -1e34 is not a float of 4 bytes.
 */
#include "picture/missing.h"

#include "report.h"

#include <tessera/attr.h>
#include <tessera/convert.h>
#include <tessera/meta.h>

#include <stdlib.h>
#include <string.h>

static tess_status
add(struct missing *m, const struct numbers *numbers, double v, tess_error *err)
{
    if (m->count == MISSING_MAX)
        return report_set(err, TESS_ERR_LIMIT, "more than %d values stand for missing ones",
                          MISSING_MAX);
    m->values[m->count++] = numbers_round(numbers, v);
    return TESS_OK;
}

static tess_status
add_option(struct missing *m, const struct numbers *numbers, const char *option, tess_error *err)
{
    const char *p = option;

    if (strcmp(option, "none") == 0)
        return TESS_OK;
    for (;;) {
        char *end = NULL;
        const double v = strtod(p, &end);

        if (end == p || (*end != '\0' && *end != ','))
            return report_set(err, TESS_ERR_ARG, "--missing %s: not numbers, or none", option);
        const tess_status st = add(m, numbers, v, err);
        if (st != TESS_OK || *end == '\0')
            return st;
        p = end + 1;
    }
}

// What is no number is passed over.
static tess_status
add_value(struct missing *m, const struct numbers *numbers, const tess_value *v, tess_error *err)
{
    tess_status st = TESS_OK;

    switch (v->type) {
    case TESS_VALUE_INT:
        return add(m, numbers, (double)v->as.i64, err);
    case TESS_VALUE_UINT:
        return add(m, numbers, (double)v->as.u64, err);
    case TESS_VALUE_FLOAT:
        return add(m, numbers, v->as.f64, err);
    case TESS_VALUE_LIST:
        for (size_t i = 0; i < v->as.list.count && st == TESS_OK; i++)
            if (v->as.list.items[i].type != TESS_VALUE_LIST)
                st = add_value(m, numbers, &v->as.list.items[i], err);
        return st;
    default:
        return TESS_OK;
    }
}

static tess_status
add_attribute(struct missing *m, const tess_array *a, const struct numbers *numbers,
              const char *name, tess_error *err)
{
    tess_value *value = NULL;
    const char *other;

    for (int i = 0; (other = tess_vlmeta_name(a, i)) != NULL; i++)
        if (strcmp(other, name) == 0)
            break;
    if (!other)
        return TESS_OK;
    tess_status st = tess_attr_get(a, name, &value, err);
    if (st == TESS_OK)
        st = add_value(m, numbers, value, err);
    tess_free(value);
    return st;
}

static tess_status
add_fill(struct missing *m, const tess_info *info, const struct numbers *numbers, tess_error *err)
{
    uint8_t item[16]; // the largest number
    double v = 0;

    if (!info->fill)
        return TESS_OK;
    memcpy(item, info->fill, (size_t)info->typesize);
    numbers_read(numbers, item, 1, &v);
    return v != 0 ? add(m, numbers, v, err) : TESS_OK;
}

static double
bound(const struct numbers *numbers, const tess_number *x, double none)
{
    if ((int)x->kind == 0)
        return none;
    return numbers_round(numbers, x->kind == TESS_KIND_INT    ? (double)x->i
                                  : x->kind == TESS_KIND_UINT ? (double)x->u
                                                              : x->f);
}

static tess_status
set_bounds(struct missing *m, const tess_array *a, const struct numbers *numbers, tess_error *err)
{
    tess_conversion how;
    const tess_status st = tess_conversion_from_attributes(a, &how, err);
    if (st == TESS_OK) {
        m->least = bound(numbers, &how.least, m->least);
        m->most = bound(numbers, &how.most, m->most);
    }
    return st == TESS_ERR_LIMIT ? TESS_OK : st; // too many missing values, of which here are enough
}

tess_status
missing_find(struct missing *m, const struct picked *p, const struct numbers *numbers,
             const char *option, tess_error *err)
{
    tess_status st = TESS_OK;

    *m = (struct missing){.least = -INFINITY, .most = INFINITY};
    if (option)
        return add_option(m, numbers, option, err);
    TRY(add_attribute(m, p->a, numbers, "_FillValue", err));
    TRY(add_attribute(m, p->a, numbers, "missing_value", err));
    TRY(add_fill(m, &p->info, numbers, err));
    TRY(set_bounds(m, p->a, numbers, err));
out:
    return st;
}
