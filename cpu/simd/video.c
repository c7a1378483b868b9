/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "op_video.h"

#include "simd.h"

#define VIDEO(name)                                                                        \
	HANDLE(name)                                                                       \
	{                                                                                  \
		struct video video;                                                        \
		uint32_t *d = ROW(uint32_t, d);                                            \
		const uint32_t *a = ROW(uint32_t, a), *b = ROW(uint32_t, b);               \
		const uint32_t *c = ROW(uint32_t, c);                                      \
                                                                                           \
		memcpy(&video, &ip->imm, sizeof(video));                                   \
		EACH_ACTIVE d[l] = op_##name(video, a[l], b[l], c[l]);                     \
		NEXT;                                                                      \
	}

VIDEO(video)
VIDEO(video_scalar)
