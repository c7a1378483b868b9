# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM offload binaries of every version and size, alone and in objects, made here by
# test/data/pack-offload; and what is wrong with damaged ones.

load helpers

vadd() {	# FILE [OPTION...]
	gpurun "$@" --launch vadd --threads 1Ki -b 128 -a f32:1Ki:iota -a f32:1Ki:fill=2 \
		-a y=f32:1Ki -a i32=1Ki -e y=iota=2,1
}

archs=(sm_50 sm_52 sm_60 sm_61 sm_70 sm_72 sm_75 sm_80 sm_90)
target=triple=nvptx64-nvidia-cuda

pack() {	# HOW COUNT OUT: so many images of PTX, one of them for sm_75 that has vadd
	local images=() i

	for ((i = 0; i < $2 - 1; i++)); do
		printf '%s\n' '.version 8.0' ".target ${archs[i]}" '.address_size 64' \
			".visible .entry k$i() { ret; }" >"$i.ptx"
		images+=("$i.ptx,$target,arch=${archs[i]},producer=1,kind=5")
	done
	"$root/test/data/pack-offload" "$1" "$3" "${images[@]}" \
		"$data/images/vadd.ptx,$target,arch=sm_75,producer=2,kind=5"
}

lines() {	# WHERE COUNT: what --list=images prints
	local i where=${1:+  $1}

	for ((i = 0; i < $2 - 1; i++)); do
		echo "$i: ${archs[i]} PTX 8.0$where  producer=openmp $target arch=${archs[i]}  $(stat -c %s $i.ptx) bytes"
	done
	echo "$i: sm_75 PTX 9.0$where  producer=cuda $target arch=sm_75  909 bytes"
}

embed() {	# FILE OUT: as clang does
	objcopy --add-section .llvm.offloading="$1" --set-section-flags .llvm.offloading=exclude \
		"$data/images/none.o" "$2"
}

@test "versions 1, 2 and 3, plain, zstd and zlib, of 1, 2 and 9 images: listed and launched" {
	for how in 1 2 3 zstd zlib; do
		for count in 1 2 9; do
			pack $how $count k.offload
			[[ $how == z* ]] && where=$how || where=
			prints "$(lines "$where" $count)" gpurun k.offload --list=images
			vadd k.offload
			((count == 1)) || gpurun k.offload --launch k0 --launch k$((count - 2))
			gpurun k.offload --list --json=list
			same "$(json list image kind)" "offload binary"
		done
	done
}

@test "the same in .llvm.offloading of an object and of an archive's member" {
	for how in 1 2 3 zstd zlib; do
		for count in 1 2 9; do
			pack $how $count k.offload
			embed k.offload k.o
			[[ $how == z* ]] && where=.llvm.offloading:$how || where=.llvm.offloading
			prints "$(lines "$where" $count)" gpurun k.o --list=images
			vadd k.o
		done
		ar rc k$how.a k.o
		prints "$(lines "k.o:$where" $count)" gpurun k$how.a --list=images
		vadd - < <(cat k$how.a)
	done
}

@test "several, of different versions, one behind the other in a section" {
	for how in 1 2 3 zstd zlib; do
		pack $how 1 one.offload
		cat one.offload >>all.offload
	done
	embed all.offload all.o
	prints "$(for i in 0 1 2 3:zstd 4:zlib; do
		where=.llvm.offloading
		[[ $i != *:* ]] || where+=:${i#*:}
		echo "${i%:*}: sm_75 PTX 9.0  $where  producer=cuda $target arch=sm_75  909 bytes"
	done)" gpurun all.o --list=images
	for i in 0 1 2 3 4; do vadd all.o --image $i; done
}

@test "a fatbin in a compressed offload binary; JSON tells where it is" {
	"$root/test/data/pack-offload" zstd k.offload \
		"$data/images/zlib.fatbin,$target,arch=sm_90,producer=2"
	vadd k.offload
	gpurun k.offload --list=images --json=list
	same "$(json list images 1 kind)" ptx
	same "$(json list images 1 where)" zstd
	same "$(json list images 1 offload strings arch)" sm_90
}

