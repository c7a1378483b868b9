# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a file holds takes neither the memory nor the time of the host: files that ask for
# much are refused with the limit, or take time and memory in proportion to their size.

load helpers

# A sanitizer takes memory of its own, several times the program's: only the time counts then.
setup_file() {
	local build=${BUILD:-build/gcc}

	[[ $build == /* ]] || build=$BATS_TEST_DIRNAME/../../$build
	SANITIZED=$(nm -D "$build/bin/gpurun" | grep -m 1 -o '__[at]san_init' || :)
	export SANITIZED
}

make() {	# KIND
	"$root/test/cli/hostile" "$1" "$1"
}

# Runs gpurun, which has to take no more processor time and memory than that; a loaded
# machine makes no difference to the former. It is ended after a minute.
within() {	# STATUS SECONDS MEGABYTES ARGUMENT...
	local want=$1 seconds=$2 megabytes=$3

	shift 3
	run -0 --separate-stderr "$root/test/cli/hostile" measure "$seconds" "$megabytes" \
		timeout 60 gpurun "$@"
	[[ $stderr == *"status $want" ]] || { echo "$stderr"; return 1; }
}

# promise: What a file holds is unpacked one image at a time
# promise: An image beyond that is damage
@test "images that unpack to 3 GiB are refused by their headers" {
	make bomb
	for arguments in --list '--list=images' '--launch k0' '--launch . --dry-run'; do
		# shellcheck disable=SC2086
		within 112 1 50 bomb $arguments
		[[ $stderr == *"bomb: offset 0x50: a zstd image that unpacks from 32"*" to \
1073741824 bytes, after 0 of others: the limit for all images of a file of 98776 bytes is \
73430528"* ]]
	done
}

# promise: What a file holds is unpacked one image at a time
# met: --list took the memory of all images, and the time of all where one line was read
@test "of all images one at a time is in memory" {
	make images
	within 0 5 40 images --list
	same "${output%% *}" k0
	within 0 5 80 images --launch k0 --image 3
}

@test "many kernels: each is found at once" {
	make kernels
	within 0 5 300 kernels --list
	((${#lines[@]} == 200000))
	within 0 5 300 kernels --list --json
	within 113 5 300 kernels --launch k20000_
	[[ $stderr == *"did you mean 'k20000'?"* ]]
}

@test "many containers: each is found at once" {
	make containers
	within 0 5 300 containers --list
	within 0 5 300 containers --launch k99999 --load more=containers --dry-run
}

@test "an archive of many members that share a name" {
	make members
	within 112 5 100 members --list
}

@test "many images and many strings of one offload binary" {
	make strings
	within 112 5 100 strings --list=images
	[[ $stderr == *"50000 images share strings of 200000 bytes"* ]]
	within 112 5 100 strings --list=images --json
}

# promise: Offload binaries that are compressed as a whole
@test "compressed offload binaries that unpack to 1 GiB, or to many images" {
	make stream
	within 112 1 50 stream --list
	[[ $stderr == *"stream: offset 0: an offload binary that unpacks from 32"*" to 1073741824 \
bytes, after 0 of others: the limit for all of a file of "*" bytes is 18"* ]]
	make entries
	within 112 5 150 entries --launch k0
	within 112 5 150 entries --list=images
	[[ $stderr == *"zlib: the limit for images in compressed offload binaries of a file of \
"*" bytes is 6"* ]]
}

@test "many compressed offload binaries that are damaged: time is spent on some" {
	make streams
	within 112 1 100 streams --list
	[[ $stderr == *"streams: offset 0: zstd data gives more than 8388567 bytes, which were \
expected"* ]]
}

@test "what looks like PTX by the million; many texts in one file" {
	# Time grows with the size: four times as much in four times.
	make texts
	within 0 3 100 texts --list=images
	make texts4
	within 0 12 100 texts4 --list=images
	rm texts4
	make parts
	within 0 5 300 parts --list=names
	((${#lines[@]} == 100000))
	within 0 5 300 parts --launch k99999 --dry-run
}

@test "names that grow when they are demangled" {
	make names
	within 0 5 150 names --list=names
	same "${lines[0]}" _Z2f0St4pairIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_E\
S_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_E
}

@test "a sparse file" {
	cp "$cuda/vadd.fatbin" sparse
	truncate -s 1T sparse
	within 111 1 50 sparse --list
	[[ $stderr == *"sparse: a sparse file: 1099"*" of its 1099511627776 bytes are missing; \
the limit is 268435456"* ]]
	within 111 1 50 - --list <sparse
	truncate -s 100M sparse
	within 0 5 150 sparse --list
}

# promise: It has at most 16 MiB.
# promise: Of a pipe or a device
@test "devices and pipes without an end" {
	within 112 1 50 /dev/zero --list
	within 111 5 100 @/dev/zero
	[[ $stderr == *"error: /dev/zero: has more than 16777216 bytes, which is the limit here"* ]]
	within 111 1 50 "$cuda/vadd.fatbin" -l vadd -a f32:4:@/dev/zero
	[[ $stderr == *"buffer arg0: /dev/zero: has more than 65552 bytes, which is the limit here"* ]]
	echo '.version 8.0 .target sm_75 .address_size 64 .entry one(.param .u64 p) { ret; }' >one.ptx
	within 111 1 50 one.ptx -l one -a raw:@/dev/zero
	[[ $stderr == *"/dev/zero: has more than 65536 bytes, which is the limit here"* ]]
}

# promise: Of what is not a regular file
# promise: Of a pipe or a device
@test "no more than the limit is read of a pipe" {
	within 111 10 1200 "$cuda/vadd.fatbin" -l vadd -a f32:@/dev/zero
	[[ $stderr == *"has more than 1073741824 bytes, which is the limit here"*"TYPE:SHAPE:@FILE"* ]]
	within 111 10 1200 - --list < <(cat "$cuda/vadd.fatbin" /dev/zero)
	[[ $stderr == *"more than 1073741824 bytes from something that is not a regular file"* ]]
}

# promise: Of a pipe or a device
@test "pipes and files that tell no size are read to their end" {
	mkfifo pipe
	cat "$cuda/vadd.fatbin" >pipe &
	within 0 5 50 pipe --list
	{ seq -f '// a comment before the text that is PTX, %.0f' 30000
		cat "$root/test/data/images/vadd.ptx"; } >long
	within 0 5 50 - --list < <(cat long)
	prints 'a: 1 2' gpurun "$cuda/vadd.fatbin" -q -l vadd -a a=u8:2:@<(printf '\1\2') -a null \
		-a null -a 0 --print a
	run -0 gpurun "$cuda/vadd.fatbin" --dry-run -l vadd -a u8:@/proc/self/stat -a null -a null -a 0
}

# promise: A null pointer.
# met: a null pointer was told by the nearest buffer
@test "an address near null is said to be so, and one that is near nothing names no block" {
	printf '%s\n' .version\ 7.8 .target\ sm_80 .address_size\ 64 \
		'.visible .entry f(.param .u64 p) { .reg .u64 %r<2>; ld.param.u64 %r0,[p]; st.global.u32 [%r0], 1; ret; }' \
		>store.ptx
	while read -r argument words; do
		run -117 --separate-stderr gpurun store.ptx -l f -a "$argument"
		same "${stderr_lines[0]}" "gpurun: illegal address: write of 4 bytes at $words"
	done <<-'E'
	null 0: a null pointer
	u64=24 0x18: 24 bytes behind a null pointer
	i64=-8 0xfffffffffffffff8: 8 bytes before a null pointer
	u64=140737488351232 0x7ffffffff000
	E
}

@test "names of Rust and D take memory as long as they are" {
	{
		echo '.version 7.0 .target sm_70 .address_size 64'
		seq 10000 19999 | sed 's/.*/.visible .entry _RNvC1k6k&() { ret; }\n.visible .entry _D1k6k&FZv() { ret; }/'
	} >names.ptx
	within 0 3 60 names.ptx --list
	run -0 gpurun names.ptx --list
	[[ $output == *"_RNvC1k6k12345  k::k12345  ()"*"_D1k6k19999FZv  k.k19999  ()"* ]]
}
