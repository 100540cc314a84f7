/*
 * commands.c - the table of subcommands.
 */
#include "commands.h"

#include <stddef.h>
#include <string.h>

#define COMMAND_ADDRESS(name) &cmd_##name,

const struct command *const commands_table[] = {COMMANDS(COMMAND_ADDRESS) NULL};

const struct command *
commands_find(const char *name)
{
    for (const struct command *const *c = commands_table; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}
