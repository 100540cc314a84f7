/*
 * global.c - the calls of Blosc 1 and 2 with parameters of the process, and their environment; what
 * headers of chunks say.
 */
#define BLOSC1_COMPAT
#include "compat/compat.h"

#include <stdlib.h>

enum { NITEMS = 20000, BYTES = 4 * NITEMS, ROOM = BYTES + BLOSC_MAX_OVERHEAD };

static int32_t items[NITEMS], back[NITEMS];
static uint8_t chunk[ROOM];

static void
check_chunk(int n)
{
    assert_in_range(n, 32, ROOM);
    memset(back, 0, BYTES);
    assert_int_equal(blosc_decompress(chunk, back, BYTES), BYTES);
    assert_memory_equal(back, items, BYTES);
}

static void
both_interfaces(void **state)
{
    (void)state;
    for (int clevel = 0; clevel < 10; clevel++)
        for (int shuffle = 0; shuffle < 3; shuffle++) {
            check_chunk(blosc_compress(clevel, shuffle, 4, BYTES, items, chunk, ROOM));
            const int n = blosc2_compress(clevel, shuffle, 4, items, BYTES, chunk, ROOM);
            check_chunk(n);
            assert_int_equal(blosc2_decompress(chunk, n, back, BYTES), BYTES);
            assert_int_equal(blosc_getitem(chunk, 1000, 3, back), 12);
            assert_memory_equal(back, items + 1000, 12);
            assert_int_equal(blosc2_getitem(chunk, n, 1000, 3, back, 12), 12);
            assert_int_equal(blosc2_getitem(chunk, n, 1000, 3, back, 11),
                             BLOSC2_ERROR_WRITE_BUFFER);
        }
    assert_int_equal(blosc_compress(5, 1, 4, BYTES, items, chunk, 100), 0);
    assert_int_equal(blosc_compress(10, 1, 4, BYTES, items, chunk, ROOM), BLOSC2_ERROR_CODEC_PARAM);
    assert_int_equal(blosc_compress(-1, 1, 4, BYTES, items, chunk, ROOM), BLOSC2_ERROR_CODEC_PARAM);
    assert_int_equal(blosc_compress(5, 1, 4, SIZE_MAX, items, chunk, ROOM),
                     BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED);
    assert_int_equal(blosc_compress(5, 1, SIZE_MAX, BYTES, items, chunk, ROOM),
                     BLOSC2_ERROR_INVALID_PARAM);
}

static void
settings(void **state)
{
    int32_t blocksize;
    (void)state;
    assert_string_equal(blosc_get_compressor(), "blosclz");
    assert_int_equal(blosc_set_compressor("zstd"), BLOSC_ZSTD);
    assert_string_equal(blosc_get_compressor(), "zstd");
    assert_int_equal(blosc_set_compressor("none"), -1);
    assert_string_equal(blosc_get_compressor(), "zstd");
    check_chunk(blosc_compress(5, 1, 4, BYTES, items, chunk, ROOM));
    assert_string_equal(blosc_cbuffer_complib(chunk), BLOSC_ZSTD_LIBNAME);

    assert_int_equal(blosc_get_blocksize(), 0);
    blosc_set_blocksize(8192);
    assert_int_equal(blosc_get_blocksize(), 8192);
    check_chunk(blosc_compress(5, 1, 4, BYTES, items, chunk, ROOM));
    assert_good(blosc2_cbuffer_sizes(chunk, NULL, NULL, &blocksize));
    assert_int_equal(blocksize, 8192);
    blosc_set_blocksize(0);

    blosc_set_splitmode(BLOSC_ALWAYS_SPLIT);
    check_chunk(blosc_compress(5, 1, 4, BYTES, items, chunk, ROOM));
    assert_int_equal(chunk[BLOSC2_CHUNK_FLAGS] & 0x10, 0);
    blosc_set_splitmode(BLOSC_NEVER_SPLIT);
    check_chunk(blosc_compress(5, 1, 4, BYTES, items, chunk, ROOM));
    assert_int_equal(chunk[BLOSC2_CHUNK_FLAGS] & 0x10, 0x10);

    blosc2_set_delta(1);
    check_chunk(blosc_compress(5, 1, 4, BYTES, items, chunk, ROOM));
    assert_int_equal(chunk[BLOSC2_CHUNK_FILTER_CODES + 4], BLOSC_DELTA);
    assert_int_equal(chunk[BLOSC2_CHUNK_FILTER_CODES + 5], BLOSC_SHUFFLE);

    assert_int_equal(blosc_get_nthreads(), 1);
    assert_int_equal(blosc_set_nthreads(3), 1);
    assert_int_equal(blosc_get_nthreads(), 3);
    assert_int_equal(blosc_set_nthreads(0), BLOSC2_ERROR_INVALID_PARAM);
    assert_int_equal(blosc_get_nthreads(), 3);
    check_chunk(blosc_compress(5, 1, 4, BYTES, items, chunk, ROOM));

    assert_int_equal(blosc_free_resources(), 0);
    blosc_destroy(); // and everything is as at the start
    assert_string_equal(blosc_get_compressor(), "blosclz");
    assert_int_equal(blosc_get_nthreads(), 1);
    blosc_init();
}

