/*
 * index.c - the list of a frame's chunks, its chunk in the file, and their order there.
 */
#include "frame/format/index.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/swap.h"
#include "chunk/content.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/encoder.h"
#include "chunk/encode/flat.h"
#include "codec/codec.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTRY_SIZE = 8,
    BLOCKSIZE = 16384, // what c-blosc2 decodes to find one entry
    SPECIAL_MARK = 0x80,
    SPECIAL_BYTE_SHIFT = 56,
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
    SORTED_MIN = 4096, // values that are worth more than qsort()
};

void
index_finish(struct frame_index *x)
{
    mem_free(x->entries);
    *x = (struct frame_index){0};
}

int64_t
index_entry_of(enum chunk_special special)
{
    return (int64_t)((uint64_t)(SPECIAL_MARK | special) << SPECIAL_BYTE_SHIFT);
}

enum chunk_special
index_special(int64_t entry)
{
    if (entry >= 0)
        return SPECIAL_NONE;
    return (enum chunk_special)((uint64_t)entry >> SPECIAL_BYTE_SHIFT & 0x7f);
}

void
index_init_uniform(struct frame_index *x, int64_t n, enum chunk_special special)
{
    assert(special != SPECIAL_VALUE); // which has an item, and is stored
    *x = (struct frame_index){.nchunks = n, .uniform = special};
}

tess_status
index_reserve(struct frame_index *x, int64_t n, tess_error *err)
{
    if (x->entries && n <= x->capacity)
        return TESS_OK;
    const int64_t capacity = max_i64(max_i64(n, x->capacity + x->capacity / 2), 16);
    int64_t *const entries = mem_resize(x->entries, (size_t)capacity * sizeof *entries);
    if (!entries)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index of %" PRId64 " chunks", n);
    if (!x->entries)
        for (int64_t i = 0; i < x->nchunks; i++)
            entries[i] = index_entry_of(x->uniform);
    x->entries = entries;
    x->capacity = capacity;
    return TESS_OK;
}

tess_status
index_set(struct frame_index *x, int64_t n, int64_t entry, tess_error *err)
{
    if (!x->entries && entry == index_entry_of(x->uniform))
        return TESS_OK;
    const tess_status st = index_reserve(x, x->nchunks, err);
    if (st == TESS_OK)
        x->entries[n] = entry;
    return st;
}

tess_status
index_resize(struct frame_index *x, int64_t n, enum chunk_special special, tess_error *err)
{
    assert(special != SPECIAL_VALUE);
    if (n > INDEX_NCHUNKS_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "%" PRId64 " chunks, a frame has at most %d", n,
                       INDEX_NCHUNKS_MAX);
    if (!x->entries && (x->nchunks == 0 || n <= x->nchunks || special == x->uniform)) {
        if (x->nchunks == 0)
            x->uniform = special;
        x->nchunks = n;
        return TESS_OK;
    }
    const tess_status st = index_reserve(x, max_i64(n, x->nchunks), err);
    if (st != TESS_OK)
        return st;
    for (int64_t i = x->nchunks; i < n; i++)
        x->entries[i] = index_entry_of(special);
    x->nchunks = n;
    return TESS_OK;
}

static tess_status
check_entry(int64_t entry, int64_t n, int64_t entry_max, tess_error *err)
{
    if (entry >= 0) {
        if (entry <= entry_max)
            return TESS_OK;
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "chunk %" PRId64 " at %" PRId64 ", at most %" PRId64 " can be", n, entry,
                       entry_max);
    }
    switch (index_special(entry)) {
    case SPECIAL_ZEROS:
    case SPECIAL_NANS:
    case SPECIAL_UNINIT:
        return TESS_OK;
    default:
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "chunk %" PRId64 " has the unknown special entry 0x%016" PRIx64, n,
                       (uint64_t)entry);
    }
}

// All entries equal, and special: nothing to store.
static tess_status
parse_uniform(struct frame_index *x, const struct chunk_header *h, const uint8_t *item,
              int64_t entry_max, tess_error *err)
{
    const int64_t entry = (int64_t)get_u64le(item);
    const tess_status st = check_entry(entry, 0, entry_max, err);
    if (st == TESS_OK)
        index_init_uniform(x, h->nbytes / ENTRY_SIZE, index_special(entry));
    return st;
}

