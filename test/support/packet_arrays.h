/*
 * packet_arrays.h - arrays of many kinds, their chunks in packets, and adoptions.
 */
#ifndef SUPPORT_PACKET_ARRAYS_H
#define SUPPORT_PACKET_ARRAYS_H

#include "support/random.h"

#include <tessera.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// Parameters of an array.
struct kind {
    const char *name;
    const char *dtype;
    int ndim;
    int64_t shape[3], chunkshape[3], blockshape[3];
    tess_codec codec;
    int clevel;
    uint8_t filter;
    bool dictionary;
};
enum { KINDS = 7 };
extern const struct kind kinds[KINDS];
void kind_params(const struct kind *k, tess_params *p);
size_t items_size(const tess_params *p);

// Pieces of all kinds, of which all kinds of chunks come out; free() them.
uint8_t *random_items(struct random *r, size_t size);

tess_storage storage_at(const char *path, tess_mode mode); // NULL: in memory

// An array with the items, written by one call.
tess_array *make_serial(const tess_params *p, const uint8_t *items);
// A new array in memory (0), in a file (1), in a directory (2), which has no chunk yet.
tess_array *make_owner(int home, const tess_params *given, const char *path);
tess_array *open_sketch(const tess_array *owner, const tess_plugins *plugins);
void close_all(tess_array *owner, tess_array *sketch, tess_array *serial);

struct packet {
    void *bytes;
    size_t size;
};
struct packet encode_box(tess_array *sketch, const tess_params *p, const uint8_t *items,
                         const int64_t *start, const int64_t *stop);
// A packet for each row of chunks along the first axis; of an array without axes, one.
struct packet *encode_rows(tess_array *sketch, const tess_params *p, const uint8_t *items,
                           size_t *n);
void free_packets(struct packet *packets, size_t n);
void shuffle(struct random *r, struct packet *packets, size_t n);

tess_adoption *begin_adoption(tess_array *a);
void add(tess_adoption *ad, const struct packet *packet); // untrusted
int64_t missing(tess_adoption *ad, int64_t from);

// What a worker needs for the chunks of a packet: bytes, or files.
int64_t needs(const struct packet *packet, bool files);
struct packet place_packet(const struct packet *packet, const char *path, const tess_lease *part);

// Two arrays are equal item by item, and chunk by chunk as they are stored.
void check_equal(const tess_array *a, const tess_array *serial, const tess_params *p);
void check_path_equal(const char *path, int64_t offset, const tess_array *serial,
                      const tess_params *p);
void verify(const char *path);

#endif
