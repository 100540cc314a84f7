/*
 * look.h - which state of a story is found on the disk, and whether that is one of those promised.
 *
 * What is promised (storage.h, array.h, section 9 of the commit protocol), of commits in the order
 * in which they were asked for; a failed or unfinished one may be found or not, but whole:
 *
 *   - the program stopped, at any level: the last commit that returned, or a later one;
 *   - the machine stopped, level none: nothing;
 *   - level ordered: at least the last commit that had returned when the file was last synced. A
 *     commit syncs before it writes the header, so this is the last one that returned or the one
 *     before it. Creating, replacing and saving end with syncs of file and folder, and so do all
 *     commits of a sparse array: those are found once they have returned;
 *   - level fsync: at least the last commit that returned.
 *
 * What is found is verified: nothing of it is damaged, or changed by somebody else.
 *
 * Before the first commit of a path there is no file, or one that cannot be opened. The same holds
 * after a call that failed to make it; but the machine may stop before its removal is on the disk.
 */
#ifndef FAULT_LOOK_H
#define FAULT_LOOK_H

#include "fault/story.h"

#include <stdbool.h>
#include <stddef.h>

struct promise {
    int oldest, newest; // commits of the history; -1: nothing there that can be opened
    int returned; // the last one that returned
    size_t withdrawn; // those that were before this operation are not among them
};

// After `at` operations; `machine`: that stopped, not the program alone.
struct promise look_promise(const struct history *h, size_t at, bool machine);

enum { LOOK_NOTHING = -1, LOOK_WRONG = -2, LOOK_TEXT = 500 };

// The newest commit between the two that a path holds, LOOK_NOTHING, or LOOK_WRONG: then `text`
// says what there is instead.
int look(const char *path, const struct history *h, const struct promise *p, char *text);

// Whether an array that holds the state can be changed, and holds the changes when it is opened
// again; and where the story compacts it, whether that leaves no file that nobody needs. For what
// cannot be opened: whether it can be replaced. Else `text` says why not.
bool look_update(const struct story *s, const char *path, const struct history *h, int found,
                 char *text);

#endif
