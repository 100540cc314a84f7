/*
 * stream.h - bytes that can be read once, one after the other.
 */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <tessera/error.h>

#include <stddef.h>

// Each kind has this first in a struct of its own.
struct stream {
    // size bytes, or fewer at the end only: *got says how many.
    tess_status (*read)(struct stream *s, void *dst, size_t size, size_t *got, tess_error *err);
    void (*close)(struct stream *s);
};

tess_status stream_stdin_open(struct stream **stream, tess_error *err);
// A member of a .npz file, with or without its .npy; NULL: the only one. TESS_ERR_ARG if there is
// no such member.
tess_status stream_npz_open(const char *path, const char *member, struct stream **stream,
                            tess_error *err);
void stream_close(struct stream *stream); // NULL is fine

#endif
