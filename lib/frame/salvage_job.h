/*
 * salvage_job.h - what the files of a salvage share: salvage.c, mend.c, salvage_parts.c.
 */
#ifndef FRAME_SALVAGE_JOB_H
#define FRAME_SALVAGE_JOB_H

#include "frame/container.h"
#include "frame/salvage.h"
#include "frame/search.h"

struct salvage_job {
    struct frame *f; // in the making
    struct salvage *s;
    struct search search; // of the file of header, index and trailer
    int64_t nbytes; // of the file, or of all files of the directory
    uint8_t front[FRAME_HEADER_SIZE]; // of the file, or zeros where it ends
    struct frame_header own; // of the file, whose lengths may be beyond its end
    bool has_own; // that agrees with itself
    bool has_ledger; // there is one of some state, so chunks of older ones may be anywhere
    struct block_grid grid; // of the array, while there is none
};

// salvage_parts.c: where the index of f->h is, or may be.
int64_t salvage_index_at(const struct salvage_job *j);

// The list of chunks that stands there, of nchunks; entries that cannot be right are INDEX_LOST.
// *end: where it ends. TESS_ERR_CORRUPT: there is none.
tess_status salvage_index(const struct salvage_job *j, int64_t position, int64_t nchunks,
                          struct frame_index *list, int64_t *end, tess_error *err);

// The variable-length metalayers of a trailer that ends at frame_len, or else starts at `start`;
// says in s what is damaged. The index stands from index_at to index_end. ledger: what was recorded
// of them; NULL: nothing.
tess_status salvage_trailer(struct salvage_job *j, int64_t frame_len, int64_t start,
                            int64_t index_at, int64_t index_end, const struct ledger *ledger,
                            tess_error *err);

// Drop, and count as lost, the variable-length metalayers whose content cannot be decoded.
void salvage_drop_damaged(struct salvage_job *j);

// The header of the chunk that an entry >= 0 leads to. False: there is none.
bool salvage_look(const struct salvage_job *j, int64_t entry, struct chunk_header *h);

// mend.c: what f is, by the header in the file and what follows from it. f is empty.
tess_status salvage_by_header(struct salvage_job *j, tess_error *err);
// The same where the frame can be opened: compare the list with the chunks that are there.
tess_status salvage_check_list(struct salvage_job *j, tess_error *err);
// Whether f's header, list and N-dimensional layer fit together.
bool salvage_fits(const struct frame *f);

#endif
