/*
 * gzip.c - valid gzip of bytes, stored (RFC 1951, 1952).
 */
#include "http/server/gzip.h"

#include <stdint.h>

enum { BLOCK = 65535 }; // bytes in a stored block

static uint32_t
crc32_of(const uint8_t *p, size_t size)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

static void
add_le(struct server_text *dst, uint32_t value, int size)
{
    for (int i = 0; i < size; i++) {
        const uint8_t byte = (uint8_t)(value >> 8 * i);
        server_text_add(dst, &byte, 1);
    }
}

void
server_gzip(const void *bytes, size_t size, struct server_text *dst)
{
    static const uint8_t head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    const uint8_t *p = bytes;
    size_t left = size;

    server_text_add(dst, head, sizeof head);
    do {
        const uint32_t n = left < BLOCK ? (uint32_t)left : BLOCK;
        add_le(dst, left == n, 1); // the last block, stored
        add_le(dst, n, 2);
        add_le(dst, n ^ 0xffff, 2);
        server_text_add(dst, p, n);
        p += n;
        left -= n;
    } while (left > 0);
    add_le(dst, crc32_of(bytes, size), 4);
    add_le(dst, (uint32_t)size, 4);
}
