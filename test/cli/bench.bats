# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --bench, --against and --repeat. The times themselves mean nothing here: what is printed, what a
# run begins from, and what is refused, do. test/unit/cmd/bench.c has the statistics.

load helpers

# Kernels that change what they find: inc adds 1 to each element; kept counts its launches in a
# variable and stores the count; clocked and floats store what the clock says.
kernels() {
	cat >k.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .global .align 4 .u32 seen;
		.visible .entry inc(.param .u64 p, .param .u32 n)
		{
			.reg .u32 %r<7>; .reg .u64 %rd<4>; .reg .pred %p<2>;
			ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];
			mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
			mad.lo.u32 %r5, %r2, %r3, %r4;
			setp.ge.u32 %p1, %r5, %r1;
			@%p1 bra DONE;
			mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;
			ld.global.u32 %r6, [%rd3]; add.u32 %r6, %r6, 1; st.global.u32 [%rd3], %r6;
		DONE:
			ret;
		}
		.visible .entry kept(.param .u64 p)
		{
			.reg .u32 %r<3>; .reg .u64 %rd<2>;
			ld.param.u64 %rd1, [p];
			atom.global.add.u32 %r1, [seen], 1;
			st.global.u32 [%rd1], %r1;
			ret;
		}
		.visible .entry slow(.param .u64 p, .param .u32 n)
		{
			.reg .u32 %r<7>; .reg .u64 %rd<4>; .reg .pred %p<2>;
			ld.param.u64 %rd1, [p];
			mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
			mad.lo.u32 %r5, %r2, %r3, %r4;
			mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;
			ld.global.u32 %r6, [%rd3]; add.u32 %r6, %r6, 1; st.global.u32 [%rd3], %r6;
			mov.u32 %r1, 0;
		LOOP:
			add.u32 %r1, %r1, 1;
			setp.lt.u32 %p1, %r1, 40000;
			@%p1 bra LOOP;
			ret;
		}
		.visible .entry clocked(.param .u64 p)
		{
			.reg .u32 %r<3>; .reg .u64 %rd<4>;
			ld.param.u64 %rd1, [p];
			mov.u64 %rd2, %globaltimer;
			st.global.u64 [%rd1], %rd2;
			ret;
		}
		.visible .entry floats(.param .u64 p)
		{
			.reg .f32 %f<3>; .reg .u64 %rd<4>; .reg .u32 %r<3>;
			ld.param.u64 %rd1, [p];
			mov.u64 %rd2, %globaltimer;
			cvt.u32.u64 %r1, %rd2; and.b32 %r1, %r1, 1023;
			cvt.rn.f32.u32 %f1, %r1;
			fma.rn.f32 %f1, %f1, 0f34000000, 0f3f800000;
			st.global.f32 [%rd1], %f1;
			ret;
		}
	PTX
}

inc="-l inc --threads 1Ki -b 128 -a x=u32:1Ki:iota -a len:x"

# ---- --repeat ----

# promise: Carry out all actions
# promise: Each time buffers and the variables of modules hold again
@test "--repeat: each time from the same buffers and variables" {
	kernels
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --repeat 3 $inc -e x=iota=1,1 --print x:3 \
		-l kept -a y=u32:1 --print y
	same "$output" "x: 1 2 3 …
y: 0
x: 1 2 3 …
y: 0
x: 1 2 3 …
y: 0"
	run -0 --separate-stderr gpurun k.ptx --repeat 4 -l kept -a y=u32:1 -l kept -a y -e y=iota=1,1
}

# promise: The first time with a mismatch
@test "--repeat ends after the first time with a mismatch, and says which" {
	kernels
	run -118 --separate-stderr gpurun k.ptx --repeat 9 -l clocked -a t=u64:1 -e t=zero --json=r.json
	[[ ${stderr_lines[-1]} == "gpurun: the mismatch is in run 1 of 9" ]]
	[[ $(json r.json launches ran) == 1 ]]
	run -117 --separate-stderr gpurun k.ptx --repeat 9 -l inc -a null -a u32=1
	[[ $stderr == *"run 1 of 9: "* ]]
}

