/*
 * orphans.h - chunk files of a directory that no state needs: writers that were killed leave them.
 *
 * A writer may take their numbers, and write over them; so they can as well be removed before its
 * first chunk is stored, under the lock that keeps other writers away. Only then: files of a writer
 * at work are in no state either. Readers of an earlier state have lost the files that only that
 * had when the next one was committed; but those of a writer that never reuses space (never_reuse)
 * are orphans once another writer comes that does.
 *
 * Requires exclusive access to the frame.
 */
#ifndef FRAME_SPARSE_ORPHANS_H
#define FRAME_SPARSE_ORPHANS_H

struct frame;

// Remove those of a frame whose numbers are known (sparse.c). In large directories only where a
// file is found that the next chunk or the first lease would write over: to list all names may take
// longer than what the writer does. A failure is none of the caller's: orphans do no harm.
void orphans_remove(struct frame *f);

#endif
