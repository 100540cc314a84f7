/*
 * nearest.c - the word that was meant.
 *
 * The distance is the number of characters to add, leave out or replace, or of neighbours to
 * exchange. One in three may be wrong, rounded up.
 */
#include "help/nearest.h"

#include <string.h>

enum { LONGEST = 31 };

static int
min3(int a, int b, int c)
{
    const int least = a < b ? a : b;
    return least < c ? least : c;
}

static int
distance(const char *a, int na, const char *b, int nb)
{
    int d[LONGEST + 1][LONGEST + 1]; // of the first i characters of a and the first k of b

    for (int i = 0; i <= na; i++)
        for (int k = 0; k <= nb; k++) {
            if (i == 0 || k == 0) {
                d[i][k] = i + k;
                continue;
            }
            d[i][k] =
                min3(d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
                d[i - 2][k - 2] + 1 < d[i][k])
                d[i][k] = d[i - 2][k - 2] + 1;
        }
    return d[na][nb];
}

void
nearest_init(struct nearest *n, const char *word, const char *ends)
{
    const size_t length = strcspn(word, ends);

    *n = (struct nearest){.word = word, .length = length <= LONGEST ? (int)length : 0};
    n->distance = (n->length + 2) / 3 + 1; // too far
}

void
nearest_try(struct nearest *n, const char *candidate)
{
    const size_t length = strlen(candidate);

    if (n->length == 0 || length > LONGEST)
        return;
    const int d = distance(n->word, n->length, candidate, (int)length);
    if (d < n->distance) {
        n->distance = d;
        n->best = candidate;
    }
}
