/*
 * target.h - the object that a source reads: what the program's URL means.
 */
#ifndef HTTP_ADDRESS_TARGET_H
#define HTTP_ADDRESS_TARGET_H

#include "address/s3.h"
#include "address/url.h"

#include <stdbool.h>

struct http_target { // zeroed: empty; constant once it is made
    bool s3;
    struct s3_address address; // if s3
    struct http_url url; // else
    char *user, *password; // of the URL, decoded; NULL: none
    char *name; // for messages: no user, no query
    bool directory; // ends in a slash
};

// Does a text begin like a URL of `scheme`, such as "s3"?
bool http_target_begins(const char *text, const char *scheme);

// On success the caller ends *target with http_target_finish(); else it is empty. TESS_ERR_ARG,
// TESS_ERR_UNSUPPORTED (another scheme), TESS_ERR_LIMIT, TESS_ERR_NOMEM.
tess_status http_target_parse(const char *text, struct http_target *target, tess_error *err);

// The object `name` in a directory; TESS_ERR_ARG: no name of letters, digits, dots, - and _.
tess_status http_target_part(const struct http_target *directory, const char *name,
                             struct http_target *target, tess_error *err);

// Wipes what it frees.
void http_target_finish(struct http_target *target);

#endif
