/*
 * commands.h - the subcommands, each in a file of its own, cmd/<name>.c.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/options.h"

// All of them, up to NULL.
extern const struct command *const commands_table[];

// NULL if there is none of that name.
const struct command *commands_find(const char *name);

extern const struct command cmd_info;
extern const struct command cmd_import;
extern const struct command cmd_export;
extern const struct command cmd_slice;
extern const struct command cmd_copy;
extern const struct command cmd_diff;
extern const struct command cmd_resize;
extern const struct command cmd_append;
extern const struct command cmd_show;
extern const struct command cmd_layout;
extern const struct command cmd_bench;
extern const struct command cmd_attr;
extern const struct command cmd_verify;
extern const struct command cmd_compact;
extern const struct command cmd_repair;
extern const struct command cmd_completion;

#endif
