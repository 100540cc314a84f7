/*
 * crowd_test.c - the server of the tests (server/server.h) with many connections, random faults,
 * and changes of options, objects and log at the same time. For the sanitizers.
 */
#include "http/server/server.h"

#include "http/client.h"
#include "support/random.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 8, REQUESTS = 150, MOST = 1 << 18 }; // bytes that are received of an answer

static struct server *server;

struct member {
    pthread_t thread;
    uint64_t seed;
    atomic_int unconnected; // requests that found no server
};

static int
connect_server(void)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct timeval limit = {.tv_sec = 10};
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)server_port(server))};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        return fd;
    }
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

// Sends a request, and receives until the end, or enough.
static bool
ask(const char *request)
{
    static _Thread_local char buffer[65536];
    const int fd = connect_server();
    size_t got = 0;
    ssize_t n = 1;

    if (fd < 0)
        return false;
    (void)send(fd, request, strlen(request), MSG_NOSIGNAL); // fails after a fault only
    for (; n > 0 && got<MOST; got += n> 0 ? (size_t)n : 0)
        n = recv(fd, buffer, sizeof buffer, 0);
    (void)close(fd);
    return true;
}

static void *
run_member(void *user)
{
    static const char *const requests[] = {
        "GET /%d HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET /%d HTTP/1.1\r\nConnection: close\r\nRange: bytes=1000-50000\r\n\r\n",
        "HEAD /%d HTTP/1.1\r\nConnection: close\r\n\r\n",
        "PUT /%d HTTP/1.1\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        "DELETE /%d HTTP/1.1\r\nConnection: close\r\n\r\n",
        "POST /%d?uploads HTTP/1.1\r\nConnection: close\r\n\r\n",
        "PUT /1?partNumber=1&uploadId=upload-%d HTTP/1.1\r\nConnection: close\r\n\r\n",
        "DELETE /1?uploadId=upload-%d HTTP/1.1\r\nConnection: close\r\n\r\n",
    };
    struct member *const m = user;
    struct random r;

    random_init(&r, m->seed);
    for (int i = 0; i < REQUESTS; i++) {
        char text[300];
        const size_t which = (size_t)random_below(&r, sizeof requests / sizeof requests[0]);
        (void)snprintf(text, sizeof text, "%s", requests[which]);
        char *const number = strstr(text, "%d");
        number[0] = '0' + (char)random_below(&r, 5);
        memmove(number + 1, number + 2, strlen(number + 2) + 1);
        if (!ask(text))
            atomic_fetch_add(&m->unconnected, 1);
    }
    return NULL;
}

static void
put_random(struct random *r)
{
    static uint8_t bytes[60000];
    const char name[] = {(char)('0' + (char)random_below(r, 5)), '\0'};

    random_bytes(r, bytes, sizeof bytes);
    assert_true(server_put(server, name, bytes, sizeof bytes));
}

static void
crowd(void **state)
{
    struct member members[THREADS] = {0};
    static struct server_entry log[100];
    struct server_chance chance = {.probability = 0.3, .ms = 3};
    struct server_options options;
    struct random r;
    (void)state;
    random_init(&r, random_seed());
    chance.seed = random_next(&r);
    server_options_init(&options);
    options.fault = server_fault_by_chance;
    options.fault_user = &chance;
    server = server_start(&options);
    assert_non_null(server);
    for (int i = 0; i < THREADS; i++) {
        members[i].seed = random_next(&r);
        assert_int_equal(pthread_create(&members[i].thread, NULL, run_member, &members[i]), 0);
    }
    for (int i = 0; i < 100; i++) {
        put_random(&r);
        options.delay_ms = (int)random_below(&r, 3);
        options.etag = (enum server_etag)random_below(&r, 3);
        server_set_options(server, &options);
        assert_true(server_log_list(server, 2, log, 100) <= 100);
        if (i == 50)
            server_log_reset(server);
        assert_true(server_uploads(server) >= 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(members[i].thread, NULL), 0);
        assert_int_equal(atomic_load(&members[i].unconnected), 0);
    }
    // The last request that counts has been answered.
    const int n = server_log_list(server, 10000, log, 100);
    for (int i = 0; i < n; i++) {
        assert_int_equal(log[i].number, i + 1);
        assert_true(log[i].end_ns >= log[i].start_ns);
    }
    server_stop(server);
}

// A server with an object "a".
static void
start(int delay_ms)
{
    struct server_options options;

    server_options_init(&options);
    options.delay_ms = delay_ms;
    server = server_start(&options);
    assert_non_null(server);
    assert_true(server_put(server, "a", "0123456789", 10));
}

static double
seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Connections wait at the same time.
static void
delay(void **state)
{
    enum { CONNECTIONS = 20, DELAY = 200 };
    int fds[CONNECTIONS];
    struct client_reply r;
    (void)state;
    start(DELAY);
    const double before = seconds();
    for (int i = 0; i < CONNECTIONS; i++) {
        fds[i] = client_open(server_port(server));
        client_send(fds[i], "GET /a HTTP/1.1\r\n\r\n");
    }
    for (int i = 0; i < CONNECTIONS; i++) {
        client_receive(fds[i], false, 1000, &r);
        assert_int_equal(r.status, 200);
        client_free(&r);
        client_close(fds[i]);
    }
    const double took = seconds() - before;
    assert_true(took >= DELAY / 1000.0);
    assert_true(took < CONNECTIONS / 2 * DELAY / 1000.0);
    server_stop(server);
}

// Connections that wait for a request, or stall, do not hold up the stop.
static void
stops(void **state)
{
    (void)state;
    start(600000);
    const int port = server_port(server);
    const int idle = client_open(port), waiting = client_open(port), half = client_open(port);
    client_send(waiting, "GET /a HTTP/1.1\r\n\r\n");
    client_send(half, "PUT /a HTTP/1.1\r\nContent-Length: 100\r\n\r\n");
    while (server_log_count(server) == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    const double before = seconds();
    server_stop(server);
    assert_true(seconds() - before < 5);
    client_close(idle);
    client_close(waiting);
    client_close(half);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crowd), cmocka_unit_test(delay),
                                       cmocka_unit_test(stops)};
    return cmocka_run_group_tests_name("crowd", tests, NULL, NULL);
}
