/*
 * manpage.c - the manual page, from the tables that --help prints.
 *
 * Options that several commands share are explained once, behind the commands. What is true of the
 * whole command and stands in no table is written here, in roff.
 */
#include "help/manpage.h"

#include "commands.h"
#include "options.h"

#include <tessera/version.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DATE "2026-11-24" // of the last change to what the page says

static const char description[] =
    ".SH DESCRIPTION\n"
    ".B tess\n"
    "works with files that hold one array each: numbers, or other items of one type, along up to\n"
    "16 axes, compressed in chunks.\n"
    "The format is that of Blosc2, with its N-dimensional metalayer B2ND or the older Caterva;\n"
    "python-blosc2 and c-blosc2 read and write the same files.\n"
    "An array is a file, or a directory with one file per chunk, which is called sparse.\n"
    ".PP\n"
    "Data goes to standard output, words about it to standard error; a progress bar appears there\n"
    "when it is a terminal and the work is long.\n"
    "A file that exists is replaced with\n"
    ".B \\-\\-force\n"
    "only, and a command that fails leaves no half-written file behind.\n"
    "Options and other words may stand in any order, and a value behind its option or behind =;\n"
    "after\n"
    ".B \\-\\-\n"
    "nothing is an option.\n";

static const char shapes[] =
    ".SH SHAPES AND SLICES\n"
    "A shape is the number of items along each axis, the slowest first: 12x73x144.\n"
    "A slice selects as in NumPy, axis by axis, with commas between them:\n"
    ".TP 12n\n"
    "5\n"
    "the item with index 5, and the axis is gone from the result; \\-1 is the last one\n"
    ".TP\n"
    "2:10\n"
    "items 2 to 9\n"
    ".TP\n"
    "2:\n"
    "from item 2 on\n"
    ".TP\n"
    "::3\n"
    "every third\n"
    ".TP\n"
    "::\\-1\n"
    "all of them, the last one first\n"
    ".TP\n"
    "\\&...\n"
    "all of as many axes as the others leave\n"
    ".PP\n"
    "Axes that are not mentioned are taken as a whole.\n"
    "Of an array of 12 months, 73 latitudes and 144 longitudes, 0,::\\-1 is the first month with\n"
    "its latitudes turned round, and ...,72 one longitude of all months.\n";

static const char rest[] =
    ".SH EXIT STATUS\n"
    ".TP\n"
    "0\n"
    "All is fine.\n"
    ".TP\n"
    "1\n"
    "The answer is no: arrays differ, something is damaged or lost, an attribute is not there.\n"
    ".TP\n"
    "2\n"
    "The arguments are wrong.\n"
    ".TP\n"
    "3\n"
    "The command failed: a file could not be read or written, memory ran out.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n"
    ".B TESS_NUM_THREADS\n"
    "At most so many threads work; without it, one per CPU that the process may use.\n"
    ".TP\n"
    ".BR NO_COLOR \", \" TERM \", \" COLORTERM\n"
    "What colours\n"
    ".B tess show\n"
    "may use in the terminal; none if NO_COLOR is set.\n"
    ".TP\n"
    ".BR LC_ALL \", \" LC_CTYPE \", \" LANG\n"
    "Whether the terminal shows UTF\\-8.\n"
    ".TP\n"
    ".BR COLUMNS \", \" LINES\n"
    "The size of the picture, and the width of help, where standard output is no terminal.\n"
    ".SH FILES\n"
    "While an output is written it stands beside its place under the name\n"
    ".IR NAME .tess\\- N \\- N .tmp,\n"
    "which may be removed if it is left after a crash.\n"
    ".SH SEE ALSO\n"
    "The format: https://github.com/Blosc/c\\-blosc2\n";

// Text in which no character is more than itself. `start`: a line of the page begins with it.
static void
write_text(const char *text, size_t length, bool start)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];

        if (start && i == 0 && (c == '.' || c == '\''))
            fputs("\\&", stdout);
        switch (c) {
        case '\\':
            fputs("\\e", stdout);
            break;
        case '-':
            fputs("\\-", stdout);
            break;
        case '\'':
            fputs("\\(aq", stdout);
            break;
        case '"':
            fputs("\\(dq", stdout);
            break;
        case '`':
            fputs("\\(ga", stdout);
            break;
        case '^':
            fputs("\\(ha", stdout);
            break;
        case '~':
            fputs("\\(ti", stdout);
            break;
        default:
            putchar(c);
        }
    }
}

static void
write_lines(const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");

        write_text(text, length, true);
        putchar('\n');
        text += length + (text[length] == '\n');
    }
}

// `purpose` as a sentence.
static void
write_sentence(const char *purpose)
{
    putchar(toupper((unsigned char)purpose[0]));
    write_text(purpose + 1, strlen(purpose + 1), false);
    fputs(".\n", stdout);
}

