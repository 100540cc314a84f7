/*
 * save.c - a store, copied as it is read: to a zip file, or to a new directory.
 *
 * In a zip file, each frame is a member with its bytes as they are, from the first to the last one
 * of its state. Members stand by their size, as python-blosc2 has them, and embed.b2e, which it
 * asks for, last.
 */
#include "store/store.h"

#include "array/array.h"
#include "array/keep/keep.h"
#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/contiguous/held.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "io/io.h"
#include "store/listing.h"
#include "store/writer.h"
#include "store/zip_write.h"

#include <tessera/params.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPY_PIECE = 1 << 20, MEMBER_NAME_SIZE = 4096 + 32 };

static const char EMBEDDED_NAME[] = "embed.b2e";
static const char ATTRIBUTES[] = "/" LISTING_ATTRIBUTES ".b2f"; // of a group

// What becomes a member.
struct item {
    const struct place *at;
    const char *path; // of the entry; NULL: embed.b2e
    tess_entry_kind kind; // TESS_ENTRY_GROUP: its attributes
};

struct items {
    struct item *list;
    size_t n;
};

// The name of its file.
static void
name_item(const struct item *item, char *name)
{
    if (!item->path)
        snprintf(name, MEMBER_NAME_SIZE, "%s", EMBEDDED_NAME);
    else // the root has no name in front of its attributes
        snprintf(name, MEMBER_NAME_SIZE, "%s%s", item->path + 1,
                 item->kind == TESS_ENTRY_GROUP ? ATTRIBUTES + (item->path[1] ? 0 : 1)
                                                : listing_endings[item->kind]);
}

static int
by_size(const void *a, const void *b)
{
    const struct item *const x = a, *const y = b;
    if (!x->path != !y->path)
        return x->path ? -1 : 1;
    return (x->at->size > y->at->size) - (x->at->size < y->at->size);
}

static void
add_item(struct items *items, const struct place *at, const char *path, tess_entry_kind kind,
         bool embedded)
{
    if (at->kind != PLACE_NONE && (embedded || at->kind != PLACE_EMBEDDED))
        items->list[items->n++] = (struct item){at, path, kind};
}

// embedded: what is in embed.b2e counts for itself; else that is one item.
static tess_status
list_items(const tess_store *s, bool embedded, struct items *items, tess_error *err)
{
    const struct listing *const l = &s->listing;
    *items = (struct items){.list = mem_zeroed(2 * (size_t)l->nnodes + 1, sizeof *items->list)};
    if (!items->list)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " entries", l->nnodes);
    for (int64_t i = 0; i < l->nnodes; i++) {
        const struct node *const node = &l->nodes[i];
        add_item(items, &node->at, node->path, node->kind, embedded);
        add_item(items, &node->attributes, node->path, TESS_ENTRY_GROUP, embedded);
    }
    if (!embedded)
        add_item(items, &l->embedded, NULL, TESS_ENTRY_SCHUNK, true);
    qsort(items->list, items->n, sizeof *items->list, by_size);
    return TESS_OK;
}

// -- to a zip file

// Bytes of a frame in pieces.
static tess_status
each_piece(const struct frame *f, int64_t size, struct zip_write *z, uint32_t *checksum,
           tess_error *err)
{
    tess_status st = TESS_OK;
    uint8_t *const piece = mem_alloc((size_t)min_i64(size, COPY_PIECE));
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a piece of a file");
    for (int64_t at = 0; at < size && st == TESS_OK; at += COPY_PIECE) {
        const size_t n = (size_t)min_i64(size - at, COPY_PIECE);
        st = frame_read_bytes(f, at, piece, n, err);
        if (st == TESS_OK && z)
            st = zip_write_bytes(z, piece, n, err);
        else if (st == TESS_OK)
            *checksum = zip_checksum(*checksum, piece, n);
    }
    mem_free(piece);
    return st;
}

static tess_status
save_array(struct zip_write *z, const char *name, const tess_array *a, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    uint32_t checksum = 0;
    if (frame_is_sparse(f))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1, "a sparse array cannot be in a zip file");
    const int64_t size = frame_bytes(f);
    tess_status st = each_piece(f, size, NULL, &checksum, err);
    if (st == TESS_OK)
        st = zip_write_member(z, name, size, checksum, err);
    return st == TESS_OK ? each_piece(f, size, z, &checksum, err) : st;
}

