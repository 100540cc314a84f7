/*
 * options.c - one table of options, one parser.
 *
 * What a value means is looked at by the command (data/params.c for layout and codec).
 */
#include "options.h"

#include "help/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const struct option options_table[OPT_COUNT] = {
    [OPT_JSON] = {"--json", NULL, "print one JSON object"},
    [OPT_OFFSET] = {"--offset", "N", "the frame starts at byte N of the file (default 0)"},
    [OPT_SLICE] = {"--slice", "EXPR", "only a part, as in NumPy: 0:10,5,...,::-2"},
    [OPT_DTYPE] = {"--dtype", "TYPE", "type of the items, as in NumPy: <f4"},
    [OPT_SHAPE] = {"--shape", "SHAPE", "shape of raw input, or of a new array: 400x300"},
    [OPT_CHUNKS] = {"--chunks", "SHAPE", "shape of a chunk: 100x100 (default: chosen)"},
    [OPT_BLOCKS] = {"--blocks", "SHAPE", "shape of a block: 25x50 (default: chosen)"},
    [OPT_CODEC] = {"--codec", "NAME",
                   "blosclz, lz4 (default), lz4hc, zlib, zstd, each with its level as\n"
                   "zstd:9; ndlz:SIDE,\n"
                   "zfp_accuracy:EXPONENT, zfp_precision:BITS, zfp_rate:PERCENT;\n"
                   "lz4, lz4hc and zstd take a dictionary"},
    [OPT_LEVEL] = {"--level", "N",
                   "compression level, 0 (store) to 9 (smallest);\n"
                   "default 5, of tess export 4"},
    [OPT_FILTER] = {"--filter", "LIST",
                    "none, or some of shuffle (default), bitshuffle, delta,\n"
                    "trunc_prec:BITS, bytedelta, int_trunc:BITS, ndcell:SIDE,\n"
                    "ndmean:SIDE, as name[:meta],\n"
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
    [OPT_OLDER] = {"--older", NULL, "take an older state if too little is left of the newest one"},
    [OPT_IN_ORDER] = {"--in-order", NULL,
                      "if the index is lost: chunks are in the order of the file, none left out\n"
                      "as zeros; default: those without a number are left out"},
    [OPT_AXIS] = {"--axis", "K", "the axis along which it is done (default 0); -1 is the last one"},
    [OPT_TOLERANCE] = {"--tolerance", "X", "numbers may differ by X (default 0)"},
    [OPT_RELATIVE] = {"--relative", "R", "or by R times the larger of the two (default 0)"},
    [OPT_THREADS] = {"--threads", "N", "at most N threads work (default: one per CPU)"},
    [OPT_OUTPUT] = {"--output", "FILE",
                    "or -o: OUT.png, OUT.svg or OUT.pdf for an image; - for text, with\n"
                    "colours in any case",
                    'o'},
    [OPT_AXES] = {"--axes", "Y,X", "rows and columns (default: the last two)"},
    [OPT_REDUCE] = {"--reduce", "HOW", "how several items become one pixel: mean, min or max"},
    [OPT_WIDTH] = {"--width", "N",
                   "pixels of the picture, at most (default: 1024, or what the\n"
                   "terminal has: a character is 1 wide and 2 high)"},
    [OPT_HEIGHT] = {"--height", "N", "height in pixels, at most (defaults as for --width)"},
    [OPT_RANGE] = {"--range", "LO:HI", "values at the ends of the colours"},
    [OPT_MISSING] = {"--missing", "LIST",
                     "values that stand for no value: -1e34,0; or none; tess copy: one"},
    [OPT_COLORS] = {"--colors", "NAME", "viridis (default), gray, diverging (0 in its middle)"},
    [OPT_FLIP] = {"--flip", NULL, "the first row is the lowest"},
    [OPT_ACCESS] = {"--access", "MIX",
                    "the accesses to measure and how often each is done; see above"},
    [OPT_BUDGET] = {"--budget", "TIME", "how long layouts are measured: 60s (default), 5m"},
    [OPT_SAMPLE] = {"--sample", "MIB", "measure with a sample of MIB MiB of items (default 32)"},
    [OPT_DISK_SPEED] =
        {"--disk-speed", "MB/S",
         "read speed of the disk in MB/s (default 1000);\n0: all is in memory already"},
    [OPT_DISK_LATENCY] = {"--disk-latency", "MS",
                          "time the disk needs to find a chunk, in milliseconds (default 0)"},
    [OPT_EXHAUSTIVE] = {"--exhaustive", NULL,
                        "then measure all shapes, however long that takes, to see how good\n"
                        "the best one is"},
    [OPT_CSV] = {"--csv", NULL, "print all layouts as CSV; bytes, seconds and bytes per second"},
    [OPT_PLOT] = {"--plot", "FILE", "draw OUT.svg or OUT.png: sizes and speeds; needs gnuplot"},
    [OPT_APPLY] = {"--apply", "OUT", "make the array in the best layout"},
    [OPT_UNCHECKED] = {"--unchecked", NULL,
                       "also read chunks that are not what their checksums say"},
    [OPT_NO_ATTRIBUTES] = {"--no-attributes", NULL,
                           "leave attributes, names of dimensions and the fill value"},
    [OPT_FILL] = {"--fill", "VALUE", "the value of all items, also of later growth (default 0)"},
    [OPT_FROM] = {"--from", "FILE", "items of an array, or of what tess import reads"},
    [OPT_MISFIT] = {"--misfit", "HOW",
                    "items that the new type cannot hold: error (default), saturate (its\n"
                    "nearest value), wrap (as NumPy)"},
    [OPT_AT] = {"--at", "I", "index before which it is put; -1 is the last one"},
    [OPT_ORDER] = {"--axes", "LIST", "the axes in their new order: 2,0,1 (default: reversed)"},
    [OPT_ALONG] = {"--axis", "K,L...", "reduce along these axes; -1 is the last one"},
    [OPT_OP] = {"--op", "NAME",
                "sum, mean (default), var, std, min, max, count, any or all; without\n"
                "--axis along all axes"},
    [OPT_SKIP_NAN] = {"--skip-nan", NULL, "leave out NaNs, as if they were no items"},
    [OPT_SKIP_MISSING] = {"--missing", NULL,
                          "leave out NaNs, and what attributes of netCDF call missing"},
    [OPT_STORE] = {"--output", "OUT", "or -o: make an array of it instead of printing it", 'o'},
    [OPT_RECURSIVE] = {"--recursive", NULL, "or -R: folders in folders, too", 'R'},
    [OPT_UNPACK] = {"--unpack", NULL,
                    "items times the attribute scale_factor plus add_offset; what the other\n"
                    "attributes of netCDF call missing becomes NaN"},
    [OPT_PACK] = {"--pack", "S,O", "items less O, divided by S; S and O become attributes"},
    [OPT_DOWNSAMPLE] = {"--downsample", "CELL",
                        "one item of each cell of items: 2x2x1[:HOW], where HOW is mean\n"
                        "(default), nearest (the first), min, max, mode (the most frequent)"},
    [OPT_LEVELS] = {"--levels", "N",
                    "a pyramid of N levels, each downsampled from the one before; auto: until\n"
                    "no axis is longer than 256"},
    [OPT_FIELD] = {"--field", "NAME", "of structures, this field only; a.b: b in the structure a"},
    [OPT_ALL] = {"--all", NULL, "all items, however many"},
    [OPT_FULL] = {"--full", NULL, "attributes in full, however long"},
    [OPT_STRICT] = {"--strict", NULL, "fail where something would be left behind"},
    [OPT_NAME] = {"--name", "NAME",
                  "give the newest commit a name, by which it stays: up to 100 characters\n"
                  "without spaces and slashes"},
    [OPT_FORGET] = {"--forget", "NAME", "take the name from a commit; the next one removes it"},
    [OPT_HELP] = {"--help", NULL, "this text", 'h'},
};

