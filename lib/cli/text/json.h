/*
 * json.h - writes JSON.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Commas are put where they belong. In an object each value follows its json_key().
struct json {
    FILE *out;
    bool first; // nothing stands yet in the innermost object or list
    bool keyed; // a key stands before what comes next
};

void json_init(struct json *j, FILE *out);

void json_open(struct json *j, char bracket); // '{' or '['
void json_close(struct json *j, char bracket); // '}' or ']'
void json_key(struct json *j, const char *key);

// Any bytes: what is not UTF-8 becomes U+FFFD.
void json_string(struct json *j, const char *text);
void json_hex(struct json *j, const void *bytes, size_t size);
void json_text(struct json *j, const char *json); // a value that is JSON already
void json_int(struct json *j, int64_t value);
void json_real(struct json *j, double value); // null if it is not finite
void json_bool(struct json *j, bool value);
void json_null(struct json *j);
void json_ints(struct json *j, int n, const int64_t *values); // a list

#endif
