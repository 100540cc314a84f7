/*
 * memory.c - a frame in memory: the caller's bytes, or a buffer that grows.
 *
 * view() never copies; its result moves when the buffer grows. A large buffer asks for large pages:
 * it takes longer to get a page of 4 KiB from the system than to fill it.
 */
#include "io/memory.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"
#include "io/names/path.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = 1 << 12,
    HUGE_PAGE = 1 << 21,
    HUGE_MIN = 2 * HUGE_PAGE, // bytes of a buffer that is large
    LEAP = 16, // by which it grows at most, to have room for what is expected
    MAPPED_MIN = 32 << 20, // from here on malloc() of glibc always maps a buffer alone
};

struct memory {
    struct io io;
    const uint8_t *bytes; // buffer, or the caller's
    uint8_t *buffer; // NULL when only read
    uint8_t *block; // what was allocated; the buffer stands in it
    size_t size;
    size_t capacity;
};

static struct memory *
memory_of(struct io *io)
{
    return (struct memory *)io;
}

static const uint8_t *
memory_view(struct io *io, int64_t offset, size_t size)
{
    const struct memory *const m = memory_of(io);
    if (offset < 0 || (uint64_t)offset > m->size || size > m->size - (size_t)offset)
        return NULL;
    return m->bytes ? m->bytes + offset : NULL; // no bytes yet
}

static tess_status
memory_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    const uint8_t *const src = memory_view(io, offset, size);
    if (!src && size > 0)
        return err_set(err, TESS_ERR_IO, -1,
                       "%zu bytes wanted at %" PRId64 ", the buffer has %zu bytes", size, offset,
                       memory_of(io)->size);
    if (size > 0)
        memcpy(dst, src, size);
    return TESS_OK;
}

static tess_status
memory_read_many(struct io *io, const tess_range *ranges, size_t n, const struct io_progress *p,
                 tess_error *err)
{
    tess_status st = TESS_OK;
    for (size_t i = 0; i < n && st == TESS_OK; i++)
        st = io_arrive(p, i,
                       memory_read(io, ranges[i].offset, ranges[i].dst, ranges[i].dst_size, err));
    return st;
}

