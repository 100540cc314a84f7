/*
 * entries.c - entries of a store, by path: opened as arrays, and links, which lead to others.
 *
 * A link is an empty frame, whose file ends with .b2link; its attribute "target" is the path of
 * another entry. So it is committed, renamed, removed and copied as all other files are.
 */
#include "store/store.h"

#include "array/array.h"
#include "array/update.h"
#include "base/error.h"
#include "base/memory.h"
#include "meta/value.h"
#include "store/listing.h"
#include "store/writer.h"

#include <tessera/attr.h>

#include <string.h>

tess_status
store_find_node(tess_store *s, const char *path, const struct node **node, tess_error *err)
{
    const tess_status st = s->writer ? writer_relist(s, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    const int64_t i = listing_find(&s->listing, path);
    if (i < 0 && s->writer)
        return writer_no_entry(s, path, err);
    if (i < 0)
        return err_set(err, TESS_ERR_NOT_FOUND, -1, "the store has no entry %s", path);
    *node = &s->listing.nodes[i];
    return TESS_OK;
}

tess_status
store_open_node(tess_store *s, const struct place *at, tess_array **a, tess_error *err)
{
    return s->writer && at->kind == PLACE_FILE ? writer_open_file(s, at->file, a, err)
                                               : store_open_place(s, at, a, err);
}

// -- links

static const char TARGET[] = "target";

// Of an open link. The text is allocated.
static tess_status
read_target(const tess_array *link, char **target, tess_error *err)
{
    tess_value *value = NULL;
    *target = NULL;
    tess_status st = array_attr_get(link, TARGET, &value, err);
    if (st == TESS_ERR_NOT_FOUND || (st == TESS_OK && value->type != TESS_VALUE_STRING))
        st = err_set(err, TESS_ERR_CORRUPT, -1, "the link has no attribute \"%s\" with a text",
                     TARGET);
    if (st == TESS_OK) {
        const char *const text = value->as.string.data;
        const size_t slash = value->as.string.size > 0 && text[0] == '/';
        if (strlen(text) != value->as.string.size ||
            listing_name_fault(text + slash, value->as.string.size - slash))
            st = err_set(err, TESS_ERR_CORRUPT, -1, "the link leads to no path in a store");
    }
    if (st == TESS_OK && !(*target = mem_string(value->as.string.data)))
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    mem_free(value);
    return st;
}

tess_status
store_target_of(tess_store *s, const struct node *link, char **target, tess_error *err)
{
    tess_array *a = NULL;
    *target = NULL;
    tess_status st = store_open_node(s, &link->at, &a, err);
    if (st == TESS_OK)
        st = read_target(a, target, err);
    array_free(a);
    return st == TESS_OK ? st : err_prefix(err, st, "%s", link->path);
}

// From a node that may be a link to one that is none. TESS_ERR_NOT_FOUND: there is nothing.
static tess_status
follow_links(tess_store *s, const struct node **node, tess_error *err)
{
    enum { LINKS_MAX = 16 };
    tess_status st = TESS_OK;
    for (int i = 0; (*node)->kind == TESS_ENTRY_LINK && st == TESS_OK; i++) {
        char *target;
        const char *const from = (*node)->path;
        if (i == LINKS_MAX)
            return err_set(err, TESS_ERR_CORRUPT, -1,
                           "%s: more than %d links lead to one another, perhaps in a circle", from,
                           LINKS_MAX);
        st = store_target_of(s, *node, &target, err);
        if (st != TESS_OK)
            return st;
        const int64_t index = listing_find(&s->listing, target);
        if (index < 0)
            st = err_set(err, TESS_ERR_NOT_FOUND, -1,
                         "%s: a link to %s, and the store has no such entry", from, target);
        else
            *node = &s->listing.nodes[index];
        mem_free(target);
    }
    return st;
}

tess_status
store_link(tess_store *s, const char *target, const char *path, tess_error *err)
{
    const struct node *node = NULL;
    tess_array *a = NULL;
    uint8_t *content = NULL;
    size_t size = 0;
    tess_status st = writer_check(s, err);
    if (st == TESS_OK)
        st = writer_check_path(path, err);
    if (st == TESS_OK)
        st = store_find_node(s, target, &node, err);
    if (st != TESS_OK)
        return st;
    if (node->kind == TESS_ENTRY_GROUP)
        return err_set(err, TESS_ERR_TYPE, -1, "%s is a group: links lead to arrays", node->path);
    const tess_value value = {.type = TESS_VALUE_STRING,
                              .as = {.string = {node->path, strlen(node->path)}}};
    st = value_pack(&value, &content, &size, err);
    if (st == TESS_OK)
        st = writer_make_empty(s, path, TESS_ENTRY_LINK, &a, err);
    if (st == TESS_OK)
        st = array_vlmeta_set(a, TARGET, content, size, err);
    if (st == TESS_OK)
        st = array_commit(a, err);
    mem_free(content);
    if (st == TESS_OK)
        return array_close(a, err);
    if (a)
        a->discarded = true;
    array_free(a);
    return st;
}

// -- arrays

tess_status
store_open_path(tess_store *s, const char *path, tess_array **a, tess_error *err)
{
    const struct node *node = NULL;
    if (!path)
        return err_set(err, TESS_ERR_ARG, -1, "no path in the store is given");
    tess_status st = store_find_node(s, path, &node, err);
    if (st == TESS_OK)
        st = follow_links(s, &node, err);
    if (st != TESS_OK)
        return st;
    if (node->at.kind == PLACE_NONE)
        return err_set(err, TESS_ERR_TYPE, -1, "%s is a group, not an array", node->path);
    st = store_open_node(s, &node->at, a, err);
    return st == TESS_OK ? st : err_prefix(err, st, "%s", path);
}

tess_status
store_open_attributes(tess_store *s, const char *path, tess_array **a, tess_error *err)
{
    const struct node *node = NULL;
    tess_status st = store_find_node(s, path, &node, err);
    if (s->writer && node && node->at.kind != PLACE_NONE && node->attributes.kind == PLACE_NONE)
        return err_set(err, TESS_ERR_TYPE, -1, "%s is no group: its attributes are its own",
                       node->path);
    if (s->writer && (st == TESS_OK || st == TESS_ERR_NOT_FOUND) &&
        (!node || node->attributes.kind != PLACE_EMBEDDED))
        return writer_open_attributes(s, path, a, err);
    if (st != TESS_OK)
        return st;
    if (node->attributes.kind == PLACE_NONE)
        return err_set(err, TESS_ERR_NOT_FOUND, -1, "%s has no attributes", node->path);
    st = store_open_node(s, &node->attributes, a, err);
    return st == TESS_OK ? st : err_prefix(err, st, "attributes of %s", node->path);
}
