/*
 * handle.h - executes a request as an honest server does.
 */
#ifndef HTTP_SERVER_HANDLE_H
#define HTTP_SERVER_HANDLE_H

#include "http/server/answer.h"
#include "http/server/objects.h"
#include "http/server/uploads.h"

// `a` is initialised, and holds the answer afterwards.
void server_handle(struct server_objects *objects, struct server_uploads *uploads,
                   const struct server_options *options, const struct server_request *request,
                   struct server_answer *a);

#endif
