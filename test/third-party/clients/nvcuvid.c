/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * NVIDIA's library of video decoders, with none: GStreamer's plugin has no elements at all where
 * there is neither that library nor the one of encoders. Each function is CUDA_ERROR_NOT_SUPPORTED.
 */
#define NONE(name)       \
	int name(void);  \
	int name(void)   \
	{                \
		return 801; \
	}
NONE(cuvidCtxLockCreate)
NONE(cuvidCtxLockDestroy)
NONE(cuvidCtxLock)
NONE(cuvidCtxUnlock)
NONE(cuvidCreateDecoder)
NONE(cuvidDestroyDecoder)
NONE(cuvidDecodePicture)
NONE(cuvidGetDecoderCaps)
NONE(cuvidMapVideoFrame64)
NONE(cuvidUnmapVideoFrame64)
NONE(cuvidCreateVideoParser)
NONE(cuvidParseVideoData)
NONE(cuvidDestroyVideoParser)
