/*
 * killed.c - processes that change an array, killed at random moments.
 *
 * A child plays a random workload (story.h), and says in shared memory how many commits it started,
 * and how many of them returned. After the kill, the parent plays the same story elsewhere to learn
 * what those commits hold, and looks which one it finds. The next child goes on from there, so
 * that a file lives through many kills.
 *
 * And one that replaces its checkpoint again and again, which is the old one or the new one then.
 */
#include "fault/look.h"
#include "fault/story.h"
#include "support/files.h"

#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    PATH_SIZE = 600,
    LIVES = 15, // kills until the next array
    // A child is killed so many microseconds after so many commits, at most both; it is waited for
    // no longer than that.
    KILL_AFTER_MOST = 15000,
    COMMITS_MOST = 2,
    WAITED_MOST = 20000000,
    // Bytes of an array, after thousands of commits: items are 11 KB at most, each of the states in
    // the file brings 7 KB, and who is killed leaves more.
    SPACE_MOST = 1 << 20, // what a file may have beside its live data, which is little
};

struct shared {
    struct board main, copy;
    atomic_bool failed;
    char message[TESS_ERROR_MESSAGE_SIZE];
};

// An array that lives through many processes.
struct subject {
    tess_layout layout;
    const struct workload *workload;
    bool there;
    struct state state; // if it is there
    char live[PATH_SIZE], again[PATH_SIZE]; // folders of the child, and of the parent
};

static struct {
    int64_t kills, nothing, last, newer, in_progress, commits, space;
} tally;

static void
begin(struct story *story, const struct subject *sub, const char *folder, uint64_t seed)
{
    story_begin(story, folder, sub->workload, sub->layout, (tess_durability)(seed % 3), seed);
    story->context.threads = seed / 3 % 2 ? 1 : 2;
}

static tess_status
take_step(struct story *story, tess_error *err)
{
    const tess_status st = story_ready(story, err);
    return st == TESS_OK ? story_step(story, story_choose(story), err) : st;
}

// -- the child

static void
work(const struct subject *sub, uint64_t seed, struct shared *shared)
{
    struct story story;
    tess_error err;
    begin(&story, sub, sub->live, seed);
    story.main.board = &shared->main;
    story.copy.board = &shared->copy;
    if (sub->there)
        story_adopt(&story, &sub->state);
    while (take_step(&story, &err) == TESS_OK)
        ;
    memcpy(shared->message, err.message, sizeof err.message);
    atomic_store(&shared->failed, true);
    _exit(1);
}

// Until the child said so many commits, on a slow machine too; not for ever, should it hang.
static void
wait_for_commits(const struct shared *shared, int commits)
{
    enum { STEP = 200 };
    for (int waited = 0; waited < WAITED_MOST && !atomic_load(&shared->failed) &&
                         atomic_load(&shared->main.returned) < commits;
         waited += STEP)
        usleep(STEP);
}

static void
kill_one(const struct subject *sub, uint64_t seed, struct shared *shared)
{
    struct random r;
    random_init(&r, seed);
    const int delay = (int)random_below(&r, KILL_AFTER_MOST);
    const int commits = (int)random_below(&r, COMMITS_MOST + 1);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        work(sub, seed, shared);
    wait_for_commits(shared, commits > 0 ? sub->there + commits : 0);
    usleep((useconds_t)delay);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    if (atomic_load(&shared->failed))
        fail_msg("seed %" PRIu64 ": a child failed: %s", seed, shared->message);
}

// -- the parent

// The array as it was before, for the story to begin with.
static void
copy_array(const struct subject *sub, const struct story *story)
{
    tess_storage from, to;
    tess_array *a;
    char path[PATH_SIZE + 100];
    (void)snprintf(path, sizeof path, "%s/%s", sub->live, story->main.name);
    story_storage(story, &story->main, TESS_MODE_READ, &from);
    from.path = path;
    ok(tess_array_open(&from, &a, err));
    story_storage(story, &story->main, TESS_MODE_NEW, &to);
    ok(tess_array_save(a, &to, sub->layout, err));
    ok(tess_array_close(a, err));
}

