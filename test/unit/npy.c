/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* npy headers as NumPy writes them, as others might, and as no program should. */
#include "npy.h"

#include "tap.h"

/* Builds a version 1 file around @dict with @size zero bytes of elements. */
static struct bytes build(const char *dict, size_t size)
{
	static uint8_t file[1024];
	size_t length = strlen(dict);

	memset(file, 0, sizeof(file));
	memcpy(file, "\x93NUMPY\1\0", 8);
	file[8] = (uint8_t)length;
	file[9] = (uint8_t)(length >> 8);
	memcpy(file + 10, dict, length);
	return (struct bytes){ file, 10 + length + size };
}

static const char *refusal(struct bytes file)
{
	static struct err e;
	struct npy npy;

	return npy_read(file, &npy, &e) == GPURUN_FORMAT ? e.text : "taken";
}

static void test_reads(void)
{
	struct npy npy;

	REQUIRE(!npy_read(
		build("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
		      24),
		&npy, NULL));
	CHECK_INT(npy.type, TYPE_F32);
	CHECK_INT(npy.shape.rank, 2);
	CHECK_INT(npy.shape.dims[1], 3);
	CHECK_INT(npy.data.size, 24);
	REQUIRE(!npy_read(
		build("{\"shape\":(4L,),\"descr\":\"|u1\",\"fortran_order\":False}", 4),
		&npy, NULL));
	CHECK_INT(npy.type, TYPE_U8);
	REQUIRE(!npy_read(build("{'descr': '<V2', 'fortran_order': False, 'shape': ()}",
				2),
			  &npy, NULL));
	CHECK(npy.is_void && npy.type == TYPE_BF16 && npy.shape.rank == 0);
	REQUIRE(!npy_read(build("{'descr': '|V2', 'fortran_order': False, 'shape': (0,)}",
				0),
			  &npy, NULL));
}

#define SHAPED(dims) "{'descr': '<f4', 'fortran_order': False, 'shape': " dims "}"

static void test_refuses(void)
{
	struct bytes file = build(SHAPED("(2,)"), 8);

	CHECK_STR(refusal((struct bytes){ file.data, 5 }), "not a npy file");
	((uint8_t *)(uintptr_t)file.data)[6] = 4;
	CHECK_STR(refusal(file), "npy: unknown version 4.0");
	((uint8_t *)(uintptr_t)file.data)[6] = 1;
	CHECK_STR(refusal((struct bytes){ file.data, 30 }),
		  "npy: cut off at offset 30, inside the header");
	CHECK_STR(refusal((struct bytes){ file.data, file.size - 1 }),
		  "npy: 7 bytes of elements where its shape needs 8");
	CHECK_STR(refusal(build(SHAPED("(2, 2)"), 8)),
		  "npy: 8 bytes of elements where its shape needs 16");
	CHECK_STR(refusal(build("{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}",
				8)),
		  "npy: the array is in Fortran order");
	CHECK_STR(refusal(build("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}",
				8)),
		  "npy: big-endian elements ('>f4')");
	CHECK_STR(refusal(build("{'descr': '<U1', 'fortran_order': False, 'shape': (2,)}",
				16)),
		  "npy: elements of type '<U1' cannot be used");
	CHECK_STR(refusal(build("{'descr': [('a', '<f4')], 'fortran_order': False}", 8)),
		  "npy: arrays of structs cannot be used");
	CHECK_STR(refusal(build("{'descr': '<f4', 'shape': (2,)}", 8)),
		  "npy header: descr, fortran_order or shape is missing");
	CHECK_STR(refusal(build("{'nonsense': 4}", 8)),
		  "npy header, offset 22: expected descr, fortran_order or shape");
	CHECK_STR(refusal(build("x", 8)), "npy header, offset 10: expected '{'");
	CHECK_STR(refusal(build("{'descr", 8)),
		  "npy header, offset 11: expected the end of the string");
}

static void test_refuses_shapes(void)
{
	CHECK_STR(refusal(build(SHAPED("4"), 16)), "npy header, offset 60: expected '('");
	CHECK_STR(refusal(build(SHAPED("(4"), 16)),
		  "npy header, offset 62: expected ',' or ')'");
	CHECK_STR(refusal(build(SHAPED("(-1,)"), 16)),
		  "npy header, offset 61: expected a number");
	CHECK_STR(refusal(build(SHAPED("(99999999999999999999,)"), 16)),
		  "npy header, offset 80: expected a smaller number");
	CHECK_STR(refusal(build(SHAPED("(9999999999, 9999999999)"), 16)),
		  "npy header, offset 83: expected a smaller shape");
	CHECK_STR(refusal(build(SHAPED("(1,1,1,1,1,1,1,1,1)"), 16)),
		  "npy header, offset 78: expected at most 8 dimensions");
	CHECK_HAS(refusal(build(SHAPED("(4611686018427387904,)"), 0)), "npy: ");
}

static void test_writes_what_it_reads(void)
{
	for (unsigned rank = 0; rank <= SHAPE_MAX_RANK; rank++) {
		struct shape shape = { rank,
				       { 1, 2, 1, 1, 1, 1, 1, 1 },
				       rank > 1 ? 2 : 1 };
		char file[NPY_HEADER_SIZE + 16] = { 0 };
		size_t size = npy_header(TYPE_I64, &shape, file);
		struct npy npy;

		CHECK_INT(size % 64, 0);
		REQUIRE(!npy_read((struct bytes){ (uint8_t *)file,
						  size + 8 * shape.count },
				  &npy, NULL));
		CHECK(shape_equal(&npy.shape, &shape) && npy.type == TYPE_I64);
	}
}

/* The type that elements of @description have; what else they may be is in npy_holds(). */
static struct npy described(const char *description, size_t size)
{
	struct npy npy = { .type = TYPE_COUNT };
	char dict[128];

	snprintf(dict, sizeof(dict), "{'descr': '%s', 'fortran_order': False, 'shape': (1,)}",
		 description);
	CHECK(!npy_read(build(dict, size), &npy, NULL));
	return npy;
}

/* promise: In a .npy file complex numbers */
/* promise: For a buffer of these */
static void test_types_of_no_name(void)
{
	struct npy quarter = described("|V1", 1), bytes = described("|u1", 1);
	struct npy e5m2 = described("<f1", 1);

	CHECK(quarter.is_void && npy_holds(&quarter, TYPE_E4M3) &&
	      npy_holds(&quarter, TYPE_E5M2) && !npy_holds(&quarter, TYPE_U8));
	CHECK(!bytes.is_void && npy_holds(&bytes, TYPE_E4M3) && npy_holds(&bytes, TYPE_E5M2) &&
	      npy_holds(&bytes, TYPE_U8) && !npy_holds(&bytes, TYPE_I8));
	CHECK(!e5m2.is_void && npy_holds(&e5m2, TYPE_E5M2) && !npy_holds(&e5m2, TYPE_E4M3));
	CHECK_INT(described("|f1", 1).type, TYPE_E5M2);
	CHECK_INT(described("<c8", 8).type, TYPE_C64);
	CHECK_INT(described("<c16", 16).type, TYPE_C128);
}

int main(void)
{
	RUN(test_reads);
	RUN(test_refuses);
	RUN(test_refuses_shapes);
	RUN(test_writes_what_it_reads);
	RUN(test_types_of_no_name);
	return tap_end();
}
