# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# scripts/setup where it cannot, or need not, install anything. No test here
# installs a package: apt-get and sudo are stand-ins that note how they are called.

bats_require_minimum_version 1.5.0

# bats file_tags=plain

setup() {
	setup=$BATS_TEST_DIRNAME/../../scripts/setup
	bin=$BATS_TEST_TMPDIR/bin
	mkdir "$bin"
	local tool
	for tool in bash env cat tail mktemp rm; do
		ln -s "$(command -v $tool)" "$bin/$tool"
	done
}

stand_in() {	# NAME TEXT: a script in $bin
	printf '#!%s/bash\n%s\n' "$bin" "$2" >"$bin/$1"
	chmod +x "$bin/$1"
}

@test "nothing missing: quick and silent" {
	run -0 "$setup" check
	[ -z "$output" ]
}

@test "without apt it prints what is needed and stops" {
	PATH=$bin run -1 "$setup" demo
	[[ $output == *"no apt-get"* ]]
	[[ $output == *gcc*"GNU make"*libelf* ]]
}

@test "neither root nor sudo: the one line to run" {
	stand_in apt-get "echo called >>$BATS_TEST_TMPDIR/calls"
	stand_in id "echo 1000"
	PATH=$bin run -1 "$setup" demo
	[[ ${lines[-1]} == "apt-get update && apt-get install -y --no-install-recommends gcc make "* ]]
	[ ! -e "$BATS_TEST_TMPDIR/calls" ]
}

@test "through sudo it says what it installs, and installs that" {
	stand_in apt-get "echo apt-get \"\$@\" >>$BATS_TEST_TMPDIR/calls"
	stand_in apt-cache "exit 1"
	stand_in id "echo 1000"
	stand_in sudo '[[ $1 != -n ]] || shift; "$@"'
	ln -s "$(command -v true)" "$bin/true"
	PATH=$bin run -0 "$setup" demo
	[[ $output == *"setup: installing gcc make"* ]]
	grep -q "^apt-get install .* gcc make" "$BATS_TEST_TMPDIR/calls"
}

@test "an unknown level is refused" {
	run -2 "$setup" everything
	[[ $output == *"demo, check, strict"* ]]
}

@test "without root the packages are skipped, with the reason" {
	stand_in id 'echo 1000'
	PATH=$bin:$PATH run -0 "$BATS_TEST_DIRNAME/../../scripts/check-debian" -b
	[[ ${lines[0]} == "check-debian: skipped: "@("needs root"|"there is no ")* ]]
	[[ ${lines[1]} == "check-debian: 0 passed, 0 failed, 1 skipped" ]]
}
