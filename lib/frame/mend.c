/*
 * mend.c - a damaged frame of which nothing is known but what its own parts say.
 *
 * The fixed part of a header is nearly all constants, and numbers that follow from the
 * N-dimensional layer behind it. The list of chunks is the index; what that says is compared with
 * the chunks that are there, and the chunks it does not know take the places it does not know, in
 * the order of the file, if there are as many of both.
 */
#include "frame/salvage_job.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "frame/sparse.h"
#include "frame/trailer.h"
#include "geom/shape.h"
#include "io/folder.h"
#include "meta/dtype.h"
#include "meta/ndlayer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRONT_MOST = 1 << 20, // bytes of a header whose length is not known
    FLAGS_AT = 25,
    TYPE_AT = 26,
    FRAME_LEN_AT = 16,
    NBYTES_AT = 30,
    CBYTES_AT = 39,
    TYPESIZE_AT = 48,
    BLOCKSIZE_AT = 53,
    CHUNKSIZE_AT = 58,
    HEADER_LEN_AT = 11,
    ENTRY_SIZE = 8,
};

// Bytes of a header that are always the same.
static const struct {
    uint8_t at, value;
} constants[] = {
    {0, 0x9e},          {1, 0xa8},  {2, 'b'},   {3, '2'},   {4, 'f'},   {5, 'r'},   {6, 'a'},
    {7, 'm'},           {8, 'e'},   {9, 0},     {10, 0xd2}, {15, 0xcf}, {24, 0xa4}, {29, 0xd3},
    {38, 0xd3},         {47, 0xd2}, {52, 0xd2}, {57, 0xd2}, {62, 0xd1}, {65, 0xd1}, {69, 0xd8},
    {70, FILTER_SLOTS},
};

// What the N-dimensional layer says. False: there is none, or it contradicts itself.
static bool
find_geometry(const struct layers *metas, int32_t typesize, struct geometry *g)
{
    int64_t chunkshape[NDIM_MAX], blockshape[NDIM_MAX];
    struct ndlayer nd = {0};
    const struct layer *layer = layers_find(metas, "b2nd");
    const bool caterva = !layer;
    if (!layer)
        layer = layers_find(metas, "caterva");
    if (!layer || ndlayer_parse(layer->content, layer->size, caterva, &nd, NULL) != TESS_OK)
        return false;
    for (int i = 0; i < nd.ndim; i++) {
        chunkshape[i] = nd.chunkshape[i];
        blockshape[i] = nd.blockshape[i];
    }
    const int64_t size = nd.dtype && nd.dtype_format == 0 ? dtype_parse(nd.dtype).size : 0;
    if (size > 0 && size <= TYPESIZE_MAX)
        typesize = (int32_t)size;
    const bool fits = typesize > 0 && geometry_init(g, nd.ndim, nd.shape, chunkshape, blockshape,
                                                    typesize, TESS_ERR_CORRUPT, NULL) == TESS_OK;
    ndlayer_finish(&nd);
    int64_t nbytes; // with the padding of its chunks
    return fits && mul_i64(g->nchunks, g->chunksize, &nbytes);
}

// Some filters and codecs look at neighbours.
static void
use_grid(struct salvage_job *j)
{
    struct geometry g;
    if (!find_geometry(&j->f->metas, j->f->h.typesize, &g))
        return;
    j->grid = (struct block_grid){.ndim = g.ndim, .typesize = g.typesize};
    for (int i = 0; i < g.ndim; i++)
        j->grid.shape[i] = (int32_t)g.blockshape[i];
    j->f->grid = &j->grid;
}

static bool
is_array(const struct layers *metas)
{
    return layers_find(metas, "b2nd") || layers_find(metas, "caterva");
}

bool
salvage_fits(const struct frame *f)
{
    struct geometry g;
    if (!is_array(&f->metas))
        return true;
    return !f->h.vlblocks && find_geometry(&f->metas, f->h.typesize, &g) &&
           g.typesize == f->h.typesize && g.nchunks == f->index.nchunks &&
           (g.nchunks == 0 || g.chunksize == f->h.chunksize) &&
           f->h.nbytes == g.nchunks * g.chunksize;
}

