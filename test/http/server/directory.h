/*
 * directory.h - objects that are files of a directory; slashes in names are those of folders.
 */
#ifndef HTTP_SERVER_DIRECTORY_H
#define HTTP_SERVER_DIRECTORY_H

#include "http/server/objects.h"

// An object without references; NULL: there is no file of that name, or it cannot be read.
struct server_object *server_directory_open(const char *directory, const char *name);

// 200; 400: the name is none for a file; 500: errno says why. Replaces a file in one step.
int server_directory_put(const char *directory, const char *name, const void *bytes, size_t size,
                         uint64_t version);
bool server_directory_delete(const char *directory, const char *name);

// False: the file is shorter, or cannot be read.
bool server_directory_read(int fd, int64_t offset, size_t size, void *dst);

#endif
