/*
 * dims_arrays.c - arrays whose dimensions get names and coordinates.
 */
#include "support/dims_arrays.h"

#include "support/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

tess_storage
dims_at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    return storage;
}

tess_array *
dims_grid(const char *path)
{
    const tess_storage storage = dims_at(path, TESS_MODE_NEW);
    tess_params p;
    tess_array *a;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = 3;
    p.shape[0] = ROWS;
    p.shape[1] = COLUMNS;
    p.shape[2] = 1;
    ok(tess_array_zeros(&storage, &p, &a, err));
    return a;
}
