/*
 * parts.c - index, trailer and shape of a damaged frame, as far as they can be read.
 */
#include "salvage/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/plugin.h"
#include "chunk/content.h"
#include "chunk/header.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/format/trailer.h"
#include "frame/frame.h"
#include "geom/shape.h"
#include "io/io.h"
#include "meta/dtype.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"

#include <inttypes.h>

// -- index and trailer

// A piece of the file. *bytes is NULL on failure.
static tess_status
parts_load(const struct salvage_job *j, int64_t position, int64_t size, uint8_t **bytes,
           tess_error *err)
{
    *bytes = NULL;
    if (position < 0 || size < 1 || position > j->search.size || size > j->search.size - position)
        return err_set(err, TESS_ERR_CORRUPT, position, "%" PRId64 " bytes that the file has not",
                       size);
    if (size > j->limits.memory)
        return err_set(err, TESS_ERR_LIMIT, position, "%" PRId64 " bytes in one piece", size);
    *bytes = mem_alloc((size_t)size);
    if (!*bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", size);
    const tess_status st = io_read(j->search.io, position, *bytes, (size_t)size, err);
    if (st == TESS_OK)
        return st;
    mem_free(*bytes);
    *bytes = NULL;
    return st;
}

int64_t
salvage_index_at(const struct salvage_job *j)
{
    const struct frame_header *const h = &j->h;
    return h->header_len + (h->nbytes > 0 && !j->folder ? h->cbytes : 0);
}

tess_status
salvage_index(const struct salvage_job *j, int64_t position, int64_t nchunks,
              struct frame_index *list, int64_t *end, tess_error *err)
{
    const int64_t entry_max =
        j->folder ? UINT32_MAX : position - j->h.header_len - CHUNK_HEADER_MIN;
    const int64_t room = j->search.size - position;
    struct chunk_header h;
    uint8_t *bytes;

    *list = (struct frame_index){0};
    tess_status st = parts_load(j, position, min_i64(room, CHUNK_HEADER_SIZE), &bytes, err);
    if (st != TESS_OK)
        return st;
    st = chunk_header_parse(bytes, (size_t)min_i64(room, CHUNK_HEADER_SIZE), room, 8, &h, err);
    mem_free(bytes);
    if (st == TESS_OK)
        st = parts_load(j, position, h.cbytes, &bytes, err);
    if (st != TESS_OK)
        return st;
    st = index_salvage(list, bytes, (size_t)h.cbytes, nchunks, entry_max, j->limits.memory, err);
    mem_free(bytes);
    *end = position + h.cbytes;
    return st;
}

// Whether the content of a metalayer can be decoded, or needs a codec that this build has not.
static bool
is_readable(const struct salvage_job *j, const struct layer *layer)
{
    uint8_t *content = NULL;
    size_t size;
    const tess_status st =
        chunk_content(layer->content, layer->size, j->limits.memory, &content, &size, NULL);
    mem_free(content);
    return st == TESS_OK || st == TESS_ERR_UNSUPPORTED;
}

void
salvage_drop_damaged(struct salvage_job *j)
{
    struct layers *const l = &j->parts.vlmetas;
    for (int i = l->count - 1; i >= 0; i--) {
        if (is_readable(j, &l->items[i]))
            continue;
        j->s->nlayers_lost++;
        layers_remove(l, &l->items[i]);
    }
}

// Of a trailer that is damaged, the metalayers that the ledger confirms.
static void
keep_recorded(struct salvage_job *j, const struct ledger *ledger, struct layers *l)
{
    for (int i = l->count - 1; i >= 0; i--)
        if (ledger_check_layer(ledger, &l->items[i]) != LEDGER_SAME)
            layers_remove(l, &l->items[i]);
    j->s->nlayers_lost = ledger->nlayers - l->count;
}

// From what is in the trailer to what is believed of it. ledger: NULL, there is none.
static void
choose_layers(struct salvage_job *j, const struct ledger *ledger, int parsing_lost)
{
    struct layers *const l = &j->parts.vlmetas;
    struct layer *const ref = layers_find(l, LEDGER_NAME);
    const bool recorded = ledger && ledger->nlayers >= 0;
    if (ref)
        layers_remove(l, ref);
    if (recorded && !j->parts.sealed) {
        keep_recorded(j, ledger, l);
    } else {
        j->s->nlayers_lost += parsing_lost;
        if (!j->parts.sealed)
            j->s->nlayers_unconfirmed += l->count;
    }
    salvage_drop_damaged(j);
}

// What can be read of a trailer whose end is damaged, or lost. *lost: metalayers that cannot.
static tess_status
parse_rest(struct salvage_job *j, int64_t start, int64_t frame_len, int *lost, tess_error *err)
{
    enum { LAYERS_AT = 2 };
    const int64_t stop = frame_len > start ? min_i64(frame_len, j->search.size) : j->search.size;
    struct layers *const l = &j->parts.vlmetas;
    uint8_t *bytes;
    size_t end;

    j->s->trailer_damaged = true;
    tess_status st = parts_load(j, start, stop - start, &bytes, NULL);
    if (st != TESS_OK)
        return st == TESS_ERR_NOMEM ? err_set(err, st, -1, "no memory for a trailer") : TESS_OK;
    if (stop - start > LAYERS_AT)
        st = layers_salvage(bytes + LAYERS_AT, (size_t)(stop - start - LAYERS_AT), LAYERS_AT, l,
                            lost, &end, err);
    mem_free(bytes);
    return st;
}

// Whether a trailer that can be parsed, and the index, are what the fingerprint says. 0: not known.
static bool
is_sealed(const struct salvage_job *j, const uint8_t *tail, size_t tail_size, int64_t index_at,
          int64_t index_end)
{
    uint8_t *index = NULL;
    bool sealed = false;
    if (j->h.nbytes > 0 && parts_load(j, index_at, index_end - index_at, &index, NULL) != TESS_OK)
        return false;
    const size_t size = index ? (size_t)(index_end - index_at) : 0;
    if (trailer_check_seal(tail, tail_size, index, size, &sealed, NULL) != TESS_OK)
        sealed = false;
    mem_free(index);
    return sealed;
}

static tess_status
load_tail(const struct salvage_job *j, int64_t frame_len, uint8_t **tail, int64_t *length,
          tess_error *err)
{
    uint8_t *end;
    *tail = NULL;
    tess_status st = parts_load(j, frame_len - TRAILER_FIXED_END, TRAILER_FIXED_END, &end, err);
    if (st == TESS_OK)
        st = trailer_length(end, frame_len - j->h.header_len, length, err);
    mem_free(end);
    return st == TESS_OK ? parts_load(j, frame_len - *length, *length, tail, err) : st;
}

bool
salvage_is_sealed(const struct salvage_job *j, int64_t frame_len, int64_t index_at,
                  int64_t index_end)
{
    uint8_t *tail;
    int64_t length;
    const bool sealed = load_tail(j, frame_len, &tail, &length, NULL) == TESS_OK &&
                        is_sealed(j, tail, (size_t)length, index_at, index_end);
    mem_free(tail);
    return sealed;
}

tess_status
salvage_trailer(struct salvage_job *j, int64_t frame_len, int64_t start, int64_t index_at,
                int64_t index_end, const struct ledger *ledger, tess_error *err)
{
    uint8_t *tail;
    int64_t length = 0;
    int lost = 0;
    tess_status st = load_tail(j, frame_len, &tail, &length, err);
    if (st == TESS_OK) {
        j->parts.fingerprint = trailer_has_fingerprint(tail, (size_t)length);
        st = trailer_parse(tail, (size_t)length, &j->parts.vlmetas, err);
    }
    const bool parsed = st == TESS_OK;
    if (parsed)
        j->parts.sealed = is_sealed(j, tail, (size_t)length, index_at, index_end);
    else if (st != TESS_ERR_NOMEM)
        st = parse_rest(j, start, frame_len, &lost, err);
    mem_free(tail);
    if (st != TESS_OK)
        return st;
    j->s->trailer_source =
        parsed || j->parts.vlmetas.count > 0 ? TESS_REPAIR_IN_PLACE : TESS_REPAIR_LOST;
    choose_layers(j, ledger, lost);
    return TESS_OK;
}

// -- the N-dimensional layer

static bool
make_geometry(const struct ndlayer *nd, int64_t typesize, struct geometry *g)
{
    int64_t chunkshape[NDIM_MAX], blockshape[NDIM_MAX], nbytes; // with the padding of its chunks
    for (int i = 0; i < nd->ndim; i++) {
        chunkshape[i] = nd->chunkshape[i];
        blockshape[i] = nd->blockshape[i];
    }
    return typesize > 0 && typesize <= TYPESIZE_MAX &&
           geometry_init(g, nd->ndim, nd->shape, chunkshape, blockshape, (int32_t)typesize,
                         TESS_ERR_CORRUPT, NULL) == TESS_OK &&
           mul_i64(g->nchunks, g->chunksize, &nbytes);
}

bool
salvage_find_geometry(const struct layers *metas, int32_t typesize, int32_t chunksize,
                      struct geometry *g)
{
    struct ndlayer nd = {0};
    const struct layer *layer = layers_find(metas, "b2nd");
    const bool caterva = !layer;
    if (!layer)
        layer = layers_find(metas, "caterva");
    if (!layer || ndlayer_parse(layer->content, layer->size, caterva, &nd, NULL) != TESS_OK)
        return false;
    const int64_t size = nd.dtype && nd.dtype_format == 0 ? dtype_parse(nd.dtype).size : 0;
    const bool own = make_geometry(&nd, typesize, g);
    const bool agrees = own && g->chunksize == chunksize; // whatever the type is called
    const bool fits =
        agrees || size <= 0 || size > TYPESIZE_MAX ? own : make_geometry(&nd, size, g);
    ndlayer_finish(&nd);
    return fits;
}

void
salvage_use_grid(struct salvage_job *j)
{
    struct geometry g;
    if (!salvage_find_geometry(&j->parts.metas, j->h.typesize, j->h.chunksize, &g))
        return;
    j->grid = (struct block_grid){.ndim = g.ndim, .typesize = g.typesize};
    for (int i = 0; i < g.ndim; i++)
        j->grid.shape[i] = (int32_t)g.blockshape[i];
    frame_set_grid(j->f, &j->grid);
}

bool
salvage_is_array(const struct layers *metas)
{
    return layers_find(metas, "b2nd") || layers_find(metas, "caterva");
}

bool
salvage_fits(const struct salvage_job *j)
{
    const struct frame_header *const h = &j->h;
    struct geometry g;
    if (!salvage_is_array(&j->parts.metas))
        return true;
    return !h->vlblocks && salvage_find_geometry(&j->parts.metas, h->typesize, h->chunksize, &g) &&
           g.typesize == h->typesize && g.nchunks == j->parts.list.nchunks &&
           (g.nchunks == 0 || g.chunksize == h->chunksize) && h->nbytes == g.nchunks * g.chunksize;
}
