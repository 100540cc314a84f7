/*
 * font.h - letters of 5 x 8 dots.
 */
#ifndef CLI_PICTURE_FONT_H
#define CLI_PICTURE_FONT_H

#include <stdint.h>

#define FONT_WIDTH 5
#define FONT_HEIGHT 8 // the last row is for what hangs below the line
#define FONT_ADVANCE 6 // from one letter to the next

/*
 * The next letter of a UTF-8 text, and step behind it; NULL at the end. FONT_WIDTH columns, whose
 * lowest bit is the top. What is not printable ASCII looks like a box.
 */
const uint8_t *font_next(const char **text);

#endif
