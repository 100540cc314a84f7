/*
 * user.h - codecs of the program, as codecs of ours.
 */
#ifndef CODEC_USER_H
#define CODEC_USER_H

#include "codec/codec.h"

#include <tessera/plugin.h>

// The description has to stay as long as the codec.
struct codec codec_of_user(const tess_user_codec *user);

#endif