// Bytes of a file, or of all in a folder.
static int64_t
space_of(const char *path)
{
    struct stat info;
    int64_t sum = 0;
    char inside[PATH_SIZE + 400];
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return S_ISREG(info.st_mode) ? info.st_size : 0;
    DIR *const dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        (void)snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
        sum += e->d_name[0] == '.' ? 0 : space_of(inside);
    }
    closedir(dir);
    return sum;
}

// Which commit is found; the story knows what they hold.
static int
look_for(const struct subject *sub, const struct story *story, const struct history *h,
         const struct promise *p)
{
    char path[PATH_SIZE + 100], text[LOOK_TEXT] = "";
    (void)snprintf(path, sizeof path, "%s/%s", sub->live, h->name);
    const int found = look(path, h, p, text);
    if (found == LOOK_WRONG)
        fail_msg("%s, %s, level %d, %s: %s", story->workload->name,
                 sub->layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous",
                 (int)story->durability, h->name, text);
    if (found != LOOK_NOTHING && !story->workload->never_reuse && space_of(path) > tally.space)
        tally.space = space_of(path);
    return found;
}

static void
count(int found, const struct promise *p)
{
    tally.kills++;
    tally.commits += p->newest + 1;
    tally.nothing += found == LOOK_NOTHING;
    tally.in_progress += p->newest > p->returned;
    tally.last += found != LOOK_NOTHING && found == p->returned;
    tally.newer += found > p->returned;
}

// What the child left; the same story, played once more, says what may be there.
static void
check(struct subject *sub, struct story *story, const struct shared *shared)
{
    const int first = sub->there; // the commit that was adopted, if the child came as far or not
    const int started = atomic_load(&shared->main.started);
    const int returned = atomic_load(&shared->main.returned);
    const int copies = atomic_load(&shared->copy.started);
    const struct promise main = {
        .oldest = (returned > first ? returned : first) - 1,
        .newest = (started > first ? started : first) - 1,
        .returned = (returned > first ? returned : first) - 1,
        .withdrawn = 0,
    };
    const struct promise copy = {
        .oldest = atomic_load(&shared->copy.returned) - 1,
        .newest = copies - 1,
        .returned = atomic_load(&shared->copy.returned) - 1,
    };
    if (sub->there) {
        story_adopt(story, &sub->state);
        state_finish(&sub->state);
    }
    while (story->main.count < started || story->copy.count < copies)
        ok(take_step(story, err));
    const int found = look_for(sub, story, &story->main, &main);
    (void)look_for(sub, story, &story->copy, &copy);
    count(found, &main);
    sub->there = found != LOOK_NOTHING;
    if (sub->there)
        state_copy(&sub->state, &story->main.commits[found].state);
}

// What is not needed by the next child: copies, and what was half-made.
static void
tidy(const struct subject *sub, const struct story *story)
{
    char path[PATH_SIZE + 400];
    DIR *const dir = opendir(sub->live);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        (void)snprintf(path, sizeof path, "%s/%s", sub->live, e->d_name);
        if (e->d_name[0] != '.' && (!sub->there || strcmp(e->d_name, story->main.name) != 0))
            files_remove(path);
    }
    closedir(dir);
}

static void
live(struct subject *sub, struct random *r, int64_t kills)
{
    assert_int_equal(mkdir(sub->live, 0777), 0);
    sub->there = false;
    for (int64_t i = 0; i < kills; i++) {
        struct story story;
        const uint64_t seed = random_next(r);
        struct shared *const shared =
            mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(shared != MAP_FAILED);
        assert_int_equal(mkdir(sub->again, 0777), 0);
        begin(&story, sub, sub->again, seed);
        if (sub->there)
            copy_array(sub, &story);
        kill_one(sub, seed, shared);
        check(sub, &story, shared);
        tidy(sub, &story);
        story_end(&story);
        files_remove(sub->again);
        munmap(shared, sizeof *shared);
    }
    if (sub->there)
        state_finish(&sub->state);
    files_remove(sub->live);
}

