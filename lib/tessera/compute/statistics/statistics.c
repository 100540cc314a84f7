/*
 * statistics.c - what the numbers of an array are like, as a whole.
 *
 * The parts of a grain are tallied in order, by the thread that works on it, and grains are added
 * up in order. Which parts make a grain does not depend on threads, so the sum does not, either.
 */
#include "compute/statistics/statistics.h"

#include "base/error.h"
#include "base/exact.h"
#include "base/limits.h"
#include "compute/parts/parts.h"
#include "meta/dtype.h"

#include <math.h>
#include <string.h>

struct summary {
    struct number_type type;
    struct tally all;
};

_Static_assert(sizeof(struct tally) <= PARTS_TALLY_SIZE, "a tally must fit in a grain");

static tess_status
add_part(void *self, void *tally, const tess_part *part, tess_error *err)
{
    const struct summary *const s = self;
    int64_t shape[NDIM_MAX];
    (void)err;
    for (int i = 0; i < part->ndim; i++)
        shape[i] = part->stop[i] - part->start[i];
    tally_box(tally, &s->type, part->ndim, shape, part->strides, part->items);
    return TESS_OK;
}

static void
summary_add_constant(void *self, void *tally, const uint8_t *item, int64_t nitems)
{
    const struct summary *const s = self;
    tally_repeat(tally, &s->type, item, nitems);
}

static tess_status
add_grain(void *self, void *tally, tess_error *err)
{
    struct summary *const s = self;
    (void)err;
    tally_add(&s->all, &s->type, tally);
    return TESS_OK;
}

static tess_number
number_of_union(tess_kind kind, const union number *x, bool any)
{
    tess_number n = {.kind = kind};
    if (kind == TESS_KIND_FLOAT)
        n.f = any ? x->f : (double)NAN;
    else if (kind == TESS_KIND_INT)
        n.i = any ? x->i : 0;
    else
        n.u = any ? x->u : 0;
    return n;
}

static void
give_statistics(const struct summary *s, tess_statistics *out)
{
    const struct tally *const t = &s->all;
    const int64_t finite = t->count - t->nonfinite;
    const tess_kind kind = s->type.kind;

    *out = (tess_statistics){
        .count = t->count,
        .nonfinite = t->nonfinite,
        .min = number_of_union(kind, &t->min, finite > 0),
        .max = number_of_union(kind, &t->max, finite > 0),
    };
    if (kind == TESS_KIND_FLOAT) {
        out->sum = exact_value(t->sum.parts);
    } else {
        out->sum = int128_to_double(t->sum.whole);
        out->exact = int128_fits_i64(t->sum.whole);
        out->integer = out->exact ? (int64_t)int128_low(t->sum.whole) : 0;
    }
    out->mean = finite > 0 ? out->sum / (double)finite : (double)NAN;
}

static tess_status
summarise(const tess_array *a, const int64_t *start, const int64_t *stop, struct summary *s,
          struct watch *watch, tess_error *err)
{
    const struct parts_user user = {
        .self = s,
        .part = add_part,
        .constant = summary_add_constant,
        .finish = add_grain,
        .unaligned = true,
    };
    struct parts parts;
    parts_begin(&parts, &user, a, TESS_BLOCKS, start, stop);
    const tess_status st = parts_run(&parts, INT64_MAX, watch, err);
    parts_finish(&parts);
    return st;
}

tess_status
array_statistics(const tess_array *a, const int64_t *start, const int64_t *stop, int64_t nitems,
                 tess_statistics *out, struct watch *watch, tess_error *err)
{
    struct summary s = {0};
    const char *const name = a->nd.dtype;
    const tess_dtype dtype = dtype_parse(name);

    if (a->nd.dtype_format != 0 || dtype.size != a->g->typesize ||
        !number_type_init(&s.type, &dtype))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "statistics are for numbers, items are of type %.100s",
                       name ? name : "unknown");
    const tess_status st = nitems > 0 ? summarise(a, start, stop, &s, watch, err) : TESS_OK;
    if (st == TESS_OK)
        give_statistics(&s, out);
    return st;
}
