/*
 * b2nd.h - N-dimensional arrays: the interface of c-blosc2 3.3, with Tessera behind it (library
 * tessera-b2nd).
 *
 * Functions return 0 (or what their comment says), or a negative BLOSC2_ERROR_ code; then they hand
 * out nothing. Positions and shapes have one number per axis, slowest axis first.
 */
#ifndef BLOSC_B2ND_H
#define BLOSC_B2ND_H

#include "blosc2/names.h"

#include "blosc2.h"
#include "blosc2/blosc2-export.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_MSC_VER)
#define B2ND_DEPRECATED(msg) __declspec(deprecated(msg))
#elif defined(__GNUC__) || defined(__clang__)
#define B2ND_DEPRECATED(msg) __attribute__((deprecated(msg)))
#else
#define B2ND_DEPRECATED(msg)
#endif

/* Version of the metalayer `b2nd`. */
#define B2ND_METALAYER_VERSION 0

#define B2ND_MAX_DIM 16

/* Metalayers besides that of the array. */
#define B2ND_MAX_METALAYERS (BLOSC2_MAX_METALAYERS - 1)

/* dtype_format of types in NumPy's notation. */
#define DTYPE_NUMPY_FORMAT 0

#define B2ND_DEFAULT_DTYPE "|u1"
#define B2ND_DEFAULT_DTYPE_FORMAT DTYPE_NUMPY_FORMAT

/* For programs that look at it; Tessera caches blocks elsewhere. */
struct chunk_cache_s {
    uint8_t *data; /* NULL */
    int64_t nchunk; /* -1: empty */
};

/* How arrays are created. */
typedef struct b2nd_context_s b2nd_context_t;

/* An array. Programs read the members; functions keep them true. */
typedef struct {
    blosc2_schunk *sc;
    int64_t shape[B2ND_MAX_DIM];
    int32_t chunkshape[B2ND_MAX_DIM];
    int64_t extshape[B2ND_MAX_DIM]; /* shape, filled up to whole chunks */
    int32_t blockshape[B2ND_MAX_DIM];
    int64_t extchunkshape[B2ND_MAX_DIM]; /* chunkshape, filled up to whole blocks */
    int64_t nitems; /* product of shape, and so on */
    int32_t chunknitems;
    int64_t extnitems;
    int32_t blocknitems;
    int64_t extchunknitems;
    int8_t ndim;
    struct chunk_cache_s chunk_cache;
    int64_t item_array_strides[B2ND_MAX_DIM]; /* items from one index to the next, in the array */
    int64_t item_chunk_strides[B2ND_MAX_DIM]; /* in a chunk */
    int64_t item_extchunk_strides[B2ND_MAX_DIM]; /* in a chunk of whole blocks */
    int64_t item_block_strides[B2ND_MAX_DIM]; /* in a block */
    int64_t block_chunk_strides[B2ND_MAX_DIM]; /* blocks, in a chunk */
    int64_t chunk_array_strides[B2ND_MAX_DIM]; /* chunks, in the array */
    char *dtype;
    int8_t dtype_format;
    int64_t last_tick; /* sc->change_tick that the members are of */
} b2nd_array_t;

/*
 * Describe new arrays. Structs, cparams and dtype are copied; path, dparams, io, and names and
 * contents of metalayers must stay as long as the context. b2_storage NULL: in memory; dtype NULL:
 * "|S" with the item size; metalayers may be NULL if there are none. Blocks that exceed their chunk
 * become as large as it. Free it with b2nd_free_ctx().
 */
BLOSC_EXPORT b2nd_context_t *b2nd_create_ctx(const blosc2_storage *b2_storage, int8_t ndim,
                                             const int64_t *shape, const int32_t *chunkshape,
                                             const int32_t *blockshape, const char *dtype,
                                             int8_t dtype_format,
                                             const blosc2_metalayer *metalayers,
                                             int32_t nmetalayers);
/* Free it; arrays made with it stay. */
BLOSC_EXPORT int b2nd_free_ctx(b2nd_context_t *ctx);

