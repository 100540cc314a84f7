/*
 * orphans.c - chunk files of a directory that no state needs.
 */
#include "frame/sparse/orphans.h"

#include "base/log.h"
#include "frame/commit/owner.h"
#include "frame/private.h"
#include "frame/sparse/chunk_files.h"
#include "frame/sparse/numbers.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/names/path.h"

#include <inttypes.h>

enum { FEW = 1024 }; // numbers of files that take no time to list

struct search {
    struct frame *f;
    int64_t removed;
};

static tess_status
remove_orphan(void *arg, const char *name, tess_error *err)
{
    struct search *const s = arg;
    int64_t number;
    (void)err;
    if (sparse_chunk_number(name, &number) && !numbers_is_taken(&s->f->numbers, number)) {
        sparse_remove_chunk(s->f->folder, number);
        s->removed++;
    }
    return TESS_OK;
}

static bool
exists(const struct frame *f, int64_t number)
{
    struct io *io;
    if (sparse_open_chunk(f->folder, number, 0, NULL, &io, NULL) != TESS_OK)
        return false;
    io_close(io);
    return true;
}

void
orphans_remove(struct frame *f)
{
    struct search s = {.f = f};
    const int64_t last = numbers_last(&f->numbers), lowest = numbers_lowest_free(&f->numbers);
    if (f->options.never_reuse || !frame_is_locked(f))
        return;
    if (last >= FEW && !exists(f, lowest) && !exists(f, last + 1))
        return;
    (void)folder_each(f->folder, remove_orphan, &s, NULL);
    if (s.removed > 0)
        LOG(TESS_LOG_INFO, TESS_EVENT_LEFTOVER, io_path_name(f->options.path),
            "%" PRId64 " chunk files of a writer that did not commit them were removed", s.removed);
}
