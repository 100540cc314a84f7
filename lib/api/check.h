/*
 * check.h - arguments that several public functions check.
 */
#ifndef API_CHECK_H
#define API_CHECK_H

#include "array/array.h"

static inline tess_status
check_writable(const tess_array *a, tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    if (!a->frame->writable)
        return err_set(err, TESS_ERR_ARG, -1, "the array was opened for reading only");
    return TESS_OK;
}

#endif
