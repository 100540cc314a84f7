/*
 * frame.c - an array opened from bytes of a stranger, and all of it looked at that is small enough.
 *
 * The last byte of the input also says where in the image the frame starts, and whether the limits
 * are narrow, whether checksums are compared, and whether it is sealed anew; a frame may have any
 * bytes behind it.
 */
#include "fuzz/look.h"
#include "fuzz/reseal.h"

enum {
    OFFSETS = 4,
    NARROW = 3 << 2, // bits of the last byte
    VERIFY = 1 << 4,
    RESEAL = 1 << 5,
};

static const tess_limits wide = {.memory = LOOK_MEMORY, .nchunks = LOOK_NCHUNKS};
static const tess_limits narrow = {.memory = 1 << 10, .nchunks = 4, .ndim = 2};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t last = size > 0 ? data[size - 1] : 0;
    const size_t offset = last % OFFSETS;
    uint8_t *const image = exact_memory(offset + size);
    tess_storage storage;
    tess_array *a;
    size_t whole_size;
    tess_error err = {0};

    if (size > 0)
        memcpy(image + offset, data, size);
    if (last & RESEAL)
        reseal(image + offset, size);
    tess_storage_init(&storage);
    storage.checksums = last & VERIFY ? TESS_CHECKSUMS_VERIFY : TESS_CHECKSUMS_WRITE;
    storage.image = image;
    storage.image_size = offset + size;
    storage.offset = (int64_t)offset;
    storage.limits = (last & NARROW) == NARROW ? narrow : wide;
    const tess_status st = tess_array_open(&storage, &a, &err);
    must(!a == (st != TESS_OK), "an array and a failure, or neither");
    if (st == TESS_OK) {
        free(look_at(a, &storage.limits, &whole_size));
        must(tess_array_close(a, NULL) == TESS_OK, "an array that was read cannot be closed");
    } else {
        must(err.status == st && err.message[0], "a failure without a sentence");
    }
    free(image);
    return 0;
}
