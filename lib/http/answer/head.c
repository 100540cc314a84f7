/*
 * head.c - the status line and the header lines of an answer, as far as they matter here.
 */
#include "answer/head.h"

#include "base/number.h"

#include <string.h>
#include <strings.h>

#define WAIT_MAX ((int64_t)86400 * 366) // seconds; more is no time to wait

struct span { // bytes of a line
    const char *at;
    size_t size;
};

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct span
trimmed(const char *at, size_t size)
{
    while (size > 0 && is_blank(*at))
        at++, size--;
    while (size > 0 && is_blank(at[size - 1]))
        size--;
    return (struct span){at, size};
}

static bool
span_is(struct span s, const char *word)
{
    return s.size == strlen(word) && strncasecmp(s.at, word, s.size) == 0;
}

static bool
begins(struct span s, const char *word)
{
    return s.size >= strlen(word) && strncasecmp(s.at, word, strlen(word)) == 0;
}

bool
http_number(const char *text, size_t size, int64_t *value)
{
    int64_t v = 0;
    if (size == 0)
        return false;
    for (size_t i = 0; i < size; i++) {
        const int digit = text[i] - '0';
        if (digit < 0 || digit > 9 || v > (INT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

// -- dates

// Days from 1970-01-01 to a date of the Gregorian calendar (Hinnant 2013).
static int64_t
days_since_1970(int64_t year, int month, int day)
{
    year -= month <= 2;
    const int64_t era = year / 400, of_era = year % 400; // years here are positive
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int
month_of(struct span word)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    for (int i = 0; i < 12 && word.size == 3; i++)
        if (strncasecmp(word.at, names + 3 * i, 3) == 0)
            return i + 1;
    return 0;
}

// hh:mm:ss as seconds; -1: it is none. A leap second counts as the last one before.
static int64_t
clock_of(struct span word)
{
    int64_t h, m, s;
    if (word.size != 8 || word.at[2] != ':' || word.at[5] != ':' || !http_number(word.at, 2, &h) ||
        !http_number(word.at + 3, 2, &m) || !http_number(word.at + 6, 2, &s) || h > 23 || m > 59 ||
        s > 60)
        return -1;
    return h * 3600 + m * 60 + (s < 60 ? s : 59);
}

/*
 * Sun, 06 Nov 1994 08:49:37 GMT
 * Sunday, 06-Nov-94 08:49:37 GMT
 * Sun Nov  6 08:49:37 1994
 *
 * In each of them the day stands before the year, so words tell what they are.
 */
int64_t
http_date(const char *text, size_t size)
{
    int64_t day = -1, year = -1, clock = -1, number;
    int month = 0;

    for (size_t i = 0; i < size;) {
        const size_t begin = i;
        while (i < size && !strchr(" ,-\t", text[i]))
            i++;
        const struct span word = {text + begin, i - begin};
        if (word.size > 0 && is_digit(*word.at)) {
            if (word.size == 8 && clock < 0) {
                if ((clock = clock_of(word)) < 0)
                    return -1;
            } else if (word.size > 4 || !http_number(word.at, word.size, &number)) {
                return -1;
            } else if (day < 0) {
                day = number;
            } else if (year < 0) {
                year = word.size == 2 ? number + (number < 70 ? 2000 : 1900) : number;
            } else {
                return -1;
            }
        } else if (month == 0) {
            month = month_of(word);
        }
        i += i < size;
    }
    if (day < 1 || day > 31 || month == 0 || year < 1970 || clock < 0)
        return -1;
    return days_since_1970(year, month, (int)day) * 86400 + clock;
}

// -- single headers

static const char *
take_length(struct http_head *head, struct span value)
{
    int64_t length;
    if (!http_number(value.at, value.size, &length) ||
        (head->length >= 0 && head->length != length))
        return "a Content-Length that cannot be";
    head->length = length;
    return NULL;
}

// bytes FIRST-LAST/TOTAL, with * for what is not known.
static const char *
take_range(struct http_head *head, struct span value)
{
    static const char bad[] = "a Content-Range that cannot be";
    int64_t first = -1, last = -1, total = -1;

    if (!begins(value, "bytes") || value.size == 5 || !is_blank(value.at[5]))
        return bad;
    value = trimmed(value.at + 5, value.size - 5);
    const char *const slash = memchr(value.at, '/', value.size);
    if (!slash)
        return bad;
    const struct span range = {value.at, (size_t)(slash - value.at)};
    const struct span size = {slash + 1, value.size - range.size - 1};
    if (!span_is(size, "*") && !http_number(size.at, size.size, &total))
        return bad;
    if (!span_is(range, "*")) {
        const char *const dash = memchr(range.at, '-', range.size);
        const size_t before = dash ? (size_t)(dash - range.at) : 0;
        if (!dash || !http_number(range.at, before, &first) ||
            !http_number(dash + 1, range.size - before - 1, &last) || first > last ||
            (total >= 0 && last >= total))
            return bad;
    }
    if (head->ranged && (head->first != first || head->last != last || head->total != total))
        return "two headers Content-Range";
    head->ranged = true;
    head->first = first;
    head->last = last;
    head->total = total;
    return NULL;
}

// What is no ETag counts as none: it may not be sent back.
static const char *
take_etag(struct http_head *head, struct span value)
{
    const bool weak = value.size > 2 && value.at[0] == 'W' && value.at[1] == '/';
    if (weak)
        value = (struct span){value.at + 2, value.size - 2};
    if (value.size < 2 || value.size >= HTTP_ETAG_SIZE || value.at[0] != '"' ||
        value.at[value.size - 1] != '"')
        return NULL;
    for (size_t i = 1; i < value.size - 1; i++)
        if ((unsigned char)value.at[i] < 0x21 || value.at[i] == '"' || value.at[i] == 0x7f)
            return NULL;
    if (head->etag[0] && (strlen(head->etag) != value.size || head->weak != weak ||
                          memcmp(head->etag, value.at, value.size) != 0))
        return "two ETags";
    memcpy(head->etag, value.at, value.size);
    head->etag[value.size] = '\0';
    head->weak = weak;
    return NULL;
}

static const char *
take_retry(struct http_head *head, struct span value)
{
    head->retry_seconds = head->retry_date = -1;
    if (value.size > 0 && is_digit(*value.at)) {
        if (!http_number(value.at, value.size, &head->retry_seconds) ||
            head->retry_seconds > WAIT_MAX)
            head->retry_seconds = WAIT_MAX;
    } else {
        head->retry_date = http_date(value.at, value.size);
    }
    return NULL;
}

static const char *
take_modified(struct http_head *head, struct span value)
{
    head->modified = http_date(value.at, value.size);
    return NULL;
}

static const char *
take_date(struct http_head *head, struct span value)
{
    head->date = http_date(value.at, value.size);
    return NULL;
}

static const char *
take_encoding(struct http_head *head, struct span value)
{
    head->encoded = head->encoded || (value.size > 0 && !span_is(value, "identity"));
    return NULL;
}

static const char *
take_type(struct http_head *head, struct span value)
{
    head->multipart = begins(value, "multipart/");
    return NULL;
}

static const char *
take_region(struct http_head *head, struct span value)
{
    head->region[0] = '\0';
    if (value.size >= HTTP_REGION_SIZE)
        return NULL;
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.at[i];
        if (!is_digit(c) && c != '-' && !(c >= 'a' && c <= 'z'))
            return NULL;
    }
    memcpy(head->region, value.at, value.size);
    head->region[value.size] = '\0';
    return NULL;
}

static const struct field {
    const char *name;
    const char *(*take)(struct http_head *head, struct span value); // returns what is wrong
} fields[] = {
    {"content-length", take_length},
    {"content-range", take_range},
    {"etag", take_etag},
    {"retry-after", take_retry},
    {"last-modified", take_modified},
    {"date", take_date},
    {"content-encoding", take_encoding},
    {"content-type", take_type},
    {"x-amz-bucket-region", take_region},
};

// -- lines

void
http_head_init(struct http_head *head)
{
    *head = (struct http_head){
        .length = -1,
        .first = -1,
        .last = -1,
        .total = -1,
        .modified = -1,
        .date = -1,
        .retry_seconds = -1,
        .retry_date = -1,
    };
}

// HTTP/1.1 206 Partial Content
static void
take_status(struct http_head *head, struct span line)
{
    int64_t status;
    const char *const blank = memchr(line.at, ' ', line.size);
    const size_t before = blank ? (size_t)(blank - line.at) + 1 : line.size;

    if (line.size - before < 3 || !http_number(line.at + before, 3, &status) || status < 100 ||
        (line.size - before > 3 && line.at[before + 3] != ' '))
        head->bad = "a status line that cannot be";
    else
        head->status = (int)status;
}

bool
http_head_line(struct http_head *head, const char *line, size_t size)
{
    struct span s = trimmed(line, size);
    if (head->complete && begins(s, "HTTP/")) { // interim answers count for the limit
        const size_t before = head->size;
        http_head_init(head);
        head->size = before;
    }
    if (size > HTTP_HEAD_MAX - head->size) {
        head->bad = "more than 64 KiB of headers";
        return false;
    }
    head->size += size;
    if (s.size == 0) {
        head->complete = true;
    } else if (head->status == 0) {
        take_status(head, s);
    } else {
        const char *const colon = memchr(s.at, ':', s.size);
        const size_t name_size = colon ? (size_t)(colon - s.at) : 0;
        for (size_t i = 0; i < sizeof fields / sizeof *fields && colon; i++)
            if (span_is((struct span){s.at, name_size}, fields[i].name)) {
                const char *const bad =
                    fields[i].take(head, trimmed(colon + 1, s.size - name_size - 1));
                head->bad = bad ? bad : head->bad;
            }
    }
    return !head->bad;
}

int64_t
http_head_wait(const struct http_head *head, int64_t now)
{
    if (head->retry_seconds >= 0)
        return head->retry_seconds * 1000;
    if (head->retry_date < 0)
        return -1;
    const int64_t from = head->date >= 0 ? head->date : now;
    const int64_t seconds = head->retry_date - from; // both below 2^40
    return http_min(http_max(seconds, 0), WAIT_MAX) * 1000;
}
