/*
 * piece.h - the ranges of a call, and how much of each has come.
 *
 * Bytes of bodies go straight to their places. A piece that is done is never written again: the
 * program, or another thread, may look at it from then on.
 */
#ifndef HTTP_READ_PIECE_H
#define HTTP_READ_PIECE_H

#include "answer/judge.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_piece {
    enum http_ask_kind kind; // RANGE; FIRST and LAST become RANGE when the size is known
    int64_t offset; // in the object; not known of LAST
    size_t size; // of FIRST and LAST: at most
    uint8_t *dst;
    size_t filled; // bytes that are there
    bool done;
    bool told; // tess_reading_arrived() was called
};

// What to ask for to get the rest of a piece that is not done.
struct http_ask http_piece_ask(const struct http_piece *piece);

/*
 * The size of the object is known: FIRST and LAST become ranges. A piece without bytes is done; so
 * is LAST if FIRST, which then stands before it, brings its bytes, too: http_pieces_copy_last()
 * gets them. Returns how many pieces that were not done are now.
 */
size_t http_pieces_settle(struct http_piece *pieces, size_t n, int64_t total);

// Bytes of LAST that FIRST brought. dst of both may be the same memory or not.
void http_pieces_copy_last(const struct http_piece *first, const struct http_piece *last);

/*
 * `size` bytes at `position` of the object came: put them where they are wanted. Pieces ascend; *at
 * is the first that is not done, and moves on. *brought grows by the bytes that were wanted.
 * Returns how many pieces became done.
 */
size_t http_pieces_take(struct http_piece *pieces, size_t n, size_t *at, int64_t position,
                        const void *bytes, size_t size, int64_t *brought);

#endif
