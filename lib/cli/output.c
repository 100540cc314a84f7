/*
 * output.c - files that appear whole or not at all.
 *
 * The only writable variable of the command is here: the name of the file that the signal
 * handler removes.
 */
#include "cli/output.h"

#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char doomed[PATH_MAX]; // "": nothing

static void
remove_and_die(int signal_number)
{
    if (doomed[0])
        (void)unlink(doomed);
    (void)raise(signal_number); // the handler is for one time: now it ends the program
}

static void
remove_on_signals(const char *path)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGXCPU};
    struct sigaction action = {.sa_handler = remove_and_die, .sa_flags = (int)SA_RESETHAND};

    if (strlen(path) >= sizeof doomed)
        return; // no system call takes such a path
    strcpy(doomed, path);
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;

        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            (void)sigaction(signals[i], &action, NULL);
    }
}

// A name in the folder of `path` that no file has.
static char *
choose_temporary(const char *path)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash + 1 - path) : 0;
    const size_t size = (size_t)folder + 64;
    char *name = malloc(size);
    struct stat st;

    for (int i = 0; name && i < 1000; i++) {
        (void)snprintf(name, size, "%.*s.tess-%ld-%d.tmp", folder, path, (long)getpid(), i);
        if (lstat(name, &st) != 0)
            return name;
    }
    free(name);
    errno = name ? EEXIST : ENOMEM;
    return NULL;
}

tess_status
output_open(struct output *o, const char *path, bool force, tess_error *err)
{
    struct stat st;

    *o = (struct output){.force = force};
    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode))
            return report_set(err, TESS_ERR_IO, "exists, and is not a regular file");
        if (!force)
            return report_set(err, TESS_ERR_IO, "exists; --force overwrites it");
        o->mode = st.st_mode & 07777;
        o->path = realpath(path, NULL); // what a link points to is replaced, not the link
    } else {
        o->path = strdup(path);
    }
    if (!o->path)
        return report_errno(err, "cannot be written");
    o->temporary = choose_temporary(o->path);
    if (!o->temporary)
        return report_errno(err, "cannot be written");
    remove_on_signals(o->temporary);
    return TESS_OK;
}

static bool
sync_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool synced = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        (void)close(fd);
    return synced;
}

// rename() that does not replace what has come into being meanwhile.
static bool
rename_to_new(const char *from, const char *to)
{
    if (link(from, to) == 0) {
        (void)unlink(from);
        return true;
    }
    if (errno == EEXIST || access(to, F_OK) == 0) {
        errno = EEXIST;
        return false;
    }
    return rename(from, to) == 0; // a file system without links
}

tess_status
output_publish(struct output *o, tess_error *err)
{
    if (!sync_file(o->temporary))
        return report_errno(err, "cannot be brought to the disk");
    if (o->mode != 0 && chmod(o->temporary, o->mode) != 0)
        return report_errno(err, "cannot keep its mode");
    if (o->force ? rename(o->temporary, o->path) != 0 : !rename_to_new(o->temporary, o->path))
        return report_errno(err, "cannot be given its name");
    free(o->temporary);
    o->temporary = NULL;
    doomed[0] = '\0';
    return TESS_OK;
}

void
output_close(struct output *o)
{
    if (o->temporary)
        (void)unlink(o->temporary);
    doomed[0] = '\0';
    free(o->temporary);
    free(o->path);
    *o = (struct output){0};
}
