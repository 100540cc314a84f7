/*
 * state.c - what an array of these tests holds.
 */
#include "fault/state.h"

#include "support/random.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[STATE_VALUES] = {"bytes", "integer", "more bytes", "text"};

static bool
is_integer(int n)
{
    return n % 2 == 1;
}

void
state_copy(struct state *s, const struct state *from)
{
    *s = *from;
    reference_copy(&s->items, &from->items);
}

void
state_finish(struct state *s)
{
    reference_finish(&s->items);
}

bool
state_equal(const struct state *a, const struct state *b)
{
    return a->items.shape[0] == b->items.shape[0] && a->items.shape[1] == b->items.shape[1] &&
           memcmp(a->items.data, b->items.data, reference_size(&a->items)) == 0 &&
           a->note == b->note && memcmp(a->values, b->values, sizeof a->values) == 0;
}

static size_t
bytes_of(int number, uint8_t *dst)
{
    struct random r;
    random_init(&r, (uint64_t)number);
    random_bytes(&r, dst, STATE_VALUE_MAX);
    memcpy(dst, &number, sizeof number);
    return sizeof number + (size_t)number * 37 % (STATE_VALUE_MAX - sizeof number);
}

void
state_note(int number, void *dst)
{
    uint8_t bytes[STATE_VALUE_MAX];
    (void)bytes_of(number, bytes);
    memcpy(dst, bytes, STATE_NOTE_SIZE);
}

// The number that a content follows from, or -1.
static int
number_of(const void *content, size_t size, bool note)
{
    uint8_t bytes[STATE_VALUE_MAX];
    int number;
    if (size < sizeof number)
        return -1;
    memcpy(&number, content, sizeof number);
    const size_t all = number >= 0 ? bytes_of(number, bytes) : 0;
    return size == (note ? STATE_NOTE_SIZE : all) && memcmp(content, bytes, size) == 0 ? number
                                                                                       : -1;
}

tess_status
state_set_value(tess_array *a, int n, int number, tess_error *err)
{
    uint8_t bytes[STATE_VALUE_MAX];
    if (number == 0)
        return tess_vlmeta_delete(a, names[n], err);
    if (is_integer(n))
        return tess_attr_set_int(a, names[n], number, err);
    const size_t size = bytes_of(number, bytes);
    return tess_vlmeta_set(a, names[n], bytes, size, err);
}

static bool
has_value(const tess_array *a, const char *name)
{
    const char *other;
    for (int i = 0; (other = tess_vlmeta_name(a, i)); i++)
        if (strcmp(other, name) == 0)
            return true;
    return false;
}

static tess_status
read_value(const tess_array *a, int n, int *number, tess_error *err)
{
    int64_t integer = 0;
    void *content = NULL;
    size_t size = 0;
    *number = 0;
    if (!has_value(a, names[n]))
        return TESS_OK;
    if (is_integer(n)) {
        const tess_status st = tess_attr_get_int(a, names[n], &integer, err);
        *number = (int)integer;
        return st;
    }
    const tess_status st = tess_vlmeta_get(a, names[n], &content, &size, err);
    if (st == TESS_OK)
        *number = number_of(content, size, false);
    tess_free(content);
    return st;
}

static tess_status
read_note(const tess_array *a, int *number, tess_error *err)
{
    tess_metalayer layer;
    const tess_status st = tess_meta_get(a, "note", &layer, err);
    *number = st == TESS_OK ? number_of(layer.content, layer.size, true) : -1;
    return st == TESS_ERR_NOT_FOUND ? TESS_OK : st; // there is none
}

tess_status
state_read(const tess_array *a, struct state *s, tess_error *err)
{
    static const int64_t origin[2] = {0, 0};
    tess_info info;
    tess_array_info(a, &info);
    *s = (struct state){0};
    reference_init(&s->items, info.ndim, info.shape, (size_t)info.typesize);
    tess_status st =
        tess_array_read(a, origin, info.shape, s->items.data, reference_size(&s->items), err);
    if (st == TESS_OK)
        st = read_note(a, &s->note, err);
    for (int i = 0; i < STATE_VALUES && st == TESS_OK; i++)
        st = read_value(a, i, &s->values[i], err);
    if (st != TESS_OK)
        state_finish(s);
    return st;
}
