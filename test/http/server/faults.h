/*
 * faults.h - the table of faults: how each changes an answer.
 */
#ifndef HTTP_SERVER_FAULTS_H
#define HTTP_SERVER_FAULTS_H

#include "http/server/answer.h"
#include "http/server/server.h"

struct server_fault_call {
    struct server_fault fault;
    const struct server_request *request;
    struct server_objects *objects;
    int port;
};

// What comes before the execution of the request. False: the request is not executed.
bool server_fault_prepare(const struct server_fault_call *c);

// Changes the answer; where the request was not executed, it is only initialised.
void server_fault_apply(const struct server_fault_call *c, struct server_answer *a);

#endif
