/**
 * @file packet.h
 * Encoded chunks as packets: many processes, on one machine or many, write one array.
 *
 * One process, the owner, has the array open for writing; other processes, the workers, encode
 * chunks. A packet is a byte string that contains encoded chunks, or the offsets at which a worker
 * has written them to the file. The program sends packets from workers to the owner by any means:
 * MPI, pickles, sockets, object stores. The owner adopts packets in any order, that is, makes their
 * chunks chunks of the array, and commits once. Packets that the owner trusts are not decoded.
 *
 *     owner    tess_array_sketch()     the array without chunks, a few hundred bytes, for workers
 *     worker   tess_array_open()       opens the sketch in memory (tess_storage.image)
 *     worker   tess_packet_encode()    a box of whole chunks becomes a packet
 *     owner    tess_adoption_begin()
 *     owner    tess_adoption_add()     the chunks of a packet become chunks of the array
 *     owner    tess_adoption_end()     one commit for all of them
 *
 * If workers can write to the file of the array, packets need not contain the chunks: the owner
 * leases a range of the file to a worker (tess_adoption_lease()); the worker writes its chunks to
 * it (tess_packet_place()), and sends a packet of their offsets.
 *
 * The chunks are those that tess_array_write() would store, byte for byte. Packets may be stored,
 * and made by other programs: lib/tessera/array/packets/packets.h documents their format. A packet
 * is checked like a file from an unknown source.
 */
#ifndef TESSERA_PACKET_H
#define TESSERA_PACKET_H

#include "tessera/array.h"
#include "tessera/chunk.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Make a sketch of an array: a frame in memory with the same shapes, type, codec, filters, fill
 * value and fixed metalayers, in which no chunk was ever written. Variable-length metalayers,
 * attributes among them, are left out.
 *
 * Its size does not depend on the number of chunks: a few hundred bytes, and the metalayers. A
 * worker opens it with TESS_MODE_UPDATE, and with the plugins of the array, if it has any. After
 * a change of the shape the owner has to make another sketch.
 *
 * @param a      Open array, not a view, nor a super-chunk; any number of threads may read one array
 *               at once.
 * @param image  Receives the frame; free it with tess_free(). NULL on failure.
 * @param image_size  Receives the number of bytes; 0 on failure.
 * @param err    Filled on failure; may be NULL.
 *
 * @return TESS_OK, TESS_ERR_ARG, TESS_ERR_NOMEM; TESS_ERR_UNSUPPORTED (a frame from before c-blosc2
 *         2.0).
 */
TESS_API TESS_NODISCARD tess_status tess_array_sketch(const tess_array *a, void **image,
                                                      size_t *image_size, tess_error *err);

/**
 * Encode the chunks of a box into a packet.
 *
 * The chunks are encoded in parallel, by as many threads as tess_context.threads of the sketch
 * allows. The call does not change the sketch. Any number of threads may encode with one sketch at
 * once; calls that encode the same chunk do so one after the other.
 *
 * Memory: the packet, and its chunks once more while the call runs.
 *
 * @param sketch   A sketch, opened with TESS_MODE_UPDATE, to which nothing was written. Instead of
 *                 a sketch, an array in memory that tess_array_uninit() created with the params of
 *                 the owner's array.
 * @param start    First index per axis: ndim values, each the start of a chunk. May be NULL if ndim
 *                 is 0, like stop.
 * @param stop     One past the last index per axis: each the end of a chunk, or of the array. If it
 *                 equals start along some axis, the packet has no chunks.
 * @param src      The items of the box, as for tess_array_set_slice(). May be NULL if there are
 *                 none.
 * @param src_size Bytes from src on, as for tess_array_set_slice().
 * @param strides  Bytes from one item to the next in src, per axis; 0: one item is repeated along
 *                 the axis. NULL: C order without gaps.
 * @param packet   Receives the packet; free it with tess_free(). NULL on failure.
 * @param packet_size  Receives the number of bytes; 0 on failure.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (the box leaves the array, or contains part of a chunk only;
 *         src_size is too small; the array is not writable, or something was written to it); else
 *         as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_packet_encode(tess_array *sketch, const int64_t *start,
                                                       const int64_t *stop, const void *src,
                                                       size_t src_size, const int64_t *strides,
                                                       void **packet, size_t *packet_size,
                                                       tess_error *err);

/** Where the chunks of a packet are. */
typedef enum tess_packet_kind {
    TESS_PACKET_BYTES = 0, /**< in the packet */
    TESS_PACKET_EXTENTS = 1, /**< placed: written to the file of the array */
    TESS_PACKET_FILES = 2 /**< placed: written to the directory of the array, one file for each */
} tess_packet_kind;

