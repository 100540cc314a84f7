/*
 * blosc2.h - chunks, contexts, super-chunks and metalayers: the interface of c-blosc2 3.3, with
 * Tessera behind it (library tessera-b2nd).
 *
 * Names, signatures, constants and structs are those of c-blosc2, so programs compile unchanged.
 * The symbols of the library begin with tess_ (blosc2/names.h), so both libraries can be loaded
 * into one process. The guard is that of c-blosc2's header: one translation unit sees one of the
 * two.
 *
 * Unless a comment says otherwise, a function that returns int or int64_t returns a negative
 * BLOSC2_ERROR_ code on failure, and a function that returns a pointer returns NULL. Memory that a
 * function hands out is released with free(). State of the process is initialised by need.
 */
#ifndef BLOSC_BLOSC2_H
#define BLOSC_BLOSC2_H

#include "blosc2/names.h"

#include "blosc2/blosc2-common.h"
#include "blosc2/blosc2-export.h"
#include "blosc2/blosc2-stdio.h"

#if defined(_WIN32) && !defined(__MINGW32__)
#include <malloc.h>
#include <process.h>
#include <windows.h>
#define getpid _getpid
#endif

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names of Blosc 1, for programs that define BLOSC1_COMPAT. */
#ifdef BLOSC1_COMPAT
#define BLOSC_VERSION_MAJOR BLOSC2_VERSION_MAJOR
#define BLOSC_VERSION_MINOR BLOSC2_VERSION_MINOR
#define BLOSC_VERSION_RELEASE BLOSC2_VERSION_RELEASE
#define BLOSC_VERSION_STRING BLOSC2_VERSION_STRING
#define BLOSC_VERSION_DATE BLOSC2_VERSION_DATE
#define BLOSC_MAX_OVERHEAD BLOSC2_MAX_OVERHEAD
#define BLOSC_MAX_BUFFERSIZE BLOSC2_MAX_BUFFERSIZE

#define blosc_compress blosc1_compress
#define blosc_decompress blosc1_decompress
#define blosc_getitem blosc1_getitem
#define blosc_get_compressor blosc1_get_compressor
#define blosc_set_compressor blosc1_set_compressor
#define blosc_cbuffer_sizes blosc1_cbuffer_sizes
#define blosc_cbuffer_validate blosc1_cbuffer_validate
#define blosc_cbuffer_metainfo blosc1_cbuffer_metainfo
#define blosc_get_blocksize blosc1_get_blocksize
#define blosc_set_blocksize blosc1_set_blocksize
#define blosc_set_splitmode blosc1_set_splitmode

#define blosc_init blosc2_init
#define blosc_destroy blosc2_destroy
#define blosc_free_resources blosc2_free_resources
#define blosc_get_nthreads blosc2_get_nthreads
#define blosc_set_nthreads blosc2_set_nthreads
#define blosc_compcode_to_compname blosc2_compcode_to_compname
#define blosc_compname_to_compcode blosc2_compname_to_compcode
#define blosc_list_compressors blosc2_list_compressors
#define blosc_get_version_string blosc2_get_version_string
#define blosc_get_complib_info blosc2_get_complib_info
#define blosc_cbuffer_versions blosc2_cbuffer_versions
#define blosc_cbuffer_complib blosc2_cbuffer_complib
#endif

/* The version of c-blosc2 whose interface this is. */
#define BLOSC2_VERSION_MAJOR 3
#define BLOSC2_VERSION_MINOR 3
#define BLOSC2_VERSION_RELEASE 2
#define BLOSC2_VERSION_STRING "3.3.2"
#define BLOSC2_VERSION_DATE "$Date:: 2026-08-06 #$"

/* -- Messages of programs on stderr, if the environment has BLOSC_TRACE or BLOSC_INFO. */

/* Behind BLOSC_TRACE() and BLOSC_INFO(). `at` is the file, NULL: it is not printed. */
#ifdef __GNUC__
__attribute__((format(printf, 5, 6), unused))
#endif
static inline void
tess_blosc2_message(const char *variable, const char *label, const char *at, int line,
                    const char *format, ...)
{
    va_list args;

    if (!getenv(variable))
        return;
    fprintf(stderr, "[%s] - ", label);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    if (at)
        fprintf(stderr, " (%s:%d)", at, line);
    fprintf(stderr, "\n");
}

