/*
 * verify.c - all chunks of an array, compared with their checksums and read as reading does.
 *
 * A grain of work is a chunk. What is wrong with it is a result, told in the order of the chunks; a
 * lack of memory ends the job. Chunks that are not stored are grains only if reading refuses them,
 * which depends on their kind; of a list that has one kind only, the first stands for all.
 *
 * What reading refuses may not pass here: a chunk goes through the same functions (stored.c,
 * content.c, open_chunk_check_special()), and what they do not know (TESS_ERR_UNSUPPORTED) counts
 * as right only where a checksum says so.
 */
#include "array/keep/keep.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "chunk/content.h"
#include "chunk/header.h"
#include "codec/codec.h"
#include "frame/chunks/ahead.h"
#include "frame/chunks/stored.h"
#include "frame/chunks/usage.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/frame.h"
#include "frame/load.h"
#include "frame/query.h"
#include "frame/watched.h"
#include "grid/cost.h"
#include "grid/open_chunk.h"
#include "grid/pool.h"
#include "grid/read/plain.h"
#include "grid/write/write_back.h"
#include "io/ahead.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"
#include "task/gate.h"
#include "task/task.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// -- the header of a state against the copy that its commit kept, in words
//
// Another program that changes a metalayer, or a shape within its chunks, writes the header alone;
// a damaged byte looks alike. Which of the two it was cannot be known, so both readings are told.

enum { SHAPE_SIZE = 22 * NDIM_MAX };

static void
print_shape(const struct ndlayer *nd, char *text)
{
    char *at = text;
    *at = 0;
    for (int i = 0; i < nd->ndim; i++)
        at += sprintf(at, "%s%" PRId64, i > 0 ? "x" : "", nd->shape[i]);
}

static const struct layer *
find_array(const struct layers *l)
{
    const struct layer *const layer = layers_find(l, "b2nd");
    return layer ? layer : layers_find(l, "caterva");
}

static bool
same_content(const struct layer *x, const struct layer *y)
{
    return x->size == y->size && (x->size == 0 || memcmp(x->content, y->content, x->size) == 0);
}

// The shape as committed, and as it stands. False: it is the same, or cannot be read.
static bool
compare_shapes(const struct layer *before, const struct layer *now, tess_error *err)
{
    char shape[SHAPE_SIZE], shape_now[SHAPE_SIZE];
    struct ndlayer nd = {0}, nd_now = {0};
    const bool caterva = before && strcmp(before->name, "caterva") == 0;
    const bool read = before && now &&
                      ndlayer_parse(before->content, before->size, caterva, &nd, NULL) == TESS_OK &&
                      ndlayer_parse(now->content, now->size, caterva, &nd_now, NULL) == TESS_OK;
    if (read) {
        print_shape(&nd, shape);
        print_shape(&nd_now, shape_now);
    }
    const bool differ = read && strcmp(shape, shape_now) != 0;
    if (differ)
        err_set(err, TESS_ERR_CORRUPT, -1,
                "the shape is %s as committed, %s as it stands: another program changed it, or it "
                "is damaged",
                shape, shape_now);
    ndlayer_finish(&nd);
    ndlayer_finish(&nd_now);
    return differ;
}

// The first metalayer that differs. False: none does.
static bool
compare_layers(const struct layers *before, const struct layers *now, tess_error *err)
{
    for (int i = 0; i < now->count; i++) {
        const struct layer *const layer = layers_find(before, now->items[i].name);
        if (layer && same_content(layer, &now->items[i]))
            continue;
        err_set(err, TESS_ERR_CORRUPT, -1,
                "the metalayer %s is not as committed: another program changed it, or it is "
                "damaged",
                now->items[i].name);
        return true;
    }
    return false;
}

static void
compare_bytes(const struct ledger *ledger, const struct frame *f, tess_error *err)
{
    size_t head_size, at = 0;
    const uint8_t *const head = frame_head(f, &head_size);
    const size_t size = ledger->head_size < head_size ? ledger->head_size : head_size;
    while (at < size && ledger->head[at] == head[at])
        at++;
    if (at < size)
        err_set(err, TESS_ERR_CORRUPT, (int64_t)at,
                "byte %zu of the header is 0x%02x as committed, 0x%02x as it stands: another "
                "program changed it, or it is damaged",
                at, ledger->head[at], head[at]);
    else
        err_set(err, TESS_ERR_CORRUPT, 0, "a header of %zu bytes as committed, %zu as it stands",
                ledger->head_size, head_size);
}