// The bytes become the entries where they are, and belong to the index then. A list of a million
// is 8 MB: another place for it would cost more than the work.
static tess_status
parse_entries(struct frame_index *x, uint8_t *bytes, int64_t n, int64_t entry_max, tess_error *err)
{
    void *const place = bytes; // from malloc()
    int64_t *const entries = place;
    uint64_t beyond = (uint64_t)entry_max; // the top bit: some entry is no position of a chunk
    for (int64_t i = 0; i < n; i++) {
        const uint64_t entry = get_u64le(bytes + i * ENTRY_SIZE);
        entries[i] = (int64_t)entry;
        beyond |= entry | ((uint64_t)entry_max - entry);
    }
    for (int64_t i = 0; i < n && beyond >> 63; i++) {
        const tess_status st = check_entry(entries[i], i, entry_max, err);
        if (st != TESS_OK)
            return st;
    }
    *x = (struct frame_index){.nchunks = n, .entries = entries, .capacity = n};
    return TESS_OK;
}

tess_status
index_parse(struct frame_index *x, const uint8_t *src, size_t size, int64_t nchunks,
            int64_t entry_max, int64_t limit, tess_error *err)
{
    struct chunk_header h;
    uint8_t *bytes = NULL;
    size_t nbytes = 0;
    const size_t head = size < CHUNK_HEADER_SIZE ? size : CHUNK_HEADER_SIZE;

    *x = (struct frame_index){0};
    tess_status st = chunk_header_parse(src, head, (int64_t)size, ENTRY_SIZE, &h, err);
    if (st != TESS_OK)
        return st;
    if (h.nbytes % ENTRY_SIZE != 0 || h.vlblocks ||
        (nchunks >= 0 && h.nbytes / ENTRY_SIZE != nchunks))
        return err_set(err, TESS_ERR_CORRUPT, 4,
                       "an index of %" PRId32 " bytes, for %" PRId64 " chunks", h.nbytes, nchunks);
    if (h.special == SPECIAL_VALUE && h.cbytes == CHUNK_HEADER_SIZE + ENTRY_SIZE &&
        (size_t)h.cbytes <= size && (src[CHUNK_HEADER_SIZE + ENTRY_SIZE - 1] & SPECIAL_MARK))
        return parse_uniform(x, &h, src + CHUNK_HEADER_SIZE, entry_max, err);

    st = chunk_content(src, (size_t)h.cbytes, limit, &bytes, &nbytes, err);
    if (st == TESS_OK && nbytes > 0)
        st = parse_entries(x, bytes, (int64_t)nbytes / ENTRY_SIZE, entry_max, err);
    if (!x->entries)
        mem_free(bytes);
    return st;
}

tess_status
index_salvage(struct frame_index *x, const uint8_t *src, size_t size, int64_t nchunks,
              int64_t entry_max, int64_t limit, tess_error *err)
{
    struct chunk_header h;
    uint8_t *bytes;
    size_t nbytes;
    *x = (struct frame_index){0};
    tess_status st = chunk_header_parse(src, size < CHUNK_HEADER_SIZE ? size : CHUNK_HEADER_SIZE,
                                        (int64_t)size, ENTRY_SIZE, &h, err);
    if (st == TESS_OK && h.typesize != ENTRY_SIZE)
        st = err_set(err, TESS_ERR_CORRUPT, 3, "an index with items of %" PRId32 " bytes",
                     h.typesize);
    if (st != TESS_OK)
        return st;
    st = index_parse(x, src, size, nchunks, entry_max, limit, err);
    if (st == TESS_OK || !h.memcpyed) // else damage stays where it is
        return st;
    st = chunk_content(src, size, limit, &bytes, &nbytes, err);
    if (st != TESS_OK)
        return st;
    if (nbytes != (uint64_t)nchunks * ENTRY_SIZE) {
        mem_free(bytes);
        return err_set(err, TESS_ERR_CORRUPT, 4, "an index of %zu bytes, for %" PRId64 " chunks",
                       nbytes, nchunks);
    }
    void *const place = bytes; // from malloc()
    int64_t *const entries = place;
    for (int64_t i = 0; i < nchunks; i++) {
        const int64_t entry = (int64_t)get_u64le(bytes + i * ENTRY_SIZE);
        entries[i] = check_entry(entry, i, entry_max, NULL) == TESS_OK ? entry : INDEX_LOST;
    }
    *x = (struct frame_index){.nchunks = nchunks, .entries = entries, .capacity = nchunks};
    return TESS_OK;
}

// The same entry again and again is stored once.
static tess_status
write_uniform(const struct frame_index *x, uint8_t **chunk, int32_t *size, tess_error *err)
{
    const struct chunk_spec spec = {
        .itemsize = ENTRY_SIZE,
        .nbytes = (int32_t)(x->nchunks * ENTRY_SIZE),
        .blocksize = (int32_t)min_i64(BLOCKSIZE, x->nchunks * ENTRY_SIZE),
        .codec = TESS_CODEC_BLOSCLZ,
        .level = 5,
    };
    struct chunk_encoder e;
    uint8_t item[ENTRY_SIZE];
    const tess_status st = chunk_encoder_init(&e, &spec, err);
    if (st != TESS_OK)
        return st;
    *chunk = mem_alloc(CHUNK_HEADER_SIZE + ENTRY_SIZE);
    if (!*chunk)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index");
    put_u64le(item, (uint64_t)index_entry_of(x->uniform));
    *size = chunk_encode_value(&e, item, *chunk);
    return TESS_OK;
}

