/*
 * stored.c - the chunks of an array as they are stored: what each is, its bytes, its checksum.
 */
#include "array/chunks/chunks.h"

#include "array/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/chunk.h"
#include "chunk/decode.h"
#include "chunk/header.h"
#include "codec/codec.h"
#include "frame/chunks/stored.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/load.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/grid.h"
#include "grid/pool.h"
#include "grid/read/plain.h"
#include "grid/write/constant.h"
#include "task/watch.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static const tess_chunk_kind kinds[] = {
    [SPECIAL_NONE] = TESS_CHUNK_BLOCKS,   [SPECIAL_ZEROS] = TESS_CHUNK_ZEROS,
    [SPECIAL_NANS] = TESS_CHUNK_NANS,     [SPECIAL_VALUE] = TESS_CHUNK_VALUE,
    [SPECIAL_UNINIT] = TESS_CHUNK_UNINIT,
};

tess_chunk_kind
describe_special(enum chunk_special special)
{
    return kinds[special];
}

tess_chunk_kind
describe_kind(const struct chunk_header *h)
{
    return h->special == SPECIAL_NONE && h->nblocks == 0 ? TESS_CHUNK_PLAIN : kinds[h->special];
}

// What the chunk itself says; its decoder may be that of another codec of the format.
static int
said_codec(const struct chunk *c)
{
    const struct codec *const said = codec_by_format(c->h.codec_format, c->h.udcodec);
    return said ? said->id : c->codec->id;
}

static void
describe_blocks(const struct chunk *c, tess_chunk_info *info)
{
    info->nblocks = c->h.nblocks;
    info->blocksize = c->h.blocksize;
    info->codec = said_codec(c);
    memcpy(info->filters, c->h.filters, sizeof info->filters);
    memcpy(info->filters_meta, c->h.filters_meta, sizeof info->filters_meta);
    info->split = c->h.split && c->h.typesize > 1;
    info->dictionary_size = (int32_t)c->dict.size;
}

void
describe_chunk(const struct chunk *c, tess_chunk_info *info)
{
    *info = (tess_chunk_info){
        .kind = describe_kind(&c->h),
        .stored = true,
        .nbytes = c->h.nbytes,
        .cbytes = c->h.cbytes,
    };
    if (info->kind == TESS_CHUNK_BLOCKS)
        describe_blocks(c, info);
}

// -- a chunk of an array as it is stored, all of its bytes

// The bytes of a chunk that is not stored: a header, which says what it is.
static tess_status
load_special(struct chunk_loan *loan, const struct frame *f, int64_t n, tess_error *err)
{
    const int32_t typesize = frame_header(f)->typesize, blocksize = frame_header(f)->blocksize;
    const tess_status st = stored_chunk_open(&loan->stored, f, n, loan->scratch, err);
    struct chunk_header h = loan->stored.chunk.h;
    if (st != TESS_OK)
        return st;
    h.typesize = typesize > UINT8_MAX ? 1 : typesize;
    h.blocksize = blocksize > 0 ? blocksize : (int32_t)max_i64(h.nbytes, 1);
    h.cbytes = CHUNK_HEADER_SIZE;
    chunk_header_write(&h, loan->special);
    loan->bytes = loan->special;
    loan->size = CHUNK_HEADER_SIZE;
    return TESS_OK;
}

static tess_status
load_stored(struct chunk_loan *loan, const tess_array *a, int64_t n, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    const struct checksums *checksums;
    const tess_status st = sums_get(a->sums, f, &checksums, err);
    if (st != TESS_OK)
        return st;
    return stored_chunk_load(&loan->stored, f, n, checksums, loan->scratch, &loan->bytes,
                             &loan->size, err);
}

tess_status
chunk_borrow(struct chunk_loan *loan, const tess_array *a, int64_t n, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    loan->scratch = pool_take(a->grid->pool); // the rest is set by what succeeds
    if (!loan->scratch)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    const tess_status st =
        frame_entry(f, n) < 0 ? load_special(loan, f, n, err) : load_stored(loan, a, n, err);
    if (st != TESS_OK)
        pool_give(a->grid->pool, loan->scratch); // the stored chunk is closed
    return st;
}

void
chunk_give_back(struct chunk_loan *loan, const tess_array *a)
{
    stored_chunk_close(&loan->stored);
    pool_give(a->grid->pool, loan->scratch);
}

