/*
 * state.h - what codecs keep from one call to the next: contexts of libraries, hash tables.
 *
 * A codec describes its contexts, and asks for one when it needs it; state.c knows no codec. Only
 * one thread at a time uses a codec_state.
 */
#ifndef CODEC_STATE_H
#define CODEC_STATE_H

// A kind of context: a constant object of the codec, whose address tells it from others.
struct codec_context {
    void *(*make)(int option); // NULL: no memory
    void (*free)(void *context);
};

struct codec_state;

struct codec_state *codec_state_new(void); // NULL: no memory
void codec_state_free(struct codec_state *s); // NULL is fine

// The context of a kind, made with the option when it is first asked for; each option has its own.
// It stays the state's. NULL: no memory.
void *codec_state_context(struct codec_state *s, const struct codec_context *kind, int option);

#endif
