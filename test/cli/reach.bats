# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Variables of a module: set, read, checked, copied; and buffers written between launches.
load helpers

images=$BATS_TEST_DIRNAME/../data/images

# promise: Print a variable of the module
# promise: Write all of such a variable.
# promise: The type may be left out
# promise: Where an action takes a buffer
@test "a constant is set, a counter is read and checked, from nvcc and clang" {
	for file in reach.fatbin reach.clang.ptx; do
		run -0 --separate-stderr gpurun "$images/$file" --set factor=fill=2 \
			--set table=f32:list=1,2,3,4 --launch filter -b 8 -a x=f32:8:iota -a 8 \
			--get count=u32:1 --print sym:count -e sym:count=fill=8 \
			-e sym:deep::seen=i32:list=3,3,2 --print sym:deep::seen:2 --print x
		[[ $output == "count: 8"$'\n'"count: 8"$'\n'"deep::seen: 3 3 …"$'\n'"x: 1 4 7 10 9 12 15 18" ]]
		[[ $stderr == "" ]]
	done
}

# promise: Actions are carried out in the order
@test "a variable keeps its value from launch to launch, and may be set between them" {
	run -0 gpurun "$images/reach.fatbin" --set factor=fill=1 --launch filter -b 4 \
		-a x=f32:4 -a 4 --print sym:count --set count=fill=100 --launch filter -b 4 \
		-a x -a 4 --print sym:count --stream s1
	[[ $output == "count: 4"$'\n'"count: 104" ]]
}

# promise: Write a buffer anew.
# promise: Copy one buffer to another
# promise: Where an action takes a buffer
@test "a variable is a buffer for --out, --copy, --fill and --expect" {
	cd "$BATS_TEST_TMPDIR"
	run -0 gpurun "$images/reach.fatbin" --buf y=f32:4 --set table=f32:iota=5 \
		--copy y=sym:table --print y --fill y=fill=3 -e y=fill=3 --copy sym:table=y \
		-e sym:table=f32:fill=3 -e y=sym:table -o sym:table=t.npy -o sym:deep::seen=raw
	[[ $output == "y: 5 6 7 8" ]]
	[[ $(stat -c %s raw) == 12 ]]
	run -0 python3 -c 'print(open("t.npy", "rb").read()[-16:].hex())'
	[[ $output == 00004040000040400000404000004040 ]]
}

@test "a mismatch of a variable is told by its name" {
	run -118 gpurun "$images/reach.fatbin" -e sym:count=fill=1
	[[ $output == *"expect count: 1 of 1 elements differ; the first is [0]: got 0, want 1"* ]]
}

@test "reports of writing and reading" {
	run -0 --separate-stderr gpurun "$images/reach.fatbin" -q --json --buf y=f32:4 \
		--set factor=fill=2 --fill y=iota --copy y=y --get factor=f32:1
	[[ $output == *'{"do":"set","buf":"factor"},{"do":"fill","buf":"y"},{"do":"copy","buf":"y","from":"y"},{"do":"get","buf":"factor"}'* ]]
	run -0 gpurun "$images/reach.fatbin" --dry-run --json --buf y=f32:4 --set factor=fill=2
	[[ $output == *'{"do":"set","buf":"factor","init":"fill=2"}'* ]]
}

# promise: A structure by value, laid out
# promise: An unnamed buffer that holds
@test "a structure by value, and an array of pointers" {
	for file in reach.fatbin reach.clang.ptx; do
		run -0 --separate-stderr gpurun "$images/$file" --launch scale -b 4 \
			-a struct:p=f32:8,i32=8,f32=2.5 --fill p=iota --launch scale -b 4 \
			-a struct:p,i32=8,f32=2.5,pad:0 --print p --buf q=f32:4:fill=1 \
			--launch gather -b 4 -a ptrs:p,p+4,q,null -a 3 -a s=f32:4 -e s=list=11,16,21,26
		[[ $output == "p: 0 2.5 5 7.5 10 12.5 15 17.5" ]]
	done
}

# promise: A structure by value, laid out
@test "what a structure and an array of pointers may not be" {
	refused() {	# MESSAGE KERNEL ARG...
		run -110 gpurun "$images/reach.fatbin" -d cpu --buf q=f32:4 --launch "$2" "${@:3}"
		[[ $output == *"$1"* ]] || { echo "$output"; return 1; }
	}
	refused "a structure of 24 bytes, the parameter has 16 (.b8[16])" scale -a struct:q,i32=8,f64=1
	refused "part 1: there is no buffer z" scale -a struct:q,z
	refused "part 0: element 9 of a buffer of 4" scale -a struct:q+9,i32=8,f32=1
	refused "'raw:00' cannot be a part of it" scale -a struct:q,raw:00
	refused "'i32=4' cannot be a part of it" gather -a ptrs:i32=4 -a 1 -a q
	refused "it is a part of a structure" scale -a pad:16
	refused "struct: without parts" scale -a struct:
	refused "ptrs: without parts" gather -a ptrs: -a 1 -a q
	refused "part 1: '' is not a name" scale -a struct:q,,i32=1
	refused "i32 cannot hold 99999999999 exactly" scale -a struct:q,i32=99999999999,f32=1
}

