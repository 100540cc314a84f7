/*
 * held.c - states of a contiguous frame that stay whole while later ones are committed.
 */
#include "frame/contiguous/held.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "frame/commit/pending.h"
#include "frame/contiguous/private.h"
#include "frame/contiguous/space.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/private.h"
#include "io/io.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

int64_t
frame_front_size(const struct frame *f)
{
    return f->h.nbytes > 0 && frame_header_get_nbytes(f->disk.head) > 0 ? f->h.header_len
                                                                        : contiguous_state_end(f);
}

tess_status
frame_read_front(const struct frame *f, uint8_t **front, size_t *size, uint8_t *tail,
                 tess_error *err)
{
    const int64_t wanted = frame_front_size(f);
    const bool is_header = (size_t)wanted == f->disk.head_size && !f->disk.torn;
    tess_status st = TESS_OK;
    *front = mem_alloc((size_t)wanted);
    *size = (size_t)wanted;
    if (!*front)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", wanted);
    if (is_header)
        memcpy(*front, f->disk.head, *size);
    else
        st = io_read(f->io, 0, *front, *size, err);
    if (st == TESS_OK && f->disk.tail_size >= FRAME_TAIL)
        memcpy(tail, f->disk.tail + f->disk.tail_size - FRAME_TAIL, FRAME_TAIL);
    else if (st == TESS_OK)
        st = io_read(f->io, f->h.frame_len - FRAME_TAIL, tail, FRAME_TAIL, err);
    if (st != TESS_OK) {
        mem_free(*front);
        *front = NULL;
    }
    return st;
}

int64_t
frame_bytes(const struct frame *f)
{
    int64_t size;
    const int64_t end = contiguous_state_end(f);
    // A frame in memory ends with its trailer.
    return io_size(f->io, &size, NULL) == TESS_OK ? min_i64(size, end) : end;
}

tess_status
frame_read_bytes(const struct frame *f, int64_t offset, void *dst, size_t size, tess_error *err)
{
    return io_read(f->io, offset, dst, size, err);
}

int64_t
frame_front_end(const uint8_t *front, size_t size, bool *whole)
{
    struct frame_header h;
    const tess_status st = frame_header_parse(front, size, INT64_MAX, &h, NULL);
    if (st != TESS_OK || (size_t)h.header_len > size || h.frame_len < FRAME_TAIL)
        return -1;
    *whole = h.nbytes == 0;
    return *whole && (size_t)h.frame_len > size ? -1 : h.frame_len;
}

void
frame_hold(struct frame *f)
{
    space_hold(&f->space);
    if (f->h.nbytes == 0) // what is in front of its end may be kept in memory (io/front.h)
        space_hold_now(&f->space);
}

void
held_finish(struct held_state *state)
{
    mem_free(state->chunks);
    *state = (struct held_state){0};
}

// The index of a state, which stands where its chunks end.
static tess_status
held_load_index(const struct frame *f, const struct frame_header *h, struct frame_index *list,
                tess_error *err)
{
    uint8_t head[CHUNK_HEADER_MIN];
    const int64_t at = h->header_len + h->cbytes, room = h->frame_len - at;
    if (room < CHUNK_HEADER_MIN)
        return err_set(err, TESS_ERR_CORRUPT, at, "%" PRId64 " bytes for an index", room);
    tess_status st = io_read(f->io, at, head, sizeof head, err);
    if (st != TESS_OK)
        return st;
    const int32_t size = get_i32le(head + 12);
    if (size < CHUNK_HEADER_MIN || size > room)
        return err_set(err, TESS_ERR_CORRUPT, at, "an index of %" PRId32 " bytes", size);
    uint8_t *const bytes = mem_alloc((size_t)size);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index of %" PRId32 " bytes",
                       size);
    st = io_read(f->io, at, bytes, (size_t)size, err);
    if (st == TESS_OK)
        st = index_parse(list, bytes, (size_t)size,
                         h->chunksize > 0 ? ceil_div(h->nbytes, h->chunksize) : -1,
                         h->cbytes - CHUNK_HEADER_SIZE, f->options.limits.memory, err);
    mem_free(bytes);
    return st;
}