# Sets bytes of a file.
patch() {	# FILE OFFSET BYTES
	printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

damaged() {	# HOW OFFSET BYTES PROBLEM [HINT]
	cp "$data/images/vadd.$1.offload" x
	patch x "$2" "$3"
	fails 112 "gpurun: error: x: $4${5:+
gpurun: hint: $5}" gpurun x --list
}

@test "damaged ones are refused: what is wrong, and where" {
	local pack="pack it anew with llvm-offload-binary of LLVM 22 or 23"

	damaged v3 4 '\x04' "offset 0: offload binary version 4; versions 1 to 3 are read" "$pack"
	damaged v2 4 '\x00' "offset 0: offload binary version 0; versions 1 to 3 are read" "$pack"
	damaged v2 16 '\x08' "offset 0: entries, in number 3 at 0x8, inside the header of 32 bytes"
	damaged v3 16 '\x20' "offset 0: entries, in number 3 at 0x20, inside the header of 40 bytes"
	damaged v2 24 '\x02\0\0\0\0\0\0\x20' \
		"offset 0: entries, in number 2305843009213693954 at 0x20 in an offload binary of 5112 bytes"
	damaged zstd 8 '\x28\0' "offset 0x28: expected zstd or zlib data of an offload binary, found 0 bytes that begin with 00 00 00 00"
	damaged zstd 32 '\x27\0' "offset 0: offload binary that unpacks to 39 bytes, its header alone has 40"
	damaged zstd 32 '\xff\x13' "offset 0: zstd data gives more than 5079 bytes, which were expected"
	damaged zlib 32 '\x01' "offset 0: zlib data gave 5080 bytes, expected 5081"
	damaged zlib 200 '\xff\xff\xff\xff\xff\xff\xff\xff' "offset 0: damaged zlib data"
	# A stream that ends too early.
	damaged zlib 8 '\0\x01' "offset 0: damaged zlib data"
	# What is wrong inside is told of by its place there.
	"$root/test/data/pack-offload" 3 plain "$data/images/vadd.ptx,$target"
	patch plain 64 '\xff\xff'
	python3 - plain x <<-'SCRIPT'
		import struct, sys, zlib
		plain = open(sys.argv[1], "rb").read()
		stream = zlib.compress(plain[40:])
		stream += bytes(-len(stream) % 8)
		open(sys.argv[2], "wb").write(struct.pack("<4sIQQQQ", plain[:4], 3,
			40 + len(stream), 40, 1, len(plain)) + stream)
	SCRIPT
	fails 112 "gpurun: error: x: offset 0, unpacked: offset 0x28: image of 909 bytes at 0xffff in an offload binary of 1048" \
		gpurun x --list
}

@test "what is whole beside a damaged one is listed, and launched" {
	cp "$data/images/vadd.zstd.offload" x
	patch x 32 '\xff\x13'
	cat "$data/images/vadd.v2.offload" >>x
	run -112 --separate-stderr gpurun x --list=names
	same "$output" vadd
	same "$stderr" "gpurun: error: x: damaged: offset 0: zstd data gives more than 5079 bytes, which were expected"
	vadd x
}

@test "LLVM's reader takes what is packed here in version 1, image by image" {
	PATH=$PATH:/usr/lib/llvm-22/bin
	command -v llvm-offload-binary >/dev/null || skip "needs llvm-22, which is not installed"
	pack 1 9 k.offload
	for i in 0 4 7; do
		llvm-offload-binary k.offload --image=file=out,arch=${archs[i]}
		cmp out $i.ptx
	done
	llvm-offload-binary k.offload --image=file=out,arch=sm_75,kind=cuda
	cmp out "$data/images/vadd.ptx"
}
