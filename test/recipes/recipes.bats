# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What docs/recipes.md and the workflow in examples/ci/ tell people to run, run. Each
# test has a copy of examples/ in an empty folder, and no GPU.

bats_require_minimum_version 1.5.0

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=${BUILD:-build/gcc}
	[[ $build == /* ]] || build=$root/$build
	PATH=$build/bin:$PATH
	unset "${!GPURUN_@}" LD_LIBRARY_PATH
	cd "$BATS_TEST_TMPDIR" || return 1
	cp -r "$root/examples" .
	mkdir test
	cp -r "$root/test/exec" test/
}

needs() {	# TOOL...
	local tool package

	for tool in "$@"; do
		case $tool in
		mlir-*) package=mlir-22-tools ;;
		lit-22 | FileCheck-22) package=llvm-22-tools ;;
		*device-info-22) package=liboffload-22-dev ;;
		clang-22) package=clang-22 ;;
		*) package=llvm-22 ;;
		esac
		command -v "$tool" >/dev/null || skip "needs $package: no $tool"
	done
}

# Prints block number N of the document that is marked sh.
block() {	# N
	awk -v wanted="$1" '/^```sh$/ { n++; on = n == wanted; next } /^```/ { on = 0 } on' \
		"$root/docs/recipes.md"
}

# Runs the block that holds a text, which has to be there once.
recipe() {	# TEXT
	local n found=0 total

	total=$(grep -c '^```sh$' "$root/docs/recipes.md")
	for ((n = 1; n <= total; n++)); do
		[[ $(block "$n") == *"$1"* ]] || continue
		block "$n" >recipe.sh
		found=$((found + 1))
	done
	[[ $found == 1 ]] || { echo "$found blocks hold: $1"; return 1; }
	run -0 bash -euo pipefail recipe.sh
}

@test "every block of the document is run by a test here" {
	[[ $(grep -c '^```sh$' "$root/docs/recipes.md") == \
		$(grep -c '^	recipe ' "$BATS_TEST_FILENAME") ]]
}

@test "a smoke test in a script" {
	recipe "--expect y=iota=1,2"
	[[ $output == "" ]]
}

@test "a skip where there is no GPU" {
	recipe "--no-device-exit 77"
}

@test "a report of a fault" {
	recipe "report.json"
}

@test "test cases and annotations for a CI system" {
	recipe "--junit=junit.xml"
}

@test "kernels of several files" {
	recipe "--unload two"
	[[ $output == "y: "* ]]
}

@test "MLIR's object through a pipe, and FileCheck" {
	needs mlir-opt-22 mlir-translate-22 llc-22 FileCheck-22
	recipe "FileCheck-22 examples/lit/kernel.mlir"
}

@test "the lit suite passes, and what needs a GPU is unsupported" {
	needs mlir-opt-22 mlir-translate-22 llc-22 FileCheck-22 lit-22
	export GPURUN_DRIVER=/nonexistent
	recipe "lit-22 -v examples/lit"
	[[ $output == *"UNSUPPORTED: gpu :: gpu-only.ll"* ]]
	[[ $output == *"Passed     : 3 "* ]]
}

@test "the lit suite fails where a kernel is wrong" {
	needs mlir-opt-22 mlir-translate-22 llc-22 FileCheck-22 lit-22
	sed -i 's/constant 3.0/constant 4.0/' examples/lit/kernel.mlir
	sed -i 's/%right = arith.constant 0/%right = arith.constant 5/' examples/lit/program.mlir
	sed -i 's/shl i32 %old, 1/shl i32 %old, 2/' examples/lit/kernel.ll
	GPURUN_DEVICE=cpu run -1 lit-22 examples/lit
	[[ $output == *"Failed     : 3 "* ]]
}

@test "offload binaries of LLVM" {
	needs llc-22 clang-22 llvm-offload-binary-22
	recipe "-fembed-offload-object"
	[[ $output == "0: sm_75 PTX "*"  .llvm.offloading  producer=openmp arch=sm_75 "* ]]
	[[ $output == *"main runs on thread 0"*"main runs on thread 0"* ]]
}

# promise: That is any program
@test "an MLIR program, compiled ahead of time" {
	needs mlir-opt-22 mlir-translate-22 llc-22
	recipe "-lmlir_cuda_runtime"
	[[ $output == $'thread 0\nthread 1' ]]
}

@test "a program on LLVM Offload, linked with LLVM's own library" {
	[[ -e /usr/lib/llvm-22/include/offload/OffloadAPI.h ]] ||
		skip "needs liboffload-22-dev, which is not installed"
	recipe "examples/offload/vadd.c"
	[[ $output == $'1024 of 1024 right\n1024 of 1024 right' ]]
}

@test "a host program that opens the driver" {
	recipe "cc test/exec/opened.c"
	[[ $output == "gpurun CPU device: 1 3 5 7" ]]
}

@test "LLVM's own offload library lists the CPU device" {
	needs llvm-offload-device-info-22
	recipe "--exec llvm-offload-device-info-22"
	[[ $output == *$'\nNum Devices: 2\n'*$'\nName: gpurun CPU device\n'* ]]
}

# Runs a step of the workflow as its runner would, with the files that a project has.
step() {	# JOB NAME
	python3 - "$root/examples/ci/smoke.yml" "$@" >step.sh <<-'PYTHON'
	import re, sys
	path, job, name = sys.argv[1:]
	text = open(path).read()
	part = re.search(r"^  %s:\n(.*?)(?=^  \w+:|\Z)" % job, text, re.S | re.M).group(1)
	step = re.search(r"- name: %s\n        run: \|\n((?:          .*\n)+)" % name, part)
	print(re.sub(r"(?m)^          ", "", step.group(1)))
	PYTHON
	GPURUN_DEVICE=cpu GPURUN_TIMEOUT=5m run -0 bash -eo pipefail step.sh
}

@test "the steps of the workflow" {
	mkdir kernels tests
	cp examples/cuda/saxpy.ptx examples/cuda/pipeline.fatbin kernels/
	cp test/exec/saxpy.h test/exec/find.h tests/
	cp test/exec/opened.c tests/program.c
	step smoke Kernels
	grep -q '"code":0' report.json
	step smoke "Host programs"
	[[ $output == "gpurun CPU device: 1 3 5 7" ]]
	needs mlir-opt-22 mlir-translate-22 llc-22 FileCheck-22 lit-22
	cp -r examples/lit tests/lit
	step lit Tests
}

# Runs the action as a runner does.
act() {	# INPUT=VALUE... | WORKFLOW JOB
	python3 -c 'import yaml' 2>/dev/null || PATH=/usr/bin:$PATH
	python3 -c 'import yaml' 2>/dev/null || skip "needs python3-yaml: no module yaml"
	mkdir -p "a runner"
	RUNNER_TEMP="$PWD/a runner" GITHUB_PATH=$PWD/path GITHUB_ENV=$PWD/environment \
		run python3 "$root/test/recipes/act.py" "$@"
}

# Makes release/, one time for all tests.
release() {
	local made=$BATS_FILE_TMPDIR/release

	(
		flock 9
		[[ -d $made ]] || (cd "$root" && scripts/release -b "$BUILD" "$made")
	) 9>"$BATS_FILE_TMPDIR/lock"
	ln -s "$made" release
}

# Instead of the network: copies from release/, and notes each address.
stand_in_for_curl() {
	mkdir bin
	cat >bin/curl <<-'E'
	#!/bin/bash
	while (($# > 1)); do
		[[ $1 != -o ]] || to=$2
		shift
	done
	echo "$1" >>addresses
	cp "release/${1##*/}" "$to"
	E
	chmod +x bin/curl
	PATH=$PWD/bin:$PATH
}

