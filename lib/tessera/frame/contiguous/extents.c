/*
 * extents.c - two balanced trees over the same nodes, one by start and one by size.
 *
 * AA trees: a node has a level; a left child is one level below, a right child the same or one
 * below, a right grandchild is below. Nodes are numbers in one array, so there is one allocation.
 */
#include "frame/contiguous/extents.h"

#include "base/checked.h"
#include "base/memory.h"

#include <assert.h>

enum { BY_START, BY_SIZE, ORDERS };
enum { LEFT, RIGHT };

struct extent_node {
    struct extent e;
    uint32_t kid[ORDERS][2];
    uint8_t level[ORDERS];
    uint32_t owner;
};

void
extents_finish(struct extents *x)
{
    mem_free(x->nodes);
    *x = (struct extents){0};
}

void
extents_clear(struct extents *x)
{
    x->root[BY_START] = x->root[BY_SIZE] = x->spare = 0;
    x->used = x->nodes ? 1 : 0;
    x->total = 0;
}

// Room for so many nodes that never were in the trees.
static bool
extents_grow(struct extents *x, int64_t n)
{
    const int64_t wanted = x->used + n + !x->nodes;
    if (wanted <= x->capacity)
        return true;
    if (wanted > UINT32_MAX / 2)
        return false;
    const uint32_t capacity = (uint32_t)max_i64(2 * (int64_t)x->capacity, max_i64(wanted, 16));
    struct extent_node *const nodes = mem_resize(x->nodes, (size_t)capacity * sizeof *nodes);
    if (!nodes)
        return false;
    if (!x->nodes) {
        nodes[0] = (struct extent_node){0};
        x->used = 1;
    }
    x->nodes = nodes;
    x->capacity = capacity;
    return true;
}

bool
extents_reserve(struct extents *x)
{
    return x->spare != 0 || extents_grow(x, 1);
}

bool
extents_reserve_many(struct extents *x, int64_t n)
{
    return n < UINT32_MAX / 2 && extents_grow(x, n);
}

static bool
is_before(int order, struct extent a, struct extent b)
{
    if (order == BY_SIZE && a.size != b.size)
        return a.size < b.size;
    return a.start < b.start;
}

static uint32_t
skew(struct extent_node *nodes, int o, uint32_t t)
{
    const uint32_t left = nodes[t].kid[o][LEFT];
    if (left == 0 || nodes[left].level[o] != nodes[t].level[o])
        return t;
    nodes[t].kid[o][LEFT] = nodes[left].kid[o][RIGHT];
    nodes[left].kid[o][RIGHT] = t;
    return left;
}

static uint32_t
split(struct extent_node *nodes, int o, uint32_t t)
{
    const uint32_t right = nodes[t].kid[o][RIGHT];
    if (right == 0 || nodes[nodes[right].kid[o][RIGHT]].level[o] != nodes[t].level[o])
        return t;
    nodes[t].kid[o][RIGHT] = nodes[right].kid[o][LEFT];
    nodes[right].kid[o][LEFT] = t;
    nodes[right].level[o]++;
    return right;
}

static uint32_t
insert_node(struct extent_node *nodes, int o, uint32_t t, uint32_t n)
{
    if (t == 0) {
        nodes[n].kid[o][LEFT] = nodes[n].kid[o][RIGHT] = 0;
        nodes[n].level[o] = 1;
        return n;
    }
    const int side = is_before(o, nodes[t].e, nodes[n].e) ? RIGHT : LEFT;
    nodes[t].kid[o][side] = insert_node(nodes, o, nodes[t].kid[o][side], n);
    return split(nodes, o, skew(nodes, o, t));
}

// After a node below was taken out.
static uint32_t
rebalance(struct extent_node *nodes, int o, uint32_t t)
{
    uint32_t *const kid = nodes[t].kid[o];
    const uint8_t left = nodes[kid[LEFT]].level[o], right = nodes[kid[RIGHT]].level[o];
    const uint8_t level = (uint8_t)((left < right ? left : right) + 1);
    if (level < nodes[t].level[o]) {
        nodes[t].level[o] = level;
        if (level < right)
            nodes[kid[RIGHT]].level[o] = level;
    }
    t = skew(nodes, o, t);
    uint32_t *const next = &nodes[t].kid[o][RIGHT];
    *next = skew(nodes, o, *next);
    uint32_t *const last = &nodes[*next].kid[o][RIGHT];
    *last = skew(nodes, o, *last);
    t = split(nodes, o, t);
    nodes[t].kid[o][RIGHT] = split(nodes, o, nodes[t].kid[o][RIGHT]);
    return t;
}

static uint32_t erase(struct extent_node *nodes, int o, uint32_t t, uint32_t n);

// Put the node next to t in its place, which has a child at least.
static uint32_t
extents_replace(struct extent_node *nodes, int o, uint32_t t)
{
    const int side = nodes[t].kid[o][LEFT] ? LEFT : RIGHT;
    uint32_t near = nodes[t].kid[o][side];
    while (nodes[near].kid[o][!side])
        near = nodes[near].kid[o][!side];
    nodes[t].kid[o][side] = erase(nodes, o, nodes[t].kid[o][side], near);
    nodes[near].kid[o][LEFT] = nodes[t].kid[o][LEFT];
    nodes[near].kid[o][RIGHT] = nodes[t].kid[o][RIGHT];
    nodes[near].level[o] = nodes[t].level[o];
    return near;
}

