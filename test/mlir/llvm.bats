# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The programs here with LLVM's own tools and libraries, version 22. No sanitizer is in
# those: see programs.bats for what runs under them.

bats_require_minimum_version 1.5.0

setup() {
	here=$BATS_TEST_DIRNAME
	unset "${!GPURUN_@}"
	export GPURUN_DEVICE=cpu
	PATH=/usr/lib/llvm-22/bin:$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
	command -v mlir-opt >/dev/null || skip "needs mlir-22-tools, which is not installed"
	command -v llc >/dev/null || skip "needs llvm-22, which is not installed"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# The committed objects of some formats are those that the tools make.
remade() {	# FORMAT...
	local object

	"$here/build" all "$PWD/made" "$@"
	for object in made/*.o; do
		cmp "$object" "$here/objects/${object##*/}"
	done
	[[ $(ls made | wc -l) == "$(ls "$here/objects" | grep -cE "\.($(IFS="|"; echo "$*"))\.o$")" ]]
}

@test "the objects with PTX are what MLIR 22 and LLVM 22 make" {
	remade isa
}

@test "the objects with cubins and fatbins are what they make with CUDA 13.0" {
	[[ $(ptxas --version 2>/dev/null) == *"release 13.0"* ]] ||
		skip "needs NVIDIA's toolkit (ptxas and fatbinary 13.0)"
	remade bin fatbin
}
