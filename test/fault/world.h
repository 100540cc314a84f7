/*
 * world.h - what is in the folder of disk.h if program or machine stop at some operation.
 *
 * If the program stops, all operations up to there are done; of a write, some first sectors may be.
 *
 * If the machine stops, what was synced is there: of a file, by a sync of it, its bytes and its
 * size; of a folder, its names. What was done since may be there or not:
 *
 *   - each sector of 512 bytes of a file is as it was at some moment since the sync, each at a
 *     moment of its own: so writes are lost, torn and reordered. A write within one sector is
 *     there or not;
 *   - the size of a file is as it was at some moment since the sync, whatever its sectors are; what
 *     was never written reads as zeros. What a cut did away with comes back if the cut is lost, and
 *     then nothing written behind it later is there;
 *   - each change of names is there or not, for itself. A rename is one change;
 *   - what was to be synced when that failed may be lost for good, whatever is synced later: Linux
 *     takes pages that it could not write for written. (Of bytes; not of sizes and names.)
 */
#ifndef FAULT_WORLD_H
#define FAULT_WORLD_H

#include "fault/disk.h"
#include "support/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is lost of the operations that were not synced.
enum world_loss {
    WORLD_NOTHING, // the program stopped, not the machine
    WORLD_ALL,
    WORLD_ALL_BUT_ONE, // operation `which`
    WORLD_ONE, // likewise
    WORLD_TORN, // some sectors of operation `which`
    WORLD_SECTORS, // all of them; names and sizes are there
    WORLD_NAMES, // all changes of them; files are there
    WORLD_ANY, // at random
    WORLD_LOSSES,
};

struct world_stop {
    size_t at; // operations before this one are done
    size_t torn; // of this one, if the program stops: bytes that are written
    enum world_loss loss;
    size_t which;
    uint64_t seed;
};

struct world_file {
    uint8_t *bytes;
    size_t size, capacity;
    bool folder;
    // How far the past goes that is sure, and until when it is known: operations.
    size_t synced, sized;
    int64_t lost_from; // a cut to this is lost, and what was written behind it, too; -1: none is
};

struct world {
    struct names names;
    struct world_file *files; // per node
    int nfiles;
    bool *doomed; // per operation: a write whose sync failed
    size_t ndoomed; // operations that have been looked at
};

void world_finish(struct world *w); // zeroed: fine
void world_play(struct world *w, const struct world_stop *stop);

// A number that stands for all names and bytes.
uint64_t world_hash(const struct world *w);

// Make the folder `path` be like that, whatever is in it.
void world_write(const struct world *w, const char *path);

// Whether the folder `path` is like that. Names that begin with a dot are passed over.
bool world_is_at(const struct world *w, const char *path);

#endif
