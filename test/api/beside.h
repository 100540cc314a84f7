/*
 * beside.h - threads that read and change one array concurrently, by all calls of the library.
 *
 * Each item that is written encodes its index, whichever write it is from; an item that was never
 * written is 0. So each item that is read can be checked. Which writes a read may return is tested
 * by writers.c and writer_and_readers.c. All items of a chunk of a super-chunk are equal.
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

// How the readers open the array.
enum access {
    THE_SAME, // they use the handle of the writers
    OPENED, // by path, with a second handle that is refreshed
    MAPPED,
    SOURCE, // through read functions of the program
    FAR_SOURCE, // the same with latency: threads of the library wait for reads
};

struct kind {
    const char *name;
    bool memory;
    tess_layout layout;
    enum access access;
    int unit; // length of blocks; that of chunks is 2.5 times as much; 0: a super-chunk
    int64_t cache;
    tess_checksums checksums;
    bool lock_file;
};

// The array that threads use. A thread that requires exclusive access locks `lock` for writing.
struct stage {
    const struct kind *kind;
    char path[BESIDE_PATH];
    tess_array *w, *r; // handles to write and to read; may be equal
    tess_array *sketch; // NULL: shapes change in this round
    tess_adoption *adoption;
    pthread_rwlock_t lock, reader_lock; // for `w` and `r`
    int64_t columns, most_rows, chunk;
    pthread_mutex_t next_lock;
    int64_t next; // the next chunk of the adoption; guarded by next_lock
};

struct thread {
    pthread_t thread;
    struct stage *s;
    struct random random;
    bool writes;
    tess_array *a;
    uint64_t *items; // buffer for all items of the array
    size_t size;
    int64_t rows; // current number of rows; of a super-chunk: of items
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

// Draw a box that is not empty, and usually has few blocks.
void draw_box(struct thread *t, int64_t start[2], int64_t stop[2]);
void draw_points(struct thread *t, int64_t coords[BESIDE_POINTS][2]);
void draw_lists(struct thread *t, int64_t lists[2][BESIDE_BOXES]);
// Draw the starts of boxes of one block; some boxes overlap.
void draw_starts(struct thread *t, int64_t starts[BESIDE_BOXES][2], int64_t shape[2]);
int64_t draw_chunk(struct thread *t);

// TESS_OK if the status says that an entry does not exist: other threads may have deleted it.
tess_status maybe(tess_status st);

// Calls for arrays and super-chunks.
tess_status beside_verify(struct thread *t, tess_error *err);
tess_status beside_set_context(struct thread *t, tess_error *err);
tess_status beside_get_attributes(struct thread *t, tess_error *err);
tess_status beside_set_attributes(struct thread *t, tess_error *err);
tess_status beside_flush(struct thread *t, tess_error *err);

#endif
