# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Traces of programs of each kind: valid, and of each launch of 100 us and more the time that the
# program's own events measure, within 5 %. On the CPU device; scripts/gpu-check runs them with
# GPURUN_TEST_DEVICE=gpu, where the key times is needed for it. The first launch is not compared:
# between events around it a kernel is also loaded, or translated.

load helpers
eval "$(declare -f setup | sed '1s/setup/set_up_for_cpu/')"

count=5000000 # rounds of a kernel: tens of milliseconds

setup() {
	device=${GPURUN_TEST_DEVICE:-cpu}
	set_up_for_cpu
	export GPURUN_DEVICE=$device
	traced=t.json
	[[ $device == cpu ]] || traced=t.json,times
}

# Wants the trace t.json to be valid, and prints the numbers of its launches of NAME that took what
# the lines of the standard input say, microseconds in the order in which they began on the device;
# of others a line on standard error. Fails where there are others than those that were measured.
agreeing() {	# NAME
	"$root/test/cli/validate_trace" t.json || return
	python3 -I -S -c '
import json, sys
events = json.load(open("t.json"))["traceEvents"]
traced = [event["dur"] for event in sorted(events, key=lambda event: event["ts"])
	  if event["ph"] == "X" and event["pid"] >= 10000000 and event["name"].startswith(sys.argv[1])]
measured = [float(line) for line in sys.stdin if line[0].isdigit()]
if len(traced) != len(measured) or min(traced[1:]) < 100:
    sys.exit(f"traced {traced}, measured {measured}")
for number, (a, b) in enumerate(zip(traced[1:], measured[1:])):
    if abs(a - b) <= b / 20:
        print(number)
    else:
        print(f"launch {number}: traced {a}, measured {b}", file=sys.stderr)' "$1"
}

# Runs the command, whose output is what it measured, until each launch has agreed, five times at
# most: another process may have the processor between an event and a launch.
agree() {	# NAME COMMAND...
	local i

	rm -f agreed
	for i in 1 2 3 4 5; do
		"${@:2}" >measured || return
		agreeing "$1" <measured >>agreed 2>said || { cat said; return 1; }
		(($(sort -u agreed | wc -l) < $(grep -c '^[0-9]' measured) - 1)) || return 0
	done
	cat said
	return 1
}

program() {	# PROGRAM ARGUMENT...
	gpurun -q -t 120 --trace "$traced" --exec "$@"
}

own_run() {
	gpurun -q --json=r.json --trace "$traced" "$build/test/host-programs/timed" \
		--launch spin -b 32 -a a=u32:1 -a i32=1 --stream s1 \
		--launch spin -b 32 -a a -a i32=$count \
		--stream s1 --event e1 --launch spin -b 32 -a b=u32:1 -a i32=$count --stream s2 --after e1 \
		--launch spin -b 32 -a b -a i32=$count --stream s2 || return
	python3 -I -S -c '
import json
for action in json.load(open("r.json"))["actions"]:
    print(action["gpu_ns"] / 1000)'
}

@test "a run of two streams and an event" {
	agree spin own_run
	same "$(grep -c '"name":"stream s[12]"' <(tr , '\n' <t.json))" 2
	same "$(grep -o '"ph":"s","name":"waits"' t.json | wc -l)" 1
}

# bats test_tags=plain
@test "a program that nvcc built, with copies" {
	if [[ $device == gpu ]]; then
		[[ ${CUDART_NVIDIA:-} ]] || skip "needs NVIDIA's libcudart"
		export LD_LIBRARY_PATH=$CUDART_NVIDIA${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	fi
	agree 'spin(unsigned int*, int)' program "$root/test/cudart/built/timed_launches" $((8 * count))
}

@test "what MLIR calls" {
	agree spin program "$build/test/host-programs/timed_mlir" $count 3
}

@test "a program of libgpurun" {
	agree spin program "$build/test/host-programs/timed_library" $count 3
}

@test "a program of the driver, with two streams" {
	agree spin program "$build/test/host-programs/timed" $count warm:a sync:a timed:a sync:a timed:b record:b wait:a timed:a
	same "$(grep -o '"ph":"s","name":"waits"' t.json | wc -l)" 1
}

@test "a graph" {
	if [[ $device == cpu ]]; then # has none
		run -1 --separate-stderr program "$build/test/host-programs/timed" 1 warm:a capture:a
		[[ $stderr == *"cuStreamBeginCapture_v2: 801"* ]]
		"$root/test/cli/validate_trace" t.json
		return
	fi
	agree "" program "$build/test/host-programs/timed" $count warm:a capture:a spin:a spin:a end-capture:a timed-graph:a \
		sync:a timed-graph:a
}
