/*
 * version.c - what the library calls itself and its status codes.
 */
#include <tessera/error.h>
#include <tessera/version.h>

TESS_API const char *
tess_version(void)
{
    return TESS_VERSION;
}

TESS_API const char *
tess_status_name(tess_status status)
{
    switch (status) {
    case TESS_OK:
        return "fine";
    case TESS_ERR_ARG:
        return "wrong argument";
    case TESS_ERR_NOMEM:
        return "out of memory";
    case TESS_ERR_IO:
        return "storage failed";
    case TESS_ERR_FORMAT:
        return "not a Blosc2 frame";
    case TESS_ERR_CORRUPT:
        return "damaged file";
    case TESS_ERR_UNSUPPORTED:
        return "not supported";
    case TESS_ERR_LIMIT:
        return "limit exceeded";
    case TESS_ERR_STALE:
        return "changed by another program";
    case TESS_ERR_CANCELLED:
        return "cancelled";
    case TESS_ERR_NOT_FOUND:
        return "not found";
    case TESS_ERR_TYPE:
        return "another type";
    }
    return "unknown status";
}
