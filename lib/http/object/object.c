/*
 * object.c - an object on a server, and what is known of it so far.
 */
#include "object/object.h"

#include "address/s3.h"
#include "address/url.h"
#include "base/error.h"
#include "cache/store.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PLACES_MAX = 64 }; // of an object; later redirects are followed each time

// -- common

tess_status
http_common_new(const tess_http_options *options, bool s3, struct http_common **common,
                tess_error *err)
{
    struct http_common *const c = calloc(1, sizeof *c);
    if (!c)
        return http_fail_memory(err);
    atomic_init(&c->refs, 1);
    atomic_init(&c->region, NULL);
    tess_status st = http_options_take(options, s3, &c->options, err);
    if (st == TESS_OK)
        st = http_pool_init(&c->pool, c->options.requests, err);
    if (st != TESS_OK) {
        http_options_finish(&c->options);
        free(c);
        return st;
    }
    http_cache_init(&c->cache, c->options.cache_dir, c->options.cache_size);
    *common = c;
    return TESS_OK;
}

struct http_common *
http_common_share(struct http_common *common)
{
    atomic_fetch_add(&common->refs, 1);
    return common;
}

void
http_common_drop(struct http_common *common)
{
    if (!common || atomic_fetch_sub(&common->refs, 1) > 1)
        return;
    http_pool_finish(&common->pool);
    http_cache_finish(&common->cache);
    http_options_finish(&common->options);
    free(atomic_load(&common->region));
    free(common);
}

const char *
http_common_region(struct http_common *common)
{
    const char *const region = atomic_load(&common->region);
    return region ? region : common->options.s3.region;
}

bool
http_common_correct(struct http_common *common, const char *used, const char *region)
{
    char *expected = NULL;

    if (!s3_region_valid(region) || strcmp(used ? used : S3_REGION_DEFAULT, region) == 0)
        return false;
    char *const copy = strdup(region);
    if (!copy)
        return false;
    if (atomic_compare_exchange_strong(&common->region, &expected, copy))
        return true;
    free(copy);
    return strcmp(expected, region) == 0; // another thread was first
}

// -- places

void
http_place_free(struct http_place *place)
{
    if (place)
        http_url_finish(&place->url);
    free(place);
}

static tess_status
copy_text(const char *text, char **own, tess_error *err)
{
    *own = text ? strdup(text) : NULL;
    return *own || !text ? TESS_OK : http_fail_memory(err);
}

static tess_status
copy_url(const struct http_url *from, struct http_url *to, tess_error *err)
{
    tess_status st = copy_text(from->scheme, &to->scheme, err);
    if (st == TESS_OK)
        st = copy_text(from->host, &to->host, err);
    if (st == TESS_OK)
        st = copy_text(from->path, &to->path, err);
    if (st == TESS_OK)
        st = copy_text(from->query, &to->query, err);
    to->port = from->port;
    return st;
}

static tess_status
s3_url(struct http_object *o, struct http_url *url, tess_error *err)
{
    const struct s3_config *const s3 = &o->common->options.s3;
    const struct s3_place place = {
        .endpoint = s3->endpoint, .region = http_common_region(o->common), .style = s3->style};
    return s3_address_url(&o->target.address, &place, NULL, url, err);
}

tess_status
http_object_place(struct http_object *o, struct http_place **place, tess_error *err)
{
    struct http_place *const p = calloc(1, sizeof *p);
    if (!p)
        return http_fail_memory(err);
    p->trusted = true;
    const tess_status st =
        o->target.s3 ? s3_url(o, &p->url, err) : copy_url(&o->target.url, &p->url, err);
    if (st != TESS_OK) {
        http_place_free(p);
        return st;
    }
    *place = p;
    return TESS_OK;
}

static int
port_of(const struct http_url *url)
{
    return url->port > 0 ? url->port : strcmp(url->scheme, "https") == 0 ? 443 : 80;
}

static bool
same_origin(const struct http_url *a, const struct http_url *b)
{
    return strcmp(a->scheme, b->scheme) == 0 && strcmp(a->host, b->host) == 0 &&
           port_of(a) == port_of(b);
}

tess_status
http_object_redirect(struct http_object *o, const char *location, struct http_place **place,
                     tess_error *err)
{
    struct http_place *first = NULL, *p = NULL;
    tess_status st = TESS_OK;

    if (strncasecmp(location, "http://", 7) != 0 && strncasecmp(location, "https://", 8) != 0)
        return http_fail(err, TESS_ERR_IO, "a redirect to another scheme than http and https");
    if (!(p = calloc(1, sizeof *p)))
        return http_fail_memory(err);
    st = http_url_parse(location, &p->url, NULL);
    if (st == TESS_ERR_NOMEM)
        http_fail_memory(err);
    else if (st != TESS_OK)
        st = http_fail(err, TESS_ERR_IO, "a redirect to something that is no URL");
    // Compared with the first place, not the last: credentials are for that one, and only for it.
    if (st == TESS_OK)
        st = http_object_place(o, &first, err);
    if (st == TESS_OK)
        p->trusted = same_origin(&first->url, &p->url);
    if (st == TESS_OK && !p->trusted && o->target.s3 && o->common->options.s3.keys.id)
        st = http_fail(err, TESS_ERR_IO,
                       "a redirect to another host, for which the request cannot be signed");
    http_place_free(first);
    if (st != TESS_OK) {
        http_place_free(p);
        return st;
    }
    *place = p;
    return TESS_OK;
}

void
http_object_move(struct http_object *o, struct http_place *place)
{
    struct http_place *none = NULL;

    if (atomic_fetch_add(&o->nplaces, 1) >= PLACES_MAX) {
        atomic_fetch_sub(&o->nplaces, 1);
        http_place_free(place);
        return;
    }
    place->next = atomic_load(&o->places);
    while (!atomic_compare_exchange_weak(&o->places, &place->next, place))
        ;
    (void)atomic_compare_exchange_strong(&o->moved, &none, place);
}

void
http_object_unmove(struct http_object *o, struct http_place *place)
{
    (void)atomic_compare_exchange_strong(&o->moved, &place, NULL);
}

// -- identity

bool
http_object_is(struct http_object *o, const struct http_identity *identity, tess_status *st)
{
    struct http_identity *known = atomic_load(&o->identity);

    *st = TESS_OK;
    if (!known) {
        struct http_identity *const own = malloc(sizeof *own);
        if (!own) {
            *st = TESS_ERR_NOMEM;
            return true;
        }
        *own = *identity;
        if (atomic_compare_exchange_strong(&o->identity, &known, own))
            return true;
        free(own); // another answer was first: `known` is its
    }
    return http_identity_same(known, identity);
}

void
http_object_forget_identity(struct http_object *o)
{
    free(atomic_exchange(&o->identity, NULL));
}

void
http_object_forget(struct http_object *o)
{
    http_object_forget_identity(o);
    struct http_place *place = atomic_exchange(&o->places, NULL);
    while (place) {
        struct http_place *const next = place->next;
        http_place_free(place);
        place = next;
    }
    atomic_store(&o->moved, NULL);
    atomic_store(&o->nplaces, 0);
    atomic_store(&o->rangeless, false);
}

void
http_object_finish(struct http_object *o)
{
    http_object_forget(o);
    http_target_finish(&o->target);
    http_common_drop(o->common);
    o->common = NULL;
}
