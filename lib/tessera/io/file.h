/*
 * file.h - an io (io.h) that is a file of the file system.
 *
 * Threads: as io.h says, without a lock: pread() and pwrite() have no position in common. The
 * descriptor of a reader is pinned for a call (open_files.h). Other processes are kept apart by the
 * lock of the descriptor (lock.h).
 */
#ifndef IO_FILE_H
#define IO_FILE_H

#include "base/error.h"
#include "io/storage.h"

#include <stdbool.h>

struct io;
struct open_file;
struct naming_kind;

extern const struct storage_kind storage_file;

// Files that are removed (names/removal.h).
extern const struct naming_kind file_removal;

// Whether a path leads to something that is neither a file nor a directory, as a device or FIFO,
// which is not to be opened only to look what it is. A path that leads to nothing: false.
bool io_file_is_special(const char *path);

// Open a file that exists: a regular file, else TESS_ERR_IO. A file that is open for writing
// already, here or in another process, is refused to a second writer (TESS_ERR_IO, EWOULDBLOCK); so
// is one that was replaced while it was opened (TESS_ERR_STALE).
tess_status io_file_open(const char *path, bool writable, struct io **io, tess_error *err);

// The same to write where the process that has it open for writing says, without a lock.
tess_status io_file_open_lent(const char *path, struct io **io, tess_error *err);

// Open a file for reading through a memory map: views cost no copy. A map is only safe while
// no program makes the file shorter.
tess_status io_file_map(const char *path, struct io **io, tess_error *err);

/*
 * Create a file, under a temporary name beside `path` until publish (names/naming.h). With
 * `replace` a file of that name stays whole until then; else what exists, now or then, is refused
 * (TESS_ERR_IO with errno EEXIST). What a program has open for writing is not replaced
 * (EWOULDBLOCK).
 */
tess_status io_file_create(const char *path, bool replace, struct io **io, tess_error *err);

// The same in the place of a file that is open for writing here, as `held`: its lock goes on until
// both are closed.
tess_status io_file_create_over(struct io *held, const char *path, struct io **io, tess_error *err);

// An io on an open descriptor, which belongs to it from here on, also after a failure. mapped: read
// through a memory map.
tess_status io_file_adopt(int fd, bool writable, bool mapped, struct io **io, tess_error *err);

// A file that is read may be closed between calls from here on, and opened again (open_files.h).
tess_status io_file_share(struct io *io, struct open_file *parent, const char *path, int flags,
                          tess_error *err);

#endif