static bool
is_word(const char *arg)
{
    return arg[0] != '-' || arg[1] == '\0' || isdigit((unsigned char)arg[1]);
}

bool
options_include(const enum option_id *options, int id)
{
    while (*options != OPT_COUNT && (int)*options != id)
        options++;
    return *options != OPT_COUNT;
}

bool
options_accepts(const struct command *command, int id)
{
    return id == OPT_HELP || (command->options && options_include(command->options, id));
}

// --name, or -n.
static bool
is_name_of(const struct option *option, const char *arg, size_t length)
{
    if (length == 2)
        return option->letter && arg[1] == option->letter;
    return strlen(option->name) == length && strncmp(option->name, arg, length) == 0;
}

// The option that arg names, up to its end or a '='; OPT_COUNT if the command has none such.
static int
find(const struct command *command, const char *arg)
{
    const size_t length = strcspn(arg, "=");
    int id = 0;

    while (id < OPT_COUNT &&
           !(options_accepts(command, id) && is_name_of(&options_table[id], arg, length)))
        id++;
    return id;
}

// Words about an option that the command does not have: the one that was meant, too.
static enum options_outcome
unknown(const struct command *command, const char *arg)
{
    struct nearest meant;

    nearest_init(&meant, arg, "=");
    for (int id = 0; id < OPT_COUNT; id++)
        if (options_accepts(command, id))
            nearest_try(&meant, options_table[id].name);
    fprintf(stderr, "tess: %s: %s: no such option; ", command->name, arg);
    if (meant.best)
        fprintf(stderr, "did you mean %s?\n", meant.best);
    else
        fprintf(stderr, "see tess %s --help\n", command->name);
    return OPTIONS_BAD;
}

static enum options_outcome
bad(const struct command *command, const char *arg, const char *message)
{
    fprintf(stderr, "tess: %s: %s%s; see tess %s --help\n", command->name, arg, message,
            command->name);
    return OPTIONS_BAD;
}

// The first of the words that are not there, by its name.
static enum options_outcome
bad_word(const struct command *command, int nwords)
{
    const char *name = command->words;
    char text[32];

    for (int n = 0; n < nwords; n++)
        name += strcspn(name, " ") + 1;
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(name, " "), name);
    return bad(command, text, " is missing");
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
            return unknown(command, arg);
        if (options_table[id].value == NULL) {
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
        return bad_word(command, nwords);
    return OPTIONS_RUN;
}
