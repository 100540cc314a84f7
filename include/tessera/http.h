/**
 * @file http.h
 * Sources (source.h) for HTTP, HTTPS and S3: the library tessera-http, which needs libcurl.
 * Programs link it in addition to libtessera (pkg-config tessera-http).
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
 * **Reading.** Each range is one range request (GET with a header Range). The requests of a call
 * run concurrently, on connections that are kept for later calls. No request is sent until the
 * source is used. If the server does not support range requests, one GET of the object brings all
 * ranges of a call, and is stopped after the last byte wanted: this works, but transfers all bytes
 * before it.
 *
 * **Consistency.** The first answer identifies the object by ETag, size and modification time.
 * Answers with another identity fail with TESS_ERR_STALE. tess_source_state.guarded is true if the
 * server sends strong ETags; requests then carry If-Match.
 *
 * **Writing.** A new array is written by tess_array_save() and the like, with TESS_MODE_NEW or
 * TESS_MODE_REPLACE (tess_source.write).
 * - An object of at most tess_source.head bytes is one PUT. Larger objects over http and https fail
 *   with TESS_ERR_UNSUPPORTED, since a PUT states the size first; a program that knows a bound can
 *   raise tess_source.head, which is held in memory.
 * - At S3, a larger object is a multipart upload: up to 4 parts are sent at once, by threads of the
 *   library that end when the source is closed or the object is published. The first 1000 parts
 *   have part_size bytes; later ones grow, so that 10,000 parts suffice for 5 TiB. S3 verifies the
 *   hash of each request.
 * - Memory, in addition to tess_source.head: 5 parts, but at most 320 MiB unless 2 parts are more.
 *   With the default part_size: 40 MiB for objects of up to 7.8 GiB, 320 MiB for up to 100 GiB.
 *
 * **Publishing** is atomic. TESS_MODE_NEW: a HEAD request looks for the object, and the last
 * request carries If-None-Match: *. A server that ignores this condition replaces an object that
 * appears between the two. If the answer to the last request is lost, the server is asked for the
 * object; if that does not settle it, the call fails although the object may exist. A single PUT
 * with TESS_MODE_REPLACE is retried without asking, and fails in that way after the last try. After
 * publishing, the source can be read, or written again.
 *
 * **Aborting.** If publishing fails, or the source is closed before, the upload is aborted, which
 * takes up to 5 seconds. If the server cannot be reached, or the answer that starts an upload is
 * lost, the incomplete upload stays at the server, invisible, until a lifecycle rule removes it.
 *
 * **Failures.** Transient failures (timeouts, lost connections, short answers, statuses 408, 425,
 * 429, and 5xx except 501 and 505) are retried from the first missing byte, after random pauses
 * that grow, or after Retry-After. TESS_ERR_NOT_FOUND: 404, 410. TESS_ERR_STALE: 412, or another
 * object. TESS_ERR_IO: everything else; tess_error.sys is EACCES for 401 and 403, ETIMEDOUT for
 * timeouts, EEXIST if TESS_MODE_NEW meets an object. Messages name the host, and never contain a
 * password, a key, or the query of a URL, which may be a signature.
 *
 * **Cancellation.** Requests of tess_source.read end within 100 ms after the progress function
 * cancelled the call; a host name lookup may delay this. Other requests, which open an object (also
 * each chunk of a sparse array) or write, are not cancelled: tess_http_options.deadline bounds
 * them.
 *
 * **Cache.** With cache_dir, bytes that were read are kept in files of that directory, in blocks of
 * 32 KiB, for later calls, handles and programs. Requests are extended to whole blocks, by less
 * than 64 KiB; a call sends no more requests than without a cache.
 * - Only objects with a strong ETag are cached. A block is used once an answer to the same source
 *   has confirmed the ETag and size that it was stored with. So opening sends at least one request,
 *   of one byte if the ends of the object are cached; if the server refuses it, the cached blocks
 *   are not used. Later reads of cached blocks send none: they do not notice that the object was
 *   replaced, or access revoked, until the next request or tess_source.refresh.
 * - The key of an object is its URL without user, password and the parameters of a presigned URL;
 *   in S3, endpoint, bucket and key. Of a replaced object only the new version is kept.
 * - If the files exceed cache_size, whole files are evicted, least recently used first; other files
 *   in the directory are never touched. Concurrent writers may exceed it by 1/64 each, from the
 *   fifth on, and by one file. An object larger than cache_size is evicted like others.
 * - Any number of programs may share a directory, even with different cache_size. It should be on a
 *   local disk: its reads and writes block the calling thread. A damaged block is read from the
 *   server again. If blocks cannot be stored (disk full, no permission), no call fails.
 * - Bytes that were read with credentials are stored unencrypted, in files that only the user of
 *   the program can read (0600; a directory that is created has 0700). Names and files contain
 *   hashes of URLs and ETags, no plain ones, and no credentials. The directory can be deleted at
 *   any time.
 *
 * **Redirects** of reads are followed, at most 10, to http and https. Writes follow none, except to
 * the region of an S3 bucket. Passwords, tokens and headers of the options are only sent to the
 * scheme, host and port of the given URL.
 *
 * **Proxies and certificates.** Proxies are those of the environment (https_proxy, no_proxy ...),
 * certificate authorities those of the system, as in libcurl, or ca_file. Servers without a valid
 * certificate are refused.
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
 * Options of a source. tess_http_source() copies all texts; NULL: none.
 */
