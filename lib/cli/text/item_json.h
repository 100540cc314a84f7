/*
 * item_json.h - one item as JSON.
 */
#ifndef CLI_ITEM_JSON_H
#define CLI_ITEM_JSON_H

#include "cli/text/item.h"
#include "cli/text/json.h"

// Numbers and booleans are what they are. Else the text of item_print(), without the quotes of
// strings: so are nan and inf, complex numbers, times, and bytes in hexadecimal.
void item_json(struct json *j, const struct item_format *format, const uint8_t *item);

#endif