# promise: Print a variable of the module
# promise: Write all of such a variable.
# promise: The type may be left out
# promise: Copy one buffer to another
# met: hints for a variable, an archive of .npy files, shared memory and long names led nowhere
@test "what cannot be reached" {
	usage() {	# STATUS MESSAGE ARG...
		run "-$1" gpurun "$images/reach.fatbin" "${@:3}"
		[[ $output == *"$2"* ]] || { echo "$output"; return 1; }
	}
	usage 113 "there is no variable nosuch" --get nosuch=f32:1
	[[ $output == *"hint: there are: "*"factor"* ]]
	usage 110 "the image does not have the type of table" --print sym:table
	[[ $output == *"it has 16 bytes; write its type after =: table=f32"* ]]
	usage 110 "table has 16 bytes, too few for 3 f64" --get table=f64:3
	usage 110 "expected NAME=TYPE:SHAPE" --get table
	usage 110 "expected NAME=TYPE:SHAPE" --get table=f32:4:iota
	usage 110 "expected NAME=[TYPE:]INIT" --set factor
	usage 110 "'f32' is no way to fill a buffer" --set factor=f32
	usage 110 "uninit writes nothing" --set factor=uninit
	usage 110 "2 values for 4 elements" --set table=f32:list=1,2
	usage 110 "expected DST=SRC" --buf y=f32:1 --copy y
	usage 110 "y is 1 f32, count is 1 u32" --buf y=f32:1 --copy y=sym:count
	usage 110 "expected BUF=INIT" --fill y
	usage 110 "there is no buffer y" --fill y=zero
	usage 110 "unknown type 'f31'" --print sym:table=f31
	usage 110 "expected BUF[:N] or sym:NAME[:N][=TYPE]" --buf y=f32:1 --print y=f32
	usage 110 "_ZN4deep4seenE has 12 bytes, no whole number of f64" --print sym:_ZN4deep4seenE=f64
}

# promise: At least so many threads
@test "threads in two dimensions, and as many as a buffer has elements" {
	run -0 gpurun "$images/reach.fatbin" --dry-run --launch filter --threads 1000x30 -b 16x16 \
		-a x=f32:4 -a 4
	[[ $output == *"grid 63x2x1  block 16x16x1"* ]]
	run -0 gpurun "$images/reach.fatbin" --dry-run --launch filter --threads len:x -b 4 \
		-a x=f32:list=1,2,3,4,5 -a 5
	[[ $output == *"buffer  x  f32:5"*"grid 2x1x1  block 4x1x1"* ]]
	run -110 gpurun "$images/reach.fatbin" --launch filter --threads len:z -a x=f32:4 -a 4
	[[ $output == *"--threads len:z: there is no buffer z"* ]]
	run -110 gpurun "$images/reach.fatbin" --launch filter --threads 1x2x3x4 -a x=f32:4 -a 4
	[[ $output == *"--threads 1x2x3x4: more than three dimensions"* ]]
	run -110 gpurun "$images/reach.fatbin" --launch filter --threads 8x2 -b auto -a x=f32:4 -a 4
	[[ $output == *"--block auto needs --threads along x alone"* ]]
}

# promise: Take a buffer or number of another type
# promise: Signedness is never checked.
@test "types that a kernel has in C++ are compared with those of buffers and numbers" {
	sed 's/\.visible .entry filter/.visible .entry _Z6filterPfi/; s/filter_param/_Z6filterPfi_param/' \
		"$images/reach.clang.ptx" >"$BATS_TEST_TMPDIR/named.ptx"
	cd "$BATS_TEST_TMPDIR"
	run -110 gpurun named.ptx --launch filter -a x=f64:4 -a i32=4
	[[ $output == *"arg0 ('x=f64:4') of filter: the parameter is float*, not f64*: --untyped takes it"* ]]
	run -110 gpurun named.ptx --launch filter -a x=f32:4 -a f32=4
	[[ $output == *"arg1 ('f32=4') of filter: the parameter is"* ]]
	run -0 gpurun named.ptx --untyped -q --launch filter -a x=f64:4 -a u32=4
	run -0 gpurun named.ptx -q --launch filter -a x=f32:4 -a u32=4
}

