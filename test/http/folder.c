/*
 * folder.c - a temporary directory of a test, and what is in it.
 */
#include "http/folder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void
folder_make(char *path, size_t size)
{
    (void)snprintf(path, size, "/tmp/tessera-cache-XXXXXX");
    assert_non_null(mkdtemp(path));
}

int
folder_list(const char *path, struct folder_entry *entries, int most)
{
    DIR *const d = opendir(path);
    int n = 0;

    assert_non_null(d);
    for (const struct dirent *e; n < most && (e = readdir(d));) {
        char file[600];
        struct stat s;
        (void)snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || lstat(file, &s) != 0)
            continue;
        (void)snprintf(entries[n].name, sizeof entries[n].name, "%s", e->d_name);
        entries[n++].bytes = (int64_t)s.st_blocks * 512;
    }
    (void)closedir(d);
    return n;
}

void
folder_empty(const char *path)
{
    struct folder_entry e;

    while (folder_list(path, &e, 1) == 1) {
        char file[600];
        (void)snprintf(file, sizeof file, "%s/%s", path, e.name);
        assert_int_equal(remove(file), 0);
    }
}

void
folder_remove(const char *path)
{
    folder_empty(path);
    assert_int_equal(rmdir(path), 0);
}
