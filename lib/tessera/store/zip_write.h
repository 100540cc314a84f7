/*
 * zip_write.h - a zip file of stored members, written from its start to its end.
 *
 * Source of the format: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3 to 4.5. Lengths and positions of
 * 4 GiB and more, and 65,535 members and more, are zip64's.
 *
 * Belongs to one thread. The io is written one byte behind the other, and stays the caller's.
 */
#ifndef STORE_ZIP_WRITE_H
#define STORE_ZIP_WRITE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct io;

struct zip_write {
    struct io *io;
    int64_t at; // where the next byte goes
    uint8_t *directory; // the list so far; owned
    size_t directory_size, room;
    int64_t nmembers;
};

void zip_write_init(struct zip_write *z, struct io *io);
void zip_write_finish(struct zip_write *z); // zeroed: fine

// The checksum of a member, over its bytes in pieces, from 0 on.
uint32_t zip_checksum(uint32_t checksum, const void *bytes, size_t size);

// Begin a member of so many bytes; then write them with zip_write_bytes().
tess_status zip_write_member(struct zip_write *z, const char *name, int64_t size, uint32_t checksum,
                             tess_error *err);
tess_status zip_write_bytes(struct zip_write *z, const void *bytes, size_t size, tess_error *err);

// All members are written: the list, and the end.
tess_status zip_write_end(struct zip_write *z, tess_error *err);

#endif
