/*
 * objects.h - objects by name, in memory or as files of a directory.
 *
 * An object is immutable: replacing one makes another. Those that are being sent stay until they
 * are released.
 */
#ifndef HTTP_SERVER_OBJECTS_H
#define HTTP_SERVER_OBJECTS_H

#include "http/server/server.h"

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#define SERVER_TAG_SIZE 80

struct server_object {
    int references; // guarded by the lock of the objects
    struct server_object *next; // guarded likewise; in the same bucket
    char *name;
    uint8_t *bytes; // NULL: in the file
    int fd; // -1: in memory
    int64_t size;
    char tag[SERVER_TAG_SIZE]; // what is between the quotes of the ETag
    time_t modified;
};

#define SERVER_BUCKETS 1024

struct server_objects {
    pthread_mutex_t lock; // for all below, and for the order of changes in the directory
    const char *directory; // NULL: in memory
    struct server_object *buckets[SERVER_BUCKETS];
    uint64_t version; // of the object stored last
};

// What a request asks of the object that is there: values of headers, or NULL.
struct server_condition {
    enum server_etag etag; // how the tags of objects are shown
    const char *match, *none_match;
};

void server_objects_init(struct server_objects *o, const char *directory);
void server_objects_finish(struct server_objects *o);

// A reference, to be released; NULL: there is none of that name.
struct server_object *server_objects_find(struct server_objects *o, const char *name);
void server_objects_release(struct server_objects *o, struct server_object *object); // NULL is fine

// Stores a copy, if the object that is there now satisfies the condition, which may be NULL. 200;
// 404: If-Match without an object; 412; 400: the name is none for a file; 500: errno says why. With
// 200 `tag` has that of the new object; NULL is fine.
int server_objects_put(struct server_objects *o, const char *name, const void *bytes, size_t size,
                       const struct server_condition *condition, char *tag);
bool server_objects_delete(struct server_objects *o, const char *name);

// Bytes of an object: where they lie, or a copy of them in `buffer`; NULL: the file has them no
// more.
const void *server_object_bytes(const struct server_object *object, int64_t offset, size_t size,
                                void *buffer);

// The ETag with quotes; "" if it is not shown.
void server_tag_print(enum server_etag etag, const char *tag, char *dst, size_t dst_size);

// Is the tag in a list of a header? `strong` as in If-Match: weak tags are equal to none.
bool server_tag_listed(const char *list, const struct server_object *object, enum server_etag etag,
                       bool strong);

#endif
