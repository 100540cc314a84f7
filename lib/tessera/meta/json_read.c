/*
 * json_read.c - JSON text as msgpack.
 *
 * A recursive descent that writes as it reads. Where a length or a count is known only at the end
 * (strings, lists, maps), the contents are written first and the head is put in front of them then:
 * each byte moves at most once per level, and levels are few. Reading goes on past no mistake: the
 * first one is kept, and everything after it finds the end of the text.
 */
#include "base/error.h"
#include "meta/json.h"
#include "meta/layers.h"
#include "meta/pack.h"
#include "meta/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 400 // characters

struct in {
    const char *text;
    const char *at; // ends at a NUL
    struct growing out;
    msgpack_packer pk;
    tess_status st; // the first failure
    tess_error *err;
};

// Keep the first failure, and find nothing but the end of the text from now on.
static void
stop(struct in *in, tess_status st, const char *why)
{
    if (in->st != TESS_OK)
        return;
    in->st = err_set(in->err, st, -1, "JSON, byte %zu: %s", (size_t)(in->at - in->text), why);
    in->at += strlen(in->at);
}

static void
parse_refuse(struct in *in, const char *why)
{
    stop(in, TESS_ERR_ARG, why);
}

// Add bytes to the value, up to the most that can be stored. -1: no.
static int
parse_write_out(void *self, const char *bytes, size_t size)
{
    struct in *const in = self;
    if (size > LAYER_CONTENT_MAX - in->out.size) {
        stop(in, TESS_ERR_LIMIT, "the value does not fit in a metalayer");
        return -1;
    }
    return growing_append(&in->out, bytes, size) ? 0 : -1;
}

// What msgpack-c returned; if it was not write_out() that stopped, there was no memory.
static void
packed(struct in *in, int failed)
{
    if (failed)
        stop(in, TESS_ERR_NOMEM, "no memory for the value as msgpack");
}

// -- pieces of text

static char
ahead(struct in *in)
{
    in->at += strspn(in->at, " \t\r\n");
    return *in->at;
}

static bool
skip(struct in *in, const char *text)
{
    (void)ahead(in);
    const size_t size = strlen(text);
    if (strncmp(in->at, text, size) != 0)
        return false;
    in->at += size;
    return true;
}

static void
parse_expect(struct in *in, const char *text, const char *why)
{
    if (!skip(in, text))
        parse_refuse(in, why);
}

// -- strings

static int
hex4(struct in *in)
{
    int v = 0;

    for (int i = 0; i < 4; i++) {
        const char c = in->at[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            parse_refuse(in, "\\u needs 4 hexadecimal digits");
            return 0;
        }
        v = v << 4 | digit;
    }
    in->at += 4;
    return v;
}

static void
put_character(struct in *in, int c)
{
    char utf8[4];
    size_t n = 0;

    if (c < 0x80) {
        utf8[n++] = (char)c;
    } else if (c < 0x800) {
        utf8[n++] = (char)(0xc0 | c >> 6);
        utf8[n++] = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        utf8[n++] = (char)(0xe0 | c >> 12);
        utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
        utf8[n++] = (char)(0x80 | (c & 0x3f));
    } else {
        utf8[n++] = (char)(0xf0 | c >> 18);
        utf8[n++] = (char)(0x80 | (c >> 12 & 0x3f));
        utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
        utf8[n++] = (char)(0x80 | (c & 0x3f));
    }
    packed(in, parse_write_out(in, utf8, n));
}

// Behind "\u"
static void
read_unicode_escape(struct in *in)
{
    int c = hex4(in);

    if (c >= 0xd800 && c < 0xdc00 && in->at[0] == '\\' && in->at[1] == 'u') {
        in->at += 2;
        const int low = hex4(in);
        c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)
                                          : 0xd800;
    }
    if (c >= 0xd800 && c < 0xe000)
        parse_refuse(in, "half of a surrogate pair");
    else
        put_character(in, c);
}

// Behind the backslash
static void
read_escape(struct in *in)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char *const at = *in->at ? strchr(names, *in->at) : NULL;

    if (at) {
        in->at++;
        put_character(in, meant[at - names]);
    } else if (*in->at == 'u') {
        in->at++;
        read_unicode_escape(in);
    } else {
        parse_refuse(in, "an unknown escape");
    }
}

// The characters of a string, without a head.
static void
read_characters(struct in *in)
{
    parse_expect(in, "\"", "expected a string");
    while (in->st == TESS_OK && *in->at != '"') {
        if (*in->at == '\\') {
            in->at++;
            read_escape(in);
            continue;
        }
        const size_t run = strcspn(in->at, "\"\\");
        for (size_t i = 0; i < run; i++)
            if ((unsigned char)in->at[i] < 0x20) {
                parse_refuse(in, "a control character in a string");
                return;
            }
        if (run == 0 || in->at[run] == '\0')
            parse_refuse(in, "the string does not end");
        else if (!utf8_valid(in->at, run))
            parse_refuse(in, "the string is not UTF-8");
        else
            packed(in, parse_write_out(in, in->at, run));
        in->at += in->st == TESS_OK ? run : 0;
    }
    parse_expect(in, "\"", "the string does not end");
}

