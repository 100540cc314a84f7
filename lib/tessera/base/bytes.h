/*
 * bytes.h - cursors over bytes, and numbers of either byte order.
 *
 * Reading past the end gives zeros and sets `bad` for good; so does writing past the end, which
 * writes nothing. A parser reads its fields in order and asks once, at the end.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
get_u16be(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
get_u32be(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t
get_u64be(const uint8_t *p)
{
    return (uint64_t)get_u32be(p) << 32 | get_u32be(p + 4);
}

static inline uint16_t
get_u16le(const uint8_t *p)
{
    return (uint16_t)(p[1] << 8 | p[0]);
}

// One load each. gcc merges four loads of one byte, too, but not where two words overlap, as they
// do in encoders.
static inline uint32_t
get_u32le(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(v) : v;
}

static inline uint64_t
get_u64le(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(v) : v;
}

static inline int32_t
get_i32le(const uint8_t *p)
{
    return (int32_t)get_u32le(p);
}

static inline float
get_f32le(const uint8_t *p)
{
    const uint32_t bits = get_u32le(p);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline double
get_f64le(const uint8_t *p)
{
    const uint64_t bits = get_u64le(p);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline void
put_u16be(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void
put_u32be(uint8_t *p, uint32_t v)
{
    put_u16be(p, (uint16_t)(v >> 16));
    put_u16be(p + 2, (uint16_t)v);
}

static inline void
put_u64be(uint8_t *p, uint64_t v)
{
    put_u32be(p, (uint32_t)(v >> 32));
    put_u32be(p + 4, (uint32_t)v);
}

static inline void
put_u32le(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

static inline void
put_u16le(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void
put_u64le(uint8_t *p, uint64_t v)
{
    put_u32le(p, (uint32_t)v);
    put_u32le(p + 4, (uint32_t)(v >> 32));
}

static inline void
put_i32le(uint8_t *p, int32_t v)
{
    put_u32le(p, (uint32_t)v);
}

static inline void
put_f32le(uint8_t *p, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_u32le(p, bits);
}

static inline void
put_f64le(uint8_t *p, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_u64le(p, bits);
}

struct rd {
    const uint8_t *at;
    size_t left;
    bool bad;
};

static inline struct rd
rd_init(const void *src, size_t size)
{
    return (struct rd){.at = src, .left = size, .bad = false};
}

// The next n bytes, or NULL if there are fewer.
static inline const uint8_t *
rd_take(struct rd *r, size_t n)
{
    if (r->bad || n > r->left) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *const p = r->at;
    r->at += n;
    r->left -= n;
    return p;
}

static inline uint8_t
rd_u8(struct rd *r)
{
    const uint8_t *const p = rd_take(r, 1);
    return p ? p[0] : 0;
}

static inline uint16_t
rd_u16be(struct rd *r)
{
    const uint8_t *const p = rd_take(r, 2);
    return p ? get_u16be(p) : 0;
}

static inline uint32_t
rd_u32be(struct rd *r)
{
    const uint8_t *const p = rd_take(r, 4);
    return p ? get_u32be(p) : 0;
}

static inline uint64_t
rd_u64be(struct rd *r)
{
    const uint8_t *const p = rd_take(r, 8);
    return p ? get_u64be(p) : 0;
}

static inline int32_t
rd_i32be(struct rd *r)
{
    return (int32_t)rd_u32be(r);
}

static inline int64_t
rd_i64be(struct rd *r)
{
    return (int64_t)rd_u64be(r);
}

static inline int32_t
rd_i32le(struct rd *r)
{
    const uint8_t *const p = rd_take(r, 4);
    return p ? get_i32le(p) : 0;
}

static inline uint32_t
rd_u32le(struct rd *r)
{
    return (uint32_t)rd_i32le(r);
}

static inline uint64_t
rd_u64le(struct rd *r)
{
    const uint8_t *const p = rd_take(r, 8);
    return p ? get_u64le(p) : 0;
}

static inline int64_t
rd_i64le(struct rd *r)
{
    return (int64_t)rd_u64le(r);
}

// n bytes to dst; zeros if there are fewer.
static inline void
rd_bytes(struct rd *r, void *dst, size_t n)
{
    const uint8_t *const p = rd_take(r, n);
    if (p)
        memcpy(dst, p, n);
    else
        memset(dst, 0, n);
}

#endif
