/**
 * @file storage.h
 * Where an array is stored, and how it is opened.
 */
#ifndef TESSERA_STORAGE_H
#define TESSERA_STORAGE_H

#include "tessera/context.h"
#include "tessera/error.h"
#include "tessera/plugin.h"
#include "tessera/source.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How an array is opened or created, and what happens to an existing file. */
typedef enum tess_mode {
    TESS_MODE_READ = 0, /**< open for reading */
    TESS_MODE_UPDATE = 1, /**< open for reading and writing */
    /**
     * Create. Fails if the path exists (err->sys EEXIST), even if it appeared during the call. The
     * path leads to nothing until the creating call returns, and then to the whole array.
     */
    TESS_MODE_NEW = 2,
    /**
     * Create, and atomically replace what exists. Whenever the program dies, the path leads either
     * to the whole old array or to the whole new one.
     *
     * Calls that bring all items (tess_array_from(), those of copy.h, tess_repair()) replace when
     * they succeed. After tess_array_uninit(), tess_array_zeros(), tess_array_nan() and
     * tess_array_full() the items are still to be written, so the first tess_array_flush() or
     * tess_array_close() replaces. Until then automatic commits go to the temporary place of the
     * new array, other handles see the old array, no other program can open the old array for
     * writing, and tess_array_discard() keeps the old one.
     *
     * A sparse array replaces a file, an empty directory, or a directory that holds an array and
     * nothing else; other directories are refused (TESS_ERR_IO) and nothing in them is removed. A
     * contiguous array replaces files only. An array that is open for writing elsewhere is not
     * replaced (see tess_storage.wait). If the path leads to nothing when the array is created, the
     * name is not reserved: an array that appears there later is replaced, or refused as above.
     *
     * On file systems that cannot exchange names (some network file systems), a sparse array
     * replaces no directory but an empty one.
     */
    TESS_MODE_REPLACE = 3,
    /**
     * Create an array behind the existing content of a file, whatever that is; tess_info.offset
     * tells where. The file must exist. The array is contiguous, and can be written until it is
     * closed. After that it can only be read, with tess_storage.offset; an array in front of it can
     * only be read from now on, too. A call that fails leaves the file as it was; a program that
     * dies may leave it longer.
     */
    TESS_MODE_APPEND = 4
} tess_mode;

/**
 * How durable a commit is when it returns.
 *
 * With ORDERED and FSYNC this includes names: when the call that gives a new array its name
 * returns, the name is on the disk, too, and only then the replaced array is removed. If the disk
 * refuses the name, the call fails, and the path leads to what it led to before. (On file systems
 * that cannot exchange names, without renameat2(), the replaced file is removed before its name is
 * on the disk, and after such a failure the path leads to the new one.)
 */
typedef enum tess_durability {
    TESS_DURABILITY_NONE = 0, /**< commits survive a crash of the program, not of the machine */
    TESS_DURABILITY_ORDERED = 1, /**< after a crash of the machine, this or an older commit */
    TESS_DURABILITY_FSYNC = 2 /**< a commit is on the disk when flush returns */
} tess_durability;

/**
 * Whether checksums are written and compared.
 *
 * Commits write a checksum for each stored chunk (64-bit XXH3 of its compressed bytes) into the
 * file, together with a copy of the header and the number of the commit; these are the ledger
 * (files.rst). A hidden variable-length metalayer `_tess` has the position of the ledger. In an
 * array with 16 or more other such metalayers, the position is in front of the trailer instead. The
 * fingerprint of the frame covers index and metalayers, and is compared whenever the array is
 * opened, also with TESS_CHECKSUMS_NONE. Other implementations ignore checksums and fingerprint.
 * Chunks that other programs change later have no checksum, which is not treated as damage.
 */
typedef enum tess_checksums {
    TESS_CHECKSUMS_WRITE = 0, /**< written; compared when stored chunks are copied or moved */
    /**
     * Also compared with each chunk that is read: TESS_ERR_CORRUPT if they differ. This reads the
     * whole chunk, even if only a part is wanted.
     */
    TESS_CHECKSUMS_VERIFY = 1,
    TESS_CHECKSUMS_NONE = 2 /**< not written; the first change removes those of the file */
} tess_checksums;

/**
 * Limits for what a file may claim; 0: default.
 *
 * A file beyond `nchunks` or `ndim` cannot be opened (TESS_ERR_LIMIT). A call that would need one
 * allocation of more than `memory` fails with TESS_ERR_LIMIT: opening; reading items, chunks,
 * metalayers and attributes; saving; and all calls that decode or encode blocks, including writing,
 * and creating an array of larger blocks.
 */
