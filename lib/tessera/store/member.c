/*
 * member.c - members of a zip file as sources: objects that stand in its bytes.
 *
 * The local header in front of a member says where its bytes start. Where the file is far, the
 * header is read with the first and the last bytes of the member, in one round trip.
 */
#include "store/store.h"

#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"
#include "io/source.h"
#include "store/zip.h"

#include <string.h>

enum { FAR_LATENCY = 1000 }; // microseconds: as any source that is far

struct member {
    tess_store *store; // held
    const struct zip_member *m;
    int64_t end; // of the room that it has
    int64_t start; // of its bytes; -1: not known yet
};

static tess_status
member_find_start(struct member *x, tess_error *err)
{
    if (x->start >= 0)
        return TESS_OK;
    const size_t size = ZIP_LOCAL_SIZE + x->m->name_size;
    uint8_t *const local = mem_alloc(size);
    if (!local)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the header of a member");
    tess_status st = io_read(x->store->io, x->m->local, local, size, err);
    if (st == TESS_OK)
        st = zip_data_start(x->m, local, x->end, &x->start, err);
    mem_free(local);
    return st;
}

static tess_status
member_state(void *user, tess_source_state *state, tess_error *err)
{
    struct member *const x = user;
    state->size = x->m->size;
    state->guarded = x->store->io->guarded || x->store->io->in_memory;
    return member_find_start(x, err);
}

static tess_status
member_read(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
            tess_error *err)
{
    enum { FEW = 64 };
    const struct member *const x = user;
    tess_range few[FEW] = {{0}};
    tess_range *const moved = n <= FEW ? few : mem_zeroed(n, sizeof *moved);
    if (!moved)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu ranges", n);
    for (size_t i = 0; i < n; i++) { // they lie inside the member (io/source.c)
        moved[i] = ranges[i];
        moved[i].offset += x->start;
    }
    const tess_status st = io_read_many(x->store->io, moved, n, reading->progress, err);
    if (moved != few)
        mem_free(moved);
    return st;
}

/*
 * The local header, and both ends, with one read of one range or two. From the local header on, the
 * bytes of the member start at `least`, at the earliest, or at `most`: both ranges are so long that
 * they have the ends in either case.
 */
static tess_status
member_ends(void *user, tess_source_state *state, void *first, size_t first_size, void *last,
            size_t last_size, tess_error *err)
{
    enum { SLACK = 64 }; // bytes that the local extra field may have more than that of the list
    struct member *const x = user;
    const int64_t local = x->m->local, room = x->end - local, size = x->m->size,
                  front = min_i64((int64_t)first_size, size),
                  back = min_i64((int64_t)last_size, size);
    const int64_t least = ZIP_LOCAL_SIZE + (int64_t)x->m->name_size,
                  most = min_i64(least + (int64_t)x->m->extra_size + SLACK, room - size),
                  head = most + front, tail = max_i64(least + size - back, head),
                  stop = max_i64(most + size, tail);
    uint8_t *const bytes = mem_alloc((size_t)(head + stop - tail));
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the ends of a member");
    const tess_range ranges[] = {
        {local, bytes, (size_t)head},
        {local + tail, bytes + head, (size_t)(stop - tail)},
    };
    tess_status st = io_read_many(x->store->io, ranges, stop > tail ? 2 : 1, NULL, err);
    if (st == TESS_OK)
        st = zip_data_start(x->m, bytes, x->end, &x->start, err);
    const int64_t start = x->start - local, from = start + size - back;
    if (st == TESS_OK && start <= most) {
        // Ranges that meet stand one behind the other, as if they were one.
        memcpy(first, bytes + start, (size_t)front);
        memcpy(last, bytes + (tail > head ? from - tail + head : from), (size_t)back);
    } else if (st == TESS_OK) {
        st = io_read(x->store->io, x->start, first, (size_t)front, err);
        if (st == TESS_OK)
            st = io_read(x->store->io, x->start + size - back, last, (size_t)back, err);
    }
    mem_free(bytes);
    state->size = size;
    state->guarded = x->store->io->guarded || x->store->io->in_memory;
    return st;
}

static void
member_close(void *user)
{
    struct member *const x = user;
    store_release(x->store);
    mem_free(x);
}

tess_status
member_source(const tess_store *s, int64_t index, tess_source *source, tess_error *err)
{
    const struct zip *const zip = &s->zip;
    struct member *const x = mem_alloc(sizeof *x);
    if (!x)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a member of a zip file");
    *x = (struct member){
        .store = (tess_store *)s,
        .m = &zip->members[index],
        .end = index + 1 < zip->nmembers ? zip->members[index + 1].local : zip->directory_at,
        .start = -1,
    };
    atomic_fetch_add(&x->store->users, 1);
    *source = (tess_source){
        .struct_size = sizeof *source,
        .user = x,
        .name = x->m->name,
        .latency = s->io->manner.far ? FAR_LATENCY : 0,
        .requests = s->io->manner.requests,
        .state = member_state,
        .read = member_read,
        .ends = member_ends,
        .close = member_close,
    };
    return TESS_OK;
}

// -- bytes in memory

struct held_bytes {
    uint8_t *bytes;
    size_t size;
};

static tess_status
bytes_state(void *user, tess_source_state *state, tess_error *err)
{
    (void)err;
    state->size = (int64_t)((struct held_bytes *)user)->size;
    state->guarded = true;
    return TESS_OK;
}

static tess_status
bytes_read(void *user, const tess_range *ranges, size_t n, const tess_reading *reading,
           tess_error *err)
{
    (void)reading, (void)err;
    for (size_t i = 0; i < n; i++)
        memcpy(ranges[i].dst, ((struct held_bytes *)user)->bytes + ranges[i].offset,
               ranges[i].dst_size);
    return TESS_OK;
}

static void
bytes_close(void *user)
{
    mem_free(((struct held_bytes *)user)->bytes);
    mem_free(user);
}

tess_status
bytes_source(uint8_t *bytes, size_t size, tess_source *source, tess_error *err)
{
    struct held_bytes *const held = mem_alloc(sizeof *held);
    if (!held) {
        mem_free(bytes);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array");
    }
    *held = (struct held_bytes){bytes, size};
    *source = (tess_source){
        .struct_size = sizeof *source,
        .user = held,
        .state = bytes_state,
        .read = bytes_read,
        .close = bytes_close,
    };
    return TESS_OK;
}

// -- what is there

tess_status
store_open_in_source(const tess_store *s, tess_source *source, tess_array **a, tess_error *err)
{
    tess_storage storage = s->storage;
    storage.path = NULL;
    storage.image = NULL;
    storage.mmap = false;
    storage.mode = TESS_MODE_READ;
    storage.source = source;
    const tess_status st = array_open_newest(&storage, a, err);
    if (st != TESS_OK)
        source->close(source->user);
    return st;
}

tess_status
store_open_as_it_is(const tess_store *s, const char *file, bool plain, tess_array **a,
                    tess_error *err)
{
    tess_storage storage = s->storage;
    char *const path = store_path_of(s, file);
    *a = NULL;
    if (!path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    storage.path = path;
    storage.mode = TESS_MODE_READ;
    storage.plain |= plain;
    storage.mmap &= !plain;
    const tess_status st = array_open_newest(&storage, a, err);
    mem_free(path);
    return st;
}
