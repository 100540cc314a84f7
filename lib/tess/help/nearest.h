/*
 * nearest.h - the word that was meant.
 */
#ifndef TESS_HELP_NEAREST_H
#define TESS_HELP_NEAREST_H

// A word with mistakes in it, and which of those tried is the nearest to it.
struct nearest {
    const char *word;
    int length; // of the word
    const char *best; // NULL: none that could be meant
    int distance; // of the best
};

// The word goes up to its end, or to the first of the characters of `ends`.
void nearest_init(struct nearest *n, const char *word, const char *ends);

void nearest_try(struct nearest *n, const char *candidate);

#endif
