/*
 * serve.c - serves the files of a directory, for the benchmarks.
 *
 *     serve DIRECTORY [--port N] [--delay MS]
 *
 * Prints the address, and serves until SIGINT or SIGTERM.
 */
#include "http/server/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int
usage(void)
{
    fprintf(stderr, "usage: serve DIRECTORY [--port N] [--delay MS]\n");
    return 2;
}

// False: the text is not a number from 0 to `most`.
static bool
parse_option(const char *text, int most, int *number)
{
    char *end;

    errno = 0;
    const long n = strtol(text, &end, 10);
    *number = (int)n;
    return end != text && !*end && errno == 0 && n >= 0 && n <= most;
}

static bool
parse_arguments(int argc, char **argv, struct server_options *options)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--port") == 0 && i + 1 < argc) {
            if (!parse_option(argv[++i], 65535, &options->port))
                return false;
        } else if (strcmp(argv[i], "--delay") == 0 && i + 1 < argc) {
            if (!parse_option(argv[++i], 1000000, &options->delay_ms))
                return false;
        } else if (argv[i][0] == '-' || options->directory) {
            return false;
        } else {
            options->directory = argv[i];
        }
    }
    return options->directory != NULL;
}

int
main(int argc, char **argv)
{
    struct server_options options;
    struct stat st;
    sigset_t signals;
    int signal_number;

    server_options_init(&options);
    if (!parse_arguments(argc, argv, &options))
        return usage();
    if (stat(options.directory, &st) != 0 || !S_ISDIR(st.st_mode)) {
        fprintf(stderr, "serve: %s is not a directory\n", options.directory);
        return 3;
    }
    // Blocked here and, from here, in all threads of the server.
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    struct server *const s = server_start(&options);
    if (!s) {
        fprintf(stderr, "serve: port %d: %s\n", options.port, strerror(errno));
        return 3;
    }
    printf("http://127.0.0.1:%d/\n", server_port(s));
    (void)fflush(stdout);
    (void)sigwait(&signals, &signal_number);
    server_stop(s);
    return 0;
}
