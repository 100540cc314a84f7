/*
 * schunk_frame.c - super-chunks from frames in files and memory, and to them.
 */
#include "compat/blosc2/schunk_frame.h"

#include "compat/blosc2/access.h"
#include "compat/blosc2/error.h"
#include "compat/blosc2/params.h"
#include "compat/blosc2/program_io.h"
#include "compat/blosc2/schunk_access.h"
#include "compat/blosc2/schunk_wrap.h"
#include "compat/blosc2/storage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tessera/copy.h>
#include <unistd.h>

// -- opening

static char *
without_const(const char *path)
{
    union {
        const char *constant;
        char *text;
    } same = {.constant = path};
    return same.text;
}

// The struct of an array that was opened. path: of a file that it may be opened for again, or NULL;
// urlpath: what programs see.
static struct b2_schunk *
wrap_opened(tess_array *a, struct b2_access *access, const blosc2_storage *given, const char *path)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = *given;
    tess_info info;

    tess_array_info(a, &info);
    b2_params_get(&info, &cparams);
    storage.cparams = &cparams;
    struct b2_schunk *const s = b2_schunk_wrap(a, &storage, path, access, false);
    if (!s) {
        tess_array_close(a, NULL);
        return NULL;
    }
    s->read_only = b2_storage_maps(given, "r");
    return s;
}

static int
open_place(struct b2_place *place, tess_array **a)
{
    tess_error err = {0};
    return b2_code_io(tess_array_open(&place->storage, a, &err), &err, BLOSC2_ERROR_FILE_OPEN);
}

// Through functions of the program, which then belong to the array.
static int
open_by_program(struct b2_place *place, const blosc2_storage *storage, tess_array **a)
{
    tess_source source;
    int rc = b2_program_io_open(storage->io, storage->urlpath, &source);

    if (rc < 0)
        return rc;
    place->storage.path = NULL;
    place->storage.source = &source;
    rc = open_place(place, a);
    if (rc < 0)
        source.close(source.user);
    return rc;
}

// A copy of the frame in memory, where changes stay.
static int
open_in_memory(struct b2_place *place, tess_array **a)
{
    tess_array *in_file = NULL;
    void *image = NULL;
    size_t size = 0;
    tess_error err = {0};
    int rc = open_place(place, &in_file);

    if (rc < 0)
        return rc;
    rc = b2_code(tess_array_to_image(in_file, &image, &size, &err), &err);
    tess_array_close(in_file, NULL); // open for reading: nothing can be lost
    if (rc == 0) {
        place->storage.path = NULL;
        place->storage.mmap = false;
        place->storage.offset = 0;
        place->storage.mode = TESS_MODE_UPDATE;
        place->storage.image = image;
        place->storage.image_size = size;
        rc = open_place(place, a);
    }
    tess_free(image);
    return rc;
}

static int
open_frame(struct b2_place *place, const blosc2_storage *storage, tess_array **a)
{
    if (b2_program_io(storage->io))
        return open_by_program(place, storage, a);
    return b2_storage_maps(storage, "c") ? open_in_memory(place, a) : open_place(place, a);
}

blosc2_schunk *
blosc2_schunk_open_offset_udio(const char *urlpath, int64_t offset, const blosc2_io *udio)
{
    const char *const path = b2_storage_path(urlpath);
    blosc2_io io = udio ? *udio : BLOSC2_IO_DEFAULTS;
    const blosc2_storage storage = {true, without_const(path), NULL, NULL, &io};
    const bool by_program = b2_program_io(&io);
    const char *const file = by_program || b2_storage_maps(&storage, "c") ? NULL : path;
    struct b2_access *access = NULL;
    struct b2_place place;
    tess_array *a = NULL;

    if (!path) {
        b2_fail(BLOSC2_ERROR_INVALID_PARAM, "no path is given");
        return NULL;
    }
    if (by_program)
        b2_access_commit_program(path);
    else
        b2_access_commit(path);
    int rc = b2_access_new(&storage, &access);
    if (rc == 0)
        rc = b2_access_place(access, &place, &storage, by_program ? NULL : path, TESS_MODE_READ);
    if (rc == 0) {
        place.storage.offset = offset;
        rc = open_frame(&place, &storage, &a);
    }
    struct b2_schunk *const s = rc == 0 ? wrap_opened(a, access, &storage, file) : NULL;
    if (!s)
        b2_access_drop(access);
    return s ? &s->of : NULL;
}

blosc2_schunk *
blosc2_schunk_open_udio(const char *urlpath, const blosc2_io *udio)
{
    return blosc2_schunk_open_offset_udio(urlpath, 0, udio);
}

