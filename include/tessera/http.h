/**
 * @file http.h
 * Sources of bytes (source.h), to be read and written, over HTTP, HTTPS and S3: the library
 * tessera-http, which needs libcurl. Programs link it besides libtessera (pkg-config tessera-http).
 *
 *     tess_source source;
 *     tess_source_init(&source);
 *     if (tess_http_source("https://example.org/t2m.b2nd", NULL, &source, &err) == TESS_OK) {
 *         storage.source = &source;
 *         st = tess_array_open(&storage, &a, &err);
 *         if (st != TESS_OK)
 *             source.close(source.user);
 *     }
 *
 * **Reading.** Each range is a request of its own (GET with a header Range); those of a call run
 * at once, on connections that are kept for later calls. Nothing is requested until the source is
 * used. If the server does not answer ranges, all ranges of a call come out of one answer, read
 * from the start of the object up to the last byte wanted: that works, and takes as long.
 *
 * **Consistency.** The first answer tells which object is read: its ETag, size and time. A later
 * answer of another object is refused with TESS_ERR_STALE. tess_source_state.guarded is true if the
 * server gives strong ETags, which it is asked to compare (If-Match).
 *
 * **Writing.** An array is created in a source (TESS_MODE_NEW, TESS_MODE_REPLACE) by
 * tess_array_save() and the like. An object of at most tess_source.head bytes is put by one
 * request. A larger one is refused over http and https with TESS_ERR_UNSUPPORTED, as its size would
 * have to be known first; a program that knows a bound can raise tess_source.head, which is held in
 * memory. At S3 it is uploaded in parts, up to 4 at once, by threads of the library that end when
 * the source is closed or the object is published. Parts have part_size bytes; from the thousandth
 * on they grow, so that 10,000 of them are enough for 5 TiB. Memory, besides tess_source.head: 5
 * parts, fewer if these would be more than 320 MiB, but at least 2; so 40 MiB up to an object
 * of 7.8 GiB, and 320 MiB up to 100 GiB. S3 checks the hash of each request before it takes it.
 *
 * The object appears when it is published, at once. If that fails, or the source is closed without
 * it, the upload is aborted, for which closing takes up to 5 seconds; if the server cannot be
 * reached, or the answer to the beginning of an upload is lost, the server keeps an upload that is
 * neither seen nor completed: S3 removes such by a lifecycle rule. TESS_MODE_NEW: the server is
 * asked before, and told to refuse if the object exists (If-None-Match). A server that does not
 * know that condition replaces an object that appears between these two requests. After a lost
 * answer to the last request the server is asked what is there; only if it does not tell that
 * either, a call fails whose object may exist. Of an object put by one request with
 * TESS_MODE_REPLACE that holds whenever the answer is lost. Redirects are not followed, but to
 * the region of a bucket. A source can be read, or written again, after it was published.
 *
 * **Failures.** What may pass (timeouts, lost connections, short answers, statuses 408, 425, 429
 * and 5xx) is tried again, from the first byte that is missing, after random pauses that become
 * longer, or as Retry-After says. TESS_ERR_NOT_FOUND: 404, 410. TESS_ERR_IO: all else;
 * tess_error.sys is EACCES for 401 and 403, ETIMEDOUT for timeouts. Messages name the host, never a
 * password, a key, or the query of a URL, which may hold a signature.
 *
 * **Cache.** With cache_dir, what was read is kept in files of that directory, in blocks of 32 KiB,
 * and read from there by later calls, handles and programs. Requests are rounded out to whole
 * blocks, and grow by less than 64 KiB; a call makes no more of them than without a cache.
 * - Only objects with a strong ETag are kept. A block is used when an answer to the same source
 *   told the ETag and size that it was stored with. So opening takes at least one request, of one
 *   byte if the ends of the object are there, and a server that refuses it hides what is kept.
 * After that reads of kept blocks ask nothing: that an object was replaced, or the right to read it
 *   withdrawn, shows with the next request, or tess_source.refresh.
 * - An object is known by its URL without user, password and the parameters of a presigned URL; in
 *   S3 by endpoint, bucket and key. Of a replaced object only the new version is kept.
 * - When the files take more than cache_size, whole files are removed, least recently used first;
 *   never other files of the directory. Sources that write at once may exceed it by 1/64 each, from
 *   the fifth on, and by one file. An object larger than cache_size makes room by being removed.
 * - Any number of programs may share a directory, with the same or other sizes. It should be on a
 *   local disk: reading and storing block the calling thread. A damaged block is read from the
 *   server again. What cannot be stored (a full disk, a directory that cannot be written) is not,
 *   and no call fails for it.
 * - Bytes that were read with credentials lie there unencrypted, in files that only the user of the
 *   program can read (0600; a directory that is made has 0700). Names and files hold hashes: no
 *   URL, ETag or credentials. Removing the directory is safe at any time.
 *
 * **Redirects** are followed, at most 10, to http and https. Passwords, tokens and headers of the
 * options are only sent to the scheme, host and port of the URL that was given.
 *
 * **Proxies and certificates.** As libcurl finds them: the environment (https_proxy, no_proxy ...),
 * the certificates of the system. Servers without a valid certificate are refused.
 */
