/*
 * rename.c - renames files and directories in one step: by renameat2(), its system call, or,
 * without both, by a hard link or a reserved name.
 */
#include "io/names/rename.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NO_REPLACE = 1, EXCHANGE = 2 }; // RENAME_NOREPLACE, RENAME_EXCHANGE of the kernel

static bool
rename_with(int folder, const char *from, const char *to, unsigned flags)
{
#if defined RENAME_NOREPLACE // then <stdio.h> declares renameat2()
    return renameat2(folder, from, folder, to, flags) == 0;
#elif defined SYS_renameat2
    return syscall(SYS_renameat2, folder, from, folder, to, flags) == 0;
#else
    (void)folder, (void)from, (void)to, (void)flags;
    errno = ENOSYS;
    return false;
#endif
}

bool
rename_is_unknown(int error)
{
    return error == EINVAL || error == ENOSYS;
}

// Create an empty file or directory under the new name, and replace it by the rename.
static bool
claim_name(int folder, const char *from, const char *to)
{
    struct stat st;
    if (fstatat(folder, from, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    const bool directory = S_ISDIR(st.st_mode);
    const int claim = directory ? mkdirat(folder, to, 0700)
                                : openat(folder, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (claim < 0)
        return false;
    if (!directory)
        close(claim);
    if (renameat(folder, from, folder, to) == 0)
        return true;
    const int error = errno;
    (void)unlinkat(folder, to, directory ? AT_REMOVEDIR : 0);
    errno = error;
    return false;
}

bool
rename_new(int folder, const char *from, const char *to)
{
    if (rename_with(folder, from, to, NO_REPLACE))
        return true;
    if (!rename_is_unknown(errno))
        return false;
    if (linkat(folder, from, folder, to, 0) == 0) {
        (void)unlinkat(folder, from, 0);
        return true;
    }
    const bool no_links = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
    return no_links && claim_name(folder, from, to);
}

bool
rename_exchange(int folder, const char *from, const char *to)
{
    return rename_with(folder, from, to, EXCHANGE);
}
