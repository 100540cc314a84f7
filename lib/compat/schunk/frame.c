/*
 * frame.c - super-chunks as frames in memory and files.
 */
#include "schunk/frame.h"

#include "blosc2/error.h"
#include "blosc2/storage.h"
#include "schunk/access.h"
#include "schunk/calls.h"
#include "schunk/metalist.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tessera/copy.h>
#include <unistd.h>

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

// A super-chunk without chunks, out of the members that programs see.
static int64_t
copy_members(const struct b2_schunk *s, uint8_t **frame)
{
    blosc2_storage storage = {.contiguous = true, .cparams = s->of.storage->cparams};
    blosc2_schunk *const copy = blosc2_schunk_new(&storage);
    bool needs_free = false;
    int64_t rc = copy ? BLOSC2_ERROR_SUCCESS : BLOSC2_ERROR_MEMORY_ALLOC;

    for (int i = 0; i < s->of.nmetalayers && rc >= 0; i++)
        rc = blosc2_meta_add(copy, s->of.metalayers[i]->name, s->of.metalayers[i]->content,
                             s->of.metalayers[i]->content_len);
    for (int i = 0; i < s->of.nvlmetalayers && rc >= 0; i++) {
        uint8_t *content = NULL;
        int32_t size = 0;
        rc = b2_metas_content(s, i, &content, &size);
        if (rc >= 0)
            rc = blosc2_vlmeta_add(copy, s->of.vlmetalayers[i]->name, content, size, NULL);
        free(content);
    }
    if (rc >= 0) {
        copy->chunksize = s->of.chunksize;
        rc = blosc2_schunk_to_buffer(copy, frame, &needs_free);
    }
    if (rc > 0 && !needs_free)
        blosc2_schunk_avoid_cframe_free(copy, true);
    blosc2_schunk_free(copy);
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
    if (err.status == TESS_ERR_STALE && s->of.nchunks == 0)
        return copy_members(s, frame); // the program may be replacing the file by what this returns
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
    return rc < 0 ? rc : info.file_size - (info.contiguous ? 0 : info.cbytes); // without chunks
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
