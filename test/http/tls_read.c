/*
 * tls_read.c - reads an object by ranges, several times, and compares: tls_read URL CA_FILE FILE.
 * Prints the error, and exits with 1, if that fails.
 */
#include <tessera/http.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES = 100, ROUNDS = 3 };

void
tess_reading_arrived(const tess_reading *reading, size_t i)
{
    (void)reading, (void)i;
}

bool
tess_reading_cancelled(const tess_reading *reading)
{
    (void)reading;
    return false;
}

static tess_status
read_all(const tess_source *s, uint8_t *dst, tess_error *err)
{
    tess_range ranges[RANGES];
    tess_source_state state = {0};
    tess_status st = s->state(s->user, &state, err);
    const size_t size = (size_t)state.size / RANGES;
    for (size_t i = 0; i < RANGES; i++)
        ranges[i] =
            (tess_range){.offset = (int64_t)(i * size), .dst = dst + i * size, .dst_size = size};
    for (int i = 0; i < ROUNDS && st == TESS_OK; i++)
        st = s->read(s->user, ranges, RANGES, NULL, err);
    return st;
}

int
main(int argc, char **argv)
{
    enum { MOST = 1 << 20 };
    static uint8_t got[MOST], want[MOST];
    tess_source s = {.struct_size = sizeof s};
    tess_http_options options;
    tess_error err;

    FILE *const file = argc == 4 ? fopen(argv[3], "rb") : NULL;
    if (!file)
        return 2;
    const size_t size = fread(want, 1, MOST, file);
    fclose(file);
    tess_http_options_init(&options);
    options.tries = 2;
    options.ca_file = argv[2][0] ? argv[2] : NULL;
    tess_status st = tess_http_source(argv[1], &options, &s, &err);
    if (st == TESS_OK) {
        st = read_all(&s, got, &err);
        s.close(s.user);
    }
    if (st != TESS_OK)
        puts(err.message);
    else if (memcmp(got, want, size / RANGES * RANGES) != 0)
        puts("other bytes");
    else
        return 0;
    return 1;
}