blosc2_schunk *
blosc2_schunk_open_offset(const char *urlpath, int64_t offset)
{
    return blosc2_schunk_open_offset_udio(urlpath, offset, NULL);
}

blosc2_schunk *
blosc2_schunk_open(const char *urlpath)
{
    return blosc2_schunk_open_offset_udio(urlpath, 0, NULL);
}

blosc2_schunk *
blosc2_schunk_from_buffer(uint8_t *cframe, int64_t len, bool copy)
{
    const tess_mode mode = copy ? TESS_MODE_UPDATE : TESS_MODE_READ;
    struct b2_access *access = NULL;
    struct b2_place place;
    tess_array *a = NULL;
    tess_error err = {0};

    if (!cframe || len <= 0)
        return NULL;
    int rc = b2_access_new(&BLOSC2_STORAGE_DEFAULTS, &access);
    if (rc == 0)
        rc = b2_access_place(access, &place, &BLOSC2_STORAGE_DEFAULTS, NULL, mode);
    if (rc == 0) {
        place.storage.image = cframe;
        place.storage.image_size = (size_t)len;
        rc = b2_code(tess_array_open(&place.storage, &a, &err), &err);
    }
    const blosc2_storage storage = {!copy, NULL, NULL, NULL, NULL};
    struct b2_schunk *const s = rc == 0 ? wrap_opened(a, access, &storage, NULL) : NULL;
    if (!s) {
        b2_access_drop(access);
        return NULL;
    }
    if (!copy) {
        s->frame = cframe;
        s->frame_size = len;
        s->frame_is_foreign = true;
        s->frame_is_old = false;
    }
    return &s->of;
}

void
blosc2_schunk_avoid_cframe_free(blosc2_schunk *schunk, bool avoid_cframe_free)
{
    if (schunk)
        b2_schunk_of(schunk)->frame_is_foreign = avoid_cframe_free;
}

// -- to memory

static int
copy_bytes(const void *image, size_t size, uint8_t **frame)
{
    *frame = malloc(size);
    if (!*frame)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    memcpy(*frame, image, size);
    return BLOSC2_ERROR_SUCCESS;
}

// The frame of an array in memory that may be changed, without a second copy in between.
static int64_t
copy_own_frame(tess_array *a, uint8_t **frame)
{
    const void *image = NULL;
    size_t size = 0;
    tess_error err = {0};
    int rc = b2_code(tess_array_image(a, &image, &size, &err), &err);

    if (rc == 0)
        rc = copy_bytes(image, size, frame);
    return rc < 0 ? rc : (int64_t)size;
}

// Whether a frame in memory has space that a copy of it does not need.
static bool
has_holes(tess_array *a)
{
    tess_info info;

    return tess_array_flush(a, NULL) != TESS_OK || tess_array_measure(a, &info, NULL) != TESS_OK ||
           info.holes > 0;
}

// A view becomes an array of its own.
static int64_t
copy_view(struct b2_schunk *s, uint8_t **frame)
{
    struct b2_place place;
    tess_array *copy = NULL;
    tess_error err = {0};
    int64_t rc = b2_access_place(s->access, &place, s->of.storage, NULL, TESS_MODE_UPDATE);

    if (rc == 0)
        rc = b2_code(tess_array_copy(s->a, &place.storage, NULL, &copy, &err), &err);
    if (rc == 0)
        rc = copy_own_frame(copy, frame);
    tess_array_close(copy, NULL); // in memory: nothing can be lost
    return rc;
}

// *frame becomes the frame in memory to be freed. The super-chunk is locked exclusively.
static int64_t
copy_frame(struct b2_schunk *s, uint8_t **frame)
{
    void *image = NULL;
    size_t size = 0;
    tess_error err = {0};

    if (s->of.view)
        return copy_view(s, frame);
    if (!s->path && s->writable && !has_holes(s->a))
        return copy_own_frame(s->a, frame);
    int rc = b2_code(tess_array_to_image(s->a, &image, &size, &err), &err);
    if (rc == 0)
        rc = copy_bytes(image, size, frame);
    tess_free(image);
    return rc < 0 ? rc : (int64_t)size;
}

// The frame as memory of the super-chunk, that of the last time if nothing changed.
static int64_t
lend_frame(struct b2_schunk *s, uint8_t **frame)
{
    if (!s->frame || s->frame_is_old) {
        uint8_t *copy = NULL;
        const int64_t size = copy_frame(s, &copy);
        if (size < 0)
            return size;
        if (!s->frame_is_foreign)
            free(s->frame);
        s->frame = copy;
        s->frame_size = size;
        s->frame_is_old = s->frame_is_foreign = false;
    }
    *frame = s->frame;
    return s->frame_size;
}

