/*
 * source_feed.c - inputs that can be read once: .npy and raw items on standard input, and members
 * of archives.
 *
 * Boxes come in the order of the feed, each in one piece. One of an array in Fortran order is
 * transposed in memory.
 */
#include "cli/formats/source.h"

#include "cli/data/strided.h"
#include "cli/formats/npy.h"
#include "cli/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Bytes behind the last item are counted up to here.
#define EXCESS_MAX (1 << 20)

struct streamed {
    struct source source;
    struct feed *feed;
    tess_status mismatch; // if the feed has another size than expected
    int64_t nbytes; // of all items
    int64_t taken; // of these
    uint8_t *scratch; // a box before it is transposed
    size_t scratch_size;
};

static tess_status
take(struct streamed *f, void *dst, size_t size, tess_error *err)
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
streamed_read(struct source *s, const int64_t *start, const int64_t *stop, void *dst,
              tess_error *err)
{
    struct streamed *const f = (struct streamed *)s;
    int64_t shape[TESS_MAX_NDIM];
    size_t size = (size_t)s->typesize;

    for (int i = 0; i < s->ndim; i++) {
        shape[i] = stop[i] - start[i];
        size *= (size_t)shape[i];
    }
    if (!s->fortran)
        return take(f, dst, size, err);
    if (size > f->scratch_size) {
        free(f->scratch);
        f->scratch = malloc(size);
        f->scratch_size = f->scratch ? size : 0;
        if (!f->scratch)
            return report_nomem(err, (int64_t)size);
    }
    const tess_status st = take(f, f->scratch, size, err);
    if (st == TESS_OK)
        strided_from_fortran(s->ndim, shape, (size_t)s->typesize, dst, f->scratch);
    return st;
}

static tess_status
streamed_finish(struct source *s, tess_error *err)
{
    struct streamed *const f = (struct streamed *)s;
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
streamed_close(struct source *s)
{
    struct streamed *const f = (struct streamed *)s;

    feed_close(f->feed);
    free(f->scratch);
    free(f);
}

// Takes the feed over, also when it fails.
static tess_status
streamed_new(struct feed *feed, tess_status mismatch, struct streamed **streamed, tess_error *err)
{
    struct streamed *const f = calloc(1, sizeof *f);

    if (!f) {
        feed_close(feed);
        return report_nomem(err, sizeof *f);
    }
    f->source.sequential = true;
    f->source.read = streamed_read;
    f->source.finish = streamed_finish;
    f->source.close = streamed_close;
    f->feed = feed;
    f->mismatch = mismatch;
    *streamed = f;
    return TESS_OK;
}

tess_status
source_raw_feed_open(struct feed *feed, const char *dtype, int ndim, const int64_t *shape,
                     struct source **source, tess_error *err)
{
    struct streamed *f = NULL;
    tess_status st = TESS_OK;

    TRY(streamed_new(feed, TESS_ERR_ARG, &f, err));
    struct source *const s = &f->source;
    s->ndim = ndim;
    memcpy(s->shape, shape, (size_t)ndim * sizeof shape[0]);
    s->dtype = strdup(dtype);
    if (!s->dtype) {
        st = report_nomem(err, (int64_t)strlen(dtype));
        goto out;
    }
    if (source_set_typesize(s, err) != TESS_OK) {
        st = report_set(err, TESS_ERR_ARG, "--dtype %.200s: not a type such as <f4", dtype);
        goto out;
    }
    if (!source_nbytes(s, &f->nbytes)) {
        st = report_set(err, TESS_ERR_ARG, "--shape and --dtype ask for 2^63 bytes or more");
        goto out;
    }
    *source = s;
    f = NULL;
out:
    source_close(f ? &f->source : NULL);
    return st;
}

// The feed stands behind the header then.
static tess_status
read_npy_header(struct feed *feed, struct npy_header *header, tess_error *err)
{
    uint8_t bytes[NPY_PREAMBLE_MAX];
    struct npy_preamble preamble;
    char *text = NULL;
    size_t got = 0, more = 0;
    tess_status st = TESS_OK;

    TRY(feed->read(feed, bytes, sizeof bytes, &got, err));
    TRY(npy_preamble_parse(bytes, got, &preamble, err));
    text = malloc(preamble.text_size + NPY_PREAMBLE_MAX);
    if (!text) {
        st = report_nomem(err, (int64_t)preamble.text_size);
        goto out;
    }
    // in version 1 the text begins earlier; it is never so short that items were read
    const size_t have = got - preamble.text_offset;
    memcpy(text, bytes + preamble.text_offset, have);
    if (have < preamble.text_size)
        TRY(feed->read(feed, text + have, preamble.text_size - have, &more, err));
    if (have + more < preamble.text_size) {
        st = report_set(err, TESS_ERR_CORRUPT, "the .npy header is cut off");
        goto out;
    }
    TRY(npy_header_parse(text, preamble.text_size, preamble.latin1, header, err));
out:
    free(text);
    return st;
}

tess_status
source_npy_feed_open(struct feed *feed, struct source **source, tess_error *err)
{
    struct npy_header header = {0};
    struct streamed *f = NULL;
    tess_status st = TESS_OK;

    TRY(streamed_new(feed, TESS_ERR_CORRUPT, &f, err));
    TRY(read_npy_header(feed, &header, err));
    struct source *const s = &f->source;
    s->ndim = header.ndim;
    memcpy(s->shape, header.shape, sizeof s->shape);
    s->fortran = header.fortran && header.ndim > 1;
    s->dtype = header.dtype; // now the source's
    TRY(source_set_typesize(s, err));
    if (!source_nbytes(s, &f->nbytes)) {
        st = report_set(err, TESS_ERR_CORRUPT, "the .npy header promises 2^63 bytes or more");
        goto out;
    }
    *source = s;
    f = NULL;
out:
    source_close(f ? &f->source : NULL);
    return st;
}
