/*
 * repair.c - what a stranger's bytes are repaired to: an array that can be opened, in which all
 * chunks have their checksums.
 *
 * The last byte of the input also chooses the options.
 */
#include "fuzz/look.h"
#include "fuzz/place.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t last = size > 0 ? data[size - 1] : 0;
    uint8_t *const image = exact_copy(data, size);
    tess_storage source, target;
    tess_repair_options options;
    tess_repair_report report;
    tess_error err = {0};
    tess_array *a;
    size_t whole_size;

    place_clear();
    tess_storage_init(&source);
    source.image = image;
    source.image_size = size;
    source.limits = (tess_limits){.memory = LOOK_MEMORY, .nchunks = LOOK_NCHUNKS};
    tess_storage_init(&target);
    target.path = place_path();
    target.mode = TESS_MODE_NEW;
    target.durability = TESS_DURABILITY_NONE;
    tess_repair_options_init(&options);
    options.older = last & 1;
    options.keep_header = last & 2;
    const tess_status st = tess_repair(&source, &target, &options, &report, &err);
    must(memcmp(image, data, size) == 0, "the source was changed");
    free(image);
    if (st != TESS_OK) {
        must(err.status == st && err.message[0], "a failure without a sentence");
        return 0;
    }
    target.mode = TESS_MODE_READ;
    target.limits = source.limits;
    target.checksums = TESS_CHECKSUMS_VERIFY;
    must(tess_array_open(&target, &a, &err) == TESS_OK, "a repaired array cannot be opened");
    free(look_at(a, &target.limits, &whole_size));
    must(tess_array_close(a, NULL) == TESS_OK, "an array that was read cannot be closed");
    place_clear();
    return 0;
}
