/*
 * by_header.c - salvages a damaged frame without a ledger, from its header, index and trailer.
 *
 * The fixed part of a header is nearly all constants, and numbers that follow from the
 * N-dimensional layer behind it. The index is the one at the position in the header, or the one
 * whose trailer ends at the end in the header. Any other index belongs to an older state, and is
 * not used: the first commit of a new array leaves one right behind the header. The entries of the
 * index are compared with the chunks in the file (strays.c).
 */
#include "salvage/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/format/trailer.h"
#include "frame/rebuild.h"
#include "geom/shape.h"
#include "io/io.h"
#include "meta/layers.h"

#include <inttypes.h>
#include <string.h>

enum {
    FRONT_MOST = 1 << 20, // bytes of a header whose length is not known
    ENTRY_SIZE = 8,
    LOST_MOST = 1 << 16, // chunks of a lost list; more if the file is large enough for them
};

// Read the metalayers of the header. *header_len: the length of the header, which ends with them.
// bytes: the start of the file, as many as a header can have. *whole: no metalayer is lost.
static tess_status
mend_layers(struct salvage_job *j, const uint8_t *bytes, size_t size, int32_t *header_len,
            bool *whole, tess_error *err)
{
    const uint8_t *const src = bytes + FRAME_HEADER_SIZE;
    const int64_t length = frame_header_get_len(bytes);
    struct layers *const metas = &j->parts.metas;
    size_t end = 0;
    int lost = 0;
    const tess_status st =
        layers_salvage(src, size - FRAME_HEADER_SIZE, FRAME_HEADER_SIZE, metas, &lost, &end, err);
    *header_len = (int32_t)(FRAME_HEADER_SIZE + end);
    *whole = lost == 0 && length <= (int64_t)size;
    j->s->nlayers_unconfirmed = metas->count;
    j->s->nlayers_lost += lost;
    if (st == TESS_OK && lost > 0 && length > FRAME_HEADER_SIZE && length <= (int64_t)size)
        *header_len = (int32_t)length;
    return st;
}

// Rebuild the fixed part; the lengths are those in the file. whole: there was no other metalayer.
static tess_status
mend_fixed(struct salvage_job *j, uint8_t *b, int32_t header_len, bool whole, tess_error *err)
{
    struct geometry g;
    struct frame_header_facts facts = {.sparse = j->folder != NULL, .header_len = header_len};

    if (salvage_find_geometry(&j->parts.metas, frame_header_get_typesize(b),
                              frame_header_get_chunksize(b), &g)) {
        facts.is_array = true;
        facts.typesize = g.typesize;
        facts.chunksize = g.nchunks > 0 ? g.chunksize : 0;
        facts.blocksize = g.blocksize;
        facts.nbytes = g.nchunks * g.chunksize;
    } else if (salvage_is_array(&j->parts.metas) || !whole || !j->has_own) {
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "the header is damaged, and nothing says what shape the array has");
    }
    frame_header_mend(b, &facts);
    j->s->header_damaged = memcmp(b, j->front, FRAME_HEADER_SIZE) != 0;
    j->s->header_source = j->s->header_damaged ? TESS_REPAIR_METALAYER : TESS_REPAIR_IN_PLACE;
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
    bool whole = false;
    uint8_t *const bytes = mem_alloc((size_t)size);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header");
    TRY(io_read(j->search.io, 0, bytes, (size_t)size, err));
    TRY(mend_layers(j, bytes, (size_t)size, &header_len, &whole, err));
    TRY(mend_fixed(j, bytes, header_len, whole, err));
    if (j->h.version < 2 || j->h.fixed_size != FRAME_HEADER_SIZE)
        st = err_set(err, TESS_ERR_UNSUPPORTED, 0, "a frame from before c-blosc2 2.0");
out:
    mem_free(bytes);
    return st;
}

// Position of the index according to the header, if that is inside the file.
static struct claim
claim_of_index(const struct salvage_job *j)
{
    const int64_t head = j->h.header_len;
    const struct claim cbytes = j->folder ? (struct claim){true, 0} : j->cbytes;
    if (!cbytes.known || cbytes.value >= j->search.size - head)
        return (struct claim){.known = false};
    return (struct claim){true, head + cbytes.value};
}

static struct claim
claim_of_end(const struct salvage_job *j)
{
    return (struct claim){j->frame_len.known && j->frame_len.value > j->h.header_len &&
                              j->frame_len.value <= j->search.size,
                          j->frame_len.value};
}

// The search for the index.
struct index_search {
    struct salvage_job *j;
    struct frame_index list;
    int64_t nchunks;
    struct claim frame_end; // end of the trailer according to the header
    int64_t at, end; // of the index; -1: not found
    struct claim tail_end; // end of the trailer that is read
};

// Position of the trailer that ends at `end`. False: no trailer ends there.
static bool
find_trailer(const struct salvage_job *j, struct claim end, int64_t *start)
{
    uint8_t bytes[TRAILER_FIXED_END];
    int64_t length;
    if (!end.known || end.value - j->h.header_len < TRAILER_FIXED_END ||
        io_read(j->search.io, end.value - TRAILER_FIXED_END, bytes, sizeof bytes, NULL) !=
            TESS_OK ||
        trailer_length(bytes, end.value - j->h.header_len, &length, NULL) != TESS_OK)
        return false;
    *start = end.value - length;
    return true;
}

// Whether index and trailer are of one state: they are adjacent, or only the ledger is between.
static bool
is_adjacent(const struct salvage_job *j, int64_t index_end, int64_t trailer)
{
    uint8_t front[LEDGER_FRONT];
    const int64_t between = trailer - index_end;
    if (between <= LEDGER_FRONT)
        return between == 0;
    if (io_read(j->search.io, index_end, front, sizeof front, NULL) != TESS_OK ||
        ledger_position(front) != index_end)
        return false;
    const int64_t behind = between - ledger_size(front, LEDGER_MARK_AT); // a reference to it
    return behind == 0 || behind == LEDGER_REF_BESIDE_SIZE;
}

