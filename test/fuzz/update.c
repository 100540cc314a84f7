/*
 * update.c - an array of a stranger that is opened for writing, changed, committed, opened again.
 *
 * The last 48 bytes of the input also decide what is done, and whether it is sealed anew; a frame
 * may have any bytes behind it.
 */
#include "fuzz/changes.h"
#include "fuzz/reseal.h"

enum { DECISIONS = 48 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t tail = size < DECISIONS ? size : DECISIONS;
    uint8_t *const image = exact_copy(data, size);
    tess_storage storage;

    if (size > 0 && data[size - 1] & 1)
        reseal(image, size);
    tess_storage_init(&storage);
    storage.image = image;
    storage.image_size = size;
    (void)change_array(&storage, data + size - tail, tail);
    free(image);
    return 0;
}
