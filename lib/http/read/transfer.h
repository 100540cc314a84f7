/*
 * transfer.h - one request under way, and the bytes that it brings.
 *
 * The functions that libcurl calls with headers and bytes are here. They judge the answer when its
 * headers are complete (answer/judge.h), put bytes into pieces, and stop the transfer when it has
 * brought what is wanted, or can not. What follows from an end, another try or an error, decides
 * call.c.
 */
#ifndef HTTP_READ_TRANSFER_H
#define HTTP_READ_TRANSFER_H

#include "object/object.h"
#include "object/request.h"
#include "read/piece.h"

enum { HTTP_BODY_KEPT = 4096 }; // of an error; more stops the transfer

struct http_transfer;

// What the transfers of a call have in common.
struct http_batch {
    struct http_object *object;
    struct http_session *session;
    struct http_piece *pieces; // ascending
    size_t npieces;
    size_t left; // pieces that are not done
    struct http_transfer *stream; // brings all pieces, out of the whole object; NULL: each its own
};

struct http_transfer { // zeroed: not under way
    struct http_batch *batch;
    struct http_piece *piece; // NULL: all of them, as batch->stream
    CURL *easy; // NULL: not under way
    struct http_request request;
    struct http_ask ask;
    const char *region; // that was signed for
    struct http_place *place; // where it asks; one of the next two, or of the object
    struct http_place *own; // to be freed
    bool moved; // place was remembered from an earlier redirect

    struct http_head head;
    struct http_judgement judgement;
    tess_status st; // what went wrong on this side, or TESS_OK
    bool body_began; // header lines behind it are trailers
    bool whole; // all that is wanted has come
    int64_t position; // in the object, of the next byte of the body
    size_t at; // first of the pieces that is not done

    int64_t received; // bytes, headers included, of this request
    int64_t brought; // bytes put into pieces, of all requests
    char body[HTTP_BODY_KEPT]; // of an answer without the object
    size_t body_size;
    char why[CURL_ERROR_SIZE]; // libcurl's words
};

// Ask for the rest of the piece, or for the whole object; t->place is set. TESS_ERR_NOMEM,
// TESS_ERR_ARG (it cannot be signed).
tess_status http_transfer_start(struct http_transfer *t, tess_error *err);

// End it, wherever it is. Its connection is kept if the answer was complete.
void http_transfer_stop(struct http_transfer *t);

// Does the transfer no longer matter, as another brings what it should?
bool http_transfer_superseded(const struct http_transfer *t);

// Forget all places; not while it is under way.
void http_transfer_drop_places(struct http_transfer *t);

#endif
