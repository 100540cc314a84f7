/*
 * url.h - URLs taken apart and put together (RFC 3986).
 *
 * A struct http_url holds only bytes that may stand in a request: no spaces, controls or bytes
 * above ASCII, so nothing of it can end a line of a header. Paths are kept as they are, with their
 * "." and ".." segments: an object store takes these for parts of a name. Callers that give the
 * text to libcurl set CURLOPT_PATH_AS_IS.
 *
 * Not here: s3:// (s3.h), relative references, names of hosts beyond ASCII.
 */
#ifndef HTTP_ADDRESS_URL_H
#define HTTP_ADDRESS_URL_H

#include <tessera/error.h>

struct http_url { // zeroed: empty
    char *scheme; // in small letters
    char *userinfo; // percent-encoded, or NULL; a secret
    char *host; // in small letters; [::1] with its brackets
    int port; // 0: that of the scheme
    char *path; // percent-encoded, begins with a slash
    char *query; // percent-encoded, without its question mark, or NULL; may hold a signature
};

/*
 * Take an absolute URL with a host apart; what stands behind # is dropped. In path and query
 * spaces, bytes above ASCII and "<>\^`{|} become percent-encoded. On success the caller ends *url
 * with http_url_finish(); else *url is empty.
 *
 * Returns TESS_ERR_ARG (text is no such URL: the message never shows any of it), TESS_ERR_LIMIT
 * (longer than 64 KiB), TESS_ERR_NOMEM.
 */
tess_status http_url_parse(const char *text, struct http_url *url, tess_error *err);

void http_url_finish(struct http_url *url);

// scheme://host:port/path?query, to be sent; userinfo is not in it. To be freed; NULL: no memory.
char *http_url_text(const struct http_url *url);

// The same without the query, for messages.
char *http_url_shown(const struct http_url *url);

// host:port, without the port of http (80) and https (443): what a client sends as the header Host.
char *http_url_host(const struct http_url *url);

#endif
