# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# test/tally: what it counts, and which skips strict mode accepts.

bats_require_minimum_version 1.5.0

# bats file_tags=plain

setup() {
	tally=$BATS_TEST_DIRNAME/../tally
	unset GPURUN_TEST_STRICT TALLY_TIMES V
	# Of all packages, nvptx-tools alone is installed here.
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\n[ "$4" = nvptx-tools ] && echo installed\n' \
		>"$BATS_TEST_TMPDIR/bin/dpkg-query"
	chmod +x "$BATS_TEST_TMPDIR/bin/dpkg-query"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

skipped() {	# REASON: strict mode accepts it
	GPURUN_TEST_STRICT=1 run -0 "$tally" suite echo "ok - x # SKIP $1"
	[[ ${lines[-1]} == "suite: 0 passed, 0 failed, 1 skipped" ]]
}

refused() {	# REASON
	GPURUN_TEST_STRICT=1 run -1 "$tally" suite echo "ok - x # SKIP $1"
	[[ ${lines[0]} == "suite: FAILED - x: skipped, which strict mode refuses: $1" ]]
	run -0 "$tally" suite echo "ok - x # SKIP $1"
	[[ ${lines[-1]} == "suite: 0 passed, 0 failed, 1 skipped" ]]
}

@test "strict mode accepts a skip for a GPU, a processor, NVIDIA's toolkit, or a listed package" {
	skipped "needs a GPU"
	skipped "needs a processor with AVX-512"
	skipped "needs NVIDIA's toolkit: there is no cuda.h"
	skipped "needs gcc-12-offload-nvptx"
	skipped "needs mlir-22-tools: no mlir-opt-22"
	skipped "needs llvm-22, which is not installed"
}

@test "it refuses one for another package, and one for a package that is installed" {
	refused "needs hyperfine"
	refused "needs the package llvm-22"
	refused "needs llvm"
	refused "takes a minute"
	refused "needs nvptx-tools"
}

@test "every listed package has a reason, and scripts/setup installs it" {
	local package why

	while read -r package why; do
		[[ $why ]] || { echo "$package has no reason"; return 1; }
		grep -q " $package\$" "$BATS_TEST_DIRNAME/../../scripts/setup" ||
			{ echo "$package is not in scripts/setup"; return 1; }
	done < <(sed '/^#/d' "$BATS_TEST_DIRNAME/../packages")
}

@test "failures, deaths and silence count" {
	run -1 "$tally" suite printf 'ok - a\nnot ok - b\n'
	[[ ${lines[-1]} == "suite: 1 passed, 1 failed, 0 skipped" ]]
	run -1 "$tally" suite true ++ echo "ok - a" ++ sh -c 'echo "ok - b"; kill -9 $$'
	[[ ${lines[-1]} == "suite: 2 passed, 2 failed, 0 skipped" ]]
}

@test "a comment is shown one time, before what failed or after it, with V=1 each" {
	local lines_of='# 1\nok - a\nnot ok - b\n# 2\nok - c\n# 3\nok - d\n# 4\nnot ok - e\n'

	run -1 "$tally" suite printf "$lines_of"
	[[ $(grep '^#' <<<"$output" | xargs) == "# 2 # 4" ]]
	V=1 run -1 "$tally" suite printf "$lines_of"
	[[ $(grep '^#' <<<"$output" | xargs) == "# 1 # 2 # 3 # 4" ]]
}
