/*
 * propose.c - the public functions that list layouts by the model alone, and apply one.
 */
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "codec/codec.h"
#include "grid/cost.h"
#include "layout/blosc2_default.h"
#include "layout/grids.h"
#include "layout/mix.h"
#include "layout/proposals.h"
#include "layout/request.h"

#include <string.h>

#define USUAL_RATIO 2 // of compression, which decides what the disk costs

// Prices of the codec, on this machine, with the caller's disk.
static struct model
model_of_codec(const struct request *r)
{
    struct model m = cost_model(codec_by_id((int)r->base.codec), r->base.clevel);

    m.threads = request_threads(r);
    m.l2 = r->machine.l2;
    m.cache = request_cache(r);
    m.ratio = USUAL_RATIO;
    m.disk_speed = r->options.disk_speed;
    m.disk_latency = r->options.disk_latency;
    return m;
}

static int
collect_starts(const struct request *r, struct grid starts[3])
{
    tess_params other = r->base;
    int count = 0;

    starts[count++] = r->automatic;
    if (r->space.fixed_chunks || r->space.fixed_blocks)
        return count;
    blosc2_default_choose(&r->machine, &other);
    starts[count++] = grids_of(&other);
    if (r->has_stored)
        starts[count++] = grids_of(&r->stored);
    return count;
}

static void
write_proposals(const struct request *r, const struct proposals *p, int most, tess_params *layouts,
                size_t layout_size, double *seconds, int *count)
{
    *count = 0;
    for (int i = 0; i < p->count && *count < most; i++) {
        tess_params own = r->base;
        own.struct_size = layout_size;
        grids_put(&p->items[i].grid, &own);
        sized_give((uint8_t *)layouts + (size_t)*count * layout_size, layout_size, &own,
                   sizeof own);
        if (seconds)
            seconds[*count] = p->items[i].predicted;
        ++*count;
    }
}

TESS_API tess_status
tess_layout_propose_sized(const tess_params *params, const tess_tuner_options *options, int most,
                          tess_params *layouts, size_t layout_size, double *seconds, int *count,
                          tess_error *err)
{
    UNCANCELLED;
    struct proposals *p = NULL;
    struct grid starts[3];
    struct request r;
    tess_status st = TESS_OK;

    if (most < 1 || !layouts || !count)
        return err_set(err, TESS_ERR_ARG, -1, "room for %d proposals, or none is given", most);
    TRY(request_init(&r, params, options, err));
    p = mem_alloc(sizeof *p);
    if (!p)
        TRY(err_set(err, TESS_ERR_NOMEM, -1, "no memory for proposals"));
    const struct model model = model_of_codec(&r);
    proposals_make(p, &model, &r.mix, &r.space, starts, collect_starts(&r, starts));
    if (p->count == 0) { // what is kept is out of all bounds
        p->items[0] =
            (struct proposal){r.automatic, mix_predict(&r.mix, &model, &r.space, &r.automatic)};
        p->count = 1;
    }
    write_proposals(&r, p, most, layouts, layout_size, seconds, count);
out:
    mem_free(p);
    return st;
}

TESS_API void
tess_layout_apply(tess_params *params, const tess_params *layout)
{
    memcpy(params->chunkshape, layout->chunkshape, sizeof params->chunkshape);
    memcpy(params->blockshape, layout->blockshape, sizeof params->blockshape);
    params->codec = layout->codec;
    params->codec_meta = layout->codec_meta;
    params->clevel = layout->clevel;
    params->split = layout->split;
    params->dictionary = layout->dictionary;
    memcpy(params->filters, layout->filters, sizeof params->filters);
    memcpy(params->filters_meta, layout->filters_meta, sizeof params->filters_meta);
}
