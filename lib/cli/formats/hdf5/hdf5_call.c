/*
 * hdf5_call.c - what calls of HDF5 have in common: boxes, and what went wrong.
 */
#include "cli/formats/hdf5/hdf5_call.h"

#include "cli/report.h"

#include <tessera/params.h>

#include <stdio.h>
#include <string.h>

void
hdf5_silence(void)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

// The first one is where it happened.
static herr_t
take_first(unsigned n, const H5E_error2_t *error, void *text)
{
    static const char words[] = "error message = '";
    const char *const desc = error->desc ? error->desc : "";
    const char *const system = strstr(desc, words);

    if (n > 0)
        return 0;
    if (system) // "what: time = ..., filename = ..., error message = '...', buf = ..."
        (void)snprintf(text, 160, "%.*s: %.*s", (int)strcspn(desc, ":"), desc,
                       (int)strcspn(system + sizeof words - 1, "'"), system + sizeof words - 1);
    else if (desc[0])
        (void)snprintf(text, 160, "%s", desc);
    return 0;
}

tess_status
hdf5_fail(tess_error *err, const char *what)
{
    char text[160] = "HDF5 does not say why";

    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, text);
    (void)H5Eclear2(H5E_DEFAULT);
    return report_set(err, TESS_ERR_IO, "%s: %s", what, text);
}

hid_t
hdf5_select(hid_t space, int ndim, const int64_t *start, const int64_t *stop)
{
    hsize_t first[TESS_MAX_NDIM] = {0}, count[TESS_MAX_NDIM] = {0};

    for (int i = 0; i < ndim; i++) {
        first[i] = (hsize_t)start[i];
        count[i] = (hsize_t)(stop[i] - start[i]);
    }
    if (ndim > 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) < 0)
        return -1;
    return H5Screate_simple(ndim, count, NULL);
}

bool
hdf5_is_internal(const char *attribute)
{
    static const char *const names[] = {"CLASS",
                                        "NAME",
                                        "REFERENCE_LIST",
                                        "DIMENSION_LIST",
                                        "DIMENSION_LABELS",
                                        "_Netcdf4Dimid",
                                        "_Netcdf4Coordinates",
                                        "_NCProperties",
                                        "_nc3_strict"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], attribute) == 0)
            return true;
    return false;
}
