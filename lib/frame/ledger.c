/*
 * ledger.c - what Tessera keeps about a state of a frame: see ledger.h for the bytes.
 */
#include "frame/ledger.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "chunk/cursor.h"
#include "chunk/encode.h"
#include "frame/header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARK_BIN32 = 0xc6,
    MARK_SIZE = 5, // the marker, and the bytes behind it
    FORMAT = 1,
    FIXED_SIZE = 40,
    NUMBER_AT = 8,
    HASH_AT = 16,
    KIND_SHIFT = 56,
    WORD = 8,
    MAGIC_AT = 2,
    BLOCKSIZE = 1 << 16,
    SIZE_MAX_KEPT = 1 << 28, // readers must load it, and by default take 1 GiB at most
};

#define COUNT_MASK ((UINT64_C(1) << KIND_SHIFT) - 1)

void
ledger_finish(struct ledger *x)
{
    free(x->content);
    *x = (struct ledger){0};
}

// Of the payload, whose hash is to be written, or was read.
static uint64_t
hash_of(uint8_t *payload, size_t size)
{
    put_u64le(payload + HASH_AT, 0);
    return checksum_of(payload, size);
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

// The next `count` words of a payload; NULL: they are not there.
static const uint8_t *
take_words(struct rd *r, uint64_t count)
{
    if (count > r->left / WORD)
        r->bad = true;
    return r->bad ? NULL : rd_take(r, (size_t)count * WORD);
}

static tess_status
parse_payload(uint8_t *payload, size_t size, struct ledger *x, tess_error *err)
{
    if (size < FIXED_SIZE || payload[0] != FORMAT)
        return err_set(err, TESS_ERR_CORRUPT, -1, "not a ledger of %s: %zu bytes", LEDGER_NAME,
                       size);
    const uint64_t hash = get_u64le(payload + HASH_AT);
    if (hash_of(payload, size) != hash)
        return err_set(err, TESS_ERR_CORRUPT, -1, "a ledger that is not what its checksum says");
    put_u64le(payload + HASH_AT, hash);

    struct rd r = rd_init(payload, size);
    (void)rd_take(&r, FIXED_SIZE);
    const uint32_t previous_size = get_u32le(payload + 24);
    x->number = get_u64le(payload + NUMBER_AT);
    x->head_size = get_u32le(payload + 4);
    x->head = take_head(&r, x->head_size);
    x->previous = previous_size > 0 ? take_head(&r, previous_size) : NULL;
    x->nruns = get_u32le(payload + 28);
    x->runs = take_words(&r, (uint64_t)x->nruns);
    x->checksums = take_words(&r, get_u64le(payload + 32));
    x->nstored = (int64_t)get_u64le(payload + 32); // as many as there are, or r.bad
    if (r.bad || r.left > 0 || (previous_size > 0 && previous_size != x->head_size))
        return err_set(err, TESS_ERR_CORRUPT, -1, "a ledger of %zu bytes that contradicts itself",
                       size);
    return TESS_OK;
}

tess_status
ledger_parse(const struct layer *layer, int64_t limit, struct ledger *x, tess_error *err)
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
        st = parse_payload(x->content + MARK_SIZE, size - MARK_SIZE, x, err);
    if (st != TESS_OK)
        ledger_finish(x);
    return st;
}

int64_t
ledger_size(const uint8_t *front)
{
    const int64_t head_size = get_u32le(front + 4), previous_size = get_u32le(front + 24);
    const int64_t nruns = get_u32le(front + 28);
    const uint64_t nstored = get_u64le(front + 32);
    if (front[0] != FORMAT || front[1] != 0 || front[2] != 0 || front[3] != 0 ||
        head_size < FRAME_HEADER_SIZE || (previous_size > 0 && previous_size != head_size) ||
        nstored > SIZE_MAX_KEPT)
        return 0;
    const int64_t size = FIXED_SIZE + head_size + previous_size + (nruns + (int64_t)nstored) * WORD;
    return size <= SIZE_MAX_KEPT ? size : 0;
}

tess_status
ledger_take(uint8_t *bytes, size_t size, struct ledger *x, tess_error *err)
{
    *x = (struct ledger){.content = bytes};
    const tess_status st = parse_payload(bytes, size, x, err);
    if (st != TESS_OK)
        ledger_finish(x);
    return st;
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

tess_status
ledger_make(const struct frame_index *list, const struct checksums *checksums, size_t head_size,
            bool previous, struct layer *layer, tess_error *err)
{
    int64_t nstored;
    uint8_t *bytes;
    const int64_t nruns = count_runs(list, NULL, &nstored);
    const size_t previous_size = previous && head_size > LEDGER_SECTOR ? head_size : 0;
    const size_t payload_size =
        FIXED_SIZE + head_size + previous_size + (size_t)(nruns + nstored) * WORD;

    int32_t cbytes;
    if (payload_size > SIZE_MAX_KEPT)
        return err_set(err, TESS_ERR_LIMIT, -1, "a ledger of %zu bytes, at most %d are kept",
                       payload_size, SIZE_MAX_KEPT);
    const tess_status st =
        chunk_of_room(MARK_SIZE + payload_size, BLOCKSIZE, &layer->content, &cbytes, &bytes, err);
    if (st != TESS_OK)
        return st;
    strcpy(layer->name, LEDGER_NAME);
    layer->size = (uint32_t)cbytes;
    bytes[0] = MARK_BIN32;
    put_u32be(bytes + 1, (uint32_t)payload_size);
    uint8_t *const payload = bytes + MARK_SIZE;
    memset(payload, 0, FIXED_SIZE + head_size + previous_size);
    payload[0] = FORMAT;
    put_u32le(payload + 4, (uint32_t)head_size);
    put_u32le(payload + 24, (uint32_t)previous_size);
    put_u32le(payload + 28, (uint32_t)nruns);
    put_u64le(payload + 32, (uint64_t)nstored);

    uint8_t *at = payload + FIXED_SIZE + head_size + previous_size;
    count_runs(list, at, &nstored);
    at += nruns * WORD;
    for (int64_t n = 0; nstored > 0 && n < list->nchunks; n++) {
        const int64_t entry = index_get(list, n);
        if (entry < 0)
            continue;
        put_u64le(at, checksums_get(checksums, entry));
        at += WORD;
    }
    return TESS_OK;
}

static void
put_head(uint8_t *dst, const uint8_t *head, size_t size)
{
    memcpy(dst, head, size);
    dst[MAGIC_AT] = 0;
}

void
ledger_seal(uint8_t *content, size_t size, uint64_t number, const uint8_t *head,
            const uint8_t *previous)
{
    uint8_t *const payload = content + CHUNK_HEADER_SIZE + MARK_SIZE;
    const size_t payload_size = size - CHUNK_HEADER_SIZE - MARK_SIZE;
    const size_t head_size = get_u32le(payload + 4);
    const size_t previous_size = get_u32le(payload + 24);

    put_u64le(payload + NUMBER_AT, number);
    put_head(payload + FIXED_SIZE, head, head_size);
    if (previous_size > 0)
        put_head(payload + FIXED_SIZE + head_size, previous, previous_size);
    put_u64le(payload + HASH_AT, hash_of(payload, payload_size));
}

bool
ledger_sees_torn(const struct ledger *x, const uint8_t *head, size_t head_size)
{
    bool older = false;
    if (!x->previous || x->head_size != head_size)
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
