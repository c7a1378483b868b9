# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# make check-one and make check-changed: which tests they find.

bats_require_minimum_version 1.5.0

# bats file_tags=plain

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
}

finds() {	# NAME WHERE...: what runs by that name
	local name=$1

	shift
	run -0 scripts/check-one --find "$name"
	[[ $(cut -d: -f1 <<<"$output") == "$(printf '%s\n' "$@")" ]]
}

@test "a test of every suite is found by its name" {
	finds test_wrap_and_hint test/unit/err.c
	finds ptx_lex test/unit/ptx_lex.c test/fuzz/ptx_lex.c
	finds test_block_on_null_stream test/conformance/gpurun/guard.c
	finds "a test of every suite is found by its name" test/cli/check_one.bats
	finds neg_s16 build/ptx/abs.ptx
	finds fft.nvcc90 build/ptx/kernels/fft.nvcc90.ptx
	finds abs build/ptx/abs.ptx test/ptx/forms/table.txt test/ptx/mpfr
	finds no-pools test/driver-failures/scenarios
	finds wgmma test/fuzz/cpu/wgmma.c build/ptx/wgmma.ptx test/ptx/forms/table.txt test/ptx/mpfr test/mlir/run
	finds gcc_offload test/abi/gcc_offload
}

@test "a pattern, and a path" {
	finds 'test_block_on_*_stream' test/conformance/gpurun/guard.c \
		test/conformance/gpurun/guard.c
	finds test/unit/err.c test/unit/err.c
	finds build/ptx/abs.ptx build/ptx/abs.ptx
	finds test/ptx/cases/alloca.ptx test/ptx/cases/alloca.ptx
}

@test "what has no such name is an error, with near names" {
	run -2 scripts/check-one test_wrap_and_hnt
	[[ ${lines[0]} == "check-one: no test, program or file has the name test_wrap_and_hnt" ]]
	[[ $output == *$'\n  near: test_wrap_and_hint'* ]]
	run -2 scripts/check-one ""
	[[ $output == "check-one: name one test: make check-one T=NAME" ]]
}

@test "a test that is found runs, and its failure is the status" {
	printf '%s\n' '#include "tap.h"' 'static void test_good(void) {}' \
		'static void test_bad(void) { CHECK(0); }' \
		'int main(void)' '{' 'RUN(test_good);' 'RUN(test_bad);' 'return tap_end();' '}' \
		>"$BATS_TEST_TMPDIR/two.c"
	cc -Itest "$BATS_TEST_TMPDIR/two.c" -o "$BATS_TEST_TMPDIR/two"
	TEST_ONLY=test_good run -0 "$BATS_TEST_TMPDIR/two"
	[[ $output == "ok - test_good" ]]
	TEST_ONLY=test_bad run -1 "$BATS_TEST_TMPDIR/two"
	# Everything but the build, in a tree with that one program.
	mkdir -p "$BATS_TEST_TMPDIR"/{scripts,test/unit,test/ptx/forms,test/driver-failures,build/test/unit}
	cp test/tally test/packages "$BATS_TEST_TMPDIR/test"
	cp scripts/check-one "$BATS_TEST_TMPDIR/scripts"
	touch "$BATS_TEST_TMPDIR"/{test/ptx/forms/table.txt,test/driver-failures/scenarios}
	cd "$BATS_TEST_TMPDIR"
	cp two.c test/unit/two.c
	mv two build/test/unit/two
	MAKE=true BUILD=build run -0 scripts/check-one test_good
	[[ ${lines[-1]} == "test/unit/two.c: 1 passed, 0 failed, 0 skipped" ]]
	MAKE=true BUILD=build run -1 scripts/check-one test_bad
	MAKE=false BUILD=build run -1 scripts/check-one test_good
}

# A repository of its own, whose main has nothing but the script.
changed() {	# FILE...: those differ
	local file

	rm -rf "$BATS_TEST_TMPDIR/tree"
	git init -q -b main "$BATS_TEST_TMPDIR/tree"
	mkdir "$BATS_TEST_TMPDIR/tree/scripts"
	cp scripts/check-changed "$BATS_TEST_TMPDIR/tree/scripts"
	cd "$BATS_TEST_TMPDIR/tree"
	git add .
	git -c user.name=x -c user.email=x@x commit -qm main
	for file in "$@"; do
		mkdir -p "$(dirname "$file")"
		touch "$file"
	done
	run -0 scripts/check-changed -n
	cd "$BATS_TEST_DIRNAME/../.."
}

@test "the suites that concern what changed" {
	changed
	[[ $output == "check-changed: no suite concerns what differs from main" ]]
	changed test/mlir/objects/race.o test/unit/cpu/race.c
	[[ $output == "check-changed: check-mlir, for test/mlir/objects/race.o
check-changed: test/unit/cpu/race.c alone" ]]
	changed cmd/print.c test/unit/cmd/units.c
	[[ $output == "check-changed: check-unit, for cmd/print.c
check-changed: check-fuzz, for cmd/print.c
check-changed: check-cli, for cmd/print.c
check-changed: check-recipes, for cmd/print.c
check-changed: lint, for cmd/print.c" ]]
	changed Makefile lib/base/err.c
	[[ $output == "check-changed: check and lint, for Makefile" ]]
	changed LICENSE
	[[ $output == "check-changed: nothing tests LICENSE"* ]]
	changed docs/stress.md
	[[ $output == "check-changed: lint, for docs/stress.md" ]]
}

@test "every suite of the table is a target of make" {
	local name

	for name in $(sed -n '/<<-.TABLE/,/^\tTABLE/s/^\t[^ ]* *\([a-z -]*\)$/\1/p' scripts/check-changed); do
		[[ $name == one || $name == nothing ]] ||
			grep -qE "^$name:" Makefile test/tests.mk || { echo "$name"; return 1; }
	done
}
