// program.cc - a C++ program of somebody else, which does the same as program.c.

#include <cstdio>
#include <memory>
#include <numeric>
#include <tessera.h>
#include <vector>

int
main()
{
    const int64_t all_start[] = {0, 0}, all_stop[] = {4, 6};
    const int64_t start[] = {1, 2}, stop[] = {3, 5};
    std::vector<int32_t> items(24), slice(6);
    tess_storage storage;
    tess_params params;
    tess_array *opened = nullptr;
    tess_error err;

    std::iota(items.begin(), items.end(), 0);
    tess_storage_init(&storage);
    tess_params_init(&params);
    params.dtype = "<i4";
    params.codec = TESS_CODEC_LZ4;
    params.ndim = 2;
    params.shape[0] = 4, params.shape[1] = 6;
    tess_status st = tess_array_zeros(&storage, &params, &opened, &err);
    const std::unique_ptr<tess_array, decltype(&tess_array_discard)> a(opened, tess_array_discard);
    if (st == TESS_OK)
        st = tess_array_write(a.get(), all_start, all_stop, items.data(), items.size() * 4, &err);
    if (st == TESS_OK)
        st = tess_array_read(a.get(), start, stop, slice.data(), slice.size() * 4, &err);
    if (st != TESS_OK) {
        std::fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (const int32_t item : slice)
        std::printf("%d ", static_cast<int>(item));
    std::printf("%s\n", tess_version());
    return 0;
}