static void
environment(void **state)
{
    int32_t blocksize;
    size_t typesize;
    int flags;
    (void)state;
    setenv("BLOSC_CLEVEL", "0", 1);
    check_chunk(blosc_compress(9, 1, 4, BYTES, items, chunk, ROOM));
    assert_int_equal(chunk[BLOSC2_CHUNK_FLAGS] & BLOSC_MEMCPYED, BLOSC_MEMCPYED);
    setenv("BLOSC_CLEVEL", "5", 1);
    setenv("BLOSC_TYPESIZE", "8", 1);
    setenv("BLOSC_BLOCKSIZE", "4096", 1);
    setenv("BLOSC_COMPRESSOR", "lz4hc", 1);
    setenv("BLOSC_SHUFFLE", "BITSHUFFLE", 1);
    setenv("BLOSC_DELTA", "1", 1);
    setenv("BLOSC_SPLITMODE", "NEVER", 1);
    setenv("BLOSC_NTHREADS", "2", 1);
    check_chunk(blosc_compress(9, 1, 4, BYTES, items, chunk, ROOM));
    blosc_cbuffer_metainfo(chunk, &typesize, &flags);
    assert_int_equal(typesize, 8);
    assert_good(blosc2_cbuffer_sizes(chunk, NULL, NULL, &blocksize));
    assert_int_equal(blocksize, 4096);
    assert_string_equal(blosc_cbuffer_complib(chunk), BLOSC_LZ4_LIBNAME);
    assert_int_equal(chunk[BLOSC2_CHUNK_FILTER_CODES + 5], BLOSC_BITSHUFFLE);
    assert_int_equal(chunk[BLOSC2_CHUNK_FILTER_CODES + 4], BLOSC_DELTA);
    assert_int_equal(flags & 0x10, 0x10);
    // Later calls keep what belongs to the process.
    assert_string_equal(blosc_get_compressor(), "lz4hc");
    assert_int_equal(blosc_get_blocksize(), 4096);
    assert_int_equal(blosc_get_nthreads(), 2);

    static const char *const names[] = {"BLOSC_CLEVEL",     "BLOSC_TYPESIZE", "BLOSC_BLOCKSIZE",
                                        "BLOSC_COMPRESSOR", "BLOSC_SHUFFLE",  "BLOSC_DELTA",
                                        "BLOSC_SPLITMODE"};
    blosc_destroy();
    for (size_t i = 0; i < COUNT(names); i++)
        setenv(names[i], "-nonsense", 1);
    check_chunk(blosc_compress(5, 1, 4, BYTES, items, chunk, ROOM));
    assert_string_equal(blosc_cbuffer_complib(chunk), BLOSC_BLOSCLZ_LIBNAME);
    for (size_t i = 0; i < COUNT(names); i++)
        unsetenv(names[i]);
    static const char *const nthreads[] = {"0", "-1", "40000", "x", ""};
    for (size_t i = 0; i < COUNT(nthreads); i++) {
        setenv("BLOSC_NTHREADS", nthreads[i], 1);
        assert_int_equal(blosc_compress(5, 1, 4, BYTES, items, chunk, ROOM),
                         BLOSC2_ERROR_INVALID_PARAM);
        assert_int_equal(blosc_decompress(chunk, back, BYTES), BLOSC2_ERROR_INVALID_PARAM);
    }
    unsetenv("BLOSC_NTHREADS");
    blosc_destroy();
}

