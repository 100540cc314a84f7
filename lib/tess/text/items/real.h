/*
 * real.h - floating-point numbers as the shortest text that reads back as the same number.
 */
#ifndef TESS_TEXT_ITEMS_REAL_H
#define TESS_TEXT_ITEMS_REAL_H

// Enough for any result, the NUL included.
#define REAL_TEXT_SIZE 40

/*
 * Write v, which came from a float of `size` bytes (2, 4 or 8), as Python does: 0.1, 3.0, 1e-05,
 * 1e+16, -0.0, inf, nan.
 */
void real_format(double v, int size, char text[REAL_TEXT_SIZE]);

// The value of an IEEE half.
double real_from_half(unsigned bits);

// The float of `size` bytes (2, 4 or 8) that is nearest to v. Beyond the halves, v itself.
double real_round(double v, int size);

#endif
