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

// Which file or directory a descriptor stands for.
tess_status io_descriptor_identify(int fd, struct io_identity *identity, tess_error *err);

#endif
