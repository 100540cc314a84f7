/*
 * batch.h - pieces of one io that are read with one io_read_many().
 *
 * The mutex of the readers is held; it is free while bytes are read.
 */
#ifndef IO_AHEAD_BATCH_H
#define IO_AHEAD_BATCH_H

#include "io/io.h"

#include <stdbool.h>

struct io_ahead;
struct io_piece;

enum { IO_BATCH_MAX = 64 }; // requests

struct io_batch {
    struct io_progress progress;
    struct io_ahead *ahead;
    struct io_piece *pieces[IO_BATCH_MAX]; // by offset
    int n;
    tess_range ranges[IO_BATCH_MAX]; // of the pieces, in order
    struct io_piece *piece_of[IO_BATCH_MAX]; // of each range
    int nranges;
    int narrived; // ranges
};

// Requests that should be free before the first piece of a queue, which is not empty, is taken. One
// for a call; a quarter of all, so that pieces are coalesced meanwhile; for a piece that is read
// with many requests up to half of them.
int io_batch_needs(const struct io_ahead *a);
// Take the oldest piece of a queue, and others of its io, as many as there are free requests, but
// at least one. False: no piece of them is needed any more.
bool io_batch_take(struct io_batch *b, struct io_ahead *a);
void io_batch_read(struct io_batch *b); // what was taken

#endif
