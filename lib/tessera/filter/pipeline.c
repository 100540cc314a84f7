/*
 * pipeline.c - the transformations between items and codec, on one block.
 *
 * What pipeline_init() accepts can be undone on any bytes: all filters keep the size of a block,
 * and none looks at more than its width, which is positive, and the grid, which is that of the
 * block. Filters that clear bits leave nothing to undo. Filters of the program are trusted to do
 * the same, but may refuse.
 *
 * Not here: the filters (filter.h), cutting a block into streams (chunk/).
 */
#include "filter/pipeline.h"

#include "base/error.h"
#include "base/plugin.h"
#include "filter/filter.h"

#include <assert.h>
#include <inttypes.h>

static tess_status
pipeline_refuse(int id, int slot, tess_error *err)
{
    const char *why = "is not known";
    if (id >= TESS_PLUGIN_PRIVATE)
        why = "is private to some program, and not among the plugins of this one";
    return err_set(err, TESS_ERR_UNSUPPORTED, -1, "filter %d in slot %d %s", id, slot, why);
}

static const struct filter *
find_filter(const struct filter_spec *spec, uint8_t id)
{
    const struct filter *found = filter_by_id(id);
    for (int i = 0; i < spec->nusers && !found; i++)
        if (spec->users[i].id == id)
            found = &spec->users[i];
    return found;
}

static tess_status
add_filter_step(struct pipeline *p, const struct filter_spec *spec, int slot, tess_error *err)
{
    const struct filter *const filter = find_filter(spec, spec->ids[slot]);
    struct filter_step *const step = &p->step[p->count];

    if (!filter)
        return pipeline_refuse(spec->ids[slot], slot, err);
    if (filter->needs_grid && !spec->grid)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "filter %d in slot %d (%s) needs the shape of the blocks: this is no array",
                       filter->id, slot, filter->name);
    *step = (struct filter_step){.filter = filter, .meta = spec->metas[slot]};
    if (filter->prepare) {
        const tess_status st = filter->prepare(spec, slot, step, err);
        if (st != TESS_OK)
            return st;
    }
    if (filter->needs_grid)
        p->blocks.grid = *spec->grid;
    if (filter->needs_reference)
        p->referring = filter;
    p->lossy |= filter->lossy;
    p->has_user |= filter->user != NULL;
    if (p->nfront == p->count && !filter->backward)
        p->nfront++;
    else if (p->nfront == p->count && filter->makes_planes)
        p->planes = step->width;
    p->undo[p->count] = step->is_identity ? NULL : filter->backward;
    p->count++;
    return TESS_OK;
}

tess_status
pipeline_init(const struct filter_spec *spec, struct pipeline *p, tess_error *err)
{
    *p = (struct pipeline){
        .blocks =
            {
                .typesize = spec->typesize,
                .user = plugin_block(spec->grid, spec->blocksize, spec->typesize),
                .old_bitshuffle = spec->old_bitshuffle,
            },
    };
    p->blocks.user.clevel = spec->level;
    if (spec->typesize < 1 || spec->typesize > 255)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "filters on items of %" PRId32 " bytes, 1 to 255 can be", spec->typesize);
    for (int slot = 0; slot < FILTER_SLOTS; slot++) {
        if (spec->ids[slot] == TESS_FILTER_NONE)
            continue;
        const tess_status st = add_filter_step(p, spec, slot, err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}

// A step behind others, of which one is lossy or none.
static tess_status
check_step(const struct pipeline *p, const struct filter_step *step, bool lost, tess_error *err)
{
    const struct filter *const filter = step->filter;

    if (filter->needs_reference && lost)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%s behind a filter that loses information: its reference is "
                       "the block as it was before",
                       filter->name);
    if (filter->check_encode)
        return filter->check_encode(&p->blocks, step, err);
    if (!filter->forward)
        return err_set(err, TESS_ERR_ARG, -1, "filter %d (%s) is only read", filter->id,
                       filter->name);
    return TESS_OK;
}

tess_status
pipeline_check_encode(const struct pipeline *p, tess_error *err)
{
    bool lost = false;
    for (int i = 0; i < p->count; i++) {
        const tess_status st = check_step(p, &p->step[i], lost, err);
        if (st != TESS_OK)
            return st;
        lost |= p->step[i].filter->lossy;
    }
    return TESS_OK;
}

bool
pipeline_brings_back(const struct pipeline *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->step[i].filter->lossy && p->step[i].filter->backward)
            return false;
    return true;
}

bool
pipeline_takes(const struct pipeline *p, const void *place)
{
    return !p->has_user || (uintptr_t)place % _Alignof(max_align_t) == 0;
}

tess_status
pipeline_forward(const struct pipeline *p, const uint8_t *block, int32_t nblock, const uint8_t *ref,
                 uint8_t *tmp1, uint8_t *tmp2, size_t size, const uint8_t **out, tess_error *err)
{
    assert(!p->referring || nblock == 0 || ref);
    const uint8_t *at = block;
    tess_status st = TESS_OK;
    for (int i = 0; i < p->count && st == TESS_OK; i++) {
        const struct filter_call call = {&p->blocks, &p->step[i], nblock > 0 ? ref : NULL};
        if (p->step[i].is_identity)
            continue;
        uint8_t *const dst = at == tmp1 ? tmp2 : tmp1;
        st = p->step[i].filter->forward(&call, dst, at, size, err);
        at = dst;
    }
    *out = at;
    return st;
}

tess_status
pipeline_backward(const struct pipeline *p, int keep, const uint8_t *src, int32_t nblock,
                  const uint8_t *ref, uint8_t *tmp1, uint8_t *tmp2, size_t size,
                  const uint8_t **out, tess_error *err)
{
    assert(!p->referring || nblock == 0 || ref);
    const uint8_t *at = src;
    tess_status st = TESS_OK;
    for (int i = p->count - 1; i >= p->nfront + keep && st == TESS_OK; i--) {
        const struct filter_call call = {&p->blocks, &p->step[i], nblock > 0 ? ref : NULL};
        if (!p->undo[i])
            continue;
        uint8_t *const dst = at == tmp1 ? tmp2 : tmp1;
        st = p->undo[i](&call, dst, at, size, err);
        at = dst;
    }
    *out = at;
    return st;
}

int32_t
pipeline_planes(const struct pipeline *p, int32_t itemsize)
{
    return p->planes == itemsize ? itemsize : 0;
}

int
pipeline_count_undone(const struct pipeline *p, int keep)
{
    int count = 0;
    for (int i = p->nfront + keep; i < p->count; i++)
        count += p->undo[i] != NULL;
    return count;
}

bool
pipeline_is_undone(const struct pipeline *p, int keep)
{
    return pipeline_count_undone(p, keep) == 0;
}

bool
pipeline_makes_planes(const struct pipeline *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->step[i].filter->makes_planes)
            return true;
    return false;
}

bool
pipeline_keeps_items(const struct pipeline *p)
{
    for (int i = 0; i < p->count; i++)
        if (!p->step[i].filter->keeps_items && !p->step[i].is_identity)
            return false;
    return true;
}
