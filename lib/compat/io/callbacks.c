/*
 * callbacks.c - input and output that the program registered, and that of the library.
 *
 * Slots are given out in order and never moved, so that what blosc2_get_io_cb() returns stays.
 */
#include "io/callbacks.h"

#include "blosc2/error.h"

#include <pthread.h>
#include <string.h>

enum { MOST = UINT8_MAX };

static char filesystem[] = "filesystem";
static char filesystem_mmap[] = "filesystem_mmap";

static blosc2_io_cb own[] = {
    {BLOSC2_IO_FILESYSTEM, filesystem, true, blosc2_stdio_open, blosc2_stdio_close,
     blosc2_stdio_size, blosc2_stdio_write, blosc2_stdio_read, blosc2_stdio_truncate,
     blosc2_stdio_destroy},
    {BLOSC2_IO_FILESYSTEM_MMAP, filesystem_mmap, false, blosc2_stdio_mmap_open,
     blosc2_stdio_mmap_close, blosc2_stdio_mmap_size, blosc2_stdio_mmap_write,
     blosc2_stdio_mmap_read, blosc2_stdio_mmap_truncate, blosc2_stdio_mmap_destroy},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for the two below
static blosc2_io_cb registered[MOST];
static int nregistered;

static blosc2_io_cb *
find(uint8_t id)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].id == id)
            return &own[i];
    for (int i = 0; i < nregistered; i++)
        if (registered[i].id == id)
            return &registered[i];
    return NULL;
}

// A name may be missing.
static const char *
name_of(const blosc2_io_cb *io)
{
    return io->name ? io->name : "";
}

static int
add(const blosc2_io_cb *io)
{
    const blosc2_io_cb *const before = find(io->id);
    if (before && strcmp(name_of(before), name_of(io)) != 0)
        return b2_fail(BLOSC2_ERROR_PLUGIN_IO, "I/O %d (%s) is registered as %s", io->id,
                       name_of(io), name_of(before));
    if (before)
        return 0;
    if (nregistered == MOST)
        return b2_fail(BLOSC2_ERROR_PLUGIN_IO, "%d kinds of I/O are registered", MOST);
    registered[nregistered++] = *io;
    return 0;
}

int
blosc2_register_io_cb(const blosc2_io_cb *io)
{
    if (!io)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "no I/O is given");
    if (io->id < BLOSC2_IO_REGISTERED)
        return b2_fail(BLOSC2_ERROR_PLUGIN_IO, "I/O %d (%s): numbers from %d can be", io->id,
                       name_of(io), BLOSC2_IO_REGISTERED);
    pthread_mutex_lock(&lock);
    const int code = add(io);
    pthread_mutex_unlock(&lock);
    return code;
}

blosc2_io_cb *
blosc2_get_io_cb(uint8_t id)
{
    pthread_mutex_lock(&lock);
    blosc2_io_cb *const io = find(id);
    pthread_mutex_unlock(&lock);
    return io;
}

void
b2_callbacks_clear(void)
{
    pthread_mutex_lock(&lock);
    nregistered = 0;
    pthread_mutex_unlock(&lock);
}
