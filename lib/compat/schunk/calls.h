/*
 * calls.h - who may use the handle of a super-chunk, and for what.
 *
 * A file is opened for reading. The first call that changes it opens it for writing, and it stays
 * so until another super-chunk of this process wants to write the same file, or, if the program
 * wants locks, until the call ends. Each call commits what it changed (b2_schunk_end_counted()),
 * or, if that is deferred: it is committed when another super-chunk of this process reads the file,
 * when the super-chunk is freed, and when the process ends by exit().
 */
#ifndef COMPAT_SCHUNK_CALLS_H
#define COMPAT_SCHUNK_CALLS_H

#include "schunk/schunk.h"

// The list of super-chunks on files, and of those that functions of the program write; others are
// never on it.
void b2_access_add_file(struct b2_schunk *s);
void b2_access_remove_file(struct b2_schunk *s);

// The array of s was closed: nobody is to take the file from it. s is locked exclusively.
void b2_access_closed(struct b2_schunk *s);

// s, which is no view, ends: views that are not writable stay so.
void b2_access_end_owner(struct b2_schunk *s);

// Commit what super-chunks of this process wrote to the file or directory at path.
void b2_access_commit(const char *path);

// The same for a path of functions of the program.
void b2_access_commit_program(const char *path);

// Write the frame by functions of the program. s is locked exclusively, or used by one thread.
// Returns a code.
int b2_access_write(struct b2_schunk *s);

// Begin a call that reads items, or writes items. Returns a code; on success end it by
// b2_schunk_end().
int b2_schunk_read_begin(struct b2_schunk *s);
int b2_schunk_write_begin(struct b2_schunk *s);

// The same for calls that need the handle alone: without, or with changing the array.
void b2_schunk_alone_begin(struct b2_schunk *s);
int b2_schunk_change_begin(struct b2_schunk *s);

void b2_schunk_end(struct b2_schunk *s);

// Begin a call that reads one and changes another, which may be views of one array. Returns a code.
int b2_schunk_pair_begin(struct b2_schunk *reader, struct b2_schunk *writer);
void b2_schunk_pair_end(struct b2_schunk *reader, struct b2_schunk *writer);

// The same, and end a call that changed the writer (see below).
int b2_schunk_pair_end_change(struct b2_schunk *reader, struct b2_schunk *writer);

// End a call that changed the array: set the members that count, and end write access where other
// processes wait for it. Returns a code.
int b2_schunk_end_change(struct b2_schunk *s);

// The same where the members are set already.
int b2_schunk_end_counted(struct b2_schunk *s);

// Commit, and open the file for reading again. Not for super-chunks with views. Returns a code.
int b2_schunk_stop_writing(struct b2_schunk *s);

// Follow what others committed to the file. Returns 1 if there was something, 0, or a code.
int b2_schunk_follow(struct b2_schunk *s);

// After a call that failed with code rc: whether others had changed the file, which s has followed
// now, so that the call is to be tried again. Call with *tries 0 at first.
bool b2_schunk_try_again(struct b2_schunk *s, int64_t rc, int *tries);

#endif
