/*
 * job.h - what the parts of this program share: options, arrays in files, contests.
 */
#ifndef COMMITS_JOB_H
#define COMMITS_JOB_H

#include "../compare/side.h"
#include "../support.h"

#include <tessera.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NDIM 3

struct job {
    const char *cells; // part of their names; NULL: all
    const char *codec; // NULL: lz4 and zstd
    int level, threads, repeats;
    double budget; // seconds per cell and player
    int64_t size; // bytes of the array that is written and read
    int64_t chunks; // of the arrays of space and ledger, at most
    int64_t chunk; // bytes of a chunk there
    int64_t overwrites;
    int reopens; // meanwhile
    uint64_t seed;
    char path[600]; // of the array, file or directory
    FILE *csv; // NULL: none
};

// The parts. Each prints a table, and lines of CSV.
void cost_play(const struct job *job); // of durability and checksums, in time to write
void streams_play(const struct job *job); // of checksums of chunks that are written in pieces
void verify_play(const struct job *job); // of comparing them, in time to read
void space_play(const struct job *job); // files against their live data, overwritten at random
void ledger_play(const struct job *job); // opening and committing arrays of many chunks

// End the program unless a call of Tessera was fine.
void must(tess_status status, const tess_error *err);

// How an array is written or opened.
struct player {
    const char *name;
    tess_durability durability;
    tess_checksums checksums;
    bool goal; // it may cost GOAL percent more than the first one
};

#define GOAL 5.0

// One cell, played by all in turns. The first player is what the others are compared with.
struct contest {
    const char *part, *cell;
    const struct player *players;
    int nplayers;
    double (*play)(void *with, const struct player *p); // a turn: the seconds it took
    void *with;
};

void contest_header(const struct contest *c, const char *title);
void contest_play(const struct job *job, const struct contest *c); // if the job wants the cell
bool job_wants(const struct job *job, const char *cell);

// A line of CSV.
void job_csv(const struct job *job, const char *part, const char *cell, const char *player,
             int repeats, const char *unit, double value);

// What a path takes: a file, or the files of a directory. Their number, their bytes.
int64_t path_measure(const char *path, int64_t *bytes);
void path_remove(const char *path); // also if there is none

void storage_init(tess_storage *storage, tess_context *context, const struct job *job,
                  const struct player *p);

// The array of floats that bench/selections works on, cut into its chunks.
struct field {
    struct side_array array;
    size_t size;
    float *items; // C order
    int nchunks;
    struct field_chunk {
        int64_t start[NDIM], stop[NDIM];
        float *items;
        size_t size;
    } * chunks;
};

void field_init(struct field *field, const struct job *job, uint64_t seed);
void field_finish(struct field *field);
void field_params(const struct field *field, const struct job *job, const char *codec,
                  tess_layout layout, tess_params *params);

#endif
