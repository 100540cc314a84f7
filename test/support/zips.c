#include "support/zips.h"

#include <stdlib.h>
#include <string.h>

// More bytes at the end, zeros. The memory has a power of two of bytes, so that many members cost
// no more than their bytes.
static uint8_t *
room(uint8_t **bytes, size_t *size, size_t more)
{
    size_t before = 1, after = 1;
    while (before < *size)
        before *= 2;
    while (after < *size + more)
        after *= 2;
    if (!*bytes || after > before) {
        *bytes = realloc(*bytes, after);
        if (!*bytes)
            abort();
    }
    memset(*bytes + *size, 0, more);
    *size += more;
    return *bytes + *size - more;
}

// Little-endian, in `size` bytes.
static void
put_number(uint8_t *p, int size, uint64_t value)
{
    for (int i = 0; i < size; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

static void
put16(uint8_t *p, uint64_t value)
{
    put_number(p, 2, value);
}

static void
put32(uint8_t *p, uint64_t value)
{
    put_number(p, 4, value);
}

static void
put64(uint8_t *p, uint64_t value)
{
    put_number(p, 8, value);
}

void
zip_add(struct zip_making *z, const struct zip_part *part)
{
    const size_t name_size = part->name_size ? part->name_size : strlen(part->name);
    const size_t extra = part->zip64 ? 4 + 24 : 0, at = z->size;
    uint8_t *p = room(&z->bytes, &z->size, 30 + name_size + part->local_extra + part->size);
    put32(p, 0x04034b50);
    put16(p + 4, 20);
    put16(p + 6, (uint64_t)part->flags);
    put16(p + 8, (uint64_t)part->method);
    put32(p + 18, part->size);
    put32(p + 22, part->size);
    put16(p + 26, name_size);
    put16(p + 28, part->local_extra);
    memcpy(p + 30, part->name, name_size);
    if (part->size > 0)
        memcpy(p + 30 + name_size + part->local_extra, part->bytes, part->size);

    p = room(&z->list, &z->list_size, 46 + name_size + extra);
    put32(p, 0x02014b50);
    put16(p + 4, 20);
    put16(p + 6, 20);
    put16(p + 8, (uint64_t)part->flags);
    put16(p + 10, (uint64_t)part->method);
    put32(p + 20, part->zip64 ? UINT32_MAX : part->size);
    put32(p + 24, part->zip64 ? UINT32_MAX : part->size);
    put16(p + 28, name_size);
    put16(p + 30, extra);
    put32(p + 42, part->zip64 ? UINT32_MAX : at);
    memcpy(p + 46, part->name, name_size);
    if (part->zip64) {
        p += 46 + name_size;
        put16(p, 1);
        put16(p + 2, 24);
        put64(p + 4, part->size);
        put64(p + 12, part->size);
        put64(p + 20, at);
    }
    z->count++;
}

void
zip_add_bytes(struct zip_making *z, const char *name, const void *bytes, size_t size)
{
    const struct zip_part part = {.name = name, .bytes = bytes, .size = size};
    zip_add(z, &part);
}

void
zip_end(struct zip_making *z, const char *comment, bool zip64)
{
    const size_t start = z->size, length = comment ? strlen(comment) : 0;
    memcpy(room(&z->bytes, &z->size, z->list_size), z->list ? z->list : (uint8_t *)"",
           z->list_size);
    if (zip64) {
        const size_t at = z->size;
        uint8_t *const p = room(&z->bytes, &z->size, 56 + 20);
        put32(p, 0x06064b50);
        put64(p + 4, 44);
        put64(p + 24, (uint64_t)z->count);
        put64(p + 32, (uint64_t)z->count);
        put64(p + 40, z->list_size);
        put64(p + 48, start);
        put32(p + 56, 0x07064b50);
        put64(p + 64, at);
        put32(p + 72, 1);
    }
    uint8_t *const p = room(&z->bytes, &z->size, 22 + length);
    put32(p, 0x06054b50);
    put16(p + 8, zip64 ? UINT16_MAX : (size_t)z->count);
    put16(p + 10, zip64 ? UINT16_MAX : (size_t)z->count);
    put32(p + 12, zip64 ? UINT32_MAX : z->list_size);
    put32(p + 16, zip64 ? UINT32_MAX : start);
    put16(p + 20, length);
    if (length > 0)
        memcpy(p + 22, comment, length);
}

void
zip_free(struct zip_making *z)
{
    free(z->bytes);
    free(z->list);
    *z = (struct zip_making){0};
}
