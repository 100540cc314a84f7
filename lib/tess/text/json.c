/*
 * json.c - writes JSON that any parser takes, whatever the strings hold.
 */
#include "text/json.h"

#include "meta/text.h"
#include "text/items/real.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void
json_init(struct json *j, FILE *out)
{
    *j = (struct json){.out = out, .first = true};
}

// Before a value, or before a key without one.
static void
begin(struct json *j, const char *key)
{
    if (!j->first && !j->keyed)
        fputs(", ", j->out);
    j->first = false;
    j->keyed = false;
    if (key) {
        j->first = true;
        json_string(j, NULL, key);
        fputs(": ", j->out);
    }
}

void
json_key(struct json *j, const char *key)
{
    begin(j, key);
    j->keyed = true;
}

void
json_open(struct json *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->out);
    j->first = true;
}

void
json_close(struct json *j, char bracket)
{
    fputc(bracket, j->out);
    j->first = false;
}

void
json_begin(struct json *j, FILE *out)
{
    json_init(j, out);
    json_open(j, NULL, '{');
}

void
json_end(struct json *j)
{
    json_close(j, '}');
    fputc('\n', j->out);
}

void
json_string(struct json *j, const char *key, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    if (!text) {
        json_text(j, key, "null");
        return;
    }
    begin(j, key);
    fputc('"', j->out);
    while (*p) {
        const size_t n = utf8_length(p, strlen((const char *)p));

        if (n == 0)
            fputs("\\ufffd", j->out);
        else if (*p == '"' || *p == '\\')
            fprintf(j->out, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f)
            fprintf(j->out, "\\u%04x", *p);
        else
            (void)fwrite(p, 1, n, j->out);
        p += n ? n : 1;
    }
    fputc('"', j->out);
}

void
json_hex(struct json *j, const char *key, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;

    begin(j, key);
    fputc('"', j->out);
    for (size_t i = 0; i < size; i++)
        fprintf(j->out, "%02x", p[i]);
    fputc('"', j->out);
}

void
json_text(struct json *j, const char *key, const char *json)
{
    begin(j, key);
    fputs(json, j->out);
}

void
json_int(struct json *j, const char *key, int64_t value)
{
    begin(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void
json_known(struct json *j, const char *key, bool known, int64_t value)
{
    if (known)
        json_int(j, key, value);
    else
        json_text(j, key, "null");
}

void
json_real(struct json *j, const char *key, double value)
{
    char text[REAL_TEXT_SIZE];

    real_format(value, sizeof value, text);
    json_text(j, key, isfinite(value) ? text : "null");
}

void
json_bool(struct json *j, const char *key, bool value)
{
    json_text(j, key, value ? "true" : "false");
}

void
json_ints(struct json *j, const char *key, int n, const int64_t *values)
{
    json_open(j, key, '[');
    for (int i = 0; i < n; i++)
        json_int(j, NULL, values[i]);
    json_close(j, ']');
}
