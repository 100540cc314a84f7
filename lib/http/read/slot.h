/*
 * slot.h - a place for one request at a time: its tries, pauses and redirects.
 *
 * A slot keeps its piece until that is done, through failures and pauses. Redirects make a chain,
 * which begins at the program's URL, or at the place that an earlier chain ended at; a failure ends
 * the chain, and forgets that place.
 */
#ifndef HTTP_READ_SLOT_H
#define HTTP_READ_SLOT_H

#include "read/transfer.h"

enum { HTTP_HOPS_MAX = 10 }; // redirects in a row

// What the slots of a call have in common.
struct http_effort {
    struct http_batch batch;
    const struct http_options *options;
    int64_t deadline, hold; // milliseconds (http_now_ms()); no piece is begun before hold
    uint64_t random; // for pauses
    tess_status st; // why the call ends, or TESS_OK
    tess_error why; // of st, or of the last failure that is tried again
};

enum http_slot_state {
    HTTP_SLOT_FREE,
    HTTP_SLOT_WAITING, // to be started
    HTTP_SLOT_RUNNING, // or its transfer has ended, and it is not freed yet
};

struct http_slot { // zeroed, but for t.batch: free
    enum http_slot_state state;
    int64_t not_before; // of WAITING, milliseconds
    int failures; // in a row
    int64_t brought; // bytes at the last failure
    int64_t mark, mark_bytes; // since when, and from which count on, the speed is measured
    int64_t whole_since; // -1: not whole
    char *hops[HTTP_HOPS_MAX]; // URLs of this chain of redirects
    int nhops;
    struct http_transfer t;
};

// End the call; the first reason stays. c->why says what it is.
void http_effort_fail(struct http_effort *c, tess_status st);

// The same with the status of c->why, whose sentence goes on as printf() says.
void http_effort_fail_why(struct http_effort *c, const char *format, ...) TESS_PRINTF(2, 3);

// Send the request of a slot that waits.
tess_status http_slot_start(struct http_effort *c, struct http_slot *s);

// The transfer ended, so: it is whole, or tried again (the slot waits), or ends the call.
void http_slot_finish(struct http_effort *c, struct http_slot *s, CURLcode code);

// Has too little come for too long? Connecting has a limit of its own.
bool http_slot_stalled(const struct http_effort *c, struct http_slot *s, int64_t now);

void http_slot_free(struct http_slot *s);

#endif
