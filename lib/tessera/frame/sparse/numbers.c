/*
 * numbers.c - which file numbers of a sparse frame are taken.
 *
 * A state per number says what needs its file; a tree of bits finds the lowest number that nothing
 * needs.
 */
#include "frame/sparse/numbers.h"

#include "base/checked.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

// -- the tree of bits

enum {
    WORD_SHIFT = 6,
    WORD_BITS = 1 << WORD_SHIFT,
    BIT_TREE_MAX = 1 << 30, // numbers are below
};

static void
bit_tree_finish(struct bit_tree *t)
{
    for (int level = 0; level < BIT_TREE_LEVELS; level++)
        mem_free(t->levels[level]);
    *t = (struct bit_tree){0};
}

static int64_t
words(int64_t count, int level)
{
    for (int i = 0; i <= level; i++)
        count = ceil_div(count, WORD_BITS);
    return count;
}

// Make room for numbers below `count`. False: no memory.
static bool
bit_tree_reserve(struct bit_tree *t, int64_t count)
{
    if (count <= t->capacity)
        return true;
    const int64_t capacity = max_i64(count, min_i64(2 * t->capacity, BIT_TREE_MAX));
    for (int level = 0; level < BIT_TREE_LEVELS; level++) {
        const int64_t before = words(t->capacity, level), after = words(capacity, level);
        uint64_t *const grown = mem_resize(t->levels[level], (size_t)after * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + before, 0, (size_t)(after - before) * sizeof *grown);
        t->levels[level] = grown;
    }
    t->capacity = capacity;
    return true;
}

// There is room for n; to add or remove twice is fine.
static void
bit_tree_add(struct bit_tree *t, int64_t n)
{
    for (int level = 0; level < BIT_TREE_LEVELS; level++, n >>= WORD_SHIFT) {
        uint64_t *const word = &t->levels[level][n >> WORD_SHIFT];
        *word |= UINT64_C(1) << (n % WORD_BITS);
        if (*word != UINT64_MAX)
            break;
    }
}

static void
bit_tree_remove(struct bit_tree *t, int64_t n)
{
    for (int level = 0; level < BIT_TREE_LEVELS; level++, n >>= WORD_SHIFT)
        t->levels[level][n >> WORD_SHIFT] &= ~(UINT64_C(1) << (n % WORD_BITS));
}

// The lowest number that is not in the set; there may be no room for it yet.
static int64_t
bit_tree_absent(const struct bit_tree *t)
{
    int64_t n = 0;
    for (int level = BIT_TREE_LEVELS - 1; level >= 0; level--) {
        const bool stored = n < words(t->capacity, level);
        const uint64_t missing = stored ? ~t->levels[level][n] : UINT64_MAX;
        n = n << WORD_SHIFT | __builtin_ctzll(missing); // of 2^30 numbers one is missing
    }
    return n;
}

// -- numbers

enum {
    ON_DISK = 1,
    IN_MEMORY = 2,
    LEASED = 4,
    NUMBER_MAX = 1 << 28, // more chunks than a frame can have
};

void
numbers_finish(struct numbers *x)
{
    mem_free(x->state);
    bit_tree_finish(&x->taken);
    *x = (struct numbers){0};
}

static tess_status
numbers_reserve(struct numbers *x, int64_t n, tess_error *err)
{
    if (n < x->count)
        return TESS_OK;
    if (n > NUMBER_MAX)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "a chunk file with the number %" PRId64 ", at most %d can be changed", n,
                       NUMBER_MAX);
    if (n >= x->capacity) {
        const int64_t capacity = max_i64(n + 1, 2 * x->capacity);
        uint8_t *const state = mem_resize(x->state, (size_t)capacity);
        if (!state)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " numbers", capacity);
        x->state = state;
        x->capacity = capacity;
    }
    if (!bit_tree_reserve(&x->taken, n + 1))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " numbers", n + 1);
    memset(x->state + x->count, 0, (size_t)(n + 1 - x->count));
    x->count = n + 1;
    return TESS_OK;
}

tess_status
numbers_add(struct numbers *x, int64_t n, tess_error *err)
{
    const tess_status st = numbers_reserve(x, n, err);
    if (st != TESS_OK)
        return st;
    if (x->state[n] != 0) // releasing one would take the other's
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "two chunks in the file with number %" PRId64 "; it can only be read", n);
    x->state[n] = ON_DISK | IN_MEMORY;
    bit_tree_add(&x->taken, n);
    return TESS_OK;
}

tess_status
numbers_keep(struct numbers *x, int64_t n, tess_error *err)
{
    if (n > NUMBER_MAX)
        return TESS_OK;
    const tess_status st = numbers_reserve(x, n, err);
    if (st != TESS_OK)
        return st;
    x->state[n] |= ON_DISK;
    bit_tree_add(&x->taken, n);
    return TESS_OK;
}

tess_status
numbers_take(struct numbers *x, int64_t *n, tess_error *err)
{
    const int64_t lowest = bit_tree_absent(&x->taken);
    const tess_status st = numbers_reserve(x, lowest, err);
    if (st != TESS_OK)
        return st;
    *n = lowest;
    x->state[lowest] = IN_MEMORY;
    bit_tree_add(&x->taken, lowest);
    return TESS_OK;
}

bool
numbers_release(struct numbers *x, int64_t n)
{
    if (n >= x->count)
        return false;
    x->state[n] &= (uint8_t)~IN_MEMORY;
    if (x->state[n] != 0)
        return false;
    bit_tree_remove(&x->taken, n);
    return true;
}

tess_status
numbers_lease(struct numbers *x, int64_t count, int64_t *first, tess_error *err)
{
    while (x->count > 0 && x->state[x->count - 1] == 0)
        x->count--;
    const int64_t start = x->count;
    if (count > NUMBER_MAX - start)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "%" PRId64 " numbers of files behind %" PRId64 ", at most %d can be", count,
                       start, NUMBER_MAX);
    const tess_status st = numbers_reserve(x, start + count - 1, err);
    if (st != TESS_OK)
        return st;
    for (int64_t n = start; n < start + count; n++) {
        x->state[n] = LEASED;
        bit_tree_add(&x->taken, n);
    }
    *first = start;
    return TESS_OK;
}

void
numbers_end_lease(struct numbers *x, int64_t n)
{
    x->state[n] = 0;
    bit_tree_remove(&x->taken, n);
}

void
numbers_adopt(struct numbers *x, int64_t n)
{
    x->state[n] = IN_MEMORY;
}

void
numbers_written(struct numbers *x)
{
    for (int64_t n = 0; n < x->count; n++)
        if (x->state[n] & IN_MEMORY)
            x->state[n] = ON_DISK | IN_MEMORY;
}

void
numbers_committed(struct numbers *x, void (*gone)(void *arg, int64_t n), void *arg)
{
    for (int64_t n = 0; n < x->count; n++) {
        if (x->state[n] == ON_DISK) {
            gone(arg, n);
            x->state[n] = 0;
            bit_tree_remove(&x->taken, n);
        }
    }
}

int64_t
numbers_largest(const struct numbers *x)
{
    int64_t n = x->count - 1;
    while (n >= 0 && !(x->state[n] & IN_MEMORY))
        n--;
    return n;
}

bool
numbers_is_taken(const struct numbers *x, int64_t n)
{
    return n < x->count && x->state[n] != 0;
}

int64_t
numbers_lowest_free(const struct numbers *x)
{
    return bit_tree_absent(&x->taken);
}

int64_t
numbers_last(const struct numbers *x)
{
    int64_t n = x->count - 1;
    while (n >= 0 && x->state[n] == 0)
        n--;
    return n;
}
