/*
 * ledger.c - what Tessera keeps about a state of a frame: see ledger.h for the bytes.
 */
#include "frame/format/ledger.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "chunk/content.h"
#include "chunk/header.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "meta/layers.h"

#include <string.h>

enum {
    MARK_BIN32 = 0xc6,
    MARK_SIZE = 5, // the marker, and the bytes behind it
    FORMAT_V1 = 1,
    FORMAT = 2,
    FIXED_SIZE_V1 = 40,
    FIXED_SIZE = 56,
    HEAD_SIZE_AT = 4,
    NUMBER_AT = 8,
    HASH_AT = 16,
    PREVIOUS_SIZE_AT = 24,
    NRUNS_AT = 28,
    NSTORED_AT = 32,
    POSITION_AT = 40,
    NLAYERS_AT = 48,
    NAME_SIZE = 32,
    LAYER_SIZE = NAME_SIZE + 8,
    KIND_SHIFT = 56,
    WORD = 8,
    MAGIC_AT = 2,
    SIZE_MAX_KEPT = 1 << 28, // readers must load it, and by default take 1 GiB at most
};

_Static_assert(LEDGER_FRONT == FIXED_SIZE && LEDGER_MARK_AT == FIXED_SIZE,
               "the header's copy follows the fixed part");

#define COUNT_MASK ((UINT64_C(1) << KIND_SHIFT) - 1)

void
ledger_finish(struct ledger *x)
{
    mem_free(x->content);
    *x = (struct ledger){0};
}

// Of a block, whose hash is to be written, or was read.
static uint64_t
hash_of_ledger(uint8_t *block, size_t size)
{
    put_u64le(block + HASH_AT, 0);
    return checksum_of(block, size);
}

// The next `size` bytes, a header with its magic, which it is given back.
static uint8_t *
take_head(struct rd *r, size_t size)
{
    uint8_t *const head = (uint8_t *)rd_take(r, size);
    if (size <= MAGIC_AT)
        r->bad = true;
    if (!r->bad)
        head[MAGIC_AT] = (uint8_t)FRAME_MAGIC[0];
    return head;
}

// The next `count` records; NULL: they are not there.
static const uint8_t *
take_records(struct rd *r, uint64_t count, size_t size)
{
    if (count > r->left / size)
        r->bad = true;
    return r->bad ? NULL : rd_take(r, (size_t)count * size);
}

static tess_status
parse_block(uint8_t *block, size_t size, struct ledger *x, tess_error *err)
{
    const bool old = size >= FIXED_SIZE_V1 && block[0] == FORMAT_V1;
    if (!old && (size < FIXED_SIZE || block[0] != FORMAT))
        return err_set(err, TESS_ERR_CORRUPT, -1, "%zu bytes that are no ledger", size);
    x->hash = get_u64le(block + HASH_AT);
    if (hash_of_ledger(block, size) != x->hash)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "a ledger of %zu bytes that does not match its checksum", size);
    put_u64le(block + HASH_AT, x->hash);

    struct rd r = rd_init(block, size);
    (void)rd_take(&r, old ? FIXED_SIZE_V1 : FIXED_SIZE);
    const uint32_t previous_size = get_u32le(block + PREVIOUS_SIZE_AT);
    x->number = get_u64le(block + NUMBER_AT);
    x->position = old ? -1 : ledger_position(block);
    x->head_size = get_u32le(block + HEAD_SIZE_AT);
    x->head = take_head(&r, x->head_size);
    x->previous = previous_size > 0 ? take_head(&r, previous_size) : NULL;
    x->nlayers = old ? -1 : (int)(get_u32le(block + NLAYERS_AT) & INT32_MAX);
    x->layers = old ? NULL : take_records(&r, (uint64_t)x->nlayers, LAYER_SIZE);
    x->nruns = get_u32le(block + NRUNS_AT);
    x->runs = take_records(&r, (uint64_t)x->nruns, WORD);
    x->checksums = take_records(&r, get_u64le(block + NSTORED_AT), WORD);
    x->nstored = (int64_t)get_u64le(block + NSTORED_AT); // as many as there are, or r.bad
    if (r.bad || r.left > 0 || (previous_size > 0 && previous_size != x->head_size))
        return err_set(err, TESS_ERR_CORRUPT, -1, "a ledger of %zu bytes that contradicts itself",
                       size);
    return TESS_OK;
}