tess_status
chunk_describe(const tess_array *a, int64_t n, tess_chunk_info *info, tess_error *err)
{
    struct stored_chunk sc = {0};
    struct chunk_scratch *const s = pool_take(a->grid->pool);
    tess_status st = s ? stored_chunk_open(&sc, a->grid->frame, n, s, err)
                       : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    if (st == TESS_OK) {
        describe_chunk(&sc.chunk, info);
        info->stored = sc.io != NULL;
        info->offset = a->grid->plain ? plain_chunk_start(a->grid, n) / a->g->typesize : 0;
    }
    stored_chunk_close(&sc);
    pool_give(a->grid->pool, s);
    return st;
}

static tess_status
block_sizes(const struct stored_chunk *sc, int64_t n, struct chunk_scratch *s, int32_t *sizes,
            size_t count, tess_error *err)
{
    const int32_t nblocks = sc->chunk.h.nblocks;
    if (nblocks > 0 && (!sizes || count < (size_t)nblocks))
        return err_set(err, TESS_ERR_ARG, -1,
                       "%zu places for the sizes of %" PRId32 " blocks of chunk %" PRId64,
                       sizes ? count : 0, nblocks, n);
    const tess_status st = chunk_block_sizes(&sc->chunk, &sc->bytes, s, sizes, err);
    if (st != TESS_OK)
        stored_chunk_blame(sc, n, st, err);
    return st;
}

tess_status
chunk_blocks(const tess_array *a, int64_t n, int32_t *sizes, size_t count, tess_error *err)
{
    struct stored_chunk sc = {0};
    struct chunk_scratch *const s = pool_take(a->grid->pool);
    tess_status st = s ? stored_chunk_open(&sc, a->grid->frame, n, s, err)
                       : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    if (st == TESS_OK)
        st = block_sizes(&sc, n, s, sizes, count, err);
    stored_chunk_close(&sc);
    pool_give(a->grid->pool, s);
    return st;
}

// -- the chunks that have items in a box, from a number on

// Stands on a chunk of the box.
struct steps {
    const tess_array *a;
    int64_t n; // number of the chunk
    int64_t last; // of the last chunk of the box
    struct walk w; // of the grid; not in plain frames
};

// Chunks of a plain frame may be empty.
static bool
steps_pass_empty(struct steps *s)
{
    const struct chunk_grid *const grid = s->a->grid;
    while (s->n <= s->last && plain_chunk_start(grid, s->n) == plain_chunk_start(grid, s->n + 1))
        s->n++;
    return s->n <= s->last;
}

// Stand on the first chunk from a number on; false: there is none.
static bool
steps_begin(struct steps *s, const tess_array *a, const struct box *box, int64_t from)
{
    const struct geometry *const g = a->g;
    *s = (struct steps){.a = a};
    if (a->grid->plain) {
        if (box->start[0] >= box->stop[0])
            return false;
        s->n = max_i64(from, plain_chunk_at(a->grid, box->start[0] * g->typesize));
        s->last = plain_chunk_at(a->grid, box->stop[0] * g->typesize - 1);
        return steps_pass_empty(s);
    }
    if (!walk_chunks(&s->w, g, box))
        return false;
    for (int i = 0; i < g->ndim; i++)
        s->last += s->w.last[i] * s->w.pitch[i];
    const bool found = walk_seek(&s->w, from);
    s->n = s->w.index;
    return found;
}

static bool
steps_next(struct steps *s)
{
    if (s->a->grid->plain) {
        s->n++;
        return steps_pass_empty(s);
    }
    const bool more = walk_next(&s->w);
    s->n = s->w.index;
    return more;
}

static void
steps_box(const struct steps *s, tess_chunk_run *run)
{
    const struct geometry *const g = s->a->g;
    if (s->a->grid->plain) {
        run->start[0] = plain_chunk_start(s->a->grid, s->n) / g->typesize;
        run->stop[0] = plain_chunk_start(s->a->grid, s->n + 1) / g->typesize;
        run->stop[0] = min_i64(run->stop[0], g->shape[0]);
        return;
    }
    for (int i = 0; i < g->ndim; i++) {
        run->start[i] = s->w.at[i] * g->chunkshape[i];
        run->stop[i] = min_i64(run->start[i] + g->chunkshape[i], g->shape[i]);
    }
}

static bool
is_wanted(unsigned wanted, tess_chunk_kind kind)
{
    return wanted >> kind & 1;
}

