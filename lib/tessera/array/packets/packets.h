/*
 * packets.h - packets: encoded chunks that travel, or the extents where they were written; made of
 * items in memory (encode.c), and adopted by the owner of the array (adopt.c).
 *
 * A packet says what array it is for and describes each of its chunks. Those of kind bytes have the
 * chunks behind that; of the other kinds the chunks were written elsewhere, and the offsets say
 * where: in the file of the array, or in the files of its directory. Anyone may make one. All
 * numbers are little-endian, and start at a multiple of 8 bytes, or of 4 if they have 4.
 *
 *       at  size  header
 *        0     8  "tesspack"
 *        8     4  version, 1
 *       12     4  kind: 0 bytes, 1 extents in a file, 2 numbers of files
 *       16     8  bytes of the packet, all of it
 *       24     8  number of chunks, n
 *       32     8  stored bytes of all chunks
 *       40     8  XXH3 of 64 bits of the text of the item type in the layer b2nd, even if empty
 *       48     4  bytes of an item
 *       52     4  number of axes, d: 0 to 16
 *       56     4  notation of the item type (dtype_format of that layer)
 *       60     4  zeros
 *       64   24d  per axis: shape, chunkshape, blockshape, 8 bytes each
 *
 *  64+24d   64n   entries, by ascending number of the chunk; from the start of an entry:
 *        0     8  number of the chunk, in C order of the grid of chunks
 *        8     8  offset: of its first byte in the packet; in the file of the array, from the start
 *                 of the file; or the number of its file, which is the name XXXXXXXX.chunk
 *       16     4  its stored bytes, at least 32
 *       20     4  0; or what it is, if it is not stored: 1 zeros, 2 NaNs, 4 never written. Then all
 *                 else but the number is zeros
 *       24     8  XXH3 of 64 bits of its stored bytes; 1 where that is 0
 *       32    32  its first 32 bytes, the header of a chunk of Blosc2
 *
 *    front-8   8  XXH3 of 64 bits of all bytes before; 1 where that is 0
 *    front        kind bytes: the chunks, one behind the other, in the order of the entries
 *
 * packet_parse() is the one place that looks at a header; it hands out a struct packet only when
 * the fields and entries agree with each other and with the bytes at hand. What the array says of
 * them is for adopt.c, and so are the bytes of the chunks.
 *
 * Nothing is copied: a packet that was parsed leads into the caller's bytes. Any number of threads.
 *
 * To encode: the chunks are staged in a frame in memory that has none (a sketch), and never
 * installed: the frame stays as it is, and its list takes no memory. Any number of threads at once;
 * the call takes the turn of the chunks, so that those of others are encoded meanwhile.
 *
 * To write them, the worker is told where by the process that has the array open; one thread per
 * call, no lock.
 *
 * Memory: the packet, and its chunks once more.
 *
 * To adopt: packets come from strangers. All that a packet says is compared with the array before
 * anything changes; then its chunks get into the list at once, or none does. Nothing is committed
 * here but at the end; and at the beginning, an array that has not replaced the one at its path, or
 * a file whose state is not sealed.
 *
 * Any number of threads may add to one adoption, beside other reads and writes of the array. Each
 * call has the turn of its chunks, so that what it finds adopted stays as it is; the mutex of the
 * adoption guards the set of chunks that were adopted, and is not held while anything is read,
 * decoded or written. The adoption holds the array, like a view.
 */
#ifndef ARRAY_PACKETS_PACKETS_H
#define ARRAY_PACKETS_PACKETS_H

#include "array/array.h"
#include "base/error.h"
#include "base/limits.h"
#include "chunk/header.h"
#include "frame/contiguous/extents.h"
#include "grid/box_memory.h"

#include <tessera/packet.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- format.c

struct geometry;
struct ndlayer;

enum { PACKET_ENTRY_HEADER = 32 };

enum packet_kind { PACKET_BYTES, PACKET_EXTENTS, PACKET_FILES };

