/*
 * frame.c - arrays from frames in files and memory, and to them.
 */
#include "blosc2/error.h"

#include <b2nd.h>

// The array of a super-chunk that was opened for it.
static int
open_array(blosc2_schunk *schunk, b2nd_array_t **array, int code)
{
    if (!schunk)
        return code;
    const int rc = b2nd_from_schunk(schunk, array);
    if (rc < 0)
        blosc2_schunk_free(schunk);
    return rc;
}

int
b2nd_open_offset(const char *urlpath, b2nd_array_t **array, int64_t offset)
{
    if (array)
        *array = NULL;
    if (!urlpath || !array)
        return BLOSC2_ERROR_NULL_POINTER;
    return open_array(blosc2_schunk_open_offset(urlpath, offset), array, BLOSC2_ERROR_NULL_POINTER);
}

int
b2nd_open(const char *urlpath, b2nd_array_t **array)
{
    return b2nd_open_offset(urlpath, array, 0);
}

int
b2nd_from_cframe(uint8_t *cframe, int64_t cframe_len, bool copy, b2nd_array_t **array)
{
    if (array)
        *array = NULL;
    if (!cframe || !array)
        return BLOSC2_ERROR_NULL_POINTER;
    return open_array(blosc2_schunk_from_buffer(cframe, cframe_len, copy), array,
                      BLOSC2_ERROR_FAILURE);
}

int
b2nd_to_cframe(const b2nd_array_t *array, uint8_t **cframe, int64_t *cframe_len, bool *needs_free)
{
    if (!array || !cframe || !cframe_len || !needs_free)
        return BLOSC2_ERROR_NULL_POINTER;
    *cframe_len = blosc2_schunk_to_buffer(array->sc, cframe, needs_free);
    return *cframe_len > 0 ? BLOSC2_ERROR_SUCCESS : BLOSC2_ERROR_FAILURE;
}

int64_t
b2nd_save_append(const b2nd_array_t *array, const char *urlpath)
{
    if (!array)
        return BLOSC2_ERROR_NULL_POINTER;
    return blosc2_schunk_append_file(array->sc, urlpath);
}
