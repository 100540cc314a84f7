/*
 * options.c - one table of options, one parser.
 *
 * What a value means is looked at by the command (cli/params.c for layout and codec).
 */
#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct option {
    const char *name;
    const char *value; // what the help calls the value; NULL: a flag
    const char *help;
};

static const struct option options[OPT_COUNT] = {
    [OPT_JSON] = {"--json", NULL, "print one JSON object"},
    [OPT_OFFSET] = {"--offset", "N", "the frame starts at byte N of the file (default 0)"},
    [OPT_SLICE] = {"--slice", "EXPR", "only a part, as in NumPy: 0:10,5,...,::-2"},
    [OPT_DTYPE] = {"--dtype", "TYPE", "item type, as in NumPy: <f4"},
    [OPT_SHAPE] = {"--shape", "SHAPE", "shape of raw input: 400x300"},
    [OPT_CHUNKS] = {"--chunks", "SHAPE", "shape of a chunk: 100x100 (default: chosen)"},
    [OPT_BLOCKS] = {"--blocks", "SHAPE", "shape of a block: 25x50 (default: chosen)"},
    [OPT_CODEC] = {"--codec", "NAME",
                   "blosclz, lz4 (default), lz4hc, zlib, zstd, ndlz:SIDE,\n"
                   "zfp_accuracy:EXPONENT, zfp_precision:BITS, zfp_rate:PERCENT;\n"
                   "lz4, lz4hc and zstd take a dictionary"},
    [OPT_LEVEL] = {"--level", "N", "0 (store) to 9 (smallest); default 5"},
    [OPT_FILTER] = {"--filter", "LIST",
                    "none, or some of shuffle (default), bitshuffle, delta,\n"
                    "trunc_prec:BITS, bytedelta, int_trunc:BITS, as name[:meta],\n"
                    "in the order in which they are applied: delta,shuffle"},
    [OPT_SPLIT] = {"--split", "WHEN",
                   "cut blocks into byte streams: auto (default), always, never"},
    [OPT_DICTIONARY] = {"--dictionary", NULL,
                        "chunks bring a dictionary for their blocks where that pays, as\n"
                        "with many small blocks; for lz4, lz4hc and zstd"},
    [OPT_LAYOUT] = {"--layout", "NAME",
                    "contiguous (default): one file; sparse: a directory with one\n"
                    "file per chunk"},
    [OPT_LAYER] = {"--layer", "NAME", "b2nd (default), or caterva for old programs"},
    [OPT_FORCE] = {"--force", NULL, "replace a file or a sparse array that exists"},
    [OPT_TYPE] = {"--type", "TYPE", "VALUE is an int, float, string, bytes or json, and no other"},
    [OPT_FILE] = {"--file", "FILE", "VALUE is what stands in FILE: bytes, or as --type says"},
    [OPT_RAW] = {"--raw", NULL, "print strings and bytes as they are, without a newline"},
    [OPT_LIST_CHUNKS] = {"--chunks", NULL, "list the chunks, too"},
    [OPT_KEEP_HEADER] = {"--keep-header", NULL,
                         "where the header differs from its copy, another program changed it;\n"
                         "default: it is damaged"},
    [OPT_OLDER] = {"--older", NULL, "an older state will do, if there is no more of the newest"},
    [OPT_AXIS] = {"--axis", "K", "the axis that grows (default 0); -1 is the last one"},
    [OPT_TOLERANCE] = {"--tolerance", "X", "numbers may differ by X (default 0)"},
    [OPT_RELATIVE] = {"--relative", "R", "or by R times the larger of the two (default 0)"},
    [OPT_THREADS] = {"--threads", "N", "at most N threads work (default: one per CPU)"},
    [OPT_OUTPUT] = {"--output", "FILE",
                    "or -o: OUT.png for an image; - for text, with colours in any case"},
    [OPT_AXES] = {"--axes", "Y,X", "rows and columns (default: the last two)"},
    [OPT_REDUCE] = {"--reduce", "HOW", "mean, min or max of what is not shown item by item"},
    [OPT_WIDTH] = {"--width", "N",
                   "pixels of the picture, at most (default: 1024, or what the\n"
                   "terminal has: a character is 1 wide and 2 high)"},
    [OPT_HEIGHT] = {"--height", "N", "likewise"},
    [OPT_RANGE] = {"--range", "LO:HI", "values at the ends of the colours"},
    [OPT_MISSING] = {"--missing", "LIST", "values that stand for no value: -1e34,0; or none"},
    [OPT_COLORS] = {"--colors", "NAME", "viridis (default), gray, diverging (0 in its middle)"},
    [OPT_FLIP] = {"--flip", NULL, "the first row is the lowest"},
    [OPT_NO_ATTRIBUTES] = {"--no-attributes", NULL,
                           "leave attributes, names of dimensions and the fill value"},
    [OPT_HELP] = {"--help", NULL, "this text"},
};

