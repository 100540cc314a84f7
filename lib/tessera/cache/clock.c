/*
 * clock.c - which block leaves: the hand of a clock over all slots.
 */
#include "cache/clock.h"

enum {
    USES_MAX = 3,
    STEPS = 256, // blocks that could leave; then the least used of these does
};

void
clock_use(struct cached *b)
{
    const unsigned char uses = atomic_load_explicit(&b->uses, memory_order_relaxed);
    if (uses < USES_MAX)
        atomic_store_explicit(&b->uses, uses + 1, memory_order_relaxed);
}

static bool
may_leave(const struct cached *b)
{
    return atomic_load_explicit(&b->pins, memory_order_acquire) == 0 && !b->dirty;
}

struct cached *
clock_victim(struct clock *k, const struct memory *m)
{
    struct cached *least = NULL;
    unsigned char least_uses = USES_MAX + 1;
    int steps = STEPS;

    if (k->hand >= m->n) // slots were freed
        k->hand = 0;
    for (int64_t passed = 0; passed < (USES_MAX + 1) * m->n && steps > 0; passed++) {
        struct cached *const b = m->slots[k->hand];
        k->hand = k->hand + 1 < m->n ? k->hand + 1 : 0;
        if (!may_leave(b))
            continue;
        steps--;
        const unsigned char uses = atomic_load_explicit(&b->uses, memory_order_relaxed);
        if (uses < least_uses) {
            least = b;
            least_uses = uses;
        }
        if (uses == 0)
            return b;
        atomic_store_explicit(&b->uses, uses - 1, memory_order_relaxed);
    }
    return least;
}
