/*
 * item_scalar.h - one item that is no structure, from its text.
 */
#ifndef TESS_TEXT_ITEMS_ITEM_SCALAR_H
#define TESS_TEXT_ITEMS_ITEM_SCALAR_H

#include "text/items/item.h"

#include <tessera/error.h>

/*
 * Numbers, nan and inf; True or 1; 1+2j; dates as ISO 8601, NaT; strings as they are, without
 * quotes; anything else, structures too, in hexadecimal. `item` receives typesize bytes in the
 * byte order of the type. TESS_ERR_ARG if the text is no such item, or the type does not have it.
 */
tess_status item_scalar_parse(const struct item_format *format, const char *text, uint8_t *item,
                              tess_error *err);

/*
 * A string from its text in quotes, single or double, as item_print() writes it: a character
 * behind a backslash is itself, \xNN and \UNNNNNNNN are a byte or a code point. *text points at
 * the first quote, and then behind the last one.
 */
tess_status item_quoted_parse(const struct item_format *format, const char **text, uint8_t *item,
                              tess_error *err);

#endif