static bool
ends_trailer(const struct salvage_job *j, int64_t index_end, struct claim end)
{
    int64_t start;
    return find_trailer(j, end, &start) && is_adjacent(j, index_end, start);
}

/*
 * Whether the index at the position in the header is the newest. It is if the trailer of the same
 * state ends where the header says, or at the end of the file. It also is if that trailer is lost
 * and the position is reliable: the header is not damaged, or cbytes is not 0, which a header that
 * was overwritten by zeros has. If a trailer ends where the header says, but is not adjacent to the
 * index, either the position is wrong, or the ledger between them is damaged: the fingerprint
 * decides.
 */
static bool
is_current(struct index_search *x)
{
    const struct salvage_job *const j = x->j;
    const struct claim file_end = {true, j->search.size};
    int64_t start;
    if (ends_trailer(j, x->end, x->frame_end))
        return true;
    if (ends_trailer(j, x->end, file_end)) {
        x->tail_end = file_end;
        return true;
    }
    if (find_trailer(j, x->frame_end, &start))
        return salvage_is_sealed(j, x->frame_end.value, x->at, x->end);
    return (j->has_own && !j->s->header_damaged) || j->cbytes.value > 0;
}

static tess_status
found_index(void *user, int64_t position, const struct chunk_header *h, bool *is_one,
            tess_error *err)
{
    struct index_search *const x = user;
    const struct salvage_job *const j = x->j;
    struct frame_index list;
    int64_t end;
    if (!ends_trailer(j, position + h->cbytes, x->frame_end))
        return TESS_OK;
    const tess_status st = salvage_index(j, position, x->nchunks, &list, &end, err);
    if (st != TESS_OK)
        return salvage_is_damage(st) ? TESS_OK : st;
    index_finish(&x->list);
    x->list = list;
    x->at = position;
    x->end = end;
    *is_one = true;
    return TESS_OK;
}

// Look for the index at the position in the header, then in the whole file. x->at -1: not found.
static tess_status
find_index(struct index_search *x, tess_error *err)
{
    struct salvage_job *const j = x->j;
    const struct claim place = claim_of_index(j);
    tess_status st = TESS_OK;
    if (place.known)
        st = salvage_index(j, place.value, x->nchunks, &x->list, &x->end, err);
    if (st != TESS_OK && !salvage_is_damage(st))
        return st;
    if (place.known && st == TESS_OK) {
        x->at = place.value;
        if (is_current(x)) {
            j->s->list_source = TESS_REPAIR_IN_PLACE;
            j->s->header_damaged |= j->frame_len.known && j->frame_len.value <= x->at;
            return TESS_OK;
        }
        index_finish(&x->list);
        x->list = (struct frame_index){0};
        x->at = -1;
    }
    const struct chunk_search what = {
        .from = j->h.header_len,
        .until = j->search.size,
        .typesize = ENTRY_SIZE,
        .nbytes = (int32_t)(x->nchunks * ENTRY_SIZE),
        .nbytes_last = (int32_t)(x->nchunks * ENTRY_SIZE),
        .found = found_index,
        .user = x,
    };
    st = search_chunks(&j->search, &what, err);
    j->s->header_damaged |= x->at >= 0;
    j->s->index_damaged = x->at < 0;
    j->s->list_source = x->at >= 0 ? TESS_REPAIR_SEARCH : TESS_REPAIR_LOST;
    return st;
}

// Make a list of nothing but lost chunks, as the index is lost. Limited: n is a claim of the file.
static tess_status
lose_list(struct salvage_job *j, int64_t n, tess_error *err)
{
    const int64_t most = max_i64(LOST_MOST, j->nbytes / CHUNK_HEADER_SIZE);
    if (n > most)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "the index of %" PRId64 " chunks is lost; the file can store %" PRId64, n,
                       most);
    index_init_uniform(&j->parts.list, n, SPECIAL_NONE);
    return index_reserve(&j->parts.list, n, err);
}

// Index and trailer of a frame with the mended header.
static tess_status
find_list(struct salvage_job *j, struct index_search *x, tess_error *err)
{
    const int64_t n = x->nchunks;
    tess_status st = TESS_OK;

    if (n > j->limits.nchunks || n * ENTRY_SIZE > j->limits.memory)
        return err_set(err, TESS_ERR_LIMIT, FRAME_HEADER_AT_NBYTES, "%" PRId64 " chunks", n);
    x->frame_end = x->tail_end = claim_of_end(j);
    if (n > 0) {
        x->at = x->end = -1;
        st = find_index(x, err);
    } else {
        x->at = x->end = j->h.header_len;
        j->s->list_source = TESS_REPAIR_IN_PLACE;
    }
    if (st != TESS_OK)
        return st;
    const bool found = x->at >= 0;
    const int64_t start = found ? x->end : -1;
    st = salvage_trailer(j, x->tail_end.known ? x->tail_end.value : -1, start, x->at, start, NULL,
                         err);
    // Chunks may be anywhere from here on.
    j->h.cbytes = j->search.size - j->h.header_len;
    frame_rebuild_header(j->f, &j->h);
    j->parts.list = x->list;
    x->list = (struct frame_index){0};
    if (st == TESS_OK && !found)
        st = lose_list(j, n, err);
    return st == TESS_OK ? salvage_check_list(j, x->at, err) : st;
}

tess_status
salvage_by_header(struct salvage_job *j, tess_error *err)
{
    struct index_search x = {.j = j};
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
