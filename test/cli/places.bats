# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scripts/check-places: what a document names has to be in the tree.

bats_require_minimum_version 1.5.0

# bats file_tags=plain

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	page="$BATS_TEST_TMPDIR/page.md"
}

check_places() {	# STATUS TEXT: of a document
	printf '%s\n' "$2" >"$page"
	run "-$1" scripts/check-places "$page"
}

@test "files, folders, patterns and functions that there are" {
	check_places 0 'See `cmd/process/main.c:main`, `runtime/code/launch.h:launch`, `cpu/simd/control.c:halt`,
`cpu/simd/control.c:warp_run`, `cpu/exec/`, `cpu/lane/op_*.h` and `Makefile`, `a.b`, `GPURUN_CPU=x/y`, `/dev/null`.'
	[[ $output == "ok - every file and function that $page name is there" ]]
}

@test "a function of another name, a mere declaration and a mere call" {
	check_places 1 '`cpu/exec/warp.c:warp_meeting`, `cpu/exec/warp.h:warp_reconverge`,
and `cpu/exec/cta.c:race_end`'
	[[ $output == "# $page:1: cpu/exec/warp.c defines no function warp_meeting
# $page:1: cpu/exec/warp.h defines no function warp_reconverge
# $page:2: cpu/exec/cta.c defines no function race_end
not ok - every file and function that $page name is there" ]]
}

@test "files that are not there, or not from the root" {
	check_places 1 '`warp.c`, `cpu/exec/warps.c:run`, `driver/`-less `cpu/driver/`, `cpu/lane/ops_*.h`'
	[[ $output == "# $page:1: no file or folder warp.c
# $page:1: no file cpu/exec/warps.c
# $page:1: no file or folder cpu/driver/
# $page:1: no file or folder cpu/lane/ops_*.h
not ok - every file and function that $page name is there" ]]
}

@test "blocks of code are not read" {
	check_places 0 '```console
$ cat `warp.c`
```'
}
