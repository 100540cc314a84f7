/*
 * every_bit.c - each single bit of small arrays is flipped in turn: is it told?
 *
 * Of each flip one of these is true:
 *
 *     told      the array does not open, or tess_array_verify() finds fault with it
 *     harmless  items, shape, type, fill value, attributes and metalayers come out as they were
 *     refused   verify finds nothing, and yet something cannot be read; must never be
 *     neither   verify finds nothing, and something comes out otherwise; must never be in what was
 *               written by us with checksums
 *
 * And tess_repair() makes an array of it, or not. Where it says that all was compared and nothing
 * is lost, the array must be what it was; must always be so.
 *
 * A few bits of each sample are tried; with TESS_TEST_LONG=1, all of them.
 */
#include "api/bit_samples.h"
#include "support/files.h"
#include "support/random.h"

#include <tessera.h>

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { FEW = 200, FILES_MOST = 16, EXAMPLES = 6 };

// -- all that an array holds, in a form that can be compared

struct content {
    char *bytes; // NULL: it cannot be read
    size_t size;
};

static bool
write_layers(FILE *out, const tess_array *a, const tess_info *info)
{
    bool read = true;
    for (int i = 0; i < info->nmetalayers && read; i++) {
        tess_metalayer layer;
        read = tess_meta_at(a, i, &layer, NULL) == TESS_OK;
        if (read) {
            fprintf(out, "\nmetalayer %s %zu ", layer.name, layer.size);
            if (layer.size > 0)
                (void)fwrite(layer.content, 1, layer.size, out);
        }
    }
    for (int i = 0; i < info->nvlmetalayers && read; i++) {
        const char *const name = tess_vlmeta_name(a, i);
        void *bytes;
        size_t size;
        read = tess_vlmeta_get(a, name, &bytes, &size, NULL) == TESS_OK;
        if (read) {
            fprintf(out, "\nattribute %s %zu ", name, size);
            if (size > 0)
                (void)fwrite(bytes, 1, size, out);
            tess_free(bytes);
        }
    }
    return read;
}

static bool
write_items(FILE *out, const tess_array *a, const tess_info *info)
{
    const int64_t start[TESS_MAX_NDIM] = {0};
    const size_t size = (size_t)info->nitems * (size_t)info->typesize;
    uint8_t *const items = malloc(size + 1);
    assert_non_null(items);
    const bool read = tess_array_read(a, start, info->shape, items, size, NULL) == TESS_OK;
    if (read)
        (void)fwrite(items, 1, size, out);
    free(items);
    return read;
}

static struct content
content_of(const tess_array *a)
{
    struct content c = {0};
    tess_info info;
    FILE *const out = open_memstream(&c.bytes, &c.size);
    assert_non_null(out);
    tess_array_info(a, &info);
    fprintf(out, "%s %d %" PRId32, info.dtype ? info.dtype : "?", info.dtype_format, info.typesize);
    for (int i = 0; i < info.ndim; i++)
        fprintf(out, " %" PRId64, info.shape[i]);
    if (info.fill)
        (void)fwrite(info.fill, 1, (size_t)info.typesize, out);
    // A flip may have made a huge array; the samples are small.
    const bool small = info.nitems < 1 << 20 && info.typesize < 1 << 10;
    const bool read = write_layers(out, a, &info) && (!small || write_items(out, a, &info));
    fclose(out);
    if (read)
        return c;
    free(c.bytes);
    return (struct content){0};
}

static bool
content_equal(const struct content *x, const struct content *y)
{
    return x->bytes && y->bytes && x->size == y->size && memcmp(x->bytes, y->bytes, x->size) == 0;
}

// -- a sample, and its files

struct subject {
    const struct bit_sample *sample;
    char path[200], repaired[200];
    struct file {
        char path[240];
        uint8_t *bytes;
        size_t size;
    } files[FILES_MOST]; // one, or those of the directory
    int nfiles;
    size_t nbits; // of all files
    struct content content;
};

static struct {
    int64_t bits, told, harmless, refused, neither;
    int64_t repaired, doubtful, lost, wrong;
} sums;

