/*
 * environment.c - variables of the environment that change how chunks are compressed.
 */
#include "chunk/environment.h"

#include "blosc2/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
not_known(const char *variable, const char *value)
{
    b2_fail(0, "the environment has %s=%s, which is not known", variable, value);
}

// A number in [least, most]; false: it is not set, or is no such number.
static bool
get_number(const char *variable, long least, long most, long *number)
{
    const char *const value = getenv(variable);
    char *end;
    if (!value)
        return false;
    errno = 0;
    *number = strtol(value, &end, 10);
    if (errno == 0 && end != value && *number >= least && *number <= most)
        return true;
    not_known(variable, value);
    return false;
}

struct word {
    const char *name;
    int value;
};

static bool
get_word(const char *variable, const struct word *words, int *value)
{
    const char *const set = getenv(variable);
    if (!set)
        return false;
    for (; words->name; words++)
        if (strcmp(words->name, set) == 0) {
            *value = words->value;
            return true;
        }
    not_known(variable, set);
    return false;
}

void
b2_set_shuffle(uint8_t *filters, int doshuffle, int32_t typesize)
{
    uint8_t *const last = &filters[BLOSC2_MAX_FILTERS - 1];
    if ((doshuffle == BLOSC_SHUFFLE && typesize > 1) || doshuffle == BLOSC_BITSHUFFLE ||
        doshuffle == BLOSC_NOSHUFFLE)
        *last = (uint8_t)doshuffle;
}

static void
set_filters(blosc2_cparams *c)
{
    static const struct word shuffles[] = {{"NOSHUFFLE", BLOSC_NOSHUFFLE},
                                           {"SHUFFLE", BLOSC_SHUFFLE},
                                           {"BITSHUFFLE", BLOSC_BITSHUFFLE},
                                           {NULL, 0}};
    static const struct word deltas[] = {{"0", 0}, {"1", 1}, {NULL, 0}};
    uint8_t *const delta = &c->filters[BLOSC2_MAX_FILTERS - 2];
    int value;
    if (get_word("BLOSC_SHUFFLE", shuffles, &value))
        b2_set_shuffle(c->filters, value, c->typesize);
    if (get_word("BLOSC_DELTA", deltas, &value) && (value || *delta == BLOSC_DELTA))
        *delta = value ? BLOSC_DELTA : BLOSC_NOFILTER;
}

static int
set_codec(blosc2_cparams *c)
{
    const char *const name = getenv("BLOSC_COMPRESSOR");
    const int code = name ? blosc2_compname_to_compcode(name) : -1;
    if (code >= BLOSC_LAST_CODEC)
        return b2_fail(BLOSC2_ERROR_CODEC_SUPPORT,
                       "the environment has BLOSC_COMPRESSOR=%s, which is no codec of Blosc", name);
    if (code >= 0)
        c->compcode = (uint8_t)code;
    else if (name)
        not_known("BLOSC_COMPRESSOR", name);
    return 0;
}

int16_t
b2_environment_nthreads(int16_t nthreads)
{
    long number;
    if (get_number("BLOSC_NTHREADS", 1, INT16_MAX, &number))
        return (int16_t)number;
    return nthreads > 0 ? nthreads : 1;
}

int
b2_environment_check(void)
{
    long number;
    if (!getenv("BLOSC_NTHREADS") || get_number("BLOSC_NTHREADS", 1, INT16_MAX, &number))
        return 0;
    return BLOSC2_ERROR_INVALID_PARAM;
}

int
b2_environment_cparams(blosc2_cparams *c)
{
    static const struct word splits[] = {{"ALWAYS", BLOSC_ALWAYS_SPLIT},
                                         {"NEVER", BLOSC_NEVER_SPLIT},
                                         {"AUTO", BLOSC_AUTO_SPLIT},
                                         {"FORWARD_COMPAT", BLOSC_FORWARD_COMPAT_SPLIT},
                                         {NULL, 0}};
    long number;
    int value;
    if (get_number("BLOSC_TYPESIZE", 1, BLOSC2_MAXTYPESIZE, &number))
        c->typesize = (int32_t)number;
    if (get_number("BLOSC_CLEVEL", 0, UINT8_MAX, &number))
        c->clevel = (uint8_t)number;
    if (get_number("BLOSC_BLOCKSIZE", 1, BLOSC2_MAXBLOCKSIZE, &number))
        c->blocksize = (int32_t)number;
    if (get_word("BLOSC_SPLITMODE", splits, &value))
        c->splitmode = value;
    c->nthreads = b2_environment_nthreads(c->nthreads);
    set_filters(c);
    return set_codec(c);
}