// A sentence with both readings of what differs, of an array whose header was changed since it was
// committed. *err gets it, as TESS_ERR_CORRUPT; other failures are those of reading the ledger.
static tess_status
compare_sealed_header(const tess_array *a, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    struct ledger ledger;
    struct layers before = {0};
    tess_status st = frame_read_ledger(f, &ledger, err);
    if (st != TESS_OK)
        return st;
    if (!ledger.content)
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "the header is not as committed: another program changed it, or it is "
                       "damaged");
    const bool parsed =
        ledger.head_size > FRAME_HEADER_SIZE &&
        layers_parse(ledger.head + FRAME_HEADER_SIZE, ledger.head_size - FRAME_HEADER_SIZE,
                     FRAME_HEADER_SIZE, LAYERS_HEADER, &before, NULL) == TESS_OK;
    if (!parsed || (!compare_shapes(find_array(&before), find_array(frame_metas(f)), err) &&
                    !compare_layers(&before, frame_metas(f), err)))
        compare_bytes(&ledger, f, err);
    layers_finish(&before);
    ledger_finish(&ledger);
    return TESS_ERR_CORRUPT;
}

// -- chunks

struct verifier {
    const tess_array *a;
    const struct checksums *checksums;
    struct watch *watch;
    tess_damage_fn *fn;
    void *user;
    tess_verdict *verdict;
    int64_t n; // the next chunk
    struct list_ahead ahead;
    struct watched watched; // the call
    bool refused[SPECIAL_UNINIT + 1]; // per kind of chunks that are not stored
};

struct verify_grain {
    int64_t n;
    bool known; // it has a checksum
    tess_status status;
    tess_error why;
    struct chunk_ahead ahead; // what was read early, held
};

static bool
verify_is_wanted(const struct verifier *v, int64_t n)
{
    const int64_t entry = frame_entry(v->a->grid->frame, n);
    return entry >= 0 || v->refused[index_special(entry)];
}

static tess_status
verify_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct verifier *const v = arg;
    const struct frame_index *const list = frame_list(v->a->grid->frame);
    while (v->n < list->nchunks && !verify_is_wanted(v, v->n))
        v->n = list->entries ? v->n + 1 : list->nchunks;
    *more = v->n < list->nchunks;
    if (!*more)
        return TESS_OK;
    struct verify_grain *const g = grain;
    *g = (struct verify_grain){.n = v->n};
    const tess_status st = list_ahead_take(&v->ahead, v->n, &g->ahead, err);
    const bool stands_for_all = !list->entries;
    v->n = stands_for_all ? list->nchunks : v->n + 1;
    return st;
}

static void
verify_drop(void *arg, void *grain)
{
    (void)arg;
    chunk_ahead_release(&((struct verify_grain *)grain)->ahead);
}

// Read all of a chunk, as a read of its items does.
static tess_status
verify_try_chunk(const tess_array *a, int64_t n, struct chunk_scratch *s, tess_error *err)
{
    struct stored_chunk sc;
    tess_status st = stored_chunk_open(&sc, a->grid->frame, n, s, err);
    if (st != TESS_OK)
        return st;
    if (sc.chunk.h.special != SPECIAL_NONE && !a->grid->plain)
        st = open_chunk_check_special(a->grid, &sc.chunk, n, err);
    else
        st = chunk_try(&sc.chunk, &sc.bytes, s, err);
    if (st != TESS_OK && sc.chunk.h.special == SPECIAL_NONE)
        stored_chunk_blame(&sc, n, st, err);
    stored_chunk_close(&sc);
    return st;
}

static tess_status
examine(const struct verifier *v, struct verify_grain *g, struct chunk_scratch *s)
{
    const struct frame *const f = v->a->grid->frame;
    tess_status st = TESS_OK;
    if (frame_entry(f, g->n) >= 0)
        st = frame_check_chunk(f, g->n, v->checksums, s, &g->known, &g->why);
    if (st == TESS_OK)
        st = verify_try_chunk(v->a, g->n, s, &g->why);
    return st == TESS_ERR_UNSUPPORTED && g->known ? TESS_OK : st;
}

