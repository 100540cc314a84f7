/*
 * copy.c - a super-chunk with another storage.
 *
 * An array is copied with new parameters for its chunks. Chunks of a plain super-chunk are copied
 * as they are stored, or encoded again where the parameters differ.
 */
#include "blosc2/error.h"
#include "blosc2/params.h"
#include "blosc2/storage.h"
#include "schunk/access.h"
#include "schunk/calls.h"
#include "schunk/plain_copy.h"
#include "schunk/schunk.h"
#include "schunk/wrap.h"

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

// The super-chunk is locked for reading. Its metalayers of fixed size come with it.
static int
copy_plain(struct b2_schunk *s, const blosc2_storage *storage, struct b2_place *place,
           const tess_info *info, tess_array **copy)
{
    tess_metalayer layers[BLOSC2_MAX_METALAYERS];
    tess_params params;
    tess_error err = {0};
    const bool encode = !b2_params_equal(info, storage->cparams);

    tess_params_init(&params);
    const int rc = b2_params_set(&params, storage->cparams);
    if (rc < 0)
        return rc;
    for (int i = 0; i < s->of.nmetalayers; i++) {
        const blosc2_metalayer *const m = s->of.metalayers[i];
        layers[i] = (tess_metalayer){m->name, m->content, (size_t)m->content_len};
    }
    params.typesize = s->of.typesize; // that of the items, whatever cparams say
    params.ndim = 1;
    params.blockshape[0] = storage->cparams->blocksize / s->of.typesize;
    params.layout =
        place->storage.path && !storage->contiguous ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    params.metalayers = layers;
    params.nmetalayers = s->of.nmetalayers;
    return b2_code_io(b2_plain_copy(s->a, &place->storage, &params, encode, copy, &err), &err,
                      BLOSC2_ERROR_FILE_OPEN);
}

static int
copy_to(struct b2_schunk *s, const blosc2_storage *storage, struct b2_access *access,
        tess_array **copy)
{
    const char *const path = b2_storage_file(storage);
    struct b2_place place;
    tess_info info;

    access->plain = s->access->plain;
    int rc = b2_access_place(access, &place, storage, path, TESS_MODE_NEW);

    if (rc == 0)
        rc = b2_schunk_read_begin(s);
    if (rc < 0)
        return rc;
    tess_array_info(s->a, &info);
    rc = info.plain ? copy_plain(s, storage, &place, &info, copy)
                    : copy_array(s, storage, &place, copy);
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
        rc == 0 ? b2_schunk_wrap(copy, &own, b2_storage_file(&own), access, false) : NULL;
    if (made) {
        made->of.change_tick = made->of.nmetalayers + made->of.nvlmetalayers; // each was added
        return &made->of;
    }
    b2_schunk_undo(copy, access, copy ? b2_storage_file(&own) : NULL);
    return NULL;
}
