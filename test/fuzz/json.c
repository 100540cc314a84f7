/*
 * json.c - JSON text of the user, as an attribute and as text again.
 *
 * The text is the input up to its first NUL. The value that it means must come back from the text
 * that is written for it, the second time as the same msgpack.
 */
#include "meta/json.h"
#include "fuzz/tree.h"

enum { MEMORY_LIMIT = 1 << 24 };

static void
try_content(const uint8_t *packed, size_t size)
{
    uint8_t *const exact = exact_copy(packed, size);
    tess_value *const value = content_value(exact, size, MEMORY_LIMIT);
    size_t again_size;

    if (value) {
        uint8_t *const again = through_json(value, MEMORY_LIMIT, &again_size);
        tess_value *const second = content_value(again, again_size, MEMORY_LIMIT);
        size_t third_size;
        uint8_t *const third = through_json(second, MEMORY_LIMIT, &third_size);
        must_equal_bytes(again, again_size, third, third_size);
        free(third);
        free(second);
        free(again);
    }
    free(value);
    free(exact);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = (char *)exact_memory(size + 1);
    uint8_t *packed = NULL;
    size_t packed_size;
    tess_error err = {0};

    if (size > 0)
        memcpy(text, data, size);
    const tess_status st = json_read(text, &packed, &packed_size, &err);
    if (st == TESS_OK)
        try_content(packed, packed_size);
    else
        must((st == TESS_ERR_ARG || st == TESS_ERR_LIMIT) && err.status == st && err.message[0],
             "%d: %s", (int)st, err.message);
    free(packed);
    free(text);
    return 0;
}
