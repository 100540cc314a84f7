/*
 * frame.c - opening, making and closing a frame.
 *
 * Opening reads header, trailer and index, and no chunk.
 *
 * Not here: chunks (stored.c), changes (change.c), commits (commit.c).
 */
#include "frame/container.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/limits.h"
#include "frame/trailer.h"
#include "io/folder.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    MEMORY_DEFAULT = 1 << 30,
    NCHUNKS_DEFAULT = 1 << 28,
};

struct frame *
frame_new(struct io *io, struct folder *folder, const struct frame_options *options)
{
    struct frame *const f = calloc(1, sizeof *f);
    if (!f) {
        io_close(io);
        folder_close(folder);
        return NULL;
    }
    if (io && io->writable && !io->in_memory) { // chunks go to a file one behind the other
        f->gathers = true;
        if (io_gather(io, &io, NULL) != TESS_OK) {
            free(f);
            return NULL;
        }
    }
    f->io = io;
    f->folder = folder;
    f->container = folder ? &container_sparse : &container_contiguous;
    f->options = *options;
    if (f->options.limits.memory <= 0)
        f->options.limits.memory = MEMORY_DEFAULT;
    if (f->options.limits.nchunks <= 0)
        f->options.limits.nchunks = NCHUNKS_DEFAULT;
    if (f->options.limits.ndim <= 0)
        f->options.limits.ndim = NDIM_MAX;
    return f;
}

void
frame_close(struct frame *f)
{
    if (!f)
        return;
    io_close(f->io);
    folder_close(f->folder);
    numbers_finish(&f->numbers);
    layers_finish(&f->metas);
    layers_finish(&f->vlmetas);
    index_finish(&f->index);
    index_finish(&f->change.replaced);
    free(f->change.puts);
    free(f->change.dropped);
    space_finish(&f->space);
    free(f->head);
    free(f->tail);
    free(f);
}

int32_t
frame_chunk_nbytes(const struct frame *f, int64_t n)
{
    return (int32_t)min_i64(f->h.chunksize, f->h.nbytes - n * f->h.chunksize);
}

// A piece of the frame in memory of its own.
static tess_status
load(const struct frame *f, int64_t position, int64_t size, uint8_t **bytes, tess_error *err)
{
    if (size > f->options.limits.memory)
        return err_set(err, TESS_ERR_LIMIT, position,
                       "%" PRId64 " bytes in one piece, the limit is %" PRId64, size,
                       f->options.limits.memory);
    uint8_t *const piece = malloc((size_t)size);
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", size);
    const tess_status st = io_read(f->io, position, piece, (size_t)size, err);
    if (st == TESS_OK)
        *bytes = piece;
    else
        free(piece);
    return st;
}

// The fixed part, with the size of the file then.
struct front {
    int64_t room;
    size_t size;
    uint8_t bytes[FRAME_HEADER_SIZE];
};

static tess_status
read_front(const struct frame *f, struct front *front, tess_error *err)
{
    *front = (struct front){0};
    const tess_status st = io_size(f->io, &front->room, err);
    if (st != TESS_OK)
        return st;
    front->size = (size_t)min_i64(front->room, FRAME_HEADER_SIZE);
    return io_read(f->io, 0, front->bytes, front->size, err);
}

// What is wrong may be that a writer was at work between the size and the bytes.
static tess_status
blame_front(const struct frame *f, const struct front *front, tess_status st, tess_error *err)
{
    struct front now;
    if (f->io->in_memory || read_front(f, &now, NULL) != TESS_OK ||
        (now.room == front->room && memcmp(now.bytes, front->bytes, FRAME_HEADER_SIZE) == 0))
        return st;
    return err_set(err, TESS_ERR_STALE, 0, "the file is being changed by another program");
}

static tess_status
load_header(struct frame *f, tess_error *err)
{
    struct front front;
    tess_status st = read_front(f, &front, err);
    if (st != TESS_OK)
        return st;
    st = frame_header_parse(front.bytes, front.size, front.room, &f->h, err);
    if (st != TESS_OK)
        return blame_front(f, &front, st, err);
    if (f->h.sparse && !f->folder)
        return err_set(err, TESS_ERR_FORMAT, 26,
                       "the index of a sparse frame; open its directory instead");
    if (!f->h.sparse && f->folder)
        return err_set(err, TESS_ERR_CORRUPT, 26,
                       FRAME_FOLDER_INDEX
                       " is a contiguous frame, in the directory of a sparse one");
    f->head_size = (size_t)f->h.header_len;
    st = load(f, 0, f->h.header_len, &f->head, err);
    if (st == TESS_OK && memcmp(f->head, front.bytes, (size_t)f->h.fixed_size) != 0)
        st = err_set(err, TESS_ERR_STALE, 0, "the file is being changed by another program");
    return st;
}

