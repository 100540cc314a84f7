/*
 * new.c - new super-chunks, without an array.
 */
#include "compat/blosc2/access.h"
#include "compat/blosc2/error.h"
#include "compat/blosc2/params.h"
#include "compat/blosc2/schunk.h"
#include "compat/blosc2/schunk_wrap.h"
#include "compat/blosc2/storage.h"

#include <tessera/schunk.h>

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
    if (made)
        return &made->of;
    if (a)
        tess_array_discard(a);
    b2_access_drop(access);
    return NULL;
}