tess_status
index_write(const struct frame_index *x, uint8_t **chunk, int32_t *size, tess_error *err)
{
    if (!x->entries)
        return write_uniform(x, chunk, size, err);

    const size_t nbytes = (size_t)x->nchunks * ENTRY_SIZE;
    if (!machine_is_big_endian())
        return chunk_of_bytes(x->entries, nbytes, BLOCKSIZE, chunk, size, err);
    uint8_t *const bytes = mem_alloc(nbytes);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index of %" PRId64 " chunks",
                       x->nchunks);
    for (int64_t i = 0; i < x->nchunks; i++)
        put_u64le(bytes + i * ENTRY_SIZE, (uint64_t)x->entries[i]);
    const tess_status st = chunk_of_bytes(bytes, nbytes, BLOCKSIZE, chunk, size, err);
    mem_free(bytes);
    return st;
}

static int
index_by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Sort by one digit of 11 bits, values that have the same one keep their order.
static void
sort_by_digit(const int64_t *from, int64_t *to, size_t n, int shift)
{
    size_t starts[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        starts[from[i] >> shift & (DIGITS - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        const size_t count = starts[d];
        starts[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

// Sort n values from 0 to `most`: of a million a third of the time of qsort(), or less.
static void
sort_values(int64_t *values, size_t n, int64_t most)
{
    int64_t *const other = n < SORTED_MIN ? NULL : mem_alloc(n * sizeof *other);
    int64_t *from = values, *to = other;
    if (!other) {
        qsort(values, n, sizeof *values, index_by_value);
        return;
    }
    for (int shift = 0; shift < 63 && most >> shift > 0; shift += DIGIT_BITS) {
        sort_by_digit(from, to, n, shift);
        int64_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != values)
        memcpy(values, from, n * sizeof *values);
    mem_free(other);
}

tess_status
index_sorted(const struct frame_index *x, int64_t **entries, size_t *n, tess_error *err)
{
    const int64_t count = x->entries ? x->nchunks : 0;
    int64_t *const sorted = mem_alloc(((size_t)count + 1) * sizeof *sorted);
    if (!sorted)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", count);
    bool ascending = true; // as they are in files that were only appended to
    int64_t last = 0, most = 0;
    *n = 0;
    for (int64_t i = 0; i < count; i++) {
        if (x->entries[i] < 0)
            continue;
        ascending &= last <= x->entries[i];
        last = sorted[(*n)++] = x->entries[i];
        most = max_i64(most, last);
    }
    if (!ascending)
        sort_values(sorted, *n, most);
    *entries = sorted;
    return TESS_OK;
}

// -- which stored chunk stands behind another one in the file

enum { NEXT_MAX = 16 }; // places of the list that are looked at for the chunk behind one

// Whether what is next in the list is behind, for all chunks.
static bool
list_tells(const struct frame_index *list)
{
    int64_t last = -1, place = -1;
    for (int64_t i = 0; list->entries && i < list->nchunks; i++) {
        const int64_t entry = list->entries[i];
        if (entry < 0)
            continue;
        if (last >= 0 && (entry <= last || i - place > NEXT_MAX))
            return false;
        last = entry;
        place = i;
    }
    return last < 0 || list->nchunks - place <= NEXT_MAX;
}

void
order_learn(struct order *x, const struct frame_index *list)
{
    if (!list_tells(list) && index_sorted(list, &x->entries, &x->n, NULL) != TESS_OK)
        *x = (struct order){0};
}

void
order_finish(struct order *x)
{
    mem_free(x->entries);
    *x = (struct order){0};
}

// The first that is larger.
static int64_t
entry_above(const struct order *x, int64_t entry)
{
    size_t low = 0, high = x->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (x->entries[middle] <= entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low < x->n ? x->entries[low] : ORDER_LAST;
}

int64_t
order_behind(const struct order *x, const struct frame_index *list, int64_t n, int64_t entry)
{
    int64_t i = n + 1;
    if (x->entries)
        return entry_above(x, entry);
    while (i < list->nchunks && i <= n + NEXT_MAX && index_get(list, i) < 0)
        i++;
    if (i == list->nchunks)
        return ORDER_LAST;
    const int64_t next = i <= n + NEXT_MAX ? index_get(list, i) : -1;
    return next > entry ? next : ORDER_UNKNOWN;
}
