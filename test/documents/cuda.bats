# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What docs/cuda-programs.md and the workflow in examples/cuda-program/ tell people to run, runs.
# Each test has a copy of examples/cuda-program, and no GPU.

bats_require_minimum_version 1.5.0

load documents

setup() {
	cp -r "$documents/examples/cuda-program" "$BATS_TEST_TMPDIR/project"
	cd "$BATS_TEST_TMPDIR/project" || return 1
}

# Runs the block of a section that is marked sh.
section() {	# TITLE
	awk -v title="## $1" '/^## / { here = $0 == title } /^```sh$/ { on = here; next } /^```/ { on = 0 } on' \
		"$documents/docs/cuda-programs.md" >section.sh
	[[ -s section.sh ]]
	succeeds alone bash -euo pipefail section.sh
}

# Runs what the workflow's step runs, which has to end with STATUS.
step() {	# STATUS
	sed -n '/name: Build and test/,/^$/s/^          //p' ci.yml >step.sh
	[[ $(wc -l <step.sh) == 5 ]]
	run "-$1" alone bash -eo pipefail step.sh
}

@test "every section with commands is run by a test here" {
	[[ $(blocks docs/cuda-programs.md sh) == $(grep -c '^	section ' "$BATS_TEST_FILENAME") ]]
}

@test "nvcc" {
	needs nvcc
	section "nvcc, make"
	[[ $output == right ]]
}

@test "CMake, ctest" {
	needs nvcc cmake
	section "CMake, ctest"
	[[ $output == *"100% tests passed"* ]]
}

@test "ctest in CI" {
	needs nvcc cmake
	section "ctest in CI"
	[[ $output == *"100% tests passed"* ]]
	grep -q 'failures="0" errors="0"' gpurun.xml
	grep -q '<testcase name="one_value"' build/ctest.xml
}

@test "a test that must not skip" {
	needs nvcc cmake
	section "A test that must not skip"
	[[ $output == *"100% tests passed"* ]]
	# One that launches nothing is red, one that skips itself stays so.
	sed -i '/^	int count/i\	if (getenv("SKIPS")) return atoi(getenv("SKIPS"));' histogram.cu
	sed -i '$a set_tests_properties(counts PROPERTIES SKIP_RETURN_CODE 77)' CMakeLists.txt
	alone gpurun -d cpu --exec cmake --build build-each
	run alone SKIPS=0 ctest --test-dir build-each -R counts
	[[ $status == 8 && $output == *Failed* ]]
	run -0 alone SKIPS=77 ctest --test-dir build-each -R counts
	[[ $output == *Skipped* ]]
}

@test "clang" {
	needs clang++-22
	[[ -e /usr/local/cuda/lib64/libcudart.so ]] || skip "needs NVIDIA's toolkit, in /usr/local/cuda"
	section clang
	[[ $output == right ]]
}

@test "pytest" {
	needs nvcc python:pytest
	section pytest
	[[ $output == *"2 passed"* ]]
}

@test "finding a fault" {
	needs nvcc
	section "Finding a fault"
	[[ $output == $'right\nright' ]]
}

@test "the step of the workflow that builds and tests" {
	needs nvcc cmake
	step 0
	[[ $output == *"100% tests passed"* && $output != *::error* ]]
	grep -q 'failures="0" errors="0"' build/gpurun.xml
	grep -q '<testcase name="one_value"' build/ctest.xml
}

# bats test_tags=tree
@test "a wrong kernel fails there" {
	needs nvcc cmake
	sed -i 's/atomicAdd(&counts\[i\], here\[i\])/counts[i] = here[i]/' histogram.cu
	step 8
	[[ $output == *"::error file="*"histogram.cu,line=22,title=gpurun%3A race::"* ]]
	grep -q '<testcase .* name="race: race in histogram(.*, .*histogram.cu:22"' build/gpurun.xml
}

# bats test_tags=tree
# nvcc adds the library for launches from device code to every program of -rdc=true.
@test "relocatable device code, with what nvcc adds to it" {
	needs nvcc
	cat >one.cu <<-'E'
	#include <cstdio>
	extern __device__ int twice(int x);
	__global__ void run(int *p) { *p = twice(*p); }
	int main()
	{
		int *p, value = 21;

		cudaMalloc(&p, sizeof(value));
		cudaMemcpy(p, &value, sizeof(value), cudaMemcpyHostToDevice);
		run<<<1, 1>>>(p);
		cudaMemcpy(&value, p, sizeof(value), cudaMemcpyDeviceToHost);
		cudaFree(p);
		printf("%d %s\n", value, cudaGetErrorName(cudaGetLastError()));
	}
	E
	echo '__device__ int twice(int x) { return 2 * x; }' >two.cu
	for code in code=compute_90 'code=[sm_90,compute_90]'; do
		nvcc -rdc=true -gencode "arch=compute_90,$code" -cudart shared -o linked one.cu two.cu
		run -0 --separate-stderr alone gpurun -d cpu --exec ./linked
		[[ $output == "42 cudaSuccess" && ! $stderr ]]
	done
}

# bats test_tags=tree
@test "a launch from device code is refused by its name" {
	needs nvcc
	cat >nested.cu <<-'E'
	#include <cstdio>
	__global__ void child() {}
	__global__ void parent() { child<<<1, 1>>>(); }
	int main()
	{
		parent<<<1, 1>>>();
		puts(cudaGetErrorName(cudaGetLastError()));
	}
	E
	nvcc -rdc=true -gencode arch=compute_90,code=compute_90 -cudart shared -o nested nested.cu -lcudadevrt
	run -0 --separate-stderr alone gpurun -d cpu --exec ./nested
	[[ $output == cudaErrorNotSupported ]]
	[[ $stderr == *"__cudaCDP2"*"declared and defined nowhere"* ]]
}