static tess_status
parse_metas(struct frame *f, tess_error *err)
{
    if (!f->h.has_layers)
        return TESS_OK;
    const size_t fixed = (size_t)f->h.fixed_size;
    return layers_parse(f->head + fixed, f->head_size - fixed, fixed, LAYERS_HEADER, &f->metas,
                        err);
}

static tess_status
load_trailer(struct frame *f, tess_error *err)
{
    uint8_t end[TRAILER_FIXED_END];
    int64_t length;

    if (!f->h.has_trailer)
        return TESS_OK;
    const int64_t end_at = f->h.frame_len - TRAILER_FIXED_END;
    tess_status st = io_read(f->io, end_at, end, sizeof end, err);
    if (st != TESS_OK)
        return st;
    st = trailer_length(end, f->h.frame_len - f->h.header_len, &length, err);
    if (st != TESS_OK)
        return st;

    const int64_t position = f->h.frame_len - length;
    f->tail_size = (size_t)length;
    st = load(f, position, length, &f->tail, err);
    if (st != TESS_OK)
        return st;
    st = f->h.version == 1 ? trailer_check_v1(f->tail, f->tail_size, err)
                           : trailer_parse(f->tail, f->tail_size, &f->vlmetas, err);
    return st == TESS_OK ? st : err_shift(err, st, position);
}

static tess_status
load_index(struct frame *f, tess_error *err)
{
    uint8_t head[CHUNK_HEADER_SIZE];
    uint8_t *bytes = NULL;
    struct chunk_header h;
    const int64_t nchunks = f->h.chunksize > 0 ? ceil_div(f->h.nbytes, f->h.chunksize) : -1;
    const int64_t position = f->h.header_len + (f->h.sparse ? 0 : f->h.cbytes);
    const int64_t entry_max = f->h.sparse ? UINT32_MAX : f->h.cbytes - CHUNK_HEADER_SIZE;
    const int64_t room = f->h.frame_len - (int64_t)f->tail_size - position;

    if (f->h.nbytes == 0)
        return f->h.version >= 2 ? trailer_check_seal(f->tail, f->tail_size, NULL, 0, err)
                                 : TESS_OK;
    if (nchunks > f->options.limits.nchunks)
        return err_set(err, TESS_ERR_LIMIT, 30, "%" PRId64 " chunks, the limit is %" PRId64,
                       nchunks, f->options.limits.nchunks);
    if (room < CHUNK_HEADER_MIN)
        return err_set(err, TESS_ERR_CORRUPT, position,
                       "%" PRId64 " bytes between chunks and trailer, for an index", room);

    const size_t head_size = (size_t)min_i64(room, CHUNK_HEADER_SIZE);
    tess_status st = io_read(f->io, position, head, head_size, err);
    if (st != TESS_OK)
        return st;
    st = chunk_header_parse(head, head_size, room, 8, &h, err);
    if (st == TESS_OK)
        st = load(f, position, h.cbytes, &bytes, err);
    if (st == TESS_OK && f->h.version >= 2)
        st = trailer_check_seal(f->tail, f->tail_size, bytes, (size_t)h.cbytes, err);
    if (st == TESS_OK)
        st = index_parse(&f->index, bytes, (size_t)h.cbytes, nchunks, entry_max,
                         f->options.limits.memory, err);
    free(bytes);
    if (st == TESS_OK && f->index.nchunks > f->options.limits.nchunks)
        st = err_set(err, TESS_ERR_LIMIT, position, "%" PRId64 " chunks, the limit is %" PRId64,
                     f->index.nchunks, f->options.limits.nchunks);
    if (st == TESS_OK)
        return st;
    err_shift(err, st, position);
    return err_prefix(err, st, "index");
}

