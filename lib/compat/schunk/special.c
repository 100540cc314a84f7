/*
 * special.c - chunks of a super-chunk in memory that are known to be special, and have no bytes.
 *
 * Of such a super-chunk no other process changes anything, and each change of this process forgets
 * the run before the call returns: what a reader finds there is the state before the change, or
 * after it.
 *
 * A run is learned where special chunks are read one after the other: looking for its end must not
 * cost more than it saves.
 */
#include "schunk/special.h"

#include "schunk/content.h"

#include <stdlib.h>
#include <string.h>

enum { LEARNED_AT_ONCE = 128 }; // chunks

static bool
is_known(const struct b2_run *run, int64_t n)
{
    return n >= run->first && n - run->first < run->nchunks;
}

bool
b2_special_leaves(const struct b2_schunk *s, const tess_chunk_info *info)
{
    return s->leaves_uninit && info->kind == TESS_CHUNK_UNINIT && !b2_decodes_by_context(s);
}

int
b2_special_decompress(struct b2_schunk *s, int64_t n, void *dest, int32_t nbytes)
{
    if (!dest || b2_decodes_by_context(s))
        return 0;
    pthread_mutex_lock(&s->access->counts);
    const struct b2_run *const run = &s->run;
    const tess_chunk_kind kind = run->kind;
    const int32_t size =
        is_known(run, n) && kind != TESS_CHUNK_NANS && run->nbytes <= nbytes ? run->nbytes : 0;
    if (size > 0)
        s->of.current_nchunk = n;
    pthread_mutex_unlock(&s->access->counts);
    if (kind != TESS_CHUNK_UNINIT || !s->leaves_uninit)
        memset(dest, 0, (size_t)size);
    return size;
}

uint8_t *
b2_special_chunk(struct b2_schunk *s, int64_t n)
{
    uint8_t header[BLOSC_EXTENDED_HEADER_LENGTH];

    pthread_mutex_lock(&s->access->counts);
    const bool known = is_known(&s->run, n);
    if (known) {
        memcpy(header, s->run.header, sizeof header);
        s->of.current_nchunk = n;
    }
    pthread_mutex_unlock(&s->access->counts);
    uint8_t *const chunk = known ? malloc(sizeof header) : NULL;
    if (chunk)
        memcpy(chunk, header, sizeof header);
    return chunk;
}

// The first chunk of a run of full size, of at most `most`; false: there is none.
static bool
find_run(const struct b2_schunk *s, const tess_info *info, int64_t first, int64_t most,
         tess_chunk_run *run)
{
    const int64_t items = info->chunkshape[0];
    if (!info->plain || info->chunksize <= 0 || items <= 0)
        return false;
    const int64_t whole = info->nbytes / info->chunksize; // chunks of full size
    const int64_t start = first * items;
    const int64_t stop = (whole - first < most ? whole : first + most) * items;

    tess_chunk_run_init(run);
    return first < whole &&
           tess_array_next_chunk(s->a, &start, &stop, first, TESS_KINDS_ALL, run, NULL) ==
               TESS_OK &&
           run->number == first && !run->stored;
}

int64_t
b2_special_run(const struct b2_schunk *s, const tess_info *info, int64_t first, int64_t most)
{
    tess_chunk_run run;

    return find_run(s, info, first, most, &run) ? run.last : first - 1;
}

static void
learn(struct b2_schunk *s, int64_t n)
{
    struct b2_run run = {0};
    tess_chunk_run found;
    tess_info info;
    size_t size = 0;

    tess_array_info(s->a, &info);
    if (!find_run(s, &info, n, LEARNED_AT_ONCE, &found) ||
        tess_array_copy_chunk(s->a, n, run.header, sizeof run.header, &size, NULL) != TESS_OK ||
        size != sizeof run.header)
        return;
    run.first = info.nmissing == info.nchunks ? 0 : n; // a single run
    run.nchunks =
        (info.nmissing == info.nchunks ? info.nbytes / info.chunksize : found.last + 1) - run.first;
    run.nbytes = info.chunksize;
    run.kind = found.kind;
    pthread_mutex_lock(&s->access->counts);
    s->run = run;
    pthread_mutex_unlock(&s->access->counts);
}

void
b2_special_learn(struct b2_schunk *s, int64_t n)
{
    if (s->path || s->of.view)
        return;
    pthread_mutex_lock(&s->access->counts);
    const bool is_next = n == s->next_special;
    s->next_special = n + 1;
    pthread_mutex_unlock(&s->access->counts);
    if (is_next)
        learn(s, n);
}

void
b2_special_forget_locked(struct b2_schunk *s)
{
    s->run.nchunks = 0;
}

void
b2_special_forget(struct b2_schunk *s)
{
    pthread_mutex_lock(&s->access->counts);
    b2_special_forget_locked(s);
    pthread_mutex_unlock(&s->access->counts);
}
