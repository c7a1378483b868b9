# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What --verbose and the report say of a run: modules, launches, events, waits, awaits.
load helpers

# What -v says from the first module on, without times.
said() {	# COMMAND...
	run --separate-stderr "$@"
	grep -E '^gpurun: (module|launch [0-9]+:|event|wait|await)' <<<"$stderr" |
		sed -E 's/after [0-9.]+ us/after T us/'
}

# The report's history, an entry a line, without times, which never go back.
history() {	# FILE
	python3 -c '
import json, sys
last = 0
for entry in json.load(open(sys.argv[1]))["history"]:
    assert entry["host_ns"] >= last, entry
    last = entry.pop("host_ns")
    print(*entry.values())' "$1"
}

# promise: Say more
@test "the main job: a record, a wait of a stream, an await, and the unload by the exit hook" {
	file=$cuda/pipeline.fatbin
	line=(gpurun "$file" -b 4 --launch produce -a t=f32:4 --stream s1 --event ready
		--launch consume -a t -a out=f32:4 --stream s2 --after ready --await ready)
	same "$(said "${line[@]}" -v)" "gpurun: module loaded: image 0 of $file
gpurun: launch 1: produce on stream s1
gpurun: event recorded: ready on stream s1
gpurun: wait: stream s2 for event ready
gpurun: launch 2: consume on stream s2
gpurun: await begins: event ready
gpurun: await ends: event ready, after T us
gpurun: await begins: stream s1
gpurun: await ends: stream s1, after T us
gpurun: await begins: stream s2
gpurun: await ends: stream s2, after T us
gpurun: module unloaded by the exit hook: image 0 of $file"
	run -0 "${line[@]}" --json=report
	same "$(history report)" "load 0 $file
launch 1 produce s1
record ready s1
wait ready s2
launch 2 consume s2
await ready
awaited ready
await s1
awaited s1
await s2
awaited s2
unload 0 $file the exit hook"
	run -0 --separate-stderr "${line[@]}"
	[[ $stderr != *await* ]]
}

@test "--record, --wait, and --print, which awaits what it looks at" {
	same "$(said gpurun "$cuda/pipeline.fatbin" -v --launch produce -a t=f32:4 --record a@s0 \
		--wait a@s1 --print t | sed -n '2,6p')" "gpurun: launch 1: produce on stream s0
gpurun: event recorded: a on stream s0
gpurun: wait: stream s1 for event a
gpurun: await begins: stream s0
gpurun: await ends: stream s0, after T us"
}

@test "each module says who unloads it: --unload, the end of a run with destructors, the exit hook" {
	cp "$root"/test/data/images/parts.{1.ptx,2.90.cubin} .
	same "$(said gpurun "$cuda/pipeline.fatbin" --load b="$cuda/vadd.fatbin" \
		--load c="$cuda/saxpy.fatbin" -v --launch produce -a t=f32:4 --unload b |
		grep module)" "gpurun: module loaded: image 0 of $cuda/pipeline.fatbin
gpurun: module loaded: image 0 of $cuda/vadd.fatbin
gpurun: module loaded: image 0 of $cuda/saxpy.fatbin
gpurun: module unloaded by --unload: image 0 of $cuda/vadd.fatbin
gpurun: module unloaded by the exit hook: image 0 of $cuda/saxpy.fatbin
gpurun: module unloaded by the exit hook: image 0 of $cuda/pipeline.fatbin"
	same "$(said gpurun "$root/test/data/images/units.a" -v --launch uses -b 4 -a x=i32:20 |
		grep module)" "gpurun: module loaded: $root/test/data/images/units.a, linked
gpurun: module unloaded by the exit hook: $root/test/data/images/units.a, linked"
	structors
	same "$(said gpurun structors.ptx -v --launch kernel | grep module)" \
		"gpurun: module loaded: image 0 of structors.ptx
gpurun: module unloaded by the end of the run: image 0 of structors.ptx"
}

# A text with a destructor of LLVM's.
structors() {
	cat >structors.ptx <<-'PTX'
		.version 8.0
		.target sm_80
		.address_size 64
		.visible .entry kernel() { ret; }
		.visible .entry nvptx$device$fini() { ret; }
	PTX
}

@test "an await that fails has no end, and a module whose unload fails is not said to be unloaded" {
	[[ -e $stub ]] || skip "the stub driver is not built"
	export GPURUN_DRIVER=$stub GPURUN_DEVICE=gpu
	GPURUN_STUB_FAIL=cuEventSynchronize=719 run -117 gpurun "$cuda/pipeline.fatbin" \
		--launch produce -a t=f32:4 --record a@s0 --await a --json=report
	same "$(history report | cut -d' ' -f1 | tr '\n' ' ')" "load launch record await unload "
	GPURUN_STUB_FAIL=cuModuleUnload=999 run -115 gpurun "$cuda/pipeline.fatbin" \
		--launch produce -a t=f32:4 --json=report
	same "$(history report | cut -d' ' -f1 | tr '\n' ' ')" "load launch await awaited "
}

@test "a run that is stopped reports what it was waiting for" {
	run -124 gpurun "$cuda/forever.fatbin" -t 1s --launch forever -a gate=i32:1 --json=report
	same "$(history report)" "load 0 $cuda/forever.fatbin
launch 1 forever s0
await s0"
}
