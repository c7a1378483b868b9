# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is in a file: --info.

load helpers

@test "--info tells all that is known of a kernel" {
	prints "_Z7boundedPKfPfi
  signature: bounded(float const*, float*, int)
  parameters: 3, 20 bytes
    0: u64 at 0, 8 bytes
    1: u64 at 8, 8 bytes
    2: u32 at 16, 4 bytes
  block: up to 128x1x1
  compiled for: at least 4 blocks on a multiprocessor
  image 0: sm_90 SASS
    offset 0x58, 4705 bytes of zstd, 21224 unpacked, with line info
    14 registers, 512 bytes of static shared memory, 0 bytes of stack, 548 bytes of constants and parameters, 1 barrier
  image 1: sm_90 PTX 9.0
    offset 0x1328, 1733 bytes of zstd, 8915 unpacked, with line info
    512 bytes of static shared memory

variables of the module:
  total  4 bytes  0: sm_90 SASS
  weights  32 bytes  0: sm_90 SASS
  total  4 bytes  u32  1: sm_90 PTX 9.0
  weights  32 bytes  b8  1: sm_90 PTX 9.0" gpurun "$data/images/info.fatbin" --info=bounded
}

@test "--info tells clusters, stack, dynamic shared memory and places in host files" {
	run -0 --separate-stderr gpurun "$data/images/info.fatbin" --info=clustered
	[[ $output == "clustered
  parameters: 1, 8 bytes
    0: u64 at 0, 8 bytes
  cluster: 2x1x1 required
  shared memory: dynamic too
  image 0: "*", 400 bytes of stack, "* ]]
	run -0 --separate-stderr gpurun "$data/images/info.fatbin" --info=ranked --image sm_90
	[[ $output == "ranked
  parameters: 1, 8 bytes
    0: at 0, 8 bytes
  block: up to 64x1x1
  cluster: up to 4 blocks
  image 0: sm_90 SASS
"*", 4 barriers

variables of the module:"* ]]
	run -0 --separate-stderr gpurun "$data/images/host.o" --info=vadd
	[[ $output == *"  image "*"
    .nv_fatbin, offset 0x"* ]]
	# Of a file without variables there is no heading.
	run -0 --separate-stderr gpurun "$data/images/vadd.ptx" --info=.
	[[ $output == "vadd
  parameters: 4, 28 bytes
"*"  image 0: sm_75 PTX "*"
    offset 0, "*" bytes
    0 bytes of static shared memory" ]]
}

@test "--info alone tells of every kernel, with those of --load" {
	run -0 --separate-stderr gpurun "$data/images/info.fatbin" --load v="$data/images/vadd.ptx" \
		--info
	same "$(grep -E '^[^ ]' <<<"$output")" "ranked
clustered
_Z7boundedPKfPfi
variables of the module:
v:vadd"
	run -0 --separate-stderr gpurun "$data/images/info.fatbin" --load v="$data/images/vadd.ptx" \
		--info=v:vadd
	same "${lines[0]}" v:vadd
}

@test "--info looks a name up as --launch does" {
	fails 113 "gpurun: error: no kernel 'nosuch'; there is ranked, clustered, bounded(float const*, float*, int)" \
		gpurun "$data/images/info.fatbin" --info=nosuch
	run -0 --separate-stderr gpurun "$data/images/info.fatbin" --info=boun
	same "$stderr" "gpurun: taking bounded(float const*, float*, int) for boun"
	run -113 --separate-stderr gpurun "$data/images/info.fatbin" --info=boun -q
	[[ $stderr == *"it could be short for bounded("* ]]
}

@test "--info asks a device that is named, and no other" {
	run -0 --separate-stderr gpurun "$data/images/info.fatbin" --info=bounded -d cpu
	[[ $output == *"
  occupancy: a multiprocessor of gpurun CPU device runs "*" blocks of 128 threads at once; most threads run in blocks of 128
"* ]]
	GPURUN_DEVICE=gpu GPURUN_DRIVER=/nosuch run -0 gpurun "$data/images/info.fatbin" --info
	[[ $output != *occupancy* ]]
	GPURUN_DRIVER=/nosuch run -114 gpurun "$data/images/info.fatbin" --info -d gpu
	GPURUN_DEVICE="" GPURUN_DRIVER=/nosuch run -9 gpurun "$data/images/info.fatbin" --info \
		--no-device-exit 9
	# What the device cannot run is told with it.
	run -0 --separate-stderr gpurun "$data/images/vadd.90.cubin" --info -d cpu
	[[ $output == *"
  occupancy: unknown: $data/images/vadd.90.cubin: no image for the CPU device; it holds sm_90 SASS" ]]
}

@test "--info --json has the objects of --list, and more" {
	gpurun "$data/images/info.fatbin" --info=bounded -d cpu --json >info.json
	gpurun "$data/images/info.fatbin" --list='*bounded*' --json >list.json
	python3 -c '
import json
info = json.load(open("info.json"))["kernels"]
listed = json.load(open("list.json"))["kernels"]
assert len(info) == len(listed) == 1
def within(small, large):
    if isinstance(small, dict):
        return all(key in large and within(small[key], large[key]) for key in small)
    if isinstance(small, list):
        return len(small) == len(large) and all(map(within, small, large))
    return small == large
assert within(listed, info), (listed, info)'
	same "$(json info.json kernels 0 images 0 compression)" zstd
	same "$(json info.json kernels 0 images 0 constant)" 548
	same "$(json info.json kernels 0 images 1 ptx_version)" 9.0
	same "$(json info.json kernels 0 images 1 lines)" true
	same "$(json info.json kernels 0 min_blocks)" 4
	same "$(json info.json kernels 0 occupancy block)" 128
	same "$(json info.json device kind)" cpu
	same "$(json info.json variables 2)" '{"name": "total", "bytes": 4, "type": "u32", "index": 1, "image": "sm_90 PTX 9.0"}'
	run -113 gpurun "$data/images/info.fatbin" --info=nosuch --json=none.json
	same "$(json none.json error stage)" kernel
}

@test "--info is a mode: what runs something is refused beside it" {
	local hint="gpurun: hint: with --info go FILE, --image, --load, -d, -j, -q, -v and --no-device-exit"

	fails 110 "gpurun: error: --launch besides --info, which runs nothing
$hint" gpurun "$data/images/info.fatbin" --info -l bounded
	fails 110 "gpurun: error: --print besides --info, which runs nothing
$hint" gpurun "$data/images/info.fatbin" --info=bounded --print x
	fails 110 "gpurun: error: only one of --list, --info, --devices, --dry-run and --exec can be given" \
		gpurun "$data/images/info.fatbin" --info --list
}

@test "--info tells what is whole of a damaged file, and 112" {
	head -c 5500 "$data/images/info.fatbin" >cut.fatbin
	run -112 --separate-stderr gpurun cut.fatbin --info=clustered
	[[ $output == "clustered
"*"  image 0: sm_90 SASS"* && $stderr == "gpurun: error: cut.fatbin: damaged: "* ]]
}