// What array the chunks are for.
struct packet_array {
    uint64_t type_hash;
    int32_t type_format;
    int32_t typesize;
    int ndim;
    int64_t shape[NDIM_MAX], chunkshape[NDIM_MAX], blockshape[NDIM_MAX];
};

struct packet_entry {
    int64_t number;
    int64_t offset;
    int32_t size;
    enum chunk_special special; // SPECIAL_NONE: it is stored
    uint64_t checksum;
    const uint8_t *header; // CHUNK_HEADER_SIZE bytes, PACKET_ENTRY_HEADER behind the entry's start
};

struct packet {
    enum packet_kind kind;
    struct packet_array array;
    int64_t nchunks;
    int64_t cbytes; // of all chunks
    const uint8_t *bytes; // the packet
    size_t front; // bytes in front of the chunks
    size_t size;
};

void packet_array_of(struct packet_array *p, const struct geometry *g, const struct ndlayer *nd);

// TESS_ERR_FORMAT: no packet; TESS_ERR_UNSUPPORTED: of another version or kind; TESS_ERR_CORRUPT.
tess_status packet_parse(struct packet *p, const void *src, size_t size, tess_error *err);

// Entry i of a packet that was parsed; and where it starts in the packet. Errors of a chunk have
// that as their offset, or the byte of the entry that is wrong.
int64_t packet_entry_at(const struct packet *p, int64_t i);
void packet_entry_get(const struct packet *p, int64_t i, struct packet_entry *e);

/*
 * Make one: packet_start(), packet_put_entry() for each chunk in order, the chunks themselves at
 * their offsets, packet_seal(). The bytes are the caller's to free. kind, array, nchunks and cbytes
 * of *p are set; packet_start() sets the rest. entry.header: NULL if the chunk is not stored.
 */
tess_status packet_start(struct packet *p, uint8_t **bytes, tess_error *err);
void packet_put_entry(const struct packet *p, uint8_t *bytes, int64_t i,
                      const struct packet_entry *e);
void packet_seal(const struct packet *p, uint8_t *bytes);

// -- encode.c

// A frame in memory like that of an array, without its items: for array_encode_packet() elsewhere.
// The bytes are the caller's to free. No view, and no super-chunk.
tess_status array_sketch(const tess_array *a, void **image, size_t *size, tess_error *err);

// A box of whole chunks; src: its items, unless there are none. *packet is the caller's to free.
// TESS_ERR_ARG: the box cuts chunks; the array is no sketch.
tess_status array_encode_packet(tess_array *sketch, const struct box *box,
                                const struct box_memory_const *src, struct watch *watch,
                                uint8_t **packet, size_t *packet_size, tess_error *err);

// Of a packet that has its chunks. part: of a lease; bytes of a file, or numbers of files. sync:
// all is on the disk when this returns. *placed is the packet that says where they are, the
// caller's to free.
tess_status packet_place(const void *packet, size_t size, const char *path, struct extent part,
                         bool sync, uint8_t **placed, size_t *placed_size, tess_error *err);

// -- adopt.c

// The array is writable, and has a grid of chunks. It is committed if it has not replaced the one
// at its path, or if its file is not sealed.
tess_status adoption_begin(tess_array *a, tess_adoption **adoption, tess_error *err);
// Whether the array is still there, and may be changed.
tess_status adoption_check(const tess_adoption *ad, tess_error *err);
// trusted: blocks are not decoded as a check.
tess_status adoption_add(tess_adoption *ad, const void *packet, size_t size, bool trusted,
                         tess_error *err);
// The first chunk from `from` on that was not adopted; -1: there is none.
int64_t adoption_missing(tess_adoption *ad, int64_t from);
// Space that workers write to, and the end of it.
tess_status adoption_lease(tess_adoption *ad, int64_t size, struct extent *lease, tess_error *err);
tess_status adoption_return(tess_adoption *ad, struct extent lease, tess_error *err);
// Also after a failure it is ended.
tess_status adoption_end(tess_adoption *ad, bool commit, tess_error *err);

#endif
