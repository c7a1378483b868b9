/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * C++, Rust and D names as people write them. The demangler of C++ is its run-time library's,
 * opened at the first mangled name; without that library those names stay mangled.
 */
#ifndef LIB_DEMANGLE_H
#define LIB_DEMANGLE_H

/*
 * Returns the signature of the mangled @name, without a return type:
 * "axpb<int>(int*, int)", of Rust and D without parameters, "kernels::add<f32>",
 * "kernels.add<float>"; a copy of @name when it is not mangled, cannot be
 * demangled, or would become extremely long. Owned by the caller (free); NULL
 * when memory is exhausted. Thread-safe.
 */
char *demangle(const char *name);

/*
 * Returns the qualified name in the @signature that demangle() returned, without
 * parameters: "math::axpb<int>". Owned by the caller; NULL when memory is
 * exhausted.
 */
char *demangle_qualified(const char *signature);

/*
 * Returns what demangle_qualified() returns of demangle(@name), or a copy of @name where
 * that would take the run-time library of C++: no library is opened, so that a library of
 * ours can call it in any program and under any lock. Owned by the caller; NULL when memory
 * is exhausted.
 */
char *demangle_alone(const char *name);

/*
 * Returns the last part of @qualified without template arguments: "axpb".
 * Owned by the caller; NULL when memory is exhausted.
 */
char *demangle_base(const char *qualified);

#endif
