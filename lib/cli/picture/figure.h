/*
 * figure.h - a picture with its title, axes and scale, as an image.
 */
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "cli/canvas.h"
#include "cli/caption.h"
#include "cli/colorscale.h"

// Makes the canvas. The picture has the pixels that were planned for it; what is around it is
// added.
tess_status figure_draw(struct canvas *c, const struct picture *p, const struct colorscale *scale,
                        const struct caption *caption, tess_error *err);

#endif
