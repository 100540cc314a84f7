/*
 * storage.h - where super-chunks live: blosc2_storage and tess_storage.
 */
#ifndef COMPAT_BLOSC2_STORAGE_H
#define COMPAT_BLOSC2_STORAGE_H

#include <blosc2.h>
#include <tessera/storage.h>

// A storage as the library takes it. Points into itself, and to the path.
struct b2_place {
    tess_storage storage;
    tess_context context;
    tess_executor executor; // of the context, if the program has threads of its own
};

// A copy with all parts, those that are NULL in *from (may be NULL itself) by their defaults; NULL
// if memory is missing.
blosc2_storage *b2_storage_copy(const blosc2_storage *from);
void b2_storage_free(blosc2_storage *storage);

// The path without `file:///` in front; NULL: NULL.
const char *b2_storage_path(const char *urlpath);

// The path of what the library itself has in files; NULL: it is in memory, and functions of the
// program write it, if there is a path.
const char *b2_storage_file(const blosc2_storage *storage);

// Whether the program wants the lock file of c-blosc2.
bool b2_storage_locks(const blosc2_storage *storage);

// Whether the environment leaves out the commit at the end of each call.
bool b2_storage_defers(void);

// Whether io means a mapped file; NULL: it does not.
bool b2_storage_is_mapped(const blosc2_io *io);

// Whether the program maps a file with a mode of blosc2_stdio_mmap.
bool b2_storage_maps(const blosc2_storage *storage, const char *mode);

// Remove the file of a new array that is not to be; NULL: nothing happens.
void b2_storage_remove(const char *path);

// Describe what storage says, for a path (NULL: in memory) in a mode. Returns a code.
int b2_storage_place(struct b2_place *place, const blosc2_storage *storage, const char *path,
                     tess_mode mode);

#endif
