/*
 * error.c - failures of libtessera as the codes of c-blosc2.
 *
 * A code keeps less than a tess_error says, so the sentence goes to stderr where the environment
 * has BLOSC_TRACE, as messages of c-blosc2 do.
 */
#include "blosc2/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

// By -code.
static const char *const texts[] = {
    [-BLOSC2_ERROR_SUCCESS] = "Success",
    [-BLOSC2_ERROR_FAILURE] = "The call failed",
    [-BLOSC2_ERROR_STREAM] = "A compressed stream is damaged",
    [-BLOSC2_ERROR_DATA] = "The data are damaged",
    [-BLOSC2_ERROR_MEMORY_ALLOC] = "An allocation failed",
    [-BLOSC2_ERROR_READ_BUFFER] = "The source is too short",
    [-BLOSC2_ERROR_WRITE_BUFFER] = "The destination is too small",
    [-BLOSC2_ERROR_CODEC_SUPPORT] = "The codec or filter is not supported",
    [-BLOSC2_ERROR_CODEC_PARAM] = "A parameter of the codec is wrong",
    [-BLOSC2_ERROR_CODEC_DICT] = "The dictionary of the codec is wrong",
    [-BLOSC2_ERROR_VERSION_SUPPORT] = "The version of the format is not supported",
    [-BLOSC2_ERROR_INVALID_HEADER] = "The header is wrong",
    [-BLOSC2_ERROR_INVALID_PARAM] = "An argument is wrong",
    [-BLOSC2_ERROR_FILE_READ] = "The file cannot be read",
    [-BLOSC2_ERROR_FILE_WRITE] = "The file cannot be written",
    [-BLOSC2_ERROR_FILE_OPEN] = "The file cannot be opened",
    [-BLOSC2_ERROR_NOT_FOUND] = "There is nothing of that name",
    [-BLOSC2_ERROR_RUN_LENGTH] = "A run of equal items is wrong",
    [-BLOSC2_ERROR_FILTER_PIPELINE] = "A filter failed",
    [-BLOSC2_ERROR_CHUNK_INSERT] = "The chunk cannot be inserted",
    [-BLOSC2_ERROR_CHUNK_APPEND] = "The chunk cannot be appended",
    [-BLOSC2_ERROR_CHUNK_UPDATE] = "The chunk cannot be replaced",
    [-BLOSC2_ERROR_2GB_LIMIT] = "More than 2 GiB are not supported here",
    [-BLOSC2_ERROR_SCHUNK_COPY] = "The super-chunk cannot be copied",
    [-BLOSC2_ERROR_FRAME_TYPE] = "The frame is of another kind",
    [-BLOSC2_ERROR_FILE_TRUNCATE] = "The size of the file cannot be set",
    [-BLOSC2_ERROR_THREAD_CREATE] = "A thread cannot be started",
    [-BLOSC2_ERROR_POSTFILTER] = "The postfilter failed",
    [-BLOSC2_ERROR_FRAME_SPECIAL] = "A chunk of equal items in the frame is wrong",
    [-BLOSC2_ERROR_SCHUNK_SPECIAL] = "A chunk of equal items in the super-chunk is wrong",
    [-BLOSC2_ERROR_PLUGIN_IO] = "Registered input and output failed",
    [-BLOSC2_ERROR_FILE_REMOVE] = "The file cannot be removed",
    [-BLOSC2_ERROR_NULL_POINTER] = "A pointer is NULL",
    [-BLOSC2_ERROR_INVALID_INDEX] = "An index is out of range",
    [-BLOSC2_ERROR_METALAYER_NOT_FOUND] = "There is no such metalayer",
    [-BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED] = "A buffer exceeds the largest size",
    [-BLOSC2_ERROR_TUNER] = "The tuner failed",
    [-BLOSC2_ERROR_LOCK] = "The frame cannot be locked",
};

const char *
blosc2_error_string(int error_code)
{
    if (error_code > 0 || error_code < -(int)(COUNT(texts) - 1))
        return "Unknown error";
    return texts[-error_code];
}

static void
trace(const char *sentence)
{
    if (getenv("BLOSC_TRACE"))
        fprintf(stderr, "[error] - %s\n", sentence);
}

static int
code_of(tess_status st, const tess_error *err, int io)
{
    switch (st) {
    case TESS_OK:
        return BLOSC2_ERROR_SUCCESS;
    case TESS_ERR_ARG:
        return BLOSC2_ERROR_INVALID_PARAM;
    case TESS_ERR_NOMEM:
        return BLOSC2_ERROR_MEMORY_ALLOC;
    case TESS_ERR_IO:
        return err && err->sys == EWOULDBLOCK ? BLOSC2_ERROR_LOCK : io;
    case TESS_ERR_FORMAT:
        return BLOSC2_ERROR_INVALID_HEADER;
    case TESS_ERR_CORRUPT:
    case TESS_ERR_TYPE:
        return BLOSC2_ERROR_DATA;
    case TESS_ERR_UNSUPPORTED:
        return BLOSC2_ERROR_CODEC_SUPPORT;
    case TESS_ERR_LIMIT:
        return BLOSC2_ERROR_2GB_LIMIT;
    case TESS_ERR_STALE:
        return BLOSC2_ERROR_FILE_READ;
    case TESS_ERR_NOT_FOUND:
        return err && err->sys == ENOENT ? BLOSC2_ERROR_FILE_OPEN : BLOSC2_ERROR_NOT_FOUND;
    case TESS_ERR_CANCELLED:
        break;
    }
    return BLOSC2_ERROR_FAILURE;
}

int
b2_code_io(tess_status st, const tess_error *err, int io)
{
    const int code = code_of(st, err, io);
    if (code < 0)
        trace(err ? err->message : tess_status_name(st));
    return code;
}

int
b2_code(tess_status st, const tess_error *err)
{
    return b2_code_io(st, err, BLOSC2_ERROR_FILE_READ);
}

int
b2_fail(int code, const char *fmt, ...)
{
    char sentence[TESS_ERROR_MESSAGE_SIZE];
    va_list args;
    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    trace(sentence);
    return code;
}
