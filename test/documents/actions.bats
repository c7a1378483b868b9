# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# action.yml, and the workflows in examples/ci/ and examples/cuda-program/, run as far as they do
# without GitHub: the action's steps and those of the workflows, with what a project has.

bats_require_minimum_version 1.5.0
load documents

setup() {
	with_examples "$BATS_TEST_TMPDIR"
}

# Runs a step of the workflow as its runner would.
step() {	# JOB NAME [NAME=VALUE]...
	python3 - "examples/ci/${flow:-smoke}.yml" "$1" "$2" >step.sh <<-'PYTHON'
	import re, sys
	path, job, name = sys.argv[1:]
	text = open(path).read()
	part = re.search(r"^  %s:\n(.*?)(?=^  \w+:|\Z)" % job, text, re.S | re.M).group(1)
	step = re.search(r"- name: %s\n(?:        env:\n(?:          .*\n)+)?        run: \|\n((?:          .*\n)+)" % name, part)
	print(re.sub(r"(?m)^          ", "", step.group(1)))
	PYTHON
	run -0 alone GPURUN_DEVICE=cpu GPURUN_TIMEOUT=5m "${@:3}" bash -eo pipefail step.sh
}

@test "the steps of the workflow" {
	mkdir kernels tests
	cp examples/cuda/saxpy.ptx examples/cuda/pipeline.fatbin kernels/
	cp examples/c/driver.c tests/program.c
	step smoke Kernels
	grep -q '"code":0' report.json
	step smoke "Host programs"
	[[ $output == "gpurun CPU device: 1 3 5 7" ]]
	needs mlir-opt-22 mlir-translate-22 llc-22 FileCheck-22 lit-22
	cp -r examples/lit tests/lit
	step lit Tests
	[[ $output == *"Passed     : 3 "* ]]
}

@test "the step of the matrix, as each of its machines runs it" {
	local flow=matrix name keys check

	mkdir kernels
	cp examples/cuda/saxpy.ptx kernels/
	while read -r name keys check; do
		step kernels Kernels NAME="$name" GPURUN_CPU="$keys" GPURUN_CHECK="$check"
		[[ -s saxpy.$name.xml ]]
	done < <(sed -n 's/^          - { name: \(.*\), keys: "*\([^"]*\)"*, check: \(.*\) }/\1 \2 \3/p' \
		examples/ci/matrix.yml)
	[[ $(ls saxpy.*.xml | wc -l) == 4 ]]
}

# Runs the action as a runner does.
act() {	# INPUT=VALUE... | WORKFLOW JOB
	needs python:yaml
	mkdir -p "a runner"
	run alone RUNNER_TEMP="$PWD/a runner" GITHUB_PATH="$PWD/path" GITHUB_ENV="$PWD/environment" \
		VARS="${VARS:-}" python3 "$root/test/documents/act.py" "$@"
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
	ln -s "$release" release
	act device=cpu "release=$PWD/release"
	[[ $status == 0 && $(head -n 1 environment) == GPURUN_DEVICE=cpu ]]
	run -0 env -i "$(<path)/gpurun" -d cpu examples/llvm/main.fatbin --launch main
	run -0 env -i PATH="$PATH" "$(sed -n 2p environment)" pkg-config --variable=libdir gpurun
	[[ $output == *"runner/gpurun/lib/pkgconfig/.." ]]
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
	ln -s "$release" release
	stand_in_for_curl
	act device=auto
	[[ $status == 0 && $(head -n 1 environment) == GPURUN_DEVICE=auto && -x "$(<path)/gpurun" ]]
	[[ $(head -n 1 addresses) == \
		"$(<"$root/packaging/url")/releases/download/v$(<"$root/VERSION")/gpurun-"*.tar.gz ]]
}

@test "the workflows install the release, from the repository that their variable names" {
	local flow job

	ln -s "$release" release
	stand_in_for_curl
	for flow in ci/smoke.yml:smoke ci/smoke.yml:lit ci/matrix.yml:kernels cuda-program/ci.yml:cuda; do
		job=${flow#*:}
		rm -rf "a runner" addresses
		VARS=GPURUN=someone/copy act "examples/${flow%:*}" "$job"
		[[ $status == 0 && -x "a runner/gpurun/bin/gpurun" ]]
		[[ $(head -n 1 addresses) == \
			https://github.com/someone/copy/releases/download/v$(<"$root/VERSION")/gpurun-*.tar.gz ]]
	done
}
