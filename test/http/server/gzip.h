/*
 * gzip.h - valid gzip of bytes, stored: nothing is compressed.
 */
#ifndef HTTP_SERVER_GZIP_H
#define HTTP_SERVER_GZIP_H

#include "http/server/printed.h"

#include <stddef.h>

void server_gzip(const void *bytes, size_t size, struct server_text *dst);

#endif
