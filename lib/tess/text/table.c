/*
 * table.c - rows of text whose columns stand under each other.
 */
#include "text/table.h"

#include "report.h"
#include "text/wrap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
table_init(struct table *t, int columns)
{
    *t = (struct table){.columns = columns};
}

void
table_finish(struct table *t)
{
    for (size_t i = 0; i < t->cells; i++)
        free(t->texts[i]);
    free(t->texts);
    t->texts = NULL;
    t->cells = 0;
}

static bool
reserve(struct table *t)
{
    if (t->cells < t->capacity)
        return true;
    const size_t capacity = t->capacity ? 2 * t->capacity : 64;
    char **const texts = realloc(t->texts, capacity * sizeof *texts);
    if (!texts)
        return false;
    t->texts = texts;
    t->capacity = capacity;
    return true;
}

void
table_cell(struct table *t, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (t->failed || !reserve(t) || vasprintf(&text, format, args) < 0)
        t->failed = true;
    else
        t->texts[t->cells++] = text;
    va_end(args);
}

// Of the first column. On a terminal that is not so wide, its long cells have a line of their own.
static int
first_width(const struct table *t, const int *widths, FILE *out)
{
    int others = 0;

    for (int i = 1; i < t->columns; i++)
        others += widths[i] + 2;
    if (!isatty(fileno(out)) || widths[0] + others <= wrap_width())
        return widths[0];
    const int left = wrap_width() - others;
    return left < 0 ? 0 : left;
}

tess_status
table_print(const struct table *t, FILE *out, tess_error *err)
{
    int widths[TABLE_COLUMNS_MAX] = {0};

    if (t->failed)
        return report_nomem(err, (int64_t)t->cells);
    for (size_t i = 0; i < t->cells; i++) {
        const int width = (int)strlen(t->texts[i]);
        int *const widest = &widths[i % (size_t)t->columns];

        if (width > *widest)
            *widest = width;
    }
    const int first = first_width(t, widths, out);
    for (size_t i = 0; i < t->cells; i++) {
        const int column = (int)(i % (size_t)t->columns);

        fprintf(out, "%*s%s", column == 0 ? -first : widths[column] + 2, t->texts[i],
                column == t->columns - 1 ? "\n" : "");
        if (column == 0 && (int)strlen(t->texts[i]) > first)
            fprintf(out, "\n%*s", first, "");
    }
    return TESS_OK;
}