// The capacity when `size` bytes are wanted: twice the present one at least; of a large buffer a
// multiple of a large page.
static size_t
roomy(const struct memory *m, size_t size)
{
    const size_t twice = m->capacity <= SIZE_MAX / 2 ? 2 * m->capacity : SIZE_MAX;
    const size_t wanted = size > twice ? size : twice;
    if (wanted < HUGE_MIN || wanted > SIZE_MAX / (2 * LEAP))
        return wanted;
    return (wanted + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

// The same with room for all that is expected, so that the buffer need not be copied when that
// comes. Pages that are not touched take no memory.
static size_t
roomier(const struct memory *m, size_t capacity)
{
    const uint64_t expected = m->io.expected > 0 ? (uint64_t)m->io.expected : 0;
    if (capacity < HUGE_MIN || expected <= capacity || capacity > SIZE_MAX / (2 * LEAP))
        return capacity;
    const size_t most = expected < LEAP * capacity ? (size_t)expected : LEAP * capacity;
    return (most + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

// All pages of the block, the first and the last too: Linux does not move a mapping whose parts
// were advised differently, and realloc() would copy it.
static void
ask_for_huge_pages(uint8_t *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    const size_t before = (uintptr_t)block % PAGE;
    const size_t all = before + size + PAGE - 1;
    (void)madvise(block - before, all - all % PAGE, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size;
#endif
}

static uint8_t *
first_huge_page(uint8_t *block)
{
    return block + (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
}

/*
 * Linux makes a page large only if madvise() asks for that before any byte of the page is touched.
 * malloc() writes in front of the block it returns, so the buffer starts at the first large page
 * inside of the block.
 *
 * From MAPPED_MIN on malloc() has given the block a mapping of its own, which realloc() moves
 * without a copy. Smaller blocks it would copy to small pages; they are copied here, to a new block
 * whose pages are asked for first.
 */
static bool
reserve_large(struct memory *m, size_t capacity)
{
    if (capacity > SIZE_MAX - HUGE_PAGE)
        return false;
    const bool moves = m->capacity >= MAPPED_MIN;
    const size_t size = capacity + HUGE_PAGE;
    const size_t before = moves ? (size_t)(m->buffer - m->block) : 0;
    uint8_t *const block = moves ? mem_resize(m->block, size) : mem_alloc(size);
    if (!block)
        return false;
    ask_for_huge_pages(block, size);
    uint8_t *const buffer = first_huge_page(block);
    if (!moves) {
        if (m->size > 0)
            memcpy(buffer, m->buffer, m->size);
        mem_free(m->block);
    } else if (buffer != block + before) {
        memmove(buffer, block + before, m->size);
    }
    m->block = block;
    m->buffer = buffer;
    m->capacity = capacity;
    return true;
}

static bool
reserve_small(struct memory *m, size_t capacity)
{
    uint8_t *const block = mem_resize(m->block, capacity);
    if (!block)
        return false;
    m->block = m->buffer = block;
    m->capacity = capacity;
    return true;
}

static tess_status
memory_reserve(struct memory *m, size_t size, tess_error *err)
{
    if (size <= m->capacity)
        return TESS_OK;
    const size_t capacity = roomy(m, size);
    const bool done = capacity < HUGE_MIN
                          ? reserve_small(m, capacity)
                          : reserve_large(m, roomier(m, capacity)) || reserve_large(m, capacity);
    if (!done)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a frame of %zu bytes", size);
    m->bytes = m->buffer;
    return TESS_OK;
}

// Zeros between the end of what is there and `offset`.
static void
fill_gap(struct memory *m, size_t offset)
{
    if (offset > m->size)
        memset(m->buffer + m->size, 0, offset - m->size);
}

static tess_status
memory_truncate(struct io *io, int64_t size, tess_error *err)
{
    struct memory *const m = memory_of(io);
    size_t wanted;
    if (!to_size(size, &wanted))
        return err_set(err, TESS_ERR_LIMIT, -1, "%" PRId64 " bytes do not fit in memory", size);
    const tess_status st = memory_reserve(m, wanted, err);
    if (st != TESS_OK)
        return st;
    fill_gap(m, wanted);
    m->size = wanted;
    return TESS_OK;
}

static tess_status
memory_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    struct memory *const m = memory_of(io);
    int64_t end;
    if (size == 0) // as in a file, this makes nothing longer
        return TESS_OK;
    if (!add_i64(offset, (int64_t)size, &end))
        return err_set(err, TESS_ERR_LIMIT, -1, "%zu bytes at %" PRId64 " do not fit in memory",
                       size, offset);
    const tess_status st = memory_reserve(m, (size_t)end, err);
    if (st != TESS_OK)
        return st;
    fill_gap(m, (size_t)offset);
    memcpy(m->buffer + offset, src, size);
    if ((size_t)end > m->size)
        m->size = (size_t)end;
    return TESS_OK;
}

static tess_status
memory_size(struct io *io, int64_t *size, tess_error *err)
{
    (void)err;
    *size = (int64_t)memory_of(io)->size;
    return TESS_OK;
}

static tess_status
memory_nothing(struct io *io, tess_error *err)
{
    (void)io;
    (void)err;
    return TESS_OK;
}

static tess_status
memory_identify(struct io *io, struct io_identity *identity, tess_error *err)
{
    (void)io;
    *identity = (struct io_identity){0};
    (void)err;
    return TESS_OK;
}

static tess_status
memory_publish(struct io *io, bool durable, tess_error *err)
{
    (void)durable;
    return memory_nothing(io, err);
}

static void
memory_close(struct io *io)
{
    mem_free(memory_of(io)->block);
    mem_free(io);
}

static const struct io_ops memory_ops = {
    .read = memory_read,
    .read_many = memory_read_many,
    .write = memory_write,
    .view = memory_view,
    .size = memory_size,
    .truncate = memory_truncate,
    .sync = memory_nothing,
    .publish = memory_publish,
    .identify = memory_identify,
    .close = memory_close,
};

tess_status
io_memory_view(const void *image, size_t size, struct io **io, tess_error *err)
{
    struct memory *const m = mem_zeroed(1, sizeof *m);
    if (!m)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an io");
    m->io.ops = &memory_ops;
    m->io.in_memory = true;
    m->bytes = image;
    m->size = size;
    *io = &m->io;
    return TESS_OK;
}

tess_status
io_memory_new(const void *image, size_t size, struct io **io, tess_error *err)
{
    struct io *made = NULL;
    tess_status st = io_memory_view(NULL, 0, &made, err);
    if (st != TESS_OK)
        return st;
    made->writable = true;
    st = memory_write(made, 0, image, size, err);
    if (st != TESS_OK) {
        io_close(made);
        return st;
    }
    *io = made;
    return TESS_OK;
}

void
io_memory_take(struct io *io, void **bytes, size_t *size)
{
    struct memory *const m = memory_of(io);
    if (m->buffer != m->block)
        memmove(m->block, m->buffer, m->size);
    uint8_t *const fitting = m->size > 0 ? mem_resize(m->block, m->size) : NULL;
    *bytes = fitting ? fitting : m->block;
    *size = m->size;
    m->block = m->buffer = NULL;
    m->bytes = NULL;
    m->size = m->capacity = 0;
}

// -- as a kind of storage

static bool
has_image(const tess_storage *storage)
{
    return !storage->path && storage->image;
}

static bool
has_no_place(const tess_storage *storage)
{
    return !storage->path && !storage->source;
}

static tess_status
memory_open_stored(const tess_storage *storage, bool writable, struct io **io,
                   struct folder **folder, tess_error *err)
{
    (void)folder;
    if (writable)
        return io_memory_new(storage->image, storage->image_size, io, err);
    return io_memory_view(storage->image, storage->image_size, io, err);
}

static tess_status
memory_create_stored(const tess_storage *storage, const struct folder_kind *parts, struct io **io,
                     struct folder **folder, tess_error *err)
{
    (void)storage, (void)parts, (void)folder;
    return io_memory_new(NULL, 0, io, err);
}

const struct storage_kind storage_memory = {
    .name = "memory",
    .layout = TESS_LAYOUT_CONTIGUOUS,
    .holds = has_image,
    .takes = has_no_place,
    .open = memory_open_stored,
    .create = memory_create_stored,
};
