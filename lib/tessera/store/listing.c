/*
 * listing.c - names of files become entries, and the folders in front of them groups.
 *
 * python-blosc2 names the files of a store so: the path of an array with .b2nd behind it, that of a
 * super-chunk with .b2f, of batches with .b2b; `__vlmeta__` in a group is the super-chunk of its
 * attributes; embed.b2e, at the root, has small arrays inside.
 *
 * Nodes are sorted by path, where a slash comes before all other bytes: so a group is followed by
 * all that is below it.
 */
#include "store/listing.h"

#include "base/error.h"
#include "base/memory.h"
#include "meta/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_MAX_SIZE = 4096,
    PARTS_MAX = 64, // of a path: each is a group that is made
};

static const char ATTRIBUTES_NAME[] = LISTING_ATTRIBUTES;
static const char EMBEDDED_NAME[] = "embed.b2e";

const char *const listing_endings[LISTING_ENDINGS] = {
    [TESS_ENTRY_ARRAY] = ".b2nd",
    [TESS_ENTRY_SCHUNK] = ".b2f",
    [TESS_ENTRY_BATCH] = ".b2b",
    [TESS_ENTRY_LINK] = ".b2link",
};

void
listing_init(struct listing *l, int64_t memory)
{
    *l = (struct listing){.room = memory};
}

static void
node_finish(struct node *node)
{
    mem_free(node->path);
    mem_free(node->at.file);
    mem_free(node->attributes.file);
}

void
listing_finish(struct listing *l)
{
    for (int64_t i = 0; i < l->nnodes; i++)
        node_finish(&l->nodes[i]);
    for (int64_t i = 0; i < l->nleft; i++)
        mem_free(l->left[i].name);
    mem_free(l->embedded.file);
    mem_free(l->nodes);
    mem_free(l->left);
    *l = (struct listing){0};
}

// -- memory, which counts for the limit

static tess_status
take_name_room(struct listing *l, size_t size, tess_error *err)
{
    if ((uint64_t)l->room < size)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "the names of a store need more than limits.memory");
    l->room -= (int64_t)size;
    return TESS_OK;
}

static tess_status
listing_copy_text(struct listing *l, const char *text, size_t size, char **copy, tess_error *err)
{
    const tess_status st = take_name_room(l, size + 1, err);
    *copy = st == TESS_OK ? mem_alloc(size + 1) : NULL;
    if (st == TESS_OK && !*copy)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a name of %zu bytes", size);
    if (*copy) {
        memcpy(*copy, text, size);
        (*copy)[size] = '\0';
    }
    return st;
}

// Room for one more element of a list.
static tess_status
grow_names(struct listing *l, void **list, int64_t count, int64_t *capacity, size_t item,
           tess_error *err)
{
    enum { FIRST = 16 };
    if (count < *capacity)
        return TESS_OK;
    const int64_t more = *capacity > 0 ? *capacity : FIRST;
    const tess_status st = take_name_room(l, (size_t)more * item, err);
    void *const grown = st == TESS_OK ? mem_resize(*list, (size_t)(*capacity + more) * item) : NULL;
    if (st != TESS_OK)
        return st;
    if (!grown)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " names", count);
    *list = grown;
    *capacity += more;
    return TESS_OK;
}

tess_status
listing_leave_out(struct listing *l, const char *name, size_t name_size, const char *reason,
                  tess_error *err)
{
    void *list = l->left;
    tess_status st = grow_names(l, &list, l->nleft, &l->left_capacity, sizeof *l->left, err);
    l->left = list;
    if (st == TESS_OK)
        st = listing_copy_text(l, name, name_size, &l->left[l->nleft].name, err);
    if (st == TESS_OK)
        l->left[l->nleft++].reason = reason;
    return st;
}

// A node of a path, "/" in front of `name`. The place belongs to it if this succeeds.
static tess_status
add_node(struct listing *l, const char *name, size_t size, const struct node *like, tess_error *err)
{
    char path[NAME_MAX_SIZE + 2] = "/";
    void *list = l->nodes;
    tess_status st = grow_names(l, &list, l->nnodes, &l->capacity, sizeof *l->nodes, err);
    l->nodes = list;
    if (st != TESS_OK)
        return st;
    memcpy(path + 1, name, size);
    struct node *const node = &l->nodes[l->nnodes];
    *node = *like;
    st = listing_copy_text(l, path, size + 1, &node->path, err);
    l->nnodes += st == TESS_OK;
    return st;
}

