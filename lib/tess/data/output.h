/*
 * output.h - files and directories that appear whole or not at all.
 */
#ifndef TESS_DATA_OUTPUT_H
#define TESS_DATA_OUTPUT_H

#include <tessera/error.h>

#include <stdbool.h>
#include <sys/stat.h>

enum output_kind {
    OUTPUT_FILE,
    OUTPUT_DIRECTORY, // of files; its name may end in '/'
    OUTPUT_TREE, // a directory of arrays and of directories of arrays; likewise
    OUTPUT_CHANGED // a file, or if it exists a changed copy of it, which `force` does not matter
                   // for
};

/*
 * A file or directory in the making. It is written under another name in the same folder, and takes
 * its own when it is complete; then what stood there before is replaced at once. A signal that ends
 * the program removes it. One at a time.
 */
struct output {
    char *path; // where it will stand
    char *temporary; // where to write it; nothing is there yet
    bool force;
    bool tree;
    mode_t mode; // of what it replaces, with its type, or 0
    bool changes; // what is there: `held` is open, with a lock against writers, and `was` tells of
                  // it
    int held;
    struct stat was;
};

/*
 * TESS_ERR_IO if something stands at path and force is not given, or it is something else than a
 * file, a sparse array or an empty directory. OUTPUT_CHANGED: if another program has locked the
 * file to write to it. End with output_close(), also after a failure.
 */
tess_status output_open(struct output *o, const char *path, enum output_kind kind, bool force,
                        tess_error *err);

// What is at `temporary` is complete and closed: bring it to the disk and give it its name.
// TESS_ERR_STALE if another program changed or replaced what OUTPUT_CHANGED was to change.
tess_status output_publish(struct output *o, tess_error *err);

// Removes what was not published.
void output_close(struct output *o);

#endif
