/*
 * embedded.c - arrays inside of embed.b2e.
 *
 * python-blosc2 puts small arrays there (EmbedStore): the bytes of their frames stand one after the
 * other as the items of a super-chunk. Its attribute estore_metadata is a map; in it, embed_map has
 * a map of offset and length for each path. One of urlbase and path is an array on a server.
 */
#include "store/store.h"

#include "array/array.h"
#include "array/open/open.h"
#include "array/plain/plain.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "store/listing.h"

#include <tessera/params.h>

#include <string.h>

static const char EMBEDDED_FILE[] = "embed.b2e";
static const char UNREADABLE[] = "its list of arrays cannot be read";

static bool
is_count(const tess_value *v, int64_t *n)
{
    if (!v || v->type != TESS_VALUE_INT || v->as.i64 < 0)
        return false;
    *n = v->as.i64;
    return true;
}

// What is embedded has a lower rank than files and members.
static tess_status
add_pair(struct listing *t, const tess_pair *pair, int64_t nbytes, int64_t rank, tess_error *err)
{
    const char *const path = pair->key.as.string.data;
    const size_t size = pair->key.as.string.size;
    struct place at = {.kind = PLACE_EMBEDDED, .rank = rank};
    int64_t end;
    if (pair->key.type != TESS_VALUE_STRING)
        return listing_leave_out(t, EMBEDDED_FILE, strlen(EMBEDDED_FILE), "a path that is no text",
                                 err);
    if (tess_value_find(&pair->value, "urlbase"))
        return listing_leave_out(t, path, size, "it refers to an array on a server", err);
    if (!is_count(tess_value_find(&pair->value, "offset"), &at.offset) ||
        !is_count(tess_value_find(&pair->value, "length"), &at.size) ||
        !add_i64(at.offset, at.size, &end) || end > nbytes)
        return listing_leave_out(t, path, size, "its place in embed.b2e is not there", err);
    return listing_add_embedded(t, path, size, &at, err);
}

static bool
is_damage(tess_status st)
{
    return st == TESS_ERR_CORRUPT || st == TESS_ERR_FORMAT || st == TESS_ERR_UNSUPPORTED ||
           st == TESS_ERR_NOT_FOUND || st == TESS_ERR_LIMIT;
}

tess_status
embedded_add(tess_store *s, tess_error *err)
{
    struct listing *const t = &s->listing;
    tess_array *a = NULL;
    tess_value *list = NULL;
    if (t->embedded.kind == PLACE_NONE)
        return TESS_OK;
    tess_status st = store_open_place(s, &t->embedded, &a, err);
    if (st == TESS_OK)
        st = array_attr_get(a, "estore_metadata", &list, err);
    const tess_value *const map = list ? tess_value_find(list, "embed_map") : NULL;
    if (is_damage(st) || (st == TESS_OK && (!map || map->type != TESS_VALUE_MAP ||
                                            a->g->ndim != 1 || a->g->typesize != 1)))
        st = listing_leave_out(t, EMBEDDED_FILE, strlen(EMBEDDED_FILE), UNREADABLE, err);
    else if (st == TESS_OK)
        for (size_t i = 0; i < map->as.map.count && st == TESS_OK; i++)
            st = add_pair(t, &map->as.map.pairs[i], a->g->nitems, (int64_t)i - INT64_MAX, err);
    mem_free(list);
    array_free(a);
    return st;
}

tess_status
embedded_make(const tess_store *s, tess_array **out, tess_error *err)
{
    enum { CHUNKSIZE = 8192 }; // as python-blosc2 has it
    static const char version[] = "\x81\xa7version\x01"; // msgpack: {"version": 1}
    static const char none[] = "\x82\xa9" // {"embed_map": {}, "current_offset": 0}
                               "embed_map\x80\xae"
                               "current_offset";
    const tess_metalayer tree = {.name = "b2tree", .content = version, .size = sizeof version - 1};
    const struct array_content content = {.plain = true};
    tess_storage storage;
    tess_params params;
    struct home home;
    tess_array *a = NULL;
    char *const path = s ? store_path_of(s, EMBEDDED_FILE) : NULL;
    if (s && !path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    tess_storage_init(&storage);
    if (s)
        storage = s->storage;
    storage.path = path;
    storage.mode = TESS_MODE_NEW;
    tess_params_init(&params);
    params.typesize = 1;
    params.metalayers = &tree;
    params.nmetalayers = 1;
    tess_status st = home_create(&storage, TESS_LAYOUT_CONTIGUOUS, &home, err);
    if (st == TESS_OK)
        st = array_create(&home, &storage, &params, &content, &a, err);
    if (st == TESS_OK)
        st = plain_set_chunksize(a, CHUNKSIZE, err);
    if (st == TESS_OK) // the NUL behind the text is the number 0
        st = array_vlmeta_set(a, "estore_metadata", none, sizeof none, err);
    if (st == TESS_OK)
        st = array_commit(a, err);
    if (st == TESS_OK && out)
        *out = a;
    else
        array_free(a);
    mem_free(path);
    return st;
}
