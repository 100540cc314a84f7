/*
 * write_plan.c - sizes of parts, and the ETags that tell whose an object is.
 */
#include "http/http.h"
#include "s3/answer.h"
#include "s3/digest.h"
#include "write/plan.h"

#define MIB ((int64_t)1 << 20)
#define TIB ((int64_t)1 << 40)

static void
parts(void **state)
{
    static const int64_t firsts[] = {5 * MIB, 8 * MIB, 64 * MIB, 600 * MIB, 1024 * MIB};
    (void)state;
    for (size_t i = 0; i < COUNT(firsts); i++) {
        int64_t total = firsts[i]; // the head
        for (int n = 2; n <= S3_PARTS_MAX; n++) {
            const int64_t size = http_part_size(firsts[i], n);
            assert_true(size >= http_part_size(firsts[i], n > 2 ? n - 1 : 2));
            assert_true(size >= firsts[i] && size <= 5120 * MIB);
            assert_int_equal(size == firsts[i], n <= 1000);
            total += size;
        }
        assert_true(total >= 5 * TIB || firsts[i] < 8 * MIB);
    }
    assert_int_equal(http_part_size(8 * MIB, 1000), 8 * MIB);
    assert_int_equal(http_part_size(8 * MIB, 1001), 16 * MIB);
    assert_int_equal(http_part_size(8 * MIB, 10000), 2048 * MIB);
}

static void
memory(void **state)
{
    (void)state;
    for (int64_t size = 64 << 10; size <= 4096 * MIB; size += size / 3) {
        const int n = http_parts_in_memory(size);
        assert_true(n >= 2 && n <= 5);
        assert_true(n == 2 || n * size <= 320 * MIB);
        assert_true(n == 5 || (n + 1) * size > 320 * MIB);
    }
}

// Values of md5sum(1), of the bytes of two digests for the second.
static void
etags(void **state)
{
    static const char *const abc[] = {"\"900150983cd24fb0d6963f7d28e17f72\"",
                                      "\"d41d8cd98f00b204e9800998ecf8427e\""};
    static const char *const other[] = {"\"900150983cd24fb0d6963f7d28e17f72\"", "\"part-1\""};
    char etag[S3_ETAG_SIZE], wrong[S3_ETAG_SIZE], md5[S3_MD5_SIZE];
    (void)state;
    s3_etag("abc", 3, etag);
    assert_string_equal(etag, abc[0]);
    s3_etag(NULL, 0, etag);
    assert_string_equal(etag, abc[1]);
    s3_content_md5("abc", 3, md5);
    assert_string_equal(md5, "kAFQmDzST7DWlj99KOF/cg==");
    assert_true(s3_etag_of_parts(abc, 2, etag));
    assert_string_equal(etag, "\"fdf1fdf1567f6942ffe1743f1e72301e-2\"");
    assert_false(s3_etag_of_parts(other, 2, wrong));

    assert_true(s3_etag_may_be(etag, etag));
    assert_true(s3_etag_may_be("", etag));
    assert_true(s3_etag_may_be(etag, ""));
    assert_true(s3_etag_may_be("\"12-34\"", etag));
    assert_false(s3_etag_may_be(abc[0], abc[1]));
    assert_false(s3_etag_may_be(abc[0], etag));
    assert_true(s3_etag_may_be("\"900150983cd24fb0d6963f7d28e17f7\"", abc[1]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
        cmocka_unit_test(memory),
        cmocka_unit_test(etags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
