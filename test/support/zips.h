/*
 * zips.h - zip files made by hand, member by member, right or wrong.
 */
#ifndef SUPPORT_ZIPS_H
#define SUPPORT_ZIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A member. Of those that are zero the file is as any zip file.
struct zip_part {
    const char *name;
    size_t name_size; // 0: strlen(name)
    const void *bytes;
    size_t size;
    int method; // 0: stored
    int flags;
    size_t local_extra; // bytes of an extra field in front of the bytes only
    bool zip64; // sizes and position in an extra field of the list
};

struct zip_making {
    uint8_t *bytes; // free() it
    size_t size;
    uint8_t *list;
    size_t list_size;
    int64_t count;
};

void zip_add(struct zip_making *z, const struct zip_part *part);
void zip_add_bytes(struct zip_making *z, const char *name, const void *bytes, size_t size);
void zip_end(struct zip_making *z, const char *comment, bool zip64);
void zip_free(struct zip_making *z);

#endif
