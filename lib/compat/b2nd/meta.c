/*
 * meta.c - the content of the metalayer `b2nd`.
 *
 * A list of 7 in msgpack: version, ndim, three lists of ndim numbers (shape as int64, chunkshape
 * and blockshape as int32), the notation of the type, the type as a string with 32 bits of length.
 */
#include "b2nd/array.h"
#include "b2nd/geometry.h"
#include "blosc2/error.h"
#include "schunk/schunk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/meta.h>

enum {
    LIST = 0x90, // plus its length
    INT32 = 0xd2,
    INT64 = 0xd3,
    STR32 = 0xdb,
    ENTRIES = 7,
};

static uint8_t *
put_number(uint8_t *at, int marker, const void *number, int size)
{
    *at++ = (uint8_t)marker;
    swap_store(at, number, size);
    return at + size;
}

static uint8_t *
put_int32s(uint8_t *at, int ndim, const int32_t *numbers)
{
    *at++ = (uint8_t)(LIST + ndim);
    for (int i = 0; i < ndim; i++)
        at = put_number(at, INT32, &numbers[i], sizeof *numbers);
    return at;
}

static size_t
content_size(int ndim, size_t dtype_size)
{
    const size_t n = (size_t)ndim;
    const size_t shapes = 3 + n * (1 + sizeof(int64_t)) + 2 * n * (1 + sizeof(int32_t));

    return 3 + shapes + 1 + 1 + sizeof(int32_t) + dtype_size;
}

int
b2nd_serialize_meta(int8_t ndim, const int64_t *shape, const int32_t *chunkshape,
                    const int32_t *blockshape, const char *dtype, int8_t dtype_format,
                    uint8_t **smeta)
{
    const size_t length = strlen(dtype ? dtype : B2ND_DEFAULT_DTYPE);

    if (!smeta || (ndim > 0 && (!shape || !chunkshape || !blockshape)))
        return BLOSC2_ERROR_NULL_POINTER;
    *smeta = NULL;
    if (ndim < 0 || ndim > B2ND_MAX_DIM || dtype_format < 0 ||
        length > (size_t)INT32_MAX - content_size(B2ND_MAX_DIM, 0))
        return b2_fail(BLOSC2_ERROR_FAILURE, "%d dimensions, notation %d, a type of %zu bytes",
                       ndim, dtype_format, length);
    uint8_t *const meta = malloc(content_size(ndim, length));
    const int32_t dtype_size = (int32_t)length;
    if (!meta)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    uint8_t *at = meta;
    *at++ = LIST + ENTRIES;
    *at++ = B2ND_METALAYER_VERSION;
    *at++ = (uint8_t)ndim;
    *at++ = (uint8_t)(LIST + ndim);
    for (int i = 0; i < ndim; i++)
        at = put_number(at, INT64, &shape[i], sizeof *shape);
    at = put_int32s(at, ndim, chunkshape);
    at = put_int32s(at, ndim, blockshape);
    *at++ = (uint8_t)dtype_format;
    at = put_number(at, STR32, &dtype_size, sizeof dtype_size);
    memcpy(at, dtype ? dtype : B2ND_DEFAULT_DTYPE, length);
    *smeta = meta;
    return (int)content_size(ndim, length);
}

int
b2nd_deserialize_meta(const uint8_t *smeta, int32_t smeta_len, int8_t *ndim, int64_t *shape,
                      int32_t *chunkshape, int32_t *blockshape, char **dtype, int8_t *dtype_format)
{
    return b2nd_deserialize_meta_inline(smeta, smeta_len, ndim, shape, chunkshape, blockshape,
                                        dtype, dtype_format);
}

// The metalayer of the array as the super-chunk shows it.
static int
get_layer(blosc2_schunk *schunk, uint8_t **content, int32_t *size)
{
    int rc = blosc2_meta_get(schunk, "b2nd", content, size);

    if (rc < 0)
        rc = blosc2_meta_get(schunk, "caterva", content, size);
    return rc < 0 ? b2_fail(BLOSC2_ERROR_METALAYER_NOT_FOUND, "no metalayer b2nd or caterva")
                  : BLOSC2_ERROR_SUCCESS;
}

static void
print_numbers(const char *name, int ndim, const int64_t *wide, const int32_t *narrow)
{
    printf("\n %s", name);
    for (int i = 0; i < ndim; i++)
        printf("%s%" PRId64, i > 0 ? ", " : "", wide ? wide[i] : narrow[i]);
}

