/*
 * help.c - the help of one command, from its tables.
 *
 * Tests read the examples, lines that begin with "    tess", and the keys of JSON.
 */
#include "cli/help/help.h"

#include <stdio.h>
#include <string.h>

// Text of several lines behind `left`, which stands before the first of them.
static void
print_entry(const char *left, int width, const char *text)
{
    for (;;) {
        const size_t length = strcspn(text, "\n");

        printf("  %-*s %.*s\n", width, left, (int)length, text);
        if (text[length] == '\0')
            return;
        text += length + 1;
        left = "";
    }
}

static void
print_options(const struct command *command)
{
    printf("\noptions:\n");
    for (int id = 0; id < OPT_COUNT; id++) {
        const struct option *const option = &options_table[id];
        char left[32];

        if (!options_accepts(command, id))
            continue;
        (void)snprintf(left, sizeof left, "%s %s", option->name,
                       option->value ? option->value : "");
        print_entry(left, 16, option->help);
    }
}

static void
print_examples(const struct example *example)
{
    if (!example)
        return;
    printf("\nexamples:\n");
    for (; example->purpose; example++)
        printf("  %s:\n    %s\n", example->purpose, example->line);
}

static void
print_json(const struct json_member *members)
{
    int path_width = 0, type_width = 0;

    if (!members)
        return;
    for (const struct json_member *m = members; m->path; m++) {
        const int path = (int)strlen(m->path), type = (int)strlen(m->type);

        path_width = path > path_width ? path : path_width;
        type_width = type > type_width ? type : type_width;
    }
    printf("\nwhat --json prints:\n");
    for (const struct json_member *m = members; m->path; m++) {
        char left[128];

        (void)snprintf(left, sizeof left, "%-*s  %-*s ", path_width, m->path, type_width, m->type);
        print_entry(left, path_width + type_width + 3, m->meaning);
    }
}

void
help_print(const struct command *command)
{
    printf("usage: tess %s %s [options]\n\n%s.\n", command->name, command->words, command->purpose);
    if (command->details[0])
        printf("\n%s", command->details);
    print_options(command);
    print_json(command->json);
    print_examples(command->examples);
}
