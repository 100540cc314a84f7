/*
 * each.c - parts of an array for a function of the program that looks at them.
 */
#include "array/iterate/each.h"

#include "base/error.h"

#include <inttypes.h>

struct looker {
    struct parts parts;
    tess_each_fn *fn;
    void *user;
};

tess_status
each_answer(struct parts *p, const tess_part *part, tess_each_next next, tess_error *err)
{
    switch (next) {
    case TESS_EACH_NEXT:
    case TESS_EACH_CHANGED:
        return TESS_OK;
    case TESS_EACH_STOP:
        atomic_store(&p->stopped, true);
        return TESS_OK;
    case TESS_EACH_FAIL:
        break;
    }
    atomic_store(&p->stopped, true);
    if (part->block < 0)
        return err_set(err, TESS_ERR_CANCELLED, -1, "the function gave up at chunk %" PRId64,
                       part->chunk);
    return err_set(err, TESS_ERR_CANCELLED, -1,
                   "the function gave up at block %" PRId64 " of chunk %" PRId64, part->block,
                   part->chunk);
}

static tess_status
each_look(void *self, void *tally, const tess_part *part, tess_error *err)
{
    struct looker *const l = self;
    (void)tally;
    return each_answer(&l->parts, part, l->fn(part, l->user), err);
}

tess_status
array_each(const tess_array *a, tess_unit unit, const int64_t *start, const int64_t *stop,
           tess_each_fn *fn, void *user, struct watch *watch, tess_error *err)
{
    struct looker l = {.fn = fn, .user = user};
    const struct parts_user looks = {.self = &l, .part = each_look, .slow = true};
    parts_begin(&l.parts, a, unit, start, stop);
    const tess_status st = parts_run(&l.parts, &looks, INT64_MAX, watch, err);
    parts_finish(&l.parts);
    return st;
}
