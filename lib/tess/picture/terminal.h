/*
 * terminal.h - pictures made of characters.
 */
#ifndef TESS_PICTURE_TERMINAL_H
#define TESS_PICTURE_TERMINAL_H

#include "picture/caption.h"
#include "picture/colorscale.h"

#include <stdio.h>

enum terminal_colors {
    TERMINAL_ASCII, // darker and lighter characters
    TERMINAL_256, // half blocks in the 6 x 6 x 6 colours and 24 greys of xterm
    TERMINAL_TRUE // half blocks in 24-bit colours
};

// What the variables NO_COLOR, TERM, COLORTERM and those of the locale promise.
enum terminal_colors terminal_colors(void);

// Pixels that a picture may have, rows and columns: a character is one wide and two high, and some
// lines are left for words. COLUMNS and LINES speak where stdout is no terminal; else it is 80
// x 24.
void terminal_size(int64_t most[2]);

// Words, picture and scale.
void terminal_draw(FILE *out, enum terminal_colors colors, const struct picture *p,
                   const struct colorscale *scale, const struct caption *caption);

#endif