// -- names

const char *
listing_name_fault(const char *name, size_t size)
{
    size_t parts = 1, start = 0;
    if (size > NAME_MAX_SIZE)
        return "its name is too long";
    if (!utf8_valid(name, size))
        return "its name is not UTF-8";
    for (size_t i = 0; i <= size; i++) {
        if (i < size && ((uint8_t)name[i] < 0x20 || name[i] == 0x7f || name[i] == '\\'))
            return "its name has control characters or backslashes";
        if (i < size && name[i] != '/')
            continue;
        const char *const part = name + start;
        const size_t length = i - start;
        if (length == 0 || (length == 1 && part[0] == '.') ||
            (length == 2 && part[0] == '.' && part[1] == '.'))
            return "its name has a part that is empty, . or ..";
        parts += i < size;
        start = i + 1;
    }
    return parts > PARTS_MAX ? "its name has too many parts" : NULL;
}

// The length of the group in front of a name of attributes; -1: it is none.
static int64_t
group_of_attributes(const char *name, size_t size)
{
    const size_t last = sizeof ATTRIBUTES_NAME - 1;
    if (size < last || memcmp(name + size - last, ATTRIBUTES_NAME, last) != 0)
        return -1;
    if (size == last)
        return 0;
    return name[size - last - 1] == '/' ? (int64_t)(size - last - 1) : -1;
}

// What has a path without its ending.
static tess_status
add_path(struct listing *l, const char *path, size_t size, tess_entry_kind kind,
         const struct place *at, tess_error *err)
{
    const int64_t group = group_of_attributes(path, size);
    if (group >= 0) {
        const struct node node = {.kind = TESS_ENTRY_GROUP, .attributes = *at};
        return add_node(l, path, (size_t)group, &node, err);
    }
    const struct node node = {.kind = kind, .at = *at};
    return add_node(l, path, size, &node, err);
}

tess_status
listing_add_file(struct listing *l, const char *name, size_t size, const struct place *at,
                 tess_error *err)
{
    struct place own = *at;
    const char *const fault = listing_name_fault(name, size);
    if (fault)
        return listing_leave_out(l, name, size, fault, err);
    tess_status st = TESS_OK;
    if (at->kind == PLACE_FILE)
        st = listing_copy_text(l, name, size, &own.file, err);
    if (st != TESS_OK)
        return st;
    if (size == sizeof EMBEDDED_NAME - 1 && memcmp(name, EMBEDDED_NAME, size) == 0) {
        if (l->embedded.kind != PLACE_NONE)
            return listing_leave_out(l, name, size, "its name occurs twice", err);
        l->embedded = own;
        return TESS_OK;
    }
    for (int kind = TESS_ENTRY_ARRAY; kind < LISTING_ENDINGS; kind++) {
        const size_t length = strlen(listing_endings[kind]);
        if (size <= length || memcmp(name + size - length, listing_endings[kind], length) != 0 ||
            name[size - length - 1] == '/')
            continue;
        if (own.kind == PLACE_FILE)
            own.rank = -(int64_t)kind;
        st = add_path(l, name, size - length, (tess_entry_kind)kind, &own, err);
        if (st != TESS_OK)
            mem_free(own.file);
        return st;
    }
    mem_free(own.file);
    return listing_leave_out(l, name, size, "it is no array by the end of its name", err);
}

tess_status
listing_add_embedded(struct listing *l, const char *path, size_t size, const struct place *at,
                     tess_error *err)
{
    const char *const fault = size > 0 && path[0] == '/' ? listing_name_fault(path + 1, size - 1)
                                                         : "its name does not start with a slash";
    if (fault)
        return listing_leave_out(l, path, size, fault, err);
    l->has_embedded = true;
    return add_path(l, path + 1, size - 1, TESS_ENTRY_ARRAY, at, err);
}

// -- the order of a walk

// Compares as many bytes, or up to a NUL; a slash comes before all other bytes, which are
// characters of 0x20 and more.
static int
compare_paths(const char *a, const char *b)
{
    for (; *a && *a == *b; a++)
        b++;
    const int x = *a == '/' ? 1 : (uint8_t)*a, y = *b == '/' ? 1 : (uint8_t)*b;
    return x - y;
}

