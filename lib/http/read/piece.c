/*
 * piece.c - the ranges of a call, and how much of each has come.
 */
#include "read/piece.h"

#include "base/number.h"

#include <string.h>

struct http_ask
http_piece_ask(const struct http_piece *piece)
{
    const int64_t size = (int64_t)piece->size;
    struct http_ask ask = {.kind = piece->kind};

    if (piece->kind == HTTP_ASK_LAST) {
        ask.count = size;
    } else {
        ask.first = piece->offset + (int64_t)piece->filled;
        ask.last = piece->offset + size - 1;
    }
    return ask;
}

size_t
http_pieces_settle(struct http_piece *pieces, size_t n, int64_t total)
{
    size_t done = 0;
    bool all = false; // FIRST brings the whole object

    for (size_t i = 0; i < n; i++) {
        struct http_piece *const p = &pieces[i];
        if (p->kind != HTTP_ASK_FIRST && p->kind != HTTP_ASK_LAST)
            continue;
        if ((uint64_t)total < p->size)
            p->size = (size_t)total;
        if (p->kind == HTTP_ASK_FIRST)
            all = (int64_t)p->size == total;
        else
            p->offset = total - (int64_t)p->size;
        if (!p->done && (p->size == 0 || (all && p->kind == HTTP_ASK_LAST))) {
            p->done = true;
            done++;
        }
        p->kind = HTTP_ASK_RANGE;
    }
    return done;
}

void
http_pieces_copy_last(const struct http_piece *first, const struct http_piece *last)
{
    if (last->size > 0 && last->filled < last->size)
        memmove(last->dst, first->dst + (first->size - last->size), last->size);
}

size_t
http_pieces_take(struct http_piece *pieces, size_t n, size_t *at, int64_t position,
                 const void *bytes, size_t size, int64_t *brought)
{
    const int64_t stop = position + (int64_t)size;
    size_t done = 0;

    while (*at < n && pieces[*at].done)
        ++*at;
    for (size_t i = *at; i < n && pieces[i].offset < stop; i++) {
        struct http_piece *const p = &pieces[i];
        const int64_t want = p->offset + (int64_t)p->filled;
        if (p->done || want < position || want >= stop)
            continue;
        const size_t have = (size_t)(stop - want), need = p->size - p->filled;
        const size_t count = http_min_size(have, need);
        memcpy(p->dst + p->filled, (const uint8_t *)bytes + (want - position), count);
        p->filled += count;
        *brought += (int64_t)count;
        p->done = p->filled == p->size;
        done += p->done;
    }
    return done;
}
