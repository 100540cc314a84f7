/*
 * remote.c - reads a plane of an array at a URL.
 *
 * Link with tessera-http. The array has 12 x 3 x 4 items of 16-bit integers.
 */
#include <stdio.h>
#include <tessera.h>
#include <tessera/http.h>

int
main(int argc, char **argv)
{
    const int64_t start[] = {6, 0, 0}, stop[] = {7, 3, 4};
    int16_t plane[3][4];
    tess_source source;
    tess_storage storage;
    tess_array *a;
    tess_error err;

    tess_source_init(&source);
    if (argc != 2 || tess_http_source(argv[1], NULL, &source, &err) != TESS_OK)
        return fputs(argc != 2 ? "usage: remote URL\n" : err.message, stderr), 1;
    tess_storage_init(&storage);
    storage.source = &source;
    if (tess_array_open(&storage, &a, &err) != TESS_OK) {
        source.close(source.user); // no array owns it
        return fprintf(stderr, "%s\n", err.message), 1;
    }
    if (tess_array_read(a, start, stop, plane, sizeof plane, &err) != TESS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    for (int i = 0; i < 3; i++)
        printf("%d %d %d %d\n", plane[i][0], plane[i][1], plane[i][2], plane[i][3]);
    return tess_array_close(a, &err);
}
