/*
 * folder.h - files that belong together, by their names, such as those of a sparse frame.
 *
 * An interface: directory.c implements it for directories of the file system. Files are named by
 * the last part of a path and opened as an io (io.h). One writer at a time has a folder.
 *
 * Threads: any number may open files for reading; everything else requires exclusive access. No
 * lock, but those of the descriptors (open_files.h, lock.h).
 */
#ifndef IO_FOLDER_H
#define IO_FOLDER_H

#include "io/io.h"
#include "io/names/path.h"

struct folder;

// What folders hold that may be replaced, and removed with all their files: nothing, or the file
// `index` and other files only of names that is_part() knows: never documents of a user.
struct folder_kind {
    const char *index;
    bool (*is_part)(const char *name);
};

// How a file is read.
struct folder_use {
    bool stays; // it is open for longer than a call, and must be closed before the folder
    // Bytes of its ends that are read next, as many as it has: of a file that is far away they come
    // when it is opened. Both 0: not known.
    size_t first, last;
    const struct io_progress *progress; // what ends such reads; NULL: nothing does
};

struct folder_ops {
    // A file for reading. A missing one is TESS_ERR_IO with errno ENOENT.
    tess_status (*read)(const struct folder *folder, const char *name, const struct folder_use *use,
                        struct io **io, tess_error *err);
    // A new and empty file, in place of one that has the name.
    tess_status (*write)(const struct folder *folder, const char *name, struct io **io,
                         tess_error *err);
    // In one step, in place of what has the name `to`.
    tess_status (*rename)(const struct folder *folder, const char *from, const char *to,
                          tess_error *err);
    // A failure is passed over.
    void (*remove)(const struct folder *folder, const char *name);
    // All names, in any order, until a call fails. That may not change the folder.
    tess_status (*each)(const struct folder *folder,
                        tess_status (*name)(void *arg, const char *name, tess_error *err),
                        void *arg, tess_error *err);
    // Names are on the disk when this returns.
    tess_status (*sync)(const struct folder *folder, tess_error *err);
    // A new folder gets its name; durable: as for a file (io.h).
    tess_status (*publish)(struct folder *folder, bool durable, tess_error *err);
    // Which one it is; memory: zeros.
    tess_status (*identify)(const struct folder *folder, struct io_identity *identity,
                            tess_error *err);
    // Whether the path that it was opened with, or made for, leads to something else by now.
    bool (*is_replaced)(const struct folder *folder);
    // A folder that was not published disappears, with its own files.
    void (*close)(struct folder *folder);
};

struct folder {
    const struct folder_ops *ops;
    bool locked; // it is written, and its lock (lock.h) is held, also that of what it replaces
    int lock_error; // errno: why it is not, though the lock was asked for
};

static inline tess_status
folder_read(const struct folder *folder, const char *name, bool stays, struct io **io,
            tess_error *err)
{
    const struct folder_use use = {.stays = stays};
    return folder->ops->read(folder, name, &use, io, err);
}

// For a call, of which the ends are read next. p: NULL, or what ends the opening.
static inline tess_status
folder_read_ends(const struct folder *folder, const char *name, size_t first, size_t last,
                 const struct io_progress *p, struct io **io, tess_error *err)
{
    const struct folder_use use = {.first = first, .last = last, .progress = p};
    return folder->ops->read(folder, name, &use, io, err);
}

static inline tess_status
folder_write(const struct folder *folder, const char *name, struct io **io, tess_error *err)
{
    return folder->ops->write(folder, name, io, err);
}

static inline tess_status
folder_rename(const struct folder *folder, const char *from, const char *to, tess_error *err)
{
    return folder->ops->rename(folder, from, to, err);
}

static inline void
folder_remove(const struct folder *folder, const char *name)
{
    folder->ops->remove(folder, name);
}

static inline tess_status
folder_each(const struct folder *folder,
            tess_status (*name)(void *arg, const char *name, tess_error *err), void *arg,
            tess_error *err)
{
    return folder->ops->each(folder, name, arg, err);
}

static inline tess_status
folder_sync(const struct folder *folder, tess_error *err)
{
    return folder->ops->sync(folder, err);
}

static inline tess_status
folder_publish(struct folder *folder, bool durable, tess_error *err)
{
    return folder->ops->publish(folder, durable, err);
}

static inline tess_status
folder_identify(const struct folder *folder, struct io_identity *identity, tess_error *err)
{
    return folder->ops->identify(folder, identity, err);
}

static inline bool
folder_is_replaced(const struct folder *folder)
{
    return folder->ops->is_replaced(folder);
}

static inline void
folder_close(struct folder *folder)
{
    if (folder)
        folder->ops->close(folder);
}

#endif
