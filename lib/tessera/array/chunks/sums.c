/*
 * sums.c - checksums of stored chunks for readers, loaded when one is asked for.
 */
#include "array/chunks/sums.h"

#include "base/memory.h"
#include "frame/format/checksums.h"
#include "frame/load.h"
#include "frame/query.h"

#include <pthread.h>
#include <stdbool.h>

struct sums {
    pthread_mutex_t lock; // guards the rest; of `checksums`, only until they are loaded
    bool loaded;
    struct checksums checksums;
};

struct sums *
sums_new(void)
{
    struct sums *const s = mem_zeroed(1, sizeof *s);
    if (s)
        pthread_mutex_init(&s->lock, NULL);
    return s;
}

void
sums_free(struct sums *s)
{
    if (!s)
        return;
    checksums_finish(&s->checksums);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

tess_status
sums_get(struct sums *s, const struct frame *f, const struct checksums **checksums, tess_error *err)
{
    tess_status st = TESS_OK;
    *checksums = frame_known_checksums(f);
    if (*checksums)
        return TESS_OK;
    pthread_mutex_lock(&s->lock);
    if (!s->loaded) {
        st = frame_load_checksums(f, frame_list(f), NULL, &s->checksums, err);
        s->loaded = st == TESS_OK;
        if (st != TESS_OK)
            checksums_finish(&s->checksums);
    }
    pthread_mutex_unlock(&s->lock);
    *checksums = &s->checksums;
    return st;
}

void
sums_forget(struct sums *s)
{
    checksums_finish(&s->checksums);
    s->loaded = false;
}
