# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs on the CPU device: values in, values out, streams and events, reports.

load helpers

vadd=(--launch vadd -b 4 -a x=f32:4:iota -a f32:4:fill=2 -a y=f32:4 -a i32=4)

run_vadd() {
	gpurun "$cuda/vadd.fatbin" "${vadd[@]}" "$@"
}

# promise: Print a buffer's elements
# promise: An unnamed buffer, called
# promise: INIT is
@test "--print: one line a buffer, shortest decimals, cut with a sign" {
	prints "y: 2 3 4 5" run_vadd --print y
	prints "y: 2 3 …" run_vadd --print y:2
	prints "x: 0 1 2 3
y: 2 3 4 5
arg1: 2 2 2 2" run_vadd --print x --print y --print arg1
	prints "b: 255 255 …" run_vadd --buf b=u8:100:poison --print b:2
	prints "b: true false" run_vadd --buf b=bool:2:list=true,false --print b
	prints "h: 0.1 65504 -0 inf nan" \
		run_vadd --buf h=f16:5:list=0.1,65504,-0.0,inf,nan --print h
	prints "h: 3.14 1" run_vadd --buf h=bf16:2:list=3.14,1.0 --print h
	prints "d: 0.1 1e+300 0.00001" run_vadd --buf d=f64:3:list=0.1,1e300,0.00001 --print d
	prints "i: -9223372036854775808 9223372036854775807" \
		run_vadd --buf i=i64:2:list=-9223372036854775808,9223372036854775807 --print i
	prints "t: 104 105 0" run_vadd --buf t=u8:3:text=hi --print t
	prints "e:" run_vadd --buf e=f32:0 --print e
}

# promise: Print a buffer's elements
@test "--print shows 64 elements unless told otherwise" {
	prints "z:$(printf ' 0%.0s' {1..64}) …" run_vadd --buf z=i32:65 --print z
	prints "z:$(printf ' 0%.0s' {1..65})" run_vadd --buf z=i32:65 --print z:1K
}

# promise: The seed of
# promise: It is 1 if it is not given.
# promise: As --seed.
@test "rand and randn depend on --seed and the buffer, and on nothing else" {
	run_vadd --buf r=u32:8:rand --print r >one
	run_vadd --buf r=u32:8:rand --print r --seed 1 >two
	GPURUN_SEED=2 run_vadd --buf r=u32:8:rand --print r >three
	run_vadd --buf q=u32:8 --buf r=u32:8:rand --print r >four
	cmp one two
	run -1 cmp -s one three
	run -1 cmp -s one four
	run_vadd --buf r=f32:1Ki:rand -e r=rand -e r=fill=0.5 --atol 0.5
	run_vadd --buf r=i8:1Ki:rand=-3,3 -e r=zero --atol 3
}

# promise: Write a buffer: as .npy
# promise: The file gets its name at the end
# promise: Replace existing output files.
@test "--out: .npy and raw, read back, never overwritten unasked, '-' is stdout" {
	run_vadd -o y=y.npy -o y=y.raw -q
	run -0 gpurun "$cuda/vadd.fatbin" --launch vadd -b 4 -a @y.npy -a f32:@y.raw -a z=f32:4 \
		-a len:arg0 --print z
	same "$output" "z: 4 6 8 10"
	same "$(stat -c %s y.raw)" 16
	run_vadd -o y=.npy -q
	cmp y.npy .npy
	fails 111 "gpurun: error: --out y=y.raw: y.raw: exists already
gpurun: hint: -f lets it be overwritten" run_vadd -o y=y.raw
	run_vadd -o x=y.raw -f
	run_vadd -o x=- >raw
	cmp raw y.raw
	same "$(ls | grep -c '^y\.\(npy\|raw\)$')" 2
	same "$(ls | grep -c 'raw\..' || true)" 0
	(umask 027 && run_vadd -o y=masked)
	same "$(stat -c %a masked)" 640
}

# promise: An option that modifies a launch
# promise: Compare a buffer with WANT
# promise: The absolute part
# promise: An element passes within N units
# met: a mismatch of integers suggested a tolerance
@test "--expect: values, files and buffers, exact or with tolerance" {
	run_vadd -e y=list=2,3,4,5 -e y=iota=2,1 -e x=iota -q
	run_vadd --buf w=f32:4:iota=2 -e y=w -q
	run_vadd -o y=y.npy
	run_vadd -e y=@y.npy
	run_vadd -e y=iota=2.25,1 --atol 0.25
	run_vadd --atol 0.25 -e y=iota=2.25,1 -e y=iota=1.75,1
	run_vadd -e y=list=2.0000002,3,4,5 --ulp 1
	run -118 run_vadd -e y=list=2.0000002,3,4,5
	fails 118 "gpurun: error: expect y: 1 of 4 elements differ; the first is [3]: got 5, want nan (at most: abs 0, rel 0)" \
		run_vadd -e y=list=2,3,4,nan --rtol 1
	fails 118 "gpurun: error: expect m: 1 of 6 elements differ; the first is [1,2]: got 0, want 7 (at most: abs 7, rel 1)" run_vadd --buf m=i32:2x3 -e m=list=0,0,0,0,0,7
}

