/*
 * far_object.h - sources of tests: objects in memory that are slow, fail, lie, block, and count.
 */
#ifndef SUPPORT_FAR_OBJECT_H
#define SUPPORT_FAR_OBJECT_H

#include <tessera.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum arrival { ORDER_UP, ORDER_DOWN, ORDER_SHUFFLED, ORDER_THREADS, ORDERS };

// What a source does, and what was asked of it; one for all objects of a directory.
struct conduct {
    int64_t latency;
    int requests;
    bool guarded, ends, tells;
    enum arrival order;
    int pause; // microseconds, for each range
    int fails_at; // the read of that number, counted from 0, and those that follow; -1: none
    int nfailing; // so many of them
    tess_status fails_with;
    const char *message; // of failures; NULL: none
    int64_t size_off; // added to the size that is told
    char lacks; // parts have no read ('r'), or no state ('s'); 0: both
    bool blocks; // reads wait until they are cancelled
    const char *spared; // how parts begin whose reads do not, nor those of the index; NULL: none
    int lingers; // microseconds that reads take when all has arrived
    int replaced_at; // the read of that number finds parts of `other`; -1: never
    const char *other; // the path of a directory
    atomic_int reads, ranges, now, most; // most: ranges at the same time
    atomic_llong nbytes; // of ranges
    atomic_int opened, closed; // parts, and the object or directory
    atomic_int open, most_open; // parts
    atomic_bool never_cancelled; // a read that blocks gave up
    atomic_bool closed_early; // what was being read
};

// A file in memory, or the path of a directory.
struct object {
    struct conduct *conduct;
    const char *directory; // NULL: a file
    uint8_t *bytes;
    int64_t size;
    bool part; // freed by close
    bool spared; // its reads do not block
    bool other; // of the directory that replaced another one
    atomic_int now; // reads of it
};

void conduct_init(struct conduct *c);

// What is at a path; object_finish() when nothing is read from it any more.
void object_load(struct object *o, struct conduct *c, const char *path, bool directory);
void object_finish(struct object *o);

// A source of it, by its conduct.
tess_source object_source(struct object *o);

#endif
