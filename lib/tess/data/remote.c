/*
 * remote.c - arrays at URLs.
 */
#include "data/remote.h"

#include "report.h"

#ifdef HAVE_HTTP
#include <tessera/http.h>
#endif

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool
remote_is_url(const char *path)
{
    static const char *const schemes[] = {"http://", "https://", "s3://"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (strncasecmp(path, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return false;
}

tess_status
remote_open(const char *url, tess_source *source, tess_error *err)
{
#ifdef HAVE_HTTP
    tess_http_options options;
    tess_http_options_init(&options);
    tess_source_init(source);
    options.ca_file = getenv("TESS_HTTP_CA");
    options.cache_dir = getenv("TESS_HTTP_CACHE");
    if (strncasecmp(url, "https://", 8) == 0)
        options.token = getenv("TESS_HTTP_TOKEN");
    return tess_http_source(url, &options, source, err);
#else
    (void)url, (void)source;
    return report_set(err, TESS_ERR_UNSUPPORTED,
                      "this build of tess cannot read URLs: it lacks libcurl");
#endif
}