int64_t
blosc2_schunk_to_buffer(blosc2_schunk *schunk, uint8_t **cframe, bool *needs_free)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);

    if (!s || !cframe || !needs_free)
        return BLOSC2_ERROR_NULL_POINTER;
    *cframe = NULL;
    const bool lent = schunk->storage->contiguous && !s->path && !schunk->view;
    b2_schunk_alone_begin(s);
    const int64_t size = lent ? lend_frame(s, cframe) : copy_frame(s, cframe);
    b2_schunk_end(s);
    *needs_free = size > 0 && !lent;
    return size;
}

int64_t
blosc2_schunk_frame_len(blosc2_schunk *schunk)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    tess_info info;

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    if (!schunk->frame)
        return schunk->cbytes + schunk->nchunks * (int64_t)sizeof(int64_t);
    b2_schunk_alone_begin(s);
    tess_error err = {0};
    const int rc = s->writable ? b2_code(tess_array_flush(s->a, &err), &err) : 0;
    tess_array_info(s->a, &info);
    b2_schunk_end(s);
    return rc < 0 ? rc : info.file_size;
}

// -- to files

// Write the array to place as one file. The super-chunk is locked.
static int
save(struct b2_schunk *s, struct b2_place *place, tess_layout layout)
{
    tess_error err = {0};
    tess_status st;

    if (s->of.view)
        st = tess_array_copy(s->a, &place->storage, NULL, NULL, &err);
    else
        st = tess_array_save(s->a, &place->storage, layout, &err);
    return b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
}

int
b2_schunk_save(struct b2_schunk *s, const char *urlpath, tess_mode mode, bool contiguous)
{
    const tess_layout layout = contiguous ? TESS_LAYOUT_CONTIGUOUS : TESS_LAYOUT_SPARSE;
    struct b2_place place;
    int rc = b2_storage_place(&place, s->of.storage, b2_storage_path(urlpath), mode);

    if (rc < 0)
        return rc;
    rc = b2_schunk_read_begin(s);
    if (rc < 0)
        return rc;
    rc = save(s, &place, layout);
    b2_schunk_end(s);
    return rc;
}

static int64_t
size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

int64_t
blosc2_schunk_to_file(blosc2_schunk *schunk, const char *urlpath)
{
    if (!schunk || !urlpath)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a super-chunk and a path are needed");
    // A frame in memory replaces a file, as c-blosc2 has it; others do not.
    const bool memory = schunk->storage->contiguous && !schunk->storage->urlpath;
    const int rc = b2_schunk_save(b2_schunk_of(schunk), urlpath,
                                  memory ? TESS_MODE_REPLACE : TESS_MODE_NEW, true);
    return rc < 0 ? rc : size_of(b2_storage_path(urlpath));
}

// Whether there is a file at path, which may be created now.
static int
create_if_missing(const char *path, bool *created)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    *created = fd >= 0;
    if (fd < 0)
        fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return b2_fail(BLOSC2_ERROR_FILE_OPEN, "%s cannot be opened for writing", path);
    close(fd);
    return BLOSC2_ERROR_SUCCESS;
}

int64_t
blosc2_schunk_append_file(blosc2_schunk *schunk, const char *urlpath)
{
    const char *const path = b2_storage_path(urlpath);
    bool created = false;

    if (!schunk || !path)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a super-chunk and a path are needed");
    int rc = create_if_missing(path, &created);
    if (rc < 0)
        return rc;
    b2_access_commit(path);
    const int64_t offset = size_of(path);
    rc = b2_schunk_save(b2_schunk_of(schunk), path, TESS_MODE_APPEND, true);
    if (rc < 0 && created)
        unlink(path);
    return rc < 0 ? rc : offset;
}

// -- locks

int
blosc2_schunk_lock(blosc2_schunk *schunk)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    if (!s->locking)
        return BLOSC2_ERROR_SUCCESS;
    int rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    tess_error err = {0};
    rc = b2_code_io(tess_array_lock(s->a, &err), &err, BLOSC2_ERROR_LOCK);
    s->lock_depth += rc == 0;
    const bool useless = s->lock_depth == 0; // others may write
    b2_schunk_end(s);
    if (useless)
        (void)b2_schunk_stop_writing(s); // nothing was written
    return rc;
}

int
blosc2_schunk_unlock(blosc2_schunk *schunk)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    if (!s->locking || s->lock_depth == 0)
        return BLOSC2_ERROR_SUCCESS;
    b2_schunk_alone_begin(s);
    s->lock_depth--;
    b2_schunk_end(s);
    return b2_schunk_changed(s);
}

int
blosc2_schunk_refresh(blosc2_schunk *schunk)
{
    return schunk ? b2_schunk_follow(b2_schunk_of(schunk)) : BLOSC2_ERROR_NULL_POINTER;
}
