/*
 * pending.h - a state of a frame on its way to the disk: header, index and trailer, encoded.
 *
 * It belongs to the thread that commits, which has exclusive access to the frame; there is no lock.
 */
#ifndef FRAME_COMMIT_PENDING_H
#define FRAME_COMMIT_PENDING_H

#include "base/error.h"
#include "frame/contiguous/extents.h"
#include "frame/format/header.h"
#include "frame/format/trailer.h"

#include <tessera/storage.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct checksums;
struct frame;
struct frame_index;
struct io;

struct pending {
    struct frame_header h;
    uint8_t *head;
    uint8_t *body; // index, ledger and trailer; of an empty frame, trailer and ledger
    int64_t body_size;
    int64_t index_size; // in front of the others; 0: an empty frame
    uint8_t *tail; // the trailer alone
    size_t tail_size;
    bool has_ref; // there is a reference to the ledger: the last metalayer, unless ref.beside
    struct ledger_ref ref; // .size: of the ledger; 0: there is none
    struct extent placed; // where the body goes
    const uint8_t *announced; // a header that may come next; NULL: none
};

void pending_finish(struct pending *p); // zeroed: fine

// Index, ledger and trailer of the state in memory.
tess_status pending_encode_body(struct pending *p, const struct frame *f, tess_error *err);

// Those of the state on disk, but with another list of chunks and their checksums.
tess_status pending_encode_disk(struct pending *p, const struct frame *f,
                                const struct frame_index *list, const struct checksums *checksums,
                                tess_error *err);

// The lengths of the frame whose body starts at `start`. `gap`: bytes left out behind the index.
void pending_set_frame_len(struct pending *p, int64_t start, int64_t gap);

// The header, for the lengths in p->h; then the body is complete.
tess_status pending_encode_header(struct pending *p, const struct frame *f, tess_error *err);

// Complete the body for a header that was changed since, or for a state that follows another one.
void pending_seal(struct pending *p, const struct frame *f);

// The state is current on the disk: the frame takes it over.
void pending_adopt(struct pending *p, struct frame *f);

// Whether one of the recent commits gave the frame this length.
bool pending_is_recent(const struct frame *f, int64_t frame_len);

// How durable a commit must be now: not at all in memory, nor before a new frame is published,
// since no program finds what a crash leaves of it. frame_publish() syncs all of it at once.
tess_durability pending_durability(const struct frame *f);

// Sync if pending_durability() is `level` or more. A failure makes the frame unsure.
tess_status pending_sync(struct frame *f, struct io *io, tess_durability level, tess_error *err);

#endif
