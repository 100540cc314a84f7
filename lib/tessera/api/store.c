/*
 * store.c - the public functions on stores of arrays.
 */
#include "store/store.h"

#include "api/take.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/sized.h"
#include "store/listing.h"

#include <tessera/store.h>

TESS_API tess_status
tess_store_open(const tess_storage *storage, tess_store **store, tess_error *err)
{
    UNCANCELLED;
    struct taken_storage at;
    if (!store)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the store is given");
    *store = NULL;
    const tess_status st = take_storage(&at, storage, err);
    return st == TESS_OK ? store_open(&at.storage, store, err) : st;
}

TESS_API void
tess_store_close(tess_store *store)
{
    UNCANCELLED;
    store_release(store);
}

TESS_API int64_t
tess_store_count(const tess_store *store)
{
    return store ? store->listing.nnodes : 0;
}

TESS_API void
tess_store_entry_sized(const tess_store *store, int64_t index, tess_entry *entry, size_t entry_size)
{
    tess_entry own = {.path = NULL};
    if (!entry)
        return;
    if (store && index >= 0 && index < store->listing.nnodes) {
        const struct node *const node = &store->listing.nodes[index];
        own = (tess_entry){
            .path = node->path,
            .kind = node->kind,
            .size = node->at.size,
            .attributes = node->attributes.kind != PLACE_NONE,
        };
    }
    sized_give(entry, entry_size, &own, sizeof own);
}

TESS_API int64_t
tess_store_find(const tess_store *store, const char *path)
{
    return store && path ? listing_find(&store->listing, path) : -1;
}

TESS_API int64_t
tess_store_next(const tess_store *store, int64_t index)
{
    return store && index >= 0 && index < store->listing.nnodes ? store->listing.nodes[index].next
                                                                : -1;
}

// The entry of a path, and a place for what is opened there.
static tess_status
find_entry(const tess_store *store, const char *path, tess_array **a, const struct node **node,
           tess_error *err)
{
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the array is given");
    *a = NULL;
    if (!store || !path)
        return err_set(err, TESS_ERR_ARG, -1, "no store, or no path, is given");
    const int64_t i = listing_find(&store->listing, path);
    if (i < 0)
        return err_set(err, TESS_ERR_NOT_FOUND, -1, "the store has no entry %s", path);
    *node = &store->listing.nodes[i];
    return TESS_OK;
}

TESS_API tess_status
tess_store_array(const tess_store *store, const char *path, tess_array **a, tess_error *err)
{
    UNCANCELLED;
    const struct node *node = NULL;
    tess_status st = find_entry(store, path, a, &node, err);
    if (st != TESS_OK)
        return st;
    if (node->at.kind == PLACE_NONE)
        return err_set(err, TESS_ERR_TYPE, -1, "%s is a group, not an array", node->path);
    st = store_open_place(store, &node->at, a, err);
    return st == TESS_OK ? st : err_prefix(err, st, "%s", node->path);
}

TESS_API tess_status
tess_store_attributes(const tess_store *store, const char *path, tess_array **a, tess_error *err)
{
    UNCANCELLED;
    const struct node *node = NULL;
    tess_status st = find_entry(store, path, a, &node, err);
    if (st != TESS_OK)
        return st;
    if (node->attributes.kind == PLACE_NONE)
        return err_set(err, TESS_ERR_NOT_FOUND, -1, "%s has no attributes", node->path);
    st = store_open_place(store, &node->attributes, a, err);
    return st == TESS_OK ? st : err_prefix(err, st, "attributes of %s", node->path);
}

TESS_API bool
tess_store_left_out(const tess_store *store, int64_t index, const char **name, const char **reason)
{
    if (!store || !name || !reason || index < 0 || index >= store->listing.nleft)
        return false;
    *name = store->listing.left[index].name;
    *reason = store->listing.left[index].reason;
    return true;
}
