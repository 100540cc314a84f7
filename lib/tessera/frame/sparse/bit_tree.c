/*
 * bit_tree.c - a set of numbers, of which the lowest that is not there is found at once.
 */
#include "frame/sparse/bit_tree.h"

#include "base/checked.h"
#include "base/memory.h"

#include <string.h>

enum { WORD_SHIFT = 6, WORD_BITS = 1 << WORD_SHIFT };

void
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

bool
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

void
bit_tree_add(struct bit_tree *t, int64_t n)
{
    for (int level = 0; level < BIT_TREE_LEVELS; level++, n >>= WORD_SHIFT) {
        uint64_t *const word = &t->levels[level][n >> WORD_SHIFT];
        *word |= UINT64_C(1) << (n % WORD_BITS);
        if (*word != UINT64_MAX)
            break;
    }
}

void
bit_tree_remove(struct bit_tree *t, int64_t n)
{
    for (int level = 0; level < BIT_TREE_LEVELS; level++, n >>= WORD_SHIFT)
        t->levels[level][n >> WORD_SHIFT] &= ~(UINT64_C(1) << (n % WORD_BITS));
}

int64_t
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
