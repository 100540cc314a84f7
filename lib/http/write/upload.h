/*
 * upload.h - an object while it is written: in order from some offset on, then its first bytes
 * (source.h).
 *
 * An object whose first bytes are all of it is put by one request, by http_upload_publish(). Of
 * others, at S3, what stands behind the first bytes becomes parts 2, 3, ..., and these become part
 * 1. Not here: how parts are sent (parts.h), and how the object appears (publish.h).
 */
#ifndef HTTP_WRITE_UPLOAD_H
#define HTTP_WRITE_UPLOAD_H

#include "object/object.h"

struct http_upload;

// The object stays until http_upload_free().
tess_status http_upload_new(struct http_object *o, struct http_upload **upload, tess_error *err);

// As tess_source.write. What fails stays failed.
tess_status http_upload_write(struct http_upload *u, int64_t offset, const void *src,
                              size_t src_size, tess_error *err);

// As tess_source.publish.
tess_status http_upload_publish(struct http_upload *u, int64_t size, bool replace, tess_error *err);

// Aborts what was not published. NULL is fine.
void http_upload_free(struct http_upload *u);

#endif
