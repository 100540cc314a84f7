/*
 * mix.c - what is done with an array: accesses with weights, as the model counts them.
 */
#include "layout/mix.h"

#include "base/error.h"
#include "base/sized.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static tess_status
check_access(const tess_access *a, int number, int ndim, tess_error *err)
{
    if ((int)a->kind < TESS_ACCESS_READ || (int)a->kind > TESS_ACCESS_WRITE)
        return err_set(err, TESS_ERR_ARG, -1, "access %d: kind %d is not known", number,
                       (int)a->kind);
    if (a->kind == TESS_ACCESS_APPEND && (a->axis < 0 || a->axis >= ndim))
        return err_set(err, TESS_ERR_ARG, -1, "access %d: %d is no axis of %d dimensions", number,
                       a->axis, ndim);
    if (!isfinite(a->weight) || a->weight <= 0)
        return err_set(err, TESS_ERR_ARG, -1, "access %d: the weight is %g, not above 0", number,
                       a->weight);
    if (!memchr(a->name, '\0', sizeof a->name))
        return err_set(err, TESS_ERR_ARG, -1, "access %d: its name has no end", number);
    for (int k = 0; k < ndim; k++)
        if (a->extent[k] < 1 && a->extent[k] != TESS_ACCESS_WHOLE)
            return err_set(err, TESS_ERR_ARG, -1,
                           "access %d: a box of %" PRId64 " items along axis %d", number,
                           a->extent[k], k);
    return TESS_OK;
}

static enum access_kind
access_kind_of(tess_access_kind kind)
{
    static const enum access_kind kinds[] = {
        [TESS_ACCESS_READ] = ACCESS_READ,
        [TESS_ACCESS_UPDATE] = ACCESS_UPDATE,
        [TESS_ACCESS_APPEND] = ACCESS_APPEND,
        [TESS_ACCESS_WRITE] = ACCESS_WRITE,
    };

    return kinds[kind];
}

tess_status
mix_init(struct mix *mix, const tess_access *items, int count, int ndim, const int64_t *shape,
         tess_error *err)
{
    tess_status st = TESS_OK;

    if (!items)
        st = tess_access_parse(NULL, ndim, shape, mix->items, TESS_MAX_ACCESSES, &count, err);
    else if (count < 1 || count > TESS_MAX_ACCESSES)
        st =
            err_set(err, TESS_ERR_ARG, -1, "%d accesses, 1 to %d can be", count, TESS_MAX_ACCESSES);
    for (int i = 0; items && i < count && st == TESS_OK; i++)
        st = sized_take(&mix->items[i], sizeof mix->items[i], SIZED_UP_TO(tess_access, name),
                        sized_at(items, i), "access", err);
    mix->count = count;
    for (int i = 0; i < count && st == TESS_OK; i++) {
        const tess_access *const from = &mix->items[i];
        struct access *const a = &mix->accesses[i];

        st = check_access(from, i, ndim, err);
        if (st != TESS_OK)
            break;
        *a = (struct access){.kind = access_kind_of(from->kind), .axis = from->axis};
        for (int k = 0; k < ndim; k++)
            a->extent[k] = a->kind == ACCESS_WRITE      ? ACCESS_WHOLE
                           : from->extent[k] > shape[k] ? shape[k]
                                                        : from->extent[k];
    }
    return st;
}

double
mix_predict(const struct mix *mix, const struct model *m, const struct grid_space *space,
            const struct grid *g)
{
    double sum = 0;

    for (int i = 0; i < mix->count; i++) {
        const struct model_cost cost =
            model_predict(m, &mix->accesses[i], space->ndim, space->shape, space->typesize, g);
        sum += mix->items[i].weight * (cost.cpu + cost.disk);
    }
    return sum;
}
