/*
 * boxfile.c - boxes of an uncompressed array in a file.
 *
 * A box is a number of runs of bytes: as many trailing axes as the box covers wholly, and one
 * more, make one run.
 */
#include "formats/flat/boxfile.h"

#include "report.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>

tess_status
boxfile_read_at(int fd, int64_t offset, void *dst, size_t size, tess_error *err)
{
    uint8_t *p = dst;

    while (size > 0) {
        const ssize_t n = pread(fd, p, size, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return report_errno(err, "cannot read");
        if (n == 0)
            return report_set(err, TESS_ERR_CORRUPT, "the file ends %zu bytes too early", size);
        p += n;
        offset += n;
        size -= (size_t)n;
    }
    return TESS_OK;
}

tess_status
boxfile_write_at(int fd, int64_t offset, const void *src, size_t size, tess_error *err)
{
    const uint8_t *p = src;

    while (size > 0) {
        const ssize_t n = offset < 0 ? write(fd, p, size) : pwrite(fd, p, size, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return report_errno(err, "cannot write");
        p += n;
        offset = offset < 0 ? offset : offset + n;
        size -= (size_t)n;
    }
    return TESS_OK;
}

struct runs {
    int naxes; // axes 0 .. naxes-1 are stepped through, the others are inside the run
    int64_t stride[TESS_MAX_NDIM]; // bytes
    int64_t index[TESS_MAX_NDIM];
    int64_t offset; // of the current run
    size_t size; // of each run
};

// The box has items.
static void
runs_init(struct runs *r, const struct boxfile *f, const int64_t *start, const int64_t *stop)
{
    int64_t stride = f->item_size;

    *r = (struct runs){.offset = f->origin, .size = (size_t)f->item_size};
    for (int i = f->ndim - 1; i >= 0; i--) {
        r->stride[i] = stride;
        r->index[i] = start[i];
        r->offset += start[i] * stride;
        stride *= f->shape[i];
    }
    int i = f->ndim;
    while (i > 0) {
        i--;
        r->size *= (size_t)(stop[i] - start[i]);
        if (stop[i] - start[i] != f->shape[i])
            break;
    }
    r->naxes = i;
}

static bool
runs_next(struct runs *r, const int64_t *start, const int64_t *stop)
{
    for (int i = r->naxes - 1; i >= 0; i--) {
        r->offset += r->stride[i];
        if (++r->index[i] < stop[i])
            return true;
        r->offset -= r->stride[i] * (stop[i] - start[i]);
        r->index[i] = start[i];
    }
    return false;
}

tess_status
boxfile_read(const struct boxfile *f, const int64_t *start, const int64_t *stop, void *dst,
             tess_error *err)
{
    uint8_t *p = dst;
    struct runs r;

    runs_init(&r, f, start, stop);
    do {
        const tess_status st = boxfile_read_at(f->fd, r.offset, p, r.size, err);
        if (st != TESS_OK)
            return st;
        p += r.size;
    } while (runs_next(&r, start, stop));
    return TESS_OK;
}

tess_status
boxfile_write(const struct boxfile *f, const int64_t *start, const int64_t *stop, const void *src,
              tess_error *err)
{
    const uint8_t *p = src;
    struct runs r;

    runs_init(&r, f, start, stop);
    do {
        const tess_status st = boxfile_write_at(f->fd, r.offset, p, r.size, err);
        if (st != TESS_OK)
            return st;
        p += r.size;
    } while (runs_next(&r, start, stop));
    return TESS_OK;
}
