/*
 * wrap.c - the size of the terminal, and text in lines that fit it.
 */
#include "text/wrap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST = 40 };

static int64_t
from_environment(const char *name, int64_t otherwise)
{
    const char *const value = getenv(name);
    const int n = value ? atoi(value) : 0;
    return n > 0 && n < 10000 ? n : otherwise;
}

void
wrap_screen(int64_t *columns, int64_t *lines)
{
    struct winsize size = {0};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
        *columns = size.ws_col;
        *lines = size.ws_row;
    } else {
        *columns = from_environment("COLUMNS", 80);
        *lines = from_environment("LINES", 24);
    }
}

int
wrap_width(void)
{
    int64_t columns, lines;

    wrap_screen(&columns, &lines);
    return columns < LEAST ? LEAST : (int)columns;
}

void
wrap_write(FILE *out, const char *text, size_t size, int at, int indent, int width)
{
    const char *const end = text + size;
    bool begun = false; // a word of this line

    for (;;) {
        while (text < end && (*text == ' ' || *text == '\n'))
            text++;
        if (text == end)
            break;
        int length = 0;
        while (text + length < end && text[length] != ' ' && text[length] != '\n')
            length++;
        if (begun && at + 1 + length > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (begun) {
            fputc(' ', out);
            at++;
        }
        (void)fwrite(text, 1, (size_t)length, out);
        begun = true;
        at += length;
        text += length;
    }
    fputc('\n', out);
}
