/*
 * store_path.c - a path that leads through a store of arrays, taken apart.
 */
#include "data/store_path.h"

#include "data/path.h"
#include "data/remote.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static bool
is_store_name(const char *path, size_t size)
{
    return size > 4 &&
           (memcmp(path + size - 4, ".b2z", 4) == 0 || memcmp(path + size - 4, ".b2d", 4) == 0);
}

// No commit has a name that ends so, either.
static bool
is_file_name(const char *path, size_t size)
{
    static const char *const endings[] = {".b2nd", ".b2f", ".b2b"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(endings[i]);
        if (size > length && memcmp(path + size - length, endings[i], length) == 0)
            return true;
    }
    return false;
}

// Whether there is something at the first bytes of a path.
static bool
is_there(const char *path, size_t size)
{
    char name[PATH_MAX];
    struct stat st;
    if (size >= sizeof name)
        return false;
    memcpy(name, path, size);
    name[size] = '\0';
    return lstat(name, &st) == 0;
}

// The part of a path from `start` to `end`, as STORE@COMMIT. Of several @ that may be the one, the
// last one behind a store that is there counts.
static bool
take_commit(const char *path, size_t start, size_t end, struct store_path *p)
{
    size_t front = 0;
    if (!memchr(path + start, '@', end - start) || is_file_name(path, end) || is_there(path, end))
        return false;
    for (size_t i = start; i < end; i++)
        if (path[i] == '@' && is_store_name(path, i) && (front == 0 || is_there(path, i)))
            front = i;
    p->front = front;
    p->commit = path + front + 1;
    p->commit_size = end - front - 1;
    return front > 0;
}

// The first part that names a commit. Behind a part that is a store, the store of the commit must
// exist.
static bool
find_commit(const char *path, struct store_path *p)
{
    bool inside = false;
    for (size_t start = 0, end;; start = end + 1) {
        end = start + strcspn(path + start, "/");
        *p = (struct store_path){.inside = path + end};
        if (take_commit(path, start, end, p) && (!inside || is_there(path, p->front)))
            return true;
        if (!path[end])
            return false;
        inside |= is_store_name(path, end);
    }
}

// The first part of a path that names a store, with something behind it.
static struct store_path
find_store(const char *path)
{
    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
        const struct store_path p = {.front = (size_t)(at - path), .inside = at};
        if (is_store_name(path, p.front) && !store_path_is_whole(&p))
            return p;
    }
    return (struct store_path){.front = 0};
}

struct store_path
store_path_parse(const char *path, int flags)
{
    static const struct store_path none = {.front = 0};
    const bool remote = remote_is_url(path);
    struct store_path p;
    struct stat st;
    if (!remote && find_commit(path, &p))
        return p;
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    if ((flags & STORE_PATH_WHOLE) && is_store_name(path, size))
        return (struct store_path){.front = size, .inside = path + size};
    p = find_store(path);
    if (p.front == 0)
        return none;
    if ((flags & STORE_PATH_MAKES) &&
        (remote || path[p.front - 1] != 'd' || is_file_name(path, size)))
        return none;
    if (remote || stat(path, &st) != 0)
        return p;
    return (flags & STORE_PATH_GROUPS) && S_ISDIR(st.st_mode) && !path_is_sparse(path) ? p : none;
}

struct store_path
store_path_parse_entry(const char *path)
{
    static const struct store_path none = {.front = 0};
    const struct store_path p = store_path_parse(path, STORE_PATH_WHOLE);
    if (p.commit || remote_is_url(path))
        return p;
    if (path_is_sparse(path))
        return none;
    return p.front > 0 ? p : find_store(path);
}

bool
store_path_is_whole(const struct store_path *p)
{
    return p->inside[strspn(p->inside, "/")] == '\0';
}

bool
store_path_is_name(const char *path)
{
    return is_store_name(path, strlen(path));
}