// What a frame must be like for us to change it.
static tess_status
prepare_writing(struct frame *f, tess_error *err)
{
    if (f->h.version < 2)
        return err_set(err, TESS_ERR_UNSUPPORTED, 0,
                       "a frame from before c-blosc2 2.0, which can only be read");

    const size_t layers = layers_size(&f->metas);
    uint8_t *const again = malloc(layers);
    if (!again)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for metalayers of %zu bytes", layers);
    layers_write(&f->metas, FRAME_HEADER_SIZE, LAYERS_HEADER, again);
    const bool usual = FRAME_HEADER_SIZE + layers == f->head_size &&
                       memcmp(again, f->head + FRAME_HEADER_SIZE, layers) == 0;
    free(again);
    if (!usual)
        return err_set(err, TESS_ERR_UNSUPPORTED, FRAME_HEADER_SIZE,
                       "metalayers that are not laid out as usual; the file can only be read");

    f->lens[f->next_len++] = f->h.frame_len;
    return f->container->prepare(f, err);
}

static tess_status
load_state(struct frame *f, tess_error *err)
{
    tess_status st = load_header(f, err);
    if (st == TESS_OK)
        st = parse_metas(f, err);
    if (st == TESS_OK)
        st = load_trailer(f, err);
    if (st == TESS_OK)
        st = load_index(f, err);
    return st;
}

// Header, trailer and index were read one after the other. They are of one state, and what is wrong
// with them is, if that state is still the newest.
static tess_status
check_loaded(const struct frame *f, tess_status st, tess_error *err)
{
    tess_error why;
    if (!f->head)
        return st;
    const tess_status now = frame_check_unchanged(f, &why);
    if (st != TESS_OK && now != TESS_ERR_STALE)
        return st;
    if (now != TESS_OK && err)
        *err = why;
    return now;
}

// From the io of header and index on.
static tess_status
open_frame(struct frame *f, struct frame **frame, tess_error *err)
{
    tess_status st = TESS_OK;
    TRY(check_loaded(f, load_state(f, err), err));
    if (f->writable)
        TRY(prepare_writing(f, err));
    *frame = f;
    f = NULL; // now the caller's
out:
    frame_close(f);
    return st;
}

tess_status
frame_open(struct io *io, bool writable, const struct frame_options *options, struct frame **frame,
           tess_error *err)
{
    struct frame *const f = frame_new(io, NULL, options);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    f->writable = writable;
    return open_frame(f, frame, err);
}

tess_status
frame_open_folder(struct folder *folder, bool writable, const struct frame_options *options,
                  struct frame **frame, tess_error *err)
{
    struct frame *const f = frame_new(NULL, folder, options);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    f->writable = writable;
    const tess_status st = folder_read(folder, FRAME_FOLDER_INDEX, &f->io, err);
    if (st != TESS_OK) {
        frame_close(f);
        return st;
    }
    return open_frame(f, frame, err);
}

void
frame_start(struct frame *f, const struct frame_header *h, const struct layers *metas,
            int64_t nchunks, int64_t entry)
{
    f->writable = true;
    f->h = *h;
    f->h.version = h->chunksize == 0 || h->vlblocks ? 3 : 2;
    f->h.sparse = f->folder != NULL;
    f->h.fixed_size = FRAME_HEADER_SIZE;
    f->h.header_len = (int32_t)(FRAME_HEADER_SIZE + layers_size(metas));
    f->h.frame_len = 0;
    f->h.nbytes = nchunks * h->chunksize;
    f->h.cbytes = 0;
    f->metas = *metas;
    index_init_uniform(&f->index, nchunks, entry);
    space_init(&f->space, f->h.header_len, (struct extent){0});
    f->dirty = true;
}

static tess_status
create_frame(struct frame *f, const struct frame_header *h, struct layers *metas, int64_t nchunks,
             int64_t entry, struct frame **frame, tess_error *err)
{
    if (nchunks > INDEX_NCHUNKS_MAX) {
        frame_close(f);
        return err_set(err, TESS_ERR_LIMIT, -1, "%" PRId64 " chunks, a frame has at most %d",
                       nchunks, INDEX_NCHUNKS_MAX);
    }
    frame_start(f, h, metas, nchunks, entry);
    *metas = (struct layers){0};
    *frame = f;
    return TESS_OK;
}

tess_status
frame_create(struct io *io, const struct frame_header *h, struct layers *metas, int64_t nchunks,
             int64_t entry, const struct frame_options *options, struct frame **frame,
             tess_error *err)
{
    struct frame *const f = frame_new(io, NULL, options);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    return create_frame(f, h, metas, nchunks, entry, frame, err);
}

tess_status
frame_create_folder(struct folder *folder, const struct frame_header *h, struct layers *metas,
                    int64_t nchunks, int64_t entry, const struct frame_options *options,
                    struct frame **frame, tess_error *err)
{
    struct frame *const f = frame_new(NULL, folder, options);
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame");
    return create_frame(f, h, metas, nchunks, entry, frame, err);
}
