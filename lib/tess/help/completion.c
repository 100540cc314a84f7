/*
 * completion.c - what the scripts for all shells need of the tables.
 */
#include "help/completion.h"

#include <stdio.h>
#include <string.h>

// Names of words that are no files.
static bool
is_text(const char *name)
{
    static const char *const names[] = {"EXPR", "SHAPE", "NAME", "VALUE", "RANGE"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

bool
completion_word(const struct command *command, int n, struct completion_word *word)
{
    const char *p = command->words;
    bool repeated = false;

    for (;;) {
        p += strspn(p, " []()");
        const size_t length = strcspn(p, " []()");
        const char *const dots = strstr(p, "...");

        if (length == 0)
            return false;
        const bool dotted = dots && dots < p + length;
        repeated |= dotted; // behind it, any number of words may have come
        if (p[0] != '-' && p[0] != '|' && n-- == 0) { // no option that stands for the word
            const size_t size = dotted ? length - 3 : length;

            *word = (struct completion_word){.is_repeated = repeated};
            (void)snprintf(word->name, sizeof word->name, "%.*s", (int)size, p);
            word->is_choice = strchr(word->name, '|') != NULL;
            word->is_file = !word->is_choice && !is_text(word->name);
            return true;
        }
        p += length;
    }
}

int
completion_next_option(const struct command *command, int id)
{
    do
        id++;
    while (id < OPT_COUNT && !options_accepts(command, id));
    return id;
}

void
completion_text(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else if (*text == '\n') {
            putchar(' ');
        } else {
            if (strchr(special, *text))
                putchar('\\');
            putchar(*text);
        }
    }
}
