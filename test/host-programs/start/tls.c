/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library with thread-local data that has to be where the loader puts it at the start. */
static __thread char block[4096] __attribute__((tls_model("initial-exec"), used));

char *tls_block(void);

char *tls_block(void)
{
	return block;
}
