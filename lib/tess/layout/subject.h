/*
 * subject.h - the data that layouts are measured with: an array, what can be imported, or a shape.
 */
#ifndef TESS_LAYOUT_SUBJECT_H
#define TESS_LAYOUT_SUBJECT_H

#include "formats/input.h"
#include "options.h"

#include <tessera/layout.h>

struct subject {
    const char *name; // for people
    bool described; // by its shape and type: its items are made up
    struct input in; // else it is this
    tess_params params; // shape and type, with what the options say, else defaults
    tess_params stored; // the array's own layout, if it has one that can be had again
    bool has_stored;
    tess_tuner *tuner; // with a sample of it
};

// What to take if neither PATH nor --shape and --dtype are given; NULL: that is TESS_ERR_ARG.
struct subject_default {
    const char *shape, *dtype;
};

/*
 * The first word names an array, or what can be imported; without it --shape and --dtype describe
 * one. The options are completed by --sample, --access, and what keeps parameters as they are. End
 * with subject_close(), also after a failure.
 */
tess_status subject_open(struct subject *s, const struct arguments *args,
                         const struct subject_default *otherwise, tess_tuner_options *options,
                         tess_error *err);
void subject_close(struct subject *s);

// --access for an array of that shape, else the default mix.
tess_status subject_accesses(const struct arguments *args, int ndim, const int64_t *shape,
                             tess_access accesses[TESS_MAX_ACCESSES], int *naccesses,
                             tess_error *err);

#endif
