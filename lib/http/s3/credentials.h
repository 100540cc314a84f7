/*
 * credentials.h - keys, region and endpoint of S3, from the environment and from ~/.aws.
 *
 * What counts, and in which order, is as in botocore:
 *
 * - profile: AWS_DEFAULT_PROFILE, AWS_PROFILE, else "default", which need not be there;
 * - keys: AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY and AWS_SECURITY_TOKEN or AWS_SESSION_TOKEN;
 *   the profile in AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials); the profile in AWS_CONFIG_FILE
 *   (~/.aws/config); else none: anonymous;
 * - region: AWS_REGION (which botocore leaves to others), AWS_DEFAULT_REGION, the profile's region;
 * - endpoint: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, endpoint_url under s3 of the section [services
 *   NAME] that the profile names, the profile's endpoint_url; none of them with
 *   AWS_IGNORE_CONFIGURED_ENDPOINT_URLS or ignore_configured_endpoint_urls;
 * - style: addressing_style under s3 of the profile.
 *
 * A variable that is empty is as one that is not set. Profiles whose keys have to be fetched
 * (roles, SSO, a process) are TESS_ERR_UNSUPPORTED, unless the environment has keys. Metadata
 * services of machines and containers are not asked.
 */
#ifndef HTTP_S3_CREDENTIALS_H
#define HTTP_S3_CREDENTIALS_H

#include "address/s3.h"
#include "s3/signature.h"

// The value of a variable of the environment, or NULL. It must last until the next call.
typedef const char *s3_lookup_fn(void *user, const char *name);

struct s3_config { // zeroed: anonymous, at AWS
    struct s3_keys keys;
    char *region; // NULL: nothing says
    char *endpoint; // NULL: AWS
    enum s3_style style;
};

/*
 * On success the caller ends *config with s3_config_finish(); else it is empty.
 *
 * Returns TESS_ERR_ARG (a file cannot be understood, or says one thing without another that belongs
 * to it), TESS_ERR_NOT_FOUND (no such profile), TESS_ERR_UNSUPPORTED, TESS_ERR_LIMIT (a file is too
 * large), TESS_ERR_IO, TESS_ERR_NOMEM. Messages show names of files and numbers of lines, no
 * values.
 */
tess_status s3_config_load(s3_lookup_fn *lookup, void *user, struct s3_config *config,
                           tess_error *err);

// Wipes what it frees.
void s3_config_finish(struct s3_config *config);

#endif
