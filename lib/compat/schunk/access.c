/*
 * access.c - what a super-chunk and its views share: a lock, codecs of the program, the list of
 * chunks that programs see.
 */
#include "schunk/access.h"

#include "blosc2/error.h"
#include "chunk/environment.h"
#include "schunk/list.h"

#include <stdlib.h>
#include <sys/stat.h>

// A call that changes something does not wait for readers to pause, where the system lets one
// choose: threads that read all the time would leave it no moment. No call acquires the lock twice.
static void
init_lock(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t attr;

    pthread_rwlockattr_init(&attr);
#ifdef __GLIBC__
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(lock, &attr);
    pthread_rwlockattr_destroy(&attr);
}

int
b2_access_new(const blosc2_storage *storage, struct b2_access **access)
{
    *access = NULL;
    struct b2_access *const a = calloc(1, sizeof *a);
    if (!a)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    a->told.cparams = storage->cparams ? *storage->cparams : BLOSC2_CPARAMS_DEFAULTS;
    a->told.dparams = storage->dparams ? *storage->dparams : BLOSC2_DPARAMS_DEFAULTS;
    const int rc = b2_plugins_new(&a->told, &a->plugins);
    if (rc < 0) {
        free(a);
        return rc;
    }
    init_lock(&a->lock);
    pthread_mutex_init(&a->counts, NULL);
    a->users = 1;
    *access = a;
    return BLOSC2_ERROR_SUCCESS;
}

void
b2_access_share(struct b2_access *access)
{
    if (access)
        access->users++;
}

void
b2_access_drop(struct b2_access *access)
{
    if (!access || --access->users > 0)
        return;
    b2_list_free(&access->chunks);
    pthread_rwlock_destroy(&access->lock);
    pthread_mutex_destroy(&access->counts);
    b2_plugins_free(access->plugins);
    free(access);
}

int
b2_access_place(struct b2_access *access, struct b2_place *place, const blosc2_storage *storage,
                const char *path, tess_mode mode)
{
    const int rc = b2_storage_place(place, storage, path, mode);

    if (rc == 0) {
        place->storage.plugins = b2_plugins_lists(access->plugins);
        place->storage.plain = access->plain;
        place->context.threads = b2_environment_nthreads((int16_t)place->context.threads);
    }
    if (rc == 0 && path && mode == TESS_MODE_READ)
        b2_access_note_file(access, path);
    return rc;
}

// Whether the frame may be whole all the same, with a layer that cannot be right.
static bool
may_be_plain(tess_status st)
{
    return st == TESS_ERR_CORRUPT || st == TESS_ERR_UNSUPPORTED || st == TESS_ERR_LIMIT;
}

int
b2_access_open(struct b2_access *access, struct b2_place *place, tess_array **a)
{
    tess_error err = {0};
    tess_status st;

    place->storage.plain = false;
    st = tess_array_open(&place->storage, a, &err);
    if (may_be_plain(st)) {
        place->storage.plain = true;
        if (tess_array_open(&place->storage, a, NULL) == TESS_OK)
            st = TESS_OK; // else the first failure is told
    }
    if (st == TESS_OK)
        access->plain = place->storage.plain;
    return b2_code_io(st, &err, BLOSC2_ERROR_FILE_OPEN);
}

void
b2_access_note_file(struct b2_access *access, const char *path)
{
    struct stat st;
    const bool found = stat(path, &st) == 0;

    access->device = found ? st.st_dev : 0;
    access->inode = found ? st.st_ino : 0;
}

bool
b2_access_file_replaced(const struct b2_access *access, const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && (st.st_ino != access->inode || st.st_dev != access->device);
}
