# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Arguments against parameters, geometry, names: everything that is checked
# before a device is touched, by --dry-run.

load helpers

vadd() {
	gpurun "$cuda/vadd.fatbin" --dry-run --launch vadd "$@"
}

saxpy() {	# saxpy(f32, u64, u64, u32)
	gpurun "$cuda/saxpy.ptx" --dry-run --launch saxpy "$@"
}

cubin() {	# parameters of a cubin have sizes and no types
	gpurun "$data/images/vadd.90.cubin" -d auto --dry-run --launch vadd "$@"
}

signature="gpurun: hint: the kernel is vadd(u64@0, u64@8, u64@16, u32@24)"
saxpy_signature="gpurun: hint: the kernel is saxpy(f32@0, u64@8, u64@16, u32@24)"
cubin_signature="gpurun: hint: the kernel is vadd(8B@0, 8B@8, 8B@16, 4B@24)"

# promise: One argument is given
# promise: Count and sizes are always checked
@test "the number of arguments; a line to begin with" {
	local instance="$signature; for instance: gpurun $cuda/vadd.fatbin --launch vadd --threads 1Ki -b 256 \
-a a=f32:1Ki -a b=f32:1Ki -a c=f32:1Ki -a i32=1Ki --print c:8"

	fails 110 "gpurun: error: vadd has 4 parameters, 0 arguments given
$instance" vadd
	fails 110 "gpurun: error: vadd has 4 parameters, 1 argument given
$instance" vadd -a null
	fails 110 "gpurun: error: vadd has 4 parameters, 5 arguments given
$instance" vadd -a null -a null -a null -a 1 -a 2
	fails 110 "gpurun: error: vadd has 4 parameters, the arguments fill 5
$instance" vadd -a memref:f32:4
}

# Launches each kernel of the file with too many arguments: the line of the hint is accepted as it is.
instances() {	# FILE
	local kernel line

	for kernel in $(gpurun "$1" --list=names); do
		run -110 --separate-stderr gpurun "$1" --dry-run --launch "$kernel" -g 16 -a struct:pad:1,pad:2 \
			-a 1 -a 1 -a 1 -a 1 -a 1 -a 1 -a 1 -a 1 -a 1 -a 1 -a 1 -a 1 -a 1 -a 1
		[[ $stderr =~ parameters?,.*"; for instance: gpurun "(.*)$ ]] || { echo "$kernel: $stderr"; return 1; }
		line=${BASH_REMATCH[1]}
		eval "gpurun --dry-run $line" >out 2>&1 || { echo "$line"; cat out; return 1; }
	done
	[[ $kernel ]]
}

# promise: Where their number is wrong
@test "the line to begin with is one that is accepted: pointers, numbers, structures, memrefs, templates, clusters" {
	for file in "$cuda/places.fatbin" "$cuda/reduce.so" "$mlir/scale.o" \
		"$root/test/data/images/"{info.fatbin,types.ptx,layouts.ptx,units.a,lineinfo.75.cubin} \
		"$root/test/ptx/kernels/cluster.nvcc90.ptx"; do
		instances "$file"
	done
	mkdir "a b"
	cp "$cuda/vadd.fatbin" "a b/it's.fatbin"
	instances "a b/it's.fatbin"
	run -110 --separate-stderr gpurun --load one="$cuda/vadd.fatbin" "$cuda/saxpy.fatbin" --launch one:vadd
	[[ $stderr == *"; for instance: gpurun ... --launch one:vadd --threads 1Ki -b 256 -a a=f32:1Ki"* ]]
}

# promise: Count and sizes are always checked
# promise: Bytes, for a structure
# met: an argument was counted from 1, or its launch was not told
@test "the size of an argument" {
	fails 110 "gpurun: error: arg3 ('i64=1') of vadd: i64 has 8 bytes, the parameter 4 (.u32)
$signature" vadd -a null -a null -a null -a i64=1
	fails 110 "gpurun: error: arg0 ('i32=1') of vadd: i32 has 4 bytes, the parameter 8 (.u64)
$signature" vadd -a i32=1 -a null -a null -a 1
	fails 110 "gpurun: error: arg3 ('null') of vadd: an address has 8 bytes, the parameter is .u32
$signature" vadd -a null -a null -a null -a null
	fails 110 "gpurun: error: arg3 ('f32:4') of vadd: an address has 8 bytes, the parameter is .u32
$signature" vadd -a null -a null -a null -a f32:4
	fails 110 "gpurun: error: arg3 ('raw:001122') of vadd: 3 bytes, the parameter has 4 (.u32)
$signature" vadd -a null -a null -a null -a raw:001122
	fails 110 "gpurun: error: arg3 ('i64=1') of vadd: i64 has 8 bytes, the parameter 4 (4 bytes)
$cubin_signature" cubin -a null -a null -a null -a i64=1
}