static void
add_file(struct subject *s, const char *path)
{
    struct file *const f = &s->files[s->nfiles++];
    assert_true(s->nfiles <= FILES_MOST);
    (void)snprintf(f->path, sizeof f->path, "%s", path);
    f->bytes = files_read(path, &f->size);
    s->nbits += 8 * f->size;
}

// In a file of one path the image is opened: it needs no write for each flip.
static tess_storage
source_of(const struct subject *s)
{
    tess_storage storage;
    tess_storage_init(&storage);
    if (s->sample->directory) {
        storage.path = s->path;
    } else {
        storage.image = s->files[0].bytes;
        storage.image_size = s->files[0].size;
    }
    return storage;
}

// *fine: it opens, and verify finds nothing.
static struct content
look(const struct subject *s, bool *fine)
{
    const tess_storage storage = source_of(s);
    struct content c = {0};
    tess_verdict verdict;
    tess_array *a;
    *fine = false;
    if (tess_array_open(&storage, &a, NULL) != TESS_OK)
        return c;
    *fine = tess_array_verify(a, NULL, NULL, &verdict, NULL) == TESS_OK && verdict.fine;
    if (*fine)
        c = content_of(a);
    tess_array_discard(a);
    return c;
}

enum repaired { NOT_REPAIRED, DOUBTFUL, RIGHT, WRONG };

static enum repaired
repair(const struct subject *s)
{
    const tess_storage source = source_of(s);
    tess_repair_report report;
    tess_storage target;
    tess_array *a;
    tess_storage_init(&target);
    target.path = s->repaired;
    target.mode = TESS_MODE_REPLACE;
    target.durability = TESS_DURABILITY_NONE;
    if (tess_repair(&source, &target, NULL, &report, NULL) != TESS_OK)
        return NOT_REPAIRED;
    if (!report.complete)
        return DOUBTFUL;
    target.mode = TESS_MODE_READ;
    ok(tess_array_open(&target, &a, err));
    struct content c = content_of(a);
    const bool same = content_equal(&c, &s->content);
    free(c.bytes);
    ok(tess_array_close(a, err));
    return same ? RIGHT : WRONG;
}

static void
begin(struct subject *s, const struct bit_sample *sample)
{
    bool fine;
    *s = (struct subject){.sample = sample};
    (void)snprintf(s->path, sizeof s->path, "%s", files_path("sample"));
    (void)snprintf(s->repaired, sizeof s->repaired, "%s", files_path("repaired"));
    bit_sample_make(sample, s->path);
    if (!sample->directory) {
        add_file(s, s->path);
    } else {
        char path[sizeof s->files->path];
        (void)snprintf(path, sizeof path, "%s/chunks.b2frame", s->path);
        add_file(s, path);
        for (int i = 0; i < FILES_MOST; i++) {
            (void)snprintf(path, sizeof path, "%s/%08X.chunk", s->path, (unsigned)i);
            if (files_exist(path))
                add_file(s, path);
        }
    }
    s->content = look(s, &fine);
    if (!fine || !s->content.bytes)
        fail_msg("%s: not fine before anything is flipped", sample->name);
    const enum repaired repaired = repair(s);
    assert_true(sample->sealed ? repaired == RIGHT : repaired < RIGHT);
}

static void
end(struct subject *s)
{
    for (int i = 0; i < s->nfiles; i++)
        free(s->files[i].bytes);
    free(s->content.bytes);
    files_remove(s->path);
    if (files_exist(s->repaired))
        files_remove(s->repaired);
}

static void
flip(const struct subject *s, size_t bit)
{
    const struct file *f = s->files;
    for (; bit >= 8 * f->size; f++)
        bit -= 8 * f->size;
    f->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    if (!s->sample->directory)
        return;
    const int fd = open(f->path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, f->bytes + bit / 8, 1, (off_t)(bit / 8)), 1);
    close(fd);
}

// Where a bit is, for people.
static void
tell(const struct subject *s, size_t bit, const char *what)
{
    const struct file *f = s->files;
    for (; bit >= 8 * f->size; f++)
        bit -= 8 * f->size;
    const char *const name = strrchr(f->path, '/');
    printf("    %s: bit %zu of byte %zu of %zu%s%s\n", what, bit % 8, bit / 8, f->size,
           s->sample->directory ? " of " : "", s->sample->directory ? name + 1 : "");
}

// -- counts of a sample