static void
killed(tess_layout layout)
{
    struct random r;
    struct subject sub = {.layout = layout};
    const int64_t kills = random_cases(30, 750);
    random_init(&r, random_seed() + layout);
    memset(&tally, 0, sizeof tally);
    (void)snprintf(sub.live, sizeof sub.live, "%s", files_path("live"));
    (void)snprintf(sub.again, sizeof sub.again, "%s", files_path("again"));
    for (int64_t i = 0; i < kills; i += LIVES) {
        sub.workload = &workloads[random_below(&r, (uint64_t)workload_count)];
        if (random_below(&r, 2))
            sub.workload = &workloads[workload_count - 1]; // of all steps
        live(&sub, &r, kills - i < LIVES ? kills - i : LIVES);
    }
    printf("%s: %" PRId64 " kills after %" PRId64 " commits; found: nothing %" PRId64
           ", the last commit %" PRId64 ", the one in progress %" PRId64 " of %" PRId64
           "; largest %" PRId64 " bytes\n",
           layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous", tally.kills, tally.commits,
           tally.nothing, tally.last, tally.newer, tally.in_progress, tally.space);
    assert_true(tally.last > 0);
    assert_in_range(tally.space, 1, SPACE_MOST);
}

// -- a program that replaces its checkpoint again and again

enum { CHECKPOINT_ITEMS = 600, CHECKPOINT_CHUNK = 100 };

static void
checkpoint_storage(const struct subject *sub, tess_mode mode, uint64_t seed, tess_storage *storage)
{
    static char path[PATH_SIZE + 20];
    (void)snprintf(path, sizeof path, "%s/checkpoint", sub->live);
    tess_storage_init(storage);
    storage->path = path;
    storage->mode = mode;
    storage->durability = (tess_durability)(seed % 3);
    storage->lock_file = seed / 3 % 2;
}

// Chunk after chunk, or all at once; all items tell the number.
static tess_status
write_checkpoint(const struct subject *sub, uint64_t seed, int32_t number, tess_error *err)
{
    static int32_t items[CHECKPOINT_ITEMS];
    tess_storage storage;
    tess_params p;
    tess_array *a;
    tess_status st;
    checkpoint_storage(sub, TESS_MODE_REPLACE, seed, &storage);
    tess_params_init(&p);
    p.dtype = "<i4";
    p.ndim = 1;
    p.shape[0] = CHECKPOINT_ITEMS;
    p.chunkshape[0] = p.blockshape[0] = CHECKPOINT_CHUNK;
    p.layout = sub->layout;
    for (int i = 0; i < CHECKPOINT_ITEMS; i++)
        items[i] = number * CHECKPOINT_ITEMS + i;
    if (number % 4 == 0) {
        st = tess_array_from(&storage, &p, items, sizeof items, &a, err);
        return st == TESS_OK ? tess_array_close(a, err) : st;
    }
    st = tess_array_zeros(&storage, &p, &a, err);
    if (st != TESS_OK)
        return st;
    for (int64_t at = 0; at < CHECKPOINT_ITEMS && st == TESS_OK; at += CHECKPOINT_CHUNK) {
        const int64_t stop = at + CHECKPOINT_CHUNK;
        st = tess_array_write(a, &at, &stop, items + at, CHECKPOINT_CHUNK * sizeof *items, err);
    }
    if (st == TESS_OK && number % 4 == 1)
        st = tess_array_flush(a, err);
    if (st == TESS_OK)
        return tess_array_close(a, err);
    tess_array_discard(a);
    return st;
}

static void
replace_on(const struct subject *sub, uint64_t seed, struct shared *shared)
{
    tess_error err;
    int number = atomic_load(&shared->main.returned);
    for (;;) {
        atomic_store(&shared->main.started, ++number);
        if (write_checkpoint(sub, seed, number, &err) != TESS_OK)
            break;
        atomic_store(&shared->main.returned, number);
    }
    memcpy(shared->message, err.message, sizeof err.message);
    atomic_store(&shared->failed, true);
    _exit(1);
}