@test "--repeat and --bench: what they refuse, before there is a device" {
	kernels
	fails 110 "gpurun: error: --repeat 0: not a number of runs, from 1 on" gpurun k.ptx --repeat 0
	fails 110 "gpurun: error: --repeat 2 besides --bench, which repeats by itself
gpurun: hint: --bench=runs=N runs at most N times" gpurun k.ptx --repeat 2 --bench -l inc
	fails 110 "gpurun: error: --bench without --launch" \
		gpurun k.ptx --bench --buf x=u32:4 --print x
	fails 110 "gpurun: error: --unload besides --bench
gpurun: hint: what is unloaded cannot run again" \
		gpurun k.ptx --load o=k.ptx --bench -l o:kept -a x=u32:1 --unload o
	fails 110 "gpurun: error: --unload besides --repeat
gpurun: hint: what is unloaded cannot run again" \
		gpurun k.ptx --load o=k.ptx --repeat 2 -l o:kept -a x=u32:1 --unload o
	fails 110 "gpurun: error: --against o.ptx without --bench
gpurun: hint: --bench times; --against times another kernel beside it" \
		gpurun k.ptx --against o.ptx -l inc
	fails 110 "gpurun: error: --bench max-slowdown=3 without --against" \
		gpurun k.ptx --bench=max-slowdown=3 -l inc
	fails 110 "gpurun: error: --bench bytes= and flops= are of one launch, and here are 2
gpurun: hint: --bench=count counts them for each launch" \
		gpurun k.ptx --dry-run --bench=bytes=4 -l kept -a x=u32:1 -l kept -a x
	fails 110 "gpurun: error: --bench cold: no such key
gpurun: hint: there are: warm, max-noise, runs, time, warmup, bytes, flops, count, max-slowdown, with commas between them" \
		gpurun k.ptx --bench=cold
	run -110 --separate-stderr gpurun --bench --exec true
	[[ ${stderr_lines[0]} == "gpurun: error: --bench besides --exec, which runs a program instead" ]]
}

# ---- --bench ----

