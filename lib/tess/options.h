/*
 * options.h - the options of the command, the same everywhere they are accepted.
 */
#ifndef TESS_OPTIONS_H
#define TESS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_id {
    OPT_JSON,
    OPT_OFFSET,
    OPT_SLICE,
    OPT_DTYPE,
    OPT_SHAPE,
    OPT_CHUNKS,
    OPT_BLOCKS,
    OPT_CODEC,
    OPT_LEVEL,
    OPT_FILTER,
    OPT_SPLIT,
    OPT_DICTIONARY,
    OPT_LAYOUT,
    OPT_LAYER,
    OPT_FORCE,
    OPT_TYPE,
    OPT_FILE,
    OPT_RAW,
    OPT_LIST_CHUNKS,
    OPT_KEEP_HEADER,
    OPT_OLDER,
    OPT_IN_ORDER,
    OPT_AXIS,
    OPT_TOLERANCE,
    OPT_RELATIVE,
    OPT_THREADS,
    OPT_OUTPUT,
    OPT_AXES,
    OPT_REDUCE,
    OPT_WIDTH,
    OPT_HEIGHT,
    OPT_RANGE,
    OPT_MISSING,
    OPT_COLORS,
    OPT_FLIP,
    OPT_ACCESS,
    OPT_BUDGET,
    OPT_SAMPLE,
    OPT_DISK_SPEED,
    OPT_DISK_LATENCY,
    OPT_EXHAUSTIVE,
    OPT_CSV,
    OPT_PLOT,
    OPT_APPLY,
    OPT_NO_ATTRIBUTES,
    OPT_UNCHECKED,
    OPT_FILL,
    OPT_FROM,
    OPT_MISFIT,
    OPT_AT,
    OPT_ORDER,
    OPT_ALONG,
    OPT_OP,
    OPT_SKIP_NAN,
    OPT_SKIP_MISSING,
    OPT_STORE,
    OPT_RECURSIVE,
    OPT_UNPACK,
    OPT_PACK,
    OPT_DOWNSAMPLE,
    OPT_LEVELS,
    OPT_FIELD,
    OPT_ALL,
    OPT_FULL,
    OPT_STRICT,
    OPT_NAME,
    OPT_FORGET,
    OPT_HELP, // every command has it
    OPT_COUNT
};

// The options that a command accepts, a list that ends with OPT_COUNT; OPTIONS(OPT_A, OPT_B).
#define OPTIONS(...) ((const enum option_id[]){__VA_ARGS__, OPT_COUNT})

// Layout and codec: what every command that writes an array understands.
#define OPTS_LAYOUT                                                                      \
    OPT_CHUNKS, OPT_BLOCKS, OPT_CODEC, OPT_LEVEL, OPT_FILTER, OPT_SPLIT, OPT_DICTIONARY, \
        OPT_LAYOUT, OPT_LAYER

bool options_include(const enum option_id *options, int id);

// What stood behind the name of the command.
struct command;

struct arguments {
    const struct command *const *commands; // all of them, up to NULL
    char **words; // in the place of argv; NULL behind the last one
    int nwords;
    const char *values[OPT_COUNT]; // NULL: not given; "" for a flag that was
};

#define OPTIONS_MORE INT16_MAX // any number

struct option {
    const char *name;
    const char *value; // what the help calls the value; NULL: a flag
    const char *help;
    char letter; // -o for --output; 0: none
};

// A command line that works, where there are the files that it names.
struct example {
    const char *purpose; // what it does
    const char *line;
};

/*
 * What a program finds in the object that --json prints: `shape[]` is each of a list,
 * `chunks[].kind` what such a one has, and `metalayers.NAME` stands for any key. Keys that are
 * there only sometimes say when. Once released, keys neither go away nor change their meaning.
 */
struct json_member {
    const char *path;
    // integer, number, string, boolean, object, list, item (of an array), any; integers, strings:
    // lists of such; "or null", "or absent"
    const char *type;
    const char *meaning;
};

struct command {
    const char *name;
    const char *purpose; // one line
    const char *words; // names of the words, for the help
    int nwords;
    int nwords_more; // that may follow, or OPTIONS_MORE
    const enum option_id *options; // OPTIONS that it accepts, besides --help; NULL: none
    const char *details; // more help, whole lines; may be ""
    const struct example *examples; // the last one has no purpose
    const struct json_member *json; // the last one has no path; NULL: there is no --json
    int (*run)(const struct arguments *args); // returns an exit status
};

// Word n, or NULL.
static inline const char *
arguments_word(const struct arguments *args, int n)
{
    return n < args->nwords ? args->words[n] : NULL;
}

// By enum option_id.
extern const struct option options_table[OPT_COUNT];

bool options_accepts(const struct command *command, int id); // --help, too

enum options_outcome { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD };

/*
 * Sort what stands behind the command's name into words and options: `--name value`,
 * `--name=value`, `--flag`; after `--` all are words. `-` and negative numbers are words.
 * OPTIONS_BAD has been explained on stderr.
 */
enum options_outcome options_parse(const struct command *command, int argc, char **argv,
                                   struct arguments *args);

#endif
