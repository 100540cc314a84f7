/*
 * folder.h - a directory whose files belong together, such as a sparse frame.
 *
 * Files are named by their last part and opened as an io (io.h). A new folder has a temporary name
 * until folder_publish() (naming.h). One writer at a time has a folder; the lock goes with the
 * struct.
 */
#ifndef IO_FOLDER_H
#define IO_FOLDER_H

#include "io/io.h"

struct folder;

// What directories hold that may be replaced, and removed with all their files: nothing, or the
// file `index` and other files only of names that is_part() knows: never documents of a user.
struct folder_kind {
    const char *index;
    bool (*is_part)(const char *name);
};

// Whether `path` is a directory.
bool folder_exists(const char *path);

// Whether `path` leads to the directory.
bool folder_is_at(const struct folder *folder, const char *path);

// Whether it is open to be written, and its lock is held, also that of what it replaces; *error:
// why not, or 0.
bool folder_is_locked(const struct folder *folder, int *error);

// Which directory that is.
tess_status folder_identify(const struct folder *folder, struct io_identity *identity,
                            tess_error *err);

// Whether the path that it was opened with, or made for, leads to something else by now.
bool folder_is_replaced(const struct folder *folder);

// Whether `path` is the name of something in the directory, there or not yet.
bool folder_contains(const struct folder *folder, const char *path);

// A descriptor of the directory of its own, to look up names from; < 0: errno says why.
int folder_descriptor(const struct folder *folder);

// Open a directory. mapped: files are read through memory maps. TESS_ERR_STALE: to write, and it
// was replaced meanwhile.
tess_status folder_open(const char *path, bool writable, bool mapped, struct folder **folder,
                        tess_error *err);

/*
 * Make a directory, beside `path`, whose place it takes at publish. With `replace` a file and a
 * directory of the same kind can be replaced, now and then, unless a program has them open for
 * writing (EWOULDBLOCK). Else anything that exists, now or then, is refused (errno EEXIST).
 */
tess_status folder_create(const char *path, bool replace, const struct folder_kind *kind,
                          struct folder **folder, tess_error *err);

// A file for reading; a regular one, no link. A missing one is TESS_ERR_IO with errno ENOENT.
tess_status folder_read(const struct folder *folder, const char *name, struct io **io,
                        tess_error *err);
// A new and empty file, in place of one that has the name.
tess_status folder_write(const struct folder *folder, const char *name, struct io **io,
                         tess_error *err);
tess_status folder_rename(const struct folder *folder, const char *from, const char *to,
                          tess_error *err);
// All names in the directory, "." and ".." left out, until a call fails. It may not change the
// directory.
tess_status folder_each(const struct folder *folder,
                        tess_status (*name)(void *arg, const char *name, tess_error *err),
                        void *arg, tess_error *err);
void folder_remove(const struct folder *folder, const char *name);

// Names are on the disk when this returns.
tess_status folder_sync(const struct folder *folder, tess_error *err);

// A new folder gets its name: see naming_publish().
tess_status folder_publish(struct folder *folder, bool durable, tess_error *err);

// A folder that was not published disappears, with its own files. NULL: fine.
void folder_close(struct folder *folder);

// Remove a directory, open as `fd`, with its files: the index first, and nothing else if that
// fails. With something else in it, or another name, it stays, without them.
void folder_remove_at(int parent, const char *name, int fd, const struct folder_kind *kind);

#endif
