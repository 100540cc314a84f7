/*
 * plugin_kit.h - codecs and filters of a program that watch what they are told.
 *
 * They leave a mark in what they make, a hash of all they were told, and refuse to undo what has
 * another one.
 */
#ifndef SUPPORT_PLUGIN_KIT_H
#define SUPPORT_PLUGIN_KIT_H

#include <tessera.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// RUNS and JP can be split; ITEMS wants items; ROUGH loses the lowest bit of each byte. ADD and
// MIRROR are exact, HALF is not.
enum { RUNS = 180, JP = 36, ITEMS = 255, ROUGH = 201, ADD = 160, MIRROR = 255, HALF = 37 };
enum { NCODECS = 4, NFILTERS = 3 };

// What a plugin is given as `user`.
struct self {
    uint8_t id;
    const tess_params *params; // of the array, to compare with; NULL: anything goes
    _Atomic(const char *) wrong; // the first thing that the header does not promise
    atomic_int forth; // calls of compress or forward
    atomic_int back; // calls of decompress or backward
    atomic_int refused; // calls of decompress that found damage
    int forth_status; // to answer with
    int back_status;
    int forth_after; // calls that go well before forth_status
    enum { FAIR, TOO_MUCH, NOTHING } result; // what compress says it made
    pthread_mutex_t lock; // of what follows
    tess_block told; // last; when going back only without params
    uint8_t made[64]; // the first bytes of what compress made last
    size_t made_size;
};

struct kit {
    struct self codec[NCODECS];
    struct self filter[NFILTERS];
    tess_user_codec codecs[NCODECS];
    tess_user_filter filters[NFILTERS];
    tess_plugins plugins;
};

// params: of the arrays, to compare with; NULL: anything goes.
void kit_init(struct kit *kit, const tess_params *params);

// The test fails if a plugin met what the header does not promise.
void kit_check(const struct kit *kit);

#endif