#define BLOSC_TRACE(cat, ...) \
    tess_blosc2_message("BLOSC_TRACE", #cat, __FILE__, __LINE__, __VA_ARGS__)
#define BLOSC_TRACE_ERROR(...) BLOSC_TRACE(error, __VA_ARGS__)
#define BLOSC_TRACE_WARNING(...) BLOSC_TRACE(warning, __VA_ARGS__)
#define BLOSC_TRACE_INFO(...) BLOSC_TRACE(info, __VA_ARGS__)
#define BLOSC_INFO(...) tess_blosc2_message("BLOSC_INFO", "INFO", NULL, 0, __VA_ARGS__)

/* Leave a function with rc if pointer is NULL. */
#define BLOSC_ERROR_NULL(pointer, rc)             \
    do {                                          \
        if ((pointer) == NULL) {                  \
            BLOSC_TRACE_ERROR("Pointer is null"); \
            return (rc);                          \
        }                                         \
    } while (0)
/* Leave a function with rc if that is an error code. */
#define BLOSC_ERROR(rc)                                        \
    do {                                                       \
        const int rc_ = (rc);                                  \
        if (rc_ < BLOSC2_ERROR_SUCCESS) {                      \
            BLOSC_TRACE_ERROR("%s", blosc2_error_string(rc_)); \
            return rc_;                                        \
        }                                                      \
    } while (0)

/* -- Constants. */

/* Versions of the format of chunks. */
enum {
    BLOSC1_VERSION_FORMAT_PRE1 = 1,
    BLOSC1_VERSION_FORMAT = 2,
    BLOSC2_VERSION_FORMAT_ALPHA = 3,
    BLOSC2_VERSION_FORMAT_BETA1 = 4,
    BLOSC2_VERSION_FORMAT_STABLE = 5,
    BLOSC2_VERSION_FORMAT_VL_BLOCKS = 6,
    BLOSC2_VERSION_FORMAT = BLOSC2_VERSION_FORMAT_VL_BLOCKS,
};

/* Versions of the format of frames. */
enum {
    BLOSC2_VERSION_FRAME_FORMAT_BETA2 = 1,
    BLOSC2_VERSION_FRAME_FORMAT_RC1 = 2,
    BLOSC2_VERSION_FRAME_FORMAT_VL_BLOCKS = 3,
    BLOSC2_VERSION_FRAME_FORMAT = BLOSC2_VERSION_FRAME_FORMAT_VL_BLOCKS,
};

/* What an instrumented codec records of a block; Tessera writes no such chunks. */
typedef struct {
    float cratio;
    float cspeed;
    float filter_speed;
    uint8_t flags[4];
} blosc2_instr;

/* Sizes, in bytes. */
enum {
#ifndef BLOSC_H
    BLOSC_MIN_HEADER_LENGTH = 16, /* header of a chunk of Blosc 1 */
#endif
    BLOSC_EXTENDED_HEADER_LENGTH = 32, /* header of a chunk of Blosc2 */
    BLOSC2_MAX_OVERHEAD = BLOSC_EXTENDED_HEADER_LENGTH, /* a chunk is at most this larger */
    BLOSC2_MAX_BUFFERSIZE = (INT_MAX - BLOSC2_MAX_OVERHEAD), /* content of a chunk */
#ifndef BLOSC_H
    BLOSC_MAX_TYPESIZE = UINT8_MAX, /* larger items are recorded as single bytes */
#endif
    BLOSC_MIN_BUFFERSIZE = 32, /* smaller contents are stored as they are */
};

/* Numbers of tuners. */
enum {
    BLOSC2_DEFINED_TUNER_START = 0,
    BLOSC2_DEFINED_TUNER_STOP = 31,
    BLOSC2_GLOBAL_REGISTERED_TUNER_START = 32,
    BLOSC2_GLOBAL_REGISTERED_TUNER_STOP = 159,
    BLOSC2_GLOBAL_REGISTERED_TUNERS = 0,
    BLOSC2_USER_REGISTERED_TUNER_START = 160,
    BLOSC2_USER_REGISTERED_TUNER_STOP = 255,
};

enum {
    BLOSC_STUNE = 0,
    BLOSC_LAST_TUNER = 1,
    BLOSC_LAST_REGISTERED_TUNE =
        BLOSC2_GLOBAL_REGISTERED_TUNER_START + BLOSC2_GLOBAL_REGISTERED_TUNERS - 1,
};

/* Numbers of filters, and how many there may be. */
enum {
    BLOSC2_DEFINED_FILTERS_START = 0,
    BLOSC2_DEFINED_FILTERS_STOP = 31,
    BLOSC2_GLOBAL_REGISTERED_FILTERS_START = 32,
    BLOSC2_GLOBAL_REGISTERED_FILTERS_STOP = 159,
    BLOSC2_GLOBAL_REGISTERED_FILTERS = 5,
    BLOSC2_USER_REGISTERED_FILTERS_START = 160,
    BLOSC2_USER_REGISTERED_FILTERS_STOP = 255,
    BLOSC2_MAX_FILTERS = 6, /* in a pipeline */
    BLOSC2_MAX_UDFILTERS = 16, /* registered by the program */
};

/* Filters. */
enum {
#ifndef BLOSC_H
    BLOSC_NOSHUFFLE = 0,
    BLOSC_NOFILTER = 0,
    BLOSC_SHUFFLE = 1, /* meta: width in bytes, 0: typesize */
    BLOSC_BITSHUFFLE = 2,
#endif
    BLOSC_DELTA = 3,
    BLOSC_TRUNC_PREC = 4, /* lossy; meta: bits of mantissa kept (> 0) or cut (< 0) */
    BLOSC_LAST_FILTER = 5,
    BLOSC_LAST_REGISTERED_FILTER =
        BLOSC2_GLOBAL_REGISTERED_FILTERS_START + BLOSC2_GLOBAL_REGISTERED_FILTERS - 1,
};

/* Flags of blosc1_cbuffer_metainfo(). */
enum {
#ifndef BLOSC_H
    BLOSC_DOSHUFFLE = 0x1,
    BLOSC_MEMCPYED = 0x2, /* the content is stored as it is */
    BLOSC_DOBITSHUFFLE = 0x4,
#endif
    BLOSC_DODELTA = 0x8,
};

/* Flags in byte BLOSC2_CHUNK_BLOSC2_FLAGS of a chunk. */
enum {
    BLOSC2_USEDICT = 0x1,
    BLOSC2_BIGENDIAN = 0x2,
    BLOSC2_INSTR_CODEC = 0x80,
};

/* Flags in byte BLOSC2_CHUNK_BLOSC2_FLAGS2 of a chunk. */
enum {
    BLOSC2_VL_BLOCKS = 0x1, /* blocks differ in size */
};

/* Limits, in bytes. */
enum {
    BLOSC2_MAXDICTSIZE = 32 * 1024,
    BLOSC2_MINUSEFULDICT = 256,
    BLOSC2_MAXBLOCKSIZE = 536866816,
    BLOSC2_MAXTYPESIZE = BLOSC2_MAXBLOCKSIZE,
};

/* Numbers of codecs. */
enum {
    BLOSC2_DEFINED_CODECS_START = 0,
    BLOSC2_DEFINED_CODECS_STOP = 31,
    BLOSC2_GLOBAL_REGISTERED_CODECS_START = 32,
    BLOSC2_GLOBAL_REGISTERED_CODECS_STOP = 159,
    BLOSC2_GLOBAL_REGISTERED_CODECS = 5,
    BLOSC2_USER_REGISTERED_CODECS_START = 160,
    BLOSC2_USER_REGISTERED_CODECS_STOP = 255,
};

/* Codecs. */
enum {
#ifndef BLOSC_H
    BLOSC_BLOSCLZ = 0,
    BLOSC_LZ4 = 1,
    BLOSC_LZ4HC = 2,
    BLOSC_ZLIB = 4,
    BLOSC_ZSTD = 5,
#endif
    BLOSC_LAST_CODEC = 6,
    BLOSC_LAST_REGISTERED_CODEC =
        BLOSC2_GLOBAL_REGISTERED_CODECS_START + BLOSC2_GLOBAL_REGISTERED_CODECS - 1,
};

#ifndef BLOSC_H
#define BLOSC_BLOSCLZ_COMPNAME "blosclz"
#define BLOSC_LZ4_COMPNAME "lz4"
#define BLOSC_LZ4HC_COMPNAME "lz4hc"
#define BLOSC_ZLIB_COMPNAME "zlib"
#define BLOSC_ZSTD_COMPNAME "zstd"
#endif

/* Formats of codecs, as bits 5 to 7 of the flags of a chunk record them. */
enum {
#ifndef BLOSC_H
    BLOSC_BLOSCLZ_LIB = 0,
    BLOSC_LZ4_LIB = 1,
    BLOSC_ZLIB_LIB = 3,
    BLOSC_ZSTD_LIB = 4,
#endif
    BLOSC_UDCODEC_LIB = 6, /* the number stands in byte 22 */
    BLOSC_SCHUNK_LIB = 7,
};

#ifndef BLOSC_H
#define BLOSC_BLOSCLZ_LIBNAME "BloscLZ"
#define BLOSC_LZ4_LIBNAME "LZ4"
#define BLOSC_ZLIB_LIBNAME "Zlib"
#define BLOSC_ZSTD_LIBNAME "Zstd"
#endif

enum {
#ifndef BLOSC_H
    BLOSC_BLOSCLZ_FORMAT = BLOSC_BLOSCLZ_LIB,
    BLOSC_LZ4_FORMAT = BLOSC_LZ4_LIB,
    BLOSC_LZ4HC_FORMAT = BLOSC_LZ4_LIB,
    BLOSC_ZLIB_FORMAT = BLOSC_ZLIB_LIB,
    BLOSC_ZSTD_FORMAT = BLOSC_ZSTD_LIB,
#endif
    BLOSC_UDCODEC_FORMAT = BLOSC_UDCODEC_LIB,
};

enum {
#ifndef BLOSC_H
    BLOSC_BLOSCLZ_VERSION_FORMAT = 1,
    BLOSC_LZ4_VERSION_FORMAT = 1,
    BLOSC_LZ4HC_VERSION_FORMAT = 1,
    BLOSC_ZLIB_VERSION_FORMAT = 1,
    BLOSC_ZSTD_VERSION_FORMAT = 1,
#endif
    BLOSC_UDCODEC_VERSION_FORMAT = 1,
};

/* Whether a block is cut into one stream per byte of an item. */
#ifndef BLOSC_H
enum {
    BLOSC_ALWAYS_SPLIT = 1,
    BLOSC_NEVER_SPLIT = 2,
    BLOSC_AUTO_SPLIT = 3,
    BLOSC_FORWARD_COMPAT_SPLIT = 4, /* the default; Tessera: as BLOSC_AUTO_SPLIT */
};
#endif

/* Offsets of the fields in the header of a chunk. */
enum {
    BLOSC2_CHUNK_VERSION = 0x0,
    BLOSC2_CHUNK_VERSIONLZ = 0x1,
    BLOSC2_CHUNK_FLAGS = 0x2,
    BLOSC2_CHUNK_TYPESIZE = 0x3,
    BLOSC2_CHUNK_NBYTES = 0x4, /* int32: bytes of the content */
    BLOSC2_CHUNK_BLOCKSIZE = 0x8, /* int32 */
    BLOSC2_CHUNK_CBYTES = 0xc, /* int32: bytes of the chunk */
    BLOSC2_CHUNK_FILTER_CODES = 0x10, /* one byte per filter */
    BLOSC2_CHUNK_FILTER_META = 0x18, /* one byte per filter */
    BLOSC2_CHUNK_BLOSC2_FLAGS2 = 0x1e,
    BLOSC2_CHUNK_BLOSC2_FLAGS = 0x1F, /* bits 4 to 6: a special value */
};

/* Chunks whose items are all equal. */
enum {
    BLOSC2_NO_SPECIAL = 0x0,
    BLOSC2_SPECIAL_ZERO = 0x1,
    BLOSC2_SPECIAL_NAN = 0x2,
    BLOSC2_SPECIAL_VALUE = 0x3, /* the item follows the header */
    BLOSC2_SPECIAL_UNINIT = 0x4, /* never written */
    BLOSC2_SPECIAL_LASTID = 0x4,
    BLOSC2_SPECIAL_MASK = 0x7
};

/* Results of functions. */
enum {
    BLOSC2_ERROR_SUCCESS = 0,
    BLOSC2_ERROR_FAILURE = -1,
    BLOSC2_ERROR_STREAM = -2,
    BLOSC2_ERROR_DATA = -3,
    BLOSC2_ERROR_MEMORY_ALLOC = -4,
    BLOSC2_ERROR_READ_BUFFER = -5,
    BLOSC2_ERROR_WRITE_BUFFER = -6,
    BLOSC2_ERROR_CODEC_SUPPORT = -7,
    BLOSC2_ERROR_CODEC_PARAM = -8,
    BLOSC2_ERROR_CODEC_DICT = -9,
    BLOSC2_ERROR_VERSION_SUPPORT = -10,
    BLOSC2_ERROR_INVALID_HEADER = -11,
    BLOSC2_ERROR_INVALID_PARAM = -12,
    BLOSC2_ERROR_FILE_READ = -13,
    BLOSC2_ERROR_FILE_WRITE = -14,
    BLOSC2_ERROR_FILE_OPEN = -15,
    BLOSC2_ERROR_NOT_FOUND = -16,
    BLOSC2_ERROR_RUN_LENGTH = -17,
    BLOSC2_ERROR_FILTER_PIPELINE = -18,
    BLOSC2_ERROR_CHUNK_INSERT = -19,
    BLOSC2_ERROR_CHUNK_APPEND = -20,
    BLOSC2_ERROR_CHUNK_UPDATE = -21,
    BLOSC2_ERROR_2GB_LIMIT = -22,
    BLOSC2_ERROR_SCHUNK_COPY = -23,
    BLOSC2_ERROR_FRAME_TYPE = -24,
    BLOSC2_ERROR_FILE_TRUNCATE = -25,
    BLOSC2_ERROR_THREAD_CREATE = -26,
    BLOSC2_ERROR_POSTFILTER = -27,
    BLOSC2_ERROR_FRAME_SPECIAL = -28,
    BLOSC2_ERROR_SCHUNK_SPECIAL = -29,
    BLOSC2_ERROR_PLUGIN_IO = -30,
    BLOSC2_ERROR_FILE_REMOVE = -31,
    BLOSC2_ERROR_NULL_POINTER = -32,
    BLOSC2_ERROR_INVALID_INDEX = -33,
    BLOSC2_ERROR_METALAYER_NOT_FOUND = -34,
    BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED = -35,
    BLOSC2_ERROR_TUNER = -36,
    BLOSC2_ERROR_LOCK = -37,
};

#ifdef __GNUC__
#define BLOSC_ATTRIBUTE_UNUSED __attribute__((unused))
#else
#define BLOSC_ATTRIBUTE_UNUSED
#endif

/* What an error code means; static, never NULL. */
BLOSC_EXPORT const char *blosc2_error_string(int error_code);

/* blosc2_error_string() without const; not to be written to. */
static char *print_error(int rc) BLOSC_ATTRIBUTE_UNUSED;
static char *
print_error(int rc)
{
    union {
        const char *constant;
        char *text;
    } string;

    string.constant = blosc2_error_string(rc);
    return string.text;
}

/* -- The process. */

/* May be left out: the other functions initialise what they need. */
BLOSC_EXPORT void blosc2_init(void);
/* Forgets registered codecs, filters, tuners and I/O, and the settings of the global calls. */
BLOSC_EXPORT void blosc2_destroy(void);
/* Frees memory that is kept for later calls; 0. */
BLOSC_EXPORT int blosc2_free_resources(void);

/*
 * Runs dojob(jobdata + i * jobdata_elsize) for each i < numjobs, in any order and on any threads,
 * and returns when all have returned.
 */
typedef void (*blosc_threads_callback)(void *callback_data, void (*dojob)(void *), int numjobs,
                                       size_t jobdata_elsize, void *jobdata);
/* Have a function of the program run the jobs of all calls that follow; NULL: threads of the
 * library. */
BLOSC_EXPORT void blosc2_set_threads_callback(blosc_threads_callback callback, void *callback_data);

/* Number of threads of the global calls; 1 unless it was set. */
BLOSC_EXPORT int16_t blosc2_get_nthreads(void);
/* Set that number, 1 at least; returns the previous one. */
BLOSC_EXPORT int16_t blosc2_set_nthreads(int16_t nthreads);

/* "3.3.2": the version whose interface this is; static. */
BLOSC_EXPORT const char *blosc2_get_version_string(void);

/* -- Global calls of Blosc 1 and 2: parameters of the process, and environment variables. */

/*
 * Compress nbytes of src into at most destsize bytes of dest; they do not overlap. doshuffle is
 * BLOSC_NOSHUFFLE, BLOSC_SHUFFLE or BLOSC_BITSHUFFLE. Returns the bytes of the chunk; 0 if they are
 * more than destsize.
 *
 * Environment: BLOSC_CLEVEL, BLOSC_SHUFFLE (NOSHUFFLE, SHUFFLE, BITSHUFFLE), BLOSC_DELTA (0, 1),
 * BLOSC_TYPESIZE, BLOSC_COMPRESSOR, BLOSC_NTHREADS, BLOSC_SPLITMODE (ALWAYS, NEVER, AUTO,
 * FORWARD_COMPAT), BLOSC_BLOCKSIZE.
 */
BLOSC_EXPORT int blosc1_compress(int clevel, int doshuffle, size_t typesize, size_t nbytes,
                                 const void *src, void *dest, size_t destsize);
/* As blosc1_compress(). */
BLOSC_EXPORT int blosc2_compress(int clevel, int doshuffle, int32_t typesize, const void *src,
                                 int32_t srcsize, void *dest, int32_t destsize);

/* Decompress a chunk of trusted length into dest; returns the bytes of its content. */
BLOSC_EXPORT int blosc1_decompress(const void *src, void *dest, size_t destsize);
/* Decompress a chunk of at most srcsize bytes into dest; returns the bytes of its content. */
BLOSC_EXPORT int blosc2_decompress(const void *src, int32_t srcsize, void *dest, int32_t destsize);

/* Copy items of a chunk of trusted length to dest, which has room for them; returns their bytes. */
BLOSC_EXPORT int blosc1_getitem(const void *src, int start, int nitems, void *dest);
/* Copy items of a chunk to dest; returns their bytes. */
BLOSC_EXPORT int blosc2_getitem(const void *src, int32_t srcsize, int start, int nitems, void *dest,
                                int32_t destsize);

/* Name of the codec of the global calls; static. "blosclz" unless it was set. */
BLOSC_EXPORT const char *blosc1_get_compressor(void);
/* Set it; returns its number, -1 if there is no such codec. */
BLOSC_EXPORT int blosc1_set_compressor(const char *compname);
/* Whether the global calls use BLOSC_DELTA. */
BLOSC_EXPORT void blosc2_set_delta(int dodelta);
/* Block size of the global calls, 0: automatic. */
BLOSC_EXPORT int blosc1_get_blocksize(void);
/* Set it, in bytes; 0: automatic. */
BLOSC_EXPORT void blosc1_set_blocksize(size_t blocksize);
/* Set the split mode of the global calls, BLOSC_ALWAYS_SPLIT and the like. */
BLOSC_EXPORT void blosc1_set_splitmode(int splitmode);

/* -- Names of codecs. */

/* *compname becomes the name of a codec, static; returns compcode, or -1 if there is no such codec.
 */
BLOSC_EXPORT int blosc2_compcode_to_compname(int compcode, const char **compname);
/* The number of a codec; -1 if there is none of that name. */
BLOSC_EXPORT int blosc2_compname_to_compcode(const char *compname);
/* Names of the codecs of the library, separated by commas; static. */
BLOSC_EXPORT const char *blosc2_list_compressors(void);
/* Name and version of the library of a codec, to be freed; returns its format, or -1. */
BLOSC_EXPORT int blosc2_get_complib_info(const char *compname, char **complib, char **version);

/* -- What the header of a chunk says. */

/* Sizes of content, chunk and blocks; all 0 if that is no header. 16 bytes of cbuffer are read. */
BLOSC_EXPORT void blosc1_cbuffer_sizes(const void *cbuffer, size_t *nbytes, size_t *cbytes,
                                       size_t *blocksize);
/* The same; each output may be NULL. */
BLOSC_EXPORT int blosc2_cbuffer_sizes(const void *cbuffer, int32_t *nbytes, int32_t *cbytes,
                                      int32_t *blocksize);
/* 0 if cbytes bytes are a chunk that may be decompressed; *nbytes: bytes of its content. */
BLOSC_EXPORT int blosc1_cbuffer_validate(const void *cbuffer, size_t cbytes, size_t *nbytes);
/* Item size, and BLOSC_DOSHUFFLE, BLOSC_MEMCPYED, BLOSC_DOBITSHUFFLE, BLOSC_DODELTA. */
BLOSC_EXPORT void blosc1_cbuffer_metainfo(const void *cbuffer, size_t *typesize, int *flags);
/* Versions of the format of the chunk and of its codec. */
BLOSC_EXPORT void blosc2_cbuffer_versions(const void *cbuffer, int *version, int *versionlz);
/* Name of the library of the codec; static, NULL if the format is not known. */
BLOSC_EXPORT const char *blosc2_cbuffer_complib(const void *cbuffer);

/* -- Input and output by functions of the program. */

enum {
    BLOSC2_IO_FILESYSTEM = 0,
    BLOSC2_IO_FILESYSTEM_MMAP = 1,
    BLOSC_IO_LAST_BLOSC_DEFINED = 2,
    BLOSC_IO_LAST_REGISTERED = 32,
};

enum { BLOSC2_IO_BLOSC_DEFINED = 32, BLOSC2_IO_REGISTERED = 160, BLOSC2_IO_USER_DEFINED = 256 };

typedef void *(*blosc2_open_cb)(const char *urlpath, const char *mode, void *params);
typedef int (*blosc2_close_cb)(void *stream);
typedef int64_t (*blosc2_size_cb)(void *stream);
typedef int64_t (*blosc2_write_cb)(const void *ptr, int64_t size, int64_t nitems, int64_t position,
                                   void *stream);
typedef int64_t (*blosc2_read_cb)(void **ptr, int64_t size, int64_t nitems, int64_t position,
                                  void *stream);
typedef int (*blosc2_truncate_cb)(void *stream, int64_t size);
typedef int (*blosc2_destroy_cb)(void *params);

/* Functions of one kind of input and output; blosc2-stdio.h says what each does. */
typedef struct {
    uint8_t id;
    char *name;
    bool is_allocation_necessary; /* read: the caller brings the memory; else read sets *ptr */
    blosc2_open_cb open;
    blosc2_close_cb close;
    blosc2_size_cb size;
    blosc2_write_cb write;
    blosc2_read_cb read;
    blosc2_truncate_cb truncate;
    blosc2_destroy_cb destroy; /* called once, when the super-chunk is freed */
} blosc2_io_cb;

/* Which functions a super-chunk uses, and what is passed to open. */
typedef struct {
    uint8_t id;
    const char *name;
    void *params;
} blosc2_io;

static const blosc2_io BLOSC2_IO_DEFAULTS = {BLOSC2_IO_FILESYSTEM, "filesystem", NULL};

/* Register functions under io->id, 160 at least; the struct is copied, its name is not. */
BLOSC_EXPORT int blosc2_register_io_cb(const blosc2_io_cb *io);
/* The functions registered under an id; belongs to the library. */
BLOSC_EXPORT blosc2_io_cb *blosc2_get_io_cb(uint8_t id);

/* -- Contexts. */

typedef struct blosc2_context_s blosc2_context;

/* A tuner. Tessera calls none. */
typedef struct {
    int (*init)(void *config, blosc2_context *cctx, blosc2_context *dctx);
    int (*next_blocksize)(blosc2_context *context);
    int (*next_cparams)(blosc2_context *context);
    int (*update)(blosc2_context *context, double ctime);
    int (*free)(blosc2_context *context);
    int id;
    char *name;
} blosc2_tuner;

/*
 * What does not exist here is refused by the compiler, which says what the text says; where it does
 * not know how, the function fails.
 */
#if !defined(TESSERA_B2ND_BUILDING) && defined(__has_attribute)
#if __has_attribute(unavailable)
#define TESSERA_B2ND_UNAVAILABLE(text) __attribute__((unavailable(text)))
#elif __has_attribute(error)
#define TESSERA_B2ND_UNAVAILABLE(text) __attribute__((error(text)))
#endif
#endif
#ifndef TESSERA_B2ND_UNAVAILABLE
#define TESSERA_B2ND_UNAVAILABLE(text)
#endif

/* BLOSC2_ERROR_TUNER. */
TESSERA_B2ND_UNAVAILABLE("Tessera calls no tuners; see its tessera/layout.h")
BLOSC_EXPORT int blosc2_register_tuner(blosc2_tuner *tuner);

/* What a prefilter receives: it makes one block. */
typedef struct {
    void *user_data;
    const uint8_t *input; /* the block of the source */
    uint8_t *output; /* receives output_size bytes */
    int32_t output_size;
    int32_t output_typesize;
    int32_t output_offset; /* of the block in the chunk, in bytes */
    int64_t nchunk; /* number of the chunk in the super-chunk; -1: none */
    int32_t nblock; /* number of the block in the chunk */
    int32_t tid; /* number of the thread */
    uint8_t *ttmp; /* memory of the thread */
    size_t ttmp_nbytes;
    blosc2_context *ctx;
    bool output_is_disposable;
} blosc2_prefilter_params;

/* What a postfilter receives: it turns one decoded block into another. */
typedef struct {
    void *user_data;
    const uint8_t *input; /* decoded block */
    uint8_t *output; /* receives size bytes */
    int32_t size;
    int32_t typesize;
    int32_t offset; /* of the block in the chunk, in bytes */
    int64_t nchunk; /* number of the chunk in the super-chunk; -1: none */
    int32_t nblock; /* number of the block in the chunk */
    int32_t tid; /* number of the thread */
    uint8_t *ttmp; /* memory of the thread */
    size_t ttmp_nbytes;
    blosc2_context *ctx;
} blosc2_postfilter_params;

/* 0, or the call fails. */
typedef int (*blosc2_prefilter_fn)(blosc2_prefilter_params *params);
typedef int (*blosc2_postfilter_fn)(blosc2_postfilter_params *params);

/* How chunks are compressed. */
typedef struct {
    uint8_t compcode; /* codec */
    uint8_t compcode_meta; /* its parameter */
    uint8_t clevel; /* 0 to 9 */
    int use_dict; /* dictionaries: Zstandard, LZ4, LZ4HC */
    int32_t typesize; /* bytes of an item */
    int16_t nthreads; /* 0: 1 */
    int32_t blocksize; /* in bytes; 0: automatic */
    int32_t splitmode; /* BLOSC_ALWAYS_SPLIT and the like */
    void *schunk; /* super-chunk that the chunks are for, or NULL */
    uint8_t filters[BLOSC2_MAX_FILTERS]; /* in this order; 0: empty slot */
    uint8_t filters_meta[BLOSC2_MAX_FILTERS]; /* one parameter per filter */
    blosc2_prefilter_fn prefilter; /* makes the blocks, or NULL */
    blosc2_prefilter_params *preparams;
    void *tuner_params;
    int tuner_id;
    bool instr_codec; /* refused by Tessera */
    void *codec_params; /* for a codec of the program */
    void *filter_params[BLOSC2_MAX_FILTERS]; /* for filters of the program */
} blosc2_cparams;

static const blosc2_cparams BLOSC2_CPARAMS_DEFAULTS = {BLOSC_BLOSCLZ,
                                                       0,
                                                       5,
                                                       0,
                                                       8,
                                                       1,
                                                       0,
                                                       BLOSC_FORWARD_COMPAT_SPLIT,
                                                       NULL,
                                                       {0, 0, 0, 0, 0, BLOSC_SHUFFLE},
                                                       {0, 0, 0, 0, 0, 0},
                                                       NULL,
                                                       NULL,
                                                       NULL,
                                                       0,
                                                       false,
                                                       NULL,
                                                       {NULL, NULL, NULL, NULL, NULL, NULL}};

/* How chunks are decompressed. */
typedef struct {
    int16_t nthreads; /* 0: 1 */
    void *schunk; /* super-chunk that the chunks are from, or NULL */
    blosc2_postfilter_fn postfilter; /* changes decoded blocks, or NULL */
    blosc2_postfilter_params *postparams;
    int32_t typesize;
} blosc2_dparams;

static const blosc2_dparams BLOSC2_DPARAMS_DEFAULTS = {1, NULL, NULL, NULL, 8};

/* A context that compresses; cparams are copied. The environment counts as in blosc2_compress(). */
BLOSC_EXPORT blosc2_context *blosc2_create_cctx(blosc2_cparams cparams);
/* A context that decompresses; dparams are copied. */
BLOSC_EXPORT blosc2_context *blosc2_create_dctx(blosc2_dparams dparams);
/* Free a context; NULL is fine. */
BLOSC_EXPORT void blosc2_free_ctx(blosc2_context *context);
/* Copy the parameters of a context that compresses. */
BLOSC_EXPORT int blosc2_ctx_get_cparams(blosc2_context *ctx, blosc2_cparams *cparams);
/* Copy the parameters of a context that decompresses. */
BLOSC_EXPORT int blosc2_ctx_get_dparams(blosc2_context *ctx, blosc2_dparams *dparams);
/* The next blosc2_decompress_ctx() leaves out the blocks that are true in maskout, which is copied.
 */
BLOSC_EXPORT int blosc2_set_maskout(blosc2_context *ctx, bool *maskout, int nblocks);

/* Compress srcsize bytes; returns the bytes of the chunk, 0 if they are more than destsize. */
BLOSC_EXPORT int blosc2_compress_ctx(blosc2_context *context, const void *src, int32_t srcsize,
                                     void *dest, int32_t destsize);
/* Decompress a chunk; returns the bytes of its content. */
BLOSC_EXPORT int blosc2_decompress_ctx(blosc2_context *context, const void *src, int32_t srcsize,
                                       void *dest, int32_t destsize);
/* Copy items of a chunk, of the size that the chunk records, to dest; returns their bytes. */
BLOSC_EXPORT int blosc2_getitem_ctx(blosc2_context *context, const void *src, int32_t srcsize,
                                    int start, int nitems, void *dest, int32_t destsize);
/* The same, counted in bytes that are whole items of the chunk. */
BLOSC_EXPORT int blosc2_getitem_bytes_ctx(blosc2_context *context, const void *src, int32_t srcsize,
                                          int32_t start, int32_t nbytes, void *dest,
                                          int32_t destsize);

/* Compress nblocks buffers into a chunk of blocks that differ in size; returns its bytes. */
BLOSC_EXPORT int blosc2_vlcompress_ctx(blosc2_context *context, const void *const *srcs,
                                       const int32_t *srcsizes, int32_t nblocks, void *dest,
                                       int32_t destsize);
/* Decompress its blocks into memory to be freed; returns their number, at most maxblocks. */
BLOSC_EXPORT int blosc2_vldecompress_ctx(blosc2_context *context, const void *src, int32_t srcsize,
                                         void **dests, int32_t *destsizes, int32_t maxblocks);
/* *nblocks becomes the number of its blocks; 0. */
BLOSC_EXPORT int blosc2_vlchunk_get_nblocks(const void *src, int32_t srcsize, int32_t *nblocks);
/* Decompress one of its blocks into memory to be freed; returns its bytes. */
BLOSC_EXPORT int blosc2_vldecompress_block_ctx(blosc2_context *context, const void *src,
                                               int32_t srcsize, int32_t nblock, uint8_t **dest,
                                               int32_t *destsize);

/* -- Chunks whose items are all equal; each returns the bytes of the chunk. */

/* Zeros. dest: 32 bytes at least. */
BLOSC_EXPORT int blosc2_chunk_zeros(blosc2_cparams cparams, int32_t nbytes, void *dest,
                                    int32_t destsize);
/* NaNs, items of 4 or 8 bytes. dest: 32 bytes at least. */
BLOSC_EXPORT int blosc2_chunk_nans(blosc2_cparams cparams, int32_t nbytes, void *dest,
                                   int32_t destsize);
/* One item repeated. dest: 32 bytes and the item at least. */
BLOSC_EXPORT int blosc2_chunk_repeatval(blosc2_cparams cparams, int32_t nbytes, void *dest,
                                        int32_t destsize, const void *repeatval);
/* Items that were never written. dest: 32 bytes at least. */
BLOSC_EXPORT int blosc2_chunk_uninit(blosc2_cparams cparams, int32_t nbytes, void *dest,
                                     int32_t destsize);

/* -- Super-chunks. */

#define BLOSC2_MAX_METALAYERS 16
#define BLOSC2_METALAYER_NAME_MAXLEN 31
#define BLOSC2_MAX_VLMETALAYERS (8 * 1024)
#define BLOSC2_VLMETALAYERS_NAME_MAXLEN BLOSC2_METALAYER_NAME_MAXLEN

/* Where a super-chunk lives. */
typedef struct {
    bool contiguous; /* one file or buffer; else a directory, or chunks in memory */
    char *urlpath; /* NULL: in memory */
    blosc2_cparams *cparams; /* NULL: defaults */
    blosc2_dparams *dparams; /* NULL: defaults */
    blosc2_io *io; /* NULL: files */
} blosc2_storage;

static const blosc2_storage BLOSC2_STORAGE_DEFAULTS = {false, NULL, NULL, NULL, NULL};

/* The constants BLOSC2_..._DEFAULTS, for other languages. */
BLOSC_EXPORT blosc2_cparams blosc2_get_blosc2_cparams_defaults(void);
BLOSC_EXPORT blosc2_dparams blosc2_get_blosc2_dparams_defaults(void);
BLOSC_EXPORT blosc2_storage blosc2_get_blosc2_storage_defaults(void);
BLOSC_EXPORT blosc2_io blosc2_get_blosc2_io_defaults(void);
BLOSC_EXPORT blosc2_stdio_mmap blosc2_get_blosc2_stdio_mmap_defaults(void);

typedef struct blosc2_frame_s blosc2_frame;

/* Named bytes. */
typedef struct blosc2_metalayer {
    char *name;
    uint8_t *content;
    int32_t content_len;
} blosc2_metalayer;

/* A super-chunk. Programs read the members; functions keep them true. */
typedef struct blosc2_schunk {
    uint8_t version;
    uint8_t compcode; /* of new chunks, as the members that follow */
    uint8_t compcode_meta;
    uint8_t clevel;
    uint8_t splitmode;
    int32_t typesize;
    int32_t blocksize; /* 0: automatic */
    int32_t chunksize; /* bytes of each chunk; 0: they differ; -1: none yet, may be set */
    uint8_t flags2; /* BLOSC2_VL_BLOCKS */
    uint8_t use_dict;
    uint8_t filters[BLOSC2_MAX_FILTERS];
    uint8_t filters_meta[BLOSC2_MAX_FILTERS];
    int64_t nchunks;
    int64_t current_nchunk;
    int64_t nbytes; /* content of all chunks */
    int64_t cbytes; /* all chunks as stored */
    uint8_t **data;
    size_t data_len;
    blosc2_storage *storage;
    blosc2_frame *frame; /* NULL: chunks in memory, not contiguous */
    blosc2_context *cctx;
    blosc2_context *dctx;
    struct blosc2_metalayer *metalayers[BLOSC2_MAX_METALAYERS];
    uint16_t nmetalayers;
    struct blosc2_metalayer *vlmetalayers[BLOSC2_MAX_VLMETALAYERS];
    int16_t nvlmetalayers;
    void *tuner_params;
    int tuner_id;
    int8_t ndim;
    int64_t *blockshape;
    bool view; /* shares what it shows with another super-chunk */
    int64_t change_tick; /* grows when metalayers change */
} blosc2_schunk;

/* Create an empty super-chunk; what is at storage->urlpath already is an error. */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_new(blosc2_storage *storage);
/* Copy a super-chunk to another storage. */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_copy(blosc2_schunk *schunk, blosc2_storage *storage);
/*
 * Open a frame in memory. copy false: cframe is used in place and must stay as long as the
 * super-chunk; see blosc2_schunk_avoid_cframe_free().
 */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_from_buffer(uint8_t *cframe, int64_t len, bool copy);
/*
 * Whether the memory that blosc2_schunk_to_buffer() lent, or _from_buffer() uses in place, is the
 * program's and stays when the super-chunk is freed: true after _from_buffer(), else false.
 */
BLOSC_EXPORT void blosc2_schunk_avoid_cframe_free(blosc2_schunk *schunk, bool avoid_cframe_free);
/* Keep other writers out until blosc2_schunk_unlock(); may be nested. 0 without locking. */
BLOSC_EXPORT int blosc2_schunk_lock(blosc2_schunk *schunk);
/* End what blosc2_schunk_lock() began. */
BLOSC_EXPORT int blosc2_schunk_unlock(blosc2_schunk *schunk);
/* Follow what others changed in the file: 1 if there was something, else 0. */
BLOSC_EXPORT int blosc2_schunk_refresh(blosc2_schunk *schunk);
/* Open a super-chunk in a file or directory. */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_open(const char *urlpath);
/* Open the one that begins at a byte of a file. */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_open_offset(const char *urlpath, int64_t offset);
/* Open one through registered input and output. */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_open_udio(const char *urlpath, const blosc2_io *udio);
/* Both. */
BLOSC_EXPORT blosc2_schunk *blosc2_schunk_open_offset_udio(const char *urlpath, int64_t offset,
                                                           const blosc2_io *udio);
/* *cframe becomes a frame with everything, to be freed if *needs_free; returns its bytes. */
BLOSC_EXPORT int64_t blosc2_schunk_to_buffer(blosc2_schunk *schunk, uint8_t **cframe,
                                             bool *needs_free);
/* Write a contiguous frame to a new file; returns its bytes. */
BLOSC_EXPORT int64_t blosc2_schunk_to_file(blosc2_schunk *schunk, const char *urlpath);
/* Write a contiguous frame behind the end of a file; returns the byte where it begins. */
BLOSC_EXPORT int64_t blosc2_schunk_append_file(blosc2_schunk *schunk, const char *urlpath);
/* Close and free a super-chunk; 0. */
BLOSC_EXPORT int blosc2_schunk_free(blosc2_schunk *schunk);

/*
 * Append, replace, insert and delete chunks; each returns the number of chunks then. copy false:
 * the super-chunk owns the chunk, and frees it with free().
 */
BLOSC_EXPORT int64_t blosc2_schunk_append_chunk(blosc2_schunk *schunk, uint8_t *chunk, bool copy);
BLOSC_EXPORT int64_t blosc2_schunk_update_chunk(blosc2_schunk *schunk, int64_t nchunk,
                                                uint8_t *chunk, bool copy);
BLOSC_EXPORT int64_t blosc2_schunk_insert_chunk(blosc2_schunk *schunk, int64_t nchunk,
                                                uint8_t *chunk, bool copy);
BLOSC_EXPORT int64_t blosc2_schunk_delete_chunk(blosc2_schunk *schunk, int64_t nchunk);
/* Compress items and append them as a chunk. */
BLOSC_EXPORT int64_t blosc2_schunk_append_buffer(blosc2_schunk *schunk, const void *src,
                                                 int32_t nbytes);

/*
 * Decompress chunk nchunk into dest, nbytes of memory; returns the bytes of its content. Of a
 * super-chunk that blosc2_schunk_new() made in memory, a chunk of uninitialised items leaves dest
 * as it is; of all others it is zeros.
 */
BLOSC_EXPORT int blosc2_schunk_decompress_chunk(blosc2_schunk *schunk, int64_t nchunk, void *dest,
                                                int32_t nbytes);
/* *chunk becomes a chunk as stored, to be freed if *needs_free; returns its bytes. */
BLOSC_EXPORT int blosc2_schunk_get_chunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t **chunk,
                                         bool *needs_free);
