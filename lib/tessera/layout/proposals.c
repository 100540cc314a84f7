/*
 * proposals.c - what is worth measuring: grids by the model, codecs, levels and filters; and the
 * public functions that list layouts by the model alone, and apply one.
 *
 * Levels of Zstandard above 5 are left out: on what they gain, minutes of writing are lost.
 */
#include "layout/private.h"

#include "api/uncancelled.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "codec/codec.h"
#include "geom/model.h"
#include "grid/cost.h"
#include "layout/blosc2_default.h"

#include <string.h>

// -- grids

#define STEPS_MOST 256 // of one climb; each makes the mix cheaper
#define BLOCK_OF_L2 8 // a block that is started with takes this part of the cache
#define CHUNK_BLOCKS 32

// Keep it among the cheapest, once.
static void
keep_proposal(struct proposals *p, int ndim, const struct proposal *one)
{
    int at = p->count;

    for (int i = 0; i < p->count; i++)
        if (grids_equal(ndim, &p->items[i].grid, &one->grid))
            return;
    while (at > 0 && p->items[at - 1].predicted > one->predicted)
        at--;
    if (at == PROPOSALS_MAX)
        return;
    if (p->count < PROPOSALS_MAX)
        p->count++;
    memmove(&p->items[at + 1], &p->items[at], (size_t)(p->count - 1 - at) * sizeof p->items[0]);
    p->items[at] = *one;
}

static void
climb(struct proposals *p, const struct model *model, const struct mix *mix,
      const struct grid_space *space, const struct grid *start)
{
    struct proposal here = {.grid = *start};

    if (!grids_is_valid(space, start))
        return;
    here.predicted = mix_predict(mix, model, space, &here.grid);
    keep_proposal(p, space->ndim, &here);
    for (int steps = 0; steps < STEPS_MOST; steps++) {
        struct proposal best = here, next;
        struct grid_step step = {0};

        while (grids_next(space, &here.grid, &step, &next.grid)) {
            if (!grids_is_valid(space, &next.grid))
                continue;
            next.predicted = mix_predict(mix, model, space, &next.grid);
            keep_proposal(p, space->ndim, &next);
            if (next.predicted < best.predicted)
                best = next;
        }
        if (best.predicted >= here.predicted)
            return;
        here = best;
    }
}

// A cell of the form of a box, of at most so many items, inside `most`.
static void
cell_like(int ndim, const int64_t *form, const int64_t *most, int64_t items, int64_t *cell)
{
    int64_t count = 1;

    for (int i = 0; i < ndim; i++)
        cell[i] = 1;
    while (count <= items / 2) {
        int shortest = -1;

        for (int i = 0; i < ndim; i++)
            if (cell[i] < most[i] &&
                (shortest < 0 || (double)cell[i] / (double)form[i] <
                                     (double)cell[shortest] / (double)form[shortest]))
                shortest = i;
        if (shortest < 0)
            return;
        const int64_t before = cell[shortest];
        cell[shortest] = 2 * before < most[shortest] ? 2 * before : most[shortest];
        count = grids_items(ndim, cell);
        if (count > items) {
            cell[shortest] = before;
            return;
        }
    }
}

static void
start_like(const struct model *model, const struct access *a, const struct grid_space *space,
           struct grid *g)
{
    const int64_t block = model->l2 / BLOCK_OF_L2 / space->typesize;
    int64_t form[TESS_MAX_NDIM];

    access_extent(a, space->ndim, space->shape, form);
    if (!space->fixed_chunks)
        cell_like(space->ndim, form, space->shape, CHUNK_BLOCKS * block, g->chunk);
    if (!space->fixed_blocks)
        cell_like(space->ndim, form, g->chunk, block, g->block);
}

void
proposals_make(struct proposals *p, const struct model *model, const struct mix *mix,
               const struct grid_space *space, const struct grid *starts, int nstarts)
{
    p->count = 0;
    for (int i = 0; i < nstarts; i++)
        climb(p, model, mix, space, &starts[i]);
    for (int i = 0; i < mix->count; i++) {
        struct grid g = starts[0]; // for what is fixed

        start_like(model, &mix->accesses[i], space, &g);
        climb(p, model, mix, space, &g);
    }
}

// -- codecs, levels and filters

static const struct {
    tess_codec codec;
    int level;
} squeezes[] = {
    {TESS_CODEC_LZ4, 5},     {TESS_CODEC_ZSTD, 1}, {TESS_CODEC_ZSTD, 3},  {TESS_CODEC_ZSTD, 5},
    {TESS_CODEC_BLOSCLZ, 5}, {TESS_CODEC_LZ4, 9},  {TESS_CODEC_LZ4HC, 5},
};

#define NSQUEEZES ((int)(sizeof squeezes / sizeof squeezes[0]))

static const uint8_t pipelines[][2] = {
    {TESS_FILTER_NONE, TESS_FILTER_SHUFFLE},
    {TESS_FILTER_NONE, TESS_FILTER_BITSHUFFLE},
    {TESS_FILTER_SHUFFLE, TESS_FILTER_BYTEDELTA},
    {TESS_FILTER_NONE, TESS_FILTER_NONE},
};

#define NPIPELINES ((int)(sizeof pipelines / sizeof pipelines[0]))

static bool
seen_before(int n, unsigned keep)
{
    for (int i = 0; i < n; i++)
        if (((keep & TESS_KEEP_CODEC) || squeezes[i].codec == squeezes[n].codec) &&
            ((keep & TESS_KEEP_LEVEL) || squeezes[i].level == squeezes[n].level))
            return true;
    return false;
}

// The last two filters of the pipeline, and no others.
static void
set_last_filters(tess_params *params, const uint8_t pipeline[2])
{
    memset(params->filters, 0, sizeof params->filters);
    memset(params->filters_meta, 0, sizeof params->filters_meta);
    memcpy(params->filters + TESS_MAX_FILTERS - 2, pipeline, 2);
}

bool
variants_next(int n, unsigned keep, tess_params *params)
{
    const int npipelines = keep & TESS_KEEP_FILTERS ? 1 : NPIPELINES;
    int squeeze = 0;

    for (int left = n / npipelines;; squeeze++) {
        if (squeeze == NSQUEEZES)
            return false;
        if (!seen_before(squeeze, keep) && left-- == 0)
            break;
    }
    if (!(keep & TESS_KEEP_CODEC))
        params->codec = squeezes[squeeze].codec;
    if (!(keep & TESS_KEEP_LEVEL))
        params->clevel = squeezes[squeeze].level;
    if (!(keep & TESS_KEEP_FILTERS))
        set_last_filters(params, pipelines[n % npipelines]);
    return true;
}

// -- by the model alone

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
