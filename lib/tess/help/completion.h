/*
 * completion.h - scripts that complete the words of `tess` in a shell, made from the tables.
 */
#ifndef TESS_HELP_COMPLETION_H
#define TESS_HELP_COMPLETION_H

#include "options.h"

// A word that a command takes, as its help writes it.
struct completion_word {
    char name[32]; // "PATH", or the words to choose from with '|' between them
    bool is_choice;
    bool is_file;
    bool is_repeated; // any number of them
};

// The n-th word of a command; false behind the last one.
bool completion_word(const struct command *command, int n, struct completion_word *word);

// Each option of a command, to be called with `id` -1 first: the next one, or OPT_COUNT.
int completion_next_option(const struct command *command, int id);

// Text between single quotes of a shell, without these. Newlines become spaces; characters of
// `special` get a backslash before them.
void completion_text(const char *text, const char *special);

// The scripts, on stdout, for commands up to NULL.
void completion_bash(const struct command *const *commands);
void completion_zsh(const struct command *const *commands);
void completion_fish(const struct command *const *commands);

#endif