// The head of `size` bytes was written behind the contents, which start at `start`: swap them.
static void
head_to_front(struct in *in, size_t start, size_t contents_end)
{
    char head[8];
    const size_t head_size = in->out.size - contents_end;

    if (in->st != TESS_OK)
        return;
    memcpy(head, in->out.data + contents_end, head_size);
    memmove(in->out.data + start + head_size, in->out.data + start, contents_end - start);
    memcpy(in->out.data + start, head, head_size);
}

static void
read_string(struct in *in)
{
    const size_t start = in->out.size;
    read_characters(in);
    const size_t end = in->out.size;
    packed(in, msgpack_pack_str(&in->pk, end - start));
    head_to_front(in, start, end);
}

// Bytes from base64, without a head.
static void
read_base64(struct in *in)
{
    const size_t start = in->out.size;
    size_t size = 0;

    read_characters(in);
    if (in->st != TESS_OK || in->out.size == start)
        return;
    if (base64_decode((uint8_t *)in->out.data + start, in->out.size - start, &size))
        in->out.size = start + size;
    else
        parse_refuse(in, "the string before is not base64");
}

// -- numbers

// The end of a number in JSON's grammar, NULL if it is none; *is_float: point or exponent.
static const char *
number_end(const char *p, bool *is_float)
{
    static const char digits[] = "0123456789";
    size_t n;

    *is_float = false;
    p += *p == '-';
    n = strspn(p, digits);
    if (n == 0 || (*p == '0' && n > 1))
        return NULL;
    p += n;
    if (*p == '.') {
        *is_float = true;
        p++;
        if ((n = strspn(p, digits)) == 0)
            return NULL;
        p += n;
    }
    if (*p == 'e' || *p == 'E') {
        *is_float = true;
        p++;
        p += *p == '+' || *p == '-';
        if ((n = strspn(p, digits)) == 0)
            return NULL;
        p += n;
    }
    return p;
}

static void
read_integer(struct in *in, const char *text)
{
    errno = 0;
    if (text[0] == '-') {
        const long long v = strtoll(text, NULL, 10);
        packed(in, msgpack_pack_int64(&in->pk, v));
    } else {
        const unsigned long long v = strtoull(text, NULL, 10);
        packed(in, msgpack_pack_uint64(&in->pk, v));
    }
    if (errno == ERANGE)
        parse_refuse(in, "an integer outside -2^63 .. 2^64 - 1");
}

// `text` with a decimal point, as JSON has it.
static void
parse_read_float(struct in *in, const char *text)
{
    char local[NUMBER_MAX + RADIX_SIZE], radix[RADIX_SIZE];
    const size_t whole = strcspn(text, ".");

    radix_get(radix);
    (void)snprintf(local, sizeof local, "%.*s%s%s", (int)whole, text, text[whole] ? radix : "",
                   text[whole] ? text + whole + 1 : "");
    const double v = strtod(local, NULL);
    if (isfinite(v))
        packed(in, msgpack_pack_double(&in->pk, v));
    else
        parse_refuse(in, "a number too large for a double");
}

static void
parse_read_number(struct in *in)
{
    char text[NUMBER_MAX];
    bool is_float;
    const char *const end = number_end(in->at, &is_float);

    if (!end) {
        parse_refuse(in, "expected a value");
        return;
    }
    const size_t size = (size_t)(end - in->at);
    if (size >= sizeof text) {
        parse_refuse(in, "a number of too many digits");
        return;
    }
    memcpy(text, in->at, size);
    text[size] = '\0';
    if (is_float)
        parse_read_float(in, text);
    else
        read_integer(in, text);
    in->at += in->st == TESS_OK ? size : 0;
}

// -- lists, maps, and objects that mean something else

static void read_value(struct in *in, int depth);

static bool
parse_enter(struct in *in, int depth)
{
    if (depth == TESS_VALUE_MAX_DEPTH)
        stop(in, TESS_ERR_LIMIT, "lists and maps are nested too deeply");
    return in->st == TESS_OK;
}

// Behind '[': items up to the ']'; each is what `item` reads. Returns their number.
static size_t
parse_read_items(struct in *in, int depth, void (*item)(struct in *in, int depth))
{
    size_t count = 0;

    if (skip(in, "]"))
        return 0;
    do {
        item(in, depth);
        count++;
    } while (in->st == TESS_OK && skip(in, ","));
    parse_expect(in, "]", "expected ',' or ']'");
    return count;
}

static void
read_list(struct in *in, int depth)
{
    const size_t start = in->out.size;

    if (!parse_enter(in, depth))
        return;
    const size_t count = parse_read_items(in, depth + 1, read_value);
    const size_t end = in->out.size;
    packed(in, msgpack_pack_array(&in->pk, count));
    head_to_front(in, start, end);
}

static void
finish_map(struct in *in, size_t start, size_t count)
{
    const size_t end = in->out.size;
    packed(in, msgpack_pack_map(&in->pk, count));
    head_to_front(in, start, end);
}

