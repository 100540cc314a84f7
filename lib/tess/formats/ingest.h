/*
 * ingest.h - an array that is made from an input, box by box.
 *
 * Boxes follow the borders of chunks: each chunk is compressed once, and memory does not grow with
 * the array.
 */
#ifndef TESS_FORMATS_INGEST_H
#define TESS_FORMATS_INGEST_H

#include "data/target.h"
#include "formats/source.h"
#include "options.h"

#include <tessera/array.h>

struct ingest {
    const char *in_name, *out_name; // the caller's
    struct source *in; // the caller's
    tess_params params; // of the array
    const char *path; // where to write, as part of something larger; NULL: out_name
    tess_store *store; // that the path is in; NULL: it is a file
    struct target target; // without path
    tess_array *out;
    bool sparse; // new items have the value of those that the input does not store
    const char *about; // what an error is about: one of the names
};

/*
 * Fill job->params from the input (with its attributes, unless --no-attributes is given) and the
 * options. Set the names and the input before. The caller may change the params before
 * ingest_run(). End with ingest_close(), also after a failure.
 */
tess_status ingest_describe(struct ingest *job, const struct arguments *args, tess_error *err);

// Make the array, and publish it when it is complete. Uses --force and --threads. If `path` is set,
// no file may exist there; after a failure the caller removes what is left there.
tess_status ingest_run(struct ingest *job, const struct arguments *args, tess_error *err);

// Print on stderr the names of attributes whose types an array cannot have.
void ingest_tell_left(const struct ingest *job);

void ingest_close(struct ingest *job);

#endif
