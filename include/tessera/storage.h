/**
 * @file storage.h
 * Where an array lives, and how it is opened.
 */
#ifndef TESSERA_STORAGE_H
#define TESSERA_STORAGE_H

#include "tessera/context.h"
#include "tessera/error.h"
#include "tessera/plugin.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What may be done with an array, and what becomes of a file that exists. */
typedef enum tess_mode {
    TESS_MODE_READ = 0, /**< open, never change */
    TESS_MODE_UPDATE = 1, /**< open, read and write */
    /**
     * Create; refuse what exists (err->sys EEXIST), also if it came while the array was made. The
     * path leads to nothing until the call that creates returns, and to the whole array then.
     */
    TESS_MODE_NEW = 2,
    /**
     * Create, and replace what exists, in one step: the path leads to the old array, whole, or to
     * the new one, whole, whenever the program dies. Calls that bring all items (tess_array_from(),
     * those of copy.h, tess_repair()) replace it when they succeed. After tess_array_uninit(),
     * tess_array_zeros(), tess_array_nan() and tess_array_full() the items are still to be written:
     * the first tess_array_flush() replaces it, or tess_array_close(). Until then commits that are
     * made on the way stay beside it, other handles see the old array, nobody else can open that
     * for writing, and tess_array_discard() keeps it.
     *
     * A sparse array replaces a file, and a directory that is empty or holds an array and nothing
     * else; other directories are refused (TESS_ERR_IO), and nothing in them is removed. A
     * contiguous one replaces files only. What somebody has open for writing is not replaced (see
     * tess_storage.wait). A path that leads to nothing is not kept for the array: it replaces what
     * is there by then, or fails as above.
     *
     * Where a file system cannot exchange names (some of networks), a directory replaces nothing
     * but an empty one.
     */
    TESS_MODE_REPLACE = 3,
    /**
     * Create behind all that a file holds already, whatever that is; tess_info.offset tells where.
     * The file must exist. The array is contiguous, and can be written to until it is closed; from
     * then on it can only be read, with that tess_storage.offset, and so can an array in front of
     * it. A call that fails leaves the file as it was; a program that dies may leave it longer.
     */
    TESS_MODE_APPEND = 4
} tess_mode;

/**
 * How far a commit goes before it returns. With ORDERED and FSYNC, the name of a new array is on
 * the disk, too, when the call that gives it its name returns, and what it replaces is removed only
 * then; if the disk refuses the name, that call fails, and the path leads to what it led to before.
 * (Where a file system cannot exchange names, a file that was replaced is gone by then, and the
 * path leads to the new one.)
 */
typedef enum tess_durability {
    TESS_DURABILITY_NONE = 0, /**< survives a crash of the program */
    TESS_DURABILITY_ORDERED = 1, /**< after a crash of the machine an older commit may be found */
    TESS_DURABILITY_FSYNC = 2 /**< on the disk when flush returns */
} tess_durability;

/**
 * What becomes of checksums. Commits write one for each stored chunk (XXH3 of 64 bits of its
 * compressed bytes) into a variable-length metalayer `_tess`, which is not shown with the others;
 * with it go a copy of the header and the number of the commit. Index and metalayers are covered by
 * the fingerprint of the frame, which is compared when the array is opened, with each of these.
 * Other implementations ignore both. What they change afterwards has none, and is no damage.
 */
typedef enum tess_checksums {
    TESS_CHECKSUMS_WRITE = 0, /**< written; compared where stored chunks are copied or moved */
    /**
     * Also compared with each chunk that is read, TESS_ERR_CORRUPT if it is another. All of the
     * chunk is read for that, also where a part is wanted.
     */
    TESS_CHECKSUMS_VERIFY = 1,
    TESS_CHECKSUMS_NONE = 2 /**< not written; those of the file are lost when it is changed */
} tess_checksums;

/**
 * What a file may ask for; 0: default. Beyond `nchunks` and `ndim` opening fails, with
 * TESS_ERR_LIMIT. Beyond `memory` so does each call that would need it: opening; reading items,
 * chunks, metalayers and attributes; saving; and all that decodes or encodes blocks, so writing,
 * too, and creating an array of larger ones.
 */
typedef struct tess_limits {
    /** Bytes of one allocation on the word of a file (index, block, attribute). Default 1 GiB. */
    int64_t memory;
    /** Chunks of an array. Default 2^28. */
    int64_t nchunks;
    /** Dimensions. Default TESS_MAX_NDIM. */
    int ndim;
    /**
     * Levels of lists and maps in an attribute; one that has more is shown as its bytes
     * (TESS_VALUE_OPAQUE, attr.h). Default, and at most, TESS_VALUE_MAX_DEPTH.
     */
    int nesting;
} tess_limits;

/**
 * A place. Fill it with tess_storage_init(), then change what matters. But for an image and what
 * tess_plugins says, nothing it points to is needed after the call it is given to.
 */
