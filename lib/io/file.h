/*
 * file.h - what file.c and folder.c share.
 */
#ifndef IO_FILE_H
#define IO_FILE_H

#include "io/io.h"

// An io on an open descriptor, which belongs to it from here on, also after a failure. mapped: read
// through a memory map.
tess_status io_file_adopt(int fd, bool writable, bool mapped, struct io **io, tess_error *err);

// Whether a path leads to what a descriptor stands for.
bool io_descriptor_is_at(int fd, const char *path);

// One writer at a time has what a descriptor stands for, until it is closed.
tess_status io_file_lock(int fd, tess_error *err);

// Get that of what will be replaced at `path`; *fd: the descriptor that has it, and keeps it until
// it is closed; -1: there is nothing, or nothing that can be locked. It is closed first if it is of
// something that had the name before.
tess_status io_hold_replaced(const char *path, int *fd, tess_error *err);

// The directory that a path without a slash at its end stands in; allocated, NULL: no memory.
char *io_parent(const char *path);

// A name is on the disk once its directory is. A directory that cannot be read cannot be synced;
// the file itself is safe.
void io_sync_directory(const char *directory);

#endif