// The metalayers of the header, which ends with them. bytes: all that it can have.
static tess_status
mend_layers(struct salvage_job *j, const uint8_t *bytes, size_t size, tess_error *err)
{
    const uint8_t *const src = bytes + FRAME_HEADER_SIZE;
    const int64_t length = get_u32be(bytes + HEADER_LEN_AT);
    struct layers *const metas = &j->f->metas;
    size_t end = 0;
    int lost = 0;
    const tess_status st =
        layers_salvage(src, size - FRAME_HEADER_SIZE, FRAME_HEADER_SIZE, metas, &lost, &end, err);
    j->f->head_size = FRAME_HEADER_SIZE + end;
    j->s->nlayers_unconfirmed = metas->count;
    if (st != TESS_OK || lost == 0 || length <= FRAME_HEADER_SIZE || length > (int64_t)size)
        return st;
    j->f->head_size = (size_t)length;
    j->s->nlayers_lost += lost;
    return TESS_OK;
}

// The fixed part as it must have been, but for lengths, which are those of the file.
static tess_status
mend_fixed(struct salvage_job *j, uint8_t *b, tess_error *err)
{
    struct frame *const f = j->f;
    struct geometry g;
    const uint8_t lengths = 0x10, version = b[FLAGS_AT] & 0x3f;

    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++)
        b[constants[i].at] = constants[i].value;
    if (version != (lengths | 2) && version != (lengths | 3))
        b[FLAGS_AT] = lengths | 2;
    b[TYPE_AT] = f->folder != NULL;
    put_u32be(b + HEADER_LEN_AT, (uint32_t)f->head_size);
    if (find_geometry(&f->metas, (int32_t)get_u32be(b + TYPESIZE_AT), &g)) {
        put_u32be(b + TYPESIZE_AT, (uint32_t)g.typesize);
        put_u64be(b + NBYTES_AT, (uint64_t)(g.nchunks * g.chunksize));
        if (g.nchunks > 0)
            put_u32be(b + CHUNKSIZE_AT, (uint32_t)g.chunksize);
        b[FLAGS_AT] &= 0x3f; // no chunks, nor blocks, of different sizes
        if (get_u32be(b + BLOCKSIZE_AT) > BLOCK_NBYTES_MAX)
            put_u32be(b + BLOCKSIZE_AT, (uint32_t)g.blocksize);
    } else if (is_array(&f->metas) || !j->has_own) {
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "the header is damaged, and nothing says what shape the array has");
    }
    j->s->header_damaged = memcmp(b, j->front, FRAME_HEADER_SIZE) != 0;
    put_u64be(b + FRAME_LEN_AT, (uint64_t)INT64_MAX);
    put_u64be(b + CBYTES_AT, 0);
    return frame_header_parse(b, FRAME_HEADER_SIZE, INT64_MAX, &f->h, err);
}

static tess_status
mend_header(struct salvage_job *j, tess_error *err)
{
    const int64_t size = min_i64(j->search.size, FRONT_MOST);
    tess_status st = TESS_OK;
    if (size <= FRAME_HEADER_SIZE)
        return err_set(err, TESS_ERR_FORMAT, 0, "%" PRId64 " bytes are no frame", size);
    uint8_t *const bytes = malloc((size_t)size);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header");
    TRY(io_read(j->search.io, 0, bytes, (size_t)size, err));
    TRY(mend_layers(j, bytes, (size_t)size, err));
    TRY(mend_fixed(j, bytes, err));
    if (j->f->h.version < 2 || j->f->h.fixed_size != FRAME_HEADER_SIZE)
        st = err_set(err, TESS_ERR_UNSUPPORTED, 0, "a frame from before c-blosc2 2.0");
out:
    free(bytes);
    return st;
}