typedef struct tess_limits {
    /** Bytes of one allocation sized by a file (index, block, attribute). Default 1 GiB. */
    int64_t memory;
    /** Chunks of an array. Default 2^28. */
    int64_t nchunks;
    /** Dimensions. Default TESS_MAX_NDIM. */
    int ndim;
    /**
     * Levels of lists and maps in an attribute; an attribute with more levels is returned as bytes
     * (TESS_VALUE_OPAQUE, attr.h). Default, and at most, TESS_VALUE_MAX_DEPTH.
     */
    int nesting;
    int64_t reserved[4]; /**< for later limits; zero */
} tess_limits;

/**
 * Where and how to open or create an array. Fill it with tess_storage_init(), then change what
 * matters. The call that receives it copies what it needs, except an image (see there) and names,
 * functions and `user` pointers of plugins (plugin.h).
 */
typedef struct tess_storage {
    /** sizeof(tess_storage) of the program; set by tess_storage_init(). */
    size_t struct_size;

    /** A file, or the directory of a sparse array; NULL: memory, or a source. */
    const char *path;
    /**
     * A frame in memory, to open; used when path is NULL. With TESS_MODE_READ it is used in place
     * and must stay unchanged until the array, and every view of it, is closed; with
     * TESS_MODE_UPDATE it is copied. Ignored when creating.
     */
    const void *image;
    size_t image_size; /**< bytes at image */
    /**
     * Byte of the file or image where the frame starts, for frames inside other files. With
     * TESS_MODE_READ only: TESS_ERR_UNSUPPORTED with TESS_MODE_UPDATE; TESS_ERR_ARG when creating
     * (see TESS_MODE_APPEND), for a directory, and behind the end of the file. tess_find_frames()
     * lists the frames of a file.
     */
    int64_t offset;

    /**
     * Read files through memory maps, which saves a copy of the compressed bytes. TESS_ERR_ARG with
     * TESS_MODE_UPDATE or without a path; ignored when creating. If another program truncates the
     * file while a call reads the truncated part, this program is killed (SIGBUS). Tessera itself
     * truncates a file, by closing or flushing, only behind what its last two commits need: a
     * reader whose state is older is in danger. Where a writer may commit twice during a read, let
     * the writer set never_reuse, or do without mmap.
     */
    bool mmap;

    tess_mode mode; /**< what may be done with it; ignored when creating in memory */
    tess_durability durability; /**< of all commits */
    tess_checksums checksums; /**< whether they are written, and compared with each read */
    tess_limits limits; /**< what the file may ask for */

    /**
     * Timeout in milliseconds for a file or directory that another handle, of this or another
     * program, has open for writing. Applies to calls that open with TESS_MODE_UPDATE, replace with
     * TESS_MODE_REPLACE, or append with TESS_MODE_APPEND. 0: do not wait; negative: wait without
     * limit. On timeout: TESS_ERR_IO, err->sys EWOULDBLOCK. After waiting, the call continues with
     * what the path leads to by then. While the call waits, tess_context.progress receives done = 0
     * and total = 1, and can cancel.
     *
     * Waiting polls about 100 times a second; waiters are served in no particular order.
     */
    int64_t wait;

    /**
     * Use the lock file of c-blosc2 3.2 and later: `NAME.b2lock` beside the file NAME, `.b2lock`
     * inside a directory. It synchronises with programs that ask c-blosc2 to use it
     * (blosc2_stdio_params.locking, or BLOSC_LOCKING=1). true: the lock file is created if it does
     * not exist. false: it is used if it exists; by readers, if it exists when they open. Without a
     * path there is no lock file.
     *
     * Each call that reads holds the lock shared. A writer holds it exclusively from the first
     * chunk that it stores, or from the start of the commit, until the commit is done
     * (tess_array_flush() and other calls that commit): programs that use the lock
     * file neither read nor write during that time, so a writer should commit as soon as a batch is
     * complete, and at least every few seconds. A call that cannot
     * acquire the lock polls for 10 seconds, or for tess_storage.wait if that is more. On timeout:
     * TESS_ERR_IO, err->sys EWOULDBLOCK. TESS_ERR_STALE, without waiting: since the array was
     * opened, another process changed it, or acquired the lock exclusively, which may mean a change
     * that left no other trace. So both sides see whole commits only, even where space is reused.
     * In the child of a fork(), the parent is another process.
     *
     * A reader that cannot create the file, as on a read-only medium, works without it. The lock
     * costs 3 system calls for each call that reads and 4 for each commit. It has no effect on
     * network file systems that have no flock().
     */
    bool lock_file;

    /**
     * Never reuse space, for readers that neither notice commits nor lock: handles of c-blosc2 up
     * to 3.0, and of later versions without the lock file, that stay open while this array is
     * written. The bytes that the file has when it is opened, and those of every commit since,
     * stay: chunks, index and trailer are appended to the file, which is never truncated; in a
     * directory, new chunk files get unused numbers, and none is removed. A state that another
     * program has open can therefore be read for ever, also across several writers, if all of them
     * set this.
     *
     * The file grows by everything that is written, indexes included; tess_array_save() makes a
     * copy without unused space. Two parts are overwritten in place: the header, and the trailer of
     * an array without items. For this reason an array in a file that has items may not lose all of
     * them while this is set (TESS_ERR_UNSUPPORTED). Ignored for arrays open for reading.
     */
    bool never_reuse;

    /**
     * Refuse to open for writing if the file system has no lock against other writers, as without
     * flock(): TESS_ERR_IO, err->sys is the reason, and nothing is created or changed. With a lock
     * file, also if that file cannot be locked. false: the file is then written without the lock,
     * and tess_info.locked is false. Ignored for arrays open for reading, and in memory.
     */
    bool require_lock;

    /** Codecs and filters of the program; NULL: none. The lists are copied (plugin.h). */
    const tess_plugins *plugins;

    /** Threads, memory and progress of the calls on the array; NULL: defaults. Copied. */
    const tess_context *context;

    /**
     * Functions of the program that read or write the bytes of an array, or read the objects of a
     * sparse one; used when path and image are NULL. The struct is copied; source.h says when it is
     * closed. An array in a source cannot be updated (TESS_ERR_UNSUPPORTED): open it with
     * TESS_MODE_READ, or write it whole with TESS_MODE_NEW or TESS_MODE_REPLACE.
     */
    const tess_source *source;

    /**
     * Open a frame as a super-chunk (schunk.h) even if it has an N-dimensional layer, which is a
     * metalayer like others then: tess_info.plain is true, chunks can be changed, and the layer can
     * be replaced by tess_meta_set(). This opens frames whose layer contradicts the frame or cannot
     * be read, too. Items of an array come in the order of its blocks, with the padding.
     * tess_schunk_create() accepts metalayers of these names (`b2nd`, `caterva`); other calls that
     * create ignore it.
     */
    bool plain;

    /**
     * No automatic commits (array.h): the file has the state of the last call that commits by
     * contract, such as tess_array_flush(), and flush makes one commit; close may make further ones
     * of the same content, to shorten the file. Space of chunks that were overwritten is reused
     * only after that call, so the file can become as large as all that was written between two of
     * them. Ignored for arrays open for reading.
     */
    bool explicit_commits;

    /**
     * A chunk whose items are written, all as the same value other than zero, has zeros in its
     * padding (chunk.h) and is stored in blocks, as by c-blosc2; false: it is stored as that value.
     * For programs that read whole chunks. Ignored for arrays open for reading, and by
     * tess_array_full().
     */
    bool zero_padding;

    /**
     * A store (store.h) that is open for writing: `path` is a path in it, "/winds/u". Calls that
     * create an array make it there, with the layout TESS_LAYOUT_CONTIGUOUS, and it becomes part of
     * the store's next commit: with TESS_MODE_NEW there must be no such entry, with
     * TESS_MODE_REPLACE one is replaced. tess_array_open() opens one; also of a store for reading.
     * Other calls that take a path refuse it (TESS_ERR_UNSUPPORTED). NULL: no store. Members that
     * the store has its own of do not count: image, offset, durability, lock_file, require_lock,
     * source.
     */
    struct tess_store *store;
} tess_storage;

/**
 * Set the defaults: in memory, offset 0, TESS_MODE_READ, TESS_DURABILITY_ORDERED, checksums
 * written, default limits, no waiting, no new lock file, no lock required, automatic commits.
 *
 * @param storage      Receives them.
 * @param struct_size  Size of *storage in bytes: the macro passes sizeof(tess_storage).
 */
TESS_API void tess_storage_init_sized(tess_storage *storage, size_t struct_size);
/** For programs in C and C++: tess_storage_init_sized() with the size of their struct. */
#define tess_storage_init(storage) tess_storage_init_sized((storage), sizeof(tess_storage))

#ifdef __cplusplus
}
#endif

#endif
