// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device constructors leave their digits in "value", destructors where "sink" points.
volatile unsigned value = 1;
unsigned *sink;

__attribute__((noinline)) static void push(volatile unsigned *to, unsigned digit)
{
	*to = *to * 10 + digit;
}

// A destructor is called in the reverse order of constructors.
__attribute__((constructor)) static void second(void) { push(&value, 3); }
__attribute__((constructor(101))) static void first(void) { push(&value, 2); }
__attribute__((destructor(101))) static void last(void) { if (sink) push(sink, 5); }
__attribute__((destructor)) static void last_but_one(void) { if (sink) push(sink, 4); }

__attribute__((nvptx_kernel)) void tell(unsigned *out) { *out = value; }
