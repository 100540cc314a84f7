/**
 * @file packet.h
 * Encoded chunks as packets: many processes, on one machine or many, write one array.
 *
 * Workers encode chunks, one process owns the array. A packet is a byte string that holds encoded
 * chunks, or says where a worker has written them, and describes itself. It travels as the program
 * likes: through MPI, pickles, sockets, object stores. The owner adopts packets in any order, and
 * commits once; nothing is decoded for that.
 *
 *     owner    tess_array_sketch()     what workers need to know of the array: some hundred bytes
 *     worker   tess_array_open()       of the sketch, in memory (tess_storage.image)
 *     worker   tess_packet_encode()    a box of whole chunks becomes a packet
 *     owner    tess_adoption_add()     its chunks become chunks of the array
 *     owner    tess_adoption_end()     one commit for all of them
 *
 * Where workers reach the file of the array, its chunks need not travel: the owner leases a part of
 * the file to a worker (tess_adoption_lease()), the worker writes its chunks there
 * (tess_packet_place()), and sends a packet that says where they are.
 *
 * The same chunks come out of it as of tess_array_write(), byte for byte. Packets may be kept, and
 * made by other programs: lib/array/packets/format.h describes all of their bytes. What is read of
 * a packet is checked like a file from a stranger.
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
 * Make a sketch of an array: a frame in memory with its shapes, type, codec, filters, fill value
 * and metalayers, all of whose chunks were never written. Attributes and other variable-length
 * metalayers are left out.
 *
 * It has some hundred bytes, however many chunks the array has. A worker opens it with
 * TESS_MODE_UPDATE, and with the plugins of the array, if it has some.
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
 * All chunks are encoded in parallel (tess_context.threads). The sketch stays as it is: any number
 * of threads may encode with one, also the same chunks.
 *
 * Memory: the packet, and its chunks once more while the call runs.
 *
 * @param sketch   A sketch that was opened with TESS_MODE_UPDATE, and not written to. The array of
 *                 tess_array_uninit() in memory, with the same params as the array of the owner, is
 *                 as good.
 * @param start    First index per axis: ndim values, each the start of a chunk. May be NULL if ndim
 *                 is 0, like stop.
 * @param stop     One past the last index per axis: the end of a chunk, or of the array. Where
 * start equals stop the packet has no chunks.
 * @param src      The items of the box, as for tess_array_set_slice(). May be NULL if there are
 *                 none.
 * @param src_size Bytes from src on, as for tess_array_set_slice().
 * @param strides  Bytes from one item to the next in src, per axis; 0: one item is repeated along
 *                 the axis. NULL: C order without gaps.
 * @param packet   Receives the packet; free it with tess_free(). NULL on failure.
 * @param packet_size  Receives the number of bytes; 0 on failure.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG (the box leaves the array, or cuts chunks; src_size; the array
 * is no sketch), else as tess_array_write().
 */
TESS_API TESS_NODISCARD tess_status tess_packet_encode(tess_array *sketch, const int64_t *start,
                                                       const int64_t *stop, const void *src,
                                                       size_t src_size, const int64_t *strides,
                                                       void **packet, size_t *packet_size,
                                                       tess_error *err);

/** Where the chunks of a packet are. */
typedef enum tess_packet_kind {
    TESS_PACKET_BYTES = 0, /**< in the packet */
    TESS_PACKET_EXTENTS = 1, /**< written to the file of the array */
    TESS_PACKET_FILES = 2 /**< written to the directory of the array, a file for each */
} tess_packet_kind;

/** A packet. */
typedef struct tess_packet_info {
    tess_packet_kind kind; /**< where its chunks are */
    int64_t nchunks; /**< number of chunks */
    int64_t nstored; /**< how many of them have stored bytes */
    int64_t cbytes; /**< stored bytes of all chunks */
} tess_packet_info;

/**
 * Get what a packet says of itself. All of it but the chunks is compared with a checksum.
 *
 * @param packet       From anywhere.
 * @param packet_size  Its size in bytes.
 * @param info         Filled on success.
 * @param info_size    Size of *info in bytes: the macro passes sizeof(tess_packet_info).
 * @param err          Filled on failure; may be NULL. The offset counts from the start of the
 *                     packet.
 *
 * @return TESS_OK, or TESS_ERR_ARG, TESS_ERR_FORMAT (no packet), TESS_ERR_CORRUPT (a damaged one,
 * or not all of it), TESS_ERR_UNSUPPORTED (of a later version).
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
     * Where its first stored byte is: from the start of the packet, or of the file of the array; or
     * the number of its file in the directory. 0 if it is not stored.
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
 * @param count        Room of chunks, in elements. More than needed is fine.
 * @param err          Filled on failure; may be NULL.
 *
 * @return as tess_packet_info(); also TESS_ERR_ARG if there is too little room, and
 * TESS_ERR_CORRUPT if the header of a chunk contradicts itself. After a failure chunks is
 * undefined.
 */
TESS_API TESS_NODISCARD tess_status tess_packet_chunks(const void *packet, size_t packet_size,
                                                       tess_packet_chunk *chunks, size_t count,
                                                       tess_error *err);

/**
 * An array that adopts the chunks of packets, and which of them it has.
 *
 * Any number of threads may call the functions on one adoption at once, but for
 * tess_adoption_end(), and beside other reads and writes of the array. The array may be closed
 * before the adoption is ended, and stays open then, as for a view. It must not get another shape.
 *
 * It takes one bit for each chunk of the array, and the list of chunks 8 bytes.
 */
typedef struct tess_adoption tess_adoption;