tess_status
held_load(struct held_state *state, const struct frame *f, const uint8_t *front, size_t front_size,
          tess_error *err)
{
    struct frame_header h;
    struct frame_index list = {0};
    int64_t size;
    *state = (struct held_state){0};
    tess_status st = io_size(f->io, &size, err);
    if (st == TESS_OK)
        st = frame_header_parse(front, front_size, size, &h, err);
    if (st != TESS_OK || h.nbytes == 0)
        return st;
    st = held_load_index(f, &h, &list, err);
    if (st == TESS_OK)
        st = index_sorted(&list, &state->chunks, &state->nchunks, err);
    for (size_t i = 0; i < state->nchunks; i++)
        state->chunks[i] += h.header_len;
    const int64_t at = h.header_len + h.cbytes;
    state->body = (struct extent){at, h.frame_len - at};
    index_finish(&list);
    return st;
}

static bool
has_chunk(const struct held_state *state, int64_t start)
{
    size_t low = 0, high = state->nchunks;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (state->chunks[middle] < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < state->nchunks && state->chunks[low] == start;
}

// Chunks of the list that stand in the file now, ascending.
static tess_status
sorted_now(const struct frame *f, struct held_state *now, tess_error *err)
{
    const tess_status st = index_sorted(&f->index, &now->chunks, &now->nchunks, err);
    for (size_t i = 0; st == TESS_OK && i < now->nchunks; i++)
        now->chunks[i] += f->h.header_len;
    return st;
}

// Whether one of the states needs a chunk.
static bool
have_chunk(const struct held_state *states, size_t n, int64_t start)
{
    for (size_t i = 0; i < n; i++)
        if (has_chunk(&states[i], start))
            return true;
    return false;
}

// Its chunks that neither the list nor the states before it have: nothing is known of them but
// where they start.
static tess_status
hold_chunks(struct frame *f, const struct held_state *now, const struct held_state *states,
            size_t n, tess_error *err)
{
    const struct held_state *const state = &states[n];
    tess_status st = TESS_OK;
    for (size_t i = 0; i < state->nchunks && st == TESS_OK; i++) {
        const int64_t start = state->chunks[i];
        if ((i > 0 && start == state->chunks[i - 1]) || have_chunk(now, 1, start) ||
            have_chunk(states, n, start))
            continue;
        st = space_hold_chunk(&f->space, (struct extent){.start = start}, err);
    }
    return st;
}

tess_status
frame_hold_states(struct frame *f, const struct held_state *states, size_t n, tess_error *err)
{
    struct held_state now = {0};
    int64_t end = f->space.end;
    tess_status st = n > 0 ? sorted_now(f, &now, err) : TESS_OK;
    for (size_t i = 0; i < n && st == TESS_OK; i++) {
        if (states[i].body.size == 0 || states[i].body.start == f->space.now.start)
            continue; // nothing, or what is on the disk now
        st = hold_chunks(f, &now, states, i, err);
        if (st == TESS_OK)
            st = space_hold_body(&f->space, states[i].body, err);
        end = max_i64(end, states[i].body.start); // its chunks lie before its index
    }
    held_finish(&now);
    if (f->old.end > 0)
        f->old.end = f->space.known = end;
    f->space.end = end;
    return st;
}

struct needs {
    const struct held_state *states;
    size_t n;
};

static bool
is_needed(const void *user, struct extent e)
{
    const struct needs *const x = user;
    for (size_t i = 0; i < x->n; i++)
        if (x->states[i].body.size > 0 && x->states[i].body.start == e.start)
            return true;
    return have_chunk(x->states, x->n, e.start);
}

void
frame_let_go(struct frame *f, const struct held_state *states, size_t n)
{
    const struct needs x = {states, n};
    space_let_go(&f->space, is_needed, &x);
    if (pending_durability(f) < TESS_DURABILITY_ORDERED)
        space_synced(&f->space);
}