# promise: An option that modifies a launch
# promise: A launch with arguments of its own
@test "defaults before the first launch hold for all, a launch's own replace them" {
	run -0 gpurun "$cuda/vadd.fatbin" -b 4 -a x=f32:4:iota -a x -a y=f32:4 -a 4 \
		--launch vadd --launch vadd -a y -a y -a z=f32:4 -a 4 --print y --print z
	same "$output" "y: 0 2 4 6
z: 0 4 8 12"
}

# promise: The address of a declared buffer.
@test "BUF+ELEMS, raw bytes, sizes of buffers" {
	run -0 gpurun "$cuda/vadd.fatbin" --launch vadd -b 2 --buf x=f32:4:iota -a x -a x+2 -a y=f32:2 \
		-a raw:02000000 --print y
	same "$output" "y: 2 4"
}

# promise: An option that modifies a launch
@test "the same kernel on several streams, joined by events" {
	run -0 gpurun "$cuda/vadd.fatbin" -b 4 \
		--launch vadd -a x=f32:4:iota -a x -a y=f32:4 -a 4 --stream s1 --event first \
		--launch vadd -a y -a x -a z=f32:4 -a 4 --stream s2 --after first --record second@s2 \
		--wait second@s1 --launch vadd -a z -a z -a w=f32:4 -a 4 --stream s1 --await all --print w
	same "$output" "w: 0 6 12 18"
}

# promise: The 3 + 2 x rank parameters
@test "a memref from MLIR's object, with the sizes it has" {
	prints "y: 0 3 6 9 …" gpurun "$mlir/scale.o" -q --launch go_kernel -b 128 \
		-a memref:x=f32:128:iota -a memref:y=f32:128 --print y:4
}

# promise: Write one JSON object
@test "--json: one object, nothing else on stdout" {
	run_vadd --print y -e y=iota=2,1 -e y=zero --json >report 2>stderr || code=$?
	same "$code" 118
	same "$(wc -l <report)" 1
	same "$(json report schema)" gpurun/1
	same "$(json report device kind)" cpu
	same "$(json report image kind)" fatbin
	same "$(json report image sha256)" "$(sha256sum <"$cuda/vadd.fatbin" | cut -d ' ' -f 1)"
	same "$(json report actions 0 kernel)" vadd
	same "$(json report actions 0 block)" "[4, 1, 1]"
	(($(json report actions 0 gpu_ns) > 0))
	same "$(json report actions 2 ok)" true
	same "$(json report actions 3 first)" '{"index": [0], "want": 0, "got": 2}'
	same "$(json report exit)" '{"code": 118, "name": "mismatch", "source": "gpurun"}'
	same "$(head -n 1 stderr)" "y: 2 3 4 5"
}

# promise: Write one JSON object
@test "--json=FILE leaves stdout to the program; a worker's report arrives" {
	prints "y: 2 3 4 5" run_vadd --print y --json=report
	same "$(json report exit code)" 0
	prints "y: 2 3 4 5" run_vadd --print y --json=report -t 30
	same "$(json report exit name)" ok
	run -0 --separate-stderr run_vadd --print y --json -t 30
	echo "$output" >report
	same "$(json report exit name)" ok
}

# promise: List the devices there are
# promise: Its line ends with its threads
@test "--devices lists the CPU device, and says why there is no GPU" {
	export GPURUN_DRIVER=/nonexistent
	run -0 --separate-stderr gpurun --devices
	[[ $output == "cpu  gpurun CPU device  cc 9.0  "* ]]
	[[ $stderr == "gpurun: no GPU: "*/nonexistent* ]]
	run -0 --separate-stderr gpurun --devices -d cpu:threads=3,cc=8.0
	[[ $output == "cpu  gpurun CPU device  cc 8.0  "*"  3 threads" ]]
	run -0 --separate-stderr gpurun --devices --json
	echo "$output" >report
	same "$(json report devices 0 kind)" cpu
	[[ -e $stub ]] || return 0
	GPURUN_DRIVER=$stub run -0 --separate-stderr gpurun --devices
	[[ ${lines[0]} == "gpu:0  gpurun stub  "* && ${lines[1]} == cpu* ]]
}

@test "-v tells device and times on stderr" {
	run -0 --separate-stderr run_vadd -v --print y
	same "$output" "y: 2 3 4 5"
	[[ $stderr == *"gpurun: device: the CPU device"* ]]
	[[ $stderr == *"gpurun: launch 1, vadd on stream s0: "*" us"* ]]
}

# kernel STATEMENTS: k.ptx, for sm_100, whose kernel k gets an address in d.
kernel() {
	printf '%s\n' '.version 8.8' '.target sm_100' '.address_size 64' \
		'.visible .entry k(.param .u64 p) { .reg .b64 d; .reg .b32 r<8>; .reg .b64 w<4>;' \
		'ld.param.u64 d, [p];' "$@" 'ret; }' >k.ptx
}

