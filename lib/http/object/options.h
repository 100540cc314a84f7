/*
 * options.h - tess_http_options as this library keeps them: copied, checked, with the keys of S3.
 */
#ifndef HTTP_OBJECT_OPTIONS_H
#define HTTP_OBJECT_OPTIONS_H

#include "s3/credentials.h"

#include <tessera/http.h>

struct http_options { // zeroed: empty
    int connect_timeout, stall_timeout, deadline; // milliseconds
    int stall_speed; // bytes per second
    int tries, requests;
    int64_t first, last; // bytes read at opening, at least
    int64_t part_size; // bytes of the first parts of an upload
    char *user, *password, *token; // NULL: none
    char *ca_file; // NULL: the system's
    char **headers; // "Name: value"
    size_t nheaders;
    char *cache_dir; // NULL: no cache
    int64_t cache_size;
    struct s3_config s3; // for s3:// only
};

/*
 * Copy and check what the program gave (NULL: the defaults). s3: the keys, too; what is not given
 * is taken from the environment. On success the caller ends *options with http_options_finish();
 * else it is empty. Fails as tess_http_source() says; messages hold no value.
 */
tess_status http_options_take(const tess_http_options *given, bool s3, struct http_options *options,
                              tess_error *err);

// Wipes what it frees.
void http_options_finish(struct http_options *options);

#endif