static void
read_pair(struct in *in, int depth)
{
    parse_expect(in, "[", "expected [key, value]");
    read_value(in, depth);
    parse_expect(in, ",", "expected [key, value]");
    read_value(in, depth);
    parse_expect(in, "]", "expected [key, value]");
}

static void
read_map(struct in *in, int depth)
{
    const size_t start = in->out.size;

    parse_expect(in, "[", "expected a list of pairs");
    if (parse_enter(in, depth))
        finish_map(in, start, parse_read_items(in, depth + 1, read_pair));
}

static void
parse_read_bytes(struct in *in, int depth)
{
    const size_t start = in->out.size;

    (void)depth;
    read_base64(in);
    const size_t end = in->out.size;
    packed(in, msgpack_pack_bin(&in->pk, end - start));
    head_to_front(in, start, end);
}

static void
read_ext(struct in *in, int depth)
{
    const size_t start = in->out.size;
    bool is_float;

    (void)depth;
    parse_expect(in, "[", "expected [code, base64]");
    (void)ahead(in);
    const char *const end_of_code = number_end(in->at, &is_float);
    const long code = strtol(in->at, NULL, 10);
    if (!end_of_code || is_float || code < INT8_MIN || code > INT8_MAX) {
        parse_refuse(in, "expected a code from -128 to 127");
        return;
    }
    in->at = end_of_code;
    parse_expect(in, ",", "expected [code, base64]");
    read_base64(in);
    parse_expect(in, "]", "expected [code, base64]");
    const size_t end = in->out.size;
    packed(in, msgpack_pack_ext(&in->pk, end - start, (int8_t)code));
    head_to_front(in, start, end);
}

static void
read_nonfinite(struct in *in, int depth)
{
    (void)depth;
    if (skip(in, "\"nan\""))
        packed(in, msgpack_pack_double(&in->pk, (double)NAN));
    else if (skip(in, "\"inf\""))
        packed(in, msgpack_pack_double(&in->pk, (double)INFINITY));
    else if (skip(in, "\"-inf\""))
        packed(in, msgpack_pack_double(&in->pk, -(double)INFINITY));
    else
        parse_refuse(in, "expected \"nan\", \"inf\" or \"-inf\"");
}

static void
read_opaque(struct in *in, int depth)
{
    if (depth > 0)
        parse_refuse(in, "$opaque inside another value");
    else
        read_base64(in);
}

static const struct special {
    const char *key;
    void (*read)(struct in *in, int depth);
} specials[] = {
    {"\"$bytes\"", parse_read_bytes}, {"\"$float\"", read_nonfinite}, {"\"$ext\"", read_ext},
    {"\"$map\"", read_map},           {"\"$opaque\"", read_opaque},
};

// Behind '{', before a key that starts with '$'
static void
read_special_number(struct in *in, int depth)
{
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (skip(in, specials[i].key)) {
            parse_expect(in, ":", "expected ':'");
            specials[i].read(in, depth);
            parse_expect(in, "}", "expected '}': such a key stands alone");
            return;
        }
    parse_refuse(in, "a first key with '$' is one of $bytes, $float, $ext, $map, $opaque");
}

// Behind '{'
static void
read_object(struct in *in, int depth)
{
    const size_t start = in->out.size;
    size_t count = 0;

    if (ahead(in) == '"' && in->at[1] == '$') {
        read_special_number(in, depth);
        return;
    }
    if (!parse_enter(in, depth))
        return;
    if (!skip(in, "}")) {
        do {
            read_string(in);
            parse_expect(in, ":", "expected ':'");
            read_value(in, depth + 1);
            count++;
        } while (in->st == TESS_OK && skip(in, ","));
        parse_expect(in, "}", "expected ',' or '}'");
    }
    finish_map(in, start, count);
}

static void
read_value(struct in *in, int depth)
{
    if (in->st != TESS_OK)
        return;
    if (ahead(in) == '"')
        read_string(in);
    else if (skip(in, "["))
        read_list(in, depth);
    else if (skip(in, "{"))
        read_object(in, depth);
    else if (skip(in, "null"))
        packed(in, msgpack_pack_nil(&in->pk));
    else if (skip(in, "true"))
        packed(in, msgpack_pack_true(&in->pk));
    else if (skip(in, "false"))
        packed(in, msgpack_pack_false(&in->pk));
    else
        parse_read_number(in);
}

tess_status
json_read(const char *text, uint8_t **out, size_t *out_size, tess_error *err)
{
    struct in in = {.text = text, .at = text, .st = TESS_OK, .err = err};

    msgpack_packer_init(&in.pk, &in, parse_write_out);
    read_value(&in, 0);
    if (in.st == TESS_OK && ahead(&in) != '\0')
        parse_refuse(&in, "something stands behind the value");
    if (in.st == TESS_OK) {
        *out_size = in.out.size;
        *out = growing_take(&in.out);
    }
    growing_finish(&in.out);
    return in.st;
}