int
b2nd_print_meta(const b2nd_array_t *array)
{
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM], blockshape[B2ND_MAX_DIM];
    int8_t ndim, dtype_format;
    char *dtype = NULL;
    uint8_t *content = NULL;
    int32_t size = 0;

    if (!array)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = get_layer(array->sc, &content, &size);
    if (rc == 0)
        rc = b2nd_deserialize_meta(content, size, &ndim, shape, chunkshape, blockshape, &dtype,
                                   &dtype_format);
    free(content);
    if (rc < 0)
        return rc;
    printf("b2nd metalayer parameters:\n Ndim:       %d", ndim);
    print_numbers("shape:      ", ndim, shape, NULL);
    print_numbers("chunkshape: ", ndim, NULL, chunkshape);
    if (dtype)
        printf("\n dtype: %s", dtype);
    print_numbers("blockshape: ", ndim, NULL, blockshape);
    printf("\n");
    free(dtype);
    return BLOSC2_ERROR_SUCCESS;
}

// Whether the metalayer that the super-chunk shows is what the array has: programs may write to it.
static int
check_layer(const b2nd_array_t *array)
{
    tess_metalayer layer;
    tess_info info;
    tess_error err = {0};

    tess_array_info(nd_handle(array), &info);
    const tess_status st = tess_meta_get(nd_handle(array), info.layer, &layer, &err);
    const int index = blosc2_meta_exists(array->sc, info.layer);
    if (st != TESS_OK)
        return b2_code(st, &err);
    if (index < 0)
        return BLOSC2_ERROR_METALAYER_NOT_FOUND;
    const blosc2_metalayer *const shown = array->sc->metalayers[index];
    if ((size_t)shown->content_len == layer.size &&
        memcmp(shown->content, layer.content, layer.size) == 0)
        return BLOSC2_ERROR_SUCCESS;
    return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "metalayer %s is not that of the array", info.layer);
}

static int
check_shapes(const struct nd_layer *layer, b2nd_array_t *members)
{
    for (int i = 0; i < layer->ndim; i++)
        if (layer->chunkshape[i] == 0 && layer->shape[i] > 0)
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                           "axis %d: chunks of 0 items, the shape has %" PRId64, i,
                           layer->shape[i]);
    return nd_geometry_set(members, layer->ndim, layer->shape, layer->chunkshape,
                           layer->blockshape);
}

// An array whose layer does not describe the chunks. Where its chunks would be too large for any
// super-chunk, as c-blosc2 writes them, its members can be read.
static int
from_layer(blosc2_schunk *schunk, const struct nd_layer *layer, b2nd_array_t **array)
{
    b2nd_array_t members;
    int64_t chunksize;
    const int rc = check_shapes(layer, &members);

    if (rc < 0)
        return rc;
    if (schunk->nchunks > 0 ||
        nd_multiply(members.extchunknitems, schunk->typesize, BLOSC2_MAX_BUFFERSIZE, &chunksize))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "the N-dimensional metalayer does not describe the %" PRId64 " chunks",
                       schunk->nchunks);
    return nd_new_without_chunks(b2_schunk_of(schunk), layer, array);
}

static int
from_plain(blosc2_schunk *schunk, b2nd_array_t **array)
{
    struct nd_layer layer = {0};
    uint8_t *content = NULL;
    int32_t size = 0;
    int rc = get_layer(schunk, &content, &size);

    if (rc == 0)
        rc = b2nd_deserialize_meta(content, size, &layer.ndim, layer.shape, layer.chunkshape,
                                   layer.blockshape, &layer.dtype, &layer.dtype_format);
    if (rc >= 0)
        rc = from_layer(schunk, &layer, array);
    free(content);
    free(layer.dtype);
    return rc;
}

int
b2nd_from_schunk(blosc2_schunk *schunk, b2nd_array_t **array)
{
    tess_info info;

    if (!array)
        return BLOSC2_ERROR_NULL_POINTER;
    *array = NULL;
    if (!schunk)
        return BLOSC2_ERROR_NULL_POINTER;
    tess_array_info(b2_schunk_of(schunk)->a, &info);
    if (info.plain)
        return from_plain(schunk, array);
    int rc = nd_new(b2_schunk_of(schunk), array);
    if (rc < 0)
        return rc;
    rc = check_layer(*array);
    if (rc == 0)
        return rc;
    (*array)->sc = NULL; // stays the caller's
    b2nd_free(*array);
    *array = NULL;
    return rc;
}