typedef struct tess_storage {
    /** sizeof(tess_storage) of the program; set by tess_storage_init(). */
    size_t struct_size;

    /** A file, or the directory of a sparse array; NULL: memory. */
    const char *path;
    /**
     * A frame in memory, to open; used when path is NULL. With TESS_MODE_READ it is used as it is
     * and must stay until tess_array_close(); with TESS_MODE_UPDATE it is copied. Ignored when
     * creating.
     */
    const void *image;
    size_t image_size; /**< bytes at image */
    /**
     * Byte of the file or image where the frame starts, for frames inside something else. With
     * TESS_MODE_READ only: TESS_ERR_UNSUPPORTED with TESS_MODE_UPDATE, TESS_ERR_ARG when creating
     * (see TESS_MODE_APPEND), for a directory, and behind the end of the file.
     */
    int64_t offset;

    /**
     * Read a file, or those of a directory, through memory maps, which saves a copy of the
     * compressed bytes. TESS_ERR_ARG with TESS_MODE_UPDATE or without a path; ignored when
     * creating. A program is killed (SIGBUS) if another one makes the file shorter while a
     * call reads that part; Tessera itself cuts a file only behind what its last two states need.
     */
    bool mmap;

    tess_mode mode; /**< what may be done with it; ignored when creating in memory */
    tess_durability durability; /**< of all commits */
    tess_checksums checksums; /**< whether they are written, and compared with each read */
    tess_limits limits; /**< what the file may ask for */

    /**
     * How long a call waits, in milliseconds, for a file or directory that somebody else, in this
     * program or another, has open for writing: calls that open with TESS_MODE_UPDATE, replace
     * with TESS_MODE_REPLACE, or append with TESS_MODE_APPEND. Then they go on with what the path
     * leads to by then. 0: not at all; negative: as long as it takes. In vain it is TESS_ERR_IO,
     * err->sys EWOULDBLOCK. The function tess_context.progress is told meanwhile that nothing of 1
     * is done, and can cancel.
     *
     * Nobody is told of a file that is free, it is asked for a hundred times a second; so of those
     * who wait any may be the next.
     */
    int64_t wait;

    /**
     * Keep programs with c-blosc2 3.2 or later apart from us by its lock file, as those do that ask
     * for it (blosc2_stdio_params.locking, or BLOSC_LOCKING=1): `NAME.b2lock` beside the file NAME,
     * `.b2lock` inside a directory. true: the file is made if it is not there. false: it is used if
     * it is there; by readers, when they open. Without a path there is none.
     *
     * Each call that reads has the lock together with other readers. A writer has it alone from the
     * first chunk that it stores, or the commit itself, until the commit is made
     * (tess_array_flush() and the like): nobody else reads or writes for so long, so programs that
     * keep others waiting should commit when they are done. A call that cannot get the lock asks
     * for it for 10 seconds, or tess_storage.wait if that is more; then it is TESS_ERR_IO, err->sys
     * EWOULDBLOCK. What others changed, or had locked to be changed, since an array was opened is
     * TESS_ERR_STALE. So both sides see whole commits only, whatever space is used again.
     *
     * A reader that cannot make the file, as on a read-only medium, does without. It costs 3 system
     * calls for each call that reads and 4 for each commit, and is of no use on network file
     * systems that have no flock().
     */
    bool lock_file;

    /**
     * For readers that neither notice commits nor lock: handles of c-blosc2 up to 3.0, and of later
     * ones without the lock, that stay open while this array is written. Whatever the file has when
     * it is opened, and what any commit has had since, stays: chunks, index and trailer go behind
     * the end of the file, which is never cut; in a directory, chunk files get numbers that none
     * there has, and none is removed. So a state that somebody has in memory can be read for ever,
     * also over several sessions, if all of them ask for this.
     *
     * The file grows by all that is written, indexes included; copying the array
     * (tess_array_save()) leaves behind what is not needed. Two things keep their places: the
     * header; and the trailer of an array without items, so such an array may not lose all of them
     * in a file (TESS_ERR_UNSUPPORTED). Without effect on arrays that are read.
     */
    bool never_reuse;

    /**
     * Refuse to write where the lock that keeps other writers out cannot be acquired at all, as on
     * file systems without flock(): TESS_ERR_IO, err->sys tells why, and nothing is made or
     * changed. With a lock file, also where that cannot be locked. false: such a file is written
     * without the lock, and tess_info.locked says so. Without effect on arrays that are read, and
     * in memory.
     */
    bool require_lock;

    /** Codecs and filters of the program; NULL: none. The lists are copied by the call. */
    const tess_plugins *plugins;

    /** Threads and memory that calls on the array may use; NULL: defaults. Copied by the call. */
    const tess_context *context;
} tess_storage;

/**
 * Set the defaults: memory, offset 0, TESS_MODE_READ, TESS_DURABILITY_ORDERED, default limits, no
 * waiting, no new lock file, no lock required.
 */
TESS_API void tess_storage_init(tess_storage *storage);

#ifdef __cplusplus
}
#endif

#endif