// The item of a chunk that is one item again and again.
static tess_status
next_item(const tess_array *a, const struct chunk *c, int64_t n, tess_chunk_run *run,
          tess_error *err)
{
    const int32_t size = a->g->typesize;
    const bool nans = run->kind == TESS_CHUNK_NANS;
    if (!run->item || is_wanted(TESS_KINDS_ITEMS, run->kind))
        return TESS_OK;
    if ((nans && size != 4 && size != 8) || !constant_chunk(c, size, run->item))
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "chunk %" PRId64 " repeats what is no item of %" PRId32 " bytes", n, size);
    return TESS_OK;
}

// The chunk that it stands on, which is wanted.
static tess_status
next_describe(const struct steps *s, const struct chunk *c, tess_chunk_run *run, tess_error *err)
{
    run->number = run->last = s->n;
    run->kind = describe_kind(&c->h);
    steps_box(s, run);
    return next_item(s->a, c, s->n, run, err);
}

// A run of chunks that are not stored. Stands on what comes behind it then; *more: something does.
static tess_status
next_special(struct steps *s, enum chunk_special special, tess_chunk_run *run, bool *more,
             tess_error *err)
{
    const struct frame *const f = s->a->grid->frame;
    const struct chunk c = {.h = {.special = special, .typesize = s->a->g->typesize}};
    const tess_status st = next_describe(s, &c, run, err);

    run->stored = false;
    run->cbytes = 0;
    *more = !frame_is_uniform(f);
    if (!*more)
        run->last = s->last;
    while (*more && frame_special(f, s->n) == special) {
        run->last = s->n;
        *more = steps_next(s);
    }
    return st;
}

// A stored chunk; *found: it is wanted.
static tess_status
next_stored(const struct steps *s, unsigned wanted, tess_chunk_run *run, bool *found,
            tess_error *err)
{
    const struct chunk_grid *const grid = s->a->grid;
    struct chunk_scratch *const scratch = pool_take(grid->pool);
    struct stored_chunk stored = {0};
    tess_status st = scratch ? stored_chunk_open(&stored, grid->frame, s->n, scratch, err)
                             : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    *found = st == TESS_OK && is_wanted(wanted, describe_kind(&stored.chunk.h));
    if (*found) {
        run->stored = true;
        run->cbytes = stored.chunk.h.cbytes;
        st = next_describe(s, &stored.chunk, run, err);
    }
    stored_chunk_close(&stored);
    pool_give(grid->pool, scratch);
    return st;
}

tess_status
array_next_chunk(const tess_array *a, const struct box *box, int64_t from, unsigned wanted,
                 tess_chunk_run *run, struct watch *watch, tess_error *err)
{
    struct steps s;
    bool found = false;
    tess_status st = TESS_OK;

    bool more = steps_begin(&s, a, box, from);
    while (more && !found && st == TESS_OK) {
        const enum chunk_special special = frame_special(a->grid->frame, s.n);
        if (special != SPECIAL_NONE) {
            found = is_wanted(wanted, describe_special(special));
            if (found)
                st = next_special(&s, special, run, &more, err);
            else
                more = !frame_is_uniform(a->grid->frame) && steps_next(&s);
            continue;
        }
        st = next_stored(&s, wanted, run, &found, err);
        if (st == TESS_OK)
            st = watch_look(watch, err);
        more = steps_next(&s);
    }
    if (!found)
        run->number = run->last = -1;
    return st;
}

// -- checksums of stored chunks for readers, loaded when one is asked for

struct sums {
    pthread_mutex_t lock; // guards the rest; of `checksums`, only until they are loaded
    bool loaded;
    struct checksums checksums;
};

struct sums *
sums_new(void)
{
    struct sums *const s = mem_zeroed(1, sizeof *s);
    if (s)
        pthread_mutex_init(&s->lock, NULL);
    return s;
}

void
sums_free(struct sums *s)
{
    if (!s)
        return;
    checksums_finish(&s->checksums);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

tess_status
sums_get(struct sums *s, const struct frame *f, const struct checksums **checksums, tess_error *err)
{
    tess_status st = TESS_OK;
    *checksums = frame_known_checksums(f);
    if (*checksums)
        return TESS_OK;
    pthread_mutex_lock(&s->lock);
    if (!s->loaded) {
        st = frame_load_checksums(f, frame_list(f), NULL, &s->checksums, err);
        s->loaded = st == TESS_OK;
        if (st != TESS_OK)
            checksums_finish(&s->checksums);
    }
    pthread_mutex_unlock(&s->lock);
    *checksums = &s->checksums;
    return st;
}

void
sums_forget(struct sums *s)
{
    checksums_finish(&s->checksums);
    s->loaded = false;
}
