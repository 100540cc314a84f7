/*
 * caterva.h - N-dimensional arrays: the interface of the last state of Caterva, with Tessera behind
 * it (library tessera-caterva).
 *
 * Names, signatures, constants and structs are those of the original, so programs compile
 * unchanged. The symbols of the library begin with tess_caterva_ (caterva-names.h). The guard is
 * that of the original: one translation unit sees one state of Caterva.
 *
 * Functions return CATERVA_SUCCEED, or one of the CATERVA_ERR_ codes; then they hand out nothing.
 * Positions and shapes have one number per axis, slowest axis first. Environment variable
 * CATERVA_TRACE makes the library print a sentence about each failure.
 */
#ifndef CATERVA_CATERVA_H_
#define CATERVA_CATERVA_H_

#include "caterva-names.h"

#include <blosc2.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CATERVA_VERSION_MAJOR 0
#define CATERVA_VERSION_MINOR 5
#define CATERVA_VERSION_RELEASE 1

#define CATERVA_VERSION_STRING "0.5.1.dev0"
#define CATERVA_VERSION_DATE "2021-07-13"

/* Results. Two of them are one number, as in the original. */
#define CATERVA_SUCCEED 0
#define CATERVA_ERR_INVALID_ARGUMENT 1
#define CATERVA_ERR_BLOSC_FAILED 2
#define CATERVA_ERR_CONTAINER_FILLED 3
#define CATERVA_ERR_INVALID_STORAGE 4
#define CATERVA_ERR_NULL_POINTER 5
#define CATERVA_ERR_INVALID_INDEX 5

#define CATERVA_UNUSED_PARAM(x) ((void)(x))
#ifdef __GNUC__
#define CATERVA_ATTRIBUTE_UNUSED __attribute__((unused))
#else
#define CATERVA_ATTRIBUTE_UNUSED
#endif

/* What a result means; not to be written to. Negative codes are those of blosc2.h, whose function
 * of this name this one replaces. */
static char *tess_caterva_print_error(int rc) CATERVA_ATTRIBUTE_UNUSED;
static char *
tess_caterva_print_error(int rc)
{
    union {
        const char *constant;
        char *text;
    } string;

    switch (rc) {
    case CATERVA_SUCCEED:
        string.constant = "Success";
        break;
    case CATERVA_ERR_INVALID_ARGUMENT:
        string.constant = "Invalid argument";
        break;
    case CATERVA_ERR_BLOSC_FAILED:
        string.constant = "Blosc failed";
        break;
    case CATERVA_ERR_CONTAINER_FILLED:
        string.constant = "Container is full";
        break;
    case CATERVA_ERR_INVALID_STORAGE:
        string.constant = "Invalid storage";
        break;
    case CATERVA_ERR_NULL_POINTER:
        string.constant = "Pointer is null, or index is invalid";
        break;
    default:
        string.constant = rc < 0 ? blosc2_error_string(rc) : "Unknown error";
    }
    return string.text;
}
#define print_error tess_caterva_print_error

