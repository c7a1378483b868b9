# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What gpurun(1) promises and no other file tests, and scripts/check-promises, which finds the test of
# each sentence.

load helpers

# slow(u64 to): after 0.3 seconds stores 7 to it.
slow() {
	cat <<-'E'
	.version 8.0
	.target sm_75
	.address_size 64
	.visible .entry slow(.param .u64 to)
	{
		.reg .u64 %t, %u, %a;
		.reg .pred %p;
		mov.u64 %t, %globaltimer;
		add.u64 %t, %t, 300000000;
	L:	mov.u64 %u, %globaltimer;
		setp.lt.u64 %p, %u, %t;
		@%p bra L;
		ld.param.u64 %a, [to];
		st.global.u32 [%a], 7;
		ret;
	}
	.visible .global .u32 v;
	.visible .entry into(.param .u64 to, .param .align 8 .b8 value[16])
	{
		.reg .u64 %a, %x;
		ld.param.u64 %a, [to];
		ld.param.u64 %x, [value];
		and.b64 %x, %x, 255;
		st.global.u64 [%a], %x;
		ld.param.u64 %x, [value + 8];
		st.global.u64 [%a + 8], %x;
		ret;
	}
	E
}

launch=(--launch vadd -b 4 -a x=f32:4:iota -a f32:4:fill=2 -a y=f32:4 -a i32=4)

# promise: It needs no host program and no compiler.
@test "nothing else is run: no compiler, no host program" {
	mkdir empty
	run -0 --separate-stderr env -i PATH="$PWD/empty" "$(command -v gpurun)" "$cuda/vadd.fatbin" \
		-d cpu "${launch[@]}" --print y
	same "$output$stderr" "y: 2 3 4 5"
}

# promise: Its content says what it is
# promise: A SPEC is
@test "a file is what its content says, whatever its name is" {
	local kind

	for kind in vadd.fatbin saxpy.ptx reduce.so; do
		cp "$cuda/$kind" "${kind%.*}.txt"
		cp "$cuda/$kind" "${kind%.*}.cubin"
	done
	prints vadd gpurun vadd.txt --list=names
	prints vadd gpurun vadd.cubin --list=names
	prints saxpy gpurun saxpy.txt --list=names
	prints saxpy gpurun saxpy.cubin --list=names
	run -0 gpurun reduce.txt --list=names
	cp "$data/images/host.o" .
	ar rc archive.ptx host.o
	same "$(gpurun archive.ptx --list)" "$(gpurun host.o --list)"
	printf '\223NUMPY\1\0\73\0%-59s' "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}" >x.raw
	printf '\0\0\200\77' >>x.raw
	prints "x: 1" gpurun "$cuda/vadd.fatbin" -q --buf x=@x.raw "${launch[@]/x=/z=}" --print x
}

# promise: An option that modifies a launch
@test "a tolerance belongs to the --expect before it" {
	run -0 gpurun "$cuda/vadd.fatbin" "${launch[@]}" -e y=iota=2.25,1 --atol 0.25 -e y=iota=2,1
	run -118 --separate-stderr gpurun "$cuda/vadd.fatbin" "${launch[@]}" -e y=iota=2.25,1 \
		--atol 0.25 -e y=iota=2.25,1
	same "${#stderr_lines[@]}" 4
}

# promise: Global options may be anywhere.
@test "global options stand anywhere" {
	local image=$cuda/vadd.fatbin

	prints "y: 2 3 4 5" gpurun -q "$image" "${launch[@]}" --print y
	prints "y: 2 3 4 5" gpurun "${launch[@]}" -q --print y "$image" -d cpu
	prints "y: 2 3 4 5" gpurun "${launch[@]}" --print y --seed 3 -t 1m "$image" -d cpu -q
}

# promise: Needs no device.
@test "--list needs no device" {
	export GPURUN_DRIVER=/nonexistent GPURUN_DEVICE=gpu
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" --list
	same "$stderr" ""
	prints "0: sm_90 SASS  3848 bytes" gpurun "$data/images/stored.fatbin" --list=images --image sm_90
	run -0 gpurun "$data/images/reach.fatbin" --list=vars
}

# promise: NAME is its symbol
@test "--get and --set know a variable by its C++ name" {
	prints "deep::seen: 5 6 7" gpurun "$data/images/reach.fatbin" -q --set deep::seen=i32:iota=5 \
		--get deep::seen=i32:3
}