static bool
is_word(const char *arg)
{
    return arg[0] != '-' || arg[1] == '\0' || isdigit((unsigned char)arg[1]);
}

static bool
accepts(const struct command *command, int id)
{
    return id == OPT_HELP || (command->options & OPT_BIT(id)) != 0;
}

// The option that arg names, up to its end or a '='; OPT_COUNT if the command has none such.
static int
find(const struct command *command, const char *arg)
{
    const size_t length = strcspn(arg, "=");
    int id = 0;

    if (strcmp(arg, "-h") == 0)
        return OPT_HELP;
    if (strcmp(arg, "-o") == 0 && accepts(command, OPT_OUTPUT))
        return OPT_OUTPUT;
    while (id < OPT_COUNT && !(accepts(command, id) && strlen(options[id].name) == length &&
                               strncmp(options[id].name, arg, length) == 0))
        id++;
    return id;
}

static enum options_outcome
bad(const struct command *command, const char *arg, const char *message)
{
    fprintf(stderr, "tess: %s: %s%s; see tess %s --help\n", command->name, arg, message,
            command->name);
    return OPTIONS_BAD;
}

enum options_outcome
options_parse(const struct command *command, int argc, char **argv, struct arguments *args)
{
    bool only_words = false;
    int nwords = 0;

    *args = (struct arguments){.words = argv};
    for (int i = 0; i < argc; i++) {
        char *const arg = argv[i];

        if (!only_words && strcmp(arg, "--") == 0) {
            only_words = true;
            continue;
        }
        if (only_words || is_word(arg)) {
            if (nwords == command->nwords + command->nwords_more)
                return bad(command, arg, ": too many arguments");
            args->words[nwords++] = arg;
            continue;
        }

        const int id = find(command, arg);
        const char *value = strchr(arg, '=');
        if (id == OPT_COUNT)
            return bad(command, arg, ": no such option");
        if (options[id].value == NULL) {
            if (value)
                return bad(command, arg, ": takes no value");
            value = "";
        } else if (value) {
            value++;
        } else if (i + 1 < argc) {
            value = argv[++i];
        } else {
            return bad(command, arg, ": its value is missing");
        }
        args->values[id] = value;
    }
    if (args->values[OPT_HELP])
        return OPTIONS_HELP;
    argv[nwords] = NULL;
    args->nwords = nwords;
    if (nwords < command->nwords)
        return bad(command, command->words, ": too few arguments");
    return OPTIONS_RUN;
}

static void
print_option(const struct option *option)
{
    char left[32];
    const char *line = option->help;

    (void)snprintf(left, sizeof left, "%s %s", option->name, option->value ? option->value : "");
    for (;;) {
        const size_t length = strcspn(line, "\n");

        printf("  %-16s %.*s\n", left, (int)length, line);
        if (line[length] == '\0')
            return;
        line += length + 1;
        left[0] = '\0';
    }
}

void
options_help(const struct command *command)
{
    printf("usage: tess %s %s [options]\n\n%s.\n", command->name, command->words, command->purpose);
    if (command->details[0])
        printf("\n%s", command->details);
    printf("\noptions:\n");
    for (int id = 0; id < OPT_COUNT; id++)
        if (accepts(command, id))
            print_option(&options[id]);
}