typedef struct tess_http_options {
    /** sizeof(tess_http_options) of the program; set by tess_http_options_init(). */
    size_t struct_size;

    /** Milliseconds to establish a connection, TLS included. Default 10,000. */
    int connect_timeout;
    /** A try fails if fewer than stall_speed bytes per second arrive for so many milliseconds, even
     * before the answer begins. Default 20,000. */
    int stall_timeout;
    /** Bytes per second; at least 1. Default 64. */
    int stall_speed;
    /** Milliseconds that a call of a reading function of the source may take, with all retries and
     * pauses. Writing: per request, plus 1000 for each MiB of its body. Default 300,000. */
    int deadline;
    /** Consecutive tries of a request that bring no new byte, before it fails; at least 1.
     * Default 5. */
    int tries;
    /** Concurrent requests of a call, 1 to 256; also tess_source.requests. Default 16. */
    int requests;

    /** Read at least so many bytes at the start of an object when it is opened; bytes that the
     * library did not ask for are kept in memory for later ranges, if the object is guarded. At
     * most 16 MiB. Default 0: as many as the library asks for. */
    int64_t first;
    /** The same for the end of an object. */
    int64_t last;

    /** User name (Basic authentication); overrides that of the URL. */
    const char *user;
    const char *password; /**< for user */
    const char *token; /**< sent as "Authorization: Bearer"; not together with user */
    /** Additional headers, each "Name: value". Not allowed are those that the library sets:
     * Accept-Encoding, Host, If-Match, Range, If-None-Match, Expect, Content-MD5; and
     * Authorization together with other credentials. */
    const char *const *headers;
    size_t nheaders; /**< length of headers */
    const char *ca_file; /**< certificates of authorities (PEM), in place of the system's */

    /** @name For s3://bucket/key
     * Keys and region that are not given are taken from where the AWS command line finds them: the
     * environment (AWS_ACCESS_KEY_ID ...), then ~/.aws. Without keys, requests are not signed.
     * @{ */
    const char *access_key; /**< ID of the access key; with secret_key */
    const char *secret_key; /**< signs requests; never sent */
    const char *session_token; /**< of temporary keys */
    const char *region; /**< such as eu-central-1; if wrong, that which AWS answers is used */
    const char *endpoint; /**< URL of a server other than AWS */
    bool anonymous; /**< do not sign, and do not look for keys */
    /** @} */

    /** Bytes of each of the first 1000 parts of an upload to S3, and of tess_source.head: 64 KiB to
     * 1 GiB; S3 requires at least 5 MiB. 0: 8 MiB. */
    int64_t part_size;

    /** @name Cache on disk
     * See "Cache" above.
     * @{ */
    const char *cache_dir; /**< directory, created if its parent exists; NULL: no cache */
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
 * Whether a text begins with a scheme that tess_http_source() accepts: http://, https:// or s3://,
 * in upper or lower case.
 *
 * @param text  A URL or path; not NULL.
 *
 * @return true: it does.
 */
TESS_HTTP_API bool tess_http_is_url(const char *text);

/**
 * Make a source from a URL. No request is sent.
 *
 * A URL whose path ends in a slash is a directory, such as a sparse array. The URL of a part is
 * that of the directory with a name appended to the path; a query stays. Parts share options and
 * connections.
 *
 * Any thread may call it. A child of fork() may use the source, too: it opens its own connections.
 * libcurl is initialised by the first call.
 *
 * @param url      http://, https://, or s3://bucket/key, where everything after the bucket is the
 *                 key. A user name and password in the URL are used as the options user and
 *                 password.
 * @param options  NULL: the defaults.
 * @param source   Initialised; receives functions, user, name, latency, requests and head. If no
 *                 array takes it over, free it with source->close(source->user).
 * @param err      Filled on failure; may be NULL.
 *
 * @return TESS_OK; TESS_ERR_ARG (invalid URL or option), TESS_ERR_UNSUPPORTED (another scheme;
 *         members that this version does not know; S3 keys that have to be fetched),
 *         TESS_ERR_NOT_FOUND (no such profile of the AWS command line), TESS_ERR_LIMIT (URL or
 *         profile file too long), TESS_ERR_NOMEM, TESS_ERR_IO (a profile file cannot be read;
 *         libcurl does not start). On failure *source is unchanged.
 */
TESS_HTTP_API TESS_NODISCARD tess_status tess_http_source(const char *url,
                                                          const tess_http_options *options,
                                                          tess_source *source, tess_error *err);

#ifdef __cplusplus
}
#endif

#endif