# promise: Dynamic shared memory per block.
# met: hints for a variable, an archive of .npy files, shared memory and long names led nowhere
@test "hints that fit: an archive of .npy files, dynamic shared memory, names that are whole" {
	cd "$BATS_TEST_TMPDIR"
	printf 'PK\3\4rest' >a.npz
	run -110 gpurun "$images/reach.fatbin" --launch filter -a x=@a.npz -a 4
	[[ $output == *"hint: it is an archive of them: unzip a.npz, then take the .npy files" ]]
	{
		printf '.version 7.0\n.target sm_70\n.address_size 64\n'
		printf '.extern .shared .align 4 .b8 pool[];\n.visible .entry k() {\n'
		printf '.reg .b32 %%r; mov.u32 %%r, pool; st.shared.u32 [%%r], 1; ret; }\n'
	} >dynamic.ptx
	run -117 gpurun dynamic.ptx -d cpu --launch k
	[[ $output == *"hint: k uses dynamic shared memory: --shared BYTES gives it some" ]]
	run -0 gpurun dynamic.ptx -d cpu -q --launch k --shared 4
	{
		printf '.version 7.0\n.target sm_70\n.address_size 64\n'
		for i in {1..60}; do
			printf '.visible .entry a_kernel_of_a_long_name_%s() { ret; }\n' "$i"
		done
	} >many.ptx
	run -110 gpurun many.ptx
	[[ $output =~ "_name_1, a_kernel_".*"a_kernel_of_a_long_name_"[0-9]+", ..."$ ]]
}