tess_status
ledger_take(uint8_t *bytes, size_t size, struct ledger *x, tess_error *err)
{
    *x = (struct ledger){.content = bytes};
    const tess_status st = parse_block(bytes, size, x, err);
    if (st != TESS_OK)
        ledger_finish(x);
    return st;
}

tess_status
ledger_parse_v1(const struct layer *layer, int64_t limit, struct ledger *x, tess_error *err)
{
    size_t size;
    *x = (struct ledger){0};
    tess_status st = chunk_content(layer->content, layer->size, limit, &x->content, &size, err);
    if (st != TESS_OK)
        return st;
    if (size < MARK_SIZE || x->content[0] != MARK_BIN32 ||
        get_u32be(x->content + 1) != size - MARK_SIZE)
        st = err_set(err, TESS_ERR_CORRUPT, -1, "%zu bytes that are no msgpack bin of their size",
                     size);
    else
        st = parse_block(x->content + MARK_SIZE, size - MARK_SIZE, x, err);
    if (st != TESS_OK)
        ledger_finish(x);
    return st;
}

int64_t
ledger_position(const uint8_t *front)
{
    return (int64_t)(get_u64le(front + POSITION_AT) & INT64_MAX);
}

int64_t
ledger_size(const uint8_t *front, int mark_at)
{
    const bool old = mark_at == LEDGER_MARK_AT_V1;
    const int64_t head_size = get_u32le(front + HEAD_SIZE_AT);
    const int64_t previous_size = get_u32le(front + PREVIOUS_SIZE_AT);
    const int64_t nruns = get_u32le(front + NRUNS_AT);
    const int64_t nlayers = old ? 0 : get_u32le(front + NLAYERS_AT);
    const uint64_t nstored = get_u64le(front + NSTORED_AT);
    if (front[0] != (old ? FORMAT_V1 : FORMAT) || front[1] != 0 || front[2] != 0 || front[3] != 0 ||
        head_size < FRAME_HEADER_SIZE || (previous_size > 0 && previous_size != head_size) ||
        nstored > SIZE_MAX_KEPT)
        return 0;
    const int64_t size = (old ? FIXED_SIZE_V1 : FIXED_SIZE) + head_size + previous_size +
                         nlayers * LAYER_SIZE + (nruns + (int64_t)nstored) * WORD;
    return size <= SIZE_MAX_KEPT ? size : 0;
}

static tess_status
other_list(tess_error *err)
{
    return err_set(err, TESS_ERR_CORRUPT, -1, "a list of checksums that is not that of the index");
}

tess_status
ledger_load(const struct ledger *x, const struct frame_index *list, struct checksums *checksums,
            tess_error *err)
{
    int64_t n = 0, stored = 0;
    const tess_status st = checksums_reserve(checksums, x->nstored, err);
    if (st != TESS_OK)
        return st;
    for (int64_t i = 0; i < x->nruns; i++) {
        const uint64_t run = get_u64le(x->runs + i * WORD);
        const int64_t count = (int64_t)(run & COUNT_MASK);
        if (count > list->nchunks - n)
            return other_list(err);
        if (run >> KIND_SHIFT != SPECIAL_NONE) {
            n += count;
            continue;
        }
        if (count > x->nstored - stored)
            return other_list(err);
        for (const int64_t end = n + count; n < end; n++, stored++) {
            const int64_t entry = index_get(list, n);
            if (entry < 0)
                return other_list(err);
            checksums_set(checksums, entry, get_u64le(x->checksums + stored * WORD));
        }
    }
    return n == list->nchunks && stored == x->nstored ? TESS_OK : other_list(err);
}

// Runs of chunks of one kind; written where `runs` is not NULL. *nstored: how many are stored.
static int64_t
count_runs(const struct frame_index *list, uint8_t *runs, int64_t *nstored)
{
    int64_t nruns = 0;
    *nstored = 0;
    for (int64_t n = 0, next; n < list->nchunks; n = next) {
        const enum chunk_special kind = index_special(index_get(list, n));
        next = list->entries ? n + 1 : list->nchunks;
        if (kind == SPECIAL_NONE) // the usual case, without a call for each
            while (next < list->nchunks && list->entries[next] >= 0)
                next++;
        while (next < list->nchunks && index_special(list->entries[next]) == kind)
            next++;
        if (kind == SPECIAL_NONE)
            *nstored += next - n;
        if (runs)
            put_u64le(runs + nruns * WORD, (uint64_t)kind << KIND_SHIFT | (uint64_t)(next - n));
        nruns++;
    }
    return nruns;
}

