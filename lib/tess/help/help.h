/*
 * help.h - what `tess COMMAND --help` says.
 */
#ifndef TESS_HELP_HELP_H
#define TESS_HELP_HELP_H

#include "options.h"

#include <stdio.h>

// Names and purposes, up to NULL.
void help_commands(FILE *out, const struct command *const *commands);

// On stdout, in lines that fit the terminal.
void help_print(const struct command *command);

#endif
