/*
 * usage.c - numbers that a frame keeps of its list.
 */
#include "frame/chunks/usage.h"

#include "chunk/header.h"
#include "frame/format/index.h"

void
usage_init(struct usage *t, int64_t live)
{
    atomic_init(&t->nmissing, 0);
    atomic_init(&t->nstored, -1);
    atomic_init(&t->live, live);
}

void
usage_save(const struct usage *t, struct usage_saved *saved)
{
    *saved = (struct usage_saved){t->nmissing, t->nstored, t->live};
}

void
usage_restore(struct usage *t, const struct usage_saved *saved)
{
    t->nmissing = saved->nmissing;
    t->nstored = saved->nstored;
    t->live = saved->live;
}

static bool
is_missing(int64_t entry)
{
    return index_special(entry) == SPECIAL_UNINIT;
}

static void
usage_add(struct usage *t, int64_t nstored, int64_t nmissing)
{
    if (t->nstored < 0)
        return;
    t->nmissing += nmissing;
    t->nstored += nstored;
}

void
usage_put(struct usage *t, int64_t before, int64_t after, int64_t size)
{
    usage_add(t, (after >= 0) - (before >= 0), is_missing(after) - is_missing(before));
    usage_added(t, size);
}

void
usage_added(struct usage *t, int64_t size)
{
    if (t->live >= 0)
        t->live += size;
}

void
usage_release(struct usage *t, int64_t size)
{
    if (t->live >= 0)
        t->live = size < 0 || size > t->live ? -1 : t->live - size;
}

void
usage_resize(struct usage *t, const struct frame_index *list, int64_t nchunks,
             enum chunk_special special)
{
    const int64_t more = nchunks - list->nchunks;
    if (t->nstored < 0)
        return;
    if (more > 0 || !list->entries) {
        const enum chunk_special kind = more > 0 ? special : list->uniform;
        usage_add(t, 0, kind == SPECIAL_UNINIT ? more : 0);
        return;
    }
    for (int64_t n = nchunks; n < list->nchunks; n++)
        usage_add(t, -(list->entries[n] >= 0), -is_missing(list->entries[n]));
}

void
usage_forget_counts(struct usage *t)
{
    t->nstored = -1;
}

static void
count(const struct frame_index *list, int64_t *nstored, int64_t *nmissing)
{
    *nstored = *nmissing = 0;
    if (!list->entries) {
        *nmissing = list->uniform == SPECIAL_UNINIT ? list->nchunks : 0;
        return;
    }
    for (int64_t n = 0; n < list->nchunks; n++) {
        *nstored += list->entries[n] >= 0;
        *nmissing += is_missing(list->entries[n]);
    }
}

void
usage_count(struct usage *t, const struct frame_index *list, int64_t *nstored, int64_t *nmissing)
{
    *nstored = t->nstored;
    *nmissing = t->nmissing;
    if (*nstored >= 0)
        return;
    count(list, nstored, nmissing);
    t->nmissing = *nmissing;
    t->nstored = *nstored; // last: it says that both are there
}
