/*
 * status.h - checks what functions of a source return.
 */
#ifndef IO_SOURCE_STATUS_H
#define IO_SOURCE_STATUS_H

#include "base/error.h"

// st, or TESS_ERR_IO if it is not a tess_status. On failure err gets status, offset -1, and a
// message if the function left none; *err was zeroed before the function was called. name: of the
// function.
tess_status source_status(tess_status st, const char *name, tess_error *err);

#endif
