# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --check: what the CPU device's checker finds, how it is told, and exit status 119.

load helpers

setup_copy() {
	copy_ptx copy >copy.ptx
}

# promise: Look for bugs
# promise: Each finding is reported
# promise: 0 when all launches are done
@test "--check mem: an illegal access is a finding, the rest of the kernel runs" {
	setup_copy
	run -119 --separate-stderr gpurun copy.ptx --check mem --launch copy -b 8 \
		-a x=u32:8:iota -a y=u32:6 --print y
	same "$output" "y: 0 1 2 3 4 5"
	[[ $stderr == "gpurun: check: mem: illegal address: write of 4 bytes at 0x"*": \
1 byte beyond the 24 bytes at 0x"*" (from cuMemAlloc)
  kernel copy, block (0,0,0), thread (6,0,0) and 1 more of its warp
  PTX line 14: st.global.u32 [%rd2], %r2;
  grid (1,1,1) of blocks (8,1,1)
gpurun: check: 1 finding" ]]
	run -117 gpurun copy.ptx --launch copy -b 8 -a x=u32:8:iota -a y=u32:6
}

# promise: Look for bugs
# promise: INIT is
@test "--check init: uninitialised memory" {
	setup_copy
	run -119 --separate-stderr gpurun copy.ptx --check init --launch copy -b 8 \
		-a x=u32:8:uninit -a y=u32:8
	[[ $stderr == "gpurun: check: init: read of 4 bytes that nothing has written at 0x"*": \
byte 0 of the 32 bytes at 0x"* ]]
	run -0 gpurun copy.ptx --check init --launch copy -b 8 -a x=u32:8 -a y=u32:8
	run -0 gpurun copy.ptx --check init --launch copy -b 8 -a x=u32:8 -a y=u32:8:uninit \
		--launch copy -b 8 -a y -a x
}

@test "--check: what two checks find in one instruction are two findings" {
	setup_copy
	run -119 --separate-stderr gpurun copy.ptx --check mem,init \
		--launch copy -b 8 -a x=u32:8:uninit -a y=u32:8 \
		--launch copy -b 8 -a z=u32:6 -a y --print z:1
	[[ $stderr == *"check: init: read of 4 bytes"*"  PTX line 13: ld"*"check: mem: illegal \
address: read of 4 bytes"*"  PTX line 13: ld"*"check: 2 findings" ]]
}

# met: faults and findings were told in whole on standard error alone
@test "--check: findings are in the JSON report, and below faults above mismatches" {
	setup_copy
	run -119 gpurun copy.ptx --check=init --json=out.json --launch copy -b 8 \
		-a x=u32:8:uninit -a y=u32:8 -e y=fill=7
	same "$(json out.json exit code)" 119
	same "$(json out.json error stage)" check
	[[ $(json out.json error message) == "init: read of 4 bytes"* ]]
	same "$(json out.json findings 0 ptx_line)" 13
	[[ $(json out.json findings 0 text) == "init: read of 4 bytes"*"
  kernel copy, block (0,0,0), thread (0,0,0) and 7 more of its warp
  PTX line 13: ld.global.u32 %r2, [%rd1];
  grid (1,1,1) of blocks (8,1,1)" ]]
	run -117 gpurun copy.ptx --check=init --launch copy -b 8 -a x=u32:8:uninit -a y=u32:4
}

# promise: Look for bugs
# promise: As --check.
@test "--check: needs the CPU device, and names that there are" {
	setup_copy
	fails 110 "gpurun: error: --check mem: the device is 'gpu'
gpurun: hint: only the CPU device checks: -d cpu" \
		gpurun copy.ptx -d gpu --check mem --launch copy
	run -110 --separate-stderr gpurun copy.ptx --check mem,bugs --launch copy -a null -a null
	[[ $stderr == *"check=bugs is not one or more of mem, init, race, sync, leak"* ]]
	run -110 --separate-stderr gpurun copy.ptx --check bugs --launch copy -a null -a null
	[[ $stderr == *"check=bugs is not one or more of mem, init, race, sync, leak"* ]]
	run -110 --separate-stderr gpurun copy.ptx --check mem,none --launch copy -a null -a null
	[[ $stderr == *"check=none stands alone in its list" ]]
	fails 110 "gpurun: error: bad device selector 'cpu:': expected key=value after 'cpu:'
gpurun: hint: a selector is auto, gpu, gpu:N, gpu:UUID, gpu:PCI, cpu or cpu:key=value,..." \
		gpurun copy.ptx -d cpu: --check mem --launch copy -a null -a null
	GPURUN_CHECK= run -0 gpurun copy.ptx --launch copy -b 8 -a x=u32:8 -a y=u32:8
	GPURUN_CHECK=mem run -119 gpurun copy.ptx -d cpu:threads=1 --launch copy -b 8 \
		-a x=u32:8 -a y=u32:4
}

# promise: With exitcode=N among the names
@test "--check exitcode=N: another status for findings, or none" {
	local copy=(--launch copy -b 8 -a x=u32:8:uninit -a y=u32:8)

	setup_copy
	run -7 --separate-stderr gpurun copy.ptx --check init,exitcode=7 --json=out.json "${copy[@]}"
	same "$(json out.json exit)" '{"code": 7, "name": "check", "source": "gpurun"}'
	[[ $stderr != *spelling* ]]
	run -7 gpurun copy.ptx --check exitcode=7,init -t 60 "${copy[@]}"
	run -0 gpurun copy.ptx --check init,exitcode=0 "${copy[@]}"
	run -118 gpurun copy.ptx --check init,exitcode=0 "${copy[@]}" -e y=fill=7
	run -255 gpurun copy.ptx --check all,exitcode=255,-api "${copy[@]}"
	run -9 gpurun --check leak,exitcode=9 --exec "$build/test/host-programs/leak"
	run -9 gpurun -t 60 --check leak,exitcode=9 --exec "$build/test/host-programs/leak"
	GPURUN_CHECK=exitcode=7,init run -7 gpurun copy.ptx "${copy[@]}"
	# The last --check counts, as a whole.
	run -119 gpurun copy.ptx --check init,exitcode=7 --check init "${copy[@]}"
	run -0 gpurun --help --check exitcode=x
}

@test "--check: what is no exit status, no check or no key" {
	local value

	setup_copy
	for value in '' 256 300 x -1 7x 1000 ' 7'; do
		fails 110 "gpurun: error: --check exitcode=$value: not an exit status, 0 to 255" \
			gpurun copy.ptx --check "all,exitcode=$value" --launch copy
	done
	fails 110 "gpurun: error: --check exitcode=: not an exit status, 0 to 255" \
		gpurun copy.ptx --check all,exitcode --launch copy
	GPURUN_CHECK=all,exitcode=x fails 110 \
		"gpurun: error: GPURUN_CHECK exitcode=x: not an exit status, 0 to 255" \
		gpurun copy.ptx --launch copy
	fails 110 "gpurun: error: --check exitcode=7: no check is named
gpurun: hint: the names of checks go before it: all,exitcode=7" \
		gpurun copy.ptx --check exitcode=7 --launch copy
	fails 110 "gpurun: error: --check exitcode=7 and exitcode=8: two exit statuses" \
		gpurun copy.ptx --check all,exitcode=7,exitcode=8 --launch copy
	fails 110 "gpurun: error: --check threads=1: the one key here is exitcode=N
gpurun: hint: a key of the CPU device: -d cpu:threads=1" \
		gpurun copy.ptx --check all,threads=1 --launch copy
}

# promise: An old spelling does
# promise: Now --check WHAT,exitcode=N
@test "--error-exitcode: the old spelling of --check exitcode=N is noted once" {
	local copy=(--launch copy -b 8 -a x=u32:8:uninit -a y=u32:8)
	local note="gpurun: --error-exitcode is an old spelling: write --check WHAT,exitcode=N"

	setup_copy
	run -7 --separate-stderr gpurun copy.ptx --check init --error-exitcode 7 --json=out.json "${copy[@]}"
	same "$(json out.json exit)" '{"code": 7, "name": "check", "source": "gpurun"}'
	same "${stderr_lines[0]} $(grep -c spelling <<<"$stderr")" "$note 1"
	run -7 --separate-stderr gpurun copy.ptx --check init --error-exitcode=7 -q "${copy[@]}"
	[[ $stderr != *spelling* ]]
	# A worker reads the command line once more, and says nothing.
	run -7 --separate-stderr gpurun copy.ptx --check init --error-exitcode 3 --error-exitcode 7 -t 60 \
		"${copy[@]}"
	same "${stderr_lines[0]} $(grep -c spelling <<<"$stderr")" "$note 1"
	run -0 gpurun copy.ptx --check init --error-exitcode 0 "${copy[@]}"
	run -118 gpurun copy.ptx --check init --error-exitcode 0 "${copy[@]}" -e y=fill=7
	run -9 gpurun --check leak --error-exitcode 9 --exec "$build/test/host-programs/leak"
	run -7 gpurun copy.ptx --check init,exitcode=7 --error-exitcode 7 "${copy[@]}"
	fails 110 "$note
gpurun: error: --error-exitcode 7 and --check exitcode=9: two exit statuses
gpurun: hint: --error-exitcode is the old spelling: leave it out" \
		gpurun copy.ptx --check init,exitcode=9 --error-exitcode 7 "${copy[@]}"
	GPURUN_CHECK=all,exitcode=9 fails 110 "$note
gpurun: error: --error-exitcode 7 and GPURUN_CHECK exitcode=9: two exit statuses
gpurun: hint: --error-exitcode is the old spelling: leave it out" \
		gpurun copy.ptx --error-exitcode 7 "${copy[@]}"
	for value in 256 300 x ''; do
		fails 110 "gpurun: error: --error-exitcode $value: not an exit status, 0 to 255" \
			gpurun copy.ptx -q --check init --error-exitcode "$value" "${copy[@]}"
	done
	fails 110 "gpurun: error: --error-exitcode 7 without --check" \
		gpurun copy.ptx -q --error-exitcode 7 "${copy[@]}"
	fails 110 "gpurun: error: unknown option --error
gpurun: hint: gpurun --help lists the options" gpurun k --error 7
}

@test "--check, --json: a leak that is told after main() is in the report's status" {
	local forget=(env LD_PRELOAD="$build/test/host-programs/preload/forget.so" gpurun copy.ptx
		--check leak --launch copy -b 8 -a x=u32:8 -a y=u32:8)

	setup_copy
	export ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0
	run -119 --separate-stderr "${forget[@]}" -q --json=out.json
	[[ $stderr == "gpurun: check: leak: 300 bytes at 0x"*", from cuMemAlloc, allocation "*" are never freed
gpurun: check: 1 finding" ]]
	same "$(json out.json exit)" '{"code": 119, "name": "check", "source": "gpurun"}'
	same "$(json out.json error)" '{"stage": "check", "message": "findings at the end of the process: standard error has them"}'
	run -119 --separate-stderr "${forget[@]}" -t 60s --json
	echo "$output" >out.json
	same "$(json out.json error stage)" check
}

@test "--check: a program that fails keeps its own status, one that ends well gets 119" {
	run -3 --separate-stderr gpurun --check leak --exec "$build/test/host-programs/leak" 3
	[[ $stderr == *"gpurun: check: 6 findings" ]]
	run -119 gpurun --check leak --exec "$build/test/host-programs/leak" 0
	GPURUN_CPU=check=leak,error-exitcode=50 run -50 gpurun -d cpu --exec "$build/test/host-programs/leak"
	GPURUN_CPU=check=leak,error-exitcode=0 run -0 gpurun -d cpu --exec "$build/test/host-programs/leak"
	run -117 gpurun "$cuda/outofbounds.fatbin" --check race --launch . -b 32 -a i32:32
}

@test "--check: a forked child reports nothing of what its parent found" {
	run -119 --separate-stderr gpurun --check leak --exec "$build/test/host-programs/forked"
	[[ $output == "child: 0" && $(grep -c "check: 1 finding" <<<"$stderr") == 1 ]]
}

# promise: That is any program
@test "--check, --json, --exec: findings of the program are in the report" {
	setup_copy
	run -119 --separate-stderr gpurun --check mem,init,leak --json=out.json --exec \
		"$build/bin/gpurun" copy.ptx -d cpu --launch copy -b 8 -a x=u32:8:uninit -a y=u32:4
	[[ $stderr == *"gpurun: check: 2 findings" ]]
	same "$(json out.json exit)" '{"code": 119, "name": "check", "source": "gpurun"}'
	same "$(json out.json error stage)" check
	[[ $(json out.json error message) == "init: read of 4 bytes"* ]]
	[[ $(json out.json findings 0 text) == "init: read of 4 bytes"*"
  PTX line 13: ld.global.u32 %r2, [%rd1];
  grid (1,1,1) of blocks (8,1,1)" ]]
	[[ $(json out.json findings 1 text) == "mem: illegal address: write of 4 bytes"*"(8,1,1)" ]]
	run -3 gpurun --check leak --json=out.json --exec "$build/test/host-programs/leak" 3
	same "$(json out.json exit)" '{"code": 3, "name": "program", "source": "program"}'
	same "$(json out.json findings 5 text | cut -d, -f1 | sed 's/0x.*/0x/')" "leak: 100 bytes at 0x"
	GPURUN_CPU=check=leak,check-log=own.txt run -119 gpurun --json=out.json --exec \
		"$build/test/host-programs/leak"
	same "$(grep -c '^leak: ' own.txt)" 6
	run -0 gpurun --check all --json=out.json --exec "$build/bin/gpurun" copy.ptx -d cpu \
		--launch copy -b 8 -a x=u32:8 -a y=u32:8
	same "$(json out.json exit)" '{"code": 0, "name": "ok", "source": "program"}'
}

@test "check= in GPURUN_CPU: a program that knows nothing of it ends with 119" {
	setup_copy
	GPURUN_CPU=check=mem,threads=1 run -119 gpurun copy.ptx --launch copy -b 8 \
		-a x=u32:8 -a y=u32:4
	run -119 --separate-stderr gpurun --check mem --exec "$build/bin/gpurun" copy.ptx -d cpu \
		--launch copy -b 8 -a x=u32:8 -a y=u32:4
	[[ $stderr == "gpurun: check: mem: illegal address: write"* ]]
}

# Runs NAME_bad of examples/check, where CHECK finds something, and NAME_good, which has none.
twins() {	# CHECK NAME ARGUMENTS...
	local check=$1 name=$2 ptx=$root/examples/check/${file:-checks}.ptx

	shift 2
	run -119 --separate-stderr gpurun "$ptx" --check "$check" -q -t 60s --launch "${name}_bad" "$@"
	same "$(sed -n 's/^gpurun: check: \([a-z]*\):.*/\1/p' <<<"$stderr" | sort -u)" "$check"
	[[ $stderr == *"kernel ${name}_bad, block ("*"), thread ("*"PTX line "*"source "*":"* ]]
	bad=$stderr
	run -0 --separate-stderr gpurun "$ptx" --check all -q -t 60s --launch "${name}_good" "$@"
	nothing_found
}

@test "examples/check: mem and init" {
	twins mem bounds -b 64 -a i32:60 -a i32=60
	[[ $bad == *"
  PTX line "*": st.global.u32 [%rd4], %r1;
  source "* ]]
	twins mem alignment -b 4 -a u8:64
	twins mem tile -b 64 -a i32:64
	[[ $bad == *"write of 4 bytes at 0x100 of shared memory, of which the block has 256 bytes"* ]]
	twins mem weights -b 16 -a i32:16 -a i32=8
	[[ $bad == *"1 byte beyond the 64 bytes at 0x"*" of weights
"* ]]
	twins mem param -b 4 -a i32:4 -a raw:01000000020000000300000004000000 -a i32=2
	[[ $bad == *"illegal address: read of 4 bytes at 0x"*": 1 byte beyond the 28 bytes at 0x"*\
" of the kernel's parameters"*"thread (3,0,0)"* ]]
	twins mem own -b 8 -a i32:8 -a i32=100000000
	[[ $bad == *"ld.local.u32"* ]]
	twins mem words -b 32 -a i32:32
	[[ $bad == *"misaligned address: write of 4 bytes at 0x2 of shared memory"* ]]
	twins init unset -b 8 -a i32:8 -a i32=6
	[[ $bad == *"store of register value, whose value comes from a register that nothing has written"* ]]
	twins init unwritten -b 64 -a i32:64 -a i32:64
	[[ $bad == *", whose value comes from what nothing had written; line "*" of the PTX loads it at 0 of shared memory"* ]]
}

@test "examples/check: local memory that a thread has not written" {
	local file=init

	twins init array -b 16 -a i32:16 -a i32=8
	[[ $bad == *"store of register %r"*", whose value comes from what the thread \
had not written; line "*" of the PTX loads it at 0x"*": byte 32 of the 64 bytes of __local_depot"*" in the frame of array_bad"*\
"thread (8,0,0) and 7 more of its warp"*"source check/init.cu:22"* ]]
	twins init again -b 8 -a i32:8 -a i32=5
	[[ $bad == *": byte 0 of the 4 bytes of retval0 in the frame of again_bad"* ]]
	twins init bytes -b 8 -a i32:8 -a i32=5
	[[ $bad == *": byte 2 of the 32 bytes of __local_depot"* ]]
	twins init copy -b 8 -a u8:512 -a i16:8
	[[ $bad == *": byte 16 of the 48 bytes of __local_depot"*"thread (3,0,0)
"*"check: 1 finding" ]]
}

@test "examples/check: registers that nothing has written, through moves and calls" {
	local file=init

	twins init moved -b 8 -a i32:8 -a i32=5
	[[ $bad == *"store of register sum, whose value comes from a register that nothing has written
"*"thread (5,0,0) and 2 more of its warp"* ]]
	twins init recursive -b 8 -a i32:8 -a i32=5
	[[ $bad == *"thread (5,0,0) and 2 more of its warp"* ]]
	twins init indirect -b 8 -a i32:8 -a i32=5
	[[ $bad == *"thread (5,0,0) and 2 more of its warp"* ]]
}

@test "--check init: of a value that is partly written, what is computed is reported, what is moved is not" {
	cat >partly.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.shared .align 4 .b8 part[4];
		.visible .entry k(.param .u64 to, .param .u32 moves)
		{
			.reg .u64 %rd1; .reg .u32 %r<3>; .reg .pred %p;
			ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [moves]; setp.ne.u32 %p, %r1, 0;
			st.shared.u8 [part+3], 1;
			ld.shared.u32 %r1, [part];
			@%p shl.b32 %r2, %r1, 8;
			@!%p add.u32 %r2, %r1, 1;
			st.global.u32 [%rd1], %r2;
			ret;
		}
	PTX
	run -0 --separate-stderr gpurun partly.ptx --check init -q -l k -b 1 -a u32:1 -a u32=1
	same "$stderr" ""
	run -119 --separate-stderr gpurun partly.ptx --check init -q -l k -b 1 -a u32:1 -a u32=0
	[[ $stderr == *"check: init: store of register %r2, whose value comes from what nothing \
had written; line 10 of the PTX loads it at 0 of shared memory"* ]]
}

@test "--check init: the part of shared memory that is the system's has been written" {
	cat >reserved.ptx <<-'PTX'
		.version 8.5
		.target sm_90
		.address_size 64
		.extern .shared .align 4 .b8 own[];
		.visible .entry k(.param .u64 to, .param .u32 at)
		{
			.reg .b32 %r<4>; .reg .b64 %rd1;
			ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [at];
			mov.u32 %r2, %reserved_smem_offset_begin;
			add.u32 %r2, %r2, %r1;
			ld.shared.u32 %r3, [%r2];
			st.global.u32 [%rd1], %r3;
			ret;
		}
	PTX
	launch=(--check init -q -l k -b 1 --shared 64 -a to=u32:1)
	for at in 0 512 1020; do
		run -0 --separate-stderr gpurun reserved.ptx "${launch[@]}" -a u32="$at" -e to=zero
		same "$stderr" ""
	done
	run -119 --separate-stderr gpurun reserved.ptx "${launch[@]}" -a i32=-4
	[[ $stderr == *"check: init: store of register %r3, whose value comes from what nothing \
had written; line 11 of the PTX loads it at 0x3c of shared memory"* ]]
}

# The function calls itself, and then stores at every place of its caller's frame, from 64 bytes on
# those where the caller saved its registers: what the checker knows of them is not there.
@test "--check init: a kernel that writes where registers are saved changes nothing that is known of them" {
	cat >saved.ptx <<-'PTX'
		.version 8.0
		.target sm_90
		.address_size 64
		.func (.param .b32 out) f(.param .b32 n, .param .b64 p)
		{
		.reg .b32 %r<5>; .reg .b64 %rd1; .reg .pred %p, %q;
		ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [p]; setp.eq.u32 %q, %r1, 0; setp.gt.u32 %p, %r1, 5;
		@%q bra BASE;
		sub.u32 %r2, %r1, 1;
		{ .param .b32 a0; .param .b64 a1; .param .b32 r0; st.param.b32 [a0], %r2;
		st.param.b64 [a1], %rd1; call (r0), f, (a0, a1); ld.param.b32 %r3, [r0]; }
		@%p bra END;
		add.u32 %r3, %r3, %r1;
		setp.gt.u32 %q, %r1, 5;
		@!%q bra END;
		add.u32 %r3, %r3, 100;
		END: st.param.b32 [out], %r3; ret;
		BASE: mov.u32 %r4, 0;
		LOOP: and.b32 %r3, %r4, WHICH; setp.eq.u32 %q, %r3, 0; @%q st.u8 [%rd1], 1;
		add.s64 %rd1, %rd1, 1; add.u32 %r4, %r4, 1; setp.lt.u32 %q, %r4, 512; @%q bra LOOP;
		st.param.b32 [out], %r4; ret;
		}
		.visible .entry k(.param .u64 o)
		{
		.reg .b32 %r<4>; .reg .b64 %rd<3>; .local .align 8 .b8 l[64];
		ld.param.u64 %rd1, [o]; mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2; mov.u32 %r1, 2;
		{ .param .b32 a0; .param .b64 a1; .param .b32 r0; st.param.b32 [a0], %r1;
		st.param.b64 [a1], %rd2; call (r0), f, (a0, a1); ld.param.b32 %r3, [r0]; }
		st.global.u32 [%rd1], %r3; ret;
		}
	PTX
	for which in 0 1 3 7 15; do
		sed "s/WHICH/$which/" saved.ptx >each.ptx
		run --separate-stderr gpurun each.ptx -q --check init --launch k -a out=u32:1 --print out
		[[ $status == 0 && ! $stderr ]] || { echo "$which: $status $stderr"; return 1; }
		[[ $output == "out: "* ]]
	done
	for which in 0 1 3 7 15; do
		sed "s/WHICH/$which/" saved.ptx >each.ptx
		run -0 --separate-stderr gpurun each.ptx -q --check mem,race --launch k -a out=u32:1
	done
}

@test "--check init: shared uninitialised memory may be stored to, loaded and dropped" {
	cat >shared.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.shared .align 4 .b8 items[16];
		.visible .entry items_of(.param .u64 to, .param .u32 count)
		{
			.reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %p<2>;
			ld.param.u64 %rd1, [to];
			ld.param.u32 %r1, [count];
			setp.lt.u32 %p1, %r1, 1;
			@%p1 bra STORE;
			mov.u32 %r2, 7;
		STORE:
			st.shared.u32 [items], %r2;
			ld.shared.u32 %r3, [items];
			ld.shared.u32 %r4, [items+4];
			setp.eq.u32 %p1, %r1, 2;
			selp.u32 %r3, %r4, %r3, %p1;
			st.global.u32 [%rd1], %r3;
			ret;
		}
	PTX
	run -0 --separate-stderr gpurun shared.ptx --check init -q -l items_of -b 1 -a u32:1 -a u32=1
	[ "$stderr" = "" ]
	run -119 --separate-stderr gpurun shared.ptx --check init -q -l items_of -b 1 -a u32:1 -a u32=0
	[[ "$stderr" == *"line 15 of the PTX loads"* ]]
	run -119 --separate-stderr gpurun shared.ptx --check init -q -l items_of -b 1 -a u32:1 -a u32=2
	[[ "$stderr" == *"line 16 of the PTX loads"* ]]
}

@test "--check init: what is propagated is told of where it takes effect" {
	cat >flow.ptx <<-'PTX'
		.version 8.0
		.target sm_90a
		.address_size 64
		.func (.reg .u32 %out) identity(.reg .u32 %in)
		{
			mov.u32 %out, %in;
			ret;
		}
		.visible .entry flow(.param .u64 to, .param .u32 which)
		{
			.reg .u64 %rd<9>; .reg .u32 %r<16>; .reg .pred %p<4>; .reg .b16 %h<4>;
			.local .align 8 .b8 own[64];
			ld.param.u64 %rd1, [to];
			ld.param.u32 %r1, [which];
			st.local.u16 [own], 1;
			ld.local.u32 %r2, [own];
			mov.b32 {%h1, %h2}, %r2;
			cvt.u32.u16 %r3, %h1;
			cvt.u32.u16 %r4, %h2;
			st.global.u32 [%rd1], %r3;
			and.b32 %r5, %r2, 255;
			st.global.u32 [%rd1+4], %r5;
			shl.b32 %r6, %r2, 16;
			st.local.u32 [own+8], %r6;
			ld.local.u16 %r7, [own+10];
			add.u32 %r7, %r7, %r3;
			setp.ne.u32 %p1, %r4, 0;
			setp.eq.u32 %p2, %r3, 1;
			or.pred %p3, %p1, %p2;
			@%p3 st.global.u32 [%rd1+8], %r7;
			selp.u32 %r8, %r3, %r4, %p2;
			call (%r9), identity, (%r8);
			st.global.u32 [%rd1+12], %r9;
			call (%r9), identity, (%r4);
			cvta.local.u64 %rd2, own;
			mov.u64 %rd2, own;
			cvta.local.u64 %rd2, %rd2;
			ld.v2.u32 {%r10, %r11}, [%rd2+8];
			st.local.v2.u32 [own+16], {%r10, %r11};
			ld.local.u32 %r12, [own+20];
			setp.eq.u32 %p2, %r1, 1;
			@%p2 st.global.u32 [%rd1], %r9;
			setp.eq.u32 %p2, %r1, 2;
			@%p2 st.global.u32 [%rd1], %r12;
			setp.eq.u32 %p2, %r1, 3;
			@!%p2 bra four;
			@%p1 st.global.u32 [%rd1], 1;
		four:
			setp.ne.u32 %p2, %r1, 4;
			@%p2 bra five;
			and.b32 %r12, %r12, 12;
			cvt.u64.u32 %rd3, %r12;
			add.u64 %rd3, %rd1, %rd3;
			st.global.u32 [%rd3], 1;
		five:
			setp.eq.u32 %p2, %r1, 5;
			@%p2 shfl.sync.idx.b32 %r13, %r4, 0, 31, 1;
			@%p2 add.u32 %r13, %r13, 1;
			@%p2 st.global.u32 [%rd1], %r13;
			setp.eq.u32 %p2, %r1, 6;
			@%p2 atom.global.add.u32 %r14, [%rd1], %r4;
			setp.ne.u32 %p2, %r1, 7;
			@%p2 bra eight;
			mul.lo.u32 %r15, %r4, 0x10000;
			st.global.u32 [%rd1], %r15;
		eight:
			ret;
		}
	PTX
	local which line

	sed -i '/cvta.local.u64 %rd2, own/d' flow.ptx
	run -0 --separate-stderr gpurun flow.ptx --check all --launch flow -b 1 -a to=u32:4 \
		-a i32=0 --print to
	same "$output$stderr" "to: 1 1 2 1"
	for which in "1:st.global.u32 [%rd1], %r9;" "2:st.global.u32 [%rd1], %r12;" \
		"3:st.global.u32 [%rd1], 1;" "4:st.global.u32 [%rd3], 1;" "5:st.global.u32 [%rd1], %r13;" "6:atom." \
		"7:st.global.u32 [%rd1], %r15;"; do
		run -119 --separate-stderr gpurun flow.ptx --check init --launch flow -b 1 \
			-a to=u32:4 -a "i32=${which%%:*}"
		[[ $stderr == "gpurun: check: init: "*"PTX line "*"${which#*:}"* ]]
		[[ $stderr == *"
gpurun: check: 1 finding" ]]
	done
}

@test "--check init: registers of wgmma, where it reads them" {
	cat >wgmma.ptx <<-'PTX'
		.version 8.0
		.target sm_90a
		.address_size 64
		.visible .entry product(.param .u64 to, .param .u32 add, .param .u32 give)
		{
			.reg .u64 %rd<3>; .reg .u32 %r<4>; .reg .f32 %f<4>; .reg .b32 %a<4>;
			.reg .pred %p<3>;
			.shared .align 128 .b8 tile[1024];
			ld.param.u64 %rd1, [to];
			ld.param.u32 %r1, [add];
			ld.param.u32 %r2, [give];
			mov.u32 %r3, %tid.x;
			mul.wide.u32 %rd2, %r3, 8;
			cvt.u32.u64 %r3, %rd2;
			mov.u32 %a0, tile;
			add.u32 %r3, %r3, %a0;
			st.shared.u64 [%r3], 0;
			bar.sync 0;
			cvt.u64.u32 %rd2, %a0;
			shr.u64 %rd2, %rd2, 4;
			setp.ne.u32 %p1, %r1, 0;
			setp.ne.u32 %p2, %r2, 0;
			mov.u32 %a0, 0;
			mov.u32 %a1, 0;
			mov.u32 %a2, 0;
			@%p2 mov.u32 %a3, 0;
			wgmma.fence.sync.aligned;
			wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
				{%f0, %f1, %f2, %f3}, {%a0, %a1, %a2, %a3}, %rd2, %p1, 1, 1, 0;
			wgmma.commit_group.sync.aligned;
			wgmma.wait_group.sync.aligned 0;
			st.global.f32 [%rd1], %f0;
			ret;
		}
	PTX
	local launch=(--launch product -b 128 -a to=f32:1 --print to)

	run -0 --separate-stderr gpurun wgmma.ptx --check all "${launch[@]}" -a i32=0 -a i32=1
	same "$output$stderr" "to: 0"
	run -119 --separate-stderr gpurun wgmma.ptx --check init "${launch[@]}" -a i32=1 -a i32=1
	[[ $stderr == *"read of register %f"[0-3]", which nothing has written"*"PTX line "*"wgmma.mma"* ]]
	run -119 --separate-stderr gpurun wgmma.ptx --check init "${launch[@]}" -a i32=0 -a i32=0
	[[ $stderr == *"read of register %a3, which nothing has written"*"PTX line "*"wgmma.mma"* ]]
}

# promise: Look for bugs
@test "examples/check: race" {
	twins race barrier -b 64 -a i32:64 -a i32:64
	[[ $bad == *"read of 4 bytes at 0x"*", which thread ("*",0,0) of block (0,0,0) wrote"* ]]
	twins race lanes -b 32 -a i32:32 -a i32:32
	twins race count -g 2 -b 64 -a i32:128:fill=1 -a i32:1
	[[ $bad == *"(from cuMemAlloc)"* ]]
	twins race message -g 2 -a i32:2 -a i32:1
	twins race sum -g 8 -b 32 -a i32:256:iota -a i32:8 -a i32:2
}

@test "--check race: a program without device memory" {
	cat >alone.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry alone()
		{
			.reg .u32 %r<4>;
			.shared .b32 sum;
			mov.u32 %r1, %tid.x;
			membar.cta;
			st.shared.u32 [sum], %r1;
			ret;
		}
	PTX
	run -119 --separate-stderr gpurun alone.ptx --check race -q --launch alone -b 64
	[[ $stderr == "gpurun: check: race: write of 4 bytes at 0, which "*" wrote; "*": shared memory"* ]]
}

# Each word of what all threads of a warp read is noted, not only the first.
@test "--check race: a vector that all threads read" {
	cat >pair.ptx <<-'PTX'
		.version 7.0
		.target sm_52
		.address_size 64
		.visible .entry pair(.param .u64 in, .param .u64 out)
		{
			.reg .pred %p;
			.reg .b32 %r<4>;
			.reg .b64 %rd<5>;
			ld.param.u64 %rd1, [in];
			ld.param.u64 %rd2, [out];
			mov.u32 %r1, %tid.x;
			setp.ge.u32 %p, %r1, 32;
			@%p bra write;
			ld.global.v2.u32 {%r2, %r3}, [%rd1];
			add.u32 %r2, %r2, %r3;
			mul.wide.u32 %rd3, %r1, 4;
			add.u64 %rd4, %rd2, %rd3;
			st.global.u32 [%rd4], %r2;
			ret;
		write:
			st.global.u32 [%rd1+4], 7;
			ret;
		}
	PTX
	run -119 --separate-stderr gpurun pair.ptx --check race -q --launch pair -b 64 -a u32:2 -a u32:32
	[[ $stderr == "gpurun: check: race: write of 4 bytes at 0x"*": byte 4 of the 8 bytes at 0x"* ]]
}

@test "examples/check: copies that no thread has waited for" {
	local file=copies

	twins race early -b 64 -a i32:64:iota -a i32:64
	[[ $bad == *"read of 4 bytes at 0x7c of shared memory, which thread (31,0,0) fills by \
cp.async and has not waited for"* ]]
	twins init early -b 64 -a i32:64:iota -a i32:64
	twins race order -b 64 -a i32:64:iota -a i32:64
	[[ $bad == *"read of 4 bytes at 0x7c of shared memory, which thread (31,0,0) fills by \
cp.async"*"source check/copies.cu:46
"*"
gpurun: check: 1 finding" ]]
	twins race stages -b 64 -a i32:256:iota -a i32:64 -a i32=4
	GPURUN_CPU=sched=rand,sched-seed=3 twins race order -b 64 -a i32:64:iota -a i32:64
}

@test "--check mem: parameters, by an address in their space and by a generic one" {
	cat >param.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry space(.param .u64 to, .param .align 4 .b8 list[16], .param .u32 at)
		{
			.reg .u64 %rd<4>; .reg .u32 %r<3>;
			ld.param.u64 %rd1, [to];
			ld.param.u32 %r1, [at];
			mov.b64 %rd2, list;
			cvt.s64.s32 %rd3, %r1;
			add.u64 %rd2, %rd2, %rd3;
			ld.param.u32 %r2, [%rd2];
			st.global.u32 [%rd1], %r2;
			ret;
		}
	PTX
	sed 's/space/generic/; /list;/a cvta.param.u64 %rd2, %rd2;' param.ptx >generic.ptx
	sed -i 's/ld.param.u32 %r2/ld.u32 %r2/' generic.ptx
	local name list=raw:01000000020000000300000004000000

	for name in param.ptx generic.ptx; do
		run -0 --separate-stderr gpurun "$name" --check mem --launch . -b 1 \
			-a to=i32:1 -a "$list" -a i32=8 --print to
		same "$output$stderr" "to: 3"
		run -119 --separate-stderr gpurun "$name" --check mem --launch . -b 1 \
			-a to=i32:1 -a "$list" -a i32=20 --print to
		same "$output" "to: 0"
		[[ $stderr == *"illegal address: read of 4 bytes at 0x"*": 1 byte beyond the 28"* ]]
		run -119 --separate-stderr gpurun "$name" --check mem --launch . -b 1 \
			-a to=i32:1 -a "$list" -a i32=-12
		[[ $stderr == *"illegal address: read of 4 bytes at 0x"*": 4 bytes before the 28"* ]]
		run -119 --separate-stderr gpurun "$name" --check mem --launch . -b 1 \
			-a to=i32:1 -a "$list" -a i32=2
		[[ $stderr == *"misaligned address: read of 4 bytes at 0x"*": byte 10 of the 28"* ]]
		run -117 gpurun "$name" -d cpu --launch . -b 1 -a to=i32:1 -a "$list" -a i32=20
	done
}

@test "--check race: bulk copies" {
	cat >bulk.ptx <<-'PTX'
		.version 8.0
		.target sm_90
		.address_size 64
		.visible .entry turn(.param .u64 from, .param .u64 to)
		{
			.reg .u64 %rd<4>; .reg .u32 %r<8>; .reg .pred %p<3>;
			.shared .align 128 .b8 tile[256];
			.shared .align 8 .b64 bar;
			ld.param.u64 %rd1, [from];
			ld.param.u64 %rd2, [to];
			mov.u32 %r1, %tid.x;
			setp.eq.u32 %p1, %r1, 0;
			mov.u32 %r2, tile;
			mov.u32 %r3, bar;
			shl.b32 %r4, %r1, 2;
			add.u32 %r4, %r4, %r2;
			xor.b32 %r5, %r4, 252;
			@%p1 mbarrier.init.shared.b64 [bar], 1;
			@%p1 fence.mbarrier_init.release.cluster;
			bar.sync 0;
			@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
			@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 256, [%r3];
			bar.sync 3;
		wait:
			mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
			@!%p2 bra wait;
			ld.shared.u32 %r6, [%r5];
			bar.sync 0;
			st.shared.u32 [%r4], %r6;
			fence.proxy.async.shared::cta;
			bar.sync 1;
			@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 256;
			@%p1 cp.async.bulk.commit_group;
			@%p1 cp.async.bulk.wait_group.read 0;
			bar.sync 2;
			st.shared.u32 [%r4], 0;
			ret;
		}
	PTX
	local launch=(--launch turn -b 64 -a from=i32:64:iota -a to=i32:64 --print to)
	run -0 --separate-stderr gpurun bulk.ptx --check all "${launch[@]}"
	nothing_found
	[[ $output == "to: 63 62 61 60 "* ]]
	sed '/wait:/,/bra wait/d' bulk.ptx >early.ptx
	run -119 --separate-stderr gpurun early.ptx --check all "${launch[@]}"
	[[ $stderr == *"check: race: read of 4 bytes at 0x"*" of shared memory, which a bulk copy \
fills and no thread has waited for at its mbarrier"* ]]
	sed 's/_, \[bar\], 256/_, [bar], 512/' bulk.ptx >short.ptx
	run -119 --separate-stderr gpurun short.ptx --check all "${launch[@]}"
	[[ $stderr == *"check: sync: deadlock: 64 threads of the block wait for ever"*"
  PTX line 25: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;"* ]]
	sed '/wait_group.read 0/d' bulk.ptx >late.ptx
	run -119 --separate-stderr gpurun late.ptx --check all "${launch[@]}"
	[[ $stderr == *"check: race: write of 4 bytes at 0"*" of shared memory, which thread (0,0,0) \
stores by cp.async.bulk and has not waited for"* ]]
	sed '/bar.sync 1/d' bulk.ptx >apart.ptx
	run -119 --separate-stderr gpurun apart.ptx --check race "${launch[@]}"
	[[ $stderr == *"check: race: "*", which thread "*"; nothing orders the two: shared memory"* ]]
}

@test "--check race: what a warp does between its arrival and its end is not before the barrier" {
	cat >gone.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry gone(.param .u64 to)
		{
			.reg .u64 %rd<2>; .reg .u32 %r<4>; .reg .pred %p<3>;
			.shared .align 4 .b8 word[4];
			ld.param.u64 %rd1, [to];
			mov.u32 %r1, %tid.x;
			and.b32 %r2, %r1, 31;
			setp.ne.u32 %p2, %r2, 0;
			setp.lt.u32 %p1, %r1, 32;
			mov.u32 %r2, 0;
			@%p1 bra delay;
			@!%p2 st.shared.u32 [word], 7; // before
			bar.arrive 1, 64;
			@!%p2 st.shared.u32 [word], 8; // behind
			ret;
		delay:
			nanosleep.u32 1;
			add.u32 %r2, %r2, 1;
			setp.lt.u32 %p1, %r2, 200;
			@%p1 bra delay;
			bar.sync 1, 64;
			@!%p2 ld.shared.u32 %r3, [word];
			@!%p2 st.global.u32 [%rd1], %r3;
			ret;
		}
	PTX
	local launch=(--check race --launch gone -b 64 -a to=u32:1 --print to)
	run -119 --separate-stderr gpurun gone.ptx "${launch[@]}"
	[[ $stderr == *"check: race: read of 4 bytes"*"PTX line 25: "*"ld.shared.u32"* ]]
	sed '/behind/d' gone.ptx >before.ptx
	run -0 --separate-stderr gpurun before.ptx "${launch[@]}"
	same "$output" "to: 7"
	nothing_found
}

@test "--check race: a lane that waits for its copies waits for no other lane's" {
	cat >lanes.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry lanes(.param .u64 from, .param .u64 to)
		{
			.reg .u64 %rd<4>; .reg .u32 %r<4>; .reg .pred %p<2>;
			.shared .align 16 .b8 tile[128];
			ld.param.u64 %rd1, [from];
			ld.param.u64 %rd2, [to];
			mov.u32 %r1, %tid.x;
			mad.wide.u32 %rd1, %r1, 4, %rd1;
			mad.wide.u32 %rd2, %r1, 4, %rd2;
			mov.u32 %r2, tile;
			mad.lo.u32 %r2, %r1, 4, %r2;
			setp.lt.u32 %p1, %r1, 20;
			cp.async.ca.shared.global [%r2], [%rd1], 4;
			cp.async.commit_group;
			@%p1 cp.async.wait_group 0;
			ld.shared.u32 %r3, [%r2];
			st.global.u32 [%rd2], %r3;
			ret;
		}
	PTX
	local launch=(--launch lanes -b 32 -a from=i32:32:iota -a to=i32:32 --print to)
	run -119 --separate-stderr gpurun lanes.ptx --check race "${launch[@]}"
	[[ $stderr == *"check: race: read of 4 bytes at 0x50 of shared memory, which thread \
(20,0,0) fills by cp.async and has not waited for"*"thread (20,0,0) and 11 more of its warp"* ]]
	sed 's/@%p1 cp/cp/' lanes.ptx >all.ptx
	run -0 --separate-stderr gpurun all.ptx --check race "${launch[@]}"
	nothing_found
}

@test "--check race: bytes beside each other are apart, and equal values are no race" {
	cat >bytes.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry each(.param .u64 to)
		{
			.reg .u64 %rd<3>; .reg .u32 %r<2>;
			ld.param.u64 %rd1, [to];
			mov.u32 %r1, %tid.x;
			cvt.u64.u32 %rd2, %r1;
			add.u64 %rd1, %rd1, %rd2;
			st.global.u8 [%rd1], %r1;
			ret;
		}
		.visible .entry same(.param .u64 to)
		{
			.reg .u64 %rd<2>; .reg .u32 %r<2>;
			ld.param.u64 %rd1, [to];
			st.global.u8 [%rd1], 1;
			st.global.u32 [%rd1+4], 7;
			ret;
		}
		.visible .entry pairs(.param .u64 to)
		{
			.reg .u64 %rd<3>; .reg .u32 %r<3>;
			ld.param.u64 %rd1, [to];
			mov.u32 %r1, %tid.x;
			shr.u32 %r2, %r1, 1;
			cvt.u64.u32 %rd2, %r2;
			add.u64 %rd1, %rd1, %rd2;
			st.global.u8 [%rd1], %r1;
			ret;
		}
	PTX
	run -0 gpurun bytes.ptx --check race --launch each -b 256 -a u8:256
	run -0 gpurun bytes.ptx --check race --launch same -g 4 -b 64 -a u8:8
	run -119 gpurun bytes.ptx --check race --launch pairs -b 256 -a u8:256
}

# promise: Look for bugs
@test "examples/check: sync" {
	twins sync divergent -b 64 -a i32:64
	twins sync missing -b 64 -a i32:64
	[[ $bad == *"deadlock: 32 threads of the block wait for others that never arrive"* ]]
	twins sync shuffle -b 32 -a i32:32
	[[ $bad == *"source "*"/sm_30_intrinsics.hpp:"*"
  inlined at check/checks.cu:"*"
  grid "* ]]
	twins sync member -b 32 -a i32:32
	[[ $bad == *"are not in their own member mask"* ]]
	twins sync match -b 32 -a i32:32
	twins sync third -b 96 -a i32:96
	[[ $bad == *"deadlock: 32 threads of the block"* ]]
	twins sync apart -b 32 -a i32:32
	[[ $bad == *"deadlock: 32 threads of the block"* ]]
}

@test "examples/check: waiting for ever in shared memory" {
	local file=copies

	twins sync phase -b 64 -a i32:64:iota -a i32:64
	[[ $bad == *"mbarrier.test_wait"*"
  source "*"/cuda_awbarrier_helpers.h:"*"
  inlined at "*"/cuda_awbarrier_primitives.h:"*"
  inlined at check/copies.cu:110
  inlined at check/copies.cu:117
  grid "* ]]
	[[ $bad == *"sync: deadlock: 63 threads of the block wait for ever: this loop reads shared \
memory that no thread writes any more; they are ended"*"thread (0,0,0) and 31 more of its warp
  PTX line "*"mbarrier.test_wait"* ]]
	twins sync word -b 64 -a i32:64:iota -a i32:64
	[[ $bad == *": deadlock: 64 threads of the block wait for ever"*"thread (0,0,0)
  PTX line "*"ld.volatile.shared.u32"* ]]
	twins sync word -g 40 -b 64 -a i32:64:iota -a i32:64
	GPURUN_CPU=sched=rand,sched-seed=5,threads=3 twins sync phase -g 9 -b 64 \
		-a i32:64:iota -a i32:64
}

@test "--check sync: loops that end by the clock, a count, or what another block does" {
	cat >patient.ptx <<-'PTX'
		.version 8.0
		.target sm_90
		.address_size 64
		.visible .entry count(.param .u64 to)
		{
			.reg .u64 %rd1; .reg .u32 %r<4>; .reg .pred %p;
			.shared .u32 word;
			ld.param.u64 %rd1, [to];
			mov.u32 %r2, 0;
			st.shared.u32 [word], 0;
		again:
			ld.volatile.shared.u32 %r1, [word];
			add.u32 %r2, %r2, 1;
			setp.lt.u32 %p, %r2, 100000;
			@%p bra again;
			st.global.u32 [%rd1], 1;
			ret;
		}
		.visible .entry time(.param .u64 to)
		{
			.reg .u64 %rd<4>; .reg .u32 %r<4>; .reg .pred %p;
			.shared .u32 word;
			ld.param.u64 %rd1, [to];
			st.shared.u32 [word], 0;
			mov.u64 %rd2, %globaltimer;
			add.u64 %rd2, %rd2, 20000000;
		again:
			ld.volatile.shared.u32 %r1, [word];
			nanosleep.u32 100;
			mov.u64 %rd3, %globaltimer;
			setp.lt.u64 %p, %rd3, %rd2;
			mov.u64 %rd3, 0;
			@%p bra again;
			st.global.u32 [%rd1], 1;
			ret;
		}
		.visible .entry other(.param .u64 to) .reqnctapercluster 2
		{
			.reg .u64 %rd<4>; .reg .u32 %r<6>; .reg .pred %p<3>;
			.shared .u32 word;
			ld.param.u64 %rd1, [to];
			st.shared.u32 [word], 0;
			barrier.cluster.arrive;
			barrier.cluster.wait;
			mov.u32 %r1, %cluster_ctarank;
			setp.eq.u32 %p1, %r1, 0;
			@%p1 bra waits;
			mov.u64 %rd2, %globaltimer;
			add.u64 %rd2, %rd2, 20000000;
		late:
			mov.u64 %rd3, %globaltimer;
			setp.lt.u64 %p2, %rd3, %rd2;
			mov.u64 %rd3, 0;
			@%p2 bra late;
			mov.u32 %r2, word;
			mapa.shared::cluster.u32 %r3, %r2, 0;
			st.shared::cluster.u32 [%r3], 1;
			bra done;
		waits:
			ld.volatile.shared.u32 %r4, [word];
			setp.eq.u32 %p2, %r4, 0;
			@%p2 bra waits;
			st.global.u32 [%rd1], %r4;
		done:
			barrier.cluster.arrive;
			barrier.cluster.wait;
			ret;
		}
		.visible .entry relay(.param .u64 to)
		{
			.reg .u64 %rd<3>; .reg .u32 %r<8>; .reg .pred %p<3>;
			.shared .align 4 .b8 done[516];
			ld.param.u64 %rd1, [to];
			mov.u32 %r1, %tid.x;
			mov.u32 %r2, done;
			shl.b32 %r3, %r1, 2;
			add.u32 %r3, %r3, %r2;
			setp.eq.u32 %p1, %r1, 0;
			selp.u32 %r4, 1, 0, %p1;
			st.shared.u32 [%r3], %r4;
			st.shared.u32 [%r3+4], 0;
			bar.sync 0;
			@%p1 st.shared.u32 [%r3], 1;
		again:
			ld.volatile.shared.u32 %r5, [%r3];
			setp.eq.u32 %p2, %r5, 0;
			@%p2 bra again;
			st.volatile.shared.u32 [%r3+4], %r5;
			mul.wide.u32 %rd2, %r1, 4;
			add.u64 %rd1, %rd1, %rd2;
			st.global.u32 [%rd1], %r5;
			bar.sync 1;
			ret;
		}
	PTX
	for name in count time; do
		run -0 --separate-stderr gpurun patient.ptx --check sync --launch "$name" -b 1 \
			-a x=u32:1 -e x=fill=1
		nothing_found
	done
	run -0 --separate-stderr gpurun patient.ptx --check sync --launch other -g 2 -b 1 \
		-a x=u32:1 -e x=fill=1
	nothing_found
	for seed in 1 2 3 4; do
		GPURUN_CPU=sched=rand,sched-seed=$seed run -0 --separate-stderr gpurun patient.ptx \
			--check sync --launch relay -g 3 -b 128 -a x=u32:128 -e x=fill=1
		nothing_found
	done
	sed 's/\(ld.volatile.shared.u32 %r5, \[%r3\];\)/\1 add.u32 %r6, %r5, %r5; and.b32 %r5, %r6, 1;/' \
		patient.ptx >even.ptx
	run -119 --separate-stderr gpurun even.ptx --check all -t 60s --launch relay -b 128 \
		-a x=u32:128
	[[ $stderr == *"sync: deadlock: 128 threads of the block wait for ever"* ]]
	sed '/st.shared::cluster.u32 \[%r3\]/d' patient.ptx >never.ptx
	run -119 --separate-stderr gpurun never.ptx --check sync -t 60s --launch other -g 2 -b 1 \
		-a x=u32:1
	[[ $stderr == *"sync: deadlock: 1 thread of the block waits for ever"* ]]
}

@test "examples/check: member masks" {
	local file=warps name

	for name in redux match; do
		twins sync "$name" -b 32 -a u32:32
		[[ $bad == *"deadlock: 32 threads of the block wait for others that never \
arrive: lanes 0x7fffffff for lanes 0x80000000; they are ended"* ]]
	done
	twins sync shift -b 32 -a u32:32
	[[ $bad == *": lanes 0xfffffffe for lanes 0x1; they are ended"* ]]
	for name in elect meet; do
		twins sync "$name" -b 32 -a u32:32
		[[ $bad == *"deadlock: 32 threads of the block wait"*": lanes 0x"* ]]
	done
	for name in sum leader; do
		twins sync "$name" -b 32 -a u32:32
		[[ $bad == *"sync: lanes 0xffff0000 are not in their own member mask"* ]]
	done
	twins sync wait -b 32 -a u32:32
	[[ $bad == *"sync: lanes 0xffffffff are not in their own member mask"* ]]
	twins sync gone -b 32 -a u32:32
	[[ $bad == *"the value of a lane that does not take part: lanes 0xffff are here"* ]]
	twins sync active -b 32 -a u32:32
	[[ $bad == *"the value of a lane that does not take part: lanes 0xaaaaaaaa are here"* ]]
}

# promise: Look for bugs
@test "examples/check: leak" {
	run -119 --separate-stderr gpurun "$root/examples/check/checks.ptx" --check leak -q \
		--launch heap_bad -b 2 -a u64:2
	[[ $stderr == "gpurun: check: leak: 16 bytes at 0x"*", from malloc() of a kernel, allocation "*" are never freed
gpurun: check: leak: 16 bytes"* ]]
	run -0 --separate-stderr gpurun "$root/examples/check/checks.ptx" --check all -q \
		--launch heap_good -b 2 -a u64:2
	nothing_found
}

@test "--check all: kernels that wait for each other are silent" {
	local run=(gpurun "$cuda/together.fatbin" --check all -q -t 60s)

	run -0 --separate-stderr "${run[@]}" --launch count_locked -g 16 -b 96 -a u32:1 -a u32:1
	nothing_found
	run -0 --separate-stderr "${run[@]}" --launch hand_over -g 2 -b 32 -a u32:2 -a u32:1 -a 1000
	nothing_found
	run -0 --separate-stderr "${run[@]}" --cooperative --launch rotate -g 32 -b 2 -a u32:64 \
		-a i32=64
	nothing_found
}

@test "--check mem: memory that has been freed, and by whom" {
	cat >write.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry write(.param .u64 to)
		{
			.reg .u64 %rd1;
			ld.param.u64 %rd1, [to];
			st.global.u32 [%rd1], 1;
			ret;
		}
	PTX
	run -119 --separate-stderr gpurun --check mem --exec "$build/test/host-programs/freed" write.ptx freed
	[[ $stderr == "gpurun: check: mem: illegal address: write of 4 bytes at 0x"*": byte 0 of the 64 bytes at 0x"*" (from cuMemAlloc), which cuMemFree freed
  kernel write, block (0,0,0), thread (0,0,0)
  PTX line 8: st.global.u32 [%rd1], 1;"* ]]
	run -0 --separate-stderr gpurun --check all --exec "$build/test/host-programs/freed" write.ptx
	nothing_found
}

@test "the line with the counts of a program: findings where something was checked, none with -q" {
	local -r leak="$build/test/host-programs/leak"

	run -0 --separate-stderr gpurun -v --exec "$leak"
	[[ $stderr == *"gpurun: "*" launch"*" ran"* && $stderr != *findings* ]]
	run -119 --separate-stderr gpurun -q --check leak --exec "$leak"
	[[ $stderr == *"gpurun: check: 6 findings" && $stderr != *" ran"* ]]
}

@test "--check leak: memory of a context that ends, of one that never does, and of a pool, once each" {
	run -119 --separate-stderr gpurun --check leak --exec "$build/test/host-programs/leak"
	[[ $stderr == "gpurun: check: leak: 200 bytes at 0x"*", from cuMemAlloc, allocation "*" are never freed
gpurun: check: leak: 1 stream: cuStreamDestroy is never called for it
gpurun: check: leak: 2 events: cuEventDestroy is never called for them
gpurun: check: leak: 1 module: cuModuleUnload is never called for it
gpurun: check: leak: 300 bytes at 0x"*", from cuMemAllocAsync, allocation "*" are never freed
gpurun: check: leak: 100 bytes at 0x"*", from cuMemAlloc, allocation "*" are never freed
gpurun: "*" ran
gpurun: check: 6 findings" ]]
}

@test "--check init: a register that nothing has written on the way taken" {
	cat >registers.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry some(.param .u64 to, .param .u32 most)
		{
			.reg .pred %p<2>; .reg .u64 %rd<3>; .reg .u32 %r<4>, %last;
			ld.param.u64 %rd1, [to];
			ld.param.u32 %last, [most];
			mov.u32 %r1, %tid.x;
			setp.lt.u32 %p1, %r1, %last;
			@%p1 mov.u32 %r3, 7;
			mul.wide.u32 %rd2, %r1, 4;
			add.u64 %rd1, %rd1, %rd2;
			add.u32 %r2, %r3, 1;
			st.global.u32 [%rd1], %r2;
			ret;
		}
	PTX
	run -119 --separate-stderr gpurun registers.ptx --check init -q --launch some -b 8 \
		-a u32:8 -a 6
	same "$stderr" "gpurun: check: init: store of register %r2, whose value comes from a register \
that nothing has written
  kernel some, block (0,0,0), thread (6,0,0) and 1 more of its warp
  PTX line 15: st.global.u32 [%rd1], %r2;
  grid (1,1,1) of blocks (8,1,1)
gpurun: check: 1 finding"
	run -0 --separate-stderr gpurun registers.ptx --check all -q --launch some -b 8 -a u32:8 -a 8
	nothing_found
}

# Compilers compare what may have no value before they look whether they need it, and fill
# registers up with it. All values that are used are given.
@test "--check init: values that are taken apart, or not needed, are silent" {
	cat >apart.ptx <<-'END'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry early(.param .u64 o) {
			.reg .b32 %r<4>;
			.reg .b64 %d<2>;
			.reg .pred %p<4>;
			ld.param.u64 %d1, [o];
			mov.u32 %r2, %tid.x;
			setp.lt.u32 %p1, %r2, 5;
			@!%p1 bra J;
			ld.global.u32 %r3, [%d1];
		J:
			setp.lt.u32 %p2, %r3, 7;
			and.pred %p3, %p1, %p2;
			@%p3 st.global.u32 [%d1], %r2;
			ret;
		}
		.visible .entry halves(.param .u64 o) {
			.reg .b16 %h<5>;
			.reg .b32 %r<6>;
			.reg .b64 %d<5>;
			.reg .pred %p<4>;
			ld.param.u64 %d1, [o];
			mov.u32 %r2, %tid.x;
			mov.b64 %d2, {%r1, %r2};
			shr.u64 %d3, %d2, 32;
			cvt.u32.u64 %r3, %d3;
			setp.eq.u32 %p1, %r3, 7;
			@%p1 st.global.u32 [%d1], %r3;
			cvt.u16.u32 %h1, %r2;
			mov.b32 %r4, {%h2, %h1};
			mov.b32 {%h3, %h4}, %r4;
			setp.eq.u16 %p2, %h4, 7;
			@%p2 st.global.u32 [%d1], %r2;
			prmt.b32 %r5, %r4, %r2, 0x4332;
			setp.eq.u32 %p3, %r5, 7;
			@%p3 st.global.u32 [%d1], %r2;
			ret;
		}
		.visible .entry sinks(.param .u64 o) {
			.reg .b32 %r<5>;
			.reg .b64 %d<4>;
			.reg .pred %p<3>;
			ld.param.u64 %d1, [o];
			mov.u32 %r2, %tid.x;
			mov.b64 %d3, {%r1, %r1};
			mov.b64 {_, %r3}, %d3;
			mov.b64 {%r3, _}, %d3;
			mov.b32 %r1, %r2;
			setp.eq.u32 %p2, %r1, 7;
			@%p2 st.global.u32 [%d1], %r2;
			ret;
		}
	END
	for kernel in early halves sinks; do
		run -0 --separate-stderr gpurun apart.ptx --check init --launch $kernel -b 32 -a o=u32:8
		[[ $stderr != *"check:"* ]]
	done
}

# Two blocks write to one place where no memory is: it fails as without the check.
@test "--check race: writes where no memory is" {
	cat >nowhere.ptx <<-'END'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry nowhere(.param .u64 o) {
			.reg .b32 %r<2>;
			.reg .b64 %d<2>;
			.reg .pred %p<2>;
			ld.param.u64 %d1, [o];
			red.global.add.u32 [%d1], 1;
		L:
			ld.volatile.global.u32 %r1, [%d1];
			setp.lt.u32 %p1, %r1, 2;
			@%p1 bra L;
			mov.u32 %r1, %ctaid.x;
			add.u64 %d1, %d1, 0x40000000;
			st.global.u32 [%d1], %r1;
			ret;
		}
	END
	run -117 --separate-stderr gpurun -d cpu:threads=1 nowhere.ptx --check race --launch nowhere \
		-g 2 -b 1 -a o=u32:8
	[[ $stderr == *"illegal address: write of 4 bytes"* ]]
}

@test "shared memory that a launch should have asked for" {
	cat >asks.ptx <<-'PTX'
		.version 8.0
		.target sm_75
		.address_size 64
		.extern .shared .align 4 .b8 tile[];
		.visible .entry k()
		{
			.reg .u32 %r<2>;
			mov.u32 %r1, tile;
			st.shared.u32 [%r1+4], %r1;
			ret;
		}
		.visible .entry other()
		{
			.shared .b32 one;
			.reg .u32 %r<2>;
			mov.u32 %r1, one;
			st.shared.u32 [%r1+4], %r1;
			ret;
		}
	PTX
	local -r lacks="illegal address: write of 4 bytes at 0x4 of shared memory, of which the block has"

	run -117 --separate-stderr gpurun asks.ptx -d cpu --launch k
	[[ $stderr == "gpurun: $lacks 0 bytes, and the launch asked for no dynamic ones
"* ]]
	run -119 --separate-stderr gpurun asks.ptx --check mem --launch k
	[[ $stderr == "gpurun: check: mem: $lacks 0 bytes, and the launch asked for no dynamic ones
"* ]]
	run -117 --separate-stderr gpurun asks.ptx -d cpu --launch k --shared 4
	[[ $stderr == "gpurun: $lacks 4 bytes
"* ]]
	run -0 gpurun asks.ptx --check mem --launch k --shared 8
	run -117 --separate-stderr gpurun asks.ptx -d cpu --launch other
	[[ $stderr == "gpurun: $lacks 4 bytes
"* ]]
}

@test "--check sync: an arrival at a barrier for more threads than the block has" {
	cat >arrives.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry k(.param .u32 count)
		{
			.reg .u32 %r<2>;
			ld.param.u32 %r1, [count];
			bar.arrive 1, %r1;
			ret;
		}
	PTX
	run -0 --separate-stderr gpurun arrives.ptx -q -d cpu --launch k -b 64 -a 96
	nothing_found
	run -119 --separate-stderr gpurun arrives.ptx -q --check sync --launch k -b 64 -a 96
	[[ $stderr == "gpurun: check: sync: arrives at barrier 1 for 96 threads, where the block has at most 64
"* ]]
	run -0 --separate-stderr gpurun arrives.ptx -q --check sync --launch k -b 65 -a 96
	nothing_found
}
