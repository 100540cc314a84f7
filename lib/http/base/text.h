/*
 * text.h - text that is put together piece by piece, percent encoding (RFC 3986), and secrets.
 *
 * A failed allocation is remembered: later pieces are dropped, and http_text_take() returns NULL,
 * so that only the end of a sequence of calls has to be checked. Memory is wiped before it is freed
 * or moved, since keys and tokens are among the pieces.
 */
#ifndef HTTP_BASE_TEXT_H
#define HTTP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct http_text { // zeroed: empty
    char *data; // NULL: nothing was added
    size_t size, capacity;
    bool failed;
};

void http_text_add(struct http_text *t, const char *bytes, size_t size);
void http_text_string(struct http_text *t, const char *string);

// Each byte other than the unreserved ones (letters, digits, - . _ ~) becomes %XX, in capitals;
// those of `keep` stay, too.
void http_text_encoded(struct http_text *t, const char *bytes, size_t size, const char *keep);

// The same for bytes that are percent-encoded already, in whatever way: they are decoded first. A %
// without two digits behind it is a byte like others.
void http_text_reencoded(struct http_text *t, const char *bytes, size_t size, const char *keep);

// The text, ended by a NUL, which the caller frees; NULL if there was no memory. *t is empty again.
char *http_text_take(struct http_text *t);

void http_text_finish(struct http_text *t);

// The value of two hexadecimal digits behind a % at `at`, or -1; `left` bytes are at hand.
int http_percent(const char *at, size_t left);

// Wipe a string and free it; NULL is fine.
void http_free_secret(char *secret);

#endif