/* The same, or only what is needed to read blocks of it later; returns the bytes handed out. */
BLOSC_EXPORT int blosc2_schunk_get_lazychunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t **chunk,
                                             bool *needs_free);
/* Decompress one block of a chunk whose blocks differ in size; memory to be freed. */
BLOSC_EXPORT int blosc2_schunk_get_vlblock(blosc2_schunk *schunk, int64_t nchunk, int32_t nblock,
                                           uint8_t **dest, int32_t *destsize);

/* Copy items [start, stop) to buffer; 0. */
BLOSC_EXPORT int blosc2_schunk_get_slice_buffer(blosc2_schunk *schunk, int64_t start, int64_t stop,
                                                void *buffer);
/* Copy the items with the given numbers to buffer; 0. */
BLOSC_EXPORT int blosc2_schunk_get_sparse_buffer(blosc2_schunk *schunk, int64_t ncoords,
                                                 const int64_t *coords, void *buffer);
/* Replace items [start, stop) by those of buffer; 0. */
BLOSC_EXPORT int blosc2_schunk_set_slice_buffer(blosc2_schunk *schunk, int64_t start, int64_t stop,
                                                void *buffer);

/* *cparams becomes a copy of the parameters, to be freed; 0. */
BLOSC_EXPORT int blosc2_schunk_get_cparams(blosc2_schunk *schunk, blosc2_cparams **cparams);
/* *dparams becomes a copy of the parameters, to be freed; 0. */
BLOSC_EXPORT int blosc2_schunk_get_dparams(blosc2_schunk *schunk, blosc2_dparams **dparams);
/* Chunk i becomes what chunk offsets_order[i] was; 0. */
BLOSC_EXPORT int blosc2_schunk_reorder_offsets(blosc2_schunk *schunk, int64_t *offsets_order);
/* Bytes of the frame; without a frame, an estimate. */
BLOSC_EXPORT int64_t blosc2_schunk_frame_len(blosc2_schunk *schunk);
/* Fill an empty super-chunk with BLOSC2_SPECIAL_ZERO, _NAN or _UNINIT; returns the number of
 * chunks. */
