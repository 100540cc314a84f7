/*
 * signer.c - signs what botocore.py says, and prints what it compares.
 *
 * signer sign: standard input has one request per line, of fields with one blank between them;
 * texts are hexadecimal, "-" is none:
 *
 *     METHOD NOW EXPIRES REGION STYLE ENDPOINT BUCKET KEY TOKEN PAYLOAD NAME VALUE NAME VALUE...
 *
 * STYLE is auto, virtual or path, NAME and VALUE are parameters of the query. Each becomes a line
 * of URL, Authorization and signed URL, with blanks replaced by "|".
 *
 * signer config: prints what s3_config_load() finds in the environment, or "status N".
 */
#include "s3/credentials.h"
#include "s3/sign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_SIZE = 1 << 16, PARAMETERS_MAX = 64, FIELDS_MAX = 2 * PARAMETERS_MAX + 10 };

static char id[] = "AKIDEXAMPLE";
static char secret[] = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

static void
check(tess_status st, const tess_error *err)
{
    if (st != TESS_OK) {
        fprintf(stderr, "%d: %s\n", (int)st, err->message);
        exit(1);
    }
}

// Hexadecimal text, decoded in its place.
static char *
decoded(char *text)
{
    char *to = text;

    if (strcmp(text, "-") == 0)
        return NULL;
    for (const char *p = text; p[0] && p[1]; p += 2) {
        const char pair[] = {p[0], p[1], '\0'};
        *to++ = (char)strtol(pair, NULL, 16);
    }
    *to = '\0';
    return text;
}

static void
print_bar(const char *text, char end)
{
    for (const char *p = text; *p; p++)
        putchar(*p == ' ' ? '|' : *p);
    putchar(end);
}

static enum s3_style
style_of(const char *name)
{
    return strcmp(name, "virtual") == 0 ? S3_STYLE_VIRTUAL
           : strcmp(name, "path") == 0  ? S3_STYLE_PATH
                                        : S3_STYLE_AUTO;
}

static void
sign_line(char **field, size_t n)
{
    struct s3_parameter parameters[PARAMETERS_MAX];
    struct http_url url;
    struct s3_lines lines;
    char *signed_text;
    tess_error err = {0};

    const char *const region = decoded(field[3]);
    const struct s3_place place = {decoded(field[5]), region, style_of(field[4])};
    const struct s3_address address = {decoded(field[6]), decoded(field[7])};
    const struct s3_keys keys = {id, secret, decoded(field[8])};
    const struct s3_signer signer = {&keys, region, strtoll(field[1], NULL, 10)};
    const size_t nparameters = (n - 10) / 2;
    for (size_t i = 0; i < nparameters; i++)
        parameters[i] =
            (struct s3_parameter){decoded(field[10 + 2 * i]), decoded(field[11 + 2 * i])};
    char *const query = nparameters > 0 ? s3_query(parameters, nparameters) : NULL;
    check(s3_address_url(&address, &place, query, &url, &err), &err);
    const struct s3_request request = {
        .method = field[0], .url = &url, .payload = decoded(field[9])};
    check(s3_sign(&signer, &request, &lines, &err), &err);
    check(s3_presign(&signer, &request, strtoll(field[2], NULL, 10), &signed_text, &err), &err);
    char *const text = http_url_text(&url);
    if (!text)
        exit(1);
    print_bar(text, ' ');
    print_bar(lines.line[lines.n - 1], ' ');
    print_bar(signed_text, '\n');
    free(text);
    free(signed_text);
    free(query);
    s3_lines_finish(&lines);
    http_url_finish(&url);
}

static int
sign_all(void)
{
    static char line[LINE_MAX_SIZE];

    while (fgets(line, sizeof line, stdin)) {
        char *field[FIELDS_MAX];
        size_t n = 0;
        line[strcspn(line, "\n")] = '\0';
        for (char *p = strtok(line, " "); p && n < FIELDS_MAX; p = strtok(NULL, " "))
            field[n++] = p;
        if (n < 10 || n % 2 != 0)
            return 1;
        sign_line(field, n);
    }
    return 0;
}

static const char *
environment(void *user, const char *name)
{
    (void)user;
    return getenv(name);
}

static const char *
or_none(const char *text)
{
    return text ? text : "-";
}

static int
print_config(void)
{
    static const char *const styles[] = {"auto", "virtual", "path"};
    struct s3_config config;
    tess_error err = {0};

    if (s3_config_load(environment, NULL, &config, &err) != TESS_OK) {
        printf("status %d\n%s\n", (int)err.status, err.message);
        return 0;
    }
    printf("%s\n%s\n%s\n%s\n%s\n%s\n", or_none(config.keys.id), or_none(config.keys.secret),
           or_none(config.keys.token), or_none(config.region), or_none(config.endpoint),
           styles[config.style]);
    s3_config_finish(&config);
    return 0;
}

int
main(int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], "config") == 0 ? print_config() : sign_all();
}