static uint32_t
erase(struct extent_node *nodes, int o, uint32_t t, uint32_t n)
{
    assert(t != 0);
    if (t != n) {
        const int side = is_before(o, nodes[t].e, nodes[n].e) ? RIGHT : LEFT;
        nodes[t].kid[o][side] = erase(nodes, o, nodes[t].kid[o][side], n);
    } else if (!nodes[t].kid[o][LEFT] && !nodes[t].kid[o][RIGHT]) {
        return 0;
    } else {
        t = extents_replace(nodes, o, t);
    }
    return rebalance(nodes, o, t);
}

static void
remove_node(struct extents *x, uint32_t n)
{
    for (int o = 0; o < ORDERS; o++)
        x->root[o] = erase(x->nodes, o, x->root[o], n);
    x->nodes[n].kid[0][LEFT] = x->spare;
    x->spare = n;
    x->total -= x->nodes[n].e.size;
}

void
extents_insert(struct extents *x, struct extent e)
{
    extents_insert_of(x, e, 0);
}

void
extents_insert_of(struct extents *x, struct extent e, uint32_t owner)
{
    uint32_t n = x->spare;
    if (n != 0)
        x->spare = x->nodes[n].kid[0][LEFT];
    else
        n = x->used++;
    x->nodes[n].e = e;
    x->nodes[n].owner = owner;
    x->total += e.size;
    for (int o = 0; o < ORDERS; o++)
        x->root[o] = insert_node(x->nodes, o, x->root[o], n);
}

// The first node that is not before `e`; 0: all are. *last: the last one that is, or 0.
static uint32_t
extents_lower_bound(const struct extents *x, int o, struct extent e, uint32_t *last)
{
    uint32_t found = 0;
    *last = 0;
    for (uint32_t t = x->root[o]; t != 0;) {
        const bool before = is_before(o, x->nodes[t].e, e);
        *(before ? last : &found) = t;
        t = x->nodes[t].kid[o][before ? RIGHT : LEFT];
    }
    return found;
}

bool
extents_join(struct extents *x, struct extent e)
{
    uint32_t last;
    if (e.size <= 0)
        return true;
    if (!extents_reserve(x))
        return false;
    const uint32_t next = extents_lower_bound(x, BY_START, e, &last);
    if (next != 0 && x->nodes[next].e.start == e.start + e.size) {
        e.size += x->nodes[next].e.size;
        remove_node(x, next);
    }
    if (last != 0 && x->nodes[last].e.start + x->nodes[last].e.size == e.start) {
        e.start = x->nodes[last].e.start;
        e.size += x->nodes[last].e.size;
        remove_node(x, last);
    }
    extents_insert(x, e);
    return true;
}

bool
extents_remove(struct extents *x, int64_t start, struct extent *e)
{
    uint32_t last;
    const uint32_t n = extents_lower_bound(x, BY_START, (struct extent){.start = start}, &last);
    if (n == 0 || x->nodes[n].e.start != start)
        return false;
    *e = x->nodes[n].e;
    remove_node(x, n);
    return true;
}

bool
extents_remove_before(struct extents *x, int64_t end, struct extent *e)
{
    uint32_t last;
    (void)extents_lower_bound(x, BY_START, (struct extent){.start = end}, &last);
    if (last == 0 || x->nodes[last].e.start + x->nodes[last].e.size != end)
        return false;
    *e = x->nodes[last].e;
    remove_node(x, last);
    return true;
}

bool
extents_fit(const struct extents *x, int64_t size)
{
    uint32_t last;
    return extents_lower_bound(x, BY_SIZE, (struct extent){INT64_MIN, size}, &last) != 0;
}

bool
extents_take(struct extents *x, int64_t size, int64_t *start)
{
    uint32_t last;
    const struct extent wanted = {INT64_MIN, size};
    const uint32_t n = extents_lower_bound(x, BY_SIZE, wanted, &last);
    if (n == 0)
        return false;
    struct extent e = x->nodes[n].e;
    remove_node(x, n);
    *start = e.start;
    e.start += size;
    e.size -= size;
    if (e.size > 0)
        extents_insert(x, e); // there is the node that became spare
    return true;
}

bool
extents_next(const struct extents *x, int64_t from, struct extent *e)
{
    uint32_t last;
    const uint32_t n = extents_lower_bound(x, BY_START, (struct extent){.start = from}, &last);
    if (n != 0)
        *e = x->nodes[n].e;
    return n != 0;
}

bool
extents_at(const struct extents *x, int64_t position, struct extent *e)
{
    uint32_t last;
    if (position == INT64_MAX)
        return false;
    (void)extents_lower_bound(x, BY_START, (struct extent){.start = position + 1}, &last);
    if (last == 0 || position - x->nodes[last].e.start >= x->nodes[last].e.size)
        return false;
    *e = x->nodes[last].e;
    return true;
}

void
extents_carve(struct extents *x, struct extent part)
{
    struct extent left = {0};
    (void)extents_at(x, part.start, &left);
    const uint32_t owner = extents_owner(x, left.start);
    (void)extents_remove(x, left.start, &left);
    const struct extent front = {left.start, part.start - left.start};
    const int64_t end = part.start + part.size;
    const struct extent back = {end, left.start + left.size - end};
    if (front.size > 0)
        extents_insert_of(x, front, owner);
    if (back.size > 0)
        extents_insert_of(x, back, owner);
}

uint32_t
extents_owner(const struct extents *x, int64_t start)
{
    uint32_t last;
    const uint32_t n = extents_lower_bound(x, BY_START, (struct extent){.start = start}, &last);
    return n != 0 && x->nodes[n].e.start == start ? x->nodes[n].owner : 0;
}
