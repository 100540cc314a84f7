/*
 * histogram.c - an image of events that are added where they happened, and a histogram of its
 * values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tessera.h>

#define TRY(call)                                   \
    do {                                            \
        if ((call) != TESS_OK) {                    \
            fprintf(stderr, "%s\n", error.message); \
            exit(1);                                \
        }                                           \
    } while (0)

enum { SIDE = 512, EVENTS = 100000, BINS = 5 };

// Events come in bunches, for instance from a detector: most of them near the middle.
static int64_t
draw(void)
{
    int64_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum += rand() % (SIDE / 4);
    return sum;
}

int
main(void)
{
    static int64_t pixels[EVENTS][2];
    const uint16_t one = 1;
    int64_t counts[BINS];
    tess_array *image = NULL;
    tess_outside outside;
    tess_statistics s;
    tess_storage storage;
    tess_params params;
    tess_bins bins;
    tess_error error;

    tess_storage_init(&storage); // in memory
    tess_params_init(&params);
    params.dtype = TESS_DTYPE_U16;
    params.ndim = 2;
    params.shape[0] = params.shape[1] = SIDE;
    TRY(tess_array_zeros(&storage, &params, &image, &error));

    // Pixels that are hit again get 1 each time; more than 65535 would be an error.
    for (int bunch = 0; bunch < 3; bunch++) {
        for (int i = 0; i < EVENTS; i++) {
            pixels[i][0] = draw();
            pixels[i][1] = draw();
        }
        TRY(tess_array_add_points(image, EVENTS, pixels[0], &one, sizeof one, NULL, &error));
    }
    TRY(tess_array_statistics(image, NULL, NULL, &s, &error));
    printf("%.0f events\n", s.sum); // 300000 events

    // How many pixels have seen 1 to 5, 6 to 10 ... events.
    tess_bins_init(&bins);
    bins.nbins = BINS;
    bins.lo = 0.5;
    bins.hi = 0.5 + 5 * BINS;
    TRY(tess_array_histogram(image, NULL, NULL, &bins, counts, sizeof counts, &outside, &error));
    for (int i = 0; i < BINS; i++)
        printf("%2d to %2d: %lld pixels\n", 5 * i + 1, 5 * i + 5, (long long)counts[i]);
    printf("none: %lld, more: %lld\n", (long long)outside.below, (long long)outside.above);
    return tess_array_close(image, &error) == TESS_OK ? 0 : 1;
}
