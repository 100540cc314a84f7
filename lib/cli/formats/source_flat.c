/*
 * source_flat.c - inputs whose items lie side by side in a file: .npy and raw.
 *
 * An array in Fortran order is one in C order with its axes reversed: a box is read as such and
 * then transposed in memory.
 */
#include "cli/formats/source.h"

#include "cli/data/strided.h"
#include "cli/formats/boxfile.h"
#include "cli/formats/npy.h"
#include "cli/report.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct flat {
    struct source source;
    struct boxfile file; // axes reversed if source.fortran
    uint8_t *scratch; // a box before it is transposed
    size_t scratch_size;
};

static tess_status
read_transposed(struct flat *f, const int64_t *start, const int64_t *stop, uint8_t *dst,
                tess_error *err)
{
    const int ndim = f->source.ndim;
    const size_t item_size = (size_t)f->source.typesize;
    int64_t from[TESS_MAX_NDIM], to[TESS_MAX_NDIM], shape[TESS_MAX_NDIM];
    size_t size = item_size;

    for (int i = 0; i < ndim; i++) {
        from[ndim - 1 - i] = start[i];
        to[ndim - 1 - i] = stop[i];
        shape[i] = stop[i] - start[i];
        size *= (size_t)shape[i];
    }
    if (size > f->scratch_size) {
        free(f->scratch);
        f->scratch = malloc(size);
        f->scratch_size = f->scratch ? size : 0;
        if (!f->scratch)
            return report_nomem(err, (int64_t)size);
    }
    const tess_status st = boxfile_read(&f->file, from, to, f->scratch, err);
    if (st == TESS_OK)
        strided_from_fortran(ndim, shape, item_size, dst, f->scratch);
    return st;
}

static tess_status
flat_read(struct source *s, const int64_t *start, const int64_t *stop, void *dst, tess_error *err)
{
    struct flat *f = (struct flat *)s;

    if (s->fortran)
        return read_transposed(f, start, stop, dst, err);
    return boxfile_read(&f->file, start, stop, dst, err);
}

static void
flat_close(struct source *s)
{
    struct flat *f = (struct flat *)s;

    if (f->file.fd >= 0)
        (void)close(f->file.fd);
    free(f->scratch);
    free(f);
}

// An open file, of size *file_size, that nothing is known about yet.
static tess_status
flat_new(const char *path, struct flat **flat, int64_t *file_size, tess_error *err)
{
    struct flat *f = calloc(1, sizeof *f);
    struct stat st;

    if (!f)
        return report_nomem(err, sizeof *f);
    f->source.read = flat_read;
    f->source.close = flat_close;
    f->file.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (f->file.fd < 0 || fstat(f->file.fd, &st) != 0) {
        (void)report_errno(err, "cannot open");
        source_close(&f->source);
        return err->status;
    }
    if (!S_ISREG(st.st_mode)) {
        source_close(&f->source);
        return report_set(err, TESS_ERR_IO, "not a regular file");
    }
    *flat = f;
    *file_size = st.st_size;
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
source_raw_open(const char *path, const char *dtype, int ndim, const int64_t *shape,
                struct source **source, tess_error *err)
{
    int64_t file_size = 0, nbytes = 0;
    struct flat *f = NULL;
    tess_status st = TESS_OK;

    TRY(flat_new(path, &f, &file_size, err));
    struct source *s = &f->source;
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
    if (!source_nbytes(s, &nbytes)) {
        st = report_set(err, TESS_ERR_ARG, "--shape and --dtype ask for 2^63 bytes or more");
        goto out;
    }
    if (nbytes != file_size) {
        st = report_set(err, TESS_ERR_ARG,
                        "the file has %" PRId64 " bytes; --shape and --dtype ask for %" PRId64,
                        file_size, nbytes);
        goto out;
    }
    place_items(f, 0);
    *source = s;
    f = NULL;
out:
    source_close(f ? &f->source : NULL);
    return st;
}

static tess_status
read_npy_header(int fd, int64_t file_size, struct npy_header *header, int64_t *origin,
                tess_error *err)
{
    uint8_t bytes[NPY_PREAMBLE_MAX];
    const size_t size = file_size < NPY_PREAMBLE_MAX ? (size_t)file_size : NPY_PREAMBLE_MAX;
    struct npy_preamble preamble;
    char *text = NULL;
    tess_status st = TESS_OK;

    TRY(boxfile_read_at(fd, 0, bytes, size, err));
    TRY(npy_preamble_parse(bytes, size, &preamble, err));
    *origin = (int64_t)(preamble.text_offset + preamble.text_size);
    if (*origin > file_size) {
        st = report_set(err, TESS_ERR_CORRUPT, "the .npy header is cut off");
        goto out;
    }
    text = malloc(preamble.text_size + 1);
    if (!text) {
        st = report_nomem(err, (int64_t)preamble.text_size);
        goto out;
    }
    TRY(boxfile_read_at(fd, (int64_t)preamble.text_offset, text, preamble.text_size, err));
    TRY(npy_header_parse(text, preamble.text_size, preamble.latin1, header, err));
out:
    free(text);
    return st;
}

tess_status
source_npy_open(const char *path, struct source **source, tess_error *err)
{
    int64_t file_size = 0, nbytes = 0, origin = 0;
    struct npy_header header = {0};
    struct flat *f = NULL;
    tess_status st = TESS_OK;

    TRY(flat_new(path, &f, &file_size, err));
    TRY(read_npy_header(f->file.fd, file_size, &header, &origin, err));
    struct source *s = &f->source;
    s->ndim = header.ndim;
    memcpy(s->shape, header.shape, sizeof s->shape);
    s->fortran = header.fortran && header.ndim > 1;
    s->dtype = header.dtype; // now the source's
    TRY(source_set_typesize(s, err));
    if (!source_nbytes(s, &nbytes) || nbytes > file_size - origin) {
        st = report_set(err, TESS_ERR_CORRUPT,
                        "the .npy header promises more items than the %" PRId64
                        " bytes behind it hold",
                        file_size - origin);
        goto out;
    }
    place_items(f, origin);
    *source = s;
    f = NULL;
out:
    source_close(f ? &f->source : NULL);
    return st;
}
