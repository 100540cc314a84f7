/*
 * folder.h - a temporary directory of a test, and what is in it.
 */
#ifndef HTTP_FOLDER_H
#define HTTP_FOLDER_H

#include <stddef.h>
#include <stdint.h>

struct folder_entry {
    char name[256];
    int64_t bytes; // on the disk
};

void folder_make(char *path, size_t size); // stores its path
int folder_list(const char *path, struct folder_entry *entries, int most); // how many; no order
void folder_empty(const char *path);
void folder_remove(const char *path);

#endif
