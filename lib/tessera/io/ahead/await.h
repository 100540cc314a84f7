/*
 * await.h - waiting for a piece, with the mutex of the readers held, which is free meanwhile.
 */
#ifndef IO_AHEAD_AWAIT_H
#define IO_AHEAD_AWAIT_H

#include "base/error.h"

struct io_ahead;
struct io_piece;

// Wait until the piece is here or has failed; TESS_ERR_CANCELLED if the job is over before.
tess_status io_piece_await(struct io_ahead *a, const struct io_piece *p, tess_error *err);
// Wait until the piece is here or has failed; and, if its io may be closed next, until the call
// that read it has returned, which may be later (io_progress).
void io_piece_drain(struct io_ahead *a, const struct io_piece *p);

#endif