/** Properties of a packet. */
typedef struct tess_packet_info {
    tess_packet_kind kind; /**< where its chunks are */
    int64_t nchunks; /**< number of chunks */
    int64_t nstored; /**< how many of them have stored bytes (see tess_chunk_info.stored) */
    int64_t cbytes; /**< stored bytes of all chunks, also if they are not in the packet */
} tess_packet_info;

/**
 * Get the properties of a packet. Everything in it but the chunks is compared with a checksum.
 *
 * @param packet       From anywhere.
 * @param packet_size  Its size in bytes.
 * @param info         Filled on success.
 * @param info_size    Size of *info in bytes: the macro passes sizeof(tess_packet_info).
 * @param err          Filled on failure; may be NULL. The offset counts from the start of the
 *                     packet.
 *
 * @return TESS_OK, or TESS_ERR_ARG, TESS_ERR_FORMAT (not a packet), TESS_ERR_CORRUPT (a damaged
 *         packet, or one whose size is not packet_size), TESS_ERR_UNSUPPORTED (of a later version).
 */
TESS_API TESS_NODISCARD tess_status tess_packet_info_sized(const void *packet, size_t packet_size,
                                                           tess_packet_info *info, size_t info_size,
                                                           tess_error *err);
/** For programs in C and C++: tess_packet_info_sized() with the size of their struct. */
#define tess_packet_info(packet, packet_size, info, err) \
    tess_packet_info_sized((packet), (packet_size), (info), sizeof(tess_packet_info), (err))

/** A chunk of a packet. */
typedef struct tess_packet_chunk {
    int64_t number; /**< of the chunk in the array, in C order of the grid of chunks */
    int64_t cbytes; /**< stored bytes; 0 if it is not stored */
    /**
     * Where its stored bytes are. TESS_PACKET_BYTES: bytes from the start of the packet.
     * TESS_PACKET_EXTENTS: bytes from the start of the file of the array. TESS_PACKET_FILES: number
     * of its file in the directory. 0 if it is not stored.
     */
    int64_t offset;
    tess_chunk_kind kind; /**< how its content is stored */
} tess_packet_chunk;

/**
 * Get the chunks of a packet, by ascending number.
 *
 * @param packet       From anywhere.
 * @param packet_size  Its size in bytes.
 * @param chunks       Receives tess_packet_info.nchunks elements. May be NULL if that is 0.
 * @param count        Size of chunks, in elements. More than needed is fine.
 * @param err          Filled on failure; may be NULL. The offset counts from the start of the
 *                     packet.
 *
 * @return as tess_packet_info(); also TESS_ERR_ARG if count is too small, and TESS_ERR_CORRUPT if
 *         the header of a chunk contradicts itself. After a failure chunks is undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_packet_chunks(const void *packet, size_t packet_size,
                                                       tess_packet_chunk *chunks, size_t count,
                                                       tess_error *err);

/**
 * An array that adopts the chunks of packets, and the set of the chunks that it has adopted.
 *
 * Any number of threads may call the functions on one adoption at once, beside reads and writes of
 * the array; only tess_adoption_end() requires that no other call on the adoption runs. Like a
 * view, an adoption keeps the array open: the program may close the array first. The shape must not
 * change before the adoption ends: tess_adoption_add() would return TESS_ERR_ARG. After
 * tess_array_discard() an adoption cannot add, lease or commit any more (TESS_ERR_ARG).
 *
 * Memory: one bit per chunk of the array, and 60 to 80 bytes per adopted chunk that is stored, for
 * the array's list of chunks.
 */
