/*
 * printed.h - bytes that grow at their end.
 *
 * Zeroed is empty. Running out of memory ends the program.
 */
#ifndef HTTP_SERVER_PRINTED_H
#define HTTP_SERVER_PRINTED_H

#include <stddef.h>

struct server_text {
    char *data; // a NUL stands behind; NULL as long as nothing was added
    size_t size, capacity;
};

void server_text_add(struct server_text *t, const void *bytes, size_t size);
void server_text_print(struct server_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void server_text_finish(struct server_text *t);

// malloc() and strdup() that do not fail.
void *server_memory(size_t size);
char *server_copy(const char *string);

#endif
