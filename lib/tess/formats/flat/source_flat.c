/*
 * source_flat.c - inputs whose items lie side by side: .npy and raw, in files, on standard input
 * and in archives.
 *
 * An array in Fortran order is one in C order with its axes reversed: a box is read as such and
 * then transposed in memory. Boxes of a feed come in its order, each in one piece.
 */
#include "data/strided.h"
#include "formats/feed.h"
#include "formats/flat/boxfile.h"
#include "formats/flat/npy.h"
#include "formats/source.h"
#include "report.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Bytes behind the last item of a feed are counted up to here.
#define EXCESS_MAX (1 << 20)

struct flat {
    struct source source;
    int64_t nbytes; // of all items

    struct boxfile file; // axes reversed if source.fortran; fd is -1 with a feed
    int64_t file_size;

    struct feed *feed; // NULL: a file
    tess_status mismatch; // if the feed has another size than expected
    int64_t taken; // bytes of items

    uint8_t *scratch; // a box before it is transposed
    size_t scratch_size;
};

// -- boxes

static tess_status
take(struct flat *f, void *dst, size_t size, tess_error *err)
{
    size_t got = 0;
    const tess_status st = f->feed->read(f->feed, dst, size, &got, err);

    if (st != TESS_OK)
        return st;
    f->taken += (int64_t)got;
    if (got < size)
        return report_set(err, f->mismatch, "expected %" PRId64 " bytes of items, found %" PRId64,
                          f->nbytes, f->taken);
    return TESS_OK;
}

static tess_status
flat_read(struct source *s, const int64_t *start, const int64_t *stop, void *dst, tess_error *err)
{
    struct flat *const f = (struct flat *)s;
    int64_t from[TESS_MAX_NDIM], to[TESS_MAX_NDIM], shape[TESS_MAX_NDIM];
    size_t size = (size_t)s->typesize;

    for (int i = 0; i < s->ndim; i++) {
        const int axis = s->fortran ? s->ndim - 1 - i : i;

        from[axis] = start[i];
        to[axis] = stop[i];
        shape[i] = stop[i] - start[i];
        size *= (size_t)shape[i];
    }
    if (s->fortran && size > f->scratch_size) {
        free(f->scratch);
        f->scratch = malloc(size);
        f->scratch_size = f->scratch ? size : 0;
        if (!f->scratch)
            return report_nomem(err, (int64_t)size);
    }
    uint8_t *const items = s->fortran ? f->scratch : dst;
    const tess_status st =
        f->feed ? take(f, items, size, err) : boxfile_read(&f->file, from, to, items, err);
    if (st == TESS_OK && s->fortran)
        strided_from_fortran(s->ndim, shape, (size_t)s->typesize, dst, items);
    return st;
}

// A feed holds nothing behind its items.
static tess_status
feed_finish(struct source *s, tess_error *err)
{
    struct flat *const f = (struct flat *)s;
    uint8_t *const excess = malloc(EXCESS_MAX);
    size_t got = 0;

    if (!excess)
        return report_nomem(err, EXCESS_MAX);
    const tess_status st = f->feed->read(f->feed, excess, EXCESS_MAX, &got, err);
    free(excess);
    if (st != TESS_OK || got == 0)
        return st;
    return report_set(err, f->mismatch, "expected %" PRId64 " bytes of items, found %" PRId64 "%s",
                      f->nbytes, f->nbytes + (int64_t)got, got == EXCESS_MAX ? " or more" : "");
}

static void
flat_close(struct source *s)
{
    struct flat *const f = (struct flat *)s;

    if (f->file.fd >= 0)
        (void)close(f->file.fd);
    feed_close(f->feed);
    free(f->scratch);
    free(f);
}

// -- opening

static tess_status
open_file(struct flat *f, const char *path, tess_error *err)
{
    struct stat st;

    f->file.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (f->file.fd < 0 || fstat(f->file.fd, &st) != 0)
        return report_errno(err, "opening the file");
    f->file_size = st.st_size;
    return S_ISREG(st.st_mode) ? TESS_OK : report_set(err, TESS_ERR_IO, "not a regular file");
}

// Of the feed, which is taken over also in case of failure, or else of the file. mismatch: what is
// wrong if the feed has another size than expected.
static tess_status
flat_new(const char *path, struct feed *feed, tess_status mismatch, struct flat **flat,
         tess_error *err)
{
    struct flat *const f = calloc(1, sizeof *f);

    if (!f) {
        feed_close(feed);
        return report_nomem(err, sizeof *f);
    }
    f->source.sequential = feed != NULL;
    f->source.read = flat_read;
    f->source.finish = feed ? feed_finish : NULL;
    f->source.close = flat_close;
    f->feed = feed;
    f->mismatch = mismatch;
    f->file.fd = -1;
    if (!feed && open_file(f, path, err) != TESS_OK) {
        source_close(&f->source);
        return err->status;
    }
    *flat = f;
    return TESS_OK;
}

