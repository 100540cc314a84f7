/*
 * sink_flat.c - exports whose items lie side by side: .npy and raw files, and standard output.
 *
 * In a file boxes go to their places, in any order. Standard output takes them one after the other.
 */
#include "formats/sink.h"

#include "formats/flat/boxfile.h"
#include "formats/flat/npy.h"
#include "report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct flat {
    struct sink sink;
    struct boxfile file;
};

static tess_status
flat_write(struct sink *s, const int64_t *start, const int64_t *stop, void *src, size_t size,
           tess_error *err)
{
    (void)size;
    return boxfile_write(&((struct flat *)s)->file, start, stop, src, err);
}

static tess_status
stream_write(struct sink *s, const int64_t *start, const int64_t *stop, void *src, size_t size,
             tess_error *err)
{
    (void)s;
    (void)start;
    (void)stop;
    return boxfile_write_at(STDOUT_FILENO, -1, src, size, err);
}

static tess_status
flat_finish(struct sink *s, tess_error *err)
{
    struct flat *const f = (struct flat *)s;
    const int fd = f->file.fd;

    f->file.fd = -1;
    return fd < 0 || close(fd) == 0 ? TESS_OK : report_errno(err, "cannot write");
}

static void
flat_close(struct sink *s)
{
    struct flat *const f = (struct flat *)s;

    if (f->file.fd >= 0)
        (void)close(f->file.fd);
    free(f);
}

// Where the items will lie: shaped as selected, with the axes that were given as integers.
static tess_status
flat_new(const struct sink_plan *plan, struct flat **flat, tess_error *err)
{
    const struct slice_range *const sel = plan->selection;
    int64_t nbytes = plan->info->typesize;
    bool empty = false;

    for (int i = 0; i < sel->ndim; i++)
        empty = empty || sel->count[i] == 0;
    for (int i = 0; i < sel->ndim && !empty; i++)
        if (__builtin_mul_overflow(nbytes, sel->count[i], &nbytes) ||
            nbytes > INT64_MAX - UINT32_MAX)
            return report_set(err, TESS_ERR_LIMIT, "no file can hold the items uncompressed");

    struct flat *const f = calloc(1, sizeof *f);
    if (!f)
        return report_nomem(err, sizeof *f);
    f->sink = (struct sink){.write = flat_write, .finish = flat_finish, .close = flat_close};
    f->file.fd = -1;
    f->file.item_size = plan->info->typesize;
    f->file.ndim = sel->ndim;
    memcpy(f->file.shape, sel->count, sizeof f->file.shape);
    *flat = f;
    return TESS_OK;
}

tess_status
sink_stdout_open(const char *path, const struct sink_plan *plan, struct sink **sink,
                 tess_error *err)
{
    struct flat *f = NULL;
    const tess_status st = flat_new(plan, &f, err);

    (void)path;
    if (st != TESS_OK)
        return st;
    f->sink.write = stream_write;
    *sink = &f->sink;
    return TESS_OK;
}

tess_status
sink_raw_open(const char *path, const struct sink_plan *plan, struct sink **sink, tess_error *err)
{
    struct flat *f = NULL;
    const tess_status st = flat_new(plan, &f, err);

    if (st != TESS_OK)
        return st;
    f->file.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f->file.fd < 0) {
        (void)report_errno(err, "cannot create");
        flat_close(&f->sink);
        return err->status;
    }
    *sink = &f->sink;
    return TESS_OK;
}

tess_status
sink_npy_open(const char *path, const struct sink_plan *plan, struct sink **sink, tess_error *err)
{
    const struct slice_range *const sel = plan->selection;
    struct sink *s = NULL;
    size_t header_size = 0;
    char *header = NULL;
    tess_status st = TESS_OK;

    TRY(sink_raw_open(path, plan, &s, err));
    struct boxfile *const file = &((struct flat *)s)->file;
    TRY(npy_header_make(plan->info->dtype, plan->info->typesize, sel->out_ndim, sel->out_shape,
                        &header, &header_size, err));
    TRY(boxfile_write_at(file->fd, 0, header, header_size, err));
    file->origin = (int64_t)header_size;
    *sink = s;
    s = NULL;
out:
    free(header);
    sink_close(s);
    return st;
}