typedef struct tess_adoption tess_adoption;

/**
 * Begin to adopt.
 *
 * Nothing is committed, with two exceptions. An array created with TESS_MODE_REPLACE that is still
 * in its temporary place replaces the old one now, so that workers find it. A file whose last state
 * was written by a library that does not seal it, such as c-blosc2, is committed: otherwise other
 * handles would take chunks that workers write for changes by another program.
 *
 * @param a         Array opened for writing, not a view, nor a super-chunk.
 * @param adoption  Receives the adoption; end it with tess_adoption_end(). NULL on failure.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, TESS_ERR_ARG, TESS_ERR_NOMEM, or as tess_array_flush().
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_begin(tess_array *a, tess_adoption **adoption,
                                                        tess_error *err);

/**
 * Adopt all chunks of a packet, or none.
 *
 * Packets may come in any order, and more than once: a chunk that this adoption has adopted before
 * is skipped if its stored bytes are the same (checksums are compared). Chunks that the array had
 * before the adoption are replaced. Reads see the new chunks as soon as the call returns. The call
 * commits nothing; any later commit of the array contains the chunks.
 *
 * The packet is compared with the array: its type and shapes, and the number, header, codec and
 * filters of each chunk. Of chunks in the packet the bytes are compared with their checksum, and
 * the table of blocks is checked. Placed chunks must be inside leases of this adoption, must not
 * overlap, and must have been written as far as sizes of files tell (TESS_ERR_NOT_FOUND otherwise);
 * if the packet is not trusted, they are also read and compared with their checksums.
 *
 * @param adoption     From tess_adoption_begin().
 * @param packet       From anywhere.
 * @param packet_size  Its size in bytes.
 * @param trust        TESS_CHUNK_UNTRUSTED: all blocks are decoded as a check.
 * @param err          Filled on failure; may be NULL. If the packet or one of its chunks is at
 *                     fault, the offset counts from the start of the packet. Of a placed chunk it
 *                     is a byte of the packet that describes the chunk; the message says where the
 *                     chunk is.
 *
 * @return TESS_OK, or as tess_packet_info(); TESS_ERR_ARG (a packet for another array; a chunk that
 *         does not fit; one that was adopted before, with other content; a placed one outside the
 *         leases), TESS_ERR_CORRUPT (a damaged chunk), TESS_ERR_NOT_FOUND (a placed chunk was not
 *         written, or this machine does not see it yet: add the packet again later, or have another
 *         one made), TESS_ERR_UNSUPPORTED (a codec or filter that neither this build nor the
 *         plugins of the array have); else as tess_array_write(). After a failure array, adoption
 *         and leases are as they were.
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_add(tess_adoption *adoption, const void *packet,
                                                      size_t packet_size, tess_chunk_trust trust,
                                                      tess_error *err);

/** A range of a file, or of file numbers of a directory, that workers may write to. */
typedef struct tess_lease {
    /** First byte, from the start of the file; in a directory the number of the first file. */
    int64_t first;
    int64_t size; /**< bytes; in a directory the number of files */
} tess_lease;

