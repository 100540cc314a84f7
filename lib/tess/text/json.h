/*
 * json.h - writes JSON.
 */
#ifndef TESS_TEXT_JSON_H
#define TESS_TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Commas are put where they belong.
struct json {
    FILE *out;
    bool first; // nothing stands yet in the innermost object or list
    bool keyed; // a key stands before what comes next
};

void json_init(struct json *j, FILE *out);

// An object on a line of its own: all that is said of a thing.
void json_begin(struct json *j, FILE *out);
void json_end(struct json *j);

// Each value has a key if it is a member of an object, else NULL; or json_key() came before it.
void json_key(struct json *j, const char *key);

void json_open(struct json *j, const char *key, char bracket); // '{' or '['
void json_close(struct json *j, char bracket); // '}' or ']'

// Any bytes: what is not UTF-8 becomes U+FFFD. NULL becomes null.
void json_string(struct json *j, const char *key, const char *text);
void json_hex(struct json *j, const char *key, const void *bytes, size_t size);
void json_text(struct json *j, const char *key, const char *json); // a value that is JSON already
void json_int(struct json *j, const char *key, int64_t value);
void json_known(struct json *j, const char *key, bool known, int64_t value); // or null
void json_real(struct json *j, const char *key, double value); // null if it is not finite
void json_bool(struct json *j, const char *key, bool value);
void json_ints(struct json *j, const char *key, int n, const int64_t *values); // a list

#endif
