/*
 * repair_extent.c - truncated files, and files with a page of zeros: the report of tess_repair()
 * must agree with the new array.
 *
 * Each item equals that of the last commit, or is in a chunk that is reported as lost. A page of
 * zeros in a chunk without a checksum may decode without an error: then the chunk must be reported
 * as unconfirmed.
 */
#include "support/files.h"
#include "support/random.h"
#include "support/reference.h"

#include <tessera.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { STEP = 64, PAGE = 4096, HEADER = 87, FEW_CUTS = 6, PATH_SIZE = 4096 };

// Counts over all repairs.
static struct {
    int64_t files, repairs, refused, whole, chunks, lost, unplaced, unconfirmed_wrong;
} tally;

// An array, and its expected items.
struct subject {
    const char *name;
    const char *path; // of the damaged one
    const char *file; // the same, or the index file of the directory
    const struct reference *want;
    bool plain; // one axis only; chunks have whole items
    uint8_t *lost; // per item
    int64_t nchunks_told, nitems_told, last;
};

static void
note_lost(const tess_lost *lost, void *user)
{
    struct subject *const x = user;
    const struct reference *const r = x->want;
    int64_t at[REFERENCE_MAX_NDIM] = {0}, n = 1;
    assert_int_equal(lost->ndim, r->ndim);
    assert_true(lost->chunk > x->last);
    x->last = lost->chunk;
    x->nchunks_told++;
    for (int i = 0; i < r->ndim; i++) {
        assert_true(lost->start[i] < lost->stop[i] && lost->stop[i] <= r->shape[i]);
        n *= lost->stop[i] - lost->start[i];
    }
    x->nitems_told += n;
    for (int64_t k = 0; k < n; k++) {
        int64_t left = k, position = 0;
        for (int i = r->ndim - 1; i >= 0; i--) {
            const int64_t length = lost->stop[i] - lost->start[i];
            at[i] = lost->start[i] + left % length;
            left /= length;
        }
        for (int i = 0; i < r->ndim; i++)
            position = position * r->shape[i] + at[i];
        assert_int_equal(x->lost[position], 0);
        x->lost[position] = 1;
    }
}

static tess_storage
at(const char *path, tess_mode mode)
{
    tess_storage storage;
    tess_storage_init(&storage);
    storage.path = path;
    storage.mode = mode;
    storage.durability = TESS_DURABILITY_NONE;
    return storage;
}

// Count the items that are neither as expected nor lost, and check the reported kinds of chunks.
static int64_t
count_wrong(const struct subject *x, const char *path, const tess_repair_report *report,
            const char *what)
{
    static const int64_t origin[REFERENCE_MAX_NDIM];
    const struct reference *const r = x->want;
    const tess_storage storage = at(path, TESS_MODE_READ);
    int64_t wrong = 0, nstored = 0;
    tess_error error = {0};
    tess_info info;
    tess_array *a;
    if (tess_array_open(&storage, &a, &error) != TESS_OK)
        fail_msg("%s, %s: %s", x->name, what, error.message);
    tess_array_info(a, &info);
    if (info.ndim != r->ndim || memcmp(info.shape, r->shape, (size_t)r->ndim * 8) != 0)
        fail_msg("%s, %s: another shape", x->name, what);
    if ((size_t)info.typesize != r->typesize) { // the header is lost, and with it the size
        assert_int_equal(report->header_source, TESS_REPAIR_METALAYER);
        assert_int_equal(report->nlost, report->nchunks);
        tess_array_discard(a);
        return 0;
    }
    uint8_t *const items = malloc(reference_size(r) + 1);
    assert_non_null(items);
    if (tess_array_read(a, origin, r->shape, items, reference_size(r), &error) != TESS_OK)
        fail_msg("%s, %s: %s", x->name, what, error.message);
    const int64_t nitems = reference_nitems(r->ndim, r->shape);
    for (int64_t i = 0; i < nitems; i++)
        wrong += !x->lost[i] && memcmp(items + (size_t)i * r->typesize,
                                       r->data + (size_t)i * r->typesize, r->typesize) != 0;
    for (int64_t n = 0; n < info.nchunks; n++) {
        tess_chunk_info chunk;
        ok(tess_array_chunk(a, n, &chunk, err));
        nstored += chunk.stored;
    }
    if (info.nchunks != report->nchunks || nstored < report->nstored ||
        nstored > report->nstored + report->nlost)
        fail_msg("%s, %s: %lld of %lld chunks are stored, %lld of %lld are told, %lld lost",
                 x->name, what, (long long)nstored, (long long)info.nchunks,
                 (long long)report->nstored, (long long)report->nchunks, (long long)report->nlost);
    free(items);
    tess_array_discard(a);
    return wrong;
}

