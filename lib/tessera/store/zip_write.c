/*
 * zip_write.c - a zip file of stored members, written from its start to its end.
 */
#include "store/zip_write.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"

#include <libdeflate.h>

#include <stdbool.h>
#include <string.h>

enum {
    LOCAL_SIZE = 30,
    ENTRY_SIZE = 46,
    END_RECORD_SIZE = 22,
    END64_RECORD_SIZE = 56,
    LOCATOR64_RECORD_SIZE = 20,
    EXTRA_LOCAL = 20, // both lengths
    EXTRA_ENTRY = 28, // and the position
    VERSION = 20,
    VERSION_ZIP64 = 45,
    FLAG_UTF8 = 0x0800,
    DATE = 0x0021, // 1980-01-01: equal stores are equal files
    MADE_ON_UNIX = 3 << 8,
};

#define LOCAL_SIGN 0x04034b50u
#define ENTRY_SIGN 0x02014b50u
#define END_SIGN 0x06054b50u
#define END64_SIGN 0x06064b50u
#define LOCATOR64_SIGN 0x07064b50u
#define ALL_ONES_32 0xffffffffu
#define ALL_ONES_16 0xffffu
#define FILE_MODE 0100644u

void
zip_write_init(struct zip_write *z, struct io *io)
{
    *z = (struct zip_write){.io = io};
}

void
zip_write_finish(struct zip_write *z)
{
    mem_free(z->directory);
    *z = (struct zip_write){0};
}

uint32_t
zip_checksum(uint32_t checksum, const void *bytes, size_t size)
{
    return libdeflate_crc32(checksum, bytes, size);
}

tess_status
zip_write_bytes(struct zip_write *z, const void *bytes, size_t size, tess_error *err)
{
    const tess_status st = io_write(z->io, z->at, bytes, size, err);
    if (st == TESS_OK)
        z->at += (int64_t)size;
    return st;
}

// Bytes at the end of the list.
static uint8_t *
directory_append(struct zip_write *z, size_t size)
{
    if (z->room - z->directory_size < size) {
        const size_t room = 2 * (z->room + size);
        uint8_t *const longer = mem_resize(z->directory, room);
        if (!longer)
            return NULL;
        z->directory = longer;
        z->room = room;
    }
    uint8_t *const at = z->directory + z->directory_size;
    z->directory_size += size;
    return at;
}

static uint32_t
fit_32(uint64_t n)
{
    return n < ALL_ONES_32 ? (uint32_t)n : ALL_ONES_32;
}

// What local header and list have in common: from the version needed on, 26 bytes.
static void
put_common(uint8_t *p, size_t name_size, int64_t size, uint32_t checksum, size_t extra_size)
{
    const uint32_t length = extra_size > 0 ? ALL_ONES_32 : (uint32_t)size;
    put_u16le(p, extra_size > 0 ? VERSION_ZIP64 : VERSION);
    put_u16le(p + 2, FLAG_UTF8);
    put_u16le(p + 4, 0); // stored
    put_u16le(p + 6, 0);
    put_u16le(p + 8, DATE);
    put_u32le(p + 10, checksum);
    put_u32le(p + 14, length);
    put_u32le(p + 18, length);
    put_u16le(p + 22, (uint16_t)name_size);
    put_u16le(p + 24, (uint16_t)extra_size);
}

static void
put_extra(uint8_t *p, size_t extra_size, int64_t size, int64_t local)
{
    put_u16le(p, 1);
    put_u16le(p + 2, (uint16_t)(extra_size - 4));
    put_u64le(p + 4, (uint64_t)size);
    put_u64le(p + 12, (uint64_t)size);
    if (extra_size == EXTRA_ENTRY)
        put_u64le(p + 20, (uint64_t)local);
}

