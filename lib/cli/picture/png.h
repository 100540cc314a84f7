/*
 * png.h - PNG files.
 */
#ifndef CLI_PICTURE_PNG_H
#define CLI_PICTURE_PNG_H

#include "cli/picture/canvas.h"

// Write a canvas to a new file. TESS_ERR_UNSUPPORTED if this build has no libpng.
tess_status png_write(const char *path, const struct canvas *c, tess_error *err);

#endif