/**
 * Begin to adopt. A new array that does not have its name yet is committed, so that workers find it.
 *
 * @param a         Array opened for writing, not a view, nor a super-chunk.
 * @param adoption  Receives the adoption; end it with tess_adoption_end(). NULL on failure.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, TESS_ERR_ARG, or as tess_array_flush().
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_begin(tess_array *a, tess_adoption **adoption,
                                                        tess_error *err);

/**
 * Adopt all chunks of a packet, or none.
 *
 * Packets come in any order, and twice: a chunk that this adoption has, with the same content, is
 * passed over. The chunks are those of the array at once, also for reads; nothing is committed.
 *
 * What the packet says is compared with the array: type, shapes, and of each chunk its number, its
 * header, its codec and filters. Of chunks in the packet the bytes are compared with their
 * checksum, and the table of blocks is checked. Chunks that were written to the file must stand in
 * a lease of this adoption, and the file must be long enough; their bytes are read, and compared,
 * unless they are trusted.
 *
 * @param adoption     From tess_adoption_begin().
 * @param packet       From anywhere.
 * @param packet_size  Its size in bytes.
 * @param trust        Whether all blocks are decoded as a check.
 * @param err          Filled on failure; may be NULL. The offset counts from the start of the
 *                     packet.
 *
 * @return TESS_OK, or as tess_packet_info(); TESS_ERR_ARG (a packet for another array; a chunk that
 *         does not fit; one that was adopted before, with other content), TESS_ERR_CORRUPT (a chunk
 *         that is damaged), TESS_ERR_UNSUPPORTED (a codec or filter that neither this build nor the
 *         plugins of the array have); else as tess_array_write(). After a failure all is as it was.
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_add(tess_adoption *adoption, const void *packet,
                                                      size_t packet_size, tess_chunk_trust trust,
                                                      tess_error *err);

/** A part of a file, or of the files of a directory, that a worker may write to. */
typedef struct tess_lease {
    /** First byte, from the start of the file; in a directory the number of the first file. */
    int64_t first;
    int64_t size; /**< bytes, or number of files */
} tess_lease;

/**
 * Lease a part of the array's file, or numbers of files in its directory, for workers to write
 * chunks to.
 *
 * Nothing else is stored there, whatever is committed meanwhile, until the lease is returned or the
 * adoption ends. Then what was adopted stays, the rest is free again, and files that were not
 * adopted are removed. No worker may write to a lease that was returned. If the owner dies, the
 * last commit is what it was, and what workers wrote is free.
 *
 * While there are leases the array holds its lock file, if it has one (tess_storage.lock_file).
 *
 * @param adoption  From tess_adoption_begin(), of an array in a file or directory.
 * @param size      Bytes, or number of files, as for tess_packet_place(); 1 at least.
 * @param lease     Receives the lease. The program may divide it: tess_packet_place() takes any
 * part of one.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or TESS_ERR_ARG, TESS_ERR_UNSUPPORTED (the array is in memory, or in a source of
 *         the program); else as tess_array_flush().
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_lease(tess_adoption *adoption, int64_t size,
                                                        tess_lease *lease, tess_error *err);

/**
 * Return a lease before the adoption ends: that of a worker that died, or has written all.
 *
 * @param adoption  From tess_adoption_begin().
 * @param lease     As tess_adoption_lease() made it.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG: there is no such lease.
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_return(tess_adoption *adoption,
                                                         const tess_lease *lease, tess_error *err);

/**
 * Write the chunks of a packet to the file or directory of the array, which another process has
 * open for writing. The chunks stand one behind the other there; in a directory each has a file.
 *
 * @param packet       From tess_packet_encode().
 * @param packet_size  Its size in bytes.
 * @param path         Of the array, as this process reaches it.
 * @param part         A lease, or a part of one, of tess_packet_info.cbytes at least; in a
 * directory of tess_packet_info.nstored at least.
 * @param durability   TESS_DURABILITY_NONE: the chunks are with the operating system, which is
 * enough if the owner is on the same machine: its commit brings them to the disk, those in a file.
 * Else they are on the disk when this returns.
 * @param placed       Receives a packet that says where they are, of 64 bytes per chunk; free it
 *                     with tess_free(). NULL on failure.
 * @param placed_size  Receives the number of bytes; 0 on failure.
 * @param err          Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_packet_info(); TESS_ERR_ARG (too little room), TESS_ERR_NOT_FOUND,
 *         TESS_ERR_IO.
 */
TESS_API TESS_NODISCARD tess_status tess_packet_place(const void *packet, size_t packet_size,
                                                      const char *path, const tess_lease *part,
                                                      tess_durability durability, void **placed,
                                                      size_t *placed_size, tess_error *err);

/**
 * Find the next chunk that was not adopted.
 *
 * @param adoption  From tess_adoption_begin().
 * @param from      Least number of the chunk, >= 0; may be beyond the last one.
 * @param number    Receives its number; -1 if there is none.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, also if there is none; TESS_ERR_ARG.
 */
TESS_API TESS_NODISCARD tess_status tess_adoption_missing(tess_adoption *adoption, int64_t from,
                                                          int64_t *number, tess_error *err);

/**
 * End an adoption.
 *
 * @param adoption  From tess_adoption_begin(); it is gone afterwards, also after a failure. NULL:
 *                  nothing happens.
 * @param commit    Commit the array, as tess_array_flush() does. false: what was adopted is
 *                  committed or discarded with the array.
 * @param err       Filled on failure; may be NULL.
 *
 * @return TESS_OK, or as tess_array_flush(), which may be called again then.
 */
TESS_API tess_status tess_adoption_end(tess_adoption *adoption, bool commit, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
