/*
 * output.h - files that appear whole or not at all.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <tessera/error.h>

#include <stdbool.h>
#include <sys/types.h>

/*
 * A file in the making. It is written under another name in the same folder, and takes its own
 * when it is complete; then what stood there before is replaced at once. A signal that ends the
 * program removes it. One at a time.
 */
struct output {
    char *path; // where it will stand
    char *temporary; // where to write it; the file does not exist yet
    bool force;
    mode_t mode; // of the file that it replaces, or 0
};

// TESS_ERR_IO if path exists and force is not given, or it is not a file. End with
// output_close(), also after a failure.
tess_status output_open(struct output *o, const char *path, bool force, tess_error *err);

// The file at `temporary` is complete and closed: bring it to the disk and give it its name.
tess_status output_publish(struct output *o, tess_error *err);

// Removes what was not published.
void output_close(struct output *o);

#endif
