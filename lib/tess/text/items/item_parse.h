/*
 * item_parse.h - one item from its text.
 */
#ifndef TESS_TEXT_ITEMS_ITEM_PARSE_H
#define TESS_TEXT_ITEMS_ITEM_PARSE_H

#include "text/items/item.h"

#include <tessera/error.h>

/*
 * What item_print() writes, and the other usual forms: numbers, nan and inf; True or 1; 1+2j; dates
 * as ISO 8601, NaT; structures as (1, 2.5, "ab"), their sub-arrays as [1, 2], or in hexadecimal;
 * strings as they are, without quotes, in structures with quotes; anything else in hexadecimal.
 * `item` receives typesize bytes in the byte order of the type; bytes of a structure between the
 * fields become 0. TESS_ERR_ARG if the text is no such item, or the type does not have it; the
 * message names the field.
 */
tess_status item_parse(const struct item_format *format, const char *text, uint8_t *item,
                       tess_error *err);

#endif
