/*
 * filters.h - a pipeline of filters, for people and as JSON.
 */
#ifndef TESS_TEXT_FILTERS_H
#define TESS_TEXT_FILTERS_H

#include "text/json.h"

// Both arrays have TESS_MAX_FILTERS entries.

// "delta, trunc_prec:12", or "none".
void filters_write(FILE *out, const uint8_t *ids, const uint8_t *metas);

// Keys filters, filters_id and filters_meta of an object.
void filters_json(struct json *j, const uint8_t *ids, const uint8_t *metas);

#endif