struct counts {
    int64_t bits, told, harmless, refused, neither; // a flip is one of these four
    int64_t repaired[WRONG + 1];
};

static void
try_bit(struct subject *s, size_t bit, struct counts *n)
{
    bool fine;
    flip(s, bit);
    struct content c = look(s, &fine);
    const bool same = content_equal(&c, &s->content);
    const bool read = c.bytes != NULL;
    n->bits++;
    n->told += !fine;
    n->harmless += fine && same;
    n->refused += fine && !read;
    n->neither += fine && read && !same;
    if (fine && !read && n->refused <= EXAMPLES)
        tell(s, bit, "refused, not told");
    if (fine && read && !same && s->sample->sealed && n->neither <= EXAMPLES)
        tell(s, bit, "neither told nor harmless");
    free(c.bytes);
    const enum repaired repaired = repair(s);
    if (repaired == WRONG && n->repaired[WRONG]++ < EXAMPLES)
        tell(s, bit, "repaired with certainty, and something else");
    else if (repaired != WRONG)
        n->repaired[repaired]++;
    flip(s, bit);
}

static void
try_sample(const struct bit_sample *sample, struct random *random)
{
    struct counts n = {0};
    struct subject s;
    begin(&s, sample);
    const int64_t most = random_cases(FEW, INT64_MAX);
    if ((int64_t)s.nbits <= most) {
        for (size_t bit = 0; bit < s.nbits; bit++)
            try_bit(&s, bit, &n);
    } else {
        for (int64_t i = 0; i < most; i++)
            try_bit(&s, random_below(random, s.nbits), &n);
    }
    end(&s);
    printf("%-26s %7" PRId64 " %7" PRId64 " %8" PRId64 " %7" PRId64 " %7" PRId64, sample->name,
           n.bits, n.told, n.harmless, n.refused, n.neither);
    printf("   %7" PRId64 " %8" PRId64 " %7" PRId64 " %7" PRId64 "%s\n", n.repaired[RIGHT],
           n.repaired[DOUBTFUL], n.repaired[NOT_REPAIRED], n.repaired[WRONG],
           sample->sealed ? "" : "  (no checksums)");
    sums.bits += n.bits;
    sums.told += n.told;
    sums.harmless += n.harmless;
    sums.refused += n.refused;
    sums.neither += sample->sealed ? n.neither : 0;
    sums.repaired += n.repaired[RIGHT];
    sums.doubtful += n.repaired[DOUBTFUL];
    sums.lost += n.repaired[NOT_REPAIRED];
    sums.wrong += n.repaired[WRONG];
}

static void
each_bit_is_told_or_harmless(void **state)
{
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    printf("%-26s %7s %7s %8s %7s %7s   %7s %8s %7s %7s\n", "", "bits", "told", "harmless",
           "refused", "neither", "rebuilt", "doubtful", "nothing", "wrong");
    for (const struct bit_sample *sample = bit_samples; sample->name; sample++)
        try_sample(sample, &random);
    printf("%-26s %7" PRId64 " %7" PRId64 " %8" PRId64 " %7" PRId64 " %7" PRId64 "   %7" PRId64
           " %8" PRId64 " %7" PRId64 " %7" PRId64 "\n",
           "all; neither: with sums", sums.bits, sums.told, sums.harmless, sums.refused,
           sums.neither, sums.repaired, sums.doubtful, sums.lost, sums.wrong);
    assert_int_equal(sums.refused, 0);
    assert_int_equal(sums.neither, 0);
    assert_int_equal(sums.wrong, 0);
}

// A header that leads to an array without chunks and metalayers leaves nothing to be lost, nor to
// be unconfirmed. It does not confirm itself.
static void
no_chunks_are_no_certainty(void **state)
{
    enum { NBYTES_AT = 36, BIT = 3 }; // of the number of bytes that the header says
    const struct bit_sample sample = {"Caterva", .golden = "caterva_v0_4_0_F_4d_zero.caterva"};
    struct subject s;
    (void)state;
    begin(&s, &sample);
    flip(&s, 8 * NBYTES_AT + BIT);
    assert_int_equal(repair(&s), DOUBTFUL);
    end(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_chunks_are_no_certainty, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(each_bit_is_told_or_harmless, files_setup, files_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
