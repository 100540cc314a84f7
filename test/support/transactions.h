/*
 * transactions.h - a store of arrays that changes at random, and what it must hold.
 *
 * Arrays have one axis and items of 4 bytes. A step changes the store that is open for writing, and
 * the model of what the next commit is to have; a commit copies that model to the list of commits.
 * What is asked of the library must succeed, or the test fails.
 */
#ifndef SUPPORT_TRANSACTIONS_H
#define SUPPORT_TRANSACTIONS_H

#include "support/random.h"

#include <tessera.h>

#include <stdbool.h>
#include <stdint.h>

enum { TX_NAMES = 6, TX_ITEMS = 96, TX_TEXT = 4100 };

extern const char *const tx_names[TX_NAMES]; // paths of arrays that may be there
extern const char tx_link[]; // the path of a link that may be there

struct tx_model {
    struct {
        bool there;
        int length; // 1 to TX_ITEMS
        int32_t items[TX_ITEMS];
        int64_t note; // of the attribute "note"; 0: there is none
    } arrays[TX_NAMES];
    int link; // which of the names the link leads to; -1: there is none
    int64_t step; // of the attribute "step" of the group /g, tx_text(); 0: there is none
};

struct tx {
    struct random r;
    const char *path;
    tess_durability durability;
    tess_store *store; // NULL: not open
    tess_array *open[TX_NAMES]; // handles that are kept
    struct tx_model now; // the next commit
    struct tx_model *commits; // [0]: nothing
    size_t ncommits;
    int64_t numbers;
};

void tx_begin(struct tx *t, const char *path, tess_durability durability, uint64_t seed);
void tx_open(struct tx *t); // for writing; made, if it is not there
void tx_step(struct tx *t); // one change
void tx_commit(struct tx *t);
void tx_abort(struct tx *t);
void tx_close(struct tx *t); // what is not committed is forgotten
void tx_end(struct tx *t);

// The value of the attribute for a step, of up to TX_TEXT bytes: some are short, some are long.
const char *tx_text(int64_t step, char *text);

// NULL: the store holds just that; else what differs, in static memory.
const char *tx_differs(tess_store *store, const struct tx_model *want);

// The same of the files in a directory, as programs find them that know of no commits.
const char *tx_files_differ(const char *directory, const struct tx_model *want);

#endif
