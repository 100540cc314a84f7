/*
 * xml.c - the part of XML that answers of S3 are made of.
 */
#include "s3/xml.h"
#include "base/ascii.h"
#include "base/number.h"

#include <stdint.h>
#include <string.h>

void
s3_xml_init(struct s3_xml_reader *r, const char *bytes, size_t size)
{
    *r = (struct s3_xml_reader){.at = bytes, .end = bytes + size};
}

bool
s3_xml_is(struct s3_xml_name name, const char *word)
{
    return name.size == strlen(word) && memcmp(name.at, word, name.size) == 0;
}

static size_t
left(const struct s3_xml_reader *r)
{
    return (size_t)(r->end - r->at);
}

static bool
starts(const struct s3_xml_reader *r, const char *word)
{
    const size_t size = strlen(word);

    return left(r) >= size && memcmp(r->at, word, size) == 0;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Go behind the next `word`; false: there is none.
static bool
skip_past(struct s3_xml_reader *r, const char *word)
{
    const char *const found = memmem(r->at, left(r), word, strlen(word));

    if (!found)
        return false;
    r->at = found + strlen(word);
    return true;
}

static bool
add_text(struct s3_xml_reader *r, const char *bytes, size_t size)
{
    if (r->depth == 0) { // only blanks may stand outside
        for (size_t i = 0; i < size; i++)
            if (!is_blank(bytes[i]))
                return false;
        return true;
    }
    if (size > S3_XML_TEXT_MAX - 1 - r->text_size)
        return false;
    memcpy(r->text + r->text_size, bytes, size);
    r->text_size += size;
    r->text[r->text_size] = '\0';
    return true;
}

static bool
add_character(struct s3_xml_reader *r, uint32_t c)
{
    char utf8[4];
    size_t n = 0;

    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return false;
    if (c < 0x80) {
        utf8[n++] = (char)c;
    } else if (c < 0x800) {
        utf8[n++] = (char)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        utf8[n++] = (char)(0xe0 | c >> 12);
        utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    } else {
        utf8[n++] = (char)(0xf0 | c >> 18);
        utf8[n++] = (char)(0x80 | (c >> 12 & 0x3f));
        utf8[n++] = (char)(0x80 | (c >> 6 & 0x3f));
    }
    if (c >= 0x80)
        utf8[n++] = (char)(0x80 | (c & 0x3f));
    return r->depth > 0 && add_text(r, utf8, n);
}

// "38" or "x26", of which `size` bytes are there.
static bool
add_number(struct s3_xml_reader *r, const char *text, size_t size)
{
    const int base = size > 0 && text[0] == 'x' ? 16 : 10;
    uint32_t value = 0;
    size_t i = base == 16 ? 1 : 0;

    if (i == size)
        return false;
    for (; i < size; i++) {
        const int digit = http_hex(text[i]);
        if (digit < 0 || digit >= base || value > 0x10ffff)
            return false;
        value = value * (uint32_t)base + (uint32_t)digit;
    }
    return add_character(r, value);
}

// &name; or &#number;
static bool
take_entity(struct s3_xml_reader *r)
{
    static const struct {
        const char *name;
        char c;
    } entities[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    enum { ENTITY_MAX = 12 };
    const size_t room = http_min_size(left(r), ENTITY_MAX);
    const char *const end = memchr(r->at, ';', room);

    if (!end)
        return false;
    const struct s3_xml_name name = {r->at + 1, (size_t)(end - r->at) - 1};
    r->at = end + 1;
    if (name.size > 0 && name.at[0] == '#')
        return add_number(r, name.at + 1, name.size - 1);
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (s3_xml_is(name, entities[i].name))
            return add_character(r, (uint32_t)entities[i].c);
    return false;
}

// Letters, digits, - _ . : and bytes above ASCII; size 0: there is none.
static struct s3_xml_name
take_name(struct s3_xml_reader *r)
{
    const char *const start = r->at;

    for (; r->at < r->end; r->at++) {
        const char c = *r->at;
        const bool first = http_is_letter(c) || c == '_' || c == ':' || (c & 0x80) != 0;
        if (!first && (r->at == start || !(http_is_digit(c) || c == '-' || c == '.')))
            break;
    }
    return (struct s3_xml_name){start, (size_t)(r->at - start)};
}

static void
skip_blanks(struct s3_xml_reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
}

// name = "value", each behind a blank, up to > or />.
static bool
skip_attributes(struct s3_xml_reader *r)
{
    for (;;) {
        const char *const before = r->at;
        skip_blanks(r);
        if (starts(r, ">") || starts(r, "/>"))
            return true;
        if (r->at == before || take_name(r).size == 0)
            return false;
        skip_blanks(r);
        if (!starts(r, "="))
            return false;
        r->at++;
        skip_blanks(r);
        const char *const quote = starts(r, "\"") ? "\"" : starts(r, "'") ? "'" : NULL;
        if (!quote)
            return false;
        r->at++;
        if (!skip_past(r, quote))
            return false;
    }
}

static struct s3_xml_name
without_prefix(struct s3_xml_name name)
{
    const char *const colon = memchr(name.at, ':', name.size);

    if (!colon)
        return name;
    return (struct s3_xml_name){colon + 1, name.size - (size_t)(colon + 1 - name.at)};
}

static void
clear_text(struct s3_xml_reader *r)
{
    r->text_size = 0;
    r->text[0] = '\0';
}

static enum s3_xml_event
close_element(struct s3_xml_reader *r)
{
    r->closed = true;
    r->depth--;
    r->name = without_prefix(r->path[r->depth]);
    return S3_XML_CLOSE;
}

// Behind "</".
static enum s3_xml_event
take_end_tag(struct s3_xml_reader *r)
{
    const struct s3_xml_name name = take_name(r);

    skip_blanks(r);
    if (!starts(r, ">") || r->depth == 0 || r->path[r->depth - 1].size != name.size ||
        memcmp(r->path[r->depth - 1].at, name.at, name.size) != 0)
        return S3_XML_BAD;
    r->at++;
    return close_element(r);
}

// Behind "<".
static enum s3_xml_event
take_start_tag(struct s3_xml_reader *r)
{
    const struct s3_xml_name name = take_name(r);

    if (name.size == 0 || r->depth == S3_XML_DEPTH_MAX || (r->depth == 0 && r->seen) ||
        !skip_attributes(r))
        return S3_XML_BAD;
    r->empty = starts(r, "/>");
    r->at += r->empty ? 2 : 1;
    r->seen = true;
    r->path[r->depth++] = name;
    r->name = without_prefix(name);
    clear_text(r);
    return S3_XML_OPEN;
}

// What is neither a tag nor ends the document. *tag is true at a tag. False: bad.
static bool
take_content(struct s3_xml_reader *r, bool *tag)
{
    static const char cdata[] = "<![CDATA[";

    *tag = false;
    if (starts(r, "<!--")) {
        r->at += 4;
        return skip_past(r, "-->");
    }
    if (starts(r, "<?"))
        return skip_past(r, "?>");
    if (starts(r, cdata)) {
        const char *const start = r->at + strlen(cdata);
        r->at = start;
        return r->depth > 0 && skip_past(r, "]]>") &&
               add_text(r, start, (size_t)(r->at - start) - 3);
    }
    if (*r->at == '&')
        return take_entity(r);
    if (*r->at == '<') {
        *tag = true;
        return !starts(r, "<!");
    }
    const char *const start = r->at;
    while (r->at < r->end && *r->at != '<' && *r->at != '&')
        r->at++;
    return !memchr(start, '\0', (size_t)(r->at - start)) &&
           add_text(r, start, (size_t)(r->at - start));
}

enum s3_xml_event
s3_xml_next(struct s3_xml_reader *r)
{
    bool tag = false;

    if (r->empty) {
        r->empty = false;
        return close_element(r);
    }
    if (r->closed)
        clear_text(r);
    r->closed = false;
    while (r->at < r->end && !tag)
        if (!take_content(r, &tag))
            return S3_XML_BAD;
    if (!tag)
        return r->depth == 0 && r->seen ? S3_XML_END : S3_XML_BAD;
    r->at++;
    if (!starts(r, "/"))
        return take_start_tag(r);
    r->at++;
    return take_end_tag(r);
}
