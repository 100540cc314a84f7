/*
 * words.h - what went wrong with a transfer, in words: the host, the range, the status, the code of
 * S3; never a query or a header, which may be secrets.
 */
#ifndef HTTP_READ_WORDS_H
#define HTTP_READ_WORDS_H

#include "read/transfer.h"

enum { HTTP_HOST_TEXT_SIZE = 160 };

// Fill *why as printf() does. Returns st.
tess_status http_why(tess_error *why, tess_status st, int sys, const char *format, ...)
    TESS_PRINTF(4, 5);

// "example.org:8080": where the transfer asks. Longer ones are cut.
void http_host_text(const struct http_transfer *t, char *text, size_t size);

// What the host did in place of bringing the bytes. code: how libcurl ended the transfer.
void http_describe(const struct http_transfer *t, CURLcode code, tess_error *why);

#endif