static uint64_t
layer_hash(const struct layer *layer)
{
    return checksum_of(layer->content ? layer->content : (const uint8_t *)"", layer->size);
}

static void
put_layers(uint8_t *dst, const struct layers *l)
{
    for (int i = 0; i < l->count; i++, dst += LAYER_SIZE) {
        strncpy((char *)dst, l->items[i].name, NAME_SIZE);
        put_u64le(dst + NAME_SIZE, layer_hash(&l->items[i]));
    }
}

enum ledger_verdict
ledger_check_layer(const struct ledger *x, const struct layer *layer)
{
    const uint8_t *at = x->layers;
    for (int i = 0; i < x->nlayers; i++, at += LAYER_SIZE)
        if (strncmp((const char *)at, layer->name, NAME_SIZE) == 0)
            return get_u64le(at + NAME_SIZE) == layer_hash(layer) ? LEDGER_SAME : LEDGER_DIFFERS;
    return LEDGER_UNKNOWN;
}

tess_status
ledger_make(const struct ledger_source *from, uint8_t **block, size_t *size, tess_error *err)
{
    int64_t nstored;
    const struct frame_index *const list = from->list;
    const int64_t nruns = count_runs(list, NULL, &nstored);
    const bool previous = from->previous && from->head_size > LEDGER_SECTOR;
    const size_t heads = from->head_size * (previous ? 2 : 1);
    const size_t layers = (size_t)from->vlmetas->count * LAYER_SIZE;

    *size = FIXED_SIZE + heads + layers + (size_t)(nruns + nstored) * WORD;
    if (*size > SIZE_MAX_KEPT)
        return err_set(err, TESS_ERR_LIMIT, -1, "a ledger of %zu bytes, at most %d are kept", *size,
                       SIZE_MAX_KEPT);
    uint8_t *const bytes = mem_alloc(*size);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a ledger of %zu bytes", *size);
    memset(bytes, 0, FIXED_SIZE + heads + layers);
    bytes[0] = FORMAT;
    put_u32le(bytes + HEAD_SIZE_AT, (uint32_t)from->head_size);
    put_u32le(bytes + PREVIOUS_SIZE_AT, previous ? (uint32_t)from->head_size : 0);
    put_u32le(bytes + NRUNS_AT, (uint32_t)nruns);
    put_u64le(bytes + NSTORED_AT, (uint64_t)nstored);
    put_u32le(bytes + NLAYERS_AT, (uint32_t)from->vlmetas->count);

    uint8_t *at = bytes + FIXED_SIZE + heads;
    put_layers(at, from->vlmetas);
    at += layers;
    count_runs(list, at, &nstored);
    at += nruns * WORD;
    if (nstored > 0) // else there may be no entries
        checksums_write(from->checksums, list->entries, list->nchunks, at);
    *block = bytes;
    return TESS_OK;
}

static void
put_head(uint8_t *dst, const uint8_t *head, size_t size)
{
    memcpy(dst, head, size);
    dst[MAGIC_AT] = 0;
}

uint64_t
ledger_seal(uint8_t *block, size_t size, uint64_t number, int64_t position, const uint8_t *head,
            const uint8_t *previous)
{
    const size_t head_size = get_u32le(block + HEAD_SIZE_AT);
    const size_t previous_size = get_u32le(block + PREVIOUS_SIZE_AT);

    put_u64le(block + NUMBER_AT, number);
    put_u64le(block + POSITION_AT, (uint64_t)position);
    put_head(block + FIXED_SIZE, head, head_size);
    if (previous_size > 0)
        put_head(block + FIXED_SIZE + head_size, previous, previous_size);
    const uint64_t hash = hash_of_ledger(block, size);
    put_u64le(block + HASH_AT, hash);
    return hash;
}

bool
ledger_sees_torn(const struct ledger *x, const uint8_t *head, size_t head_size)
{
    bool older = false;
    if (!x->previous || x->head_size != head_size || !frame_header_is_marked(head))
        return false;
    for (size_t at = 0; at < head_size; at += LEDGER_SECTOR) {
        const size_t size = (size_t)min_i64(LEDGER_SECTOR, (int64_t)(head_size - at));
        if (memcmp(head + at, x->head + at, size) == 0)
            continue;
        if (memcmp(head + at, x->previous + at, size) != 0)
            return false;
        older = true;
    }
    return older;
}
