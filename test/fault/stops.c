/*
 * stops.c - which stops of program and machine are tried.
 */
#include "fault/stops.h"

#include "fault/disk.h"

#include <stdbool.h>

void
stops_of_program(size_t from, stop_fn *fn, void *user)
{
    enum { SECTOR = 512 };
    for (size_t at = from; at <= disk_length(); at++) {
        struct world_stop stop = {.at = at};
        fn(&stop, user);
        if (at == disk_length() || disk_op(at)->kind != DISK_WRITE)
            continue;
        const struct disk_op *const op = disk_op(at);
        const size_t first = SECTOR - (size_t)(op->offset % SECTOR);
        const size_t pieces = op->size > first ? (op->size - first + SECTOR - 1) / SECTOR : 0;
        for (size_t i = 0; i < pieces; i++) {
            if (pieces > 3 && i > 0 && i < pieces - 1 && i != pieces / 2)
                continue;
            stop.torn = first + i * SECTOR;
            fn(&stop, user);
        }
    }
}

// Since when nothing was synced, whatever file: what was before is there in any case, nearly.
static size_t
unsynced_since(size_t at)
{
    size_t n = at;
    for (int syncs = 0; n > 0 && syncs < 3; n--)
        syncs += disk_op(n - 1)->kind == DISK_SYNC;
    return n;
}

static void
stop_machine_at(size_t at, struct random *r, stop_fn *fn, void *user)
{
    const bool longer = random_cases(0, 1) > 0;
    const size_t first = unsynced_since(at);
    struct world_stop stop = {.at = at};
    static const enum world_loss whole[] = {WORLD_ALL, WORLD_SECTORS, WORLD_NAMES};
    for (int i = 0; i < 3; i++) {
        stop.loss = whole[i];
        fn(&stop, user);
    }
    static const enum world_loss single[] = {WORLD_ALL_BUT_ONE, WORLD_ONE, WORLD_TORN};
    for (int i = 0; i < 3; i++) {
        stop.loss = single[i];
        for (stop.which = first; longer && stop.which < at; stop.which++) {
            stop.seed = random_next(r);
            fn(&stop, user);
        }
        if (!longer && at > first) {
            stop.which = first + random_below(r, at - first);
            stop.seed = random_next(r);
            fn(&stop, user);
        }
    }
    stop.loss = WORLD_ANY;
    stop.which = 0;
    for (int i = 0; i < (longer ? 20 : 3); i++) {
        stop.seed = random_next(r);
        fn(&stop, user);
    }
}

void
stops_of_machine(size_t from, struct random *r, stop_fn *fn, void *user)
{
    for (size_t at = from; at <= disk_length(); at++)
        stop_machine_at(at, r, fn, user);
}
