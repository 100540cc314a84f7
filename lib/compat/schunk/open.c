/*
 * open.c - super-chunks are created, and opened from frames in files and memory.
 */
#include "blosc2/error.h"
#include "blosc2/params.h"
#include "blosc2/program_io.h"
#include "blosc2/storage.h"
#include "schunk/access.h"
#include "schunk/calls.h"
#include "schunk/schunk.h"
#include "schunk/wrap.h"

#include <tessera/copy.h>
#include <tessera/schunk.h>

// -- creating

static int
set_params(tess_params *p, const blosc2_storage *storage, const char *path)
{
    const blosc2_cparams *const c = storage->cparams ? storage->cparams : &BLOSC2_CPARAMS_DEFAULTS;

    tess_params_init(p);
    const int rc = b2_params_set(p, c);
    if (rc < 0)
        return rc;
    if (c->typesize <= 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "items of %d bytes", (int)c->typesize);
    p->typesize = c->typesize;
    p->ndim = 1;
    p->blockshape[0] = c->blocksize / c->typesize; // 0: chosen for each chunk
    p->layout = path && !storage->contiguous ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    return BLOSC2_ERROR_SUCCESS;
}

blosc2_schunk *
blosc2_schunk_new(blosc2_storage *storage)
{
    const blosc2_storage *const given = storage ? storage : &BLOSC2_STORAGE_DEFAULTS;
    const char *const path = b2_storage_file(given);
    struct b2_access *access = NULL;
    struct b2_schunk *made = NULL;
    struct b2_place place;
    tess_params params;
    tess_array *a = NULL;
    tess_error err = {0};
    int rc = set_params(&params, given, path);

    if (rc == 0)
        rc = b2_access_new(given, &access);
    if (rc == 0)
        rc = b2_access_place(access, &place, given, path, TESS_MODE_NEW);
    if (rc == 0)
        rc = b2_code_io(tess_schunk_create(&place.storage, &params, &a, &err), &err,
                        BLOSC2_ERROR_FILE_OPEN);
    if (rc == 0)
        made = b2_schunk_wrap(a, given, path, access, false);
    if (made) {
        made->leaves_uninit = !path;
        return &made->of;
    }
    b2_schunk_undo(a, access, a ? path : NULL);
    return NULL;
}

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

// Through functions of the program, which then belong to the array.
static int
open_by_program(struct b2_access *access, struct b2_place *place, const blosc2_storage *storage,
                tess_array **a)
{
    tess_source source;
    int rc = b2_program_io_open(storage->io, storage->urlpath, &source);

    if (rc < 0)
        return rc;
    place->storage.path = NULL;
    place->storage.source = &source;
    rc = b2_access_open(access, place, a);
    if (rc < 0)
        source.close(source.user);
    return rc;
}

// A copy of the frame in memory, where changes stay.
static int
open_in_memory(struct b2_access *access, struct b2_place *place, tess_array **a)
{
    tess_array *in_file = NULL;
    void *image = NULL;
    size_t size = 0;
    tess_error err = {0};
    int rc = b2_access_open(access, place, &in_file);

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
        rc = b2_access_open(access, place, a);
    }
    tess_free(image);
    return rc;
}

static int
open_frame(struct b2_access *access, struct b2_place *place, const blosc2_storage *storage,
           tess_array **a)
{
    if (b2_program_io(storage->io))
        return open_by_program(access, place, storage, a);
    return b2_storage_maps(storage, "c") ? open_in_memory(access, place, a)
                                         : b2_access_open(access, place, a);
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
        rc = open_frame(access, &place, &storage, &a);
    }
    struct b2_schunk *const s = rc == 0 ? wrap_opened(a, access, &storage, file) : NULL;
    if (s)
        return &s->of;
    b2_access_drop(access);
    if (b2_storage_is_mapped(&io))
        b2_program_io_end(&io);
    return NULL;
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

    if (!cframe || len <= 0)
        return NULL;
    int rc = b2_access_new(&BLOSC2_STORAGE_DEFAULTS, &access);
    if (rc == 0)
        rc = b2_access_place(access, &place, &BLOSC2_STORAGE_DEFAULTS, NULL, mode);
    if (rc == 0) {
        place.storage.image = cframe;
        place.storage.image_size = (size_t)len;
        rc = b2_access_open(access, &place, &a);
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
