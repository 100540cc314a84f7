/*
 * schunk_copy.c - a super-chunk with another storage.
 *
 * An array is copied with new parameters for its chunks; a plain super-chunk is copied as it is,
 * with chunks as they are stored.
 */
#include "compat/blosc2/access.h"
#include "compat/blosc2/error.h"
#include "compat/blosc2/params.h"
#include "compat/blosc2/schunk.h"
#include "compat/blosc2/schunk_access.h"
#include "compat/blosc2/schunk_wrap.h"
#include "compat/blosc2/storage.h"

#include <tessera/copy.h>

// The super-chunk is locked for reading.
static int
copy_array(struct b2_schunk *s, const blosc2_storage *storage, struct b2_place *place,
           tess_array **copy)
{
    tess_params params;
    tess_error err = {0};

    tess_array_params(s->a, &params);
    const int32_t typesize = params.typesize;
    int rc = b2_params_check_array(storage);
    if (rc == 0)
        rc = b2_params_set(&params, storage->cparams);
    if (rc < 0)
        return rc;
    params.typesize = typesize; // that of the items, whatever cparams say
    params.layout =
        place->storage.path && !storage->contiguous ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    return b2_code_io(tess_array_copy(s->a, &place->storage, &params, copy, &err), &err,
                      BLOSC2_ERROR_FILE_OPEN);
}

// The super-chunk is locked for reading.
static int
copy_plain(struct b2_schunk *s, const blosc2_storage *storage, struct b2_place *place,
           tess_array **copy)
{
    void *image = NULL;
    size_t size = 0;
    tess_error err = {0};
    tess_status st;

    if (place->storage.path) {
        st = tess_array_save(s->a, &place->storage,
                             storage->contiguous ? TESS_LAYOUT_CONTIGUOUS : TESS_LAYOUT_SPARSE,
                             &err);
    } else {
        st = tess_array_to_image(s->a, &image, &size, &err);
        place->storage.image = image;
        place->storage.image_size = size;
    }
    place->storage.mode = TESS_MODE_UPDATE;
    if (st == TESS_OK)
        st = tess_array_open(&place->storage, copy, &err);
    tess_free(image);
    return b2_code_io(st, &err, BLOSC2_ERROR_FILE_OPEN);
}

static int
copy_to(struct b2_schunk *s, const blosc2_storage *storage, struct b2_access *access,
        tess_array **copy)
{
    const char *const path = b2_storage_path(storage->urlpath);
    struct b2_place place;
    tess_info info;
    int rc = b2_access_place(access, &place, storage, path, TESS_MODE_NEW);

    if (rc == 0)
        rc = b2_schunk_read_begin(s);
    if (rc < 0)
        return rc;
    tess_array_info(s->a, &info);
    if (!info.plain)
        rc = copy_array(s, storage, &place, copy);
    else if (info.vlblocks || b2_params_equal(&info, storage->cparams))
        rc = copy_plain(s, storage, &place, copy);
    else
        rc = b2_fail(BLOSC2_ERROR_SCHUNK_COPY, "chunks of a plain super-chunk keep their codec");
    b2_schunk_end(s);
    return rc;
}

blosc2_schunk *
blosc2_schunk_copy(blosc2_schunk *schunk, blosc2_storage *storage)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    struct b2_access *access = NULL;
    tess_array *copy = NULL;

    if (!s || b2_schunk_follow(s) < 0)
        return NULL;
    blosc2_storage own = storage ? *storage : BLOSC2_STORAGE_DEFAULTS;
    if (!own.cparams)
        own.cparams = schunk->storage->cparams;
    int rc = b2_access_new(&own, &access);
    if (rc == 0)
        rc = copy_to(s, &own, access, &copy);
    struct b2_schunk *const made =
        rc == 0 ? b2_schunk_wrap(copy, &own, b2_storage_path(own.urlpath), access, false) : NULL;
    if (made)
        return &made->of;
    tess_array_close(copy, NULL);
    b2_access_drop(access);
    return NULL;
}
