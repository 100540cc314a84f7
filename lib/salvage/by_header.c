/*
 * by_header.c - a damaged frame of which nothing is known but what its own parts say.
 *
 * The fixed part of a header is nearly all constants, and numbers that follow from the
 * N-dimensional layer behind it. The list of chunks is the index, at its place or anywhere in the
 * file; what it says is compared with the chunks that are there (strays.c).
 */
#include "salvage/by_header.h"

#include "base/checked.h"
#include "base/memory.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/trailer.h"
#include "frame/rebuild.h"
#include "geom/shape.h"
#include "io/io.h"
#include "meta/layers.h"
#include "salvage/parts.h"
#include "salvage/search.h"
#include "salvage/shape.h"
#include "salvage/strays.h"

#include <inttypes.h>
#include <string.h>

enum {
    FRONT_MOST = 1 << 20, // bytes of a header whose length is not known
    ENTRY_SIZE = 8,
};

// The metalayers of the header, which ends with them, at *header_len. bytes: all that it can have.
static tess_status
mend_layers(struct salvage_job *j, const uint8_t *bytes, size_t size, int32_t *header_len,
            tess_error *err)
{
    const uint8_t *const src = bytes + FRAME_HEADER_SIZE;
    const int64_t length = frame_header_get_len(bytes);
    struct layers *const metas = &j->parts.metas;
    size_t end = 0;
    int lost = 0;
    const tess_status st =
        layers_salvage(src, size - FRAME_HEADER_SIZE, FRAME_HEADER_SIZE, metas, &lost, &end, err);
    *header_len = (int32_t)(FRAME_HEADER_SIZE + end);
    j->s->nlayers_unconfirmed = metas->count;
    if (st != TESS_OK || lost == 0 || length <= FRAME_HEADER_SIZE || length > (int64_t)size)
        return st;
    *header_len = (int32_t)length;
    j->s->nlayers_lost += lost;
    return TESS_OK;
}

// The fixed part as it must have been, but for lengths, which are those of the file.
static tess_status
mend_fixed(struct salvage_job *j, uint8_t *b, int32_t header_len, tess_error *err)
{
    struct geometry g;
    struct frame_header_facts facts = {.sparse = j->folder != NULL, .header_len = header_len};

    if (salvage_find_geometry(&j->parts.metas, frame_header_get_typesize(b), &g)) {
        facts.is_array = true;
        facts.typesize = g.typesize;
        facts.chunksize = g.nchunks > 0 ? g.chunksize : 0;
        facts.blocksize = g.blocksize;
        facts.nbytes = g.nchunks * g.chunksize;
    } else if (salvage_is_array(&j->parts.metas) || !j->has_own) {
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "the header is damaged, and nothing says what shape the array has");
    }
    frame_header_mend(b, &facts);
    j->s->header_damaged = memcmp(b, j->front, FRAME_HEADER_SIZE) != 0;
    frame_header_set_lengths(b, INT64_MAX, 0);
    return frame_header_parse(b, FRAME_HEADER_SIZE, INT64_MAX, &j->h, err);
}

static tess_status
by_header_mend_header(struct salvage_job *j, tess_error *err)
{
    const int64_t size = min_i64(j->search.size, FRONT_MOST);
    tess_status st = TESS_OK;
    if (size <= FRAME_HEADER_SIZE)
        return err_set(err, TESS_ERR_FORMAT, 0, "%" PRId64 " bytes are no frame", size);
    int32_t header_len = 0;
    uint8_t *const bytes = mem_alloc((size_t)size);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header");
    TRY(io_read(j->search.io, 0, bytes, (size_t)size, err));
    TRY(mend_layers(j, bytes, (size_t)size, &header_len, err));
    TRY(mend_fixed(j, bytes, header_len, err));
    if (j->h.version < 2 || j->h.fixed_size != FRAME_HEADER_SIZE)
        st = err_set(err, TESS_ERR_UNSUPPORTED, 0, "a frame from before c-blosc2 2.0");
out:
    mem_free(bytes);
    return st;
}

// A length in the header, where it can be one of this file; else 0.
static int64_t
claimed(const struct salvage_job *j, int64_t length)
{
    return length >= 0 && length <= j->search.size ? length : 0;
}

// Where the index is, and the list in it. An index of an older state has no trailer behind it that
// ends where the header says; one of the two is right, or nothing is known.
struct index_search {
    struct salvage_job *j;
    struct frame_index list;
    int64_t nchunks;
    int64_t frame_len; // as the file says
    int64_t at, end; // -1: not found
    int64_t tail_end;
};