static tess_status
save_item(tess_store *s, const struct item *item, struct zip_write *z, tess_error *err)
{
    char name[MEMBER_NAME_SIZE];
    tess_array *a = NULL;
    name_item(item, name);
    tess_status st = store_open_place(s, item->at, &a, err);
    if (st == TESS_OK) {
        st = save_array(z, name, a, err);
        st = array_check_current(a, st, err); // what was read twice is the same
    }
    array_free(a);
    return st == TESS_OK ? st : err_prefix(err, st, "%s", name);
}

static tess_status
save_embedded(struct zip_write *z, tess_error *err)
{
    tess_array *a = NULL;
    tess_status st = embedded_make(NULL, &a, err);
    if (st == TESS_OK)
        st = save_array(z, EMBEDDED_NAME, a, err);
    array_free(a);
    return st;
}

static tess_status
save_zip(tess_store *s, const tess_storage *to, tess_error *err)
{
    struct items items = {0};
    struct zip_write z = {0};
    struct home home;
    tess_status st = list_items(s, false, &items, err);
    if (st == TESS_OK)
        st = home_create(to, TESS_LAYOUT_CONTIGUOUS, &home, err);
    if (st != TESS_OK) {
        mem_free(items.list);
        return st;
    }
    zip_write_init(&z, home.at.io);
    for (size_t i = 0; i < items.n && st == TESS_OK; i++)
        st = save_item(s, &items.list[i], &z, err);
    if (st == TESS_OK && s->listing.embedded.kind == PLACE_NONE)
        st = save_embedded(&z, err);
    if (st == TESS_OK)
        st = zip_write_end(&z, err);
    if (st == TESS_OK && to->durability >= TESS_DURABILITY_ORDERED)
        st = io_sync(home.at.io, err);
    if (st == TESS_OK)
        st = io_publish(home.at.io, to->durability >= TESS_DURABILITY_ORDERED, err);
    home_close(&home);
    zip_write_finish(&z);
    mem_free(items.list);
    return st;
}

// -- to a new directory

static tess_status
copy_item(tess_store *s, const struct item *item, tess_store *to, tess_error *err)
{
    tess_storage storage = to->storage;
    char path[MEMBER_NAME_SIZE];
    tess_array *a = NULL;
    const bool attributes = item->kind == TESS_ENTRY_GROUP;
    snprintf(path, sizeof path, "%s%s", item->path, attributes ? "/" LISTING_ATTRIBUTES : "");
    storage.path = path;
    storage.store = to;
    storage.mode = TESS_MODE_NEW;
    tess_status st = store_open_place(s, item->at, &a, err);
    if (st == TESS_OK)
        st = writer_place(to, &storage, attributes ? TESS_ENTRY_SCHUNK : item->kind, err);
    if (st == TESS_OK)
        st = array_save(a, &storage, TESS_LAYOUT_CONTIGUOUS, err);
    array_free(a);
    return st == TESS_OK ? st : err_prefix(err, st, "%s", item->path);
}

static tess_status
save_directory(tess_store *s, const tess_storage *to, tess_error *err)
{
    struct items items = {0};
    tess_store *copy = NULL;
    tess_storage storage = *to;
    storage.mode = TESS_MODE_NEW;
    tess_status st = list_items(s, true, &items, err);
    if (st == TESS_OK)
        st = store_open(&storage, NULL, &copy, err);
    for (size_t i = 0; i < items.n && st == TESS_OK; i++)
        st = copy_item(s, &items.list[i], copy, err);
    if (st == TESS_OK)
        st = store_commit(copy, err);
    store_close(copy);
    mem_free(items.list);
    return st;
}

static bool
is_zip_name(const char *path)
{
    const size_t size = path ? strlen(path) : 0;
    return size > 4 && memcmp(path + size - 4, ".b2z", 4) == 0;
}

tess_status
store_save(tess_store *s, const tess_storage *to, tess_error *err)
{
    if (to->mode != TESS_MODE_NEW && to->mode != TESS_MODE_REPLACE)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a store is saved with TESS_MODE_NEW or TESS_MODE_REPLACE");
    if (s->writer)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a store that is open for writing is not saved: open it for reading");
    if (!to->path || is_zip_name(to->path))
        return save_zip(s, to, err);
    if (to->mode == TESS_MODE_REPLACE)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "a directory of arrays is not replaced; a zip file, .b2z, is");
    return save_directory(s, to, err);
}