BLOSC_EXPORT int64_t blosc2_schunk_fill_special(blosc2_schunk *schunk, int64_t nitems,
                                                int special_value, int32_t chunksize);
/* Offsets of the chunks in the frame: nchunks numbers, to be freed. */
BLOSC_EXPORT int64_t *blosc2_frame_get_offsets(blosc2_schunk *schunk);

/* -- Metalayers of fixed size. */

/* Index of a metalayer; BLOSC2_ERROR_NOT_FOUND if there is none of that name. */
static inline int
blosc2_meta_exists(blosc2_schunk *schunk, const char *name)
{
    if (schunk == NULL || name == NULL || strlen(name) > BLOSC2_METALAYER_NAME_MAXLEN) {
        BLOSC_TRACE_ERROR("a name of at most %d bytes and a super-chunk are needed",
                          BLOSC2_METALAYER_NAME_MAXLEN);
        return BLOSC2_ERROR_INVALID_PARAM;
    }
    for (int i = 0; i < schunk->nmetalayers; i++)
        if (strcmp(name, schunk->metalayers[i]->name) == 0)
            return i;
    return BLOSC2_ERROR_NOT_FOUND;
}

/*
 * Add a metalayer, for which the super-chunk is copied; returns its index. `b2nd`, as the first
 * thing in a super-chunk, makes an array of it, whose chunks are to be appended.
 */