static void
place_items(struct flat *f, int64_t origin)
{
    const struct source *s = &f->source;

    f->file.origin = origin;
    f->file.item_size = s->typesize;
    f->file.ndim = s->ndim;
    for (int i = 0; i < s->ndim; i++)
        f->file.shape[i] = s->shape[s->fortran ? s->ndim - 1 - i : i];
}

tess_status
source_raw_open(const char *path, struct feed *feed, const char *dtype, int ndim,
                const int64_t *shape, struct source **source, tess_error *err)
{
    struct flat *f = NULL;
    tess_status st = TESS_OK;

    TRY(flat_new(path, feed, TESS_ERR_ARG, &f, err));
    struct source *const s = &f->source;
    s->ndim = ndim;
    memcpy(s->shape, shape, (size_t)ndim * sizeof shape[0]);
    s->dtype = strdup(dtype);
    if (!s->dtype)
        TRY(report_nomem(err, (int64_t)strlen(dtype)));
    if (source_set_typesize(s, err) != TESS_OK)
        TRY(report_set(err, TESS_ERR_ARG, "--dtype %.200s: not a type such as <f4", dtype));
    if (!source_nbytes(s, &f->nbytes))
        TRY(report_set(err, TESS_ERR_ARG, "--shape and --dtype ask for 2^63 bytes or more"));
    if (!feed && f->nbytes != f->file_size)
        TRY(report_set(err, TESS_ERR_ARG,
                       "the file has %" PRId64 " bytes; --shape and --dtype ask for %" PRId64,
                       f->file_size, f->nbytes));
    place_items(f, 0);
    *source = s;
    f = NULL;
out:
    source_close(f ? &f->source : NULL);
    return st;
}

// What follows the first `done` bytes, which were read; less than `size` where it ends.
static tess_status
read_more(const struct flat *f, size_t done, void *dst, size_t size, size_t *got, tess_error *err)
{
    const int64_t left = f->file_size - (int64_t)done;

    if (f->feed)
        return f->feed->read(f->feed, dst, size, got, err);
    *got = left < (int64_t)size ? (size_t)left : size;
    return boxfile_read_at(f->file.fd, (int64_t)done, dst, *got, err);
}

// A feed stands behind the header then; *origin: where items begin.
static tess_status
read_npy_header(const struct flat *f, struct npy_header *header, int64_t *origin, tess_error *err)
{
    uint8_t bytes[NPY_PREAMBLE_MAX];
    struct npy_preamble preamble;
    char *text = NULL;
    size_t got = 0, more = 0;
    tess_status st = TESS_OK;

    TRY(read_more(f, 0, bytes, sizeof bytes, &got, err));
    TRY(npy_preamble_parse(bytes, got, &preamble, err));
    *origin = (int64_t)(preamble.text_offset + preamble.text_size);
    if (!f->feed && *origin > f->file_size)
        TRY(report_set(err, TESS_ERR_CORRUPT, "the .npy header is cut off"));
    text = malloc(preamble.text_size + NPY_PREAMBLE_MAX);
    if (!text)
        TRY(report_nomem(err, (int64_t)preamble.text_size));
    // in version 1 the text begins earlier; it is never so short that items were read
    const size_t have = got - preamble.text_offset;
    memcpy(text, bytes + preamble.text_offset, have);
    if (have < preamble.text_size)
        TRY(read_more(f, got, text + have, preamble.text_size - have, &more, err));
    if (have + more < preamble.text_size)
        TRY(report_set(err, TESS_ERR_CORRUPT, "the .npy header is cut off"));
    TRY(npy_header_parse(text, preamble.text_size, preamble.latin1, header, err));
out:
    free(text);
    return st;
}

tess_status
source_npy_open(const char *path, struct feed *feed, struct source **source, tess_error *err)
{
    struct npy_header header = {0};
    struct flat *f = NULL;
    int64_t origin = 0;
    tess_status st = TESS_OK;

    TRY(flat_new(path, feed, TESS_ERR_CORRUPT, &f, err));
    TRY(read_npy_header(f, &header, &origin, err));
    struct source *const s = &f->source;
    s->ndim = header.ndim;
    memcpy(s->shape, header.shape, sizeof s->shape);
    s->fortran = header.fortran && header.ndim > 1;
    s->dtype = header.dtype; // now the source's
    TRY(source_set_typesize(s, err));
    const bool fits = source_nbytes(s, &f->nbytes);
    if (feed && !fits)
        TRY(report_set(err, TESS_ERR_CORRUPT, "the .npy header promises 2^63 bytes or more"));
    if (!feed && (!fits || f->nbytes > f->file_size - origin))
        TRY(report_set(err, TESS_ERR_CORRUPT,
                       "the .npy header promises more items than the %" PRId64
                       " bytes behind it hold",
                       f->file_size - origin));
    place_items(f, origin);
    *source = s;
    f = NULL;
out:
    source_close(f ? &f->source : NULL);
    return st;
}
