/*
 * file.h - a file of the cache: blocks of one version of one object.
 *
 * The file is sparse: a header, then for each block of the object a slot of its own, a checksum and
 * HTTP_BLOCK bytes (the last block of the object is shorter). A slot that was not written is a
 * hole: its checksum is 0. The name is the key of the URL in hexadecimal digits.
 *
 * Any number of threads and programs read and write a file at once, without locks. That is safe,
 * since a slot has one content that is right: writers write the same. Readers compare the checksum
 * (UMAC-64, whose key is made of URL, ETag and size, and whose nonce is the index of the block), so
 * that a block that is half written, damaged, or of another object or place is a block that is not
 * there. Nothing is synced: after a crash of the machine likewise.
 *
 * A file of another version is replaced by a new one; readers that have it open keep theirs. Files
 * of other users, or that others may write, are none. Numbers have the byte order of the machine,
 * which is part of the magic.
 *
 * Blocks of 32 KiB: a request that is rounded out to whole blocks at both ends grows by less than
 * 64 KiB, the gap that libtessera reads anyway to save a request of a far source
 * (lib/tessera/io/source).
 */
#ifndef HTTP_CACHE_FILE_H
#define HTTP_CACHE_FILE_H

#include "cache/key.h"

#include <nettle/umac.h>

enum {
    HTTP_BLOCK = 32 << 10,
    HTTP_CACHE_NAME = 2 * HTTP_HASH + 1, // bytes of a name, with its NUL
};

struct http_cache_file {
    int fd; // -1: not open
    struct http_cache_id id;
    struct umac64_ctx sum; // keyed; copied for each block
};

/*
 * Open the file of id->key in a directory. False: there is none of that version. With `any` the
 * file says which version it is of, which its blocks prove.
 */
bool http_cache_file_open(int dir, const struct http_cache_id *id, bool any,
                          struct http_cache_file *file);

// The same, but a file that is not there, or of another version, is made. False: cannot be.
bool http_cache_file_make(int dir, const struct http_cache_id *id, struct http_cache_file *file);

void http_cache_file_close(struct http_cache_file *file); // not open is fine

// Bytes of a block: HTTP_BLOCK, or fewer for the last.
size_t http_cache_block_size(const struct http_cache_id *id, int64_t index);

// Read a block that lies within the object; dst has room for HTTP_BLOCK. False: it is not there.
bool http_cache_file_read(const struct http_cache_file *file, int64_t index, uint8_t *dst);

// Write it. False: the disk is full, the file may not be so large, or the like.
bool http_cache_file_write(const struct http_cache_file *file, int64_t index, const uint8_t *src);

// Was used now: it is evicted later than others.
void http_cache_file_touch(const struct http_cache_file *file);

// Is that the name of a file of the cache, or of one that is being made?
bool http_cache_file_named(const char *name);

#endif