// Whole lines. Blank ones part paragraphs; those that begin with two spaces stay as they are.
static void
write_details(const char *text)
{
    bool as_it_is = false, begun = false;

    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool indented = strncmp(text, "  ", 2) == 0;

        if (as_it_is && !indented) {
            fputs(".fi\n", stdout);
            begun = false;
        }
        if (length == 0)
            begun = false;
        else if (!begun || (indented && !as_it_is))
            fputs(indented ? ".PP\n.nf\n" : ".PP\n", stdout);
        as_it_is = indented;
        begun = length > 0;
        if (length > 0) {
            write_text(text, length, true);
            putchar('\n');
        }
        text += length + (text[length] == '\n');
    }
    if (as_it_is)
        fputs(".fi\n", stdout);
}

static void
write_option(const struct option *option)
{
    fputs(".TP\n", stdout);
    fputs(option->value ? ".BI " : ".B ", stdout);
    write_text(option->name, strlen(option->name), false);
    if (option->value) {
        fputs(" \" ", stdout);
        write_text(option->value, strlen(option->value), false);
        putchar('"');
    }
    putchar('\n');
    write_lines(option->help);
}

static bool
is_shared(int id)
{
    int users = 0;

    for (const struct command *const *c = commands_table; *c; c++)
        users += options_accepts(*c, id);
    return users > 1;
}

// What the command's own options mean, and which others there are.
static void
write_options(const struct command *command)
{
    const char *separator = ".PP\nShared options: ";

    for (int id = 0; id < OPT_COUNT; id++)
        if (options_accepts(command, id) && !is_shared(id))
            write_option(&options_table[id]);
    for (int id = 0; id < OPT_COUNT; id++) {
        if (id == OPT_HELP || !options_accepts(command, id) || !is_shared(id))
            continue;
        fputs(separator, stdout);
        write_text(options_table[id].name, strlen(options_table[id].name), false);
        separator = ",\n";
    }
    if (separator[0] == ',')
        fputs(".\n", stdout);
}

static void
write_examples(const struct example *example)
{
    for (; example && example->purpose; example++) {
        fputs(".PP\n", stdout);
        putchar(toupper((unsigned char)example->purpose[0]));
        write_text(example->purpose + 1, strlen(example->purpose + 1), false);
        fputs(":\n.RS 4\n.nf\n", stdout);
        write_lines(example->line);
        fputs(".fi\n.RE\n", stdout);
    }
}

static void
write_command(const struct command *command)
{
    fputs(".SS \"tess ", stdout);
    write_text(command->name, strlen(command->name), false);
    putchar(' ');
    write_text(command->words, strlen(command->words), false);
    fputs("\"\n", stdout);
    write_sentence(command->purpose);
    write_details(command->details);
    write_options(command);
    write_examples(command->examples);
}

static void
write_json(const struct command *command)
{
    fputs(".SS \"tess ", stdout);
    write_text(command->name, strlen(command->name), false);
    fputs(" \\-\\-json\"\n.PD 0\n", stdout);
    for (const struct json_member *m = command->json; m->path; m++) {
        printf(".TP\n.BR %s \" (%s)\"\n", m->path, m->type);
        write_lines(m->meaning);
    }
    fputs(".PD\n", stdout);
}

void
manpage_print(void)
{
    printf(".TH TESS 1 " DATE " \"tessera %s\" \"User Commands\"\n", tess_version());
    fputs(".SH NAME\n"
          "tess \\- N\\-dimensional compressed arrays in the Blosc2 format\n"
          ".SH SYNOPSIS\n"
          ".B tess\n.I command arguments\n.RI [ options ]\n"
          ".PP\n.B tess\n.I command\n.B \\-\\-help\n"
          ".PP\n.B tess \\-\\-help\n|\n.B \\-\\-version\n|\n.B \\-\\-man\n",
          stdout);
    fputs(description, stdout);
    fputs(".SH COMMANDS\n", stdout);
    for (const struct command *const *c = commands_table; *c; c++)
        write_command(*c);
    fputs(".SH SHARED OPTIONS\n", stdout);
    for (int id = 0; id < OPT_COUNT; id++)
        if (is_shared(id))
            write_option(&options_table[id]);
    fputs(shapes, stdout);
    fputs(".SH JSON\n"
          "With\n.B \\-\\-json\n"
          "a command prints one object on one line, with these keys in it.\n"
          "A list of objects is written with [] behind its name, and\n.I NAME\n"
          "is any key. An item of an array is a number, true or false, or a string; nan and inf\n"
          "are strings.\n"
          "Later versions may add keys; those that are here keep name, type and meaning.\n",
          stdout);
    for (const struct command *const *c = commands_table; *c; c++)
        if ((*c)->json)
            write_json(*c);
    fputs(rest, stdout);
}