/**
 * Lease a range of the array's file, or of file numbers in its directory, for workers to write
 * chunks to.
 *
 * Until the lease is returned or the adoption ends, nothing else is stored there, also by commits
 * in between. After that, adopted chunks stay, the rest of the range is free space, and files of a
 * directory that were not adopted are removed. No worker may write to a lease that has ended. If
 * the owner dies, the file has its last commit, and the leased space is free for the next writer.
 *
 * While there are leases, the array holds its lock file, if it has one (tess_storage.lock_file).
 *
 * @param adoption  From tess_adoption_begin(), of an array in a file or directory.
 * @param size      Bytes, or in a directory the number of files; 1 at least. See
 *                  tess_packet_place() for how many are needed.
 * @param lease     Receives the lease. The program may divide it: tess_packet_place() takes any
 *                  part of one.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (size; an array without chunks), TESS_ERR_UNSUPPORTED (the array
 *         is in memory, or in a source of the program), TESS_ERR_LIMIT, TESS_ERR_NOMEM; else as
 *         tess_array_flush(). After a failure there is no new lease.
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_lease(tess_adoption *adoption, int64_t size,
                                                        tess_lease *lease, tess_error *err);

/**
 * Return a lease before the adoption ends: its worker has died, or its packets were adopted.
 *
 * @param adoption  From tess_adoption_begin().
 * @param lease     A whole lease, as tess_adoption_lease() made it.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG: there is no such lease.
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_return(tess_adoption *adoption,
                                                         const tess_lease *lease, tess_error *err);

/**
 * Write the chunks of a packet to the file or directory of the array, which the owner has open for
 * writing. From the first byte of part on, the chunks follow each other without gaps; in a
 * directory each has a file, with numbers from the first of part on. Any number of threads and
 * processes may write at once, each to a part of its own.
 *
 * @param packet       Of kind TESS_PACKET_BYTES; its chunks are compared with their checksums.
 * @param packet_size  Its size in bytes.
 * @param path         Path of the array, as this process reaches it.
 * @param part         A lease, or a part of one, of tess_packet_info.cbytes bytes at least; in a
 *                     directory of tess_packet_info.nstored files at least.
 * @param durability   TESS_DURABILITY_NONE: the chunks may still be in the cache of the operating
 *                     system. The owner's commit syncs them if they are in one file and the owner
 *                     runs on the same machine, but never the files of a directory. All others: the
 *                     chunks are on the disk when this call returns.
 * @param placed       Receives a packet that says where they are, 64 bytes per chunk and a header;
 *                     free it with tess_free(). NULL on failure.
 * @param placed_size  Receives the number of bytes; 0 on failure.
 * @param err          Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_packet_info(); TESS_ERR_ARG (part is too small, the packet was placed
 *         before), TESS_ERR_CORRUPT (a damaged chunk; nothing was written), TESS_ERR_NOT_FOUND,
 *         TESS_ERR_IO, TESS_ERR_NOMEM. After a failure part may contain some of the chunks; the
 *         call may be repeated with the same part.
 */
TESS_API TESS_NODISCARD tess_status tess_packet_place(const void *packet, size_t packet_size,
                                                      const char *path, const tess_lease *part,
                                                      tess_durability durability, void **placed,
                                                      size_t *placed_size, tess_error *err);

/**
 * Find the next chunk that this adoption has not adopted.
 *
 * @param adoption  From tess_adoption_begin().
 * @param from      Number of the first chunk to look at, >= 0; may be beyond the last one.
 * @param number    Receives the number of the chunk; -1 if there is none.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, also if there is none; TESS_ERR_ARG.
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_missing(tess_adoption *adoption, int64_t from,
                                                          int64_t *number, tess_error *err);

/**
 * End an adoption, and all of its leases.
 *
 * @param adoption  From tess_adoption_begin(); invalid afterwards, also after a failure. NULL:
 *                  nothing happens.
 * @param commit    true: commit the array, as tess_array_flush() does. false: the adopted chunks
 *                  stay in the array, and a later commit contains them.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (commit, and the array was discarded); or as tess_array_flush().
 *         After a failure the adopted chunks stay in the array, if it was not closed before, and
 *         tess_array_flush() tries to commit them again.
 */
TESS_API tess_status tess_adoption_end(tess_adoption *adoption, bool commit, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
