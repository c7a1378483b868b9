# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is in a file: --info, --extract; and what a file is that holds no image.

load helpers

# promise: Print all that is known of
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

# promise: Print all that is known of
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

# promise: Print all that is known of
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

# promise: Print all that is known of
@test "--info looks a name up as --launch does" {
	fails 113 "gpurun: error: no kernel 'nosuch'; there is ranked, clustered, bounded(float const*, float*, int)" \
		gpurun "$data/images/info.fatbin" --info=nosuch
	run -0 --separate-stderr gpurun "$data/images/info.fatbin" --info=boun
	same "$stderr" "gpurun: taking bounded(float const*, float*, int) for boun"
	run -113 --separate-stderr gpurun "$data/images/info.fatbin" --info=boun -q
	[[ $stderr == *"it could be short for bounded("* ]]
}

# promise: With --device that device is asked
# promise: On the CPU device registers do not
# promise: Else no device is needed.
@test "--info asks a device that is named, and no other" {
	run -0 --separate-stderr gpurun "$data/images/info.fatbin" --info=bounded -d cpu
	[[ $output == *"
  occupancy: a multiprocessor of gpurun CPU device runs "*" blocks of 128 threads at once; most threads run in blocks of 128 (registers do not limit it here)
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

# promise: With -b and --shared the question
@test "--info asks about the block and the shared memory that are given" {
	local vadd=("$cuda/vadd.fatbin" --info=vadd)

	answers() {	# TEXT OPTION...
		run -0 --separate-stderr gpurun "${vadd[@]}" -d cpu "${@:2}"
		[[ $output == *"
  occupancy: a multiprocessor of gpurun CPU device runs $1 (registers do not limit it here)" ]]
	}
	answers "8 blocks of 256 threads at once; most threads run in blocks of 1024"
	answers "32 blocks of 64 threads at once; most threads run in blocks of 1024" -b 64
	answers "32 blocks of 64 threads at once; most threads run in blocks of 1024" -b 8,4,2
	answers "2 blocks of 1024 threads at once; most threads run in blocks of 1024" -b auto
	answers "2 blocks of 64 threads with 81920 bytes of dynamic shared memory each at once; most threads run in blocks of 1024" \
		-b 64 --shared 80Ki
	gpurun "${vadd[@]}" -d cpu --shared 80Ki --json >info.json
	same "$(json info.json kernels 0 occupancy)" \
		'{"block": 256, "shared": 81920, "blocks": 2, "best_block": 1024}'
	# What no kernel takes is refused, what one does not is told with it.
	fails 110 "gpurun: error: --block 0: 0 is not a dimension" gpurun "${vadd[@]}" -d cpu -b 0
	run -0 gpurun "$data/images/info.fatbin" --info=bounded -d cpu -b 1024
	[[ $output == *"
  occupancy: unknown: bounded takes blocks of at most 128 threads, not 1024x1x1
"* ]]
	gpurun "$data/images/info.fatbin" --info=bounded -d cpu -b 1024 --json >info.json
	same "$(json info.json kernels 0 occupancy)" \
		'{"problem": "bounded takes blocks of at most 128 threads, not 1024x1x1"}'
	fails 110 "gpurun: error: --block besides --info asks a device, and none is named
gpurun: hint: -d cpu names one, or -d gpu where there is a GPU" gpurun "${vadd[@]}" -b 64
	run -110 gpurun "${vadd[@]}" --shared 64
	run -110 gpurun "${vadd[@]}" -d cpu -g 64
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
	local hint="gpurun: hint: with --info go FILE, -b, --color, -d, --image, -j, --link, --no-device-exit, --load, -q, --shared and -v"

	fails 110 "gpurun: error: --launch besides --info, which runs nothing
$hint" gpurun "$data/images/info.fatbin" --info -l bounded
	fails 110 "gpurun: error: --print besides --info, which runs nothing
$hint" gpurun "$data/images/info.fatbin" --info=bounded --print x
	fails 110 "gpurun: error: only one of --list, --info, --extract, --devices, --doctor, --dry-run and --exec can be given" \
		gpurun "$data/images/info.fatbin" --info --list
}

@test "--info tells what is whole of a damaged file, and 112" {
	head -c 5500 "$data/images/info.fatbin" >cut.fatbin
	run -112 --separate-stderr gpurun cut.fatbin --info=clustered
	[[ $output == "clustered
"*"  image 0: sm_90 SASS"* && $stderr == "gpurun: error: cut.fatbin: damaged: "* ]]
}

@test "--list says which block a kernel requires, or the largest that it accepts" {
	cd "$BATS_TEST_TMPDIR"
	printf '.version 6.3\n.target sm_75\n.address_size 64\n.visible .entry need() .reqntid 32, 2\n{ ret; }\n.visible .entry most() .maxntid 64\n{ ret; }\n' >need.ptx
	run -0 gpurun need.ptx --list
	[[ ${lines[0]} == "need  ()  block 32x2x1  0: "* && ${lines[1]} == "most  ()  block up to 64x1x1  0: "* ]]
}

# promise: Write every image
# promise: Prints a line for each file.
@test "--extract writes every image, named by number, architecture, place and kind" {
	prints "out/0000.sm_75.cubin  10288 bytes  sm_75 SASS
out/0001.sm_80.cubin  11056 bytes  sm_80 SASS
out/0002.sm_90a.cubin  12704 bytes  sm_90a SASS
out/0003.sm_100f.cubin  19768 bytes  sm_100f SASS
out/0004.sm_120.cubin  19768 bytes  sm_120 SASS
out/0005.sm_75.ptx  4353 bytes  sm_75 PTX 9.0" gpurun "$data/images/many.fatbin" --extract=out
	same "$(cd out && echo *)" \
		"0000.sm_75.cubin 0001.sm_80.cubin 0002.sm_90a.cubin 0003.sm_100f.cubin 0004.sm_120.cubin 0005.sm_75.ptx"
	cmp out/0001.sm_80.cubin "$data/images/kernels.80.cubin"
	prints "out/0005.sm_75.ptx  4353 bytes  sm_75 PTX 9.0" \
		gpurun "$data/images/many.fatbin" --extract=out/ -f --image ptx
	gpurun "$data/images/info.fatbin" --load v="$data/images/vadd.ptx" --extract both
	same "$(cd both && echo *)" "0000.sm_90.cubin 0000.v.sm_75.ptx 0001.sm_90.ptx"
	cmp both/0000.v.sm_75.ptx "$data/images/vadd.ptx"
	gpurun both/0001.sm_90.ptx --list=names | grep -x clustered
}

# promise: Code that cannot be loaded is written
@test "--extract writes what cannot be loaded, from host files and archives" {
	gpurun "$data/images/library.a" --extract=lib
	same "$(cd lib && printf '%s\n' *)" "0000.sm_90.stored.fatbin.cubin
0001.sm_75.stored.fatbin.ptx
0002.sm_75.offload.o_.llvm.offloading.ptx
0003.sm_90.offload.o_.llvm.offloading.cubin
0004.gfx90a.offload.o_.llvm.offloading.hsaco
0005.offload.o_.llvm.offloading.spv
0006.sm_75.offload.o_.llvm.offloading.bc
0007.offload.o_.llvm.offloading.elf
0008.sm_75.vadd.ptx.ptx"
	same "$(head -c 4 lib/0006*)" "$(printf 'BC\xc0\xde')"
	gpurun "$data/images/rdc.o" --extract=rdc
	[[ $(cd rdc && echo *) == *"nv_relfatbin.relocatable.cubin"* ]]
	# Stored unchanged: nothing can unpack it.
	gpurun "$data/images/ltoir.fatbin" --extract=lto
	same "$(cd lto && echo *)" 0000.sm_90.obfuscated.ltoir
}

@test "--extract --json has an array of the files" {
	gpurun "$data/images/many.fatbin" --extract=out --image 3 --json >files.json
	same "$(json files.json files 0 file)" out/0003.sm_100f.cubin
	same "$(json files.json files 0 bytes)" 19768
	same "$(json files.json files 0 index)" 3
	same "$(json files.json files 0 kind)" sass
	same "$(json files.json exit code)" 0
}

# promise: Where one exists already
@test "--extract overwrites nothing without -f, and then writes nothing at all" {
	mkdir out
	echo mine >out/0004.sm_120.cubin
	fails 111 "gpurun: error: out/0004.sm_120.cubin: exists already
gpurun: hint: -f lets it be overwritten" gpurun "$data/images/many.fatbin" --extract=out
	same "$(cd out && echo *)" 0004.sm_120.cubin
	same "$(cat out/*)" mine
	run -0 gpurun "$data/images/many.fatbin" --extract=out -f
	cmp out/0004.sm_120.cubin "$data/images/kernels.120.cubin"
	# A link would lead the bytes elsewhere.
	rm out/*
	ln -s ../elsewhere out/0000.sm_75.cubin
	fails 111 "gpurun: error: out/0000.sm_75.cubin: is no regular file" \
		gpurun "$data/images/many.fatbin" --extract=out -f
	[[ ! -e elsewhere ]]
	fails 111 "gpurun: error: no/out: cannot make the folder: No such file or directory" \
		gpurun "$data/images/many.fatbin" --extract=no/out
	echo >file
	fails 111 "gpurun: error: file: is no folder" \
		gpurun "$data/images/many.fatbin" --extract=file
}

# promise: Write every image
@test "--extract writes into its folder alone, whatever members of an archive are called" {
	python3 - "$data/images/vadd.ptx" <<-'E'
	import sys
	ptx = open(sys.argv[1], "rb").read()
	with open("evil.a", "wb") as file:
	    file.write(b"!<arch>\n")
	    for name in b"../../../../tmp/evil.ptx", b"/etc/passwd", b"..", b"a\nb\x1b[1m\xff c", b"x" * 300:
	        body = name + ptx + b"\n" * ((len(name) + len(ptx)) % 2)
	        size = len(name) + len(ptx)
	        file.write(b"#1/%-13d%-12d%-6d%-6d%-8o%-10d`\n" % (len(name), 0, 0, 0, 0o644, size))
	        file.write(body)
	E
	mkdir deep
	cd deep
	gpurun ../evil.a --extract=out
	same "$(cd out && printf '%s\n' *)" "0000.sm_75._.._.._.._tmp_evil.ptx.ptx
0001.sm_75._etc_passwd.ptx
0002.sm_75.ptx
0003.sm_75.a_b__1m__c.ptx
0004.sm_75.$(printf 'x%.0s' {1..99}).ptx"
	same "$(echo *)" out
	same "$(cd .. && echo *)" "deep evil.a"
}

# promise: What is damaged is left out
@test "--extract leaves out what is damaged, with 112, and writes the rest" {
	cp "$data/images/many.fatbin" bad.fatbin
	# In the midst of the second image.
	printf '\xff\xff\xff\xff\xff\xff\xff\xff' | dd of=bad.fatbin bs=1 conv=notrunc status=none \
		seek="$(gpurun "$data/images/many.fatbin" --list=images --json |
			python3 -c 'import json, sys; print(json.load(sys.stdin)["images"][1]["offset"] + 2)')"
	run -112 --separate-stderr gpurun bad.fatbin --extract=out
	same "$(cd out && echo *)" \
		"0000.sm_75.cubin 0002.sm_90a.cubin 0003.sm_100f.cubin 0004.sm_120.cubin 0005.sm_75.ptx"
	[[ ${stderr_lines[0]} == "gpurun: warning: image 1 is left out: bad.fatbin: offset 0x"*"zstd"* ]]
	same "${stderr_lines[1]}" "gpurun: error: 1 of 6 images cannot be unpacked"
	run -112 --separate-stderr gpurun bad.fatbin --extract=out -f --json
	same "$(printf '%s' "$output" | json /dev/stdin exit code)" 112
	same "$(printf '%s' "$output" | json /dev/stdin files 1 file)" null
	[[ $(printf '%s' "$output" | json /dev/stdin files 1 failure) == *zstd* ]]
	# And where the file ends too early.
	head -c 9000 "$data/images/many.fatbin" >cut.fatbin
	run -112 --separate-stderr gpurun cut.fatbin --extract=cut
	[[ $stderr == "gpurun: error: cut.fatbin: damaged: "* && -s cut/0000.sm_75.cubin ]]
}

@test "--extract that cannot write leaves no part of a file" {
	run -111 --separate-stderr bash -c "trap '' XFSZ; ulimit -f 16; exec gpurun '$data/images/many.fatbin' --extract=out"
	[[ $stderr == "gpurun: error: out/0003.sm_100f.cubin: cannot write: "* ]]
	same "$(cd out && ls -A)" "0000.sm_75.cubin
0001.sm_80.cubin
0002.sm_90a.cubin"
}

@test "--extract is a mode: what runs something is refused beside it" {
	fails 110 "gpurun: error: --launch besides --extract, which runs nothing
gpurun: hint: with --extract go FILE, --color, -d, -f, --image, -j, --load, -q and -v" \
		gpurun "$data/images/many.fatbin" --extract=out -l vadd
	fails 110 "gpurun: error: --extract needs a value: DIR" \
		gpurun "$data/images/many.fatbin" --extract
	[[ ! -e out ]]
}

# ---- anywhere in a file ----

# Wants the images of FILE to be those lines, but for their sizes.
holds() {	# FILE LINES
	run -0 --separate-stderr gpurun "$1" --list=images
	same "$(sed -E 's/  [0-9]+ bytes$//' <<<"$output")" "$2"
}

# promise: In host files and archives, and in files of no known
@test "images behind other bytes, at any place" {
	local ptx="sm_75 PTX 9.0" before

	for before in x xy "seven b" "$(printf '%s' {1..5000})"; do
		{ printf '%s' "$before"; cat "$data/images/stored.fatbin"; } >odd.bin
		holds odd.bin "0: sm_90 SASS  data
1: $ptx  data"
		{ printf '%s' "$before"; cat "$data/images/vadd.90.cubin"; printf tail; } >odd.bin
		holds odd.bin "0: sm_90 SASS  data"
		{ printf '%s' "$before"; cat "$data/images/vadd.v2.offload"; printf tail; } >odd.bin
		run -0 gpurun odd.bin --list=names
		same "$output" "$(gpurun "$data/images/vadd.v2.offload" --list=names)"
	done
	# Across the border of what is looked at in one piece, and in the last bytes.
	for before in 1048560 1048568 1048575 1048576; do
		{ head -c $before /dev/zero; cat "$data/images/stored.fatbin"; } >odd.bin
		holds odd.bin "0: sm_90 SASS  data
1: $ptx  data"
	done
	run -0 --separate-stderr gpurun odd.bin --launch vadd -b 4 -a f32:4:iota -a f32:4:iota \
		-a c=f32:4 -a i32=4 --print c
	same "$output" "c: 0 2 4 6"
	# Behind a text, as scripts that unpack themselves have it; a pipe of it is read to its end.
	{ printf '/* text */\n'; cat "$data/images/zstd.fatbin"; } >text.bin
	same "$(gpurun - --list=names < <(cat text.bin))" "$(gpurun "$data/images/zstd.fatbin" --list=names)"
}

# promise: In host files and archives, and in files of no known
@test "images of host files whose symbols or section headers were stripped" {
	local want name

	want=$(gpurun "$data/images/host.so" --list=names)
	for name in host.so host.exe; do
		cp "$data/images/$name" all
		strip --strip-all all
		same "$(gpurun all --list=names)" "$want"
		# As sstrip does: e_shoff, e_shnum and e_shstrndx are 0, and so are the headers.
		python3 - all bare <<-'E'
		import struct, sys
		data = bytearray(open(sys.argv[1], "rb").read())
		offset = struct.unpack_from("<Q", data, 40)[0]
		struct.pack_into("<Q", data, 40, 0)
		struct.pack_into("<HHH", data, 58, 0, 0, 0)
		open(sys.argv[2], "wb").write(data[:offset])
		E
		same "$(gpurun bare --list=names)" "$want"
		run -0 gpurun bare --list=images
		[[ $output == *"  data  "* && $output != *nv_fatbin* ]]
	done
	# MLIR names its image by a symbol alone.
	cp "$data/images/mlir.bin.o" m.o
	same "$(gpurun m.o --list=images | grep -c kmod_binary)" 1
	strip --strip-unneeded m.o
	objcopy --strip-all m.o n.o || cp m.o n.o
	run -0 gpurun n.o --list=names
	same "$output" "$(gpurun "$data/images/mlir.bin.o" --list=names)"
}

# promise: In host files and archives, and in files of no known
@test "images in addition to those that sections name, each once" {
	# Those of .nv_fatbin come first; what is there is not found again.
	{ cat "$data/images/host.so"; printf pad; cat "$data/images/two.fatbin" "$data/images/vadd.90.cubin"; } >more.so
	run -0 gpurun more.so --list=images
	local named other
	named=$(grep -c '  \.nv_fatbin  ' <<<"$output")
	same "$named" "$(gpurun "$data/images/host.so" --list=images | grep -c '^[0-9]')"
	other=$(gpurun "$data/images/two.fatbin" --list=images | wc -l)
	same "$(grep -c '  data  ' <<<"$output")" $((other + 1))
	# What only begins like one is no damage.
	{ cat "$data/images/host.so"; head -c 200 "$data/images/two.fatbin"; head -c 100 "$data/images/vadd.90.cubin"
		printf '\x10\xff\x10\xad\2\0\0\0'; } >less.so
	same "$(gpurun less.so --list=images)" "$(gpurun "$data/images/host.so" --list=images)"
}

# promise: Images in which nvcc's device link had nothing
@test "images without a kernel have no number, and are counted" {
	run -0 gpurun "$data/images/host.so" --list=images
	same "${lines[-1]}" "and 1 image without a kernel"
	run -0 gpurun "$data/images/host.so" --load "b=$data/images/host.so" --list=images
	same "${lines[-1]}" "b: and 1 image without a kernel"
	gpurun "$data/images/host.so" --load "b=$data/images/host.so" --list=images --json >list.json
	same "$(json list.json images_without_kernel)" 2
	cat "$data/images/host.so" "$data/images/host.so" >two
	same "$(gpurun two --list=images | tail -n 1)" "and 2 images without a kernel"
	# One that was picked has a number.
	run -0 gpurun "$data/images/host.so" --image 0 --list=images
	same "${#lines[@]}" 1
	run -0 gpurun "$data/images/two.fatbin" --list=images
	[[ $output != *without* ]]
}

@test "what looks like images by the thousand is passed over in time" {
	# Headers of ELF files with as many sections as there may be, of fatbins and offload binaries
	# that end too early.
	python3 - <<-'E'
	import struct
	elf = struct.pack("<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0x41, 8, 2, 190, 1, 0, 0, 64,
	                  90 << 8, 64, 56, 0, 64, 65000, 1)
	fatbin = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 64) + struct.pack("<HHIQ", 1, 0x101, 64, 1 << 40)
	offload = struct.pack("<4sIQQQ", b"\x10\xff\x10\xad", 2, 4096, 32, 1 << 30)
	with open("many.bin", "wb") as file:
	    file.write(b"x")
	    for i in range(200000):
	        file.write((elf, fatbin, offload)[i % 3])
	    file.write(bytes(1 << 22))
	E
	run -112 --separate-stderr timeout 20 gpurun many.bin --list
	[[ ${stderr_lines[0]} == "gpurun: error: many.bin: offset 0: not a GPU image: begins with 78 7f 45 4c" ]]
}

# ---- what is no image ----

# The name that a tool has here.
tool() {	# NAME
	local name

	for name in "$1-22" "/usr/lib/llvm-22/bin/$1" "$1" "/usr/local/cuda/bin/$1"; do
		if command -v "$name" >/dev/null; then
			echo "$name"
			return
		fi
	done
	return 1
}

needs() {	# TOOL...
	local name

	for name; do
		tool "$name" >/dev/null && continue
		case $name in
		nvcc) skip "needs NVIDIA's toolkit (nvcc)" ;;
		mlir-*) skip "needs mlir-22-tools" ;;
		llc) skip "needs llvm-22" ;;
		*) skip "needs clang-22" ;;
		esac
	done
}

# Wants FILE refused as KIND; leaves the hint's commands in $hint, with the tools as they are called
# here.
refused() {	# FILE KIND
	local name

	run -112 --separate-stderr gpurun "$1" --list
	same "$output" ""
	same "${stderr_lines[0]}" "gpurun: error: $1: not a GPU image: $2"
	same "${#stderr_lines[@]}" 2
	hint=${stderr_lines[1]#gpurun: hint: }
	hint=" $hint"
	for name in mlir-opt mlir-translate llc clang++ clang nvcc; do
		! tool $name >/dev/null || hint=${hint// $name / $(tool $name) }
	done
	hint=${hint# }
}

# Does what the hint says, and lists what comes out.
works() {	# COMMAND IMAGE
	bash -c "set -o pipefail; $1" || { echo "$1"; return 1; }
	gpurun "$2" --list | grep . || { echo "$2 has no kernels"; return 1; }
}

@test "MLIR, text and bytecode: through LLVM" {
	needs mlir-opt mlir-translate llc
	cp "$data/images/module.mlir" k.mlir
	refused k.mlir MLIR
	works "$hint" out.o
	"$(tool mlir-opt)" k.mlir -emit-bytecode -o k.mlirbc
	refused k.mlirbc "MLIR bytecode"
	rm out.o
	works "$hint" out.o
	# What stands between: MLIR with the image in it, and LLVM IR of the host.
	"$(tool mlir-opt)" k.mlir -gpu-lower-to-nvvm-pipeline=cubin-format=isa >binary.mlir
	refused binary.mlir "MLIR with compiled kernels"
	"$(tool mlir-translate)" --mlir-to-llvmir binary.mlir >host.ll
	refused host.ll "LLVM IR of a host program"
	rm out.o
	works "$hint" out.o
}

@test "LLVM IR and bitcode of a device: llc" {
	needs clang llc
	echo '__attribute__((nvptx_kernel)) void store(int *p, int n) { *p = n; }' >dev.c
	"$(tool clang)" --target=nvptx64-nvidia-cuda -march=sm_90 -S -emit-llvm dev.c -o dev.ll
	"$(tool clang)" --target=nvptx64-nvidia-cuda -march=sm_90 -c -emit-llvm dev.c -o dev.bc
	refused dev.ll "LLVM IR"
	works "$hint" out.ptx
	fails 112 "gpurun: error: dev.bc: no image that can be loaded; it holds LLVM bitcode
gpurun: hint: llc -mtriple=nvptx64 -mcpu=sm_90 dev.bc -o out.ptx" gpurun dev.bc --list
	rm out.ptx
	works "$(tool llc) -mtriple=nvptx64 -mcpu=sm_90 dev.bc -o out.ptx" out.ptx
}

@test "CUDA source: nvcc or clang++" {
	cp "$data/images/kernels.cu" "my kernels.cu"
	refused "my kernels.cu" "CUDA source"
	[[ $hint == *"nvcc -fatbin 'my kernels.cu' -o out.fatbin, or "*"clang++"*" -S 'my kernels.cu' -o out.ptx" ]]
	needs nvcc
	works "${hint%, or *}" out.fatbin
	needs clang++
	works "${hint#*, or }" out.ptx
}

@test "OpenCL source and assembly: clang and cc" {
	needs clang
	echo '__kernel void store(__global int *p, int n) { *p = n; }' >k.cl
	refused k.cl "OpenCL source"
	works "$hint" out.ptx
	needs mlir-opt mlir-translate llc
	"$(tool mlir-opt)" "$data/images/module.mlir" -gpu-lower-to-nvvm-pipeline=cubin-format=isa |
		"$(tool mlir-translate)" --mlir-to-llvmir | "$(tool llc)" -relocation-model=pic -o host.s
	refused host.s assembly
	works "$hint" out.o
}

@test "compressed files: what unpacks them, to a pipe" {
	local row name kind

	for row in gzip:z:"a gzip file" zstd:zstd:"a zstd file" xz:xz:"an xz file" \
		bzip2:bz:"a bzip2 file"; do
		name=${row%%:*} kind=${row##*:} row=${row%:*}
		command -v "$name" >/dev/null || continue
		"$name" -c <"$data/images/vadd.ptx" >"k.$name"
		refused "k.$name" "$kind"
		same "$hint" "${row#*:}cat k.$name | gpurun - ..."
		run -0 bash -c "${hint/.../--list=names}"
		same "$output" vadd
		# Through a pipe there is no name.
		run -112 --separate-stderr gpurun - --list < <(cat "k.$name")
		same "${stderr_lines[0]}" "gpurun: error: standard input: not a GPU image: $kind"
		[[ ${stderr_lines[1]} == *"cat FILE | gpurun - ..." ]]
	done
}

@test "code for other devices, and archives of files" {
	local nvidia="it is not for NVIDIA's GPUs; to compile its source for them: clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -S SOURCE -o out.ptx"

	gpurun "$data/images/foreign.offload" --extract=.
	fails 112 "gpurun: error: 0000.gfx90a.hsaco: not a GPU image: machine code for AMD's GPUs
gpurun: hint: $nvidia" gpurun 0000.gfx90a.hsaco -l k
	fails 112 "gpurun: error: 0001.spv: not a GPU image: SPIR-V
gpurun: hint: $nvidia" gpurun 0001.spv --list
	printf '__CLANG_OFFLOAD_BUNDLE__' >bundle
	fails 112 "gpurun: error: bundle: not a GPU image: a bundle of HIP
gpurun: hint: $nvidia" gpurun bundle --list
	printf 'CCOB\2\0' >ccob
	fails 112 "gpurun: error: ccob: not a GPU image: a compressed bundle of HIP
gpurun: hint: $nvidia" gpurun ccob --list
	cp "$data/images/vadd.ptx" k.ptx
	tar -cf k.tar k.ptx
	run -0 gpurun k.tar --list=names
	same "$output" vadd
	# What is compressed there is not found.
	gzip k.ptx
	tar -cf k.tar k.ptx.gz
	refused k.tar "a tar archive"
	run -0 bash -c "$(sed 's/MEMBER/k.ptx.gz/; s/| gpurun/| gzip -d | gpurun/; s/\.\.\./--list=names/' <<<"$hint")"
	same "$output" vadd
	printf '#!/bin/sh\necho run\n' >script
	chmod +x script
	refused script "a script"
	run -0 gpurun --exec ./script
	same "$output" run
}
