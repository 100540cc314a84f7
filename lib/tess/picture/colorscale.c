/*
 * colorscale.c - a range of numbers and the colours that it is shown in.
 */
#include "picture/colorscale.h"

#include <math.h>
#include <string.h>

void
colorscale_init(struct colorscale *s, const struct colormap *map, double low, double high,
                bool given)
{
    *s = (struct colorscale){.low = low, .high = high, .given = given};
    if (map->diverging && !given && low < 0 && high > 0) {
        s->high = fmax(-low, high);
        s->low = -s->high;
    }
    colormap_make(map, s->colors);
    memcpy(s->missing, map->missing, sizeof s->missing);
}

double
colorscale_part(const struct colorscale *s, double v)
{
    if (v <= s->low && s->low < s->high)
        return 0;
    if (v >= s->high && s->low < s->high)
        return 1;
    if (!(s->low < s->high))
        return 0.5;
    return (v / 2 - s->low / 2) / (s->high / 2 - s->low / 2); // halves: the range may be too wide
}

const uint8_t *
colorscale_color(const struct colorscale *s, double v)
{
    if (isnan(v))
        return s->missing;

    const int i = (int)(colorscale_part(s, v) * COLORMAP_SIZE);
    return s->colors[i < COLORMAP_SIZE ? i : COLORMAP_SIZE - 1];
}
