/*
 * text.c - text that is put together piece by piece, percent encoding, secrets.
 */
#include "base/text.h"
#include "base/ascii.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 256 };

static bool
reserve(struct http_text *t, size_t more)
{
    size_t capacity = t->capacity ? t->capacity : CAPACITY_MIN;

    if (t->failed)
        return false;
    if (more <= t->capacity - t->size)
        return true;
    while (capacity - t->size < more && capacity <= SIZE_MAX / 4)
        capacity *= 2;
    char *const data = capacity - t->size < more ? NULL : malloc(capacity);
    if (!data) {
        t->failed = true;
        return false;
    }
    if (t->size > 0)
        memcpy(data, t->data, t->size);
    if (t->data)
        explicit_bzero(t->data, t->capacity);
    free(t->data);
    t->data = data;
    t->capacity = capacity;
    return true;
}

void
http_text_add(struct http_text *t, const char *bytes, size_t size)
{
    if (size == 0 || !reserve(t, size))
        return;
    memcpy(t->data + t->size, bytes, size);
    t->size += size;
}

void
http_text_string(struct http_text *t, const char *string)
{
    http_text_add(t, string, strlen(string));
}

static void
add_encoded(struct http_text *t, unsigned char byte, const char *keep)
{
    static const char digits[] = "0123456789ABCDEF";
    const char c = (char)byte;

    if (http_unreserved(c) || (c != '\0' && strchr(keep, c)))
        http_text_add(t, &c, 1);
    else
        http_text_add(t, (const char[]){'%', digits[byte >> 4], digits[byte & 15]}, 3);
}

void
http_text_encoded(struct http_text *t, const char *bytes, size_t size, const char *keep)
{
    for (size_t i = 0; i < size; i++)
        add_encoded(t, (unsigned char)bytes[i], keep);
}

int
http_percent(const char *at, size_t left)
{
    if (left < 3 || at[0] != '%' || http_hex(at[1]) < 0 || http_hex(at[2]) < 0)
        return -1;
    return http_hex(at[1]) * 16 + http_hex(at[2]);
}

void
http_text_reencoded(struct http_text *t, const char *bytes, size_t size, const char *keep)
{
    for (size_t i = 0; i < size; i++) {
        const int value = http_percent(bytes + i, size - i);
        add_encoded(t, value < 0 ? (unsigned char)bytes[i] : (unsigned char)value, keep);
        i += value < 0 ? 0 : 2;
    }
}

char *
http_text_take(struct http_text *t)
{
    http_text_add(t, "", 1);
    if (t->failed) {
        http_text_finish(t);
        return NULL;
    }
    char *const data = t->data;
    *t = (struct http_text){0};
    return data;
}

void
http_text_finish(struct http_text *t)
{
    if (t->data)
        explicit_bzero(t->data, t->capacity);
    free(t->data);
    *t = (struct http_text){0};
}

void
http_free_secret(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}