@test "256 bits at once, where the device is an sm_100" {
	local eight='{r0, r1, r2, r3, r4, r5, r6, r7}' around='{r7, r6, r5, r4, r3, r2, r1, r0}'
	local run=(gpurun k.ptx -d cpu:cc=10.0 --launch k)

	kernel "ld.global.v8.b32 $eight, [d];" "st.global.L2::evict_last.v8.u32 [d+32], $around;"
	prints "b: 0 1 2 3 4 5 6 7 7 6 5 4 3 2 1 0" \
		"${run[@]}" -a b=u32:16:list=0,1,2,3,4,5,6,7,0,0,0,0,0,0,0,0 --print b
	prints "b: 0 1 2 3 4 5 6 7 7 6 5 4 3 2 1 0" gpurun k.ptx -d cpu:cc=10.0 --check all \
		--launch k -a b=u32:16:list=0,1,2,3,4,5,6,7,0,0,0,0,0,0,0,0 --print b
	kernel "ld.v4.u64 {w0, w1, w2, w3}, [d];" "st.global.v4.b64 [d], {w3, w2, w1, w0};"
	prints "b: 4 3 2 1" "${run[@]}" -a b=u64:4:list=1,2,3,4 --print b
	kernel "ld.global.v8.b32 $eight, [d+16];"
	run -117 --separate-stderr "${run[@]}" -a b=u32:16
	[[ $stderr == *"misaligned address: read of 32 bytes"* ]]
	kernel "ld.global.v8.b32 $eight, [d];"
	run -117 --separate-stderr "${run[@]}" -a b=u32:7
	sed -i s/8.8/8.7/ k.ptx
	run -112 --separate-stderr "${run[@]}" -a b=u32:8
	[[ $stderr == *"is 256 bits wide, which needs .target sm_100 and .version 8.8, or newer ones"* ]]
	kernel "ld.shared.v8.b32 $eight, [d];"
	run -112 --separate-stderr "${run[@]}" -a b=u32:8
}

@test "16 bits with an f32, where the device is an sm_100" {
	local run=(gpurun k.ptx -d cpu:cc=10.0 --launch k -a b=f32:1:fill=2 --print b) version

	kernel ".reg .f32 f; .reg .b16 h; mov.b16 h, 0x3e00; ld.global.f32 f, [d];" \
		"add.rz.f32.f16 f, h, f; st.global.f32 [d], f;"
	for version in 8.6 8.8; do
		sed -i "s/.version .*/.version $version/" k.ptx
		prints "b: 3.5" "${run[@]}"
	done
	sed -i s/8.8/8.5/ k.ptx
	run -112 --separate-stderr "${run[@]}"
	[[ $stderr == *"takes 16 bits with an f32, which needs .target sm_100 and .version 8.6, or newer ones"* ]]
	sed -i 's/8.5/8.8/; s/sm_100/sm_90/' k.ptx
	run -112 --separate-stderr "${run[@]}"
	[[ $stderr == *"needs .target sm_100"* ]]
	sed -i 's/sm_90/sm_100/; s/, h, f;/, 1, f;/' k.ptx
	run -112 --separate-stderr "${run[@]}"
	[[ $stderr == *"has an immediate, where a register is expected"* ]]
	sed -i 's/, 1, f;/, h, 1;/' k.ptx
	run -112 --separate-stderr "${run[@]}"
	[[ $stderr == *"has an immediate of the wrong type"* ]]
}

@test "what ptxas refuses is refused" {
	local form

	for form in "mov.b32 r1, 1.0" "st.global.b32 [d], 1.0" "and.b32 r1, r1, 1.0" \
		"prmt.b32 r1, r1, 1.0, r1" "mov.b64 d, {1.0, 2.0}"; do
		kernel "$form;"
		run -112 --separate-stderr gpurun k.ptx -d cpu:cc=10.0 --launch k -a u8:8
		[[ $stderr == *"has an immediate of the wrong type"* ]]
	done
	kernel "mov.b32 r1, 0f3f800000;" "st.global.f32 [d], 1.5;" "mov.b64 w1, 1.0;"
	prints "b: 1.5" gpurun k.ptx -d cpu:cc=10.0 --launch k -a b=f32:1 --print b
	kernel "wmma.load.c.sync.row.m16n16k16.global.f16 {r1, r2, r3, r4}, [d];"
	run -112 --separate-stderr gpurun k.ptx -d cpu:cc=10.0 --launch k -a u8:1Ki
	[[ $stderr == *"has to be .sync and .aligned"* ]]
	kernel "wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {r1, r2, r3, r4}, [d];"
	sed -i 's/8.8/6.2/; s/sm_100/sm_70/' k.ptx
	run -112 --separate-stderr gpurun k.ptx -d cpu --launch k -a u8:1Ki
	[[ $stderr == *"is .aligned, which PTX has from 6.3 on"* ]]
}
