/*
 * figure.h - a picture with its title, axes and scale, as an image.
 */
#ifndef CLI_PICTURE_FIGURE_H
#define CLI_PICTURE_FIGURE_H

#include "cli/picture/canvas.h"
#include "cli/picture/caption.h"
#include "cli/picture/colorscale.h"

// Makes the canvas. The picture has the pixels that were planned for it; what is around it is
// added.
tess_status figure_draw(struct canvas *c, const struct picture *p, const struct colorscale *scale,
                        const struct caption *caption, tess_error *err);

#endif