# promise: --set, --fill and --copy act
@test "--fill, --copy and --set wait for launches that may use the place" {
	slow >slow.ptx
	prints "x: 1" gpurun slow.ptx --launch slow -a x=u32:1 --stream s1 --fill x=fill=1 --print x
	prints "y: 7" gpurun slow.ptx --launch slow -a x=u32:1 --stream s1 --copy y=x --print y \
		--buf y=u32:1
	prints "x: 2" gpurun slow.ptx --launch slow -a x=u32:1 --stream s1 --copy x=y --print x \
		--buf y=u32:1:fill=2
	prints "v: 3" gpurun slow.ptx --launch slow -a sym:v --stream s1 --set v=fill=3 --get v=u32:1
}

# promise: Kill the run after TIME
@test "--timeout takes seconds, minutes and hours, and fractions" {
	local time

	for time in 90 90s 90000ms 1.5m 2h 0.5h; do
		run -0 gpurun "$cuda/vadd.fatbin" -d cpu -t $time "${launch[@]}" -e y=iota=2,1
	done
	fails 124 "gpurun: error: timed out after 0.6 s while awaiting launch 1, forever on stream s0, grid 1x1x1, block 1x1x1" \
		gpurun "$cuda/forever.fatbin" -t 0.01m --launch forever -a i32:1
}

# promise: It picks in IMAGE alone.
@test "--image picks in the file alone, not in what --load names" {
	# Number 0 of stored.fatbin is machine code, which the CPU device does not run.
	prints "y: 2 3 4 5" gpurun "$cuda/vadd.fatbin" --image 0 --load b="$data/images/stored.fatbin" \
		--launch b:vadd "${launch[@]:2}" --print y
}

# promise: Count and sizes are always checked
@test "the kinds of parameters are checked where a cubin has them in its line info" {
	fails 110 "gpurun: error: arg1 ('i32=5') of second: the parameter is .f32, not i32
gpurun: hint: the kernel is second(u64@0, f32@8)" \
		gpurun "$data/images/lineinfo.75.cubin" --dry-run --launch second -a null -a i32=5
}

# promise: Bytes, for a structure
@test "raw: takes bytes from a file" {
	slow >k.ptx
	printf '\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0' >bytes
	prints "y: 1 2" gpurun k.ptx --launch into -a y=u64:2 -a raw:@bytes --print y
	prints "y: 1 2" gpurun k.ptx --launch into -a y=u64:2 -a raw:01000000000000000200000000000000 \
		--print y
}

# promise: Blocks in a cluster
@test "the blocks of a cluster share their shared memory" {
	# Each block stores its number to the other one of its cluster, which stores it to x.
	cat >share.ptx <<-'E'
	.version 8.0
	.target sm_90
	.address_size 64
	.visible .entry share(.param .u64 to)
	{
		.shared .u32 slot;
		.reg .u32 %s, %rank, %block;
		.reg .u64 %a;
		mov.u32 %rank, %cluster_ctarank;
		xor.b32 %rank, %rank, 1;
		mov.u32 %s, slot;
		mapa.shared::cluster.u32 %s, %s, %rank;
		mov.u32 %block, %ctaid.x;
		barrier.cluster.arrive;
		barrier.cluster.wait;
		st.shared::cluster.u32 [%s], %block;
		barrier.cluster.arrive;
		barrier.cluster.wait;
		ld.param.u64 %a, [to];
		mad.wide.u32 %a, %block, 4, %a;
		ld.shared.u32 %s, [slot];
		st.global.u32 [%a], %s;
		ret;
	}
	E
	prints "x: 1 0 3 2" gpurun share.ptx -q --launch share -g 4 --cluster 2 -a x=u32:4 --print x
	run -117 gpurun share.ptx -q --launch share -g 4 -a x=u32:4
}

# promise: A structure by value, laid out
@test "a structure is laid out as C does" {
	slow >k.ptx
	prints "y: 5 6" gpurun k.ptx --launch into -a y=u64:2 -a struct:i8=5,u64=6 --print y
	prints "y: 5 1024" gpurun k.ptx --launch into -a y=u64:2 -a struct:u8=5,pad:8,u8=4,pad:6 \
		--print y
	run -0 gpurun k.ptx -q --launch into -a y=u64:2 -a struct:null,sym:v --launch slow -a sym:v \
		--get v=u32:1 --print y
	[[ $output =~ ^"v: 7"$'\n'"y: 0 "[1-9] ]]
}

# promise: In a structure they are aligned
@test "complex numbers in a structure are aligned as float2 and double2" {
	slow >k.ptx
	# 1+2j is 0x3f800000 and 0x40000000; in front of it are 7 bytes of padding.
	prints "y: 5 4611686019492741120" gpurun k.ptx --launch into -a y=u64:2 \
		-a struct:u8=5,c64=1+2j --print y
	run -110 --separate-stderr gpurun k.ptx --launch into -a y=u64:2 -a struct:u8=5,c128=1
	[[ $stderr == *": a structure of 32 bytes, the parameter has 16 (.b8[16])"* ]]
}

