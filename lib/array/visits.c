/*
 * visits.c - the chunks that were opened last: a table in which each has one place it can be in.
 */
#include "array/visits.h"

#include <pthread.h>
#include <stdlib.h>

enum { SLOTS = 64, CACHE_LINE = 64 };

struct slot {
    _Alignas(CACHE_LINE) pthread_mutex_t lock;
    struct visit *visit; // held; NULL: empty
};

struct visits {
    struct slot slots[SLOTS];
};

struct visits *
visits_new(void)
{
    struct visits *const all = aligned_alloc(CACHE_LINE, sizeof *all);
    for (int i = 0; all && i < SLOTS; i++) {
        pthread_mutex_init(&all->slots[i].lock, NULL);
        all->slots[i].visit = NULL;
    }
    return all;
}

void
visits_free(struct visits *all)
{
    for (int i = 0; all && i < SLOTS; i++) {
        visit_release(all->slots[i].visit);
        pthread_mutex_destroy(&all->slots[i].lock);
    }
    free(all);
}

static struct slot *
slot_of(struct visits *all, int64_t n)
{
    return &all->slots[(uint64_t)n % SLOTS];
}

struct visit *
visits_find(struct visits *all, int64_t n, int64_t generation)
{
    struct slot *const slot = slot_of(all, n);
    struct visit *found = NULL;

    pthread_mutex_lock(&slot->lock);
    if (slot->visit && slot->visit->n == n && slot->visit->generation == generation) {
        found = slot->visit;
        visit_hold(found);
    }
    pthread_mutex_unlock(&slot->lock);
    return found;
}

void
visits_keep(struct visits *all, struct visit *v)
{
    struct slot *const slot = slot_of(all, v->n);

    if (visit_size(v) > VISITS_SIZE_MAX / SLOTS)
        return;
    visit_hold(v);
    pthread_mutex_lock(&slot->lock);
    struct visit *const before = slot->visit;
    slot->visit = v;
    pthread_mutex_unlock(&slot->lock);
    visit_release(before);
}
