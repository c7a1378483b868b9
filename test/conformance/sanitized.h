/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a sanitizer is built in: it keeps what is freed for a while, and its allocator
 * has locks that a child of fork() finds as other threads had them. */
#ifndef CONFORMANCE_SANITIZED_H
#define CONFORMANCE_SANITIZED_H

#ifndef __has_feature
#define __has_feature(name) 0 /* gcc; clang has no macros for sanitizers */
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                       \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { ADDRESS_SANITIZED = 1 };
#else
enum { ADDRESS_SANITIZED = 0 };
#endif

#endif
