// b2nd.c - a program written for c-blosc2: a chunk there and back.

#include <b2nd.h>

#include <stdio.h>

int
main(void)
{
    static int64_t items[1000], back[1000];
    static unsigned char chunk[sizeof items + BLOSC2_MAX_OVERHEAD];

    for (int i = 0; i < 1000; i++)
        items[i] = i;
    const int n = blosc2_compress(5, BLOSC_SHUFFLE, 8, items, sizeof items, chunk, sizeof chunk);
    if (n <= 0 || blosc2_decompress(chunk, n, back, sizeof back) != (int)sizeof back)
        return 1;
    printf("%d %s\n", (int)back[999], blosc2_get_version_string());
    return 0;
}