# promise: SHAPE is
@test "before list and text the shape is left out" {
	prints "a: 1 2 3
b: 104 105" gpurun "$cuda/vadd.fatbin" -q --buf a=i16:list=1,2,3 --buf b=u8:text=hi "${launch[@]}" \
		--print a --print b
}

# promise: TYPE is one of
@test "each type of the manual is one of a buffer" {
	local type types

	types=$(sed -n 's/^is one of \(i8 .*\)\.$/\1/p' "$root/man/gpurun.1")
	[[ $(wc -w <<<"$types") -ge 13 ]]
	for type in $types; do
		run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" -q --buf b="$type":2 "${launch[@]}" -e b=zero
	done
}

# promise: Of a pipe or a device
@test "of a file no more than 64 GiB is read" {
	truncate -s 65G large
	run -111 --separate-stderr gpurun "$cuda/vadd.fatbin" "${launch[@]/x=*/u8:@large}"
	same "$stderr" "gpurun: error: buffer arg0: large: has 69793218560 bytes, the limit here is 68719476736"
}

# promise: A process that leaves the group
@test "--exec: a process that leaves the group outlives the limit" {
	run -124 gpurun -t 1 --exec sh -c 'setsid sleep 300 >/dev/null 2>&1 3>&- & echo $!; sleep 300'
	same "$(ps -o comm= -p "${lines[0]}")" sleep
	kill "${lines[0]}"
}

# The program of a job in the background is stopped when it reads: the limit ends it.
# promise: With any of them it leads a process group
@test "--exec with -t: the program cannot read from a terminal" {
	run -0 python3 - <<-'E'
	import os, pty, sys
	for options, want in [['-t', '2'], 124], [[], 0]:
	    child, terminal = pty.fork()
	    if child == 0:
	        os.execvp('gpurun', ['gpurun', *options, '--exec', 'head', '-n', '1'])
	    os.write(terminal, b'a line\n')
	    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
	    if status != want:
	        sys.exit('%s: %d' % (options, status))
	E
}

# promise: With 1 each launch waits
@test "CUDA_LAUNCH_BLOCKING=1: what has to overlap does not" {
	run -0 gpurun "$cuda/meet.fatbin" -t 60 --buf gate=i32:2 --launch ping -a gate --stream a \
		--launch pong -a gate --stream b -e gate=fill=1
	CUDA_LAUNCH_BLOCKING=1 fails 124 "gpurun: error: timed out after 1 s while awaiting launch 1, ping on stream a, grid 1x1x1, block 1x1x1" \
		gpurun "$cuda/meet.fatbin" -t 1 --buf gate=i32:2 --launch ping -a gate --stream a \
		--launch pong -a gate --stream b
}

