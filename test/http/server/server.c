/*
 * server.c - listens, and has a thread for each connection.
 *
 * All threads wait with poll(), also for a pipe into which server_stop() writes a byte that is
 * never read. The thread that accepts joins those of connections that ended; at the stop, all that
 * are left. The list of connections is its own.
 */
#include "http/server/server.h"

#include "http/server/answer.h"
#include "http/server/faults.h"
#include "http/server/handle.h"
#include "http/server/log.h"
#include "http/server/objects.h"
#include "http/server/request.h"
#include "http/server/uploads.h"
#include "http/server/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct server {
    struct server_objects objects; // these three have locks of their own
    struct server_uploads uploads;
    struct server_log log;
    pthread_mutex_t lock; // for `options`
    struct server_options options;
    int listen_fd, port;
    int stop_fds[2]; // the pipe
    pthread_t thread; // accepts
};

struct connection {
    struct connection *next; // by the accepting thread alone
    struct server *server;
    pthread_t thread;
    atomic_bool ended; // the thread can be joined without waiting
    struct server_wire wire;
};

void
server_options_init(struct server_options *options)
{
    *options = (struct server_options){.part_least = (size_t)5 << 20};
}

static struct server_options
options_now(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    const struct server_options options = s->options;
    pthread_mutex_unlock(&s->lock);
    return options;
}

// Executes a request that is refused neither by its form nor by `permit`, with its fault.
static void
execute(struct server *s, const struct server_options *options, const struct server_request *r,
        struct server_fault fault, struct server_answer *a)
{
    const struct server_fault_call call = {fault, r, &s->objects, s->port};

    if (server_fault_prepare(&call))
        server_handle(&s->objects, &s->uploads, options, r, a);
    server_fault_apply(&call, a);
}

// Answers a request. False: the connection is to be closed.
static bool
answer_request(struct connection *c, struct server_received *r, int malformed)
{
    struct server *const s = c->server;
    const struct server_options options = options_now(s);
    struct server_request *const q = &r->request;
    struct server_fault fault = {.kind = SERVER_NO_FAULT};
    struct server_answer a;
    int64_t sent = 0;
    bool begun = false, keep = false;

    const struct server_noted noted = server_log_begin(&s->log, q);
    server_answer_init(&a);
    a.head = strcmp(q->method, "HEAD") == 0;
    if (server_wire_wait(&c->wire, options.delay_ms)) {
        int refusal = malformed;
        if (!refusal && options.permit)
            refusal = options.permit(q, options.permit_user);
        if (!refusal && options.fault)
            fault = options.fault(q, options.fault_user);
        if (refusal)
            server_answer_error(&a, &s->objects, refusal, server_code_of(refusal));
        else
            execute(s, &options, q, fault, &a);
        a.close |= r->close || malformed;
        keep = server_answer_send(&a, &c->wire, &sent, &begun);
    }
    server_log_end(&s->log, noted, fault.kind, begun ? a.status : 0, sent);
    server_answer_finish(&a, &s->objects);
    if (malformed)
        server_wire_drain(&c->wire);
    return keep;
}

static void *
serve_connection(void *user)
{
    struct connection *const c = user;
    bool keep = true;

    while (keep) {
        struct server_received r;
        const int status = server_received_read(&r, &c->wire);
        keep = status >= 0 && answer_request(c, &r, status);
        server_received_finish(&r);
    }
    (void)close(c->wire.fd);
    atomic_store(&c->ended, true);
    return NULL;
}

static void
check(bool fact)
{
    if (!fact)
        abort();
}

static struct connection *
begin_connection(struct server *s, int fd, struct connection *next)
{
    struct connection *const c = server_memory(sizeof *c);
    const int on = 1;

    memset(c, 0, sizeof *c);
    c->next = next;
    c->server = s;
    c->wire.fd = fd;
    c->wire.stop_fd = s->stop_fds[0];
    atomic_init(&c->ended, false);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    check(pthread_create(&c->thread, NULL, serve_connection, c) == 0);
    return c;
}

// Joins and frees those that ended, or all.
static struct connection *
join_connections(struct connection *first, bool all)
{
    for (struct connection **p = &first; *p;) {
        struct connection *const c = *p;
        if (!all && !atomic_load(&c->ended)) {
            p = &c->next;
            continue;
        }
        *p = c->next;
        check(pthread_join(c->thread, NULL) == 0);
        free(c);
    }
    return first;
}