// Repair the array, and compare the report with the new array. zeroed: chunks may have wrong bytes.
static void
check_repair(struct subject *x, bool zeroed, const char *what)
{
    const tess_storage source = at(x->path, TESS_MODE_READ);
    const tess_storage target = at(files_path("new"), TESS_MODE_REPLACE);
    char path[PATH_SIZE];
    tess_repair_options options;
    tess_repair_report report;
    tess_error error = {0};
    (void)snprintf(path, sizeof path, "%s", target.path);
    tess_repair_options_init(&options);
    options.lost = note_lost;
    options.user = x;
    x->last = -1;
    x->nchunks_told = x->nitems_told = 0;
    memset(x->lost, 0, (size_t)reference_nitems(x->want->ndim, x->want->shape));
    tess_storage to = target;
    to.path = path;
    const tess_status st = tess_repair(&source, &to, &options, &report, &error);
    tally.repairs++;
    if (st != TESS_OK) {
        tally.refused++;
        if (st != TESS_ERR_CORRUPT && st != TESS_ERR_FORMAT && st != TESS_ERR_UNSUPPORTED)
            fail_msg("%s, %s: %s: %s", x->name, what, tess_status_name(st), error.message);
        assert_false(files_exist(path));
        return;
    }
    if (report.nstored + report.nspecial + report.nlost != report.nchunks ||
        report.nlost != x->nchunks_told || report.nitems_lost != x->nitems_told)
        fail_msg("%s, %s: %lld stored, %lld special, %lld lost of %lld chunks; %lld lost are told",
                 x->name, what, (long long)report.nstored, (long long)report.nspecial,
                 (long long)report.nlost, (long long)report.nchunks, (long long)x->nchunks_told);
    assert_false(report.older || report.in_order);
    if (report.list_source == TESS_REPAIR_LOST)
        assert_int_equal(report.nlost, report.nchunks);
    const int64_t wrong = count_wrong(x, path, &report, what);
    if (wrong > 0 && !(zeroed && report.nunconfirmed > 0))
        fail_msg("%s, %s: %lld items are others, none of them told to be lost (list: %d)", x->name,
                 what, (long long)wrong, (int)report.list_source);
    tally.whole += report.nlost == 0;
    tally.chunks += report.nchunks;
    tally.lost += report.nlost;
    tally.unplaced += report.nunplaced;
    tally.unconfirmed_wrong += wrong > 0;
    files_remove(path);
}

static void
check_zeroed(struct subject *x, const char *file, const uint8_t *bytes, size_t size, size_t start,
             size_t stop)
{
    char what[PATH_SIZE + 100];
    uint8_t *const damaged = malloc(size + 1);
    assert_non_null(damaged);
    memcpy(damaged, bytes, size);
    memset(damaged + start, 0, stop - start);
    files_write(file, damaged, size);
    free(damaged);
    (void)snprintf(what, sizeof what, "%s of %zu bytes, zeros from %zu to %zu", strrchr(file, '/'),
                   size, start, stop);
    check_repair(x, true, what);
}

// Damage one file of the array: truncate it and zero a page, at all positions or at a sample of
// them; and remove its first bytes.
static void
damage_file(struct subject *x, const char *file, struct random *random)
{
    char what[PATH_SIZE + 100];
    size_t size;
    uint8_t *const bytes = files_read(file, &size);
    const size_t cuts = (size_t)random_cases(FEW_CUTS, (int64_t)(size / STEP + 1));
    const size_t step = size / STEP + 1 > cuts ? size / cuts : STEP;
    for (size_t cut = step == STEP ? 0 : random_below(random, step); cut < size; cut += step) {
        (void)snprintf(what, sizeof what, "%s of %zu bytes cut to %zu", strrchr(file, '/'), size,
                       cut);
        files_write(file, bytes, cut);
        check_repair(x, false, what);
    }
    const size_t npages = size / PAGE + 1;
    const size_t pages = (size_t)random_cases(FEW_CUTS / 3, (int64_t)npages);
    for (size_t i = 0; i<npages; i += npages> pages ? npages / pages : 1) {
        const size_t start = i * PAGE;
        check_zeroed(x, file, bytes, size, start, start + PAGE < size ? start + PAGE : size);
    }
    check_zeroed(x, file, bytes, size, 0, size < HEADER ? size : HEADER);
    files_write(file, bytes, size);
    free(bytes);
}

