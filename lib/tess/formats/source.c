/*
 * source.c - what all kinds of inputs have in common.
 */
#include "formats/source.h"

#include "report.h"

#include <tessera/dtype.h>

#include <stdlib.h>

void
source_close(struct source *source)
{
    if (!source)
        return;
    free(source->dtype);
    free(source->fill);
    free(source->rest);
    attributes_finish(&source->attributes);
    source->close(source);
}

enum box_walk_order
source_order(const struct source *source)
{
    if (source->sequential)
        return source->fortran ? BOX_WALK_STREAM_FORTRAN : BOX_WALK_STREAM;
    return source->fortran ? BOX_WALK_FORTRAN : BOX_WALK_C;
}

tess_status
source_finish(struct source *source, tess_error *err)
{
    return source->finish ? source->finish(source, err) : TESS_OK;
}

tess_status
source_set_typesize(struct source *s, tess_error *err)
{
    s->typesize = tess_dtype_parse(s->dtype).size;
    if (s->typesize <= 0)
        return report_set(err, TESS_ERR_UNSUPPORTED, "items of type %.200s cannot be imported",
                          s->dtype);
    return TESS_OK;
}

bool
source_nbytes(const struct source *source, int64_t *nbytes)
{
    int64_t n = source->typesize;

    // an empty axis makes the product 0, whatever the others are
    for (int i = 0; i < source->ndim; i++)
        if (source->shape[i] == 0)
            n = 0;
    for (int i = 0; i < source->ndim; i++)
        if (__builtin_mul_overflow(n, source->shape[i], &n))
            return false;
    *nbytes = n;
    return true;
}
