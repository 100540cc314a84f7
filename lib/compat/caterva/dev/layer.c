/*
 * layer.c - the content of the metalayer `caterva`.
 *
 * It is that of `b2nd` without the type: a list of 5 in msgpack.
 */
#include "caterva/array.h"

#include <inttypes.h>

enum {
    LIST = 0x90, // plus its length
    ENTRIES = 5,
    NO_TYPE = 6, // bytes of an empty type at the end of `b2nd`
};

int32_t
caterva_serialize_meta(int8_t ndim, int64_t *shape, const int32_t *chunkshape,
                       const int32_t *blockshape, uint8_t **smeta)
{
    if (smeta)
        *smeta = NULL;
    if (ndim > CATERVA_MAX_DIM)
        return BLOSC2_ERROR_INVALID_PARAM;
    const int size = b2nd_serialize_meta(ndim, shape, chunkshape, blockshape, "", 0, smeta);
    if (size < 0)
        return size;
    (*smeta)[0] = LIST + ENTRIES;
    return size - NO_TYPE;
}

int32_t
caterva_deserialize_meta(uint8_t *smeta, int32_t smeta_len, int8_t *ndim, int64_t *shape,
                         int32_t *chunkshape, int32_t *blockshape)
{
    if (!smeta)
        return BLOSC2_ERROR_NULL_POINTER;
    if (smeta_len > 2 && smeta[2] > CATERVA_MAX_DIM)
        return BLOSC2_ERROR_INVALID_PARAM;
    return b2nd_deserialize_meta(smeta, smeta_len, ndim, shape, chunkshape, blockshape, NULL, NULL);
}

static void
print_numbers(const char *name, int ndim, const int64_t *wide, const int32_t *narrow)
{
    printf("\n %s", name);
    for (int i = 0; i < ndim; i++)
        printf("%s%" PRId64, i > 0 ? ", " : "", wide ? wide[i] : narrow[i]);
}

int
caterva_print_meta(caterva_array_t *array)
{
    if (!array)
        return CATERVA_ERR_NULL_POINTER;
    printf("Caterva metalayer parameters: \n Ndim:       %d", array->ndim);
    print_numbers("Shape:      ", array->ndim, array->shape, NULL);
    print_numbers("Chunkshape: ", array->ndim, NULL, array->chunkshape);
    print_numbers("Blockshape: ", array->ndim, NULL, array->blockshape);
    printf("\n");
    return CATERVA_SUCCEED;
}
