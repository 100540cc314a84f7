/*
 * help.c - the help of one command, from its tables.
 *
 * Lines are wrapped at the width of the terminal. Tests parse the examples (lines that begin with
 * "    tess") and the keys of JSON; they set COLUMNS to a width at which no line is wrapped.
 */
#include "help/help.h"

#include "text/wrap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { BELOW = 6 }; // column of a text that starts on the line below its term

// Print `text` to the right of `left`, or below it if `left` takes more than half of the width.
static void
print_entry(FILE *out, const char *left, int column, const char *text, int width)
{
    const bool below = column > width / 2;

    fprintf(out, "  %-*s", below ? 0 : column - 2, left);
    if (below)
        fprintf(out, "\n%*s", BELOW, "");
    wrap_write(out, text, strlen(text), below ? BELOW : column, below ? BELOW : column, width);
}

// Print a line that begins with blanks. Words that do not fit are wrapped into its last column.
static void
print_row(const char *line, size_t length, int width)
{
    int column = (int)strspn(line, " "), from = 0;

    for (size_t i = (size_t)column; i + 2 < length; i++)
        if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ' && (int)i < width / 2)
            from = (int)i + 2;
    if ((int)length <= width) {
        printf("%.*s\n", (int)length, line);
        return;
    }
    if (from == 0)
        from = column;
    printf("%.*s", from, line);
    wrap_write(stdout, line + from, length - (size_t)from, from, from > column ? from : column + 2,
               width);
}

// Print a text: paragraphs are wrapped, lines that begin with blanks are printed one by one.
static void
print_details(const char *text, int width)
{
    while (*text) {
        const char *end = text;

        if (*text == '\n' || *text == ' ') {
            end += strcspn(end, "\n");
            print_row(text, (size_t)(end - text), width);
            text = end + (*end == '\n');
            continue;
        }
        while (*end && *end != '\n' && *end != ' ') {
            end += strcspn(end, "\n");
            end += *end == '\n';
        }
        wrap_write(stdout, text, (size_t)(end - text), 0, 0, width);
        text = end;
    }
}

static void
print_options(const struct command *command, int width)
{
    printf("\noptions:\n");
    for (int id = 0; id < OPT_COUNT; id++) {
        const struct option *const option = &options_table[id];
        char left[32];

        if (!options_accepts(command, id))
            continue;
        const int length =
            snprintf(left, sizeof left, "%s %s", option->name, option->value ? option->value : "");
        print_entry(stdout, left, length < 17 ? 19 : length + 3, option->help, width);
    }
}

// Print the line of an example. A long line is continued after a backslash, outside of quotes.
static void
print_line(const char *line, int width)
{
    int at = 4;

    fputs("    ", stdout);
    while (*line) {
        size_t length = 0;
        char quote = '\0';

        for (; line[length] && (quote || line[length] != ' '); length++)
            if (line[length] == quote)
                quote = '\0';
            else if (!quote && (line[length] == '\'' || line[length] == '"'))
                quote = line[length];
        if (at > 4 && at + 1 + (int)length + 2 > width) {
            fputs(" \\\n      ", stdout);
            at = 6;
        } else if (at > 4) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)length, line);
        at += (int)length;
        line += length + strspn(line + length, " ");
    }
    putchar('\n');
}

static void
print_examples(const struct example *example, int width)
{
    if (!example)
        return;
    printf("\nexamples:\n");
    for (; example->purpose; example++) {
        printf("  %s:\n", example->purpose);
        print_line(example->line, width);
    }
}

static void
print_json(const struct json_member *members, int width)
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

        (void)snprintf(left, sizeof left, "%-*s  %s", path_width, m->path, m->type);
        print_entry(stdout, left, path_width + type_width + 6, m->meaning, width);
    }
}

void
help_commands(FILE *out, const struct command *const *commands)
{
    for (; *commands; commands++)
        print_entry(out, (*commands)->name, 14, (*commands)->purpose, wrap_width());
}

void
help_print(const struct command *command)
{
    const int width = wrap_width();

    printf("usage: tess %s %s [options]\n\n%s.\n", command->name, command->words, command->purpose);
    if (command->details[0])
        putchar('\n');
    print_details(command->details, width);
    print_options(command, width);
    print_json(command->json, width);
    print_examples(command->examples, width);
}
