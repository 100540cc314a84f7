/*
 * zip.h - the list of members of a zip file, and where their bytes stand.
 *
 * Source of the format: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3 and 4.4. Only members that are
 * stored, neither compressed nor encrypted, can be read in place.
 *
 * Nothing here is kept between calls; the functions only read from the io. No lock.
 */
#ifndef STORE_ZIP_H
#define STORE_ZIP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io;
struct io_progress;

#define ZIP_LOCAL_SIZE 30 // of the header in front of a member, without name and extra field

struct zip_member {
    const char *name; // NUL-terminated, in the list's own memory; not checked, may contain NUL
    size_t name_size;
    size_t extra_size; // of the extra field in the directory; that of the local header may differ
    int64_t local; // position of its local header
    int64_t record; // its number in the list: of two of one name, the later one counts
    int64_t size; // stored bytes
    bool is_stored; // neither compressed nor encrypted
};

struct zip {
    uint8_t *directory; // owned
    struct zip_member *members; // ascending `local`; owned
    int64_t nmembers;
    int64_t directory_at; // where the list stands: members end before it
};

/*
 * Read the list. At most `memory` bytes are allocated. Members do not overlap, and end before the
 * list. Bytes in front of a zip file, for which its positions were not changed, and bytes behind it
 * do not matter. TESS_ERR_FORMAT: it is no zip file; TESS_ERR_UNSUPPORTED: in several volumes;
 * TESS_ERR_CORRUPT; *zip is empty then.
 */
tess_status zip_read(struct io *io, int64_t memory, struct zip *zip, tess_error *err);
void zip_finish(struct zip *zip); // zeroed: fine

// Where the bytes of a member start, as its local header says, of which the first ZIP_LOCAL_SIZE
// bytes are given, and the name behind them. end: of the room that the member has.
tess_status zip_data_start(const struct zip_member *m, const uint8_t *local, int64_t end,
                           int64_t *start, tess_error *err);

#endif
