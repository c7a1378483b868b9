# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# jit= of the CPU device, and what GPURUN_LOG=jit says of it.

load helpers

# Runs two kernels, one of them two times; lines has what is said of them.
log() {	# KEYS
	local count=$root/test/data/count

	{ cat "$count/vadd.ptx"; sed '/^\.\(version\|target\|address_size\)/d' "$count/saxpy.ptx"; } >both.ptx
	GPURUN_LOG=jit run -0 --separate-stderr gpurun both.ptx -d "cpu:$1" \
		--launch vadd -g 4 -b 64 -a f32:256 -a f32:256 -a f32:256 \
		--launch vadd -g 4 -b 64 -a f32:256 -a f32:256 -a f32:256 \
		--launch saxpy -g 2 -b 64 -a f32:128 -a f32:128 -a 2.0 -a 100
	mapfile -t lines < <(grep '^gpurun: jit: ' <<<"$stderr")
}

compiles() {	# skips where nothing is compiled
	log jit=always
	[[ $stderr != *"a processor without"* ]] || skip "needs a processor with AVX2"
	((${#lines[@]})) || skip "needs a build with JIT=1"
}

# promise: With jit the CPU device writes
@test "GPURUN_LOG=jit has a line for each kernel, at its first launch" {
	local numbers='[0-9]+ PTX instructions, [0-9]+ bytes, [0-9]+ us'

	compiles
	((${#lines[@]} == 2))
	[[ ${lines[0]} =~ ^'gpurun: jit: vadd: '$numbers$ ]]
	[[ ${lines[1]} =~ ^'gpurun: jit: saxpy: '$numbers$ ]]
	run -0 --separate-stderr gpurun both.ptx -d cpu:jit=always \
		--launch vadd -g 4 -b 64 -a f32:256 -a f32:256 -a f32:256
	[[ $stderr != *"jit: "* ]]
}

@test "and says why a kernel is not compiled" {
	local options

	compiles
	for options in check=mem count=1 trace=saxpy; do
		log "jit=always,$options"
		same "${lines[*]}" "gpurun: jit: vadd: not compiled: check=, count= and trace= are executed by the interpreter gpurun: jit: saxpy: not compiled: check=, count= and trace= are executed by the interpreter"
	done
	log jit=always,isa=baseline
	same "${lines[0]}" "gpurun: jit: vadd: not compiled: isa=baseline, or a processor without AVX2, FMA or BMI2"
	log jit=off
	((${#lines[@]} == 0))
	log jit=always,jit-most=1
	[[ ${lines[0]} == *" bytes, "* ]]
	same "${lines[1]}" "gpurun: jit: saxpy: not compiled: jit-most= is reached"
}

@test "nor one that needs more of a thread's stack than there may be" {
	compiles
	{
		printf '%s\n' '.version 8.0' '.target sm_80' '.address_size 64' '.visible .entry deep(.param .u64 out)' '{' \
			'.reg .u32 %lane; .reg .u64 %out, %at, %a, %v;' 'ld.param.u64 %out, [out];' \
			'mov.u32 %lane, %tid.x;' 'mad.wide.u32 %a, %lane, 8, %out;' 'mov.u64 %at, %a;' 'ld.global.u64 %v, [%at];'
		for ((i = 0; i < 600; i++)); do
			printf '%s\n' 'add.u64 %a, %a, 8;' 'add.u64 %v, %v, %a;'
		done
		printf '%s\n' 'st.global.u64 [%at], %v;' 'ret;' '}'
	} >deep.ptx
	GPURUN_LOG=jit run -0 --separate-stderr gpurun deep.ptx -d cpu:jit=always --launch deep -b 32 -a u64:32
	[[ $stderr == *"gpurun: jit: deep: not compiled: its values need more than 131072 bytes of a thread's stack"* ]]
}

@test "a wrong value of jit is refused with those that there are" {
	fails 110 "gpurun: error: cpu:jit=auto: CPU device: jit=auto is not off, always or exits[:SEED]" \
		gpurun "$root/test/data/count/vadd.ptx" -d cpu:jit=auto \
		--launch vadd -g 4 -b 64 -a f32:256 -a f32:256 -a f32:256
}

# A command that compiles seven kernels: the code of the fifth is wrong.
stub_command() {
	cat >wrong <<-'EOF'
		#!/bin/bash
		most=${GPURUN_CPU##*jit-most=}
		[[ $GPURUN_CPU == *jit-most=* ]] || most=7
		[[ $GPURUN_CPU == *jit=always* ]] || most=0
		for ((i = 1; i <= most; i++)); do
			echo "gpurun: jit: k$i: 1 PTX instructions, 2 bytes, 3 us" >&2
		done
		echo "a line"
		echo "$((most < 5 ? 1 : 2)) $*"
	EOF
	chmod +x wrong
}

@test "scripts/jit-bisect names the kernel whose code makes the difference" {
	stub_command
	GPURUN_CPU=mem=1Gi run -1 --separate-stderr "$root/scripts/jit-bisect" ./wrong x
	same "$output" "jit-bisect: k5: 1 PTX instructions, 2 bytes, 3 us
jit-bisect: GPURUN_CPU=mem=1Gi,threads=1,jit=always,jit-most=5 is wrong, jit-most=4 is not
2c2
< 1 x
---
> 2 x"
	sed -i 's/^echo "$((.*/exit $((most < 2 ? 3 : 4))/' wrong
	run -1 --separate-stderr "$root/scripts/jit-bisect" ./wrong
	[[ $output == "jit-bisect: k2: "*"> exit 4" ]]
}

@test "and says where there is none, or no answer" {
	stub_command
	sed -i 's/most < 5/most < 9/' wrong
	prints "jit-bisect: no difference: 7 kernels are compiled" "$root/scripts/jit-bisect" ./wrong
	run -0 --separate-stderr "$root/scripts/jit-bisect" gpurun "$root/test/data/count/vadd.ptx" \
		--launch vadd -g 4 -b 64 -a f32:256:iota -a f32:256:iota -a f32:256 --print 2
	[[ $output == "jit-bisect: no difference: "* ]]
	fails 2 "jit-bisect: what the command prints changes from run to run" \
		"$root/scripts/jit-bisect" bash -c 'date +%N'
	# shellcheck disable=SC2016 # the command's
	fails 2 "jit-bisect: no kernel is compiled" "$root/scripts/jit-bisect" bash -c 'echo $GPURUN_CPU | grep -o always'
	fails 2 "jit-bisect: expected a command" "$root/scripts/jit-bisect"
}
