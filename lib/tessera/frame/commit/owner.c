/*
 * owner.c - the process that may change a frame in a file: the one that opened or made it.
 *
 * After a fork() both processes have what is in memory, the list of chunks and of free space; two
 * that write by it would overwrite each other.
 */
#include "frame/commit/owner.h"

#include "frame/private.h"
#include "io/folder.h"
#include "task/process.h"

#include <unistd.h>

void
frame_set_owner(struct frame *f)
{
    f->owner = getpid();
    f->owner_number = process_number();
}

// Each process has its own copy of memory.
static bool
has_file(const struct frame *f)
{
    return f->writable && !f->in_memory;
}

bool
frame_is_inherited(const struct frame *f)
{
    return has_file(f) && f->owner != getpid();
}

bool
frame_is_locked(const struct frame *f)
{
    const bool locked = f->folder ? f->folder->locked : f->io && f->io->locked;
    return locked && f->owner_number == process_number();
}

static tess_status
owner_refuse(tess_error *err)
{
    return err_set(err, TESS_ERR_ARG, -1,
                   "the array was opened for writing before this process was forked; only the "
                   "process that opened it may change it");
}

tess_status
frame_check_forked(const struct frame *f, tess_error *err)
{
    return f->owner_number != process_number() && has_file(f) ? owner_refuse(err) : TESS_OK;
}

tess_status
frame_check_owner(const struct frame *f, tess_error *err)
{
    return frame_is_inherited(f) ? owner_refuse(err) : TESS_OK;
}