/* Print a sentence where the environment has CATERVA_TRACE. */
#define CATERVA_TRACE_ERROR(...) CATERVA_TRACE(error, __VA_ARGS__)
#define CATERVA_TRACE_WARNING(...) CATERVA_TRACE(warning, __VA_ARGS__)
#define CATERVA_TRACE(cat, ...)                                              \
    do {                                                                     \
        if (getenv("CATERVA_TRACE") != NULL) {                               \
            fprintf(stderr, "[%s] - %s:%d\n    ", #cat, __FILE__, __LINE__); \
            fprintf(stderr, __VA_ARGS__);                                    \
            fprintf(stderr, "\n");                                           \
        }                                                                    \
    } while (0)

/* Leave the function with a result that is no success. */
#define CATERVA_ERROR(rc)                                \
    do {                                                 \
        int rc_ = (rc);                                  \
        if (rc_ != CATERVA_SUCCEED) {                    \
            CATERVA_TRACE_ERROR("%s", print_error(rc_)); \
            return rc_;                                  \
        }                                                \
    } while (0)
#define CATERVA_ERROR_NULL(pointer)                                           \
    do {                                                                      \
        if ((pointer) == NULL) {                                              \
            CATERVA_TRACE_ERROR("%s", print_error(CATERVA_ERR_NULL_POINTER)); \
            return CATERVA_ERR_NULL_POINTER;                                  \
        }                                                                     \
    } while (0)

/* Version of the metalayer `caterva`. */
#define CATERVA_METALAYER_VERSION 0

#define CATERVA_MAX_DIM 8

/* Metalayers besides that of the array. */
#define CATERVA_MAX_METALAYERS (BLOSC2_MAX_METALAYERS - 1)

/* A tuner of old versions of c-blosc2. Tessera calls none, so programs cannot make one. */
typedef struct tess_calls_no_tuners blosc2_btune;

/* How memory is allocated, and chunks are compressed. */
typedef struct {
    void *(*alloc)(size_t);
    void (*free)(void *);
    uint8_t compcodec; /* codec */
    uint8_t compmeta; /* its parameter */
    uint8_t complevel; /* 0 to 9 */
    int32_t splitmode; /* BLOSC_ALWAYS_SPLIT and the like */
    int usedict; /* dictionaries */
    int16_t nthreads;
    uint8_t filters[BLOSC2_MAX_FILTERS]; /* in this order; 0: empty slot */
    uint8_t filtersmeta[BLOSC2_MAX_FILTERS]; /* one parameter per filter */
    blosc2_prefilter_fn prefilter; /* NULL: arrays have none in Tessera */
    blosc2_prefilter_params *pparams;
    blosc2_btune *udbtune; /* NULL */
} caterva_config_t;

static const caterva_config_t CATERVA_CONFIG_DEFAULTS = {malloc,
                                                         free,
                                                         BLOSC_ZSTD,
                                                         0,
                                                         5,
                                                         BLOSC_AUTO_SPLIT,
                                                         0,
                                                         1,
                                                         {0, 0, 0, 0, 0, BLOSC_SHUFFLE},
                                                         {0, 0, 0, 0, 0, 0},
                                                         NULL,
                                                         NULL,
                                                         NULL};

/* What calls run with. */
typedef struct {
    caterva_config_t *cfg; /* a copy of the program's */
} caterva_ctx_t;

/* Named bytes of an array. */
typedef struct {
    char *name;
    uint8_t *sdata; /* the content */
    int32_t size; /* in bytes */
} caterva_metalayer_t;

/* How an array is stored in chunks. */
typedef struct {
    int32_t chunkshape[CATERVA_MAX_DIM];
    int32_t blockshape[CATERVA_MAX_DIM];
    bool contiguous; /* one frame; else chunk by chunk, a file each if there is a path */
    char *urlpath; /* file or directory; NULL: in memory */
    caterva_metalayer_t metalayers[CATERVA_MAX_METALAYERS];
    int32_t nmetalayers;
} caterva_storage_t;

/* What an array is. */
typedef struct {
    uint8_t itemsize; /* bytes of an item */
    int64_t shape[CATERVA_MAX_DIM];
    int8_t ndim;
} caterva_params_t;

/* For programs that look at it; Tessera caches blocks elsewhere. */
#ifndef BLOSC_B2ND_H /* which has the same struct */
struct chunk_cache_s {
    uint8_t *data; /* NULL */
    int64_t nchunk; /* -1: empty */
};
#endif

/* An array. Programs read the members; functions keep them true. */
typedef struct {
    caterva_config_t *cfg;
    blosc2_schunk *sc;
    int64_t shape[CATERVA_MAX_DIM];
    int32_t chunkshape[CATERVA_MAX_DIM];
    int64_t extshape[CATERVA_MAX_DIM]; /* shape, filled up to whole chunks */
    int32_t blockshape[CATERVA_MAX_DIM];
    int64_t extchunkshape[CATERVA_MAX_DIM]; /* chunkshape, filled up to whole blocks */
    int64_t nitems; /* product of shape, and so on */
    int32_t chunknitems;
    int64_t extnitems;
    int32_t blocknitems;
    int64_t extchunknitems;
    int8_t ndim;
    uint8_t itemsize;
    int64_t nchunks;
    struct chunk_cache_s chunk_cache;
    int64_t
        item_array_strides[CATERVA_MAX_DIM]; /* items from one index to the next, in the array */
    int64_t item_chunk_strides[CATERVA_MAX_DIM]; /* in a chunk */
    int64_t item_extchunk_strides[CATERVA_MAX_DIM]; /* in a chunk of whole blocks */
    int64_t item_block_strides[CATERVA_MAX_DIM]; /* in a block */
    int64_t block_chunk_strides[CATERVA_MAX_DIM]; /* blocks, in a chunk */
    int64_t chunk_array_strides[CATERVA_MAX_DIM]; /* chunks, in the array */
} caterva_array_t;

/* A context with a copy of cfg, in memory of cfg->alloc(). Free it with caterva_ctx_free(). */
BLOSC_EXPORT int caterva_ctx_new(caterva_config_t *cfg, caterva_ctx_t **ctx);
/* Free it and set *ctx to NULL; arrays made with it stay. */
BLOSC_EXPORT int caterva_ctx_free(caterva_ctx_t **ctx);

/* -- New arrays, freed with caterva_free(). */

/* Never written; reads as zeros. */
BLOSC_EXPORT int caterva_uninit(caterva_ctx_t *ctx, caterva_params_t *params,
                                caterva_storage_t *storage, caterva_array_t **array);
/* As caterva_zeros(). */
BLOSC_EXPORT int caterva_empty(caterva_ctx_t *ctx, caterva_params_t *params,
                               caterva_storage_t *storage, caterva_array_t **array);
/* Zeros. */
BLOSC_EXPORT int caterva_zeros(caterva_ctx_t *ctx, caterva_params_t *params,
                               caterva_storage_t *storage, caterva_array_t **array);
/* One item everywhere. */
BLOSC_EXPORT int caterva_full(caterva_ctx_t *ctx, caterva_params_t *params,
                              caterva_storage_t *storage, void *fill_value,
                              caterva_array_t **array);
/* The items of buffer, in C order. */
BLOSC_EXPORT int caterva_from_buffer(caterva_ctx_t *ctx, void *buffer, int64_t buffersize,
                                     caterva_params_t *params, caterva_storage_t *storage,
                                     caterva_array_t **array);
/* A new array with the items of a box. */
BLOSC_EXPORT int caterva_get_slice(caterva_ctx_t *ctx, caterva_array_t *src, const int64_t *start,
                                   const int64_t *stop, caterva_storage_t *storage,
                                   caterva_array_t **array);
/* A new array with all items, metalayers and vl-metalayers; metalayers of storage do not count. */
BLOSC_EXPORT int caterva_copy(caterva_ctx_t *ctx, caterva_array_t *src, caterva_storage_t *storage,
                              caterva_array_t **array);

/* Close and free an array and its super-chunk, and set *array to NULL. */
BLOSC_EXPORT int caterva_free(caterva_ctx_t *ctx, caterva_array_t **array);

/* -- Storage. */

/* The array in a super-chunk, which then belongs to the array. */
BLOSC_EXPORT int caterva_from_schunk(caterva_ctx_t *ctx, blosc2_schunk *schunk,
                                     caterva_array_t **array);
/*
 * *cframe becomes a frame with everything, to be freed with free() if *needs_free; else it belongs
 * to the array, and is valid until the next change.
 */
BLOSC_EXPORT int caterva_to_cframe(caterva_ctx_t *ctx, caterva_array_t *array, uint8_t **cframe,
                                   int64_t *cframe_len, bool *needs_free);
/* Open a frame in memory. copy false: cframe is used in place; it must stay as long as the array.
 */
BLOSC_EXPORT int caterva_from_cframe(caterva_ctx_t *ctx, uint8_t *cframe, int64_t cframe_len,
                                     bool copy, caterva_array_t **array);
/* Open an array in a file or directory. */
BLOSC_EXPORT int caterva_open(caterva_ctx_t *ctx, const char *urlpath, caterva_array_t **array);
/* Write a copy of the array to a new file, or a new directory if it is stored chunk by chunk. */
BLOSC_EXPORT int caterva_save(caterva_ctx_t *ctx, caterva_array_t *array, char *urlpath);
/* Remove the file or directory of an array; no failure if there is none. */
BLOSC_EXPORT int caterva_remove(caterva_ctx_t *ctx, char *urlpath);

/* -- Items. */

/* Copy all items to buffer, in C order. */
BLOSC_EXPORT int caterva_to_buffer(caterva_ctx_t *ctx, caterva_array_t *array, void *buffer,
                                   int64_t buffersize);
/*
 * Copy the box [start, stop) to the front of a buffer of shape buffershape, stop - start at least;
 * the rest of the buffer stays as it is. buffersize is that of the whole buffer, in bytes. Items
 * beyond the end of an axis become zeros.
 */
BLOSC_EXPORT int caterva_get_slice_buffer(caterva_ctx_t *ctx, caterva_array_t *array,
                                          int64_t *start, int64_t *stop, void *buffer,
                                          int64_t *buffershape, int64_t buffersize);
/* Replace the box [start, stop) by items of a buffer, but for those beyond the end of an axis. */
BLOSC_EXPORT int caterva_set_slice_buffer(caterva_ctx_t *ctx, void *buffer, int64_t *buffershape,
                                          int64_t buffersize, int64_t *start, int64_t *stop,
                                          caterva_array_t *array);
/* Copy the items whose index on each axis i is one of selection[i]. */
BLOSC_EXPORT int caterva_get_orthogonal_selection(caterva_ctx_t *ctx, caterva_array_t *array,
                                                  int64_t **selection, int64_t *selection_size,
                                                  void *buffer, int64_t *buffershape,
                                                  int64_t buffersize);
/* Replace them. */
BLOSC_EXPORT int caterva_set_orthogonal_selection(caterva_ctx_t *ctx, caterva_array_t *array,
                                                  int64_t **selection, int64_t *selection_size,
                                                  void *buffer, int64_t *buffershape,
                                                  int64_t buffersize);

/* -- Shape. */

/* Remove the axes of length 1 that index marks. Files keep them; copies do not have them. */
BLOSC_EXPORT int caterva_squeeze_index(caterva_ctx_t *ctx, caterva_array_t *array,
                                       const bool *index);
/* Remove the axes of length 1. */
BLOSC_EXPORT int caterva_squeeze(caterva_ctx_t *ctx, caterva_array_t *array);
/*
 * Change the shape. start: where items are inserted or deleted, per axis; NULL: at the end.
 * Elsewhere it and the change are multiples of the chunk's length. New items are zeros, but in an
 * edge chunk of equal items they are that item.
 */
BLOSC_EXPORT int caterva_resize(caterva_ctx_t *ctx, caterva_array_t *array,
                                const int64_t *new_shape, const int64_t *start);
/* Insert the items of buffer in front of an index of an axis. */
BLOSC_EXPORT int caterva_insert(caterva_ctx_t *ctx, caterva_array_t *array, void *buffer,
                                int64_t buffersize, const int8_t axis, int64_t insert_start);
/* Append the items of buffer along an axis. */
BLOSC_EXPORT int caterva_append(caterva_ctx_t *ctx, caterva_array_t *array, void *buffer,
                                int64_t buffersize, const int8_t axis);
/* Delete delete_len indices of an axis. */
BLOSC_EXPORT int caterva_delete(caterva_ctx_t *ctx, caterva_array_t *array, const int8_t axis,
                                int64_t delete_start, int64_t delete_len);

/* -- Metalayers. */

/* Add a vl-metalayer, of any size. */
BLOSC_EXPORT int caterva_vlmeta_add(caterva_ctx_t *ctx, caterva_array_t *array,
                                    caterva_metalayer_t *vlmeta);
/* Fill vlmeta; its name and sdata are to be freed with free(). */
BLOSC_EXPORT int caterva_vlmeta_get(caterva_ctx_t *ctx, caterva_array_t *array, const char *name,
                                    caterva_metalayer_t *vlmeta);
/* Whether there is one of this name. */
BLOSC_EXPORT int caterva_vlmeta_exists(caterva_ctx_t *ctx, caterva_array_t *array, const char *name,
                                       bool *exists);
/* Replace the content of a vl-metalayer. */
BLOSC_EXPORT int caterva_vlmeta_update(caterva_ctx_t *ctx, caterva_array_t *array,
                                       caterva_metalayer_t *vlmeta);
/* Fill meta; its name and sdata are to be freed with free(). */
BLOSC_EXPORT int caterva_meta_get(caterva_ctx_t *ctx, caterva_array_t *array, const char *name,
                                  caterva_metalayer_t *meta);
/* Whether there is one of this name. */
BLOSC_EXPORT int caterva_meta_exists(caterva_ctx_t *ctx, caterva_array_t *array, const char *name,
                                     bool *exists);
/* Replace the content of a metalayer by one that is not longer. */
BLOSC_EXPORT int caterva_meta_update(caterva_ctx_t *ctx, caterva_array_t *array,
                                     caterva_metalayer_t *meta);
/* Print shapes to stdout. */
BLOSC_EXPORT int caterva_print_meta(caterva_array_t *array);
/* *smeta becomes the content of the metalayer `caterva`, to be freed with free(). Returns its
 * bytes, or a negative BLOSC2_ERROR_ code. */
BLOSC_EXPORT int32_t caterva_serialize_meta(int8_t ndim, int64_t *shape, const int32_t *chunkshape,
                                            const int32_t *blockshape, uint8_t **smeta);
/* Read it; shape, chunkshape and blockshape have room for CATERVA_MAX_DIM numbers. Returns the
 * bytes that were read, or a negative BLOSC2_ERROR_ code. */
BLOSC_EXPORT int32_t caterva_deserialize_meta(uint8_t *smeta, int32_t smeta_len, int8_t *ndim,
                                              int64_t *shape, int32_t *chunkshape,
                                              int32_t *blockshape);

#ifdef __cplusplus
}
#endif

#endif