# promise: Count and sizes are always checked
# promise: A scalar:
@test "the type of an argument, where PTX tells it" {
	fails 110 "gpurun: error: arg3 ('f32=1') of vadd: the parameter is .u32, not f32
$signature" vadd -a null -a null -a null -a f32=1
	fails 110 "gpurun: error: arg0 ('i32=1') of saxpy: the parameter is .f32, not i32
$saxpy_signature" saxpy -a i32=1 -a null -a null -a 1
	run -0 saxpy -a f32=2 -a null -a null -a u32=1
	run -0 cubin -a null -a null -a null -a f32=1
}

# promise: A number alone
@test "bare numbers only where PTX tells the type" {
	run -0 saxpy -a 2.0 -a null -a null -a 7
	run -0 saxpy -a inf -a 0 -a null -a -1
	fails 110 "gpurun: error: arg0 ('2') of saxpy: the parameter is .f32: say 2.0 or f32=2
$saxpy_signature" saxpy -a 2 -a null -a null -a 7
	fails 110 "gpurun: error: arg3 ('7.0') of saxpy: the parameter is .u32: say TYPE=VALUE
$saxpy_signature" saxpy -a 2.0 -a null -a null -a 7.0
	fails 110 "gpurun: error: arg3 ('4Gi') of saxpy: u32 cannot hold 4Gi exactly
$saxpy_signature" saxpy -a 2.0 -a null -a null -a 4Gi
	fails 110 "gpurun: error: arg3 ('7') of vadd: a cubin does not have the parameter's type: say i32=7
$cubin_signature" cubin -a null -a null -a null -a 7
	fails 110 "gpurun: error: arg0 ('7') of go_kernel: the parameter is a pointer: say u64=7 if an address is meant
gpurun: hint: the kernel is go_kernel(u64*@0, u64*@8, u64@16, u64@24, u64@32, u64*@40, u64*@48, u64@56, u64@64, u64@72)" \
		gpurun "$mlir/scale.o" --dry-run -l go_kernel -a 7 -a 7 -a 7 -a 7 -a 7 -a 7 -a 7 -a 7 -a 7 -a 7
}

# promise: The 3 + 2 x rank parameters
@test "an MLIR memref fills 3 + 2 * rank parameters" {
	run -0 gpurun "$mlir/scale.o" --dry-run -l go_kernel -a memref:x=f32:128 -a memref:f32:128
	fails 110 "gpurun: error: go_kernel has 10 parameters, the arguments fill 12
gpurun: hint: the kernel is go_kernel(u64*@0, u64*@8, u64@16, u64@24, u64@32, u64*@40, u64*@48, u64@56, u64@64, u64@72); for instance: gpurun $mlir/scale.o --launch go_kernel --threads 1Ki -b 128 -a memref:a=f32:1Ki -a memref:b=f32:1Ki --print b:8" \
		gpurun "$mlir/scale.o" --dry-run -l go_kernel -a memref:x=f32:16x8 -a memref:f32:128
}

# promise: The address of a declared buffer.
# promise: Declare a buffer and pass it.
# promise: An unnamed buffer, called
@test "buffers: names, bounds, and each declared once" {
	run -0 gpurun "$cuda/forever.fatbin" --dry-run --json --launch forever -a x+256 --buf x=f32:512
	fails 110 "gpurun: error: arg0 ('x+513') of forever: element 513 of a buffer of 512
gpurun: hint: the kernel is forever(u64@0)" \
		gpurun "$cuda/forever.fatbin" --dry-run --launch forever -a x+513 --buf x=f32:512
	fails 110 "gpurun: error: arg0: there is no buffer z
gpurun: hint: there are: x y" vadd --buf x=f32:4 --buf y=f32:4 -a z -a x -a y -a 4
	fails 110 "gpurun: error: arg0: there is no buffer z
gpurun: hint: declare it: --buf z=f32:1024:iota" vadd -a z -a null -a null -a 4
	fails 110 "gpurun: error: buffer x is declared twice" vadd --buf x=f32:4 -a x=f32:4
	fails 110 "gpurun: error: --buf: 'iota' has a meaning of its own and is no name" \
		vadd --buf iota=f32:4
	fails 110 "gpurun: error: arg0: unknown type 'f33'
gpurun: hint: a buffer is TYPE:SHAPE[:INIT], a number TYPE=VALUE; types are i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 bool e4m3 e5m2 c64 c128" vadd -a f33:4
	fails 110 "gpurun: error: arg0: unknown type 'index'
gpurun: hint: did you mean i64?" vadd -a index:4
	fails 110 "gpurun: error: --print arg0: several buffers are called arg0
gpurun: hint: give it a name: -a NAME=SPEC" vadd -a f32:4 -a null -a null -a 4 \
		-l vadd -a f32:4 -a null -a null -a 4 --print arg0
}

