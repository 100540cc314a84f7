/*
 * commands.h - the subcommands, each in a file of its own, cmd/FOLDER/NAME.c.
 */
#ifndef TESS_COMMANDS_H
#define TESS_COMMANDS_H

#include "options.h"

// One line each, in the order in which they are listed: X(NAME) stands for
// `const struct command cmd_NAME`.
#define COMMANDS(X) \
    X(info)         \
    X(ls)           \
    X(import)       \
    X(export)       \
    X(create)       \
    X(slice)        \
    X(stat)         \
    X(show)         \
    X(copy)         \
    X(concat)       \
    X(stack)        \
    X(transpose)    \
    X(diff)         \
    X(set)          \
    X(resize)       \
    X(append)       \
    X(insert)       \
    X(delete)       \
    X(attr)         \
    X(rename)       \
    X(link)         \
    X(remove)       \
    X(commits)      \
    X(layout)       \
    X(bench)        \
    X(verify)       \
    X(compact)      \
    X(repair)       \
    X(completion)

#define COMMAND_DECLARATION(name) extern const struct command cmd_##name;
COMMANDS(COMMAND_DECLARATION)

// All of them, up to NULL.
extern const struct command *const commands_table[];

// NULL if there is none of that name.
const struct command *commands_find(const char *name);

#endif