static void
headers(void **state)
{
    size_t nbytes, cbytes, blocksize, typesize;
    int flags, version, versionlz;
    uint8_t bad[16];
    (void)state;
    const int n = blosc_compress(5, 1, 4, BYTES, items, chunk, ROOM);
    blosc_cbuffer_sizes(chunk, &nbytes, &cbytes, &blocksize);
    assert_int_equal(nbytes, BYTES);
    assert_int_equal(cbytes, n);
    assert_in_range(blocksize, 1, BYTES);
    blosc_cbuffer_metainfo(chunk, &typesize, &flags);
    assert_int_equal(typesize, 4);
    assert_int_equal(flags, chunk[BLOSC2_CHUNK_FLAGS]);
    blosc_cbuffer_versions(chunk, &version, &versionlz);
    assert_int_equal(version, BLOSC2_VERSION_FORMAT_STABLE);
    assert_int_equal(versionlz, 1);
    assert_int_equal(blosc_cbuffer_validate(chunk, (size_t)n, &nbytes), 0);
    assert_int_equal(nbytes, BYTES);
    assert_int_equal(blosc_cbuffer_validate(chunk, (size_t)n - 1, &nbytes),
                     BLOSC2_ERROR_INVALID_HEADER);
    assert_int_equal(nbytes, 0);
    assert_int_equal(blosc_cbuffer_validate(chunk, 15, &nbytes), BLOSC2_ERROR_WRITE_BUFFER);

    static const struct {
        const char *why;
        int at;
    } zeros[] = {{"typesize", BLOSC2_CHUNK_TYPESIZE},
                 {"blocksize", BLOSC2_CHUNK_BLOCKSIZE},
                 {"cbytes", BLOSC2_CHUNK_CBYTES}};
    for (size_t i = 0; i < COUNT(zeros); i++) {
        memcpy(bad, chunk, 16);
        memset(bad + zeros[i].at, 0, zeros[i].at == BLOSC2_CHUNK_TYPESIZE ? 1 : 4);
        assert_int_equal(blosc2_cbuffer_sizes(bad, NULL, NULL, NULL), BLOSC2_ERROR_INVALID_HEADER);
        blosc_cbuffer_sizes(bad, &nbytes, &cbytes, &blocksize);
        assert_true(nbytes == 0 && cbytes == 0 && blocksize == 0);
        blosc_cbuffer_metainfo(bad, &typesize, &flags);
        assert_true(typesize == 0 && flags == 0);
        blosc_cbuffer_versions(bad, &version, &versionlz);
        assert_true(version == 0 && versionlz == 0);
        assert_null(blosc_cbuffer_complib(bad));
    }
    assert_int_equal(blosc2_cbuffer_sizes(NULL, NULL, NULL, NULL), BLOSC2_ERROR_NULL_POINTER);
    assert_null(blosc_cbuffer_complib(NULL));
}

static void
defaults(void **state)
{
    const blosc2_cparams c = blosc2_get_blosc2_cparams_defaults();
    const blosc2_dparams d = blosc2_get_blosc2_dparams_defaults();
    const blosc2_storage s = blosc2_get_blosc2_storage_defaults();
    const blosc2_io io = blosc2_get_blosc2_io_defaults();
    const blosc2_stdio_mmap m = blosc2_get_blosc2_stdio_mmap_defaults();
    (void)state;
    assert_true(c.clevel == 5 && c.typesize == 8 && c.nthreads == 1);
    assert_true(c.filters[5] == BLOSC_SHUFFLE && c.splitmode == BLOSC_FORWARD_COMPAT_SPLIT);
    assert_true(d.nthreads == 1 && d.typesize == 8 && !d.postfilter);
    assert_true(!s.contiguous && !s.urlpath && !s.cparams && !s.dparams && !s.io);
    assert_int_equal(io.id, BLOSC2_IO_FILESYSTEM);
    assert_string_equal(io.name, "filesystem");
    assert_string_equal(m.mode, "r");
    assert_int_equal(m.fd, -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_interfaces), cmocka_unit_test(settings),
        cmocka_unit_test(environment),     cmocka_unit_test(headers),
        cmocka_unit_test(defaults),
    };
    for (int i = 0; i < NITEMS; i++)
        items[i] = i / 3;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
