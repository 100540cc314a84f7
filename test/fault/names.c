/*
 * names.c - folders, and what is in them.
 */
#include "fault/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
names_finish(struct names *names)
{
    free(names->items);
    *names = (struct names){0};
}

void
names_clear(struct names *names)
{
    names->count = 0;
}

static struct name *
find(const struct names *names, int folder, const char *text)
{
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i].folder == folder && strcmp(names->items[i].text, text) == 0)
            return &names->items[i];
    return NULL;
}

int
names_find(const struct names *names, int folder, const char *text)
{
    const struct name *const name = find(names, folder, text);
    return name ? name->node : NAMES_NONE;
}

static struct name *
add(struct names *names, int folder, const char *text)
{
    if (names->count == names->capacity) {
        names->capacity = 2 * names->capacity + 16;
        names->items = realloc(names->items, names->capacity * sizeof *names->items);
    }
    if (!names->items || strlen(text) >= NAMES_SIZE)
        abort();
    struct name *const name = &names->items[names->count++];
    name->folder = folder;
    snprintf(name->text, sizeof name->text, "%s", text);
    return name;
}

void
names_set(struct names *names, int folder, const char *text, int node)
{
    struct name *name = find(names, folder, text);
    if (node == NAMES_NONE) {
        if (name)
            *name = names->items[--names->count];
        return;
    }
    if (!name)
        name = add(names, folder, text);
    name->node = node;
}
