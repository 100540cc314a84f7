/*
 * beside.h - threads that read and change one array at once, in all ways there are.
 *
 * Each item tells its index, whatever was written last, or is zero as far as nothing was. So does
 * each result of a read; what a read has of which write is compared in writers.c and crowd.c. A
 * chunk of a super-chunk has equal items.
 */
#ifndef API_BESIDE_H
#define API_BESIDE_H

#include "support/native.h"
#include "support/random.h"

#include <tessera.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum {
    BESIDE_PATH = 600,
    BESIDE_ROWS = 1024, // at most
    BESIDE_POINTS = 24,
    BESIDE_BOXES = 5,
    BESIDE_CHUNK = 100, // items of a chunk of a super-chunk
};

// How the readers have the array.
enum access {
    THE_SAME, // by the handle that writes
    OPENED, // by one that is refreshed
    MAPPED,
    SOURCE, // functions of the program
    FAR_SOURCE, // the same, with threads that wait for them
};

struct kind {
    const char *name;
    bool memory;
    tess_layout layout;
    enum access access;
    int unit; // length of blocks; chunks have 2.5 times as much; 0: a super-chunk
    int64_t cache;
    tess_checksums checksums;
    bool lock_file;
};

// An array as threads use it. A thread that needs it alone locks `lock` to write.
struct stage {
    const struct kind *kind;
    char path[BESIDE_PATH];
    tess_array *w, *r; // written, read; may be one
    tess_array *sketch; // NULL: shapes change in this round
    tess_adoption *adoption;
    pthread_rwlock_t lock, reader_lock; // of both
    int64_t columns, most_rows, chunk;
    pthread_mutex_t next_lock;
    int64_t next; // chunk for the adoption
};

struct thread {
    pthread_t thread;
    struct stage *s;
    struct random random;
    bool writes;
    tess_array *a;
    uint64_t *items; // room for all
    size_t size;
    int64_t rows; // now; of a super-chunk, items
    const char *way;
    tess_status status;
    tess_error error;
    char wrong[200];
    int64_t calls, stale;
};

struct way {
    const char *name;
    tess_status (*fn)(struct thread *t, tess_error *err);
    bool alone; // requires exclusive access
};

struct ways {
    const struct way *list;
    size_t n;
};
extern const struct ways beside_reads, beside_writes; // of arrays
extern const struct ways beside_schunk_reads, beside_schunk_writes;

uint64_t item_of(uint32_t number, int64_t row, int64_t column);
bool item_is_right(uint64_t got, int64_t row, int64_t column);

void complain(struct thread *t, const char *what, uint64_t got, int64_t row, int64_t column);
void expect(struct thread *t, bool right, const char *what);

int64_t below(struct thread *t, int64_t n);
// A box with items, mostly of few blocks.
void draw_box(struct thread *t, int64_t start[2], int64_t stop[2]);
void draw_points(struct thread *t, int64_t coords[BESIDE_POINTS][2]);
void draw_lists(struct thread *t, int64_t lists[2][BESIDE_BOXES]);
// Starts of boxes of one block, some of them over each other.
void draw_starts(struct thread *t, int64_t starts[BESIDE_BOXES][2], int64_t shape[2]);
int64_t draw_chunk(struct thread *t);

// What other threads set and delete need not be there.
tess_status maybe(tess_status st);

// Ways for both.
tess_status beside_verify(struct thread *t, tess_error *err);
tess_status beside_set_context(struct thread *t, tess_error *err);
tess_status beside_get_attributes(struct thread *t, tess_error *err);
tess_status beside_set_attributes(struct thread *t, tess_error *err);
tess_status beside_flush(struct thread *t, tess_error *err);

#endif