// Damage the file, or each file of the directory.
static void
damage_array(const char *path, const char *name, const struct reference *want,
             struct random *random)
{
    struct subject x = {.name = name, .path = path, .want = want};
    struct stat info;
    x.lost = malloc((size_t)reference_nitems(want->ndim, want->shape) + 1);
    assert_non_null(x.lost);
    tally.files++;
    assert_int_equal(stat(path, &info), 0);
    if (!S_ISDIR(info.st_mode)) {
        damage_file(&x, path, random);
    } else {
        DIR *const dir = opendir(path);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            char file[PATH_SIZE];
            const char *const end = strrchr(e->d_name, '.');
            if (!end || (strcmp(end, ".chunk") != 0 && strcmp(end, ".b2frame") != 0))
                continue;
            (void)snprintf(file, sizeof file, "%s/%s", path, e->d_name);
            damage_file(&x, file, random);
            size_t size;
            uint8_t *const bytes = files_read(file, &size);
            files_remove(file);
            if (strcmp(end, ".chunk") == 0)
                check_repair(&x, false, "a chunk's file is missing");
            files_write(file, bytes, size);
            free(bytes);
        }
        closedir(dir);
    }
    free(x.lost);
}

// -- arrays made by this test

enum { ROWS = 60, COLUMNS = 44, NITEMS = ROWS * COLUMNS };

// The changes of an array after it was made; a commit after each.
enum past { AT_ONCE, ROW_BY_ROW, OVERWRITTEN, ZEROED_LAST, DELETED, SHRUNK, INSERTED, NPASTS };

static const char *const past_names[] = {"at once", "row by row", "overwritten", "zeroed last",
                                         "deleted", "shrunk",     "inserted"};

struct kind {
    tess_layout layout;
    tess_codec codec;
    int level;
    tess_checksums checksums;
    bool explicit_commits;
    int32_t fill;
};

static const struct kind kinds[] = {
    {TESS_LAYOUT_CONTIGUOUS, TESS_CODEC_LZ4, 5, TESS_CHECKSUMS_WRITE, false, 0},
    {TESS_LAYOUT_CONTIGUOUS, TESS_CODEC_ZSTD, 3, TESS_CHECKSUMS_NONE, false, 0},
    {TESS_LAYOUT_CONTIGUOUS, TESS_CODEC_BLOSCLZ, 0, TESS_CHECKSUMS_WRITE, true, -9},
    {TESS_LAYOUT_SPARSE, TESS_CODEC_LZ4, 5, TESS_CHECKSUMS_WRITE, false, 0},
    {TESS_LAYOUT_SPARSE, TESS_CODEC_ZLIB, 1, TESS_CHECKSUMS_NONE, true, 3},
};

static void
write_rows(tess_array *a, int64_t from, int64_t to, struct random *random, bool zeros)
{
    static int32_t items[NITEMS];
    const int64_t start[] = {from, 0}, stop[] = {to, COLUMNS};
    const int32_t base = (int32_t)random_below(random, 1 << 20);
    for (int i = 0; i < NITEMS; i++)
        items[i] = zeros ? 0 : base + i * 3 + (int32_t)random_below(random, 50);
    ok(tess_array_write(a, start, stop, items, sizeof items, err));
    ok(tess_array_flush(a, err));
}