static void *
accept_connections(void *user)
{
    struct server *const s = user;
    struct pollfd fds[2] = {{.fd = s->stop_fds[0], .events = POLLIN},
                            {.fd = s->listen_fd, .events = POLLIN}};
    struct connection *first = NULL;

    for (;;) {
        if (poll(fds, 2, -1) < 0)
            continue; // a signal
        if (fds[0].revents)
            break;
        first = join_connections(first, false);
        const int fd = accept(s->listen_fd, NULL, NULL);
        if (fd >= 0) {
            (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
            first = begin_connection(s, fd, first);
        } else if (errno == EMFILE || errno == ENFILE) {
            (void)poll(NULL, 0, 10); // until a connection ends
        }
    }
    join_connections(first, true);
    return NULL;
}

// A socket that listens on 127.0.0.1, and its port. -1: errno says why.
static int
listen_at(int port, int *chosen)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr *const any = (struct sockaddr *)&address;
    socklen_t size = sizeof address;
    const int on = 1;

    if (fd < 0)
        return -1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, O_NONBLOCK); // a connection may be gone before it is accepted
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, any, size) != 0 || listen(fd, 512) != 0 || getsockname(fd, any, &size) != 0) {
        const int error = errno;
        (void)close(fd);
        errno = error;
        return -1;
    }
    *chosen = ntohs(address.sin_port);
    return fd;
}

struct server *
server_start(const struct server_options *options)
{
    int port;
    const int fd = listen_at(options->port, &port);

    if (fd < 0)
        return NULL;
    struct server *const s = server_memory(sizeof *s);
    memset(s, 0, sizeof *s);
    s->options = *options;
    s->listen_fd = fd;
    s->port = port;
    server_objects_init(&s->objects, options->directory);
    server_uploads_init(&s->uploads);
    server_log_init(&s->log);
    pthread_mutex_init(&s->lock, NULL);
    check(pipe(s->stop_fds) == 0);
    (void)fcntl(s->stop_fds[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(s->stop_fds[1], F_SETFD, FD_CLOEXEC);
    check(pthread_create(&s->thread, NULL, accept_connections, s) == 0);
    return s;
}

void
server_stop(struct server *s)
{
    if (!s)
        return;
    check(write(s->stop_fds[1], "", 1) == 1);
    check(pthread_join(s->thread, NULL) == 0);
    (void)close(s->listen_fd);
    (void)close(s->stop_fds[0]);
    (void)close(s->stop_fds[1]);
    pthread_mutex_destroy(&s->lock);
    server_log_finish(&s->log);
    server_uploads_finish(&s->uploads);
    server_objects_finish(&s->objects);
    free(s);
}

int
server_port(const struct server *s)
{
    return s->port;
}

void
server_set_options(struct server *s, const struct server_options *options)
{
    pthread_mutex_lock(&s->lock);
    s->options = *options;
    pthread_mutex_unlock(&s->lock);
}

bool
server_put(struct server *s, const char *name, const void *bytes, size_t size)
{
    return server_objects_put(&s->objects, name, bytes, size, NULL, NULL) == 200;
}

bool
server_delete(struct server *s, const char *name)
{
    return server_objects_delete(&s->objects, name);
}

uint8_t *
server_get(struct server *s, const char *name, size_t *size)
{
    struct server_object *const object = server_objects_find(&s->objects, name);

    if (!object)
        return NULL;
    *size = (size_t)object->size;
    uint8_t *copy = server_memory(*size);
    const void *const bytes = server_object_bytes(object, 0, *size, copy);
    if (!bytes) {
        free(copy);
        copy = NULL;
    } else if (bytes != copy) {
        memcpy(copy, bytes, *size);
    }
    server_objects_release(&s->objects, object);
    return copy;
}

int
server_uploads(struct server *s)
{
    return server_uploads_count(&s->uploads);
}

int64_t
server_log_count(struct server *s)
{
    return server_log_total(&s->log);
}

int
server_log_list(struct server *s, int wait_ms, struct server_entry *dst, int most)
{
    return server_log_copy(&s->log, wait_ms, dst, most);
}

void
server_log_reset(struct server *s)
{
    server_log_clear(&s->log);
}
