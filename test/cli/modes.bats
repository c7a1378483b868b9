# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What goes with --list and --devices, where values may come from, and where reports go.

load helpers

# met: actions beside --list and --devices were dropped in silence
@test "--list and --devices run nothing: actions beside them are refused" {
	fails 110 "gpurun: error: --expect besides --list, which runs nothing
gpurun: hint: with --list go FILE, --color, -d, --image, -j, --link, --load, -q and -v" \
		gpurun "$data/images/counter.ptx" --list -l nosuch -e foo
	fails 110 "gpurun: error: --buf besides --list, which runs nothing
gpurun: hint: with --list go FILE, --color, -d, --image, -j, --link, --load, -q and -v" \
		gpurun "$data/images/counter.ptx" --list=images --buf x=f32:1
	fails 110 "gpurun: error: t.ptx besides --devices, which runs nothing
gpurun: hint: with --devices go --color, -d, -j, --no-device-exit, -q, -t and -v" \
		gpurun --devices t.ptx
	fails 110 "gpurun: error: --out besides --devices, which runs nothing
gpurun: hint: with --devices go --color, -d, -j, --no-device-exit, -q, -t and -v" \
		gpurun --devices -o x=y.npy
}

# promise: As --device.
# met: a wrong value in the environment was told of an option that was not given
@test "a wrong value from the environment names its variable" {
	local file=$data/images/counter.ptx

	GPURUN_TIMEOUT=x fails 110 "gpurun: error: GPURUN_TIMEOUT x: not a time
gpurun: hint: a time is a number of seconds, or as in 500ms, 90s, 5m, 1.5h" gpurun "$file" -l .
	GPURUN_SEED=x fails 110 "gpurun: error: GPURUN_SEED x: not a whole number" \
		gpurun "$file" -l .
	GPURUN_NO_DEVICE_EXIT=x fails 110 "gpurun: error: GPURUN_NO_DEVICE_EXIT x: not an exit status, 0 to 255" \
		gpurun "$file" -l .
	GPURUN_DEVICE=gpu GPURUN_CHECK=mem fails 110 "gpurun: error: GPURUN_CHECK mem: the device is 'gpu'
gpurun: hint: only the CPU device checks: -d cpu" gpurun "$file" -l .
	GPURUN_DEVICE=foo fails 110 "gpurun: error: GPURUN_DEVICE: bad device selector 'foo': no such kind of device
gpurun: hint: a selector is auto, gpu, gpu:N, gpu:UUID, gpu:PCI, cpu or cpu:key=value,..." \
		gpurun "$file" -l bump -a x=u32:4
	GPURUN_DEVICE=cpu:foo=1 run -110 --separate-stderr gpurun --exec true
	[[ $stderr == "gpurun: error: GPURUN_DEVICE: cpu:foo=1: CPU device: unknown key 'foo' (there are "* ]]
	GPURUN_DEVICE=cpu:foo=1 run -110 --separate-stderr gpurun "$file" -l bump -a x=u32:4 --check mem
	[[ $stderr == "gpurun: error: GPURUN_DEVICE: cpu:foo=1,check=mem: CPU device: unknown key 'foo' "* ]]
	GPURUN_CHECK=bugs fails 110 "gpurun: error: GPURUN_CHECK: cpu:check=bugs: CPU device: check=bugs is not one or more of mem, init, race, sync, leak, api, or all or none" \
		gpurun "$file" -l bump -a x=u32:4
	GPURUN_CHECK=bugs GPURUN_DEVICE=cpu:foo=1 run -110 --separate-stderr gpurun "$file" -l bump \
		-a x=u32:4 -d cpu
	[[ $stderr == "gpurun: error: GPURUN_CHECK: cpu:check=bugs: CPU device: check=bugs is not "* ]]
	# One that was given is named by its own text.
	GPURUN_DEVICE=foo run -110 --separate-stderr gpurun "$file" -d bar -l bump -a x=u32:4
	[[ $stderr == "gpurun: error: bad device selector 'bar': "* ]]
	GPURUN_CPU=foo=1 run -110 --separate-stderr gpurun "$file" -l bump -a x=u32:4
	[[ $stderr == "gpurun: error: GPURUN_CPU: CPU device: unknown key 'foo' (there are "* ]]
	# The option stands above the variable, which then is not read.
	GPURUN_SEED=x run -0 gpurun "$file" -d cpu --dry-run -l bump -a x=u32:1 --seed 1
}

