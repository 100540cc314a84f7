/*
 * help.h - what `tess COMMAND --help` says.
 */
#ifndef CLI_HELP_HELP_H
#define CLI_HELP_HELP_H

#include "cli/options.h"

// On stdout, at most 100 columns wide where the tables are.
void help_print(const struct command *command);

#endif
