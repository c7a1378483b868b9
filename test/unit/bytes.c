/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* bytes.h: nothing outside the span is ever returned, whatever the numbers are. */
#include "bytes.h"

#include "tap.h"

static const uint8_t data[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const struct bytes all = { data, sizeof(data) };

static void test_at(void)
{
	CHECK(bytes_at(all, 0, 8) == data);
	CHECK(bytes_at(all, 8, 0) == data + 8);
	CHECK(!bytes_at(all, 8, 1));
	CHECK(!bytes_at(all, 1, 8));
	CHECK(!bytes_at(all, UINT64_MAX, 1));
	CHECK(!bytes_at(all, 1, UINT64_MAX));
	CHECK(!bytes_at(all, UINT64_MAX, UINT64_MAX));
}

static void test_slice_keeps_out_on_failure(void)
{
	struct bytes out = { data, 3 };

	CHECK(!bytes_slice(all, 4, 5, &out));
	CHECK_INT(out.size, 3);
	CHECK(bytes_slice(all, 4, 4, &out));
	CHECK_INT(out.size, 4);
	CHECK_INT(out.data[0], 5);
}

static void test_loads_are_little_endian(void)
{
	CHECK_INT(load_u16(data), 0x0201);
	CHECK_INT(load_u32(data), 0x04030201);
	CHECK_INT(load_u64(data), 0x0807060504030201);
}

static void test_sizes_overflow(void)
{
	uint64_t out;

	CHECK(size_add(1, 2, &out) && out == 3);
	CHECK(!size_add(UINT64_MAX, 1, &out));
	CHECK(!size_mul(UINT64_MAX / 2, 3, &out));
}

int main(void)
{
	RUN(test_at);
	RUN(test_slice_keeps_out_on_failure);
	RUN(test_loads_are_little_endian);
	RUN(test_sizes_overflow);
	return tap_end();
}
