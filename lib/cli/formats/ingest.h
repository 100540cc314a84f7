/*
 * ingest.h - an array that is made from an input, box by box.
 *
 * Boxes follow the borders of chunks: each chunk is compressed once, and memory does not grow with
 * the array.
 */
#ifndef CLI_FORMATS_INGEST_H
#define CLI_FORMATS_INGEST_H

#include "cli/data/output.h"
#include "cli/formats/source.h"
#include "cli/options.h"

#include <tessera/array.h>

struct ingest {
    const char *in_name, *out_name; // the caller's
    struct source *in; // the caller's
    tess_params params; // of the array
    const char *path; // where to write, as part of something larger; NULL: out_name
    struct output file; // without path
    tess_array *out;
    bool sparse; // the array begins as what the input does not store
    const char *about; // what an error is about: one of the names
};

/*
 * First the names and the input are set; then this fills the parameters, from the input (with its
 * attributes, unless --no-attributes is given) and the options. They may be changed before the
 * array is made. End with ingest_close(), also after a failure.
 */
tess_status ingest_describe(struct ingest *job, const struct arguments *args, tess_error *err);

// Makes the array, which appears when it is complete: --force, --threads. At `path` nothing may be,
// and what is there after a failure is the caller's to remove.
tess_status ingest_run(struct ingest *job, const struct arguments *args, tess_error *err);

// Says on stderr which attributes were of no type that an array can have.
void ingest_tell_left(const struct ingest *job);

void ingest_close(struct ingest *job);

#endif
