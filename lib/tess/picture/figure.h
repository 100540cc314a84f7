/*
 * figure.h - a picture with its title, axes and scale, as a file.
 */
#ifndef TESS_PICTURE_FIGURE_H
#define TESS_PICTURE_FIGURE_H

#include "picture/caption.h"
#include "picture/colorscale.h"

// What a file is to become, by the end of its name.
struct figure_format {
    const char *suffix; // ".png"
    bool vector; // not pixels: PDF, SVG
};

// NULL: a figure cannot be stored under such a name.
const struct figure_format *figure_format_find(const char *name);

// TESS_ERR_UNSUPPORTED, and what to install, if this build has no cairo.
tess_status figure_supported(tess_error *err);

/*
 * Write a new file. The picture has the pixels that were planned for it; what is around it is
 * added. The file may be there after a failure.
 */
tess_status figure_write(const char *path, const struct figure_format *format,
                         const struct picture *p, const struct colorscale *scale,
                         const struct caption *caption, tess_error *err);

#endif
