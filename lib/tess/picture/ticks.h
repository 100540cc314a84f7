/*
 * ticks.h - round numbers in a range, and numbers as short texts.
 */
#ifndef TESS_PICTURE_TICKS_H
#define TESS_PICTURE_TICKS_H

#define TICKS_MAX 16
#define TICKS_TEXT_SIZE 32

struct ticks {
    int count;
    double values[TICKS_MAX]; // growing
    char labels[TICKS_MAX][TICKS_TEXT_SIZE];
};

// Multiples of 1, 2 or 5 times a power of ten inside [low, high], at most `most` of them; none if
// the range is empty.
void ticks_make(struct ticks *t, double low, double high, int most);

// v with enough digits to tell it from v + step, six at least, and no zeros at its end.
void ticks_label(double v, double step, char text[TICKS_TEXT_SIZE]);

#endif