# promise: Count and sizes are always checked
# promise: What TYPE cannot hold exactly
@test "buffers: what cannot be made exactly" {
	fails 110 "gpurun: error: buffer arg0: iota: u8 cannot hold element 256 exactly" vadd -a u8:257:iota
	fails 110 "gpurun: error: buffer arg0: list=1,2: 2 values for 3 elements" vadd -a f32:3:list=1,2
	fails 110 "gpurun: error: buffer arg0: u8 cannot hold 256 exactly" vadd -a u8:3:fill=256
}

# promise: The number of its elements.
@test "a length fits 32 bits up to the largest that they hold" {
	run -0 vadd -a x=u8:4294967295 -a x -a x -a len:x
	run -110 --separate-stderr vadd -a x=u8:4294967296 -a x -a x -a len:x
	[[ $stderr == *"4294967296 does not fit the parameter, .u32"* ]]
}

# promise: A SPEC is
@test "files of buffers" {
	printf '12345678' >raw
	run -0 vadd -a f32:@raw -a f32:2:@raw -a u8:8:@raw -a 2
	fails 110 "gpurun: error: buffer arg0: raw: not a npy file, so its type is not known
gpurun: hint: say TYPE:@raw" vadd -a @raw
	fails 111 "gpurun: error: buffer arg0: raw: 8 bytes where 12 are needed" vadd -a f32:3:@raw
	fails 111 "gpurun: error: buffer arg0: nosuch: cannot open: No such file or directory" \
		vadd -a f32:@nosuch
	printf '123' >odd
	fails 111 "gpurun: error: buffer arg0: odd: 3 bytes are no whole number of f32" vadd -a f32:@odd
	fails 111 "gpurun: error: buffer arg0: .: is a directory" vadd -a f32:@.
}

npy() {	# FILE DESCR SHAPE BYTES [ORDER]
	local dict="{'descr': '$2', 'fortran_order': ${5:-False}, 'shape': $3}"

	printf '\x93NUMPY\1\0' >"$1"
	printf "\\x$(printf %x ${#dict})\\0%s" "$dict" >>"$1"
	head -c "$4" /dev/zero >>"$1"
}

# promise: A SPEC is
@test "npy files say what they are, and a stated type or shape must agree" {
	npy x.npy '<f4' '(2, 3)' 24
	run -0 vadd -a @x.npy -a f32:@x.npy -a f32:2x3:@x.npy -a 6
	[[ $output == *"buffer  arg0  f32:2x3  @x.npy  24 bytes"* ]]
	fails 111 "gpurun: error: buffer arg0: x.npy: its elements are f32, not i32" vadd -a i32:@x.npy
	fails 111 "gpurun: error: buffer arg0: x.npy: its shape is 2x3, not 6" vadd -a f32:6:@x.npy
	npy cut.npy '<f4' '(2, 3)' 23
	fails 111 "gpurun: error: buffer arg0: cut.npy: npy: 23 bytes of elements where its shape needs 24" \
		vadd -a @cut.npy
	npy order.npy '<f4' '(2, 3)' 24 True
	fails 111 "gpurun: error: buffer arg0: order.npy: npy: the array is in Fortran order
gpurun: hint: numpy.ascontiguousarray() puts it in C order" vadd -a @order.npy
	npy void.npy '<V2' '(4,)' 8
	fails 111 "gpurun: error: buffer arg0: void.npy: its elements are two bytes of no type
gpurun: hint: say bf16:@void.npy if that is what they are" vadd -a @void.npy
	run -0 vadd -a bf16:@void.npy -a null -a null -a 4
}

