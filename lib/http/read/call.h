/*
 * call.h - a call of the source: pieces of an object are brought, by several transfers at once.
 */
#ifndef HTTP_READ_CALL_H
#define HTTP_READ_CALL_H

#include "object/object.h"
#include "read/piece.h"

#include <tessera/source.h>

/*
 * Bring n pieces, n >= 1, which ascend; FIRST stands before LAST. Runs on the calling thread until
 * all are done, one cannot be had, the deadline of the options is over, or `reading` (may be NULL)
 * is cancelled; that is looked at 20 times a second. Several threads may call for one object.
 *
 * Tells tess_reading_arrived() of pieces as they are done, in any order, outside of libcurl.
 *
 * After success the identity of the object is known, and has a size if a piece was FIRST or LAST.
 *
 * Looking up a host cannot be interrupted with most builds of libcurl: a cancelled call waits for
 * the end of a lookup under way.
 */
tess_status http_call(struct http_object *o, struct http_piece *pieces, size_t n,
                      const tess_reading *reading, tess_error *err);

// Pieces that are no ranges of the program: as they are done, `arrived` is called instead, on the
// calling thread.
struct http_listener {
    const tess_reading *reading; // asked whether it is cancelled; NULL: none
    void (*arrived)(void *user, size_t piece);
    void *user;
};
tess_status http_call_listening(struct http_object *o, struct http_piece *pieces, size_t n,
                                const struct http_listener *listener, tess_error *err);

#endif
