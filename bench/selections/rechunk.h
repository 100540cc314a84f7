/*
 * rechunk.h - copying an array of planes on disk to chunks that are columns, in bounded memory.
 */
#ifndef SELECTIONS_RECHUNK_H
#define SELECTIONS_RECHUNK_H

#include <stdint.h>
#include <stdio.h>

// Prints a table, and CSV unless csv is NULL. Files are written to dir and removed.
void rechunk_play(int64_t gib, int threads, int codec, int level, const char *dir, uint64_t seed,
                  FILE *csv);

#endif
