/*
 * sparse.c - arrays of a stranger on disk: a sparse frame in a directory, or a frame in a file.
 *
 * Input: a byte of flags, 32 bytes that decide how the array is changed, the number of chunk files
 * (1 byte); then for each its number (1 byte) and size (2 bytes); then the chunk files, in turn;
 * the rest is chunks.b2frame, or the file.
 *
 * Each array is read twice, the second time through memory maps; both must see the same. Then it
 * may be changed.
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

// What was seen: the items, if all of them can be read.
struct view {
    tess_status st;
    uint8_t *items;
    size_t size;
};

static struct view
view(const tess_storage *storage)
{
    struct view v = {0};
    tess_array *a;
    tess_error err = {0};

    v.st = tess_array_open(storage, &a, &err);
    must(!a == (v.st != TESS_OK), "an array and a failure, or neither");
    if (v.st == TESS_OK) {
        v.items = look_at(a, &storage->limits, &v.size);
        must(tess_array_close(a, NULL) == TESS_OK, "an array that was read cannot be closed");
    } else {
        must(err.status == v.st && err.message[0], "a failure without a sentence");
    }
    return v;
}

static void
read_twice(tess_storage storage)
{
    storage.limits = (tess_limits){.memory = LOOK_MEMORY, .nchunks = LOOK_NCHUNKS};
    const struct view read = view(&storage);
    storage.mmap = true;
    const struct view mapped = view(&storage);
    must(read.st == mapped.st, "%s, and mapped %s", tess_status_name(read.st),
         tess_status_name(mapped.st));
    must(!read.items == !mapped.items && read.size == mapped.size,
         "%zu bytes, and mapped %zu, or only one of them can be read", read.size, mapped.size);
    must(!read.items || memcmp(read.items, mapped.items, read.size) == 0,
         "other items when mapped");
    free(mapped.items);
    free(read.items);
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
    read_twice(storage);
    if (flags & CHANGE)
        (void)change_array(&storage, decisions, DECISIONS);
    return 0;
}
