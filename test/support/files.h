/*
 * files.h - a folder of its own for each test, whole files, and comparing an array with the
 * reference.
 */
#ifndef SUPPORT_FILES_H
#define SUPPORT_FILES_H

#include "support/reference.h"

#include <tessera.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A new empty folder below TMPDIR; its name stays with the program. files_end() removes it and
// what lies in it. One at a time. With TESS_TEST_LOG=3 in the environment, the log of the library
// goes to stderr from then on.
void files_begin(void);
void files_end(void);

// The same, as cmocka calls what surrounds a test.
int files_setup(void **state);
int files_teardown(void **state);
#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)

// Path of a name in the folder; stays until the fourth call from now.
const char *files_path(const char *name);

bool files_exist(const char *path);
// Number of names in the folder.
int files_count(void);

// A file, or a folder and what is in it.
void files_remove(const char *path);

// A whole file; free() it.
uint8_t *files_read(const char *path, size_t *size);
void files_write(const char *path, const void *bytes, size_t size);

// Calls `check` for each array in the folder that TESS_GOLDEN says, of other writers, that can be
// opened and read: with what it holds. Asks that there are more than ten. The array stays open, and
// the reference is there, until the call returns.
void check_golden_files(void (*check)(tess_array *a, const struct reference *ref, const char *name,
                                      void *user),
                        void *user);

// The array has the shape and the items of the reference; the test fails otherwise.
void check_array(const tess_array *a, const struct reference *want);

// The file holds that, for somebody who opens it now.
void check_file(const char *path, const struct reference *want);

// Evaluates `call`, which passes `err`, and shows the sentence if it fails.
#define ok(call)                                                                        \
    do {                                                                                \
        tess_error err_ = {0};                                                          \
        tess_error *const err = &err_;                                                  \
        if ((call) != TESS_OK)                                                          \
            fail_msg("%s: %s: %s", #call, tess_status_name(err_.status), err_.message); \
    } while (0)

// Evaluates `call`, which passes `err`, twice: with an error, which must come back with that
// status and one sentence, and without.
#define refused(want, call)                                                               \
    do {                                                                                  \
        tess_error err_;                                                                  \
        tess_error *err = &err_;                                                          \
        memset(err, 0x5a, sizeof *err);                                                   \
        const tess_status st_ = (call);                                                   \
        if (st_ != (want))                                                                \
            fail_msg("%s: %s instead of %s (%s)", #call, tess_status_name(st_),           \
                     tess_status_name(want), st_ == TESS_OK ? "no error" : err_.message); \
        check_error(&err_, want, #call);                                                  \
        err = NULL;                                                                       \
        assert_int_equal((call), want);                                                   \
    } while (0)

void check_error(const tess_error *err, tess_status want, const char *call);

#endif