@test "the action installs the release" {
	release
	act device=cpu "release=$PWD/release"
	[[ $status == 0 && $(<environment) == GPURUN_DEVICE=cpu ]]
	run -0 env -i "$(<path)/gpurun" -d cpu examples/llvm/main.fatbin --launch main
	[[ $(readlink -f "$(<path)/gpurun") == "$PWD/a runner/gpurun/bin/gpurun" ]]
}

@test "the action refuses what is not the release" {
	local file

	mkdir bad
	act "release=$PWD/bad"
	[[ $status == 1 && $output == *"install-release: no gpurun-"*" in $PWD/bad" ]]
	file=gpurun-$(<"$root/VERSION")-linux-$(uname -m).tar.gz
	echo other >"bad/$file"
	echo "$(sha256sum </dev/null | cut -d' ' -f1)  $file" >"bad/$file.sha256"
	act "release=$PWD/bad"
	[[ $status == 1 && $output == *"is not what its sum says" && ! -e "a runner/gpurun" ]]
}

@test "without a release the action installs this version's, from the project's address" {
	release
	stand_in_for_curl
	act device=auto
	[[ $status == 0 && $(<environment) == GPURUN_DEVICE=auto && -x "$(<path)/gpurun" ]]
	[[ $(head -n 1 addresses) == \
		"$(<"$root/packaging/url")/releases/download/v$(<"$root/VERSION")/gpurun-"*.tar.gz ]]
}

@test "the workflows install the release, from the repository that their variable names" {
	local flow job

	release
	stand_in_for_curl
	for flow in ci/smoke.yml:smoke ci/smoke.yml:lit cuda-program/ci.yml:cuda; do
		job=${flow#*:}
		rm -rf "a runner" addresses
		VARS=GPURUN=someone/copy act "examples/${flow%:*}" "$job"
		[[ $status == 0 && -x "a runner/gpurun/bin/gpurun" ]]
		[[ $(head -n 1 addresses) == \
			https://github.com/someone/copy/releases/download/v$(<"$root/VERSION")/gpurun-*.tar.gz ]]
	done
}