BLOSC_EXPORT int blosc2_meta_add(blosc2_schunk *schunk, const char *name, uint8_t *content,
                                 int32_t content_len);
/*
 * Replace the content of a metalayer, whose size stays, or its first bytes; returns its index.
 * `b2nd` of an array: only what the super-chunk shows, not what is in the file.
 */
BLOSC_EXPORT int blosc2_meta_update(blosc2_schunk *schunk, const char *name, uint8_t *content,
                                    int32_t content_len);

/* *content becomes a copy of a metalayer, to be freed, NULL if that is empty; returns its index. */
static inline int
blosc2_meta_get(blosc2_schunk *schunk, const char *name, uint8_t **content, int32_t *content_len)
{
    const blosc2_metalayer *layer;
    int index;

    if (content == NULL || content_len == NULL)
        return BLOSC2_ERROR_INVALID_PARAM;
    index = blosc2_meta_exists(schunk, name);
    if (index < 0)
        return index;
    layer = schunk->metalayers[index];
    if (layer->content_len < 0 || (layer->content_len > 0 && layer->content == NULL))
        return BLOSC2_ERROR_DATA;
    *content_len = layer->content_len;
    *content = NULL;
    if (layer->content_len == 0)
        return index;
    *content = (uint8_t *)malloc((size_t)layer->content_len);
    if (*content == NULL) {
        *content_len = 0;
        return BLOSC2_ERROR_MEMORY_ALLOC;
    }
    memcpy(*content, layer->content, (size_t)layer->content_len);
    return index;
}

