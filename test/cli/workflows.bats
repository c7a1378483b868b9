# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What scripts/check-workflows finds: each test makes one mistake in a copy of action.yml or of
# the workflow in examples/ci.

bats_require_minimum_version 1.5.0

# bats file_tags=plain

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	python3 -c 'import yaml' 2>/dev/null || PATH=/usr/bin:$PATH
	python3 -c 'import yaml' 2>/dev/null || skip "needs python3-yaml: no module yaml"
	cd "$BATS_TEST_TMPDIR" || return 1
	cp "$root/action.yml" "$root/VERSION" .
	cp "$root/examples/ci/smoke.yml" flow.yml
	version=$(<VERSION)
}

# The message that a mistake gets, and no other.
mistake() {	# FILE SCRIPT-OF-SED MESSAGE
	sed -i "$2" "$1"
	run -1 "$root/scripts/check-workflows" flow.yml
	[[ ${#lines[@]} == 2 && ${lines[0]} == "#   $1: $3" ]] || { echo "$output"; return 1; }
}

@test "the action and the workflow without a mistake" {
	run -0 "$root/scripts/check-workflows" flow.yml
	[[ $output == "ok - "* ]]
}

@test "an input that action.yml does not have" {
	mistake flow.yml '0,/device: cpu/s//devices: cpu/' "action.yml has no input devices"
}

@test "a required input that is not given" {
	sed -i '/default: cpu/s/default.*/required: true/' action.yml
	sed -i '0,/device: cpu/{/device: cpu/d}' flow.yml
	run -1 "$root/scripts/check-workflows" flow.yml
	[[ ${lines[0]} == "#   flow.yml: the input device is not given" ]]
}

@test "an input that is declared nowhere" {
	mistake action.yml 's/inputs\.release/inputs.folder/' "inputs.folder is declared nowhere before this"
}

@test "contexts that are empty in an action" {
	mistake action.yml 's/inputs\.release/github.action_repository/' "github.action_repository is empty here"
	cp "$root/action.yml" .
	mistake action.yml 's/"\$RELEASE"/"$GITHUB_ACTION_REF"/' "GITHUB_ACTION_REF is empty here"
	cp "$root/action.yml" .
	mistake action.yml 's/inputs\.release/secrets.release/' \
		"there is no context secrets in an expression of this place (action): secrets.release"
}

@test "contexts that are not there in a workflow" {
	mistake flow.yml 's/GPURUN_TIMEOUT: 5m/GPURUN_TIMEOUT: ${{ runner.os }}/' \
		"there is no context runner in an expression of this place (workflow): runner.os"
	cp "$root/examples/ci/smoke.yml" flow.yml
	mistake flow.yml 's/if: always()/if: steps.kernels.outcome/' "steps.kernels is declared nowhere before this"
	cp "$root/examples/ci/smoke.yml" flow.yml
	mistake flow.yml 's/path: report.json/path: ${{ github.action_path }}/' "github.action_path is empty here"
}

@test "a variable of the project that no comment explains" {
	sed -i 's/^# GPURUN of the project/# of the project/' flow.yml
	run -1 "$root/scripts/check-workflows" flow.yml
	[[ ${lines[0]} == "#   flow.yml: no comment says what the variable GPURUN of the project is" ]]
}

@test "another version's checkout, or release" {
	mistake flow.yml "0,/ref: v$version/{/ref: /d}" "the checkout of gpurun has the ref None, not v$version"
	cp "$root/examples/ci/smoke.yml" flow.yml
	mistake flow.yml "0,/ref: v$version/s//ref: v0.0.1/" "the checkout of gpurun has the ref v0.0.1, not v$version"
	cp "$root/examples/ci/smoke.yml" flow.yml
	mistake flow.yml '0,/release: /{/release: /d}' "the release is not the one of v$version: None"
}

@test "an action that nothing has checked out" {
	mistake flow.yml '0,/uses: .\/.gpurun/s//uses: .\/other/' "no step before it checks out what ./other uses"
}

@test "a value in a script" {
	mistake flow.yml 's/lit-22 -v tests\/lit/lit-22 ${{ github.ref_name }}/' \
		"an expression in a script: its value can be any command; use env"
}

@test "a job without an end, an action without a version" {
	mistake flow.yml '0,/timeout-minutes: 30/{/timeout-minutes/d}' "a job without timeout-minutes"
	cp "$root/examples/ci/smoke.yml" flow.yml
	mistake flow.yml 's/upload-artifact@v4/upload-artifact/' "actions/upload-artifact has no version"
}
