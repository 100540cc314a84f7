/*
 * format.c - packets: encoded chunks that travel, or the extents where they were written.
 */
#include "array/packets/packets.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/format/checksums.h"
#include "geom/shape.h"
#include "meta/ndlayer.h"

#include <inttypes.h>
#include <string.h>

enum {
    VERSION = 1,
    HEADER_SIZE = 64,
    AXIS_SIZE = 24,
    ENTRY_SIZE = 64,
    SEAL_SIZE = 8,
    CBYTES_AT = 12, // in the header of a chunk
    MAGIC_SIZE = 8,
};

static const char magic[] = "tesspack";

void
packet_array_of(struct packet_array *p, const struct geometry *g, const struct ndlayer *nd)
{
    const char *const type = nd->dtype ? nd->dtype : "";
    *p = (struct packet_array){
        .type_hash = checksum_of(type, strlen(type)),
        .type_format = nd->dtype_format,
        .typesize = g->typesize,
        .ndim = g->ndim,
    };
    for (int i = 0; i < g->ndim; i++) {
        p->shape[i] = g->shape[i];
        p->chunkshape[i] = g->chunkshape[i];
        p->blockshape[i] = g->blockshape[i];
    }
}

static int64_t
entries_at(int ndim)
{
    return HEADER_SIZE + (int64_t)ndim * AXIS_SIZE;
}

// Bytes in front of the chunks. False: they are no number.
static bool
front_size(int ndim, int64_t nchunks, int64_t *size)
{
    return mul_i64(nchunks, ENTRY_SIZE, size) && add_i64(*size, entries_at(ndim) + SEAL_SIZE, size);
}

static tess_status
parse_header(struct packet *p, struct rd *r, int64_t *said, tess_error *err)
{
    const uint8_t *const start = rd_take(r, MAGIC_SIZE);
    if (!start || memcmp(start, magic, MAGIC_SIZE) != 0)
        return err_set(err, TESS_ERR_FORMAT, 0, "not a packet: it does not start with \"%s\"",
                       magic);
    const uint32_t version = rd_u32le(r), kind = rd_u32le(r);
    *said = rd_i64le(r);
    p->nchunks = rd_i64le(r);
    p->cbytes = rd_i64le(r);
    p->array.type_hash = rd_u64le(r);
    p->array.typesize = rd_i32le(r);
    p->array.ndim = rd_i32le(r);
    p->array.type_format = rd_i32le(r);
    const uint32_t zeros = rd_u32le(r);
    if (r->bad)
        return err_set(err, TESS_ERR_CORRUPT, 0,
                       "the header of a packet has %d bytes, here are %zu", HEADER_SIZE, p->size);
    if (version != VERSION)
        return err_set(err, TESS_ERR_UNSUPPORTED, 8,
                       "a packet of version %" PRIu32 ", this library knows %d", version, VERSION);
    if (kind > PACKET_FILES)
        return err_set(err, TESS_ERR_UNSUPPORTED, 12,
                       "a packet of kind %" PRIu32 ", %d is the last", kind, PACKET_FILES);
    if (p->array.typesize <= 0 || p->array.ndim < 0 || p->array.ndim > NDIM_MAX || zeros != 0)
        return err_set(err, TESS_ERR_CORRUPT, 48, "items of %" PRId32 " bytes in %d dimensions",
                       p->array.typesize, p->array.ndim);
    p->kind = (enum packet_kind)kind;
    return TESS_OK;
}

