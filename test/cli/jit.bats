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
	fails 110 "gpurun: error: cpu:jit=often: CPU device: jit=often is not off, auto[:US], always or exits[:SEED]" \
		gpurun "$root/test/data/count/vadd.ptx" -d cpu:jit=often \
		--launch vadd -g 4 -b 64 -a f32:256 -a f32:256 -a f32:256
}

# Makes loop.ptx: each thread goes through a loop so many times.
loop() {	# ROUNDS
	cat >loop.ptx <<-EOF
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry loop(.param .u64 out)
		{
		.reg .b32 %t, %c, %j; .reg .b64 %to; .reg .pred %p;
		ld.param.u64 %to, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %to, %t, 4, %to;
		mov.u32 %j, 0; mov.u32 %c, 1;
		L: mad.lo.u32 %c, %c, 3, %t; add.u32 %j, %j, 1; setp.lt.u32 %p, %j, $1; @%p bra L;
		st.global.u32 [%to], %c;
		ret;
		}
	EOF
}

# Runs it with 16 worker threads.
launch_loop() {	# KEYS BLOCKS
	run -0 --separate-stderr gpurun loop.ptx -d "cpu:threads=16,$1" --launch loop -g "$2" -b 32 -a u32:32 --print arg0
}

@test "jit=auto compiles a kernel that has run for a while, one time, and no other" {
	compiles
	export GPURUN_LOG=jit
	loop 10
	launch_loop jit=auto 1
	[[ $stderr != *"jit: "* ]]
	loop 300000
	launch_loop jit=off 32
	same "$stderr" ""
	local want=$output
	for keys in jit=auto jit=auto:0 jit=auto:5000; do
		launch_loop "$keys" 32
		same "$output" "$want"
		(($(grep -c '^gpurun: jit: loop: .* bytes, ' <<<"$stderr") == 1))
	done
	launch_loop jit=auto:1000000000 32
	same "$output" "$want"
	[[ $stderr != *"jit: "* ]]
}

@test "and the launch that was long continues in its code" {
	compiles
	loop 200000000 # seconds, interpreted
	GPURUN_LOG=jit-time launch_loop jit=auto 1
	[[ $stderr =~ ^'gpurun: jit time: loop: '([0-9]+).[0-9]' % of '[0-9]+.[0-9]+' ms in compiled code'$'\n''gpurun: jit time: all kernels: ' ]]
	((BASH_REMATCH[1] >= 30))
}

@test "GPURUN_LOG=jit-time: the share of compiled code, of each kernel and of all" {
	local of=' % of [0-9]+\.[0-9]+ ms in compiled code$'

	compiles
	loop 100000
	GPURUN_LOG=jit-time launch_loop jit=always 4
	mapfile -t lines <<<"$stderr"
	((${#lines[@]} == 2))
	[[ ${lines[0]} =~ ^'gpurun: jit time: loop: '[5-9][0-9]\.[0-9]$of ]]
	[[ ${lines[1]} =~ ^'gpurun: jit time: all kernels: '[5-9][0-9]\.[0-9]$of ]]
	GPURUN_LOG=jit-time launch_loop jit=auto:1000000000 4
	[[ $stderr == 'gpurun: jit time: loop: 0.0 % of '* ]]
	GPURUN_LOG=jit-time launch_loop jit=off 4
	same "$stderr" ""
}

# bats test_tags=plain
@test "valgrind interprets with jit=auto" {
	compiles
	command -v valgrind >/dev/null || skip "needs valgrind"
	loop 10
	GPURUN_LOG=jit run -0 --separate-stderr valgrind -q --error-exitcode=99 gpurun loop.ptx \
		-d cpu:jit=auto:0,isa=v3 --launch loop -b 32 -a u32:32
	[[ $stderr == *"gpurun: jit: loop: not compiled: valgrind executes the process"* ]]
}

@test "where the system executes nothing that was written, kernels are interpreted, and -v says so" {
	compiles
	loop 10
	launch_loop jit=off 1
	local want=$output
	GPURUN_LOG=calls run --separate-stderr "$build/test/host-programs/confined" gpurun loop.ptx \
		-d cpu:jit=auto:0 --launch loop -b 32 -a u32:32 --print arg0
	((status != 77)) || skip "needs seccomp filters"
	same "$output" "$want"
	same "$stderr" "gpurun: CPU device: 1 launch of 1 kernel accepted; no unsupported call; kernels are interpreted: the system does not execute code that was just written"
}

@test "dump= has the machine code, which llvm-mc reads" {
	local mc

	compiles
	loop 10
	launch_loop jit=always,dump=loop 1
	[[ $stderr == *"gpurun: machine code of loop"$'\n'"# 0x0 "*"way out: "*"entry: "* ]]
	mc=$(compgen -c llvm-mc | sort -V | tail -n 1)
	[[ -n $mc ]] || skip "needs llvm-mc"
	"$mc" --disassemble --triple=x86_64 <(grep -E '^(#|0x)' <<<"$stderr") >code 2>errors
	[[ ! -s errors ]]
	grep -q 'retq' code
	grep -q 'vpaddd' code
}

@test "jit-perf=1 tells perf where the code is" {
	local map

	compiles
	loop 10
	bash -c 'echo $$ >pid; exec gpurun loop.ptx -d cpu:jit=always,jit-perf=1 --launch loop -b 32 -a u32:32'
	map=/tmp/perf-$(<pid).map
	[[ $(<"$map") =~ ^[0-9a-f]+' '[0-9a-f]+' jit:loop'$ ]]
	rm "$map"
	bash -c 'echo $$ >pid; ln -s there "/tmp/perf-$$.map"; exec gpurun loop.ptx -d cpu:jit=always,jit-perf=1 --launch loop -b 32 -a u32:32'
	[[ ! -e there && ! -e /tmp/there ]]
	rm "/tmp/perf-$(<pid).map"
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
