/*
 * feed.h - bytes that can be read once, one after the other.
 */
#ifndef TESS_FORMATS_FEED_H
#define TESS_FORMATS_FEED_H

#include <tessera/error.h>

#include <stddef.h>

// Each kind has this first in a struct of its own.
struct feed {
    // size bytes, or fewer at the end only: *got says how many.
    tess_status (*read)(struct feed *s, void *dst, size_t size, size_t *got, tess_error *err);
    void (*close)(struct feed *s);
};

tess_status feed_stdin_open(struct feed **feed, tess_error *err);
// A member of a .npz file, with or without its .npy; NULL: the only one. TESS_ERR_ARG if there is
// no such member.
tess_status feed_npz_open(const char *path, const char *member, struct feed **feed,
                          tess_error *err);
void feed_close(struct feed *feed); // NULL is fine

#endif