/* -- New arrays, freed with b2nd_free(). */

/* Never written; reads as zeros. */
BLOSC_EXPORT int b2nd_uninit(b2nd_context_t *ctx, b2nd_array_t **array);
/* As b2nd_zeros(). */
BLOSC_EXPORT int b2nd_empty(b2nd_context_t *ctx, b2nd_array_t **array);
/* Zeros. */
BLOSC_EXPORT int b2nd_zeros(b2nd_context_t *ctx, b2nd_array_t **array);
/* NaNs; items of 4 or 8 bytes. */
BLOSC_EXPORT int b2nd_nans(b2nd_context_t *ctx, b2nd_array_t **array);
/* One item everywhere. */
BLOSC_EXPORT int b2nd_full(b2nd_context_t *ctx, b2nd_array_t **array, const void *fill_value);
/* The items of buffer, in C order. */
BLOSC_EXPORT int b2nd_from_cbuffer(b2nd_context_t *ctx, b2nd_array_t **array, const void *buffer,
                                   int64_t buffersize);

/* Close and free an array and its super-chunk. */
BLOSC_EXPORT int b2nd_free(b2nd_array_t *array);

/* -- Storage. */

/* The array in a super-chunk, which then belongs to the array. */
BLOSC_EXPORT int b2nd_from_schunk(blosc2_schunk *schunk, b2nd_array_t **array);
/*
 * *cframe becomes a frame with everything, to be freed with free() if *needs_free; else it belongs
 * to the array, and is valid until the next change.
 */
BLOSC_EXPORT int b2nd_to_cframe(const b2nd_array_t *array, uint8_t **cframe, int64_t *cframe_len,
                                bool *needs_free);
/* Open a frame in memory. copy false: cframe is used in place, and stays as long as the array. */
BLOSC_EXPORT int b2nd_from_cframe(uint8_t *cframe, int64_t cframe_len, bool copy,
                                  b2nd_array_t **array);
/* Open an array in a file or directory. */
BLOSC_EXPORT int b2nd_open(const char *urlpath, b2nd_array_t **array);
/* Open the array that begins at a byte of a file. */
BLOSC_EXPORT int b2nd_open_offset(const char *urlpath, b2nd_array_t **array, int64_t offset);
/* Write the array to a new file. */
BLOSC_EXPORT int b2nd_save(const b2nd_array_t *array, char *urlpath);
/* Write the array behind the end of a file; returns the byte where it begins. */
BLOSC_EXPORT int64_t b2nd_save_append(const b2nd_array_t *array, const char *urlpath);
/* Follow what others changed in the file: 1 if there was something, else 0. */
BLOSC_EXPORT int b2nd_refresh(b2nd_array_t *array);

/* -- Items. */

/* Copy all items to buffer, in C order. */
BLOSC_EXPORT int b2nd_to_cbuffer(const b2nd_array_t *array, void *buffer, int64_t buffersize);
/* Copy the items with the given numbers in C order to buffer; in any order, also repeated. */
BLOSC_EXPORT int b2nd_get_sparse_cbuffer(const b2nd_array_t *array, int64_t ncoords,
                                         const int64_t *coords, void *buffer, int64_t buffersize);
/*
 * Copy the box [start, stop) to a buffer of shape buffershape, stop - start at least. Items beyond
 * the end of an axis, and the rest of a larger buffer, become zeros.
 */
BLOSC_EXPORT int b2nd_get_slice_cbuffer(const b2nd_array_t *array, const int64_t *start,
                                        const int64_t *stop, void *buffer,
                                        const int64_t *buffershape, int64_t buffersize);
/* Replace the box [start, stop) by items of a buffer, but for those beyond the end of an axis. */
BLOSC_EXPORT int b2nd_set_slice_cbuffer(const void *buffer, const int64_t *buffershape,
                                        int64_t buffersize, const int64_t *start,
                                        const int64_t *stop, b2nd_array_t *array);
/* Copy the items whose index on each axis i is one of selection[i]. */
BLOSC_EXPORT int b2nd_get_orthogonal_selection(const b2nd_array_t *array, int64_t **selection,
                                               int64_t *selection_size, void *buffer,
                                               int64_t *buffershape, int64_t buffersize);
