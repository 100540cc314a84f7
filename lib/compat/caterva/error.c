/*
 * error.c - failures as the codes of Caterva.
 */
#include "caterva/error.h"

#include <caterva.h>
#include <stdarg.h>

int
cat_code(int rc)
{
    if (rc >= 0)
        return CATERVA_SUCCEED;
    switch (rc) {
    case BLOSC2_ERROR_NULL_POINTER:
        return CATERVA_ERR_NULL_POINTER;
    case BLOSC2_ERROR_INVALID_INDEX:
        return CATERVA_ERR_INVALID_INDEX;
    case BLOSC2_ERROR_INVALID_PARAM:
        return CATERVA_ERR_INVALID_ARGUMENT;
    default:
        return cat_blosc_code(rc);
    }
}

int
cat_blosc_code(int rc)
{
    if (rc >= 0)
        return CATERVA_SUCCEED;
    return cat_fail(CATERVA_ERR_BLOSC_FAILED, "%s", blosc2_error_string(rc));
}

int
cat_fail(int code, const char *fmt, ...)
{
    va_list args;

    if (!getenv("CATERVA_TRACE"))
        return code;
    fprintf(stderr, "[error] - caterva: ");
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fprintf(stderr, "\n");
    return code;
}
