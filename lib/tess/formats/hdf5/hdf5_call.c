/*
 * hdf5_call.c - what calls of HDF5 have in common: selecting boxes, and reporting errors.
 */
#include "formats/hdf5/hdf5_call.h"

#include "report.h"

#include <tessera/params.h>

#include <stdio.h>
#include <string.h>

void
hdf5_silence(void)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

struct reason {
    char text[160];
    bool found;
};

// An H5E_walk2_t: takes the first entry of the error stack, which is the cause. Entries of the
// search for plugins are skipped: if a filter is missing, the next entry names the filter.
static herr_t
take_reason(unsigned n, const H5E_error2_t *error, void *user)
{
    static const char words[] = "error message = '";
    struct reason *const reason = user;
    const char *const desc = error->desc ? error->desc : "";
    const char *const system = strstr(desc, words);

    (void)n;
    if (reason->found || error->maj_num == H5E_PLUGIN || !desc[0])
        return 0;
    reason->found = true;
    if (system) // "what: time = ..., filename = ..., error message = '...', buf = ..."
        (void)snprintf(reason->text, sizeof reason->text, "%.*s: %.*s", (int)strcspn(desc, ":"),
                       desc, (int)strcspn(system + sizeof words - 1, "'"),
                       system + sizeof words - 1);
    else
        (void)snprintf(reason->text, sizeof reason->text, "%s", desc);
    return 0;
}

tess_status
hdf5_fail(tess_error *err, const char *what)
{
    struct reason reason = {.text = "HDF5 does not say why"};

    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &reason);
    (void)H5Eclear2(H5E_DEFAULT);
    return report_set(err, TESS_ERR_IO, "%s: %s", what, reason.text);
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