static bool
ends_trailer(const struct salvage_job *j, int64_t start, int64_t end)
{
    uint8_t bytes[TRAILER_FIXED_END];
    int64_t length;
    return end - start >= TRAILER_FIXED_END && end <= j->search.size &&
           io_read(j->search.io, end - TRAILER_FIXED_END, bytes, sizeof bytes, NULL) == TESS_OK &&
           trailer_length(bytes, end - start, &length, NULL) == TESS_OK && length == end - start;
}

static tess_status
found_index(void *user, int64_t position, const struct chunk_header *h, bool *is_one,
            tess_error *err)
{
    struct index_search *const x = user;
    const struct salvage_job *const j = x->j;
    const int64_t behind = position + h->cbytes;
    struct frame_index list;
    int64_t end;
    (void)err;
    if (!ends_trailer(j, behind, x->frame_len) ||
        salvage_index(j, position, x->nchunks, &list, &end, NULL) != TESS_OK)
        return TESS_OK;
    index_finish(&x->list);
    x->list = list;
    x->at = position;
    x->end = end;
    *is_one = true;
    return TESS_OK;
}

// At its place, or else anywhere. x->at is -1 if it is nowhere.
static tess_status
find_index(struct index_search *x, tess_error *err)
{
    struct salvage_job *const j = x->j;
    const int64_t head = j->h.header_len;
    const int64_t cbytes = j->folder ? 0 : claimed(j, frame_header_get_cbytes(j->front));
    x->at = -1;
    x->tail_end = x->frame_len;
    if (cbytes <= j->search.size - head &&
        salvage_index(j, head + cbytes, x->nchunks, &x->list, &x->end, NULL) == TESS_OK) {
        x->at = head + cbytes;
        if (!ends_trailer(j, x->end, x->frame_len) && ends_trailer(j, x->end, j->search.size))
            x->tail_end = j->search.size;
        return TESS_OK;
    }
    j->s->index_damaged = true;
    const struct chunk_search what = {
        .from = head,
        .until = j->search.size,
        .typesize = ENTRY_SIZE,
        .nbytes = (int32_t)(x->nchunks * ENTRY_SIZE),
        .nbytes_last = (int32_t)(x->nchunks * ENTRY_SIZE),
        .found = found_index,
        .user = x,
    };
    const tess_status st = search_chunks(&j->search, &what, err);
    j->s->header_damaged |= x->at >= 0;
    j->s->index_damaged = x->at < 0;
    return st;
}

// Index and trailer of a frame with the mended header.
static tess_status
find_list(struct salvage_job *j, struct index_search *x, tess_error *err)
{
    const int64_t cbytes = j->folder ? 0 : claimed(j, frame_header_get_cbytes(j->front));
    const int64_t n = x->nchunks;
    tess_status st = TESS_OK;

    if (n > j->limits.nchunks || n * ENTRY_SIZE > j->limits.memory)
        return err_set(err, TESS_ERR_LIMIT, FRAME_HEADER_AT_NBYTES, "%" PRId64 " chunks", n);
    if (n > 0)
        st = find_index(x, err);
    else
        x->at = x->end = j->h.header_len;
    if (st != TESS_OK)
        return st;
    const bool found = x->at >= 0;
    const int64_t start = found ? x->end : j->h.header_len + cbytes;
    st = salvage_trailer(j, x->tail_end, start, found ? x->at : start, start, NULL, err);
    // Chunks may be anywhere from here on.
    j->h.cbytes = j->search.size - j->h.header_len;
    frame_rebuild_header(j->f, &j->h);
    j->parts.list = x->list;
    x->list = (struct frame_index){0};
    if (st == TESS_OK && !found) {
        index_init_uniform(&j->parts.list, n, INDEX_LOST);
        st = index_reserve(&j->parts.list, n, err);
    }
    return st == TESS_OK ? salvage_check_list(j, x->at, err) : st;
}

tess_status
salvage_by_header(struct salvage_job *j, tess_error *err)
{
    struct index_search x = {.j = j, .frame_len = claimed(j, frame_header_get_frame_len(j->front))};
    tess_status st = by_header_mend_header(j, err);
    if (st != TESS_OK)
        return st;
    if (j->h.chunksize <= 0 && j->h.nbytes > 0)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_CHUNKSIZE,
                       "a damaged frame with chunks of different sizes");
    x.nchunks = j->h.nbytes > 0 ? ceil_div(j->h.nbytes, j->h.chunksize) : 0;
    st = find_list(j, &x, err);
    index_finish(&x.list);
    if (st == TESS_OK && !j->parts.sealed &&
        j->parts.fingerprint) // one of the two; which is not known
        j->s->index_damaged = j->s->trailer_damaged = true;
    return st;
}