/* -- Metalayers of any size, compressed. */

/* Index of a metalayer; BLOSC2_ERROR_NOT_FOUND if there is none of that name. */
BLOSC_EXPORT int blosc2_vlmeta_exists(blosc2_schunk *schunk, const char *name);
/* Add a metalayer; cparams NULL: defaults. Returns its index. */
BLOSC_EXPORT int blosc2_vlmeta_add(blosc2_schunk *schunk, const char *name, uint8_t *content,
                                   int32_t content_len, blosc2_cparams *cparams);
/* Replace a metalayer; returns its index. */
BLOSC_EXPORT int blosc2_vlmeta_update(blosc2_schunk *schunk, const char *name, uint8_t *content,
                                      int32_t content_len, blosc2_cparams *cparams);
/* *content becomes a copy of a metalayer, to be freed; returns its index. */
BLOSC_EXPORT int blosc2_vlmeta_get(blosc2_schunk *schunk, const char *name, uint8_t **content,
                                   int32_t *content_len);
/* Delete a metalayer; returns the number of those left. */
BLOSC_EXPORT int blosc2_vlmeta_delete(blosc2_schunk *schunk, const char *name);
/* Set nvlmetalayers pointers to the names, which belong to the super-chunk; returns their number.
 */
BLOSC_EXPORT int blosc2_vlmeta_get_names(blosc2_schunk *schunk, char **names);