# promise: Blocks in the grid
# promise: 'auto' lets the device choose
# promise: At least so many threads
@test "geometry" {
	run -0 vadd -a null -a null -a null -a 1 --threads 1000 -b 256
	[[ $output == *"grid 4x1x1  block 256x1x1"* ]]
	run -0 vadd -a null -a null -a null -a 1 -g 64x64 -b 8,4,2 --shared 96Ki
	[[ $output == *"grid 64x64x1  block 8x4x2  shared 98304"* ]]
	run -0 gpurun "$cuda/vadd.fatbin" --dry-run -g 7 -b 32 --launch vadd -a null -a null -a null -a 1
	[[ $output == *"grid 7x1x1  block 32x1x1"* ]]
	fails 110 "gpurun: error: --threads and --grid exclude each other" vadd --threads 4 -g 4
	fails 110 "gpurun: error: --threads 4 counts along x alone; the block is 4x2x1
gpurun: hint: say how many along y, too: --threads 4x2" \
		vadd --threads 4 -b 4x2
	fails 110 "gpurun: error: --grid 0: 0 is not a dimension" vadd -g 0
	fails 110 "gpurun: error: --grid 1,2,3,4: more than three dimensions" vadd -g 1,2,3,4
	fails 110 "gpurun: error: --block auto needs --threads
gpurun: hint: --threads N says how many threads there are to divide" vadd -b auto
	fails 110 "gpurun: error: --threads and --grid exclude each other" \
		vadd -b auto -g 4 --threads 100
	fails 110 "gpurun: error: --shared 8Gi: more than any device has" vadd --shared 8Gi
	fails 110 "gpurun: error: --shared 2Gi: more than any device has" vadd --shared 2Gi
	run -0 vadd -a null -a null -a null -a 1 -b 1 --shared 2147483647
}

# promise: Threads in a block
@test "what a kernel requires of its blocks" {
	printf '.version 6.3\n.target sm_75\n.address_size 64\n.visible .entry need() .reqntid 32, 2\n{ ret; }\n.visible .entry most() .maxntid 64\n{ ret; }\n' >need.ptx
	run -0 gpurun need.ptx --dry-run -l need -l most -b 64
	[[ $output == *"need  grid 1x1x1  block 32x2x1"* ]]
	fails 116 "gpurun: error: need requires blocks of 32x2x1 threads, not 64x1x1
gpurun: hint: leave --block out" gpurun need.ptx --dry-run -l need -b 64
	fails 116 "gpurun: error: most takes blocks of at most 64 threads, not 65x1x1" \
		gpurun need.ptx --dry-run -l most -b 65
}

# promise: KERNEL is looked up as
@test "names of kernels" {
	run -113 --separate-stderr gpurun "$cuda/pipeline.fatbin" --dry-run -l prodce
	[[ $stderr == *produce*consume* ]]
	[[ $stderr == *"gpurun: hint: did you mean 'produce'?" ]]
	run -0 --separate-stderr gpurun "$cuda/pipeline.fatbin" --dry-run -l pro -a null
	same "$stderr" "gpurun: taking produce for pro"
	fails 113 "gpurun: error: no kernel is called pro; it could be short for produce
gpurun: hint: with --json and -q the whole name is needed" \
		gpurun "$cuda/pipeline.fatbin" -q --dry-run -l pro -a null
	run -0 gpurun "$cuda/reduce.so" --dry-run \
		-l 'reduce<float>(float const*, float*, int)' -a null -a null -a 1
	run -0 gpurun "$cuda/reduce.so" --dry-run -l 'reduce<int>' -a null -a null -a 1
	run -113 --separate-stderr gpurun "$cuda/reduce.so" --dry-run -l reduce -a null -a null -a 1
	run -0 gpurun "$cuda/vadd.fatbin" --dry-run -l . -a null -a null -a null -a 1
	run -113 gpurun "$cuda/pipeline.fatbin" --dry-run -l .
}

# promise: Names are those of C++
@test "names of Rust's kernels, legacy and v0, and of D's" {
	local name names=(_ZN1r4deep3six17hb7176aa66366c92eE _RNvNtCs2OpA4fNwd7R_1r4deep4nine
		_D5scale6tripleFS3ldc8dcompute__T7PointerVEQBaQz9AddrSpacei1TiZQBeZv)

	echo '.version 7.0 .target sm_70 .address_size 64' >names.ptx
	for name in "${names[@]}"; do
		echo ".visible .entry $name() { ret; }" >>names.ptx
	done
	for name in r::deep::six six r::deep::nine nine scale.triple triple "${names[@]}"; do
		run -0 gpurun names.ptx --dry-run -l "$name"
	done
	run -0 gpurun names.ptx --list
	[[ $output == *"  r::deep::six  "*"  r::deep::nine  "*"  scale.triple  "* ]]
}

