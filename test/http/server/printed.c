/*
 * printed.c - bytes that grow at their end.
 */
#include "http/server/printed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
reserve(struct server_text *t, size_t size)
{
    if (size >= ((size_t)1 << 62) - t->size)
        abort();
    if (t->size + size < t->capacity)
        return;
    t->capacity = 2 * (t->size + size) + 64;
    t->data = realloc(t->data, t->capacity);
    if (!t->data)
        abort();
}

void
server_text_add(struct server_text *t, const void *bytes, size_t size)
{
    reserve(t, size);
    if (size > 0)
        memcpy(t->data + t->size, bytes, size);
    t->size += size;
    t->data[t->size] = '\0';
}

void
server_text_print(struct server_text *t, const char *format, ...)
{
    char *text;
    va_list args;

    va_start(args, format);
    const int size = vasprintf(&text, format, args);
    va_end(args);
    if (size < 0)
        abort();
    server_text_add(t, text, (size_t)size);
    free(text);
}

void
server_text_finish(struct server_text *t)
{
    free(t->data);
    *t = (struct server_text){0};
}

void *
server_memory(size_t size)
{
    void *const p = malloc(size > 0 ? size : 1);
    if (!p)
        abort();
    return p;
}

char *
server_copy(const char *string)
{
    const size_t size = strlen(string) + 1;
    return memcpy(server_memory(size), string, size);
}
