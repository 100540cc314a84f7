/*
 * saved_arrays.h - arrays that are written to another place, or made behind other data: how they
 * are made, changed, and compared.
 */
#ifndef SUPPORT_SAVED_ARRAYS_H
#define SUPPORT_SAVED_ARRAYS_H

#include "support/reference.h"

#include <tessera.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { ROWS = 40, COLUMNS = 30, JUNK = 777 };

// Bytes that are no array.
extern uint8_t saved_junk[JUNK];

// Begins each test: a folder, and the junk.
int saved_begin(void **state);

// A name in the folder.
tess_storage saved_at(const char *name, tess_mode mode);

// Every parameter is another than the default.
void saved_params(tess_params *p, tess_layout layout);
// Noise in some chunks, few values in others, zeros in one.
void saved_reference(struct reference *r, uint64_t seed);

// A new array of these, with metalayers, committed; name NULL: in memory.
tess_array *saved_make(const char *name, tess_mode mode, tess_layout layout,
                       const struct reference *r);
tess_array *saved_reopen(const char *name, tess_mode mode, bool mapped, int64_t offset);
// Some of every kind of change, without a commit.
void saved_change(tess_array *a, struct reference *r);

// b is a copy of a: apart from where its chunks are, nothing tells them apart.
void saved_check_same(tess_array *a, tess_array *b);
// Saved every way, the array reads the same. sparse: the status of saving it to a directory.
void saved_check_copies(tess_array *a, tess_status sparse);
// The file holds the junk and nothing else.
void saved_check_junk(const char *name);

// Removes "copy".
void saved_remove(tess_layout layout);

// Files cannot grow beyond `size` while `call` runs, which is to fail for that.
#define with_small_files(size, call)                         \
    do {                                                     \
        struct rlimit all_;                                  \
        void (*const old_)(int) = signal(SIGXFSZ, SIG_IGN);  \
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &all_), 0); \
        const struct rlimit few_ = {(size), all_.rlim_max};  \
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &few_), 0); \
        const tess_status st_ = (call);                      \
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &all_), 0); \
        (void)signal(SIGXFSZ, old_);                         \
        assert_int_equal(st_, TESS_ERR_IO);                  \
    } while (0)

#endif