# promise: List the kernels of IMAGE
# promise: The registers are those of
# met: a GPU had no selector by its PCI address; registers and shared memory were not listed
@test "--list tells resources, and takes a pattern; --list=vars" {
	run -0 gpurun "$images/kernels.90.cubin" --list
	[[ $output == *"mixed  (1B@0, 16B@8, 8B@24)  12 registers, 256 B shared, block up to 64x1x1  0: sm_90 SASS"* ]]
	run -0 gpurun "$data/images/many.fatbin" --list='hidden*' # 6 in its first image
	[[ $output == *"  10 registers  0: sm_75 SASS, "* ]]
	run -0 gpurun "$data/images/many.fatbin" --info='hidden(int*)'
	[[ $output == *"image 0: "*"    6 registers, "*"image 4: "*"    10 registers, "* ]]
	run -0 gpurun "$images/kernels.90.cubin" --list='*axpb*'
	[[ ${#lines[@]} == 2 ]]
	run -0 gpurun "$images/kernels.90.cubin" --list='math::axpb<int>*' --json
	[[ $output == *'"kernels":[{"kernel":"math::axpb<int>('* && $output != *'axpb<float>'* ]]
	run -0 gpurun "$images/kernels.90.cubin" --list='vad?'
	[[ $output == "vadd  "* ]]
	run -113 gpurun "$images/kernels.90.cubin" --list='q*' --json
	[[ $output == *'"exit":{"code":113'* ]]
	run -0 gpurun "$images/reach.fatbin" --list=vars
	[[ $output == "factor  4 bytes  f32  0: sm_75 PTX 9.0"$'\n'*"count  4 bytes  1: sm_90 SASS"* ]]
	run -0 gpurun "$images/reach.fatbin" --list=vars --image 0 --json
	[[ $output == *'"variables":[{"name":"factor","bytes":4,"type":"f32","index":0,"image":"sm_75 PTX 9.0"},'* ]]
}

@test "parts of a structure that are too large, and bad pads" {
	refused() {	# MESSAGE ARG
		run -110 gpurun "$images/reach.fatbin" -d cpu --launch scale -a "$2"
		[[ ${lines[0]} == "gpurun: error: arg0: part $1" ]] || { echo "$output"; return 1; }
	}
	refused "1: 'x' is not a size" struct:p=f32:8,pad:x
	refused "1: '' is not a size" struct:p=f32:8,pad:
	refused "1: pad:900Gi: the parameters of a kernel have 32764 bytes at most" struct:p=f32:8,pad:900Gi
	refused "0: pad:18446744073709551600: the parameters of a kernel have 32764 bytes at most" \
		struct:pad:18446744073709551600,i32=1,pad:20
	run -110 gpurun "$images/reach.fatbin" -d cpu --launch scale -a struct:p=f32:8,pad:32764,pad:32764
	[[ $output == *"a structure of 65536 bytes, the parameter has 16 (.b8[16])"* ]]
	run -0 gpurun "$images/reach.fatbin" -d cpu -q --launch scale -a struct:p=f32:8,pad:8
}

@test "an array of pointers takes buffers and null alone" {
	refused() {	# MESSAGE ARG
		run -110 gpurun "$images/reach.fatbin" -d cpu --launch gather -a "$2" -a 1 -a s=f32:4
		[[ ${lines[0]} == "gpurun: error: arg0: $1" ]] || { echo "$output"; return 1; }
	}
	refused "ptrs:memref:f32:4: 'memref:f32:4' cannot be a part of it" ptrs:memref:f32:4
	refused "ptrs:sym:count: 'sym:count' cannot be a part of it" ptrs:sym:count
	refused "part 0: there is no buffer q" ptrs:q
	refused "buffer arg0: list=1: 1 values for 4 elements" ptrs:f32:4:list=1,2
	run -0 gpurun "$images/reach.fatbin" -d cpu --launch gather -b 4 -a ptrs:null -a 0 \
		-a s=f32:4:fill=1 -e s=zero
}

@test "variables by every form that tells their type" {
	run -0 gpurun "$images/reach.fatbin" -d cpu --set factor=fill=2 --set factor=f32:fill=2 \
		--print sym:factor --print sym:factor=u32 --get factor=u32:1 -e sym:factor=fill=2 \
		-e sym:factor=f32:list=2 --set table=f64:list=1,2 --get table=f64:2 \
		--print sym:table:3=f32
	[[ $output == "factor: 2"$'\n'"factor: 1073741824"$'\n'"factor: 1073741824"$'\n'"table: 1 2"$'\n'"table: 0 1.875 0 …" ]]
	for form in "--set table=zero" "-e sym:table=zero" "--print sym:table"; do
		run -110 --separate-stderr gpurun "$images/reach.fatbin" -d cpu $form
		[[ ${stderr_lines[0]} == *"the image does not have the type of table" ]]
		[[ ${stderr_lines[1]} == "gpurun: hint: it has 16 bytes; write its type after =: table=f32" ]]
	done
	for form in "--set =f32:zero" "--print sym:" "-e sym:=zero" "--get =f32:1"; do
		run -110 --separate-stderr gpurun "$images/reach.fatbin" -d cpu $form
		[[ ${stderr_lines[0]} == *": the name of the variable is missing" ]]
		[[ ${stderr_lines[1]} == "gpurun: hint: --list=vars lists them" ]]
	done
}

@test "bad copies, fills, lists and iotas" {
	refused() {	# MESSAGE ARG...
		run -110 gpurun "$images/reach.fatbin" -d cpu --buf y=f32:4 "${@:2}"
		[[ ${lines[0]} == "gpurun: error: $1" ]] || { echo "$output"; return 1; }
	}
	refused "--copy y=z: there is no buffer z" --copy y=z
	refused "--copy y=z: y is 4 f32, z is 5 f32" --buf z=f32:5 --copy y=z
	refused "--copy y=z: y is 4 f32, z is 4 i32" --buf z=i32:4 --copy y=z
	refused "--copy =y: '' is not a name" --copy =y
	refused "--copy y=: '' is not a name" --copy y=
	refused "--fill y=fill=x: fill=x: 'x' is not a number" --fill y=fill=x
	refused "--fill y=uninit: uninit writes nothing" --fill y=uninit
	refused "--fill y=: '' is no way to fill a buffer" --fill y=
	refused "--fill y=list=1,2: list=1,2: 2 values for 4 elements" --fill y=list=1,2
	refused "buffer z: list, value 1: '' is not a number" --buf z=i32:list=1,,3 --print z
	refused "buffer z: list, value 0: '' is not a number" --buf z=i32:list= --print z
	refused "--buf: iota=1,2,3,4: more than 3 values" --buf z=i32:4:iota=1,2,3,4 --print z
	refused "--buf: iota=1,,3: '' is not a number" --buf z=i32:4:iota=1,,3 --print z
	refused "buffer z: iota=0,1,0: the modulus is not positive" --buf z=i32:4:iota=0,1,0 --print z
	run -0 gpurun "$images/reach.fatbin" -d cpu --buf z=i32:list=1,2,3 --buf w=i32:5:iota=1,2,4 \
		--print z --print w
	[[ $output == "z: 1 2 3"$'\n'"w: 1 3 1 3 1" ]]
}

@test "bad counts of threads; a million in two dimensions" {
	refused() {	# MESSAGE THREADS
		run -110 gpurun "$images/reach.fatbin" -d cpu --launch filter -a x=f32:4 -a 0 -b 1 --threads "$2"
		[[ ${lines[0]} == "gpurun: error: $1" ]] || { echo "$output"; return 1; }
	}
	refused "--threads 4x: '' is not a size" 4x
	refused "--threads len:: there is no buffer " len:
	refused "--threads len:x:2: there is no buffer x:2" len:x:2
	refused "--threads 99999999999: a grid of 99999999999 blocks" 99999999999x4
	run -0 gpurun "$images/reach.fatbin" -d cpu --dry-run --launch filter --threads 1000x1000 -b 16x16 \
		-a x=f32:4 -a 0
	[[ $output == *"grid 63x63x1  block 16x16x1"* ]]
}