# promise: A variable that is empty
# met: an empty variable was a wrong value
@test "an empty variable is one that is not set" {
	GPURUN_TIMEOUT="" GPURUN_SEED="" GPURUN_NO_DEVICE_EXIT="" GPURUN_CHECK="" GPURUN_DEVICE="" \
		GPURUN_CPU="" run -0 gpurun "$data/images/counter.ptx" -d cpu --dry-run -l bump \
		-a x=u32:1
}

# promise: Read further words
# met: "-" was a file of that name for some options
@test "'-' is standard input and standard output everywhere" {
	local kernel=$BATS_TEST_TMPDIR/copy.ptx

	put_value >"$kernel"
	gpurun "$kernel" --list --json=- >list.json
	[[ ! -e - ]]
	same "$(json list.json schema)" gpurun/1
	printf 'abcd' >four
	run -0 --separate-stderr gpurun "$kernel" -l put -a x=u32:2:@- -a u32=7 --print x < <(cat four four)
	same "$output" "x: 7 1684234849"
	run -0 --separate-stderr gpurun "$kernel" @- -a u32=9 --print x < <(printf '%s\n' -l put -a x=u32:1)
	same "$output" "x: 9"
	fails 110 "gpurun: error: buffer x: the standard input, '-', can be read once, and the kernel file has it" \
		gpurun - -l put -a x=u32:@- -a u32=7 <"$kernel"
	fails 110 "gpurun: error: a=-: the standard input, '-', can be read once, and a response file has it" \
		gpurun @- --load a=- -l a:put < <(printf -- '-q\n')
}

put_value() {
	cat <<-'E'
	.version 7.8
	.target sm_80
	.address_size 64
	.visible .entry put(.param .u64 p, .param .u32 n)
	{
		.reg .u64 %p;
		.reg .u32 %n;
		ld.param.u64 %p, [p];
		ld.param.u32 %n, [n];
		st.global.u32 [%p], %n;
		ret;
	}
	E
}

# met: a report had a seed of 0 for a wrong command line, or a run that was stopped
# met: a wrong command line wrote no report
@test "a wrong command line is reported where it asks for a report, whichever way" {
	run -110 --separate-stderr gpurun k.ptx --bogus --json=r.json
	same "$output" ""
	same "$(json r.json error message)" "unknown option --bogus"
	same "$(json r.json seed)" 1
	gpurun k.ptx -qj --bogus >r.json 2>/dev/null || true
	same "$(json r.json exit code)" 110
	gpurun k.ptx --bogus --json=- >r.json 2>/dev/null || true
	same "$(json r.json exit code)" 110
	# j as the value of a letter before it is no -j.
	run -110 --separate-stderr gpurun k.ptx --bogus -lj
	same "$output" ""
}

# met: a file behind "--" was not seen, nor the reason told
@test "a file behind -- is not the file" {
	fails 110 "gpurun: error: no file given; 't.ptx' is after --
gpurun: hint: FILE goes before --" gpurun -l hello -- t.ptx
}

# met: a device was a text in one report and an object in another; some had no exit
@test "every object of --json has a device of one shape, and how it ended" {
	local keys='["selector", "kind", "index", "uuid", "cc", "name", "pci", "driver", "memory", "multiprocessors"]'
	local kernel=$data/images/counter.ptx

	gpurun "$kernel" --dry-run --json -l bump -a x=u32:4 >plan.json
	gpurun "$kernel" --json -l bump -a x=u32:4 >run.json
	gpurun "$kernel" --list --json >list.json
	gpurun --devices -d cpu --json >devices.json 2>/dev/null
	python3 - "$keys" <<-'E'
	import json, sys
	keys = json.loads(sys.argv[1])
	read = lambda name: json.load(open(name + '.json'))
	assert list(read('plan')['device']) == keys
	assert list(read('run')['device']) == keys
	assert list(read('devices')['devices'][-1]) == keys[1:]
	assert read('plan')['device']['selector'] == 'cpu' and read('plan')['device']['kind'] is None
	assert read('run')['device']['kind'] == 'cpu'
	for name in 'plan', 'run', 'list', 'devices':
	    assert read(name)['exit'] == {'code': 0, 'name': 'ok', 'source': 'gpurun'}, name
	E
	head -c 400 "$data/images/kernels.90.cubin" >cut.cubin
	run -112 --separate-stderr gpurun cut.cubin --list --json
	same "$(json /dev/stdin exit code <<<"$output")" 112
}

