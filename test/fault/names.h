/*
 * names.h - folders, and what is in them: a small tree of names.
 *
 * Files and folders are nodes, numbers that are never used twice. Node 0 is the folder at the top.
 * Running out of memory ends the program.
 */
#ifndef FAULT_NAMES_H
#define FAULT_NAMES_H

#include <stddef.h>

enum { NAMES_SIZE = 64, NAMES_NONE = -1 };

struct name {
    int folder;
    int node;
    char text[NAMES_SIZE];
};

struct names {
    struct name *items;
    size_t count, capacity;
};

void names_finish(struct names *names);
void names_clear(struct names *names);

// The node of a name, or NAMES_NONE.
int names_find(const struct names *names, int folder, const char *text);

// Give a node a name, which nothing or something else has; NAMES_NONE: nothing has it then.
void names_set(struct names *names, int folder, const char *text, int node);

#endif
