/*
 * item_json.c - one item as JSON.
 */
#include "cli/text/item_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whether item_print() writes a number that is one in JSON, too.
static bool
is_number(const struct item_format *format, const uint8_t *item)
{
    switch (format->type.kind) {
    case TESS_KIND_INT:
    case TESS_KIND_UINT:
        return true;
    case TESS_KIND_FLOAT:
        return isfinite(item_load_real(item, format->typesize, format->type.order));
    default:
        return false;
    }
}

void
item_json(struct json *j, const struct item_format *format, const uint8_t *item)
{
    char *text = NULL;
    size_t size = 0;

    if (format->type.kind == TESS_KIND_BOOL) {
        json_bool(j, *item != 0);
        return;
    }
    if (is_number(format, item)) {
        json_text(j, "");
        item_print(j->out, format, item);
        return;
    }
    FILE *const out = open_memstream(&text, &size);
    if (out)
        item_print(out, format, item);
    if (!out || fclose(out) != 0) {
        json_null(j);
    } else if (size >= 2 && text[0] == '"') {
        text[size - 1] = '\0';
        json_string(j, text + 1);
    } else {
        json_string(j, text);
    }
    free(text);
}