static void
make_past(tess_array *a, enum past past, struct random *random)
{
    const int64_t gone = 12 + (int64_t)random_below(random, 30);
    for (int64_t i = 0; past == ROW_BY_ROW && i < ROWS; i += 12)
        write_rows(a, i, i + 12, random, false);
    if (past != ROW_BY_ROW)
        write_rows(a, 0, ROWS, random, false);
    for (int i = 0; past == OVERWRITTEN && i < 6; i++) {
        const int64_t from = (int64_t)random_below(random, ROWS - 12);
        write_rows(a, from, from + 12, random, false);
    }
    if (past == ZEROED_LAST)
        write_rows(a, 0, ROWS - 12, random, true);
    if (past == DELETED)
        ok(tess_array_delete(a, 0, 6, gone, err));
    if (past == SHRUNK)
        ok(tess_array_resize(a, (const int64_t[]){ROWS - gone, COLUMNS - 20}, err));
    static const int32_t zeros[ROWS * 12];
    if (past == INSERTED)
        ok(tess_array_insert(a, 1, 8, 12, zeros, sizeof zeros, NULL, err));
}

static void
make(const char *path, const struct kind *kind, enum past past, struct random *random)
{
    tess_storage storage = at(path, TESS_MODE_NEW);
    tess_params p;
    tess_array *a;
    storage.checksums = kind->checksums;
    storage.explicit_commits = kind->explicit_commits;
    tess_params_init(&p);
    p.dtype = "<i4";
    p.layout = kind->layout;
    p.codec = kind->codec;
    p.clevel = kind->level;
    p.ndim = 2;
    p.shape[0] = ROWS;
    p.shape[1] = COLUMNS;
    p.chunkshape[0] = 12;
    p.chunkshape[1] = 22;
    p.blockshape[0] = 6;
    p.blockshape[1] = 22;
    p.fill = kind->fill != 0 ? &kind->fill : NULL;
    p.fill_size = kind->fill != 0 ? sizeof kind->fill : 0;
    ok(tess_array_zeros(&storage, &p, &a, err));
    make_past(a, past, random);
    if (past != AT_ONCE)
        ok(tess_vlmeta_set(a, "unit", "m/s", 3, err));
    ok(tess_array_close(a, err));
}

static void
damage_copy(tess_array *a, const struct reference *ref, const char *name, void *user)
{
    char path[PATH_SIZE];
    tess_info info;
    tess_array_info(a, &info);
    if (info.frame_version < 2 || info.offset != 0 || info.nitems == 0)
        return;
    (void)snprintf(path, sizeof path, "%s/%s", getenv("TESS_GOLDEN"), name);
    size_t size;
    struct stat entry;
    if (stat(path, &entry) != 0 || !S_ISREG(entry.st_mode))
        return;
    uint8_t *const bytes = files_read(path, &size);
    (void)snprintf(path, sizeof path, "%s", files_path("array"));
    files_write(path, bytes, size);
    free(bytes);
    damage_array(path, name, ref, user);
    files_remove(path);
}

static void
own_files(void **state)
{
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int past = 0; past < NPASTS; past++) {
            char name[100], path[PATH_SIZE];
            struct reference want;
            tess_array *a;
            tess_info info;
            (void)snprintf(name, sizeof name, "kind %zu, %s", k, past_names[past]);
            (void)snprintf(path, sizeof path, "%s", files_path("array"));
            make(path, &kinds[k], (enum past)past, &random);
            const tess_storage storage = at(path, TESS_MODE_READ);
            ok(tess_array_open(&storage, &a, err));
            tess_array_info(a, &info);
            reference_init(&want, info.ndim, info.shape, (size_t)info.typesize);
            ok(tess_array_read(a, (const int64_t[]){0, 0}, info.shape, want.data,
                               reference_size(&want), err));
            ok(tess_array_close(a, err));
            damage_array(path, name, &want, &random);
            reference_finish(&want);
            files_remove(path);
        }
}

static void
other_files(void **state)
{
    struct random random;
    (void)state;
    random_init(&random, random_seed());
    check_golden_files(damage_copy, &random);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(own_files),
        IN_A_FOLDER(other_files),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_message("%lld arrays, %lld repairs: %lld refused, %lld without a loss; %lld chunks, %lld "
                  "lost, %lld left out; %lld with zeros in chunks that nothing confirms\n",
                  (long long)tally.files, (long long)tally.repairs, (long long)tally.refused,
                  (long long)tally.whole, (long long)tally.chunks, (long long)tally.lost,
                  (long long)tally.unplaced, (long long)tally.unconfirmed_wrong);
    return failed;
}
