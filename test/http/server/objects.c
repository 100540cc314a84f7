/*
 * objects.c - objects by name, in memory.
 *
 * What a directory does otherwise is in directory.c.
 */
#include "http/server/objects.h"

#include "http/server/directory.h"
#include "http/server/printed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
server_objects_init(struct server_objects *o, const char *directory)
{
    *o = (struct server_objects){.directory = directory};
    pthread_mutex_init(&o->lock, NULL);
}

static void
free_object(struct server_object *object)
{
    if (object->fd >= 0)
        (void)close(object->fd);
    free(object->bytes);
    free(object->name);
    free(object);
}

void
server_objects_finish(struct server_objects *o)
{
    for (int i = 0; i < SERVER_BUCKETS; i++)
        for (struct server_object *next, *p = o->buckets[i]; p; p = next) {
            next = p->next;
            free_object(p);
        }
    pthread_mutex_destroy(&o->lock);
}

static uint64_t
hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 0x100000001b3;
    return hash;
}

// Where the pointer to the object of that name is, or would be.
static struct server_object **
place_of(struct server_objects *o, const char *name)
{
    struct server_object **p = &o->buckets[hash_name(name) % SERVER_BUCKETS];
    while (*p && strcmp((*p)->name, name) != 0)
        p = &(*p)->next;
    return p;
}

static void
release_locked(struct server_object *object)
{
    if (object && --object->references == 0)
        free_object(object);
}

static struct server_object *
find_locked(struct server_objects *o, const char *name)
{
    struct server_object *const found =
        o->directory ? server_directory_open(o->directory, name) : *place_of(o, name);
    if (found)
        found->references++; // a file that was opened now had none
    return found;
}

struct server_object *
server_objects_find(struct server_objects *o, const char *name)
{
    pthread_mutex_lock(&o->lock);
    struct server_object *const found = find_locked(o, name);
    pthread_mutex_unlock(&o->lock);
    return found;
}

void
server_objects_release(struct server_objects *o, struct server_object *object)
{
    pthread_mutex_lock(&o->lock);
    release_locked(object);
    pthread_mutex_unlock(&o->lock);
}

static int
check_condition(const struct server_object *there, const struct server_condition *c)
{
    if (c->match && !there)
        return 404;
    if (c->match && !server_tag_listed(c->match, there, c->etag, true))
        return 412;
    if (c->none_match && there && server_tag_listed(c->none_match, there, c->etag, false))
        return 412;
    return 200;
}

static void
put_memory(struct server_objects *o, const char *name, const void *bytes, size_t size)
{
    struct server_object **const place = place_of(o, name);
    struct server_object *const object = server_memory(sizeof *object);

    *object = (struct server_object){
        .references = 1, // that of the table
        .name = server_copy(name),
        .bytes = server_memory(size),
        .fd = -1,
        .size = (int64_t)size,
        .modified = time(NULL),
    };
    if (size > 0)
        memcpy(object->bytes, bytes, size);
    (void)snprintf(object->tag, sizeof object->tag, "%zx-%" PRIx64, size, o->version);
    if (*place) {
        object->next = (*place)->next;
        release_locked(*place);
    }
    *place = object;
}

int
server_objects_put(struct server_objects *o, const char *name, const void *bytes, size_t size,
                   const struct server_condition *condition, char *tag)
{
    int status = 200;

    pthread_mutex_lock(&o->lock);
    if (condition) {
        struct server_object *const there = find_locked(o, name);
        status = check_condition(there, condition);
        release_locked(there);
    }
    if (status == 200) {
        o->version++;
        if (o->directory)
            status = server_directory_put(o->directory, name, bytes, size, o->version);
        else
            put_memory(o, name, bytes, size);
    }
    if (status == 200 && tag) {
        struct server_object *const there = find_locked(o, name);
        (void)snprintf(tag, SERVER_TAG_SIZE, "%s", there ? there->tag : "");
        release_locked(there);
    }
    pthread_mutex_unlock(&o->lock);
    return status;
}

bool
server_objects_delete(struct server_objects *o, const char *name)
{
    bool deleted;

    pthread_mutex_lock(&o->lock);
    if (o->directory) {
        deleted = server_directory_delete(o->directory, name);
    } else {
        struct server_object **const place = place_of(o, name);
        struct server_object *const object = *place;
        deleted = object != NULL;
        if (object) {
            *place = object->next;
            release_locked(object);
        }
    }
    pthread_mutex_unlock(&o->lock);
    return deleted;
}

const void *
server_object_bytes(const struct server_object *object, int64_t offset, size_t size, void *buffer)
{
    if (object->bytes)
        return object->bytes + offset;
    return server_directory_read(object->fd, offset, size, buffer) ? buffer : NULL;
}

void
server_tag_print(enum server_etag etag, const char *tag, char *dst, size_t dst_size)
{
    if (etag == SERVER_ETAG_NONE)
        dst[0] = '\0';
    else
        (void)snprintf(dst, dst_size, "%s\"%s\"", etag == SERVER_ETAG_WEAK ? "W/" : "", tag);
}

bool
server_tag_listed(const char *list, const struct server_object *object, enum server_etag etag,
                  bool strong)
{
    const size_t size = strlen(object->tag);

    if (strcmp(list, "*") == 0)
        return true;
    if (etag == SERVER_ETAG_NONE || (strong && etag == SERVER_ETAG_WEAK))
        return false;
    for (const char *p = list; *p;) {
        p += strspn(p, " \t,");
        const bool weak = strncmp(p, "W/", 2) == 0;
        p += weak ? 2 : 0;
        const bool quoted = *p == '"'; // S3 takes tags without quotes, too
        p += quoted;
        const size_t n = strcspn(p, quoted ? "\"" : " \t,");
        if (n == size && memcmp(p, object->tag, n) == 0 && !(strong && weak))
            return true;
        p += n + (quoted && p[n] == '"');
    }
    return false;
}