// The number that all items tell.
static int32_t
read_checkpoint(const struct subject *sub)
{
    static int32_t items[CHECKPOINT_ITEMS];
    const int64_t start = 0, stop = CHECKPOINT_ITEMS;
    tess_storage storage;
    tess_array *a;
    checkpoint_storage(sub, TESS_MODE_READ, 0, &storage);
    ok(tess_array_open(&storage, &a, err));
    ok(tess_array_read(a, &start, &stop, items, sizeof items, err));
    ok(tess_array_close(a, err));
    const int32_t number = items[0] / CHECKPOINT_ITEMS;
    for (int i = 0; i < CHECKPOINT_ITEMS; i++)
        assert_int_equal(items[i], number * CHECKPOINT_ITEMS + i);
    return number;
}

// Names in the folder, but for lock files.
static int
count_names(const struct subject *sub)
{
    int n = 0;
    DIR *const dir = opendir(sub->live);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        n += e->d_name[0] != '.' && !strstr(e->d_name, ".b2lock");
    closedir(dir);
    return n;
}

static void
replaced(tess_layout layout)
{
    enum { LEFT_MOST = 2 }; // the checkpoint, and what was to replace it, or was replaced
    struct subject sub = {.layout = layout};
    struct random r;
    struct shared *const shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const int64_t kills = random_cases(40, 1000);
    int64_t newer = 0, left = 0;
    assert_true(shared != MAP_FAILED);
    random_init(&r, random_seed() + layout);
    (void)snprintf(sub.live, sizeof sub.live, "%s", files_path("live"));
    assert_int_equal(mkdir(sub.live, 0777), 0);
    ok(write_checkpoint(&sub, 0, 0, err));
    for (int64_t i = 0; i < kills; i++) {
        const uint64_t seed = random_next(&r);
        const int delay = (int)random_below(&r, KILL_AFTER_MOST);
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            replace_on(&sub, seed, shared);
        usleep((useconds_t)delay);
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        if (atomic_load(&shared->failed))
            fail_msg("seed %" PRIu64 ": a child failed: %s", seed, shared->message);
        const int found = read_checkpoint(&sub), returned = atomic_load(&shared->main.returned);
        if (found != returned && found != atomic_load(&shared->main.started))
            fail_msg("seed %" PRIu64 ": checkpoint %d, the last one was %d", seed, found, returned);
        newer += found != returned;
        left += count_names(&sub) - 1;
        assert_in_range(count_names(&sub), 1, LEFT_MOST);
        atomic_store(&shared->main.returned, found);
    }
    ok(write_checkpoint(&sub, 0, atomic_load(&shared->main.returned) + 1, err));
    assert_int_equal(count_names(&sub), 1);
    printf("%s: %" PRId64 " kills, %d checkpoints; found: the last one %" PRId64
           ", the next one %" PRId64 "; left over %" PRId64 ", none in the end\n",
           layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous", kills,
           (int)atomic_load(&shared->main.returned), kills - newer, newer, left);
    munmap(shared, sizeof *shared);
}

static void
contiguous_replaced(void **state)
{
    (void)state;
    replaced(TESS_LAYOUT_CONTIGUOUS);
}

static void
sparse_replaced(void **state)
{
    (void)state;
    replaced(TESS_LAYOUT_SPARSE);
}

static void
contiguous(void **state)
{
    (void)state;
    killed(TESS_LAYOUT_CONTIGUOUS);
}

static void
sparse(void **state)
{
    (void)state;
    killed(TESS_LAYOUT_SPARSE);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(contiguous, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(sparse, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(contiguous_replaced, files_setup, files_teardown),
        cmocka_unit_test_setup_teardown(sparse_replaced, files_setup, files_teardown),
    };
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]); // such as "*replaced"
    return cmocka_run_group_tests(tests, NULL, NULL);
}