#ifndef TESSERA_HTTP_H
#define TESSERA_HTTP_H

#include "tessera/error.h"
#include "tessera/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * @def TESS_HTTP_API
 * Marks what the library tessera-http exports.
 */
#if defined(__GNUC__)
#define TESS_HTTP_API __attribute__((visibility("default")))
#else
#define TESS_HTTP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How a URL is read and written. Texts are copied by tess_http_source(); NULL: none.
 */
typedef struct tess_http_options {
    /** sizeof(tess_http_options) of the program; set by tess_http_options_init(). */
    size_t struct_size;

    /** Milliseconds until a connection must be there, TLS included. Default 10,000. */
    int connect_timeout;
    /** A try fails if fewer than stall_speed bytes per second arrived during so many milliseconds,
     * also before the answer. Default 20,000. */
    int stall_timeout;
    /** Bytes per second; at least 1. Default 64. */
    int stall_speed;
    /** Milliseconds that a call of a function of the source takes at most, with all tries and
     * pauses; of one that writes: each request, and 1000 more for each MiB of it. Default
     * 300,000. */
    int deadline;
    /** How often in a row a request is tried without getting ahead, at least 1. Default 5. */
    int tries;
    /** Requests of a call that are under way at once, 1 to 256. Default 16. */
    int requests;

    /** Read at least so many bytes at the start of an object when it is opened; what the call did
     * not ask for is kept for later ranges, if the object is guarded. At most 16 MiB. Default 0. */
    int64_t first;
    /** The same for the end of an object. Default 0: as much as is asked for. */
    int64_t last;

    /** Name for servers that ask for one (Basic); overrides that of the URL. */
    const char *user;
    const char *password; /**< for user */
    const char *token; /**< sent as "Authorization: Bearer"; not together with user */
    /** More headers, each "Name: value", of nheaders. Not those that the library sets:
     * Accept-Encoding, Host, If-Match, Range, If-None-Match, Expect, Content-MD5; and, with other
     * credentials, Authorization. */
    const char *const *headers;
    size_t nheaders; /**< length of headers */
    const char *ca_file; /**< certificates (PEM) of authorities, in place of the system's */

    /** @name For s3://bucket/key
     * Keys and region that are not given are looked for as the AWS command line does: in the
     * environment (AWS_ACCESS_KEY_ID ...), then in ~/.aws. Without keys requests are not signed.
     * @{ */
    const char *access_key; /**< ID of the access key; with secret_key */
    const char *secret_key; /**< signs requests; is not sent */
    const char *session_token; /**< of temporary keys */
    const char *region; /**< such as eu-central-1; a wrong one is corrected by AWS itself */
    const char *endpoint; /**< URL of a server other than AWS */
    bool anonymous; /**< do not sign, and look for no keys */
    /** @} */

    /** Bytes of the first thousand parts of an object that is written to S3, and of
     * tess_source.head: 64 KiB to 1 GiB; S3 wants at least 5 MiB. 0: 8 MiB. */
    int64_t part_size;

    /** @name Cache on disk
     * See "Cache" above.
     * @{ */
    const char *cache_dir; /**< directory; made, if only its last part is missing; NULL: no cache */
    int64_t cache_size; /**< bytes on disk that the directory may take; 0: 1 GiB */
    /** @} */
} tess_http_options;

/**
 * Set the defaults.
 *
 * @param options      Receives them.
 * @param struct_size  Size of *options in bytes: the macro passes sizeof(tess_http_options).
 */
TESS_HTTP_API void tess_http_options_init_sized(tess_http_options *options, size_t struct_size);
/** For programs in C and C++: tess_http_options_init_sized() with the size of their struct. */
#define tess_http_options_init(options) \
    tess_http_options_init_sized((options), sizeof(tess_http_options))

/**
 * Ask whether a text begins like a URL that tess_http_source() takes: http://, https:// or s3://,
 * in any case of letters.
 *
 * @param text  Such as a path; not NULL.
 *
 * @return true: it does.
 */
TESS_HTTP_API bool tess_http_is_url(const char *text);

/**
 * Make a source of a URL. Nothing is requested yet.
 *
 * A URL that ends in a slash is a directory, such as of a sparse array: its parts are the URL with
 * a name behind the slash, a query stays behind. They have the options of the directory, and share
 * its connections.
 *
 * The functions of the source may be called in a child of fork(), too: it makes connections of its
 * own. libcurl is initialised on the first call, by any thread.
 *
 * @param url      http://, https://, or s3://bucket/key, where all behind the bucket is the key.
 *                 A name and password in it are those of the options user and password.
 * @param options  NULL: the defaults.
 * @param source   Initialised; receives functions, name, latency and requests. If it is not passed
 *                 on to an array, source->close(source->user) frees it.
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (a URL or option that cannot be), TESS_ERR_UNSUPPORTED (another
 *         scheme; members that this version does not know), TESS_ERR_LIMIT, TESS_ERR_NOMEM;
 *         TESS_ERR_IO (a file with keys cannot be read, libcurl does not start).
 */
TESS_HTTP_API TESS_NODISCARD tess_status tess_http_source(const char *url,
                                                          const tess_http_options *options,
                                                          tess_source *source, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
