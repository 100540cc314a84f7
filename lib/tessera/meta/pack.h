/*
 * pack.h - memory that msgpack and JSON are written to: of known size, or growing.
 *
 * Of known size: msgpack-c writing at the widths of the format. msgpack-c prefers the shortest
 * encoding; the format has one width for each field. Integers have calls for that
 * (msgpack_pack_fix_int32() and its kin); the containers are here.
 *
 * Growing: bytes that are appended, as to a msgpack_sbuffer, to memory of the library's, which
 * becomes the caller's. Belongs to one thread.
 */
#ifndef META_PACK_H
#define META_PACK_H

#include "base/bytes.h"
#include "base/memory.h"

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    PACK_BIN32 = 0xc6,
    PACK_STR32 = 0xdb,
    PACK_ARRAY16 = 0xdc,
    PACK_MAP16 = 0xde,
};

// For msgpack_packer_init(): `at` is the address of a uint8_t * that moves on with each write. The
// memory it points to is as large as all that will be written.
static inline int
pack_write(void *at, const char *src, size_t size)
{
    uint8_t **const dst = at;
    memcpy(*dst, src, size);
    *dst += size;
    return 0;
}

static inline void
pack_bytes(msgpack_packer *pk, const void *src, size_t size)
{
    if (size > 0) // src may be NULL otherwise
        pack_write(pk->data, src, size);
}

// A container with a count of 16 bits.
static inline void
pack_head16(msgpack_packer *pk, uint8_t marker, uint16_t count)
{
    uint8_t head[3] = {marker};
    put_u16be(head + 1, count);
    pack_bytes(pk, head, sizeof head);
}

// A string or binary with a length of 32 bits.
static inline void
pack_head32(msgpack_packer *pk, uint8_t marker, uint32_t size)
{
    uint8_t head[5] = {marker};
    put_u32be(head + 1, size);
    pack_bytes(pk, head, sizeof head);
}

struct growing { // zeroed: empty
    char *data; // NULL: nothing was appended
    size_t size, capacity;
};

// False: there is no memory; what was appended before is still there.
static inline bool
growing_append(struct growing *g, const void *bytes, size_t size)
{
    enum { CAPACITY_MIN = 256 };
    size_t capacity = g->capacity ? g->capacity : CAPACITY_MIN;

    if (size > g->capacity - g->size) {
        while (capacity - g->size < size) {
            if (capacity > (size_t)-1 / 2)
                return false;
            capacity *= 2;
        }
        char *const data = mem_resize(g->data, capacity);
        if (!data)
            return false;
        g->data = data;
        g->capacity = capacity;
    }
    if (size > 0)
        memcpy(g->data + g->size, bytes, size);
    g->size += size;
    return true;
}

// The memory, which mem_free() frees.
static inline void *
growing_take(struct growing *g)
{
    void *const data = g->data;
    *g = (struct growing){0};
    return data;
}

static inline void
growing_finish(struct growing *g)
{
    mem_free(growing_take(g));
}

#endif
