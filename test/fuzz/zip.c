/*
 * zip.c - a store of arrays opened from the bytes of a zip file of a stranger: its entries, in
 * their order, what was left out, and all of the arrays that are small enough.
 *
 * The last byte of the input also says whether the limits are narrow; a zip file may have a comment
 * behind its list.
 */
#include "fuzz/look.h"

enum { NARROW = 7 };

static const tess_limits wide = {.memory = LOOK_MEMORY, .nchunks = LOOK_NCHUNKS};
static const tess_limits narrow = {.memory = 1 << 12, .nchunks = 4, .ndim = 2};

static void
look_at_entry(tess_store *store, int64_t i, const tess_limits *limits)
{
    tess_entry e;
    tess_array *a;
    tess_error err = {0};
    size_t size;
    tess_store_entry(store, i, &e);
    const int64_t next = tess_store_next(store, i);
    must(e.path[0] == '/', "a path without a slash");
    must(tess_store_find(store, e.path) == i, "%s is not found", e.path);
    must(next > i && next <= tess_store_count(store), "%s ends at %lld", e.path, (long long)next);
    tess_status st = tess_store_array(store, e.path, &a, &err);
    must(!a == (st != TESS_OK), "an array and a failure, or neither");
    must(e.kind != TESS_ENTRY_GROUP || st == TESS_ERR_TYPE, "a group that is an array");
    if (a)
        free(look_at(a, limits, &size));
    else
        must(err.status == st && err.message[0], "a failure without a sentence");
    tess_array_discard(a);
    st = tess_store_attributes(store, e.path, &a, &err);
    must(e.attributes || st == TESS_ERR_NOT_FOUND, "attributes that are not there");
    tess_array_discard(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const image = exact_memory(size);
    const char *name, *reason;
    tess_storage storage;
    tess_store *store;
    tess_error err = {0};

    if (size > 0)
        memcpy(image, data, size);
    tess_storage_init(&storage);
    storage.image = image;
    storage.image_size = size;
    storage.limits = size > 0 && (data[size - 1] & NARROW) == NARROW ? narrow : wide;
    const tess_status st = tess_store_open(&storage, &store, &err);
    must(!store == (st != TESS_OK), "a store and a failure, or neither");
    must(store || (err.status == st && err.message[0]), "a failure without a sentence");
    for (int64_t i = 0; i < tess_store_count(store); i++)
        look_at_entry(store, i, &storage.limits);
    for (int64_t i = 0; tess_store_left_out(store, i, &name, &reason); i++)
        must(reason[0], "%s is left out without a reason", name);
    tess_store_close(store);
    free(image);
    return 0;
}
