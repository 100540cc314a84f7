/*
 * object.h - an object on a server, and what is known of it so far.
 *
 * Calls of several threads learn at once. What they learn never changes once it is there, and is
 * published by an atomic pointer: the identity by the first answer, a place by a redirect that
 * worked. Nothing published is freed before http_object_forget() or _finish(), which run alone. No
 * mutex, so a child of fork() finds everything usable.
 */
#ifndef HTTP_OBJECT_OBJECT_H
#define HTTP_OBJECT_OBJECT_H

#include "address/target.h"
#include "answer/identity.h"
#include "cache/store.h"
#include "object/options.h"
#include "object/session.h"

// What a directory and its parts share.
struct http_common {
    atomic_int refs;
    struct http_options options;
    struct http_pool pool;
    struct http_cache cache;
    _Atomic(char *) region; // of the bucket, as AWS corrected it; NULL: that of the options
};

// Where an object is asked for.
struct http_place {
    struct http_url url;
    bool trusted; // scheme, host and port of the program's URL: credentials may be sent
    struct http_place *next; // of a list
};

struct http_object {
    struct http_common *common;
    struct http_target target;
    _Atomic(struct http_identity *) identity; // NULL: not known yet
    _Atomic(struct http_place *) moved; // where redirects led; NULL: not used
    _Atomic(struct http_place *) places; // all that were ever published
    atomic_int nplaces;
    atomic_bool rangeless; // the server answers with the whole object
};

tess_status http_common_new(const tess_http_options *options, bool s3, struct http_common **common,
                            tess_error *err);
struct http_common *http_common_share(struct http_common *common);
void http_common_drop(struct http_common *common); // NULL is fine

// The region to sign for; NULL: none is known.
const char *http_common_region(struct http_common *common);

/*
 * AWS refused a request signed for `used` (http_common_region()), and says which region it is: is
 * another try worth it? Once: false if that is the region that was used, or if another one was told
 * before; or no memory.
 */
bool http_common_correct(struct http_common *common, const char *used, const char *region);

// The place that the program's URL means; to be freed with http_place_free().
tess_status http_object_place(struct http_object *o, struct http_place **place, tess_error *err);

/*
 * Where a redirect leads; to be freed. `location` is absolute. TESS_ERR_IO: nowhere that is
 * followed. *err has no host in it.
 */
tess_status http_object_redirect(struct http_object *o, const char *location,
                                 struct http_place **place, tess_error *err);

void http_place_free(struct http_place *place); // NULL is fine

// Use a place from now on. It belongs to the object then, used or not.
void http_object_move(struct http_object *o, struct http_place *place);

// It does not work (any more): the next request goes to the program's URL.
void http_object_unmove(struct http_object *o, struct http_place *place);

/*
 * An answer tells which object it is of. The first one decides. False: it is of another object.
 * TESS_ERR_NOMEM goes to *st.
 */
bool http_object_is(struct http_object *o, const struct http_identity *identity, tess_status *st);

// Look again, which runs alone.
void http_object_forget(struct http_object *o);
void http_object_forget_identity(struct http_object *o);

void http_object_finish(struct http_object *o);

#endif
