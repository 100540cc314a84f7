/*
 * program_io.h - frames that are read and written by registered functions of the program.
 */
#ifndef COMPAT_BLOSC2_PROGRAM_IO_H
#define COMPAT_BLOSC2_PROGRAM_IO_H

#include <blosc2.h>
#include <tessera/source.h>

// Whether io means such functions; NULL: files.
bool b2_program_io(const blosc2_io *io);

// Open the frame at path, a file or a directory. Returns a code; on success the caller closes the
// source, or passes it to an array.
int b2_program_io_open(const blosc2_io *io, const char *path, tess_source *source);

// Write a whole frame, in place of what is at path. Returns a code.
int b2_program_io_write(const blosc2_io *io, const char *path, const void *frame, size_t size);

// Nothing will be read or written any more: params of the program end, be it for its functions, or
// the struct of a mapped file, which may be the last to know its memory.
void b2_program_io_end(const blosc2_io *io);

#endif
