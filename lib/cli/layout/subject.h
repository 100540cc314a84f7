/*
 * subject.h - the array that layouts are measured with: one that exists, or one that is described.
 */
#ifndef CLI_LAYOUT_SUBJECT_H
#define CLI_LAYOUT_SUBJECT_H

#include "cli/formats/input.h"
#include "cli/layout/sample.h"
#include "cli/options.h"

struct subject {
    const char *name; // for people
    bool described; // by its shape and type: its items are made up
    struct input in; // else it is this
    tess_params params; // shape and type, with what the options say, else defaults
    tess_params stored; // the array's own layout, if it has one that can be had again
    bool has_stored;
    struct sample sample;
    uint8_t *buffer; // as large as the sample
};

// What to take if neither PATH nor --shape and --dtype are given; NULL: that is TESS_ERR_ARG.
struct subject_default {
    const char *shape, *dtype;
};

#define SUBJECT_SAMPLE 32.0 // MiB, without --sample

/*
 * The first word names an array, or what can be imported; without it --shape and --dtype describe
 * one. No axis is empty, and there is one at least. --sample says how large the sample may
 * be. End with subject_close(), also after a failure.
 */
tess_status subject_open(struct subject *s, const struct arguments *args,
                         const struct subject_default *otherwise, tess_error *err);
void subject_close(struct subject *s);

#endif
