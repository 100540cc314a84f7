/*
 * forks.h - whether a test whose threads work may call fork() without exec().
 */
#ifndef SUPPORT_FORKS_H
#define SUPPORT_FORKS_H

#ifndef __has_feature // clang's
#define __has_feature(feature) 0
#endif

// The allocator of a sanitizer is locked for ever in the child, if a thread that has no copy there
// had it locked.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { FORK_BESIDE_THREADS = 0 };
#else
enum { FORK_BESIDE_THREADS = 1 };
#endif

#endif
