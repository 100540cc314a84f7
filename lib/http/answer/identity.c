/*
 * identity.c - which object answers are of.
 */
#include "answer/identity.h"

#include <string.h>

struct http_identity
http_identity_of(const struct http_head *head, int64_t size)
{
    struct http_identity id = {.weak = head->weak, .size = size, .modified = head->modified};
    memcpy(id.etag, head->etag, sizeof id.etag);
    return id;
}

bool
http_identity_strong(const struct http_identity *identity)
{
    return identity->etag[0] != '\0' && !identity->weak;
}

bool
http_identity_same(const struct http_identity *a, const struct http_identity *b)
{
    if (a->size >= 0 && b->size >= 0 && a->size != b->size)
        return false;
    if (a->weak != b->weak || strcmp(a->etag, b->etag) != 0)
        return false;
    return http_identity_strong(a) || a->modified < 0 || b->modified < 0 ||
           a->modified == b->modified;
}