static tess_status
verify_work(void *arg, void *grain, tess_error *err)
{
    const struct verifier *const v = arg;
    struct verify_grain *const g = grain;
    struct chunk_scratch *const s = pool_take(v->a->grid->pool);
    if (!s)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    s->want = g->ahead.want;
    s->place = chunk_ahead_place(&g->ahead);
    s->progress = watched_progress(&v->watched);
    g->status = examine(v, g, s);
    pool_give(v->a->grid->pool, s);
    watch_add(v->watch, 1);
    if (g->status == TESS_OK || g->status == TESS_ERR_CORRUPT || g->status == TESS_ERR_IO ||
        g->status == TESS_ERR_UNSUPPORTED)
        return TESS_OK;
    *err = g->why;
    return g->status;
}

// The part of the array that a chunk holds.
static void
verify_chunk_box(const tess_array *a, int64_t n, tess_damage *damage)
{
    const struct geometry *const g = a->g;
    damage->ndim = g->ndim;
    if (a->grid->plain) {
        damage->start[0] = plain_chunk_start(a->grid, n) / g->typesize;
        damage->stop[0] = ceil_div(plain_chunk_start(a->grid, n + 1), g->typesize);
        return;
    }
    for (int i = g->ndim - 1; i >= 0; i--) {
        damage->start[i] = n % g->grid[i] * g->chunkshape[i];
        damage->stop[i] = min_i64(damage->start[i] + g->chunkshape[i], g->shape[i]);
        n /= g->grid[i];
    }
}

static tess_status
verify_finish(void *arg, void *grain, tess_error *err)
{
    const struct verifier *const v = arg;
    const struct verify_grain *const g = grain;
    const struct frame_index *const list = frame_list(v->a->grid->frame);
    (void)err;
    if (g->status == TESS_OK) {
        v->verdict->nright += g->known;
        v->verdict->nunknown += !g->known;
        return TESS_OK;
    }
    if (g->status == TESS_ERR_UNSUPPORTED)
        v->verdict->nuntried++;
    else
        v->verdict->ndamaged += list->entries ? 1 : list->nchunks;
    tess_damage damage = {.chunk = g->n, .status = g->status, .message = g->why.message};
    verify_chunk_box(v->a, g->n, &damage);
    if (g->status != TESS_ERR_UNSUPPORTED)
        LOG(TESS_LOG_WARNING, TESS_EVENT_DAMAGE, frame_name(v->a->grid->frame), "%s",
            g->why.message);
    if (v->fn)
        v->fn(&damage, v->user);
    return TESS_OK;
}

// What reading says of the chunks that are not stored, of each kind.
static void
try_specials(struct verifier *v)
{
    const tess_array *const a = v->a;
    const struct frame_index *const list = frame_list(a->grid->frame);
    bool tried[SPECIAL_UNINIT + 1] = {0};
    const int64_t end = list->entries ? list->nchunks : min_i64(list->nchunks, 1);
    for (int64_t n = 0; n < end; n++) {
        const enum chunk_special kind = index_special(index_get(list, n));
        if (tried[kind])
            continue;
        tried[kind] = true;
        if (kind != SPECIAL_NONE)
            v->refused[kind] = verify_try_chunk(a, n, NULL, NULL) != TESS_OK;
    }
}

static tess_status
verify_chunks(struct verifier *v, tess_error *err)
{
    const struct task task = {.next = verify_next,
                              .work = verify_work,
                              .finish = verify_finish,
                              .drop = verify_drop,
                              .grain_size = sizeof(struct verify_grain)};
    const tess_array *const a = v->a;
    const struct frame_header *const h = frame_header(a->grid->frame);
    const struct task_width width =
        chunk_grid_width(a->grid, cost_decode(codec_by_id(h->codec), h->nbytes), v->watch);
    try_specials(v);
    watch_job(v->watch, max_i64(frame_nchunks(a->grid->frame), 1));
    tess_status st =
        list_ahead_begin(&v->ahead, a->grid->frame, a->context.ahead, NULL, v->watch, err);
    if (st == TESS_OK)
        st = task_run(&task, v, &width, err);
    list_ahead_end(&v->ahead);
    return st;
}