/* -- Time. */

#if defined(_WIN32)
typedef LARGE_INTEGER blosc_timestamp_t;
#else
typedef struct timespec blosc_timestamp_t;
#endif

/* The time now, of a clock that only goes forward. */
BLOSC_EXPORT void blosc_set_timestamp(blosc_timestamp_t *timestamp);
/* From one time to a later one, in nanoseconds. */
BLOSC_EXPORT double blosc_elapsed_nsecs(blosc_timestamp_t start_time, blosc_timestamp_t end_time);
/* The same, in seconds. */
BLOSC_EXPORT double blosc_elapsed_secs(blosc_timestamp_t start_time, blosc_timestamp_t end_time);

/* -- Codecs of the program. */

/* Compress into at most output_len bytes; returns their number, 0: not smaller. */
typedef int (*blosc2_codec_encoder_cb)(const uint8_t *input, int32_t input_len, uint8_t *output,
                                       int32_t output_len, uint8_t meta, blosc2_cparams *cparams,
                                       const void *chunk);
/* Decompress into output_len bytes; returns their number. */
typedef int (*blosc2_codec_decoder_cb)(const uint8_t *input, int32_t input_len, uint8_t *output,
                                       int32_t output_len, uint8_t meta, blosc2_dparams *dparams,
                                       const void *chunk);