// The rank of what a node has.
static int64_t
rank_of(const struct node *node)
{
    return node->at.kind != PLACE_NONE ? node->at.rank : node->attributes.rank;
}

// Of nodes of one path, those with a frame come first, and of these those of higher rank.
static int
by_path(const void *a, const void *b)
{
    const struct node *const x = a, *const y = b;
    const int order = compare_paths(x->path, y->path);
    if (order != 0)
        return order;
    if ((x->at.kind == PLACE_NONE) != (y->at.kind == PLACE_NONE))
        return x->at.kind == PLACE_NONE ? 1 : -1;
    return (rank_of(x) < rank_of(y)) - (rank_of(x) > rank_of(y));
}

static bool
is_below(const char *path, const char *group)
{
    const size_t size = strlen(group);
    return size == 1 ? path[1] != '\0' : strncmp(path, group, size) == 0 && path[size] == '/';
}

// One node for each path: attributes go to what has the path; a second frame is left out.
static tess_status
merge_equal(struct listing *l, tess_error *err)
{
    tess_status st = TESS_OK;
    int64_t kept = 0;
    for (int64_t i = 0; i < l->nnodes; i++) {
        struct node *const node = &l->nodes[i], *const last = kept > 0 ? &l->nodes[kept - 1] : NULL;
        if (!last || strcmp(last->path, node->path) != 0) {
            l->nodes[kept++] = *node;
            continue;
        }
        const bool takes =
            node->attributes.kind != PLACE_NONE && last->attributes.kind == PLACE_NONE;
        const bool loses =
            !takes && (node->at.kind != PLACE_NONE || node->attributes.kind != PLACE_NONE);
        if (takes) {
            last->attributes = node->attributes;
            node->attributes = (struct place){0};
        }
        if (loses && st == TESS_OK)
            st = listing_leave_out(l, node->path, strlen(node->path), "its name occurs twice", err);
        node_finish(node);
    }
    l->nnodes = kept;
    return st;
}

// Groups in front of the nodes, which are in order.
static tess_status
add_groups(struct listing *l, tess_error *err)
{
    static const struct node group = {.kind = TESS_ENTRY_GROUP};
    const int64_t count = l->nnodes;
    tess_status st = add_node(l, "", 0, &group, err);
    for (int64_t i = 0; i < count && st == TESS_OK; i++) {
        const char *const before = i > 0 ? l->nodes[i - 1].path : "";
        size_t same = 0; // bytes that both begin with
        while (l->nodes[i].path[same] && l->nodes[i].path[same] == before[same])
            same++;
        for (size_t at = 1; l->nodes[i].path[at] && st == TESS_OK; at++) {
            const bool there = at < same || (at == same && (!before[at] || before[at] == '/'));
            if (l->nodes[i].path[at] == '/' && !there) {
                char name[NAME_MAX_SIZE + 1];
                memcpy(name, l->nodes[i].path + 1, at - 1);
                st = add_node(l, name, at - 1, &group, err);
            }
        }
    }
    return st;
}

static void
set_next(struct listing *l)
{
    int64_t open[PARTS_MAX + 2]; // groups that the node is below
    int n = 0;
    for (int64_t i = 0; i < l->nnodes; i++) {
        while (n > 0 && !is_below(l->nodes[i].path, l->nodes[open[n - 1]].path))
            l->nodes[open[--n]].next = i;
        open[n++] = i;
    }
    while (n > 0)
        l->nodes[open[--n]].next = l->nnodes;
}

tess_status
listing_complete(struct listing *l, tess_error *err)
{
    if (l->nnodes > 1)
        qsort(l->nodes, (size_t)l->nnodes, sizeof *l->nodes, by_path);
    tess_status st = add_groups(l, err);
    if (st != TESS_OK)
        return st;
    qsort(l->nodes, (size_t)l->nnodes, sizeof *l->nodes, by_path);
    st = merge_equal(l, err);
    set_next(l);
    return st;
}

int64_t
listing_find(const struct listing *l, const char *path)
{
    char key[NAME_MAX_SIZE + 2] = "/";
    while (*path == '/')
        path++;
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] == '/')
        size--;
    if (size > NAME_MAX_SIZE)
        return -1;
    memcpy(key + 1, path, size);
    int64_t low = 0, high = l->nnodes;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (compare_paths(l->nodes[middle].path, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->nnodes && strcmp(l->nodes[low].path, key) == 0 ? low : -1;
}
