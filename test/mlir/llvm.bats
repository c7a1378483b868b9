# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The programs here with LLVM's own tools and libraries, version 22. No sanitizer is in
# those: see programs.bats for what runs under them.

bats_require_minimum_version 1.5.0

setup() {
	here=$BATS_TEST_DIRNAME
	build=${BUILD:-build/gcc}
	[[ $build == /* ]] || build=$here/../../$build
	library=$build/lib/libmlir_cuda_runtime.so
	llvm=/usr/lib/llvm-22/lib
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

same() {	# GOT WANT
	[[ $1 == "$2" ]] || { printf 'got:\n%s\nwant:\n%s\n' "$1" "$2"; return 1; }
}

# Links a committed object with LLVM's runner libraries, and runs it.
with_debian() {	# NAME
	${CC:-cc} -o program "$here/objects/$1.isa.o" "$library" \
		"$llvm"/libmlir_c_runner_utils.so.22.1 "$llvm"/libmlir_async_runtime.so.22.1 \
		-Wl,-rpath,"$build/lib:$llvm"
	run -0 --separate-stderr ./program
}

@test "tasks on the threads of LLVM's own runtime" {
	with_debian race
	same "$output" "( 84, 84 )"
	same "${#stderr_lines[@]}" 1
	with_debian race23
	same "$output$stderr" "( 84, 84 )"
	with_debian chain
	same "$output" "( 7, 11, 15, 19 )"
	with_debian fork
	same "$output" "( 84, 84 )"
	same "${#stderr_lines[@]}" 1
}

# Runs a program as mlir-runner compiles it; what it prints, sorted, has to be the text.
# The runner itself prints what main returns, before or after.
in_runner() {	# NAME TEXT
	"$here/build" "$1" isa "$1.mlir"
	# Tasks are coroutines, which -O1 and above lower.
	run -0 --separate-stderr mlir-runner "$1.mlir" -O1 --entry-point-result=i32 \
		--shared-libs="$library" --shared-libs="$llvm/libmlir_c_runner_utils.so.22.1" \
		--shared-libs="$llvm/libmlir_async_runtime.so.22.1"
	same "$(LC_ALL=C sort <<<"$output")" "$2"
}

@test "mlir-runner --shared-libs: run as it is compiled" {
	in_runner race $'( 84, 84 )\n0'
	same "${#stderr_lines[@]}" 1
	in_runner race23 $'( 84, 84 )\n0'
	same "$stderr" ""
	in_runner modules $'0\n30'
	same "$stderr" ""
}

@test "mlir-runner ends with the status of the programs it runs, loaded or preloaded" {
	"$here/build" assert isa assert.mlir
	run -115 --separate-stderr mlir-runner assert.mlir --entry-point-result=i32 \
		--shared-libs="$library"
	[[ $stderr == *CUDA_ERROR_ASSERT* ]]
	LD_PRELOAD=$library run -115 --separate-stderr mlir-runner assert.mlir \
		--entry-point-result=i32
	[[ $stderr == *CUDA_ERROR_ASSERT* ]]
}
