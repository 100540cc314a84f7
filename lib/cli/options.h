/*
 * options.h - the options of the command, the same everywhere they are accepted.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

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
    OPT_NO_ATTRIBUTES,
    OPT_HELP, // every command has it
    OPT_COUNT
};

#define OPT_BIT(id) (UINT64_C(1) << (id))

// Layout and codec: what every command that writes an array understands.
#define OPTS_LAYOUT                                                                             \
    (OPT_BIT(OPT_CHUNKS) | OPT_BIT(OPT_BLOCKS) | OPT_BIT(OPT_CODEC) | OPT_BIT(OPT_LEVEL) |      \
     OPT_BIT(OPT_FILTER) | OPT_BIT(OPT_SPLIT) | OPT_BIT(OPT_DICTIONARY) | OPT_BIT(OPT_LAYOUT) | \
     OPT_BIT(OPT_LAYER))

// What stood behind the name of the command.
struct arguments {
    char **words; // in the place of argv; NULL behind the last one
    int nwords;
    const char *values[OPT_COUNT]; // NULL: not given; "" for a flag that was
};

#define OPTIONS_MORE INT16_MAX // any number

struct command {
    const char *name;
    const char *purpose; // one line
    const char *words; // names of the words, for the help
    int nwords;
    int nwords_more; // that may follow, or OPTIONS_MORE
    uint64_t options; // OPT_BIT of those it accepts, besides --help
    const char *details; // more help, whole lines; may be ""
    int (*run)(const struct arguments *args); // returns an exit status
};

// Word n, or NULL.
static inline const char *
arguments_word(const struct arguments *args, int n)
{
    return n < args->nwords ? args->words[n] : NULL;
}

enum options_outcome { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD };

/*
 * Sort what stands behind the command's name into words and options: `--name value`,
 * `--name=value`, `--flag`; after `--` all are words. `-` and negative numbers are words.
 * OPTIONS_BAD has been explained on stderr.
 */
enum options_outcome options_parse(const struct command *command, int argc, char **argv,
                                   struct arguments *args);

// The help of one command, on stdout.
void options_help(const struct command *command);

#endif
