/*
 * tree.c - what a whole netCDF or HDF5 file holds.
 */
#include "formats/tree/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *
copy_text(struct tree *t, const char *text, size_t size)
{
    char *const copy = attributes_alloc(&t->memory, size + 1, 1);

    if (copy)
        memcpy(copy, text, size);
    return copy;
}

// Room for one more of `count` elements: doubled whenever it is a power of two.
static void *
grow(struct tree *t, void *items, int count, size_t size)
{
    if (count & (count - 1) && count > 0)
        return items;
    void *const more = attributes_alloc(&t->memory, count > 0 ? 2 * (size_t)count : 1, size);
    if (more && count > 0)
        memcpy(more, items, (size_t)count * size);
    return more;
}

struct tree_group *
tree_add_group(struct tree *t, const char *path)
{
    struct tree_group *const g = attributes_alloc(&t->memory, 1, sizeof *g);
    struct tree_group **const groups = grow(t, t->groups, t->ngroups, sizeof *groups);

    if (!g || !groups)
        return NULL;
    g->path = copy_text(t, path, strlen(path));
    t->groups = groups;
    if (!g->path)
        return NULL;
    t->groups[t->ngroups++] = g;
    return g;
}

struct tree_dimension *
tree_add_dimension(struct tree *t, struct tree_group *g, const char *name, int64_t length,
                   bool unlimited)
{
    struct tree_dimension *const all = grow(t, g->dimensions, g->ndimensions, sizeof *all);
    char *const copy = copy_text(t, name, strlen(name));

    if (!all || !copy)
        return NULL;
    g->dimensions = all;
    all[g->ndimensions] =
        (struct tree_dimension){.name = copy, .length = length, .unlimited = unlimited};
    return &all[g->ndimensions++];
}

struct tree_variable *
tree_add_variable(struct tree *t, struct tree_group *g, const char *name, const char *skipped)
{
    struct tree_variable *const all = grow(t, g->variables, g->nvariables, sizeof *all);
    char *const copy = copy_text(t, name, strlen(name));
    char *const why = skipped ? copy_text(t, skipped, strlen(skipped)) : NULL;

    if (!all || !copy || (skipped && !why))
        return NULL;
    g->variables = all;
    all[g->nvariables] = (struct tree_variable){.name = copy, .skipped = why};
    return &all[g->nvariables++];
}

char *
tree_join(struct tree *t, const char *group, const char *name)
{
    const size_t size = strlen(group) + strlen(name) + 2;
    char *const path = attributes_alloc(&t->memory, size, 1);

    if (path)
        (void)snprintf(path, size, "%s%s%s", group, group[0] && name[0] ? "/" : "", name);
    return path;
}

void
tree_finish(struct tree *t)
{
    for (int i = 0; i < t->ngroups; i++)
        attributes_finish(&t->groups[i]->attributes);
    attributes_finish(&t->memory);
    *t = (struct tree){0};
}

// Bytes of a path without its last part.
static size_t
parent_size(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] != '/')
        size--;
    return size > 0 ? size - 1 : 0;
}

struct tree_dimension *
tree_find_dimension(const struct tree *t, const char *group, const char *name)
{
    size_t size = strlen(group);

    for (;;) {
        for (int i = 0; i < t->ngroups; i++) {
            const struct tree_group *const g = t->groups[i];

            if (strlen(g->path) != size || memcmp(g->path, group, size) != 0)
                continue;
            for (int k = 0; k < g->ndimensions; k++)
                if (strcmp(g->dimensions[k].name, name) == 0)
                    return &g->dimensions[k];
        }
        if (size == 0)
            return NULL;
        size = parent_size(group, size);
    }
}

// -- names of files

static bool
ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

char *
tree_escape(struct tree *t, const char *name, bool group)
{
    static const char special[] = "/\\%:*?\"<>|";
    const bool looks_other =
        group && (ends_with(name, TREE_SUFFIX) || strcmp(name, TREE_RECORD) == 0);
    const char *const last_point = looks_other ? strrchr(name, '.') : NULL;
    char *const text = attributes_alloc(&t->memory, 3 * strlen(name) + 1, 1);
    char *q = text;

    for (const char *p = name; text && *p; p++) {
        const unsigned char c = (unsigned char)*p;

        if (c < 0x20 || c == 0x7f || strchr(special, c) || (c == '.' && p == name) ||
            p == last_point)
            q += sprintf(q, "%%%02X", c);
        else
            *q++ = *p;
    }
    return text;
}

char *
tree_unescape(struct tree *t, const char *name, size_t size)
{
    char *const text = attributes_alloc(&t->memory, size + 1, 1);
    char *q = text;

    for (size_t i = 0; text && i < size; i++) {
        char hex[3] = "";

        if (name[i] == '%' && size - i > 2 && isxdigit((unsigned char)name[i + 1]) &&
            isxdigit((unsigned char)name[i + 2])) {
            memcpy(hex, name + i + 1, 2);
            *q++ = (char)strtoul(hex, NULL, 16);
            i += 2;
        } else {
            *q++ = name[i];
        }
    }
    return text;
}