// Sizes against each other and the bytes at hand.
static tess_status
check_sizes(struct packet *p, int64_t said, tess_error *err)
{
    int64_t front, whole;
    if (p->nchunks < 0 || p->cbytes < 0 || !front_size(p->array.ndim, p->nchunks, &front) ||
        !add_i64(front, p->kind == PACKET_BYTES ? p->cbytes : 0, &whole))
        return err_set(err, TESS_ERR_CORRUPT, 24,
                       "a packet of %" PRId64 " chunks with %" PRId64 " stored bytes", p->nchunks,
                       p->cbytes);
    if (said != whole || (uint64_t)whole != p->size)
        return err_set(err, TESS_ERR_CORRUPT, 16,
                       "a packet says that it has %" PRId64 " bytes, its chunks ask for %" PRId64
                       ", here are %zu",
                       said, whole, p->size);
    p->front = (size_t)front;
    return TESS_OK;
}

static void
parse_axes(struct packet_array *a, struct rd *r)
{
    for (int i = 0; i < a->ndim; i++) {
        a->shape[i] = rd_i64le(r);
        a->chunkshape[i] = rd_i64le(r);
        a->blockshape[i] = rd_i64le(r);
    }
}

static bool
is_zero(const uint8_t *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static tess_status
check_packet_special(const struct packet_entry *e, tess_error *err)
{
    const bool known =
        e->special == SPECIAL_ZEROS || e->special == SPECIAL_NANS || e->special == SPECIAL_UNINIT;
    if (!known)
        return err_set(err, TESS_ERR_CORRUPT, -1, "special kind %d", (int)e->special);
    if (e->offset != 0 || e->size != 0 || e->checksum != 0 ||
        !is_zero(e->header, CHUNK_HEADER_SIZE))
        return err_set(err, TESS_ERR_CORRUPT, -1, "it is not stored, but has stored bytes");
    return TESS_OK;
}

// next: where the next chunk starts, in a packet that has them.
static tess_status
check_stored(const struct packet *p, const struct packet_entry *e, int64_t next, tess_error *err)
{
    int64_t end;
    if (e->size < CHUNK_HEADER_SIZE || get_i32le(e->header + CBYTES_AT) != e->size)
        return err_set(err, TESS_ERR_CORRUPT, -1,
                       "%" PRId32 " stored bytes, its header says %" PRId32, e->size,
                       get_i32le(e->header + CBYTES_AT));
    if (e->checksum == 0)
        return err_set(err, TESS_ERR_CORRUPT, -1, "no checksum");
    if (p->kind == PACKET_BYTES ? e->offset != next
                                : e->offset < 0 || !add_i64(e->offset, e->size, &end))
        return err_set(err, TESS_ERR_CORRUPT, -1, "its offset is %" PRId64, e->offset);
    if (p->kind == PACKET_FILES && e->offset > INT32_MAX)
        return err_set(err, TESS_ERR_CORRUPT, -1, "a file with the number %" PRId64, e->offset);
    return TESS_OK;
}

static tess_status
check_entries(const struct packet *p, tess_error *err)
{
    int64_t before = -1, cbytes = 0;
    for (int64_t i = 0; i < p->nchunks; i++) {
        struct packet_entry e;
        packet_entry_get(p, i, &e);
        tess_status st = TESS_OK;
        if (e.number <= before)
            st = err_set(err, TESS_ERR_CORRUPT, -1,
                         "it follows chunk %" PRId64 ", numbers must ascend", before);
        else if (e.special != SPECIAL_NONE)
            st = check_packet_special(&e, err);
        else
            st = check_stored(p, &e, (int64_t)p->front + cbytes, err);
        if (st != TESS_OK) {
            if (err)
                err->offset = packet_entry_at(p, i);
            return err_prefix(err, st, "chunk %" PRId64 " of a packet", e.number);
        }
        before = e.number;
        if (!add_i64(cbytes, e.size, &cbytes) || cbytes > p->cbytes)
            break;
    }
    if (cbytes != p->cbytes)
        return err_set(err, TESS_ERR_CORRUPT, 32,
                       "chunks of %" PRId64 " stored bytes in a packet that says %" PRId64, cbytes,
                       p->cbytes);
    return TESS_OK;
}

tess_status
packet_parse(struct packet *p, const void *src, size_t size, tess_error *err)
{
    struct rd r = rd_init(src, size);
    int64_t said = 0;
    *p = (struct packet){.bytes = src, .size = size};
    tess_status st = parse_header(p, &r, &said, err);
    if (st == TESS_OK)
        st = check_sizes(p, said, err);
    if (st != TESS_OK)
        return st;
    const size_t sealed = p->front - SEAL_SIZE;
    if (get_u64le(p->bytes + sealed) != checksum_of(p->bytes, sealed))
        return err_set(err, TESS_ERR_CORRUPT, (int64_t)sealed,
                       "header and entries of the packet differ from their checksum");
    parse_axes(&p->array, &r);
    return check_entries(p, err);
}

int64_t
packet_entry_at(const struct packet *p, int64_t i)
{
    return entries_at(p->array.ndim) + i * ENTRY_SIZE;
}

void
packet_entry_get(const struct packet *p, int64_t i, struct packet_entry *e)
{
    const uint8_t *const at = p->bytes + (size_t)packet_entry_at(p, i);
    *e = (struct packet_entry){
        .number = (int64_t)get_u64le(at),
        .offset = (int64_t)get_u64le(at + 8),
        .size = get_i32le(at + 16),
        .special = (enum chunk_special)get_u32le(at + 20),
        .checksum = get_u64le(at + 24),
        .header = at + PACKET_ENTRY_HEADER,
    };
}

tess_status
packet_start(struct packet *p, uint8_t **bytes, tess_error *err)
{
    const struct packet_array *const a = &p->array;
    int64_t front, whole;
    *bytes = NULL;
    if (!front_size(a->ndim, p->nchunks, &front) ||
        !add_i64(front, p->kind == PACKET_BYTES ? p->cbytes : 0, &whole) ||
        !to_size(whole, &p->size))
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "a packet of %" PRId64 " chunks with %" PRId64 " bytes", p->nchunks,
                       p->cbytes);
    p->front = (size_t)front;
    uint8_t *const to = mem_alloc(p->size);
    if (!to)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a packet of %zu bytes", p->size);
    memset(to, 0, p->front);
    memcpy(to, magic, MAGIC_SIZE);
    put_u32le(to + 8, VERSION);
    put_u32le(to + 12, p->kind);
    put_u64le(to + 16, (uint64_t)whole);
    put_u64le(to + 24, (uint64_t)p->nchunks);
    put_u64le(to + 32, (uint64_t)p->cbytes);
    put_u64le(to + 40, a->type_hash);
    put_i32le(to + 48, a->typesize);
    put_i32le(to + 52, a->ndim);
    put_i32le(to + 56, a->type_format);
    for (int i = 0; i < a->ndim; i++) {
        uint8_t *const axis = to + HEADER_SIZE + i * AXIS_SIZE;
        put_u64le(axis, (uint64_t)a->shape[i]);
        put_u64le(axis + 8, (uint64_t)a->chunkshape[i]);
        put_u64le(axis + 16, (uint64_t)a->blockshape[i]);
    }
    p->bytes = *bytes = to;
    return TESS_OK;
}

void
packet_put_entry(const struct packet *p, uint8_t *bytes, int64_t i, const struct packet_entry *e)
{
    uint8_t *const at = bytes + (size_t)packet_entry_at(p, i);
    put_u64le(at, (uint64_t)e->number);
    put_u64le(at + 8, (uint64_t)e->offset);
    put_i32le(at + 16, e->size);
    put_u32le(at + 20, e->special);
    put_u64le(at + 24, e->checksum);
    if (e->header)
        memcpy(at + PACKET_ENTRY_HEADER, e->header, CHUNK_HEADER_SIZE);
}

void
packet_seal(const struct packet *p, uint8_t *bytes)
{
    const size_t sealed = p->front - SEAL_SIZE;
    put_u64le(bytes + sealed, checksum_of(bytes, sealed));
}
