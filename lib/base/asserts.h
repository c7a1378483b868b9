/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Invariants: what code relies on, and no input can make wrong. Builds with a sanitizer (fuzz
 * builds are such) or with COV=1 abort where one does not hold; others evaluate nothing and have
 * no code for it. What input can make wrong is an error (err.h), not an assert.
 *
 * Not named assert.h: that is C's, which is included for static_assert.
 */
#ifndef LIB_ASSERTS_H
#define LIB_ASSERTS_H

#include <assert.h>

/* The Makefile sets it for SAN= and COV=1. */
#ifndef ASSERTS
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ASSERTS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ASSERTS 1
#endif
#ifndef ASSERTS
#define ASSERTS 0
#endif
#endif

/* Writes the place and @text to stderr, and aborts. */
void assert_failed(const char *file, int line, const char *text)
	__attribute__((noreturn, cold));

/*
 * @x holds here, always. It has no side effect: it is compiled everywhere and evaluated only where
 * asserts are on. (Not sizeof(!!(x)), for which clang warns of functions that only asserts call.)
 */
#if ASSERTS
#define ASSERT(x) ((x) ? (void)0 : assert_failed(__FILE__, __LINE__, #x))
#else
#define ASSERT(x) ((void)(0 && (x)))
#endif

#endif
