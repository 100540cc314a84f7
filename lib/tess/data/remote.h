/*
 * remote.h - arrays at URLs, where the command was built with tessera-http.
 *
 * Keys of S3 are looked for as the AWS command line does. The environment variable TESS_HTTP_TOKEN
 * is a bearer token for https, TESS_HTTP_CA a file of certificates to trust, TESS_HTTP_CACHE
 * a directory in which what is read is kept.
 */
#ifndef TESS_DATA_REMOTE_H
#define TESS_DATA_REMOTE_H

#include <tessera/source.h>

#include <stdbool.h>

// Whether a path is a URL, also one that this build cannot read.
bool remote_is_url(const char *path);

// A source of a URL, to be closed with source->close(), or by the array that it is given to.
// TESS_ERR_UNSUPPORTED: this build has none.
tess_status remote_open(const char *url, tess_source *source, tess_error *err);

#endif