@test "a line without actions lists the kernels" {
	fails 110 "gpurun: error: $cuda/pipeline.fatbin: nothing to do: no --launch
gpurun: hint: its kernels: produce, consume" gpurun "$cuda/pipeline.fatbin"
}

# promise: Record an event on a stream.
# promise: Let a stream wait
@test "events that are never recorded" {
	local launch=(--launch vadd -a null -a null -a null -a 1)

	fails 110 "gpurun: error: --await e: event e is never recorded
gpurun: hint: --event e after a --launch, or --record e, records it" vadd -a null -a null -a null -a 1 --await e
	fails 110 "gpurun: error: --wait e@s1: event e is never recorded
gpurun: hint: --event e after a --launch, or --record e, records it" vadd -a null -a null -a null -a 1 --wait e@s1
	fails 110 "gpurun: error: event e is recorded only after this wait for it" \
		vadd -a null -a null -a null -a 1 --after e --record e
	fails 110 "gpurun: error: launch 2: event f is never recorded
gpurun: hint: --event f after a --launch, or --record f, records it" \
		vadd -a null -a null -a null -a 1 --event e "${launch[@]}" --after e,f
	fails 110 "gpurun: error: --record e@s1: e@s1 and --stream s2: two streams" \
		vadd -a null -a null -a null -a 1 --record e@s1 --stream s2
	run -0 vadd -a null -a null -a null -a 1 --event e "${launch[@]}" --after e --stream s1 \
		--record f@s2 --wait f@s1 --await f --await all
	fails 110 "gpurun: error: --record 1e: '1e' is not a name
gpurun: hint: a name is made of letters, digits and _, and begins with no digit" \
		vadd -a null -a null -a null -a 1 --record 1e
}

# promise: Compare a buffer with WANT
@test "checks and outputs name buffers that there are" {
	local launch=(-a y=f32:4 -a null -a null -a 1)

	fails 110 "gpurun: error: --print z: there is no buffer z
gpurun: hint: there are: y" vadd "${launch[@]}" --print z
	fails 110 "gpurun: error: --print y:x: 'x' is not a size
gpurun: hint: a size is a decimal number, also with K, M, G, Ki, Mi or Gi" vadd "${launch[@]}" --print y:x
	fails 110 "gpurun: error: --expect y: expected BUF=INIT, BUF=@FILE or BUF=BUF2" \
		vadd "${launch[@]}" -e y
	fails 110 "gpurun: error: --expect y=x: there is no buffer x
gpurun: hint: there are: y" vadd "${launch[@]}" -e y=x
	fails 110 "gpurun: error: --expect y=x: y is 4 f32, x is 4 i32" \
		vadd "${launch[@]}" --buf x=i32:4 -e y=x
	fails 110 "gpurun: error: --expect y=uninit: uninit is nothing to compare with" \
		vadd "${launch[@]}" -e y=uninit
	fails 110 "gpurun: error: --expect y=zero: --rtol -1: not a tolerance" \
		vadd "${launch[@]}" -e y=zero --rtol -1
	fails 110 "gpurun: error: --out y: expected BUF=FILE" vadd "${launch[@]}" -o y
	fails 111 "gpurun: error: --out y=no/x: no/x: there is no folder no" vadd "${launch[@]}" -o y=no/x
	touch there
	fails 111 "gpurun: error: --out y=there: there: exists already
gpurun: hint: -f lets it be overwritten" vadd "${launch[@]}" -o y=there
	run -0 vadd "${launch[@]}" -o y=there -f
	fails 110 "gpurun: error: --out y=a: a is written twice" vadd "${launch[@]}" -o y=a -o y=a
	run -110 --separate-stderr vadd "${launch[@]}" -o y=- --json
	[[ ${stderr_lines[0]} == "gpurun: error: --out y=-: stdout is taken by --json" ]]
}

