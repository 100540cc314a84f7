/*
 * sparse.c - arrays of a stranger on disk: a sparse frame in a directory, or a frame in a file.
 *
 * Input: a byte of flags, 32 bytes that decide how the array is changed, the number of chunk files
 * (1 byte); then for each its number (1 byte) and size (2 bytes); then the chunk files, in turn;
 * the rest is chunks.b2frame, or the file.
 *
 * Each array is read twice, the second time through memory maps; both must see the same. Then it
 * may be changed while it is still open for reading.
 */
#include "fuzz/changes.h"
#include "fuzz/look.h"
#include "fuzz/place.h"

enum {
    CHANGE = 1,
    ONE_FILE = 2,
    DECISIONS = 32,
    FILES_MAX = 8,
};

static void
put_files(struct rd *r, bool one_file)
{
    struct {
        unsigned number;
        size_t size;
    } files[FILES_MAX];
    char name[PLACE_NAME_SIZE];

    const int n = (int)draw_below(r, FILES_MAX + 1);
    for (int i = 0; i < n; i++) {
        files[i].number = rd_u8(r);
        files[i].size = rd_u16be(r);
    }
    place_clear();
    for (int i = 0; i < n && !one_file; i++) {
        const size_t size = files[i].size < r->left ? files[i].size : r->left;
        place_chunk_name(files[i].number, name);
        place_put(name, r->at, size);
        (void)rd_take(r, size);
    }
    place_put(one_file ? NULL : "chunks.b2frame", r->at, r->left);
}

// An open array and what was seen of it: the items, if all of them can be read.
struct view {
    tess_status st;
    tess_array *array;
    uint8_t *items;
    size_t size;
};

static struct view
view_open(const tess_storage *storage)
{
    struct view v = {0};
    tess_error err = {0};

    v.st = tess_array_open(storage, &v.array, &err);
    must(!v.array == (v.st != TESS_OK), "an array and a failure, or neither");
    if (v.array)
        v.items = look_at(v.array, &storage->limits, &v.size);
    else
        must(err.status == v.st && err.message[0], "a failure without a sentence");
    return v;
}

static void
view_close(struct view *v)
{
    must(tess_array_close(v->array, NULL) == TESS_OK, "an array that was read cannot be closed");
    free(v->items);
}

static void
must_agree(const struct view *v, const struct view *mapped)
{
    must(v->st == mapped->st, "%s, and mapped %s", tess_status_name(v->st),
         tess_status_name(mapped->st));
    must(!v->items == !mapped->items && v->size == mapped->size,
         "%zu bytes, and mapped %zu, or only one of them can be read", v->size, mapped->size);
    must(!v->items || memcmp(v->items, mapped->items, v->size) == 0, "other items when mapped");
}

// Who has it open while it is changed sees what was there, or is told.
static void
must_be_stale_or_same(const struct view *v)
{
    static const int64_t origin[TESS_MAX_NDIM];
    uint8_t *const items = exact_memory(v->size);
    tess_info info;
    tess_error err = {0};

    tess_array_info(v->array, &info);
    const tess_status st = tess_array_read(v->array, origin, info.shape, items, v->size, &err);
    must(st == TESS_OK || st == TESS_ERR_STALE, "%s", err.message);
    must(st != TESS_OK || memcmp(items, v->items, v->size) == 0,
         "other items since it was changed by somebody else");
    free(items);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rd r = rd_init(data, size);
    tess_storage storage;

    const uint8_t flags = rd_u8(&r);
    const uint8_t *const decisions = rd_take(&r, DECISIONS);
    if (!decisions)
        return 0;
    put_files(&r, flags & ONE_FILE);
    tess_storage_init(&storage);
    storage.path = place_path();
    storage.durability = TESS_DURABILITY_NONE;
    storage.limits = (tess_limits){.memory = LOOK_MEMORY, .nchunks = LOOK_NCHUNKS};
    struct view v = view_open(&storage);
    storage.mmap = true;
    struct view mapped = view_open(&storage);
    storage.mmap = false;
    must_agree(&v, &mapped);
    view_close(&mapped);
    if (flags & CHANGE) {
        (void)change_array(&storage, decisions, DECISIONS);
        if (v.items)
            must_be_stale_or_same(&v);
    }
    view_close(&v);
    return 0;
}
