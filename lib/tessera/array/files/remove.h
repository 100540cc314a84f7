/*
 * remove.h - the file or directory of an array goes, with what belongs to it.
 *
 * One thread; the lock of a writer is held meanwhile.
 */
#ifndef ARRAY_FILES_REMOVE_H
#define ARRAY_FILES_REMOVE_H

#include "base/error.h"

#include <tessera/storage.h>

// What is at storage->path, a path of the file system.
tess_status array_remove(const tess_storage *storage, tess_error *err);

#endif
