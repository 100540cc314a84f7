/*
 * find.c - files and directories that may be arrays.
 */
#include "several/find.h"

#include "data/open.h"
#include "data/path.h"
#include "data/remote.h"
#include "data/store_path.h"
#include "report.h"
#include "text/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct search {
    const struct arguments *args;
    bool recursive;
    find_fn *fn;
    void *user;
};

// Folder and name; the caller frees it. A folder "" is the current one.
static char *
join(const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    const char *const slash = length > 0 && folder[length - 1] != '/' ? "/" : "";
    char *path = NULL;

    return asprintf(&path, "%s%s%s", folder, slash, name) < 0 ? NULL : path;
}

static bool
has_index(const char *folder)
{
    char *const path = join(folder, "chunks.b2frame");
    struct stat st;
    const bool has = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);

    free(path);
    return has;
}

// Whether a name is passed over: hidden, or NAME.tess-N.tmp.
static bool
is_left_out(const char *name)
{
    return name[0] == '.' || (strstr(name, ".tess-") && text_ends_with(name, ".tmp"));
}

static int
keep(const struct dirent *entry)
{
    return !is_left_out(entry->d_name);
}

// In the order of bytes, whatever the locale.
static int
compare(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static tess_status search_folder(const struct search *s, const char *folder, tess_error *err);

// An array in a store: at a path behind that of the store, without the first slash.
static tess_status
tell_entry(const struct search *s, const char *path, tess_store *store, const tess_entry *entry,
           bool named, tess_error *err)
{
    char *const whole = join(path, entry->path + 1);
    if (!whole)
        return report_nomem(err, 0);
    const struct found found = {
        .named = named,
        .path = whole,
        .store = store,
        .inside = entry->path,
        .is_link = entry->kind == TESS_ENTRY_LINK,
        .size = entry->size,
    };
    s->fn(&found, s->user);
    free(whole);
    return TESS_OK;
}

// An entry of a store, or what is in a group of it. path: that of the store.
static tess_status
search_entry(const struct search *s, const char *path, tess_store *store, const char *inside,
             tess_error *err)
{
    const int64_t first = tess_store_find(store, inside);
    const int64_t end = first >= 0 ? tess_store_next(store, first) : 0;
    tess_entry entry;
    tess_status st = TESS_OK;
    if (first < 0)
        return report_set(err, TESS_ERR_NOT_FOUND, "the store has no entry %.300s", inside);
    tess_store_entry(store, first, &entry);
    if (entry.kind != TESS_ENTRY_GROUP)
        return tell_entry(s, path, store, &entry, true, err);
    for (int64_t i = first + 1; st == TESS_OK && i < end;) {
        tess_store_entry(store, i, &entry);
        if (entry.kind != TESS_ENTRY_GROUP)
            st = tell_entry(s, path, store, &entry, false, err);
        i = s->recursive ? i + 1 : tess_store_next(store, i);
    }
    return st;
}

static tess_status
search_store(const struct search *s, const char *path, tess_error *err)
{
    tess_store *store = NULL;
    tess_status st = open_store(path, s->args, &store, err);
    if (st == TESS_OK)
        st = search_entry(s, path, store, "/", err);
    tess_store_close(store);
    return st;
}

// What a path leads to in a store.
static tess_status
search_in_store(const struct search *s, const char *path, const struct store_path *at,
                tess_error *err)
{
    tess_store *store = NULL;
    char *const front = strndup(path, (size_t)(at->inside - path));
    tess_status st = front ? open_store_around(path, at, s->args, &store, err)
                           : report_nomem(err, at->inside - path);
    if (st == TESS_OK)
        st = search_entry(s, front, store, at->inside, err);
    tess_store_close(store);
    free(front);
    return st;
}

// What stands at a path. Nothing is said of what went away meanwhile.
static tess_status
look_at(const struct search *s, const char *path, bool named, tess_error *err)
{
    struct found found = {.path = path, .named = named};
    const struct store_path at = store_path_parse(path, STORE_PATH_WHOLE);
    struct stat st, link;

    if (named && at.front > 0 && (at.commit || !store_path_is_whole(&at)))
        return search_in_store(s, path, &at, err);
    if (named && remote_is_url(path))
        return search_store(s, path, err);
    if (stat(path, &st) != 0)
        return named ? report_errno(err, "opening the file") : TESS_OK;
    if (S_ISREG(st.st_mode) && text_ends_with(path, ".b2z"))
        return named || s->recursive ? search_store(s, path, err) : TESS_OK;
    if (S_ISREG(st.st_mode)) {
        found.size = path_size(path);
        s->fn(&found, s->user);
    } else if (S_ISDIR(st.st_mode) && has_index(path)) {
        found.is_folder = true;
        found.size = path_size(path);
        s->fn(&found, s->user);
    } else if (S_ISDIR(st.st_mode)) {
        const bool linked = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);

        if (named || (s->recursive && !linked))
            return at.front > 0 && path[at.front - 1] == 'd' ? search_store(s, path, err)
                                                             : search_folder(s, path, err);
    }
    return TESS_OK;
}

static tess_status
search_folder(const struct search *s, const char *folder, tess_error *err)
{
    struct dirent **entries = NULL;
    tess_status st = TESS_OK;
    const int n = scandir(folder[0] ? folder : ".", &entries, keep, compare);

    if (n < 0)
        return report_errno(err, "cannot be read");
    for (int i = 0; i < n; i++) {
        char *const path = join(folder, entries[i]->d_name);
        tess_error wrong;

        // One that cannot be read does not end the search.
        const tess_status found = path ? look_at(s, path, false, &wrong) : report_nomem(&wrong, 0);
        if (found != TESS_OK && st == TESS_OK)
            st = report_set(err, found, "%.100s: %.200s", path ? path : "", wrong.message);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return st;
}

tess_status
find_arrays(const char *path, const struct arguments *args, bool recursive, find_fn *fn, void *user,
            tess_error *err)
{
    const struct search s = {.args = args, .recursive = recursive, .fn = fn, .user = user};

    return path ? look_at(&s, path, true, err) : search_folder(&s, "", err);
}
