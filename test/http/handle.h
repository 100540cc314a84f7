/*
 * handle.h - executes a request as an honest server does.
 */
#ifndef HTTP_HANDLE_H
#define HTTP_HANDLE_H

#include "http/answer.h"
#include "http/objects.h"
#include "http/uploads.h"

// `a` is initialised, and holds the answer afterwards.
void server_handle(struct server_objects *objects, struct server_uploads *uploads,
                   const struct server_options *options, const struct server_request *request,
                   struct server_answer *a);

#endif
