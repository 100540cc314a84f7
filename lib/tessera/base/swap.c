/*
 * swap.c - items in the other byte order.
 *
 * Words of the usual sizes are turned around by one instruction each, or several by one.
 */
#include "base/swap.h"

#include <string.h>

static void
swap_2(uint8_t *items, size_t size)
{
    for (size_t at = 0; at < size; at += 2) {
        uint16_t w;
        memcpy(&w, items + at, sizeof w);
        w = __builtin_bswap16(w);
        memcpy(items + at, &w, sizeof w);
    }
}

static void
swap_4(uint8_t *items, size_t size)
{
    for (size_t at = 0; at < size; at += 4) {
        uint32_t w;
        memcpy(&w, items + at, sizeof w);
        w = __builtin_bswap32(w);
        memcpy(items + at, &w, sizeof w);
    }
}

static void
swap_8(uint8_t *items, size_t size)
{
    for (size_t at = 0; at < size; at += 8) {
        uint64_t w;
        memcpy(&w, items + at, sizeof w);
        w = __builtin_bswap64(w);
        memcpy(items + at, &w, sizeof w);
    }
}

static void
swap_16(uint8_t *items, size_t size)
{
    for (size_t at = 0; at < size; at += 16) {
        uint64_t w[2];
        memcpy(w, items + at, sizeof w);
        const uint64_t turned[2] = {__builtin_bswap64(w[1]), __builtin_bswap64(w[0])};
        memcpy(items + at, turned, sizeof turned);
    }
}

static void
swap_any(uint8_t *items, size_t size, size_t word)
{
    for (size_t at = 0; at < size; at += word)
        for (size_t i = 0; i < word / 2; i++) {
            const uint8_t byte = items[at + i];
            items[at + i] = items[at + word - 1 - i];
            items[at + word - 1 - i] = byte;
        }
}

void
swap_bytes(uint8_t *items, size_t size, size_t word)
{
    switch (word) {
    case 2:
        swap_2(items, size);
        break;
    case 4:
        swap_4(items, size);
        break;
    case 8:
        swap_8(items, size);
        break;
    case 16:
        swap_16(items, size);
        break;
    default:
        swap_any(items, size, word);
        break;
    }
}