/* Replace them. */
BLOSC_EXPORT int b2nd_set_orthogonal_selection(b2nd_array_t *array, int64_t **selection,
                                               int64_t *selection_size, const void *buffer,
                                               int64_t *buffershape, int64_t buffersize);

/* -- Arrays from arrays. Shape and ndim of ctx are replaced by those of the result. */

/* A new array with the items of a box. */
BLOSC_EXPORT int b2nd_get_slice(b2nd_context_t *ctx, b2nd_array_t **array, const b2nd_array_t *src,
                                const int64_t *start, const int64_t *stop);
/* A new array with all items. */
BLOSC_EXPORT int b2nd_copy(b2nd_context_t *ctx, const b2nd_array_t *src, b2nd_array_t **array);
/* src2 behind src1 along an axis: in a new array, or, if copy is false, in src1, which *array
 * becomes. */
BLOSC_EXPORT int b2nd_concatenate(b2nd_context_t *ctx, const b2nd_array_t *src1,
                                  const b2nd_array_t *src2, int8_t axis, bool copy,
                                  b2nd_array_t **array);
/* A view without the axes of length 1 that index marks. */
BLOSC_EXPORT int b2nd_squeeze_index(b2nd_array_t *array, b2nd_array_t **view, const bool *index);
/* A view without the axes of length 1. */
BLOSC_EXPORT int b2nd_squeeze(b2nd_array_t *array, b2nd_array_t **view);
/* A view of final_dims axes: those that axis marks are new, of length 1. */
BLOSC_EXPORT int b2nd_expand_dims(const b2nd_array_t *array, b2nd_array_t **view, const bool *axis,
                                  const uint8_t final_dims);

/* -- Shape. */

/*
 * Change the shape. start: where items are inserted or deleted, per axis; NULL: at the end.
 * Elsewhere it and the change are multiples of the chunk's length. New items are zeros, but in an
 * edge chunk of equal items they are that item.
 */
BLOSC_EXPORT int b2nd_resize(b2nd_array_t *array, const int64_t *new_shape, const int64_t *start);
/* Insert the items of buffer in front of an index of an axis. */
BLOSC_EXPORT int b2nd_insert(b2nd_array_t *array, const void *buffer, int64_t buffersize,
                             int8_t axis, int64_t insert_start);
/* Append the items of buffer along an axis. */
BLOSC_EXPORT int b2nd_append(b2nd_array_t *array, const void *buffer, int64_t buffersize,
                             int8_t axis);
/* Delete delete_len indices of an axis. */
BLOSC_EXPORT int b2nd_delete(b2nd_array_t *array, int8_t axis, int64_t delete_start,
                             int64_t delete_len);

/* -- The metalayer `b2nd`. */

/* Print shapes and type to stdout. */
BLOSC_EXPORT int b2nd_print_meta(const b2nd_array_t *array);
/* *smeta becomes the content of the metalayer, to be freed with free(); returns its bytes. */
BLOSC_EXPORT int b2nd_serialize_meta(int8_t ndim, const int64_t *shape, const int32_t *chunkshape,
                                     const int32_t *blockshape, const char *dtype,
                                     int8_t dtype_format, uint8_t **smeta);
/*
 * Read the content of a metalayer. shape, chunkshape and blockshape have room for B2ND_MAX_DIM
 * numbers; *dtype is to be freed with free(), and NULL if the metalayer has no type. dtype and
 * dtype_format may be NULL. Returns the bytes that were read.
 */
BLOSC_EXPORT int b2nd_deserialize_meta(const uint8_t *smeta, int32_t smeta_len, int8_t *ndim,
                                       int64_t *shape, int32_t *chunkshape, int32_t *blockshape,
                                       char **dtype, int8_t *dtype_format);

/* Read ndim numbers of `size` bytes, each behind a byte of type, into out; false if there are less.
 */
