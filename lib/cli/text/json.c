/*
 * json.c - writes JSON that any parser takes, whatever the strings hold.
 */
#include "cli/text/json.h"

#include "cli/text/real.h"
#include "cli/text/text.h"

#include <inttypes.h>
#include <math.h>

void
json_init(struct json *j, FILE *out)
{
    *j = (struct json){.out = out, .first = true};
}

// Before a key, or before a value that has none.
static void
separate(struct json *j)
{
    if (!j->first && !j->keyed)
        fputs(", ", j->out);
    j->first = false;
    j->keyed = false;
}

void
json_open(struct json *j, char bracket)
{
    separate(j);
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
json_key(struct json *j, const char *key)
{
    json_string(j, key);
    fputs(": ", j->out);
    j->keyed = true;
}

void
json_string(struct json *j, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    separate(j);
    fputc('"', j->out);
    while (*p) {
        const int n = text_utf8_length((const char *)p);

        if (n == 0)
            fputs("\\ufffd", j->out);
        else if (*p == '"' || *p == '\\')
            fprintf(j->out, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f)
            fprintf(j->out, "\\u%04x", *p);
        else
            (void)fwrite(p, 1, (size_t)n, j->out);
        p += n ? n : 1;
    }
    fputc('"', j->out);
}

void
json_hex(struct json *j, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;

    separate(j);
    fputc('"', j->out);
    for (size_t i = 0; i < size; i++)
        fprintf(j->out, "%02x", p[i]);
    fputc('"', j->out);
}

void
json_text(struct json *j, const char *json)
{
    separate(j);
    fputs(json, j->out);
}

void
json_int(struct json *j, int64_t value)
{
    separate(j);
    fprintf(j->out, "%" PRId64, value);
}

void
json_real(struct json *j, double value)
{
    char text[REAL_TEXT_SIZE];

    separate(j);
    real_format(value, sizeof value, text);
    fputs(isfinite(value) ? text : "null", j->out);
}

void
json_bool(struct json *j, bool value)
{
    separate(j);
    fputs(value ? "true" : "false", j->out);
}

void
json_null(struct json *j)
{
    separate(j);
    fputs("null", j->out);
}

void
json_ints(struct json *j, int n, const int64_t *values)
{
    json_open(j, '[');
    for (int i = 0; i < n; i++)
        json_int(j, values[i]);
    json_close(j, ']');
}