static tess_status
verify_metalayers(const struct verifier *v, tess_error *err)
{
    const struct layers *const l = frame_vlmetas(v->a->grid->frame);
    for (int i = 0; i < l->count; i++) {
        uint8_t *content;
        size_t size;
        tess_error why;
        const tess_status st =
            chunk_content(l->items[i].content, l->items[i].size,
                          frame_limits(v->a->grid->frame)->memory, &content, &size, &why);
        mem_free(content);
        if (st == TESS_OK)
            continue;
        if (st != TESS_ERR_CORRUPT && st != TESS_ERR_UNSUPPORTED) {
            if (err)
                *err = why;
            return st;
        }
        v->verdict->nmetalayers++;
        const tess_damage damage = {
            .chunk = -1,
            .metalayer = l->items[i].name,
            .status = st,
            .message = why.message,
            .of = TESS_DAMAGED_METALAYER,
        };
        if (v->fn)
            v->fn(&damage, v->user);
    }
    return TESS_OK;
}

// What is wrong with the state as a whole: `st` and `why` say it if it is damage, and are passed on
// otherwise.
static tess_status
verify_tell(const struct verifier *v, tess_damaged of, tess_status st, const tess_error *why,
            tess_error *err)
{
    const tess_damage damage = {.chunk = -1, .status = st, .message = why->message, .of = of};
    if (st == TESS_ERR_CORRUPT)
        LOG(TESS_LOG_WARNING, TESS_EVENT_DAMAGE, frame_name(v->a->grid->frame), "%s", why->message);
    if (st == TESS_ERR_CORRUPT && v->fn)
        v->fn(&damage, v->user);
    if (st != TESS_OK && st != TESS_ERR_CORRUPT && err)
        *err = *why;
    return st == TESS_ERR_CORRUPT ? TESS_OK : st;
}

static tess_status
verify_state(struct verifier *v, struct checksums *loaded, tess_error *err)
{
    const struct frame *const f = v->a->grid->frame;
    tess_error why;
    tess_status st = TESS_OK;
    if (!frame_known_checksums(f)) {
        st = frame_load_checksums(f, frame_list(f), watched_progress(&v->watched), loaded, &why);
        v->verdict->checksums_damaged = st == TESS_ERR_CORRUPT;
        st = verify_tell(v, TESS_DAMAGED_CHECKSUMS, st, &why, err);
        if (v->verdict->checksums_damaged)
            checksums_finish(loaded);
    }
    if (st != TESS_OK || !frame_header_is_changed(f) || v->verdict->checksums_damaged)
        return st;
    return verify_tell(v, TESS_DAMAGED_HEADER, compare_sealed_header(v->a, &why), &why, err);
}

static bool
is_fine(const tess_verdict *v)
{
    return v->ndamaged == 0 && v->nuntried == 0 && v->nmetalayers == 0 && !v->header_changed &&
           !v->checksums_damaged;
}

static tess_status
verify_all(const tess_array *a, tess_damage_fn *fn, void *user, tess_verdict *verdict,
           struct watch *watch, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    const struct checksums *const known = frame_known_checksums(f);
    struct checksums loaded = {0};
    struct verifier v = {.a = a,
                         .checksums = known ? known : &loaded,
                         .watch = watch,
                         .fn = fn,
                         .user = user,
                         .verdict = verdict};
    *verdict = (tess_verdict){.sealed = frame_is_sealed(f),
                              .header_changed = frame_header_is_changed(f),
                              .commit = frame_commit_number(f)};
    frame_count_chunks(a->grid->frame, &verdict->nstored, &verdict->nmissing);
    verdict->nspecial = frame_nchunks(f) - verdict->nstored - verdict->nmissing;
    watched_init(&v.watched, watch);
    tess_status st = verify_state(&v, &loaded, err);
    if (st == TESS_OK)
        st = verify_chunks(&v, err);
    if (st == TESS_OK)
        st = verify_metalayers(&v, err);
    verdict->fine = is_fine(verdict);
    checksums_finish(&loaded);
    return st;
}

tess_status
array_verify(const tess_array *a, tess_damage_fn *fn, void *user, tess_verdict *verdict,
             tess_error *err)
{
    struct reading r;
    tess_status st = write_back_all(a->grid, err);
    if (st != TESS_OK)
        return st;
    st = reading_begin(&r, a, a->g->nitems, err);
    gate_enter(a->grid->gate);
    if (st == TESS_OK)
        st = verify_all(a, fn, user, verdict, &r.watch, err);
    gate_leave(a->grid->gate);
    return reading_end(&r, st, err);
}
