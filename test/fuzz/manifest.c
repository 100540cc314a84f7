/*
 * manifest.c - a store of arrays whose commit is the bytes of a stranger: its entries, and all of
 * the arrays; what it has by the number of the commit; and once more after it was opened for
 * writing, changed and committed.
 *
 * The checksum behind the bytes is corrected, unless the last bit of the last byte is set. The
 * other bits say in which phase the commit was left.
 */
#include "frame/format/checksums.h"
#include "fuzz/look.h"
#include "fuzz/store_place.h"

enum { CHECKSUM_SIZE = 8, AS_IT_IS = 1, COMMITTED = 2, MOVED = 4 };

static const tess_limits manifest_limits = {.memory = LOOK_MEMORY, .nchunks = LOOK_NCHUNKS};

static void
look_at_store(tess_store *store)
{
    for (int64_t i = 0; i < tess_store_count(store); i++) {
        tess_entry e;
        tess_array *a;
        tess_error err = {0};
        size_t size;
        tess_store_entry(store, i, &e);
        must(tess_store_find(store, e.path) == i, "%s is not found", e.path);
        const tess_status st = tess_store_array(store, e.path, &a, &err);
        must(!a == (st != TESS_OK), "an array and a failure, or neither");
        must(a || (err.status == st && err.message[0]), "a failure without a sentence");
        if (a)
            free(look_at(a, &manifest_limits, &size));
        tess_array_discard(a);
    }
}

static tess_store *
open_store(tess_mode mode, const char *commit)
{
    tess_storage storage;
    tess_store *store;
    tess_error err = {0};
    tess_storage_init(&storage);
    storage.path = store_place();
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    storage.limits = manifest_limits;
    const tess_status st = commit ? tess_store_open_commit(&storage, commit, &store, &err)
                                  : tess_store_open(&storage, &store, &err);
    must(!store == (st != TESS_OK), "a store and a failure, or neither");
    must(store || (err.status == st && err.message[0]), "a failure without a sentence");
    return store;
}

// What is committed can be read.
static void
change_store(tess_store *store)
{
    const int64_t length = tess_store_count(store);
    tess_array *a = NULL;
    if (tess_store_array(store, "/a", &a, NULL) == TESS_OK)
        (void)!tess_attr_set_int(a, "changed", 1, NULL);
    (void)!tess_store_rename(store, "/g", "/renamed", NULL);
    (void)!tess_store_remove(store, "/b", NULL);
    const bool committed = tess_store_commit(store, NULL) == TESS_OK;
    tess_array_discard(a);
    tess_store_close(store);
    if (!committed || length == 0)
        return;
    store = open_store(TESS_MODE_READ, NULL);
    must(store, "what was committed cannot be opened");
    tess_store_close(store);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t last = size > 0 ? data[size - 1] : 0;
    uint8_t *const bytes = exact_memory(size);
    if (size > 0)
        memcpy(bytes, data, size);
    if (size >= CHECKSUM_SIZE && !(last & AS_IT_IS))
        put_u64le(bytes + size - CHECKSUM_SIZE, checksum_of(bytes, size - CHECKSUM_SIZE));
    store_place_put(last & COMMITTED ? ".commit" : last & MOVED ? ".moved" : "", bytes, size);
    free(bytes);
    tess_store *store = open_store(TESS_MODE_READ, NULL);
    if (store)
        look_at_store(store);
    tess_store_close(store);
    store = open_store(TESS_MODE_READ, "1");
    if (store)
        look_at_store(store);
    tess_store_close(store);
    store = open_store(TESS_MODE_UPDATE, NULL);
    if (store)
        change_store(store);
    return 0;
}