# met: what is no number was 0, or the largest integer
@test "what is no number is null in a report" {
	put_value >put.ptx
	run -118 --separate-stderr gpurun put.ptx --json -l put -a x=f32:1:fill=nan -a u32=0x7fc00000 -e x=fill=1
	same "$(json /dev/stdin actions 1 first got <<<"$output")" null
	same "$(json /dev/stdin actions 1 max_abs <<<"$output")" null
	same "$(json /dev/stdin actions 1 max_ulp <<<"$output")" null
}

# promise: Say more
# met: -v told neither image, seed, buffers, checks nor outputs
@test "-v says what the run is made of, what passed and what was written" {
	put_value >put.ptx
	run -0 --separate-stderr gpurun put.ptx -v -d cpu --check mem -l put -a x=u32:2 -a u32=1 \
		-e x=list=1,0 -o x=x.npy
	same "$(sed 's/[0-9.]* us$/T us/' <<<"$stderr")" "gpurun: image   put.ptx  PTX: sm_80 PTX 7.8
gpurun: seed    1
gpurun: buffer  x  u32:2  zero  8 bytes
gpurun: device: the CPU device
gpurun: image 0 of put.ptx is taken: sm_80 PTX 7.8
gpurun: module loaded: image 0 of put.ptx
gpurun: launch 1: put on stream s0
gpurun: await begins: stream s0
gpurun: await ends: stream s0, after T us
gpurun: expect x: 2 elements pass
gpurun: await begins: stream s0
gpurun: await ends: stream s0, after T us
gpurun: launch 1, put on stream s0: T us
gpurun: out x: x.npy written
gpurun: module unloaded by the exit hook: image 0 of put.ptx
gpurun: check: no findings"
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" -v -l vadd -a null -a null -a null -a 0
	grep -qx "gpurun: image 0 of $cuda/vadd.fatbin is taken: sm_75 PTX 9.0" <<<"$stderr"
	GPURUN_DRIVER=$stub run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" -v -d gpu -l vadd \
		-a null -a null -a null -a 0
	grep -qx "gpurun: image 1 of $cuda/vadd.fatbin is taken: sm_90 SASS" <<<"$stderr"
	run -0 --separate-stderr gpurun "$data/images/parts.1.ptx" --link "$data/images/parts.2.ptx" -v \
		-l zero -a f32:1
	[[ $stderr == *"
gpurun: image 0 of $data/images/parts.1.ptx is taken: sm_75 PTX 9.0
gpurun: image 0 of $data/images/parts.2.ptx is taken: sm_75 PTX 9.0
"* ]]
}

@test "a mismatch shows the first five elements" {
	put_value >put.ptx
	run -118 --separate-stderr gpurun put.ptx -b 1 -l put -a x=u32:4x4 -a u32=9 -e x=fill=7
	same "$stderr" "gpurun: error: expect x: 16 of 16 elements differ; the first is [0,0]: got 9, want 7 (at most: abs 7, rel 1)
gpurun: expect x: [0,1]: got 0, want 7
gpurun: expect x: [0,2]: got 0, want 7
gpurun: expect x: [0,3]: got 0, want 7
gpurun: expect x: [1,0]: got 0, want 7"
	run -118 --separate-stderr gpurun put.ptx -b 1 -q -l put -a x=u32:4x4 -a u32=9 -e x=list=9,0,0,0,0,0,0,0,0,0,0,0,0,0,1,2
	same "${stderr_lines[0]}" "gpurun: error: expect x: 2 of 16 elements differ; the first is [3,2]: got 0, want 1 (at most: abs 2, rel 1)"
	((${#stderr_lines[@]} == 1))
}

# met: the process that --timeout watches was called "exe"
@test "the process that is watched by -t is called gpurun" {
	local pid child tries

	gpurun "$cuda/forever.fatbin" -t 60 -l forever -a i32:1 2>/dev/null &
	pid=$!
	for ((tries = 0; tries < 200; tries++)); do
		child=$(pgrep -P $pid) && [[ $(<"/proc/$child/comm") == gpurun ]] && break
		sleep 0.05
	done
	kill $pid
	wait $pid || true
	((tries < 200))
}

# met: a damaged file was launched from in silence
@test "a damaged file that is launched from is told of, also under -q" {
	head -c 4000 "$cuda/hello.fatbin" >cut.fatbin
	run -0 --separate-stderr gpurun cut.fatbin -q -l hello
	same "$stderr" "gpurun: warning: cut.fatbin: damaged: offset 0: fatbin of 6992 bytes in 4000; what is launched was read whole"
}
