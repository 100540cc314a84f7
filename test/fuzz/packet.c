/*
 * packet.c - a packet of a stranger, as it is, and with checksums that are right: what is said of
 * it, and an array that adopts it; also as a packet of extents, with the packet in the file.
 *
 * What was adopted untrusted can be read. What was refused has changed nothing.
 */
#include "array/packets/packets.h"
#include "frame/format/checksums.h"
#include "fuzz/fuzz.h"
#include "fuzz/owner.h"
#include "fuzz/place.h"

enum { HEADER = 64, AXIS = 24, ENTRY = 64, SEAL = 8 };

// Bytes in front of the chunks, and of the first entry; 0: it is no packet.
static size_t
front_of(const uint8_t *bytes, size_t size, uint64_t *n, size_t *entries)
{
    if (size < HEADER + SEAL)
        return 0;
    const uint64_t ndim = get_u32le(bytes + 52);
    *n = get_u64le(bytes + 24);
    if (ndim > 16 || *n > size / ENTRY)
        return 0;
    *entries = HEADER + ndim * AXIS;
    const size_t front = *entries + *n * ENTRY + SEAL;
    return front <= size ? front : 0;
}

// Make checksums fit what they are of, and headers in entries what is in the chunks.
static void
reseal_packet(uint8_t *bytes, size_t size)
{
    uint64_t n;
    size_t entries;
    if (front_of(bytes, size, &n, &entries) == 0)
        return;
    uint8_t *e = bytes + entries;
    for (uint64_t i = 0; i < n; i++, e += ENTRY) {
        const uint64_t offset = get_u64le(e + 8), stored = get_u32le(e + 16);
        if (get_u32le(e + 20) != 0 || offset > size || stored < 32 || stored > size - offset)
            continue;
        put_u64le(e + 24, checksum_of(bytes + offset, stored));
        memmove(e + 32, bytes + offset, 32); // a chunk may lie anywhere
    }
    put_u64le(e, checksum_of(bytes, (size_t)(e - bytes)));
}

static void
read_all(const tess_array *a)
{
    const int64_t start[2] = {0}, stop[2] = {OWNER_ROWS, OWNER_COLUMNS};
    static int32_t items[OWNER_ROWS * OWNER_COLUMNS];
    tess_error err;
    must(tess_array_read(a, start, stop, items, sizeof items, &err) == TESS_OK, "%s", err.message);
}

static void
describe(const uint8_t *bytes, size_t size, tess_status *st)
{
    tess_packet_info info;
    *st = tess_packet_info(bytes, size, &info, NULL);
    if (*st != TESS_OK)
        return;
    tess_packet_chunk *const chunks =
        (tess_packet_chunk *)exact_memory((size_t)info.nchunks * sizeof *chunks);
    const tess_status listed = tess_packet_chunks(bytes, size, chunks, (size_t)info.nchunks, NULL);
    must(listed == TESS_OK || listed == TESS_ERR_CORRUPT || listed == TESS_ERR_UNSUPPORTED,
         "chunks of a packet are not listed");
    free(chunks);
}

static void
adopt(const uint8_t *bytes, size_t size, tess_chunk_trust trust)
{
    tess_array *const a = owner_open(TESS_CODEC_LZ4, TESS_FILTER_SHUFFLE);
    tess_adoption *ad;
    tess_info info;
    tess_error err;
    tess_status described;
    describe(bytes, size, &described);
    must(tess_adoption_begin(a, &ad, &err) == TESS_OK, "%s", err.message);
    const tess_status st = tess_adoption_add(ad, bytes, size, trust, &err);
    tess_array_info(a, &info);
    must(st != TESS_OK || described == TESS_OK, "a packet was adopted that is none");
    must(st == TESS_OK || info.nmissing == OWNER_CHUNKS, "a packet was refused and adopted");
    must(st == TESS_OK || err.status == st, "no error is told");
    if (st == TESS_OK)
        must(tess_adoption_add(ad, bytes, size, trust, &err) == TESS_OK, "%s", err.message);
    must(tess_adoption_end(ad, true, &err) == TESS_OK, "%s", err.message);
    if (st == TESS_OK && trust == TESS_CHUNK_UNTRUSTED)
        read_all(a);
    must(tess_array_close(a, &err) == TESS_OK, "%s", err.message);
}

// The whole packet stands in the file at `first`; what is left of it in memory says so.
static size_t
make_extents(uint8_t *bytes, size_t size, int64_t first)
{
    uint64_t n;
    size_t entries;
    const size_t front = front_of(bytes, size, &n, &entries);
    if (front == 0)
        return size;
    put_u32le(bytes + 12, TESS_PACKET_EXTENTS);
    put_u64le(bytes + 16, front);
    for (uint8_t *e = bytes + entries; n > 0; n--, e += ENTRY)
        if (get_u32le(e + 20) == 0)
            put_u64le(e + 8, get_u64le(e + 8) + (uint64_t)first);
    put_u64le(bytes + front - SEAL, checksum_of(bytes, front - SEAL));
    return front;
}

static void
write_lease(const uint8_t *bytes, size_t size, const tess_lease *lease)
{
    FILE *const file = fopen(place_path(), "r+b");
    must(file, "the file of the array cannot be opened");
    must(fseek(file, (long)lease->first, SEEK_SET) == 0 && fwrite(bytes, 1, size, file) == size,
         "the lease cannot be written");
    must(fclose(file) == 0, "the lease cannot be written");
}

static void
adopt_extents(const uint8_t *data, size_t size, tess_chunk_trust trust)
{
    uint8_t *const bytes = exact_copy(data, size);
    tess_array *const a = owner_create(place_path());
    tess_adoption *ad;
    tess_lease lease;
    tess_info info;
    tess_error err;
    must(tess_adoption_begin(a, &ad, &err) == TESS_OK, "%s", err.message);
    must(tess_adoption_lease(ad, (int64_t)size + 1, &lease, &err) == TESS_OK, "%s", err.message);
    write_lease(bytes, size, &lease);
    const size_t front = make_extents(bytes, size, lease.first);
    const tess_status st = tess_adoption_add(ad, bytes, front, trust, &err);
    tess_array_info(a, &info);
    must(st == TESS_OK || info.nmissing == OWNER_CHUNKS, "a packet was refused and adopted");
    must(st == TESS_OK || err.status == st, "no error is told");
    if (st == TESS_OK)
        must(tess_adoption_add(ad, bytes, front, trust, &err) == TESS_OK, "%s", err.message);
    must(tess_adoption_end(ad, true, &err) == TESS_OK, "%s", err.message);
    if (st == TESS_OK && trust == TESS_CHUNK_UNTRUSTED)
        read_all(a);
    must(tess_array_close(a, &err) == TESS_OK, "%s", err.message);
    place_clear();
    free(bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const bytes = exact_copy(data, size);
    adopt(bytes, size, TESS_CHUNK_TRUSTED);
    reseal_packet(bytes, size);
    adopt(bytes, size, TESS_CHUNK_TRUSTED);
    adopt(bytes, size, TESS_CHUNK_UNTRUSTED);
    adopt_extents(bytes, size, TESS_CHUNK_TRUSTED);
    adopt_extents(bytes, size, TESS_CHUNK_UNTRUSTED);
    free(bytes);
    return 0;
}
