/*
 * item.h - one item as text, and as JSON.
 */
#ifndef TESS_TEXT_ITEMS_ITEM_H
#define TESS_TEXT_ITEMS_ITEM_H

#include "text/items/fields.h"
#include "text/json.h"

#include <tessera/dtype.h>

#include <stdio.h>

#define ITEM_UNIT_SIZE 16

// How the items of an array are printed.
struct item_format {
    tess_dtype type; // kind opaque: by fields, or in hexadecimal
    int32_t typesize;
    char unit[ITEM_UNIT_SIZE]; // of times, what stands in the brackets of the type
    struct fields *fields; // of a structure, or NULL
    struct item_format *parts; // of the elements of each field
};

// A type that does not agree with typesize, or is not understood, is opaque.
void item_format_init(struct item_format *format, const char *dtype, int32_t typesize);
void item_format_finish(struct item_format *format); // zeroed is fine

// Numbers in full precision, True and False, strings in quotes, dates as ISO 8601, structures as
// (1, 2.5, "ab"), their sub-arrays as [1, 2], anything else in hexadecimal. `item` has typesize
// bytes, in the byte order of its type.
void item_print(FILE *out, const struct item_format *format, const uint8_t *item);

// Numbers and booleans are what they are, structures are objects, their sub-arrays lists. Else the
// text of item_print(), without the quotes of strings: so are nan and inf, complex numbers, times,
// and bytes in hexadecimal.
void item_json(struct json *j, const char *key, const struct item_format *format,
               const uint8_t *item);

// Bytes of the words that change places inside an item of a type that has a byte order.
int32_t item_word_size(const tess_dtype *type);

// The number in an item, or in a part of it: an integer of up to 8 bytes, a float of 2, 4 or 8.
uint64_t item_load(const uint8_t *bytes, int size, char order);
int64_t item_load_signed(const uint8_t *bytes, int size, char order);
double item_load_real(const uint8_t *bytes, int size, char order);
void item_store(uint64_t v, int size, char order, uint8_t *bytes); // the reverse of item_load()

#endif
