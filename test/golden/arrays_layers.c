/*
 * arrays_layers.c - arrays with metalayers of both kinds, and with attributes.
 */
#include "golden/arrays.h"
#include "golden/record.h"

#include <tessera.h>

#include <stdio.h>

static void
metalayers(tess_layout layout)
{
    static uint8_t bytes[70000];
    const tess_metalayer metas[] = {
        {"one", "\x93\x01\x02\x03", 4},
        {"empty", NULL, 0},
        {"large", bytes, 3000},
        {"1234567890123456789012345678901", "x", 1},
    };
    const size_t sizes[] = {0, 1, 31, 32, 33, 200, 65536, 70000};
    char name[200];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 9);
    for (int layer = 0; layer < 2; layer++)
        for (size_t n = 0; n <= COUNT(metas); n++) {
            tess_params p =
                arrays_params(&arrays_codecs[4], &arrays_filters[1], arrays_edges, 2, layout);
            struct reference r;
            tess_array *a = NULL;
            char vl[32];

            p.layer = layer ? TESS_LAYER_CATERVA : TESS_LAYER_B2ND;
            p.metalayers = metas;
            p.nmetalayers = (int)n;
            (void)snprintf(name, sizeof name, "%slayers%zu_%s", arrays_prefix(layout), n,
                           layer ? "caterva" : "b2nd");
            reference_init(&r, 2, p.shape, 2);
            arrays_fill(&r, (uint32_t)n);
            arrays_from(name, &p, &r, &a);
            for (size_t i = 0; i < 2 * n; i++) {
                (void)snprintf(vl, sizeof vl, "vl %zu", i);
                MUST(
                    tess_vlmeta_set(a, vl, bytes + i, sizes[i] - (sizes[i] == 70000 ? i : 0), err));
            }
            record_array(name, a, &r);
            reference_finish(&r);
        }
}

// An array of integers, for attributes.
static void
begin(const char *name, tess_layout layout, struct reference *r, tess_array **a)
{
    tess_params p = arrays_params(&arrays_codecs[1], &arrays_filters[1], arrays_edges, 0, layout);

    p.dtype = "<i4";
    reference_init(r, p.ndim, p.shape, 4);
    arrays_fill(r, 7);
    arrays_from(name, &p, r, a);
}

static void
end(const char *name, tess_array *a, struct reference *r)
{
    record_array(name, a, r);
    reference_finish(r);
}

// One of each kind, and what msgpack writes in more than one way.
static const char *const values[] = {
    "null",
    "true",
    "false",
    "0",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "-1",
    "-32",
    "-33",
    "-128",
    "-129",
    "-32768",
    "-32769",
    "-2147483648",
    "-2147483649",
    "-9223372036854775808",
    "0.0",
    "-0.0",
    "0.1",
    "-1.5e300",
    "5e-324",
    "{\"$float\": \"nan\"}",
    "{\"$float\": \"-inf\"}",
    "\"\"",
    "\"metres\"",
    "\"\\u00e9\\ud83d\\ude00\\n\\u0000\"",
    "{\"$bytes\": \"\"}",
    "{\"$bytes\": \"AAECAwQF\"}",
    "{\"$ext\": [-1, \"ZR8a8A==\"]}",
    "{\"$ext\": [5, \"AQID\"]}",
    "[]",
    "[1, [2, [3, []]], \"x\", null]",
    "{}",
    "{\"a\": {\"b\": [true, 1.5]}, \"c\": \"d\"}",
    "{\"$map\": [[1, \"a\"], [2, \"b\"]]}",
    "{\"$opaque\": \"wQ==\"}",
};

// Sixteen attributes each.
static void
attributes(tess_layout layout)
{
    char name[200], attribute[32];
    struct reference r;
    tess_array *a = NULL;

    for (size_t i = 0; i < COUNT(values); i++) {
        if (i % 16 == 0) {
            (void)snprintf(name, sizeof name, "%sattributes_%zu", arrays_prefix(layout), i);
            begin(name, layout, &r, &a);
        }
        (void)snprintf(attribute, sizeof attribute, "value %zu", i);
        MUST(tess_attr_set_json(a, attribute, values[i], err));
        if (i % 16 == 15 || i == COUNT(values) - 1)
            end(name, a, &r);
    }
}

// Of many sizes: each the longest of its msgpack form, or the shortest of the next one.
static void
long_attributes(tess_layout layout)
{
    static const size_t sizes[] = {15, 16, 31, 32, 255, 256, 65535, 65536, 70000};
    static const tess_value_type types[] = {TESS_VALUE_STRING, TESS_VALUE_BYTES, TESS_VALUE_LIST,
                                            TESS_VALUE_MAP, TESS_VALUE_EXT};
    static tess_pair pairs[70000];
    static tess_value items[70000];
    static char text[70000];
    char name[200], attribute[32];
    struct reference r;
    tess_array *a = NULL;

    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (char)('a' + i * i / 100 % 26);
        items[i] = (tess_value){.type = TESS_VALUE_INT, .as = {.i64 = (int64_t)(i % 1000)}};
        pairs[i] = (tess_pair){{.type = TESS_VALUE_INT, .as = {.i64 = (int64_t)i}}, items[i]};
    }
    for (size_t t = 0; t < COUNT(types); t++) {
        (void)snprintf(name, sizeof name, "%sattributes_long_%s", arrays_prefix(layout),
                       tess_value_type_name(types[t]));
        begin(name, layout, &r, &a);
        for (size_t i = 0; i < COUNT(sizes); i++) {
            tess_value v = {.type = types[t], .ext = 100};

            if (types[t] == TESS_VALUE_STRING) {
                v.as.string.data = text;
                v.as.string.size = sizes[i];
            } else if (types[t] == TESS_VALUE_LIST) {
                v.as.list.items = items;
                v.as.list.count = sizes[i];
            } else if (types[t] == TESS_VALUE_MAP) {
                v.as.map.pairs = pairs;
                v.as.map.count = sizes[i];
            } else {
                v.as.bytes.data = text;
                v.as.bytes.size = sizes[i];
            }
            (void)snprintf(attribute, sizeof attribute, "size %zu", sizes[i]);
            MUST(tess_attr_set(a, attribute, &v, err));
        }
        end(name, a, &r);
    }
}

// Set, changed, removed, with commits in between.
static void
changed_attributes(tess_layout layout)
{
    char name[200], attribute[32];
    struct reference r;
    tess_array *a = NULL;

    (void)snprintf(name, sizeof name, "%sattributes_changed", arrays_prefix(layout));
    begin(name, layout, &r, &a);
    for (int i = 0; i < 40; i++) {
        (void)snprintf(attribute, sizeof attribute, "number %d", i % 7);
        if (i % 5 == 4)
            MUST(tess_attr_delete(a, tess_vlmeta_name(a, i % 2), err));
        else
            MUST(tess_attr_set_int(a, attribute, i, err));
        if (i % 3 == 0)
            arrays_reopen(name, &a);
    }
    end(name, a, &r);
}

void
arrays_with_layers(tess_layout layout)
{
    metalayers(layout);
    attributes(layout);
    long_attributes(layout);
    changed_attributes(layout);
}
