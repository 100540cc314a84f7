/*
 * files.c - removing and renaming what a path means.
 */
#include "blosc2/error.h"

#include <blosc2.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Remove the files of an open directory; directories in it stay, and keep it from being removed.
static bool
empty(DIR *dir)
{
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(dir), entry->d_name, 0) != 0)
            return false;
    }
    return true;
}

int
blosc2_remove_dir(const char *path)
{
    if (!path || path[0] == '\0')
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "no directory is named");
    DIR *const dir = opendir(path);
    if (!dir)
        return b2_fail(BLOSC2_ERROR_NOT_FOUND, "%s: %s", path, strerror(errno));
    const bool emptied = empty(dir);
    closedir(dir);
    if (!emptied || rmdir(path) != 0)
        return b2_fail(BLOSC2_ERROR_FAILURE, "%s: %s", path, strerror(errno));
    return 0;
}

// That of c-blosc2, if there is one.
static void
remove_lock_file(const char *path)
{
    static const char end[] = ".b2lock";
    char *const name = malloc(strlen(path) + sizeof end);
    if (!name)
        return;
    strcpy(name, path);
    strcat(name, end);
    unlink(name);
    free(name);
}

int
blosc2_remove_urlpath(const char *path)
{
    struct stat st;
    if (!path)
        return 0;
    if (stat(path, &st) != 0)
        return errno == ENOENT ? 0 : b2_fail(BLOSC2_ERROR_FAILURE, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return blosc2_remove_dir(path);
    if (unlink(path) != 0)
        return b2_fail(BLOSC2_ERROR_FILE_REMOVE, "%s: %s", path, strerror(errno));
    remove_lock_file(path);
    return 0;
}

int
blosc2_rename_urlpath(char *old_urlpath, char *new_path)
{
    if (!old_urlpath || !new_path)
        return 0;
    if (rename(old_urlpath, new_path) != 0)
        return b2_fail(BLOSC2_ERROR_FAILURE, "%s: %s", old_urlpath, strerror(errno));
    return 0;
}
