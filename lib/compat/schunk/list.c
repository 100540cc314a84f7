/*
 * list.c - the chunks that programs see in blosc2_schunk.data: copies of each as it is stored.
 */
#include "schunk/list.h"

#include "schunk/access.h"
#include "schunk/special.h"

#include <stdlib.h>
#include <string.h>
#include <tessera/chunk.h>

enum { IN_PAGE = 4096 / sizeof(uint8_t *) };

static int32_t
size_of(const uint8_t *chunk)
{
    int32_t cbytes = 0;

    return chunk && blosc2_cbuffer_sizes(chunk, NULL, &cbytes, NULL) == 0 ? cbytes : 0;
}

static void
drop(struct b2_chunks *c, int64_t n)
{
    c->cbytes -= size_of(c->list[n]);
    if (c->list[n] != c->special)
        free(c->list[n]);
    c->list[n] = NULL;
}

static void
forget(struct b2_chunks *c, int64_t first, int64_t behind)
{
    behind = behind < c->count ? behind : c->count;
    if (first >= behind)
        return;
    for (int64_t i = first; i < behind; i++)
        drop(c, i);
    c->has_special &= first > 0 || behind < c->count;
    const bool any = c->first < c->behind;
    c->first = any && c->first < first ? c->first : first;
    c->behind = any && c->behind > behind ? c->behind : behind;
}

void
b2_list_forget(struct b2_schunk *s, int64_t first, int64_t behind)
{
    pthread_mutex_lock(&s->access->counts);
    forget(&s->access->chunks, first, behind);
    pthread_mutex_unlock(&s->access->counts);
}

void
b2_list_forget_all(struct b2_chunks *c)
{
    forget(c, 0, c->count);
}

void
b2_list_free(struct b2_chunks *c)
{
    forget(c, 0, c->count);
    free(c->list);
}

void
b2_list_give(struct b2_schunk *s, int64_t n, const uint8_t *chunk, int32_t size)
{
    struct b2_chunks *const c = &s->access->chunks;

    c->given = chunk;
    c->given_n = n;
    c->given_size = size;
}

static void
put(struct b2_chunks *c, int64_t n, uint8_t *chunk)
{
    c->list[n] = chunk;
    c->cbytes += size_of(chunk);
}

// The memory is that of malloc(), as programs may free() it. NULL: there is none.
static uint8_t *
copy_bytes(const void *bytes, size_t size)
{
    uint8_t *const chunk = malloc(size);

    if (chunk)
        memcpy(chunk, bytes, size);
    return chunk;
}

// NULL: there is no memory for it, or it is damaged.
static uint8_t *
copy_chunk(const struct b2_schunk *s, int64_t n)
{
    const struct b2_chunks *const c = &s->access->chunks;
    void *bytes = NULL;
    size_t size = 0;

    if (c->given && n == c->given_n)
        return copy_bytes(c->given, (size_t)c->given_size);
    if (tess_array_get_chunk(s->a, n, &bytes, &size, NULL) != TESS_OK)
        return NULL;
    uint8_t *const chunk = copy_bytes(bytes, size);
    tess_free(bytes);
    return chunk;
}

// Pointers that fill memory in steps of 4096 bytes, as in c-blosc2.
static int64_t
whole_pages(int64_t count)
{
    return (count + IN_PAGE - 1) / IN_PAGE * IN_PAGE;
}

// Make the list as long as there are chunks. False: there is no memory, nothing happens.
static bool
set_count(struct b2_chunks *c, int64_t count)
{
    if (count > c->room) {
        const int64_t room = whole_pages(count < 8 ? 8 : count + count / 2);
        uint8_t **const list = realloc(c->list, (size_t)room * sizeof *list);
        if (!list)
            return false;
        c->list = list;
        c->room = room;
    }
    const int64_t before = c->count;
    forget(c, count, before);
    for (int64_t i = before; i < count; i++)
        c->list[i] = NULL;
    c->count = count;
    forget(c, before, count);
    c->behind = c->behind < count ? c->behind : count;
    return true;
}

// List a run of special chunks of one kind and of full size, and return the chunk behind it.
static int64_t
list_run(struct b2_schunk *s, const tess_info *info, int64_t first)
{
    struct b2_chunks *const c = &s->access->chunks;
    const int64_t last = b2_special_run(s, info, first, info->nchunks);
    uint8_t header[sizeof c->special];
    size_t size = 0;

    if (last < first + 1 ||
        tess_array_copy_chunk(s->a, first, header, sizeof header, &size, NULL) != TESS_OK ||
        size != sizeof header || (c->has_special && memcmp(c->special, header, size) != 0))
        return first;
    memcpy(c->special, header, size);
    c->has_special = true;
    for (int64_t i = first; i <= last && i < c->behind; i++)
        if (!c->list[i])
            put(c, i, c->special);
    return last + 1;
}

static void
show(struct b2_schunk *s)
{
    const struct b2_chunks *const c = &s->access->chunks;

    if (s->of.frame)
        return;
    s->of.data = c->list;
    const size_t size = (size_t)whole_pages(c->count) * sizeof *c->list;
    s->of.data_len = size > s->of.data_len ? size : s->of.data_len; // the list never shrinks
    s->of.cbytes = c->cbytes; // those of one value have a header here, too
}

void
b2_list_add(struct b2_schunk *s)
{
    struct b2_chunks *const c = &s->access->chunks;

    pthread_mutex_lock(&s->access->counts);
    s->next_in_list = c->shown;
    c->shown = s;
    show(s);
    pthread_mutex_unlock(&s->access->counts);
}

void
b2_list_remove(struct b2_schunk *s)
{
    pthread_mutex_lock(&s->access->counts);
    for (struct b2_schunk **at = &s->access->chunks.shown; *at; at = &(*at)->next_in_list)
        if (*at == s) {
            *at = s->next_in_list;
            break;
        }
    pthread_mutex_unlock(&s->access->counts);
}

// The chunks are those of the base of a view, as long as it is there.
void
b2_list_complete(struct b2_schunk *s, const tess_info *info)
{
    struct b2_chunks *const c = &s->access->chunks;
    struct b2_schunk *const owner = s->access->owner ? s->access->owner : s;
    bool all = true;

    if (owner->of.frame || !set_count(c, owner->of.nchunks)) {
        c->given = NULL;
        return;
    }
    int64_t i = c->first;
    if (owner == s && i < c->behind - 1 && !c->given)
        i = list_run(s, info, i);
    for (; i < c->behind; i++) {
        if (!c->list[i])
            put(c, i, copy_chunk(owner, i));
        all &= c->list[i] != NULL;
    }
    if (all) // else the next call tries again
        c->first = c->behind = 0;
    c->given = NULL;
    for (struct b2_schunk *each = c->shown; each; each = each->next_in_list)
        show(each);
}