# promise: Resolve and check the whole command line
# promise: Default 1.
# promise: Enqueue on stream NAME
@test "--dry-run prints the plan, as text and as JSON, and touches no device" {
	export GPURUN_DRIVER=/nonexistent
	prints "device  auto
image   $cuda/vadd.fatbin  fatbin: sm_75 PTX 9.0, sm_90 SASS
seed    1
buffer  x  f32:512  iota  2048 bytes
launch  vadd  grid 2x1x1  block 256x1x1  shared 0  stream s1  x  x+256  null  len:x  (sm_75 PTX 9.0)
        event e
wait    e  stream s0
expect  x=iota" vadd -d auto --buf x=f32:512:iota --threads 512 -b 256 -a x -a x+256 -a null \
		-a len:x --stream s1 --event e --wait e -e x=iota
	vadd -d auto --json --buf x=f32:512:iota -a x -a x+256 -a null -a len:x --seed 7 >plan
	same "$(json plan seed)" 7
	same "$(json plan dry_run)" true
	same "$(json plan buffers 0 shape)" "[512]"
	same "$(json plan actions 0 grid)" "[1, 1, 1]"
	same "$(json plan actions 0 stream)" s0
}

# promise: An option that modifies a launch
# promise: The grid is a multiple of it
@test "geometry: clusters, cooperative launches, blocks that a device has to tell" {
	local null=(-a null -a null -a null -a 1)

	run -0 vadd "${null[@]}" -g 8x4 --cluster 4,2 --cooperative
	[[ $output == *"grid 8x4x1  block 1x1x1  shared 0  stream s0  cluster 4x2x1  cooperative"* ]]
	run -0 vadd "${null[@]}" --threads 700 -b 256 --cluster 2
	[[ $output == *"grid 4x1x1  block 256x1x1  shared 0  stream s0  cluster 2x1x1"* ]]
	run -0 vadd "${null[@]}" --threads 1000 -b auto
	[[ $output == *"grid auto  block auto  shared 0  stream s0  threads 1000"* ]]
	vadd "${null[@]}" --threads 1000 -b auto --cluster 2 --cooperative --json >plan
	same "$(json plan actions 0 block)" auto
	same "$(json plan actions 0 threads)" 1000
	same "$(json plan actions 0 cluster)" "[2, 1, 1]"
	same "$(json plan actions 0 cooperative)" true
	# What stands before the first launch is the default of all.
	run -0 gpurun "$cuda/vadd.fatbin" --dry-run --cooperative --cluster 2 -g 2 \
		--launch vadd "${null[@]}" --launch vadd "${null[@]}" -g 3 --cluster 3
	[[ ${lines[3]} == *"grid 2x1x1"*"cluster 2x1x1  cooperative"* ]]
	[[ ${lines[4]} == *"grid 3x1x1"*"cluster 3x1x1  cooperative"* ]]
	fails 116 "gpurun: error: --cluster 2x1x1 does not divide the grid of 3x1x1 blocks" \
		vadd "${null[@]}" -g 3 --cluster 2
	fails 110 "gpurun: error: --cluster 0: 0 is not a dimension" vadd "${null[@]}" --cluster 0
}

# promise: Use the image with this number
# met: hints named nvcc's flag for clang's objects
@test "--image picks one image" {
	run -0 gpurun "$cuda/vadd.fatbin" --image sm_90 --list
	[[ $output == *"1: sm_90 SASS" && $output != *PTX* ]]
	run -0 gpurun "$cuda/vadd.fatbin" --image ptx --list
	[[ $output == *"0: sm_75 PTX 9.0" ]]
	run -0 gpurun "$cuda/vadd.fatbin" --image 1 --list
	fails 112 "gpurun: error: $cuda/vadd.fatbin: there is no image sm_80
gpurun: hint: it holds sm_75 PTX 9.0, sm_90 SASS" gpurun "$cuda/vadd.fatbin" --image sm_80 --list
	fails 112 "gpurun: error: $cuda/vadd.fatbin: there is no image 2
gpurun: hint: it holds sm_75 PTX 9.0, sm_90 SASS" gpurun "$cuda/vadd.fatbin" --image 2 --list
	fails 112 "gpurun: error: $cuda/vadd.fatbin: --image picks sm_90 SASS, and the CPU device runs PTX
gpurun: hint: leave --image out, or --image ptx" \
		gpurun "$cuda/vadd.fatbin" --image sm_90 --dry-run -l vadd -a null -a null -a null -a i32=1
}

# met: a wrong command line wrote no report
@test "usage errors are JSON too, wherever --json stands" {
	run -110 --separate-stderr gpurun --nonsense --json
	echo "$output" >report
	same "$(json report exit code)" 110
	same "$(json report exit name)" usage
	same "$(json report error message)" "unknown option --nonsense"
	run -113 --separate-stderr gpurun --json "$cuda/vadd.fatbin" -l nosuch
	echo "$output" >report
	same "$(json report error stage)" kernel
	same "$(json report exit name)" kernel
}