# promise: Time the launches
# promise: The actions are carried out one time as without
# promise: --bench prints, for one launch
# promise: How many bytes the launch reads
# promise: The same for floating-point operations
# promise: On the CPU device the times are not
@test "--bench prints one launch whole, after what the run itself prints" {
	kernels
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=runs=20,warmup=1,bytes=8Ki,flops=1Ki $inc \
		--print x:2 -e x=iota=1,1
	time='[0-9.]+ (ns|us|ms|s)'
	[[ ${lines[0]} == "x: 1 2 …" ]]
	[[ ${lines[1]} == "on the CPU device: not a GPU time" ]]
	[[ ${lines[2]} =~ ^inc,\ cold:\ median\ $time,\ 95\ %\ interval\ $time\ to\ $time\ \([0-9.e+]+\ %\),\ 20\ runs$ ]]
	[[ ${lines[3]} =~ ^\ \ quartiles\ $time\ and\ $time,\ least\ $time,\ 95th\ percentile\ $time$ ]]
	[[ ${lines[4]} =~ ^\ \ [0-9.]+\ [kMGT]?B/s,\ [0-9.]+\ [kMGT]?FLOP/s$ ]]
	[[ ${lines[5]} =~ ^\ \ the\ call\ that\ launches\ $time,\ the\ first\ one\ $time\;\ loading\ the\ file\ $time$ ]]
	((${#lines[@]} == 6))
}

# promise: For several launches
# promise: Leave the caches
# promise: Without it, twice as much memory
@test "--bench: several launches are a table; warm" {
	kernels
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=warm,runs=10,warmup=0 $inc -l kept -a y=u32:1
	[[ ${lines[1]} == "warm:" ]]
	[[ ${lines[2]} == "launch      median       noise       least         p95        call        runs  kernel" ]]
	[[ ${lines[3]} =~ ^1\ .*\ 10\ \ inc$ ]]
	[[ ${lines[4]} =~ ^2\ .*\ 10\ \ kept$ ]]
}

# promise: Each run begins from the same memory
# promise: Then, again and again
@test "--bench: each run begins from the same buffers and variables, --set and --fill included" {
	kernels
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=runs=5,warmup=2 --json=r.json \
		--set seen=list=5 $inc -l kept -a y=u32:1 -l kept -a z=u32:1 --fill z=fill=3 \
		-e y=fill=5 -e z=fill=3 -e x=iota=1,1
	[[ $(json r.json bench runs) == 5 && $(json r.json bench warmups) == 2 ]]
	(($(json r.json bench compared) >= 2))
	[[ $(json r.json bench gpu_time) == false && $(json r.json bench caches) == cold ]]
	[[ $(json r.json bench launches 2 kernel) == kept ]]
	# what the checked run found stays in the report
	[[ $(json r.json actions 5 ok) == true && $(json r.json actions 5 of) == 1 ]]
	# a checked run, 2 to warm up, 5 measured, one whose result is compared: of three launches
	[[ $(json r.json launches ran) == 27 ]]
}

@test "--bench: a result that changes is 118, and no number" {
	kernels
	run -118 --separate-stderr gpurun k.ptx --bench=runs=50 -l clocked -a t=u64:1 --json=r.json
	same "$output" ""
	[[ ${stderr_lines[0]} =~ ^gpurun:\ error:\ bench:\ buffer\ t\ is\ not\ what\ the\ checked\ run\ left:\ 1\ of\ 1\ elements\ differ\;\ the\ first\ is\ \[0\]:\ got\ [0-9]+,\ had\ [0-9]+$ ]]
	[[ ${stderr_lines[1]} == "gpurun: hint: where results may differ from run to run, --expect with --rtol says how far" ]]
	[[ $(json r.json exit name) == mismatch ]]
	run -1 json r.json bench
	[[ $(json r.json error stage) == bench ]]
	# no report says that all is well
	run -118 --separate-stderr gpurun k.ptx --bench=runs=5 -l clocked -a t=u64:1 --junit=- --annotate
	[[ $(grep -c '^::error title=gpurun%3A mismatch::bench: buffer t is not' <<<"$output$stderr") == 1 ]]
	[[ $output == *'<testsuites name="gpurun" tests="2" failures="1"'* ]]
	[[ $output == *'name="bench"'*'<failure type="mismatch" message="bench: buffer t is not'* ]]
	# after a mismatch of the checked run nothing is timed
	# shellcheck disable=SC2086 # words
	run -118 --separate-stderr gpurun k.ptx --bench=runs=50 $inc -e x=iota --json=r.json
	[[ $(json r.json launches ran) == 1 ]]
}

# promise: A buffer of which results may differ
@test "--bench: an --expect with a tolerance after the last launch judges each run" {
	kernels
	run -118 --separate-stderr gpurun k.ptx --bench=runs=20 -l floats -a f=f32:1
	run -0 --separate-stderr gpurun k.ptx --bench=runs=20 -l floats -a f=f32:1 -e f=fill=1 --rtol 1e-3
}

# promise: BENCHMARKS has the keys
# promise: The keys are
# promise: Stop when the interval
# promise: With 0 it goes on
# promise: Stop after so many runs
# promise: Stop after that time
# promise: So many runs come before
# promise: Without it there are 3 or more
@test "--bench ends when it was told to, and says when the noise is above max-noise" {
	kernels
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=max-noise=1e-9,runs=30,warmup=0 $inc --json=r.json
	[[ $(json r.json bench runs) == 30 && $(json r.json bench settled) == false ]]
	[[ $stderr =~ ^gpurun:\ after\ 30\ runs\ in\ .*\ the\ noise\ is\ above\ max-noise=1e-09$ ]]
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=max-noise=0,time=50ms $inc --json=r.json
	(($(json r.json bench warmups) >= 3))
	[[ $(json r.json bench settled) == false && -z $stderr ]]
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=max-noise=10000 $inc --json=r.json
	[[ $(json r.json bench settled) == true && $(json r.json bench runs) == 20 ]]
	# four fifths of a second, and the run ends by itself
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx -t 1 --bench=max-noise=0 $inc --json=r.json
	[[ $(json r.json bench settled) == false ]]
}

@test "--bench: a kernel that faults in the checked run ends as ever" {
	kernels
	run -117 --separate-stderr gpurun k.ptx --bench -l inc -a null -a u32=1
	same "$output" ""
}

# ---- --against ----

# promise: With --bench: time beside it
# promise: With --against that is the interval
# promise: The two take turns
# promise: Slower or faster is said
@test "--against: another kernel of the file, and another file" {
	kernels
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=runs=20,warmup=1 --against :slow $inc -e x=iota=1,1 --json=r.json
	[[ ${lines[-1]} =~ ^inc\ takes\ 0\.[0-9]+\ of\ the\ time\ of\ --against\ :slow\ \(.*\):\ faster$ ]]
	[[ $(json r.json bench against faster) == true && $(json r.json bench against slower) == false ]]
	[[ $(json r.json bench launches 1 kernel) == slow && $(json r.json bench launches 1 against) == true ]]
	cp k.ptx other:file.ptx
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=runs=10 --against other:file.ptx $inc
	[[ $output == *$'\n--against other:file.ptx:\n'* ]]
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=runs=10 --against other:file.ptx:slow $inc
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun - --bench=runs=10 --against k.ptx $inc <k.ptx
}

# promise: With --against: exit with 118
@test "--against: max-slowdown= is 118, and a difference within it is not" {
	kernels
	# shellcheck disable=SC2086 # words
	run -118 --separate-stderr gpurun k.ptx --bench=runs=20,max-slowdown=100 --against :inc \
		${inc/inc/slow} --json=r.json
	[[ ${stderr_lines[0]} =~ ^gpurun:\ error:\ bench:\ slow\ is\ slower\ than\ --against\ :inc\ by\ [0-9.]+\ %\ \([0-9.]+\ to\ [0-9.]+\)\;\ at\ most\ 100\ %\ is\ allowed$ ]]
	[[ $(json r.json bench against slower) == true ]]
	# shellcheck disable=SC2086 # words
	run -0 --separate-stderr gpurun k.ptx --bench=runs=20,max-slowdown=100 --against :slow $inc
}

@test "--against: what it refuses" {
	kernels
	# before there is a device
	run -113 --separate-stderr gpurun k.ptx --dry-run --bench --against :none -l kept -a x=u32:1
	run -113 --separate-stderr gpurun k.ptx --bench --against :none -l kept -a x=u32:1
	[[ ${stderr_lines[0]} == "gpurun: error: --against :none: "*none* ]]
	run -111 --separate-stderr gpurun k.ptx --bench --against none.ptx -l kept -a x=u32:1
	[[ ${stderr_lines[0]} == "gpurun: error: --against none.ptx: "* ]]
	run -110 --separate-stderr gpurun k.ptx --bench --against :inc -l kept -a x=u32:1
	[[ ${stderr_lines[0]} == "gpurun: error: --against :inc: "* ]]
	fails 110 "gpurun: error: --against :inc: --against compares one launch with another, and here are 2" \
		gpurun k.ptx --bench --against :inc -l kept -a x=u32:1 -l kept -a x
	fails 110 "gpurun: error: --against k.ptx: --against takes the place of FILE, and the kernel is of --load o
gpurun: hint: give that file as FILE" \
		gpurun k.ptx --load o=k.ptx --bench --against k.ptx -l o:kept -a x=u32:1
	run -110 --separate-stderr gpurun - --bench --against :slow -l kept -a x=u32:1 <k.ptx
	[[ ${stderr_lines[0]} == "gpurun: error: --against :slow: --against :slow: standard input is read one time" ]]
	# a result of the other one that is wrong
	# shellcheck disable=SC2086 # words
	run -118 --separate-stderr gpurun k.ptx --bench --against k.ptx:clocked -l floats -a x=f32:2 -e x=list=1,0 --rtol 1e-3
	[[ ${stderr_lines[-1]} == "gpurun: that is the result of --against k.ptx:clocked" ]]
	run -118 --separate-stderr gpurun k.ptx --bench --against k.ptx:clocked -l floats -a x=f32:2 \
		-e x=list=1,0 --rtol 1e-3 --junit=-
	[[ $output == *'name="bench"'*'<failure type="mismatch"'* ]]
}

# ---- a GPU, whose driver is the stub ----

# On a GPU of the stub, on which nothing computes, with the library of test/nvml.
on_stub() {	# NVML OPTION...
	# shellcheck disable=SC2086 # words
	GPURUN_DRIVER=$stub LD_LIBRARY_PATH=$build/test/nvml GPURUN_NVML=$1 \
		gpurun k.ptx -d gpu "${@:2}" $inc
}

# promise: Runs of which a GPU was slowed down
@test "--bench on a GPU: clocks, and runs of times when it was slowed down" {
	kernels
	run -0 --separate-stderr on_stub "" --bench=runs=9,warmup=0
	[[ ${lines[-1]} == "clocks: multiprocessors 1965 to 1980 MHz, memory 2619 MHz; not slowed down" ]]
	! [[ $output == *"not a GPU time"* ]]
	# each run has a reading, see test/nvml
	run -0 --separate-stderr on_stub reasons=0x24,after=7 --bench=runs=9,warmup=0 --json=r.json
	[[ ${lines[-2]} == "  slowed down in 2 runs, which do not count" ]]
	[[ ${lines[-1]} == *"; slowed down by power cap, heat" ]]
	[[ $(json r.json bench launches 0 throttled_dropped) == true ]]
	same "$(($(json r.json bench launches 0 throttled) + $(json r.json bench launches 0 samples)))" 9
	[[ $(json r.json bench clocks slowed_by) == "power cap, heat" ]]
	run -0 --separate-stderr on_stub reasons=8 --bench=runs=9,warmup=0
	[[ ${lines[-2]} == "  slowed down in 9 runs, which are most of them, and so count" ]]
	[[ ${lines[-1]} == *"; slowed down by hardware slowdown" ]]
}

@test "--bench on a GPU: why clocks are not known" {
	local row

	kernels
	# shellcheck disable=SC2086 # words
	GPURUN_DRIVER=$stub run -0 --separate-stderr gpurun k.ptx -d gpu --bench=runs=6,warmup=0 $inc
	[[ ${lines[-1]} == "clocks: not known, "* ]] # where there is one it does not know this device
	for row in "nvmlInit_v2:libnvidia-ml.so.1 does not start" \
		"nvmlDeviceGetHandleByUUID:libnvidia-ml.so.1 does not know the device" \
		"nvmlDeviceGetClockInfo:they could not be read" \
		"nvmlDeviceGetCurrentClocksThrottleReasons:they could not be read"; do
		run -0 --separate-stderr on_stub "fail=${row%%:*}" --bench=runs=6,warmup=0 --json=r.json
		same "${lines[-1]}" "clocks: not known, ${row#*:}"
		[[ $(json r.json bench clocks) == null ]]
	done
}

@test "--help=bench has each key, and gpurun(1) has the same" {
	local keys

	keys=$(sed -n 's/^BENCH_KEY("\([a-z-]*\)".*/\1/p' "$root/cmd/line/bench_keys.def" | sort)
	[[ $(wc -l <<<"$keys") -ge 9 ]]
	same "$(gpurun --help=bench | sed -n 's/^  \([a-z-]*\).*/\1/p' | sort)" "$keys"
	same "$(sed -n '/^\.Sh BENCHMARKS/,/^\.Sh PARALLEL/s/^\.It Cm \([a-z-]*\).*/\1/p' \
		"$root/man/gpurun.1" | sort)" "$keys"
}
