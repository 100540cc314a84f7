/*
 * front.h - a file whose first bytes are kept in memory, apart from those of the file.
 *
 * The first bytes of a frame say which state it has (frame/frame.h). Of an array of a store
 * (store/store.h) they are part of the store's commit:
 *
 *   - a reader has those of the commit that it reads, whatever another program writes to the file;
 *   - a writer's wait in memory until the store is committed, and then go to the file.
 *
 * Threads: as io.h says. What is kept changes with exclusive access.
 */
#ifndef IO_FRONT_H
#define IO_FRONT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct io;

// Who an io for reading belongs to. Any thread may call both.
struct io_front_owner {
    void (*closed)(void *user); // the io is
    // The first bytes of the file are others than when this was asked last, or the io made. Another
    // status than TESS_OK: what was read may be wrong.
    tess_status (*changed)(void *user, struct io *file, tess_error *err);
    void *user;
};

/*
 * For reading: the first `size` bytes are a copy of these, and stay so. The file belongs to the io
 * from here on, also after a failure; `owner` is told only after a success.
 */
tess_status io_front_fixed(struct io *file, const uint8_t *bytes, size_t size,
                           const struct io_front_owner *owner, struct io **io, tess_error *err);

// For writing. No byte is kept before io_front_settle().
tess_status io_front_staged(struct io *file, struct io **io, tess_error *err);

/*
 * Bytes that are kept go to the file. From here on a write that starts in the first `size` bytes is
 * kept, as a whole, and reading shows it. The io is that of io_front_staged(), no other: a frame
 * has it as frame_file(). After a failure all is kept still.
 */
tess_status io_front_settle(struct io *io, int64_t size, tess_error *err);

#endif
