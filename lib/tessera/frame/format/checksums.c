/*
 * checksums.c - what the stored chunks of a frame hash to: a table with open addressing.
 */
#include "frame/format/checksums.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "io/io.h"

#include <inttypes.h>
#include <stdbool.h>

#ifdef HAVE_XXH_DISPATCH
#define XXH_DISPATCH_DISABLE_REPLACE
#include <xxh_x86dispatch.h> // with the instructions that this CPU has

// The shared library of a system may have these, and its archive not.
#pragma weak XXH3_64bits_dispatch
#pragma weak XXH3_64bits_update_dispatch
#else
#define XXH_INLINE_ALL // a few lines where they are used: no library to link with
#include <xxhash.h>
#endif

enum {
    CAPACITY_MIN = 64,
    PIECE = 256 << 10, // read at once
    PREFETCHED = 16, // slots, while those in front of them are read: they are anywhere in the table
};

// A slot is free if its checksum is 0.
struct checksum_slot {
    int64_t entry;
    uint64_t checksum;
};

static uint64_t
checksums_known(uint64_t hash)
{
    return hash != 0 ? hash : 1;
}

// libxxhash 0.8.1, as Debian builds it, leaves the upper halves of the vector registers set.
static XXH64_hash_t
checksums_hash(const void *bytes, size_t size)
{
#ifdef HAVE_XXH_DISPATCH
    if (XXH3_64bits_dispatch) {
        const XXH64_hash_t hash = XXH3_64bits_dispatch(bytes, size);
        cpu_clear_upper_halves();
        return hash;
    }
#endif
    return XXH3_64bits(bytes, size);
}

static void
update(XXH3_state_t *state, const void *bytes, size_t size)
{
#ifdef HAVE_XXH_DISPATCH
    if (XXH3_64bits_update_dispatch) {
        XXH3_64bits_update_dispatch(state, bytes, size);
        cpu_clear_upper_halves();
        return;
    }
#endif
    XXH3_64bits_update(state, bytes, size);
}

uint64_t
checksum_of(const void *chunk, size_t size)
{
    return checksums_known(checksums_hash(chunk, size));
}

tess_status
checksum_of_stored(struct io *io, int64_t position, int64_t size, uint64_t *checksum,
                   tess_error *err)
{
    tess_status st = TESS_OK;
    XXH3_state_t *const state = XXH3_createState();
    uint8_t *const piece = mem_alloc((size_t)min_i64(size, PIECE));
    if (!piece || !state) {
        mem_free(piece);
        (void)XXH3_freeState(state);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d bytes", PIECE);
    }
    XXH3_64bits_reset(state);
    for (int64_t at = 0; at < size && st == TESS_OK; at += PIECE) {
        const size_t n = (size_t)min_i64(size - at, PIECE);
        st = io_read(io, position + at, piece, n, err);
        if (st == TESS_OK)
            update(state, piece, n);
    }
    *checksum = checksums_known(XXH3_64bits_digest(state));
    mem_free(piece);
    (void)XXH3_freeState(state);
    return st;
}

void
checksums_finish(struct checksums *x)
{
    mem_free(x->slots);
    *x = (struct checksums){0};
}

// Where the search for an entry begins. Entries are positions: their low bits say little.
static int64_t
home(const struct checksums *x, int64_t entry)
{
    const uint64_t mixed = (uint64_t)entry * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)(mixed >> 32) & (x->capacity - 1);
}

// The slot of an entry, or the free one where it would go.
static struct checksum_slot *
checksums_find(const struct checksums *x, int64_t entry)
{
    int64_t i = home(x, entry);
    while (x->slots[i].checksum != 0 && x->slots[i].entry != entry)
        i = (i + 1) & (x->capacity - 1);
    return &x->slots[i];
}

tess_status
checksums_reserve(struct checksums *x, int64_t more, tess_error *err)
{
    struct checksums larger = {.capacity = max_i64(x->capacity, CAPACITY_MIN), .count = x->count};
    while (larger.capacity - larger.capacity / 4 < x->count + more)
        larger.capacity *= 2;
    if (larger.capacity == x->capacity)
        return TESS_OK;
    larger.slots = mem_zeroed((size_t)larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " checksums",
                       larger.capacity);
    for (int64_t i = 0; i < x->capacity; i++)
        if (x->slots[i].checksum != 0)
            *checksums_find(&larger, x->slots[i].entry) = x->slots[i];
    mem_free(x->slots);
    *x = larger;
    return TESS_OK;
}

// Free a slot. What stands behind it, and was pushed there, moves up.
static void
vacate(struct checksums *x, int64_t i)
{
    const int64_t mask = x->capacity - 1;
    x->slots[i].checksum = 0;
    x->count--;
    for (int64_t k = (i + 1) & mask; x->slots[k].checksum != 0; k = (k + 1) & mask) {
        const int64_t pushed = (k - home(x, x->slots[k].entry)) & mask;
        if (pushed < ((k - i) & mask))
            continue;
        x->slots[i] = x->slots[k];
        x->slots[k].checksum = 0;
        i = k;
    }
}

void
checksums_set(struct checksums *x, int64_t entry, uint64_t checksum)
{
    if (x->capacity == 0)
        return; // nothing to forget
    struct checksum_slot *const slot = checksums_find(x, entry);
    const bool taken = slot->checksum != 0;
    if (checksum == 0) {
        if (taken)
            vacate(x, slot - x->slots);
        return;
    }
    x->count += !taken;
    *slot = (struct checksum_slot){entry, checksum};
}

uint64_t
checksums_get(const struct checksums *x, int64_t entry)
{
    return x->capacity > 0 ? checksums_find(x, entry)->checksum : 0;
}

void
checksums_write(const struct checksums *x, const int64_t *entries, int64_t n, uint8_t *dst)
{
    for (int64_t i = 0; i < n; i++) {
        if (i < n - PREFETCHED && x->capacity > 0)
            __builtin_prefetch(&x->slots[home(x, entries[i + PREFETCHED])]);
        if (entries[i] < 0)
            continue;
        put_u64le(dst, checksums_get(x, entries[i]));
        dst += 8;
    }
}
