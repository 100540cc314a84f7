/*
 * commands.c - the subcommands, in the order in which they are listed.
 */
#include "cli/commands.h"

#include <string.h>

const struct command *const commands_table[] = {
    &cmd_info,   &cmd_import,  &cmd_export, &cmd_slice,      &cmd_show,   &cmd_copy,
    &cmd_diff,   &cmd_resize,  &cmd_append, &cmd_attr,       &cmd_layout, &cmd_bench,
    &cmd_verify, &cmd_compact, &cmd_repair, &cmd_completion, NULL,
};

const struct command *
commands_find(const char *name)
{
    for (const struct command *const *c = commands_table; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}