# promise: Outputs of -o
@test "a signal leaves the files as they were that an output would replace" {
	local i

	slow | sed 's/add.u64 %t, %t, 300000000/add.u64 %t, %t, 300000000000/' >slow.ptx
	echo old >out
	env --default-signal=TERM "$(command -v gpurun)" slow.ptx -f --launch slow -a x=u32:1 -o x=out \
		2>stderr 3>&- &
	# Before it is gpurun it is a shell, which has a handler, too.
	for ((i = 0; i < 600; i++)); do
		[[ $(<"/proc/$!/comm") == gpurun ]] &&
			((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$!/status") & 0x4000)) && break
		sleep 0.05
	done
	kill -TERM $!
	code=0
	wait $! || code=$?
	same "$code $(<out) $(ls --ignore='*stderr*' | tr '\n' ' ')" "143 old out slow.ptx "
}

# promise: A worker that does not end
@test "a worker that does not end within three seconds is killed" {
	local began pid worker code=0 i

	gpurun "$cuda/forever.fatbin" -t 60 --launch forever -a i32:1 2>stderr 3>&- &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		# It handles signals from the time on that it has begun, behind its exec().
		worker=$(pgrep -P $pid) && [[ $(<"/proc/$worker/comm") == gpurun ]] &&
			((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$worker/status") & 0x4000)) && break
		sleep 0.05
	done
	kill -STOP "$worker"
	began=$SECONDS
	kill -TERM $pid
	wait $pid || code=$?
	same "$code" 143
	((SECONDS - began >= 2 && SECONDS - began <= 20))
	same "$(ps -o stat= -p "$worker" | grep -v Z || true)" ""
}

# met: an argument was counted from 1, or its launch was not told
@test "an argument that is wrong names its launch, where there are several" {
	local null=(-a null -a null -a null) one=(--launch vadd -a null -a null -a null -a 1)

	fails 110 "gpurun: error: launch 2: arg1: there is no buffer z
gpurun: hint: declare it: --buf z=f32:1024:iota" \
		gpurun "$cuda/vadd.fatbin" "${one[@]}" --launch vadd -a null -a z -a null -a 1
	run -110 --separate-stderr gpurun "$cuda/vadd.fatbin" --launch vadd -a f33:4 "${one[@]}"
	same "${stderr_lines[0]}" "gpurun: error: launch 1: arg0: unknown type 'f33'"
	fails 110 "gpurun: error: launch 1: arg3 ('i64=1') of vadd: i64 has 8 bytes, the parameter 4 (.u32)
gpurun: hint: the kernel is vadd(u64@0, u64@8, u64@16, u32@24)" \
		gpurun "$cuda/vadd.fatbin" --launch vadd "${null[@]}" -a i64=1 "${one[@]}"
	fails 110 "gpurun: error: arg3 ('i64=1') of vadd: i64 has 8 bytes, the parameter 4 (.u32)
gpurun: hint: the kernel is vadd(u64@0, u64@8, u64@16, u32@24)" \
		gpurun "$cuda/vadd.fatbin" --launch vadd "${null[@]}" -a i64=1
}

# met: of several launches none was told to be the one that faulted
@test "of several launches that are awaited the one is named that faulted" {
	local image=$cuda/hello.fatbin hello=(--launch hello) fill=(--launch o:fill -b 64 -a i32:16)
	local end fault="launch 2, fill on stream s0, grid 1x1x1, block 64x1x1: cu"

	# Whatever call tells of it: a launch behind it, or an await.
	for end in "" --await=all; do
		# shellcheck disable=SC2086 # one word, or none
		run -117 --separate-stderr gpurun "$image" --load o="$cuda/outofbounds.fatbin" \
			"${hello[@]}" "${fill[@]}" $end "${hello[@]}" --stream s1
		[[ ${stderr_lines[-1]} == "gpurun: error: $fault"* ]]
	done
	CUDA_LAUNCH_BLOCKING=1 run -117 --separate-stderr gpurun "$image" \
		--load o="$cuda/outofbounds.fatbin" "${hello[@]}" "${fill[@]}"
	[[ ${stderr_lines[-1]} == "gpurun: error: $fault"* ]]
	# On the stream that is awaited later than another.
	run -117 --separate-stderr gpurun "$image" --load o="$cuda/outofbounds.fatbin" "${hello[@]}" \
		"${fill[@]}" --stream s1
	[[ ${stderr_lines[-1]} == "gpurun: error: ${fault/s0/s1}"* ]]
	# One of two of the same kernel: either it may be.
	run -117 --separate-stderr gpurun "$image" --load o="$cuda/outofbounds.fatbin" "${fill[@]}" \
		"${fill[@]}"
	[[ ${stderr_lines[-1]} == "gpurun: error: launches 1 (fill) to 2 (fill) on stream s0: cu"* ]]
}

# met: what a kernel printed into a closed standard output was told with the wrong reason
@test "what a kernel prints and a closed standard output does not take is an error" {
	local limit

	for limit in "" "-t 60"; do
		# shellcheck disable=SC2086,SC2016 # two words, or none
		run -111 --separate-stderr bash -c 'exec gpurun "$@" >&-' - "$cuda/hello.fatbin" -q $limit \
			--launch hello
		same "$stderr" "gpurun: error: stdout: not all could be written"
	done
}

# met: a report had a seed of 0 for a wrong command line, or a run that was stopped
@test "a report of a stopped run has the seed that it was given" {
	for seed in 1 7; do
		run -124 --separate-stderr gpurun "$cuda/forever.fatbin" --seed $seed -t 0.5 --json \
			--launch forever -a i32:1
		echo "$output" >report
		same "$(json report seed)" $seed
	done
}

# In a small tree: a manual of two sections and five sentences, a list of one, and three tests.
promising() {
	mkdir -p scripts man docs/evidence test/cli test/unit
	cp "$root/scripts/check-promises" scripts
	cat >man/gpurun.1 <<-'END'
	.Dd today
	.Dt GPURUN 1
	.Os
	.Sh NAME
	.Nm gpurun
	.Nd is not looked at.
	.Sh DESCRIPTION
	.Nm
	runs.
	It costs
	.Pq nothing .
	.Bl -tag -width Ds
	.It Fl a
	Is a.
	Is b.
	.El
	.Sh CAVEATS
	See
	.Xr gpurun-cpu 7 .
	END
	printf '%s\n' '- See gpurun-cpu(7).' >docs/evidence/promises.md
	printf '%s\n' '# promise: gpurun runs.' '# promise: It costs' '# bats test_tags=plain' '@test "it runs" {' '}' '' \
		'# promise: Is a.' '# met: it was b' '# A comment.' '@test "is a" {' '}' >test/cli/a.bats
	printf '%s\n' '/* promise: Is b. */' 'static void test_b(void)' '{' '}' 'RUN(test_b);' >test/unit/b.c
	git init -q
}

problems() {	# [PROBLEM]...: what check-promises says of the tree
	git add .
	run -0 --separate-stderr scripts/check-promises
	same "$output$stderr" "$(printf '%s\n' "$@")"
}

# bats test_tags=plain
@test "a sentence without a test, and what is no sentence: each is told" {
	command -v mandoc >/dev/null || skip "needs mandoc, which is not installed"
	promising
	problems
	sed -i 's/^runs\.$/&\n.Nm\nlasts\n.Pq long ./' man/gpurun.1
	problems 'man/gpurun.1: DESCRIPTION: no test says "promise: " and the first words of: gpurun lasts (long).'
	printf '%s\n' '- gpurun lasts (short' >>docs/evidence/promises.md
	problems "docs/evidence/promises.md: no sentence of man/gpurun.1 begins with: gpurun lasts (short" \
		'man/gpurun.1: DESCRIPTION: no test says "promise: " and the first words of: gpurun lasts (long).'
	sed -i 's/(short/(l/' docs/evidence/promises.md
	problems
	sed -i 's/^# promise: It costs/# promise: I/' test/cli/a.bats
	problems "test/cli/a.bats:2: 3 sentences of man/gpurun.1 begin with: I"
}

# bats test_tags=plain
@test "a promise that no test follows, or one that is not run" {
	command -v mandoc >/dev/null || skip "needs mandoc, which is not installed"
	promising
	sed -i 's/^@test "is a" {/is_a() {/' test/cli/a.bats
	problems "test/cli/a.bats:7: no test follows: promise: Is a." \
		"test/cli/a.bats:8: no test follows: met: it was b"
	rm test/cli/a.bats
	sed -i 's/^RUN.*//' test/unit/b.c
	problems "test/unit/b.c:1: test_b() is not run: promise: Is b." \
		'man/gpurun.1: DESCRIPTION: no test says "promise: " and the first words of: gpurun runs.' \
		'man/gpurun.1: DESCRIPTION: no test says "promise: " and the first words of: It costs (nothing).' \
		'man/gpurun.1: DESCRIPTION: no test says "promise: " and the first words of: Is a.'
}

# bats test_tags=plain
@test "the sentences and their tests as a page" {
	command -v mandoc >/dev/null || skip "needs mandoc, which is not installed"
	promising
	git add .
	same "$(scripts/check-promises -l | cut -f 2 | paste -sd ' ')" \
		'gpurun runs. It costs (nothing). Is a. Is b. See gpurun-cpu(7).'
	same "$(scripts/check-promises -p)" '
## DESCRIPTION

| gpurun(1) says | tests |
|---|---|
| gpurun runs. | `test/cli/a.bats`: "it runs" |
| It costs (nothing). | `test/cli/a.bats`: "it runs" |
| Is a. | `test/cli/a.bats`: "is a" |
| Is b. | `test/unit/b.c`: "test_b" |

## What users met

| what went wrong | tests |
|---|---|
| it was b | `test/cli/a.bats`: "is a" |'
}

# bats test_tags=plain
@test "without mandoc the sentences are not compared, which is said once; what follows a promise is" {
	local tool

	mkdir tools
	for tool in env git; do
		ln -s "$(command -v "$tool")" tools
	done
	ln -s "$(python3 -c 'import sys; print(sys.executable)')" tools/python3
	promising
	git add .
	run -77 --separate-stderr env PATH="$PWD/tools" scripts/check-promises
	same "$output" ""
	same "$stderr" "needs mandoc, which is not installed"
	sed -i 's/^@test "is a" {/is_a() {/' test/cli/a.bats
	run -77 --separate-stderr env PATH="$PWD/tools" scripts/check-promises
	same "${lines[0]}" "test/cli/a.bats:7: no test follows: promise: Is a."
	run -77 --separate-stderr env PATH="$PWD/tools" scripts/check-promises -l
	same "$output" ""
}