static tess_status
add_entry(struct zip_write *z, const char *name, int64_t size, uint32_t checksum, bool large,
          tess_error *err)
{
    const size_t name_size = strlen(name), extra = large ? EXTRA_ENTRY : 0;
    uint8_t *const p = directory_append(z, ENTRY_SIZE + name_size + extra);
    if (!p)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the list of a zip file");
    put_u32le(p, ENTRY_SIGN);
    put_u16le(p + 4, MADE_ON_UNIX | VERSION_ZIP64);
    put_common(p + 6, name_size, size, checksum, extra);
    memset(p + 32, 0, 6); // no comment, disk 0, no internal attributes
    put_u32le(p + 38, FILE_MODE << 16);
    put_u32le(p + 42, large ? ALL_ONES_32 : (uint32_t)z->at);
    memcpy(p + ENTRY_SIZE, name, name_size);
    if (large)
        put_extra(p + ENTRY_SIZE + name_size, extra, size, z->at);
    z->nmembers++;
    return TESS_OK;
}

tess_status
zip_write_member(struct zip_write *z, const char *name, int64_t size, uint32_t checksum,
                 tess_error *err)
{
    const bool large = size >= ALL_ONES_32 || z->at >= ALL_ONES_32;
    const size_t name_size = strlen(name), extra = large ? EXTRA_LOCAL : 0;
    uint8_t local[LOCAL_SIZE], more[EXTRA_LOCAL];
    if (name_size > ALL_ONES_16)
        return err_set(err, TESS_ERR_LIMIT, -1, "a name of %zu bytes in a zip file", name_size);
    tess_status st = add_entry(z, name, size, checksum, large, err);
    put_u32le(local, LOCAL_SIGN);
    put_common(local + 4, name_size, size, checksum, extra);
    put_extra(more, EXTRA_LOCAL, size, 0);
    if (st == TESS_OK)
        st = zip_write_bytes(z, local, sizeof local, err);
    if (st == TESS_OK)
        st = zip_write_bytes(z, name, name_size, err);
    return st == TESS_OK && large ? zip_write_bytes(z, more, sizeof more, err) : st;
}

static tess_status
write_end64(struct zip_write *z, int64_t directory_at, tess_error *err)
{
    uint8_t end[END64_RECORD_SIZE] = {0}, locator[LOCATOR64_RECORD_SIZE] = {0};
    put_u32le(locator, LOCATOR64_SIGN);
    put_u64le(locator + 8, (uint64_t)z->at);
    put_u32le(locator + 16, 1);
    put_u32le(end, END64_SIGN);
    put_u64le(end + 4, END64_RECORD_SIZE - 12);
    put_u16le(end + 12, MADE_ON_UNIX | VERSION_ZIP64);
    put_u16le(end + 14, VERSION_ZIP64);
    put_u64le(end + 24, (uint64_t)z->nmembers);
    put_u64le(end + 32, (uint64_t)z->nmembers);
    put_u64le(end + 40, z->directory_size);
    put_u64le(end + 48, (uint64_t)directory_at);
    const tess_status st = zip_write_bytes(z, end, sizeof end, err);
    return st == TESS_OK ? zip_write_bytes(z, locator, sizeof locator, err) : st;
}

tess_status
zip_write_end(struct zip_write *z, tess_error *err)
{
    uint8_t end[END_RECORD_SIZE] = {0};
    const int64_t directory_at = z->at;
    const bool many = z->nmembers >= ALL_ONES_16;
    const bool large =
        many || directory_at >= ALL_ONES_32 || z->directory_size >= (size_t)ALL_ONES_32;
    const uint16_t count = many ? ALL_ONES_16 : (uint16_t)z->nmembers;
    tess_status st =
        z->directory_size > 0 ? zip_write_bytes(z, z->directory, z->directory_size, err) : TESS_OK;
    if (st == TESS_OK && large)
        st = write_end64(z, directory_at, err);
    put_u32le(end, END_SIGN);
    put_u16le(end + 8, count);
    put_u16le(end + 10, count);
    put_u32le(end + 12, fit_32(z->directory_size));
    put_u32le(end + 16, fit_32((uint64_t)directory_at));
    return st == TESS_OK ? zip_write_bytes(z, end, sizeof end, err) : st;
}