typedef struct {
    uint8_t compcode; /* 160 at least; smaller ones belong to the format */
    char *compname;
    uint8_t complib;
    uint8_t version;
    blosc2_codec_encoder_cb encoder;
    blosc2_codec_decoder_cb decoder;
} blosc2_codec;

/* Register a codec for all contexts and super-chunks; copied, its name is not. */
BLOSC_EXPORT int blosc2_register_codec(blosc2_codec *codec);

/* -- Filters of the program. */

/* Transform a block before the codec: source, destination, bytes, meta, parameters, id; 0. */
typedef int (*blosc2_filter_forward_cb)(const uint8_t *, uint8_t *, int32_t, uint8_t,
                                        blosc2_cparams *, uint8_t);
/* The way back. */
typedef int (*blosc2_filter_backward_cb)(const uint8_t *, uint8_t *, int32_t, uint8_t,
                                         blosc2_dparams *, uint8_t);

typedef struct {
    uint8_t id; /* 160 at least; smaller ones belong to the format */
    char *name;
    uint8_t version;
    blosc2_filter_forward_cb forward;
    blosc2_filter_backward_cb backward;
} blosc2_filter;

/* Register a filter for all contexts and super-chunks; copied, its name is not. */
BLOSC_EXPORT int blosc2_register_filter(blosc2_filter *filter);

/* -- Files. */

/* Remove a directory and the files in it; 0. */
BLOSC_EXPORT int blosc2_remove_dir(const char *path);
/* Remove a file, or a directory and the files in it; 0, also if there is none. */
BLOSC_EXPORT int blosc2_remove_urlpath(const char *path);
/* Rename a file or directory; 0. */
BLOSC_EXPORT int blosc2_rename_urlpath(char *old_urlpath, char *new_path);

/* -- Indices. */

/* index becomes the coordinates, per axis, of item i of a shape in C order. */
BLOSC_EXPORT void blosc2_unidim_to_multidim(uint8_t ndim, int64_t *shape, int64_t i,
                                            int64_t *index);
/* *i becomes the sum of index[k] * strides[k]. */
BLOSC_EXPORT void blosc2_multidim_to_unidim(const int64_t *index, int8_t ndim,
                                            const int64_t *strides, int64_t *i);
/* *chunks_idx becomes the numbers of the chunks that a slice needs, to be freed; their count. */
BLOSC_EXPORT int64_t blosc2_get_slice_nchunks(blosc2_schunk *schunk, int64_t *start, int64_t *stop,
                                              int64_t **chunks_idx);

/* -- Filters alone: blocksize bytes from src to dest, which do not overlap; returns blocksize. */

BLOSC_EXPORT int32_t blosc2_shuffle(const int32_t typesize, const int32_t blocksize,
                                    const void *src, void *dest);
BLOSC_EXPORT int32_t blosc2_unshuffle(const int32_t typesize, const int32_t blocksize,
                                      const void *src, void *dest);
BLOSC_EXPORT int32_t blosc2_bitshuffle(const int32_t typesize, const int32_t blocksize,
                                       const void *src, void *dest);
BLOSC_EXPORT int32_t blosc2_bitunshuffle(const int32_t typesize, const int32_t blocksize,
                                         const void *src, void *dest);

/* Copy a number of 1, 2, 4 or 8 bytes between native and big-endian order. */
static inline void
swap_store(void *dest, const void *pa, int size)
{
    const uint16_t one = 1;
    const uint8_t *from = (const uint8_t *)pa;
    uint8_t number[8];
    bool little;

    if (size != 1 && size != 2 && size != 4 && size != 8) {
        fprintf(stderr, "a number has 1, 2, 4 or 8 bytes, not %d\n", size);
        return;
    }
    little = *(const uint8_t *)&one == 1;
    for (int i = 0; i < size; i++)
        number[i] = from[little ? size - 1 - i : i];
    memcpy(dest, number, (size_t)size);
}

#ifdef __cplusplus
}
#endif

#endif
