/*
 * path.h - whether a path still leads to the file or directory that was opened by it.
 *
 * The path is looked up as it was then: an absolute one from the root directory, a relative one
 * from the working directory of that time, since programs change both (open_files.h). Directories
 * on the way may be renamed, too.
 *
 * Any number of threads may check one; no lock but that of its directory, which may be opened again
 * (open_files.h).
 */
#ifndef IO_NAMES_PATH_H
#define IO_NAMES_PATH_H

#include "base/error.h"

struct io_identity;
struct io_path;

// For a file or directory that is open, and has the path or will have it.
tess_status io_path_open(const char *path, const struct io_identity *identity, struct io_path **out,
                         tess_error *err);
// For what is only read: a name for messages, which is not checked. NULL: no memory.
struct io_path *io_path_of_name(const char *path);
void io_path_close(struct io_path *p); // NULL: fine

// The path as it was given; of NULL: NULL.
const char *io_path_name(const struct io_path *p);

// TESS_ERR_STALE: the path leads to something else, or to nothing. One system call. A path that the
// process may not look up any more counts as unchanged.
tess_status io_path_check(struct io_path *p, tess_error *err);

#endif
