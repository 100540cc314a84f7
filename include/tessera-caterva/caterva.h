/*
 * caterva.h - N-dimensional arrays: the interface of Caterva 0.5.0, with Tessera behind it
 * (library tessera-caterva).
 *
 * Names, signatures, constants and structs are those of the original, so programs compile
 * unchanged. The symbols of the library begin with tess_caterva05_ (caterva-names.h). The guard is
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
#define CATERVA_VERSION_RELEASE 0

#define CATERVA_VERSION_STRING "0.5.0"
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

/* Print the arguments: format, values; nothing if NDEBUG is defined. */
#ifdef NDEBUG
#define DEBUG_PRINT(...) \
    do {                 \
    } while (0)
#else
#define DEBUG_PRINT(...)                                                         \
    do {                                                                         \
        fprintf(stderr, "ERROR: %s (%s:%d)\n", __VA_ARGS__, __FILE__, __LINE__); \
    } while (0)
#endif

/* Leave the function with a result that is no success. */
#define CATERVA_ERROR(rc)                  \
    do {                                   \
        int rc_ = (rc);                    \
        if (rc_ != CATERVA_SUCCEED) {      \
            DEBUG_PRINT(print_error(rc_)); \
            return rc_;                    \
        }                                  \
    } while (0)
#define CATERVA_ERROR_NULL(pointer)                             \
    do {                                                        \
        if ((pointer) == NULL) {                                \
            DEBUG_PRINT(print_error(CATERVA_ERR_NULL_POINTER)); \
            return CATERVA_ERR_NULL_POINTER;                    \
        }                                                       \
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

/* Where items live. */
typedef enum {
    CATERVA_STORAGE_BLOSC, /* in compressed chunks */
    CATERVA_STORAGE_PLAINBUFFER, /* in memory, in C order */
} caterva_storage_backend_t;

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
    bool sequencial; /* one frame; else chunk by chunk, a file each if there is a path */
    char *urlpath; /* file or directory; NULL: in memory */
    caterva_metalayer_t metalayers[CATERVA_MAX_METALAYERS];
    int32_t nmetalayers;
} caterva_storage_properties_blosc_t;

/* How an array is stored in plain memory. */
typedef struct {
    char *urlpath; /* means nothing */
} caterva_storage_properties_plainbuffer_t;

typedef union {
    caterva_storage_properties_blosc_t blosc;
    caterva_storage_properties_plainbuffer_t plainbuffer;
} caterva_storage_properties_t;

/* How an array is stored. */
typedef struct {
    caterva_storage_backend_t backend;
    caterva_storage_properties_t properties; /* the member of the backend */
} caterva_storage_t;

/* What an array is. */
typedef struct {
    uint8_t itemsize; /* bytes of an item */
    int64_t shape[CATERVA_MAX_DIM];
    uint8_t ndim;
} caterva_params_t;

#ifdef BLOSC_B2ND_H /* which has another struct of this name */
#define chunk_cache_s tess_caterva05_chunk_cache_s
#endif
/* For programs that look at it; Tessera caches blocks elsewhere. */
struct chunk_cache_s {
    uint8_t *data; /* NULL */
    int32_t nchunk; /* -1: empty */
};

/* An array. Programs read the members; functions keep them true. */
typedef struct {
    caterva_storage_backend_t storage;
    caterva_config_t *cfg;
    blosc2_schunk *sc; /* NULL: plain memory */
    uint8_t *buf; /* all items in plain memory; NULL: there are chunks */
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
    uint8_t ndim;
    uint8_t itemsize;
    int64_t nchunks;
    struct chunk_cache_s chunk_cache;
} caterva_array_t;
#undef chunk_cache_s

/* A context with a copy of cfg, in memory of cfg->alloc(). Free it with caterva_ctx_free(). */
BLOSC_EXPORT int caterva_ctx_new(caterva_config_t *cfg, caterva_ctx_t **ctx);
/* Free it and set *ctx to NULL; arrays made with it stay. */
BLOSC_EXPORT int caterva_ctx_free(caterva_ctx_t **ctx);

/* -- New arrays, freed with caterva_free(). */

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
BLOSC_EXPORT int caterva_get_slice(caterva_ctx_t *ctx, caterva_array_t *src, int64_t *start,
                                   int64_t *stop, caterva_storage_t *storage,
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
/* Open a copy of a frame in memory. */
BLOSC_EXPORT int caterva_from_serial_schunk(caterva_ctx_t *ctx, uint8_t *serial_schunk, int64_t len,
                                            caterva_array_t **array);
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
 * beyond the end of an axis become zeros; in plain memory, they are a failure.
 */
BLOSC_EXPORT int caterva_get_slice_buffer(caterva_ctx_t *ctx, caterva_array_t *array,
                                          int64_t *start, int64_t *stop, void *buffer,
                                          int64_t *buffershape, int64_t buffersize);
/* Replace the box [start, stop) by items of a buffer, but for those beyond the end of an axis,
 * which in plain memory are a failure. */
BLOSC_EXPORT int caterva_set_slice_buffer(caterva_ctx_t *ctx, void *buffer, int64_t *buffershape,
                                          int64_t buffersize, int64_t *start, int64_t *stop,
                                          caterva_array_t *array);

/* -- Shape. */

/* Remove the axes of length 1 that index marks. Files keep them; copies do not have them. */
BLOSC_EXPORT int caterva_squeeze_index(caterva_ctx_t *ctx, caterva_array_t *array, bool *index);
/* Remove the axes of length 1. */
BLOSC_EXPORT int caterva_squeeze(caterva_ctx_t *ctx, caterva_array_t *array);

/* Caterva 0.5 declares it, but no library has it. */
TESSERA_B2ND_UNAVAILABLE("Caterva 0.5 has no caterva_append(); its last development state has")
int caterva_append(caterva_ctx_t *ctx, caterva_array_t *array, void *chunk, int64_t chunksize);

/* -- Metalayers. Arrays in plain memory have none: CATERVA_ERR_INVALID_STORAGE. */

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

#ifdef __cplusplus
}
#endif

#endif