// A length in the header, where it can be one of this file; else 0.
static int64_t
claimed(const struct salvage_job *j, int at)
{
    const uint64_t length = get_u64be(j->front + at);
    return length <= (uint64_t)j->search.size ? (int64_t)length : 0;
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
    const int64_t head = j->f->h.header_len;
    const int64_t cbytes = j->f->folder ? 0 : claimed(j, CBYTES_AT);
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

static int
by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Chunks, as ranges of the file; those of a directory are never one inside of another.
struct stray {
    struct salvage_job *j;
    int64_t *known; // entries that the list has; ascending
    size_t nknown;
    int64_t *ends; // of their chunks; 0: there is none
    int64_t *items; // entries of chunks that the list does not have
    int64_t count, capacity;
    int64_t until; // where they may begin in the file: before the index
    struct chunk_scratch scratch;
};

static tess_status
keep_stray(struct stray *x, int64_t entry, tess_error *err)
{
    if (x->count == x->capacity) {
        const int64_t capacity = x->capacity > 0 ? 2 * x->capacity : 64;
        int64_t *const items = realloc(x->items, (size_t)capacity * sizeof *items);
        if (!items)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of chunks");
        x->items = items;
        x->capacity = capacity;
    }
    x->items[x->count++] = entry;
    return TESS_OK;
}

// Whether all of a chunk can be decoded. It stands in for chunk 0 of the list meanwhile.
static bool
can_decode(struct stray *x, int64_t entry)
{
    struct frame *const f = x->j->f;
    const struct frame_index list = f->index;
    const int32_t chunksize = f->h.chunksize;
    f->index = (struct frame_index){.nchunks = 1, .uniform = entry};
    f->h.chunksize = 0; // whatever its size
    const tess_status st = stored_chunk_decode(f, 0, &x->scratch, NULL);
    f->h.chunksize = chunksize;
    f->index = list;
    return st == TESS_OK || st == TESS_ERR_UNSUPPORTED;
}

static tess_status
found_chunk(void *user, int64_t position, const struct chunk_header *h, bool *is_one,
            tess_error *err)
{
    struct stray *const x = user;
    const int64_t entry = position - x->j->f->h.header_len;
    if (bsearch(&entry, x->known, x->nknown, sizeof entry, by_value)) {
        *is_one = true;
        return TESS_OK;
    }
    const int64_t cost = (int64_t)h->cbytes + h->nbytes / TESS_MAX_NDIM;
    if (!search_may_try(&x->j->search, cost) || !can_decode(x, entry))
        return TESS_OK;
    x->j->search.left += cost;
    *is_one = true;
    return keep_stray(x, entry, err);
}

static tess_status
found_file(void *user, const char *name, tess_error *err)
{
    struct stray *const x = user;
    const struct frame_header *const fh = &x->j->f->h;
    struct chunk_header h;
    int64_t entry;
    if (!sparse_chunk_number(name, &entry) ||
        bsearch(&entry, x->known, x->nknown, sizeof entry, by_value) ||
        !salvage_look(x->j, entry, &h) || (fh->chunksize > 0 && h.nbytes > fh->chunksize) ||
        !can_decode(x, entry))
        return TESS_OK;
    return keep_stray(x, entry, err);
}

static tess_status
find_strays(struct stray *x, tess_error *err)
{
    const struct frame *const f = x->j->f;
    const bool sizes_differ = f->h.chunksize <= 0;
    const struct chunk_search what = {
        .from = f->h.header_len,
        .until = x->until,
        .typesize = f->h.typesize,
        .nbytes = sizes_differ ? -1 : f->h.chunksize,
        .nbytes_last = sizes_differ ? -1 : frame_chunk_nbytes(f, f->index.nchunks - 1),
        .found = found_chunk,
        .user = x,
    };
    if (!f->folder)
        return search_chunks(&x->j->search, &what, err);
    const tess_status st = folder_each(f->folder, found_file, x, err);
    if (x->count > 0)
        qsort(x->items, (size_t)x->count, sizeof *x->items, by_value);
    return st;
}

// Where the chunks of known entries end.
static tess_status
measure_known(struct stray *x, tess_error *err)
{
    struct chunk_header h;
    tess_status st = index_sorted(&x->j->f->index, &x->known, &x->nknown, err);
    if (st != TESS_OK)
        return st;
    x->ends = calloc(x->nknown + 1, sizeof *x->ends);
    if (!x->ends)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a list of chunks");
    for (size_t i = 0; i < x->nknown; i++)
        if (salvage_look(x->j, x->known[i], &h))
            x->ends[i] = x->known[i] + (x->j->f->folder ? 1 : h.cbytes);
    return TESS_OK;
}

// Whether an entry cannot be right, whatever damage the chunk has: it is that of another place,
// too, or inside of another chunk.
static bool
is_impossible(const struct stray *x, int64_t entry)
{
    const int64_t *const at = bsearch(&entry, x->known, x->nknown, sizeof entry, by_value);
    const size_t i = at ? (size_t)(at - x->known) : 0;
    if (!at)
        return false;
    if ((i > 0 && x->known[i - 1] == entry) || (i + 1 < x->nknown && x->known[i + 1] == entry))
        return true;
    return x->ends[i] == 0 && i > 0 && x->ends[i - 1] > entry;
}

// Whether chunks, those of the list and the others, stand one behind the other, from the first byte
// or number on. Else there may be some that an older state had.
static bool
is_gapless(const struct stray *x)
{
    struct chunk_header h;
    int64_t at = 0;
    size_t known = 0;
    int64_t next = 0;
    while (known < x->nknown || next < x->count) {
        const bool stray =
            next < x->count && (known == x->nknown || x->items[next] < x->known[known]);
        const int64_t entry = stray ? x->items[next++] : x->known[known++];
        if (entry != at || !salvage_look(x->j, entry, &h))
            return false;
        at = entry + (x->j->f->folder ? 1 : h.cbytes);
    }
    return true;
}

// Whether we wrote that trailer: our chunks stand in any order.
static bool
has_fingerprint(const struct frame *f)
{
    return f->tail && f->tail[f->tail_size - TRAILER_SEAL - 1] != 0;
}

// Places that are open get the chunks that nobody has.
static tess_status
fill_places(struct salvage_job *j, const struct stray *x, int64_t nopen, bool has_index,
            tess_error *err)
{
    struct frame *const f = j->f;
    int64_t next = 0;
    const bool ours = j->has_ledger || has_fingerprint(f);
    if (x->count != nopen || ours || !is_gapless(x))
        return has_index ? TESS_OK
                         : err_set(err, TESS_ERR_CORRUPT, -1,
                                   "%" PRId64 " chunks were found for %" PRId64
                                   " places, and nothing says which is where",
                                   x->count, nopen);
    for (int64_t n = 0; n < f->index.nchunks; n++)
        if (f->index.entries[n] == INDEX_LOST)
            f->index.entries[n] = x->items[next++];
    j->s->in_order = true;
    j->s->nfound += nopen;
    return TESS_OK;
}

// index_at: where the index is, or -1.
static tess_status
check_list(struct salvage_job *j, int64_t index_at, tess_error *err)
{
    struct frame *const f = j->f;
    const bool has_index = index_at >= 0;
    struct stray x = {.j = j,
                      .until = has_index ? index_at : j->search.size,
                      .scratch = {.limit = f->options.limits.memory}};
    int64_t nopen = 0;
    tess_status st = TESS_OK;
    if (!f->index.entries)
        return TESS_OK;
    use_grid(j);
    TRY(measure_known(&x, err));
    for (int64_t n = 0; n < f->index.nchunks; n++) {
        int64_t *const entry = &f->index.entries[n];
        if (*entry >= 0 && is_impossible(&x, *entry))
            *entry = INDEX_LOST;
        nopen += *entry == INDEX_LOST;
    }
    if (nopen == 0)
        goto out;
    j->s->index_damaged = true;
    free(x.known); // fewer by now
    free(x.ends);
    x.known = x.ends = NULL;
    TRY(measure_known(&x, err));
    TRY(find_strays(&x, err));
    TRY(fill_places(j, &x, nopen, has_index, err));
out:
    free(x.known);
    free(x.ends);
    free(x.items);
    scratch_finish(&x.scratch);
    return st;
}

tess_status
salvage_check_list(struct salvage_job *j, tess_error *err)
{
    return check_list(j, salvage_index_at(j), err);
}

// Index and trailer of a frame with the mended header.
static tess_status
find_list(struct salvage_job *j, struct index_search *x, tess_error *err)
{
    struct frame *const f = j->f;
    const int64_t cbytes = f->folder ? 0 : claimed(j, CBYTES_AT);
    const int64_t n = x->nchunks;
    tess_status st = TESS_OK;

    if (n > f->options.limits.nchunks || n * ENTRY_SIZE > f->options.limits.memory)
        return err_set(err, TESS_ERR_LIMIT, 30, "%" PRId64 " chunks", n);
    if (n > 0)
        st = find_index(x, err);
    else
        x->at = x->end = f->h.header_len;
    if (st != TESS_OK)
        return st;
    const bool found = x->at >= 0;
    const int64_t start = found ? x->end : f->h.header_len + cbytes;
    st = salvage_trailer(j, x->tail_end, start, found ? x->at : start, start, NULL, err);
    // Chunks may be anywhere from here on.
    f->h.cbytes = j->search.size - f->h.header_len;
    f->index = x->list;
    x->list = (struct frame_index){0};
    if (st == TESS_OK && !found) {
        index_init_uniform(&f->index, n, INDEX_LOST);
        st = index_reserve(&f->index, n, err);
    }
    return st == TESS_OK ? check_list(j, x->at, err) : st;
}

tess_status
salvage_by_header(struct salvage_job *j, tess_error *err)
{
    struct frame *const f = j->f;
    struct index_search x = {.j = j, .frame_len = claimed(j, FRAME_LEN_AT)};
    tess_status st = mend_header(j, err);
    if (st != TESS_OK)
        return st;
    if (f->h.chunksize <= 0 && f->h.nbytes > 0)
        return err_set(err, TESS_ERR_CORRUPT, 58, "a damaged frame with chunks of different sizes");
    x.nchunks = f->h.nbytes > 0 ? ceil_div(f->h.nbytes, f->h.chunksize) : 0;
    st = find_list(j, &x, err);
    index_finish(&x.list);
    if (st == TESS_OK && !f->sealed && has_fingerprint(f)) // one of the two; which is not known
        j->s->index_damaged = j->s->trailer_damaged = true;
    return st;
}
