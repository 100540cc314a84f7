/*
 * orphans.c - chunk files of a directory that no state needs.
 */
#include "frame/sparse/orphans.h"

#include "base/log.h"
#include "base/memory.h"
#include "frame/commit/owner.h"
#include "frame/private.h"
#include "frame/sparse/chunk_files.h"
#include "frame/sparse/numbers.h"
#include "io/io.h"
#include "io/names/path.h"

#include <inttypes.h>

enum { FEW = 1024 }; // numbers of files that take no time to list

static bool
exists(const struct frame *f, int64_t number)
{
    struct io *io;
    if (sparse_open_chunk(f->folder, number, 0, NULL, &io, NULL) != TESS_OK)
        return false;
    io_close(io);
    return true;
}

// They are listed before any is removed (io/folder.h).
static int64_t
remove_listed(const struct frame *f)
{
    struct chunk_numbers found = {0};
    int64_t removed = 0;
    (void)sparse_list_chunks(f->folder, &found, NULL);
    for (int64_t i = 0; i < found.count; i++) {
        if (numbers_is_taken(&f->numbers, found.items[i]))
            continue;
        sparse_remove_chunk(f->folder, found.items[i]);
        removed++;
    }
    mem_free(found.items);
    return removed;
}

void
orphans_remove(struct frame *f)
{
    const int64_t last = numbers_last(&f->numbers), lowest = numbers_lowest_free(&f->numbers);
    if (f->options.never_reuse || !frame_is_locked(f))
        return;
    if (last >= FEW && !exists(f, lowest) && !exists(f, last + 1))
        return;
    const int64_t removed = remove_listed(f);
    if (removed > 0)
        LOG(TESS_LOG_INFO, TESS_EVENT_LEFTOVER, io_path_name(f->options.path),
            "%" PRId64 " chunk files of a writer that did not commit them were removed", removed);
}
