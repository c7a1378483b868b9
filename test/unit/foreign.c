/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "foreign.h"
#include "tap.h"

static const char *name_of(const void *data, size_t size)
{
	const struct foreign *foreign = foreign_find((struct bytes){ data, size });

	return foreign ? foreign->name : "nothing";
}

static void test_magic(void)
{
	static const struct {
		const char *begin;
		size_t size;
		const char *name;
	} rows[] = {
		{ "ML\xEFR\r", 5, "MLIR bytecode" },
		{ "BC\xC0\xDE", 4, "LLVM bitcode" },
		{ "\xDE\xC0\x17\x0B", 4, "LLVM bitcode" },
		{ "\x1F\x8B\x08", 3, "a gzip file" },
		{ "\x28\xB5\x2F\xFD", 4, "a zstd file" },
		{ "\xFD" "7zXZ\0", 6, "an xz file" },
		{ "BZh9", 4, "a bzip2 file" },
		{ "PK\3\4", 4, "a zip archive" },
		{ "__CLANG_OFFLOAD_BUNDLE__", 24, "a bundle of HIP" },
		{ "CCOB\2\0", 6, "a compressed bundle of HIP" },
		{ "\3\2\x23\7", 4, "SPIR-V" },
		{ "\x93NUMPY", 6, "a NumPy array" },
		{ "!<thin>\n", 8, "a thin ar archive" },
		{ "#!/bin/sh", 9, "a script" },
		{ "BC", 2, "nothing" },
		{ "", 0, "nothing" },
		{ "hello, world", 12, "nothing" },
	};
	unsigned char elf[20] = { 0x7f, 'E', 'L', 'F', [18] = 0xe0 }, tar[262] = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_STR(name_of(rows[i].begin, rows[i].size), rows[i].name);
	CHECK_STR(name_of(elf, 20), "machine code for AMD's GPUs");
	CHECK_STR(name_of(elf, 19), "nothing");
	elf[18] = 62;
	CHECK_STR(name_of(elf, 20), "nothing");
	memcpy(tar + 257, "ustar", 5);
	CHECK_STR(name_of(tar, 262), "a tar archive");
	CHECK_STR(name_of(tar, 261), "nothing");
}

static void text(const char *text, const char *name)
{
	CHECK_STR(name_of(text, strlen(text)), name);
}

static void test_mlir(void)
{
	text("module {\n}\n", "MLIR");
	text("// RUN: mlir-opt %s\n\n  module attributes {gpu.container_module} {", "MLIR");
	text("module @m {", "MLIR");
	text("\"builtin.module\"() ({", "MLIR");
	text("gpu.module @k {", "MLIR");
	text("#map = affine_map<(d0) -> (d0)>\nmodule {", "MLIR");
	text("!t = memref<?xf32>\nfunc.func @f() {", "MLIR");
	text("func.func @f() {", "MLIR");
	text("#include <stdio.h>\n", "nothing");
	text("# Title\n", "nothing");
	text("module foo\nend module\n", "nothing"); /* Fortran */
	text("// only a comment", "nothing");
	text("/* an open one", "nothing");
}

static void test_llvm(void)
{
	text("; ModuleID = 'x'\nsource_filename = \"x\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n",
	     "LLVM IR");
	text("; a comment\ndefine ptx_kernel void @k() {", "LLVM IR");
	text("target triple = \"x86_64-pc-linux-gnu\"\n", "LLVM IR of a host program");
	text("; ModuleID = 'LLVMDialectModule'\n@kmod_binary = internal constant [4 x i8] c\"abcd\"\n",
	     "LLVM IR of a host program");
	text("%struct.s = type { i32 }\ndefine void @f() {", "LLVM IR");
	text("@x = global i32 0\n", "LLVM IR");
	text("@x + y\n", "nothing");
}

static void test_sources(void)
{
	text("// c\n#include <cuda_runtime.h>\n__global__ void k(int *p) {}\n", "CUDA source");
	text("__kernel void k(__global int *p) {}\n", "OpenCL source");
	text("\t.file\t\"a.c\"\n\t.text\n", "assembly");
	text("# made by cc\n\t.section .rodata\n", "assembly");
	text("\t.text\n\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx90a\"\n", "assembly for AMD's GPUs");
	text("int main(void) { return 0; }\n", "nothing");
	/* No text. */
	CHECK_STR(name_of("a\0__global__", 12), "nothing");
}

static void hint(const char *begin, const char *path, const char *want)
{
	const struct foreign *foreign =
		foreign_find((struct bytes){ (const uint8_t *)begin, strlen(begin) });
	char text[512];

	REQUIRE(foreign);
	CHECK_STR(foreign_hint(foreign, path, text, sizeof(text)), want);
}

static void test_hints(void)
{
	char path[300], small[8];
	const struct foreign gzip = { "", "zcat FILE | gpurun - ..." };

	hint("module attributes {gpu.container_module} {\n  gpu.binary @k [", "a.mlir",
	     "mlir-translate --mlir-to-llvmir a.mlir | llc -filetype=obj -o out.o");
	hint("\x1F\x8B", "a.gz", "zcat a.gz | gpurun - ...");
	hint("\x1F\x8B", NULL, "zcat FILE | gpurun - ...");
	hint("\x1F\x8B", "-a.gz", "zcat ./-a.gz | gpurun - ...");
	hint("\x1F\x8B", "a b.gz", "zcat 'a b.gz' | gpurun - ...");
	hint("\x1F\x8B", "it's.gz", "zcat 'it'\\''s.gz' | gpurun - ...");
	hint("\x1F\x8B", "$(FILE)", "zcat '$(FILE)' | gpurun - ...");
	memset(path, 'x', sizeof(path));
	path[299] = '\0';
	hint("\x1F\x8B", path, "zcat FILE | gpurun - ...");
	path[0] = ' ';
	hint("\x1F\x8B", path, "zcat FILE | gpurun - ...");
	hint("__global__", "k.cu", "nvcc -fatbin k.cu -o out.fatbin, or clang++ -x cuda "
	     "--cuda-device-only --cuda-gpu-arch=sm_90 -S k.cu -o out.ptx");
	CHECK_STR(foreign_hint(&gzip, "a.gz", small, sizeof(small)), "zcat a.");
}

int main(void)
{
	RUN(test_magic);
	RUN(test_mlir);
	RUN(test_llvm);
	RUN(test_sources);
	RUN(test_hints);
	return tap_end();
}