static inline bool
tess_b2nd_numbers(const uint8_t **at, const uint8_t *end, int8_t ndim, int size, void *out)
{
    if (*at == end || (end - *at - 1) / (size + 1) < ndim)
        return false;
    ++*at; /* the head of the list */
    for (int i = 0; i < ndim; i++) {
        swap_store((uint8_t *)out + i * size, *at + 1, size);
        *at += size + 1;
    }
    return true;
}

/* Read the type that ends the content of a metalayer into memory to be freed. */
static inline int
tess_b2nd_dtype(const uint8_t **at, const uint8_t *end, char **dtype, int8_t *dtype_format)
{
    int32_t length;

    if (*at == end) /* that of a Caterva array */
        return 0;
    if (end - *at < 6 || (*at)[1] != 0xdb)
        return BLOSC2_ERROR_FAILURE;
    swap_store(&length, *at + 2, 4);
    if (length < 0 || length > end - *at - 6)
        return BLOSC2_ERROR_FAILURE;
    *dtype = (char *)malloc((size_t)length + 1);
    if (*dtype == NULL)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    memcpy(*dtype, *at + 6, (size_t)length);
    (*dtype)[length] = '\0';
    *dtype_format = (int8_t)(*at)[0];
    *at += 6 + length;
    return 0;
}

/* b2nd_deserialize_meta() for plugins that link no library. */
static inline int
b2nd_deserialize_meta_inline(const uint8_t *smeta, int32_t smeta_len, int8_t *ndim, int64_t *shape,
                             int32_t *chunkshape, int32_t *blockshape, char **dtype,
                             int8_t *dtype_format)
{
    const uint8_t *at, *end;

    if (!smeta || !ndim || !shape || !chunkshape || !blockshape)
        return BLOSC2_ERROR_NULL_POINTER;
    if (dtype)
        *dtype = NULL;
    if (dtype_format)
        *dtype_format = 0;
    /* Bytes 0 and 1: a list of 7, the version. */
    if (smeta_len < 3 || smeta[2] > B2ND_MAX_DIM) {
        BLOSC_TRACE_ERROR("metalayer b2nd: at least 3 bytes and at most %d dimensions are expected",
                          B2ND_MAX_DIM);
        return BLOSC2_ERROR_FAILURE;
    }
    *ndim = (int8_t)smeta[2];
    at = smeta + 3;
    end = smeta + smeta_len;
    if (!tess_b2nd_numbers(&at, end, *ndim, 8, shape) ||
        !tess_b2nd_numbers(&at, end, *ndim, 4, chunkshape) ||
        !tess_b2nd_numbers(&at, end, *ndim, 4, blockshape)) {
        BLOSC_TRACE_ERROR("metalayer b2nd: %d bytes are too few for %d dimensions", smeta_len,
                          *ndim);
        return BLOSC2_ERROR_FAILURE;
    }
    if (dtype && dtype_format) {
        const int rc = tess_b2nd_dtype(&at, end, dtype, dtype_format);

        if (rc < 0) {
            BLOSC_TRACE_ERROR("metalayer b2nd: no item type behind the shapes");
            return rc;
        }
    }
    return (int)(at - smeta);
}

/* -- Memory of the program. */

/* As b2nd_copy_buffer2(), for items of up to 255 bytes. */
B2ND_DEPRECATED("use b2nd_copy_buffer2()")
BLOSC_EXPORT int b2nd_copy_buffer(int8_t ndim, uint8_t itemsize, const void *src,
                                  const int64_t *src_pad_shape, const int64_t *src_start,
                                  const int64_t *src_stop, void *dst, const int64_t *dst_pad_shape,
                                  const int64_t *dst_start);
/* Copy the box [src_start, src_stop) of a buffer of one shape to dst_start in one of another. */
BLOSC_EXPORT int b2nd_copy_buffer2(int8_t ndim, int32_t itemsize, const void *src,
                                   const int64_t *src_pad_shape, const int64_t *src_start,
                                   const int64_t *src_stop, void *dst, const int64_t *dst_pad_shape,
                                   const int64_t *dst_start);

#ifdef __cplusplus
}
#endif

#endif
