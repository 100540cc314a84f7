/*
 * place.c - where the files of one input lie.
 */
#include "fuzz/place.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static char root[PATH_SIZE];
static char path[PATH_SIZE + 8];

static void
leave(void)
{
    place_clear();
    (void)rmdir(root);
}

const char *
place_path(void)
{
    if (path[0])
        return path;
    const char *const parent = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/fuzz-XXXXXX", parent ? parent : "/dev/shm");
    must(mkdtemp(root), "cannot make %s", root);
    snprintf(path, sizeof path, "%s/array", root);
    atexit(leave);
    return path;
}

void
place_clear(void)
{
    DIR *const dir = opendir(place_path());

    if (!dir) {
        (void)unlink(path);
        return;
    }
    for (const struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            (void)unlinkat(dirfd(dir), e->d_name, 0);
    closedir(dir);
    must(rmdir(path) == 0, "cannot clear %s", path);
}

void
place_put(const char *name, const uint8_t *bytes, size_t size)
{
    char file[PATH_SIZE + 40];

    if (name)
        (void)mkdir(place_path(), 0777);
    snprintf(file, sizeof file, "%s%s%s", place_path(), name ? "/" : "", name ? name : "");
    FILE *const out = fopen(file, "wb");
    must(out, "cannot write %s", file);
    const bool whole = fwrite(bytes, 1, size, out) == size;
    must(fclose(out) == 0 && whole, "cannot write %s", file);
}

void
place_chunk_name(unsigned number, char name[PLACE_NAME_SIZE])
{
    snprintf(name, PLACE_NAME_SIZE, "%08X.chunk", number);
}
