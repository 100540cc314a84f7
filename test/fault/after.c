/*
 * after.c - what must hold after a step of a story that failed.
 */
#include "fault/after.h"

#include "fault/disk.h"
#include "fault/look.h"
#include "support/files.h"

#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { PATH_SIZE = 700 };

// What took the name of an array and could not give it back says so (folder.h).
static const char not_given_back[] = "giving back the name";

void
after_complain(const struct after *t, const char *what)
{
    fail_msg("%s, %s%s, level %d, cache %" PRId64 ", %s, in \"%s\": %s", t->s.workload->name,
             t->s.layout == TESS_LAYOUT_SPARSE ? "sparse" : "contiguous",
             t->s.lock_file ? " with a lock file" : "", (int)t->s.durability, t->s.context.cache,
             t->failure, t->step, what);
}

int
after_count_open(void)
{
    int n = 0;
    DIR *const dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static void
check_told(const struct after *t, tess_status st, const tess_error *err)
{
    char text[LOOK_TEXT];
    const char *const end = memchr(err->message, '\0', sizeof err->message);
    (void)snprintf(text, sizeof text, "status %d (%d), errno %d: %.300s", (int)st, (int)err->status,
                   err->sys, end ? err->message : "no sentence");
    if (st != TESS_ERR_IO || err->status != st || err->sys != t->sys || !end ||
        end == err->message || end[-1] == '\n')
        after_complain(t, text);
}

// What the array holds has not changed.
static void
check_memory(const struct after *t)
{
    struct state state;
    tess_error err;
    if (state_read(t->s.a, &state, &err) != TESS_OK)
        after_complain(t, err.message);
    const bool same = state_equal(&state, &t->s.now);
    state_finish(&state);
    if (!same)
        after_complain(t, "the array in memory is another one");
}

// The story's own array may have the lock while it is looked at what stands in the file: under
// another name, the lock file keeps nobody out.
static void
rename_lock_file(const struct after *t, const char *path, bool hide)
{
    char name[PATH_SIZE], away[PATH_SIZE + 10];
    const bool sparse = t->s.layout == TESS_LAYOUT_SPARSE;
    (void)snprintf(name, sizeof name, "%s%s.b2lock", path, sparse ? "/" : "");
    (void)snprintf(away, sizeof away, "%s.away", name);
    disk_pause();
    (void)rename(hide ? name : away, hide ? away : name);
    disk_resume();
}

// The commit that a path holds; it must be one of those promised.
static int
check_disk(const struct after *t, const struct history *h)
{
    char text[LOOK_TEXT] = "";
    tess_storage storage;
    struct promise p = look_promise(h, disk_length(), false);
    if (t->plain)
        p.withdrawn = 0;
    story_storage(&t->s, h, TESS_MODE_READ, &storage);
    rename_lock_file(t, storage.path, true);
    const int found = look(storage.path, h, &p, text);
    rename_lock_file(t, storage.path, false);
    if (found == LOOK_WRONG)
        after_complain(t, text);
    return found;
}

static bool
is_lock_file(const struct after *t, const char *name)
{
    const char *const end = strrchr(name, '.');
    return t->s.lock_file && end && strcmp(end, ".b2lock") == 0;
}

// Of an array that has no name yet.
static bool
is_made(const struct story *s, const char *name)
{
    const size_t length = strlen(s->main.name);
    return s->a && s->unpublished >= 0 && strncmp(name, s->main.name, length) == 0 &&
           strcmp(name + length, ".tess-0.tmp") == 0;
}

// Nothing is left of what was not made, but a lock file. Where the removal fails, too, something
// may be.
static void
check_names(const struct after *t)
{
    DIR *const dir = opendir(t->s.folder);
    for (struct dirent *e; dir && !t->helpless && (e = readdir(dir));) {
        const bool array = strcmp(e->d_name, t->s.main.name) == 0 && history_last(&t->s.main) >= 0;
        const bool copy = strcmp(e->d_name, t->s.copy.name) == 0 && history_last(&t->s.copy) >= 0;
        if (e->d_name[0] != '.' && !array && !copy && !is_lock_file(t, e->d_name) &&
            !is_made(&t->s, e->d_name))
            after_complain(t, e->d_name);
    }
    closedir(dir);
}

// What could not be removed of a copy that could not be made.
static void
remove_copy(const struct after *t)
{
    tess_storage storage;
    story_storage(&t->s, &t->s.copy, TESS_MODE_NEW, &storage);
    files_remove(storage.path);
}

void
after_check(struct after *t)
{
    struct story *const s = &t->s;
    tess_error err;
    const int found = check_disk(t, &s->main);
    (void)check_disk(t, &s->copy);
    if (s->a) {
        check_memory(t);
    } else if (history_last(&s->main) >= 0) {
        if (found == LOOK_NOTHING)
            after_complain(t, "the array is not there any more");
        story_found(s, found);
    }
    if (story_ready(s, &err) != TESS_OK || story_step(s, STORY_FLUSH, &err) != TESS_OK)
        after_complain(t, err.message);
    check_memory(t);
    if (check_disk(t, &s->main) != s->main.count - 1)
        after_complain(t, "after a flush, it is not on the disk");
}

bool
after_failure(struct after *t, tess_status st, const tess_error *err)
{
    struct story *const s = &t->s;
    t->told++;
    check_told(t, st, err);
    if (t->helpless && (history_last(&s->main) < 0 ||
                        strncmp(err->message, not_given_back, strlen(not_given_back)) == 0))
        return false;
    if (t->helpless && history_last(&s->copy) < 0)
        remove_copy(t);
    check_names(t);
    after_check(t);
    return true;
}
