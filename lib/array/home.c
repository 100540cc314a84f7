/*
 * home.c - where an array lives.
 */
#include "array/home.h"

void
home_close(const struct home *home)
{
    io_close(home->io);
    folder_close(home->folder);
    lock_file_close(home->lock_file);
    io_path_close(home->path);
}
