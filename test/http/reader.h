/*
 * reader.h - a source of a URL as a test uses it: what libtessera does for a source is done here,
 * so that tests see when ranges are told, and cancel when they like.
 */
#ifndef HTTP_READER_H
#define HTTP_READER_H

#include "http/server/server.h"

#include <tessera/http.h>

#include <stdatomic.h>
#include <stdbool.h>

struct tess_reading { // of the tests
    atomic_bool cancelled;
    atomic_int looked; // how often it was asked
    const tess_range *ranges;
    const uint8_t *object; // what has to be there when a range is told; NULL: not compared
    size_t n;
    atomic_int *told; // for each range, how often
};

// Options with short times.
tess_http_options reader_options(void);

// Opens http://127.0.0.1:PORT/NAME; the test fails if that fails. NULL: reader_options().
tess_source reader_open(struct server *server, const char *name, const tess_http_options *options);
tess_source reader_open_at(int port, const char *name, const tess_http_options *options);

// Reads and compares with the object: bytes are right, and each range is told once; a call that
// fails told only of ranges that are right. Returns what the source did.
tess_status reader_read(const tess_source *source, const uint8_t *object, const tess_range *ranges,
                        size_t n, tess_error *err);

// n ranges in a random or regular order, ascending, of at most `most` bytes, with memory of their
// own; reader_free() frees them.
struct random;
tess_range *reader_ranges(struct random *r, size_t object_size, size_t n, size_t most);
void reader_free(tess_range *ranges, size_t n);

int64_t reader_ms(void); // a clock

#endif
