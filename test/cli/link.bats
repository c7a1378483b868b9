# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --link: files that the driver's linker joins with the image.
load helpers

images=$BATS_TEST_DIRNAME/../data/images

# promise: Join FILE
# promise: May be repeated.
# promise: All images of these files are joined
@test "kernels, functions and variables of all files: PTX, objects of nvcc -dc, an archive" {
	cd "$BATS_TEST_TMPDIR"
	ar rcs parts.a "$images/parts.2.o"
	for pair in "$images"/parts.1.{ptx,o}:{"$images"/parts.2.{ptx,o},parts.a}; do
		run -0 --separate-stderr gpurun "${pair%:*}" -d cpu --link "${pair#*:}" \
			--set calls=fill=2 --launch apply -b 4 -a x=f32:4:iota -a 4 --print x \
			--get calls=i32:1 --launch zero -b 2 -a x -e x=list=0,0,4,6 -e sym:calls=fill=6
		[[ $output == "x: 0 2 4 6"$'\n'"calls: 6" ]]
		[[ $stderr == "" ]]
	done
}

@test "either file may be the first" {
	run -0 gpurun "$images/parts.2.ptx" -d cpu --link "$images/parts.1.ptx" \
		--launch apply -b 4 -a x=f32:4:iota -a 4 -e x=iota=0,2
}

# promise: Join FILE
@test "--list has the kernels of all, as text and in JSON; --dry-run the files" {
	run -0 gpurun "$images/parts.1.o" --link "$images/parts.2.ptx" --list
	[[ ${lines[0]} == "apply  (u64@0, u32@8)  "*"0: sm_75 relocatable PTX 9.0, 1: sm_90 relocatable SASS" ]]
	[[ ${lines[1]} == "zero  (u64@0)  0: sm_75 PTX 9.0" ]]
	run -0 gpurun "$images/parts.1.ptx" --link "$images/parts.2.ptx" --list=names
	[[ $output == apply$'\n'zero ]]
	run -0 gpurun "$images/parts.1.ptx" --link "$images/parts.2.ptx" --list=names --json
	[[ $output == *'"linked":[{"path":"'*'parts.2.ptx","kind":"PTX"}],"kernels":['* ]]
	run -0 gpurun "$images/parts.1.ptx" --link "$images/parts.2.ptx" -d cpu --dry-run \
		--launch zero -a f32:1
	[[ $output == *"link    $images/parts.2.ptx  PTX: sm_75 PTX 9.0"* ]]
}

# promise: All images of these files are joined
@test "a name that no file defines, and one that two do" {
	run -112 --separate-stderr gpurun "$images/parts.1.ptx" -d cpu --link "$images/types.ptx" \
		--launch apply -a f32:4 -a 4
	[[ ${stderr_lines[0]} == "gpurun: error: linking $images/parts.1.ptx: cuLinkComplete: CUDA_ERROR_INVALID_SOURCE (300): "*"Undefined reference to 'calls' in '$images/parts.1.ptx'" ]]
	[[ ${stderr_lines[1]} == "gpurun: hint: --link FILE joins the file that defines it" ]]
	run -112 --separate-stderr gpurun "$images/parts.1.ptx" -d cpu --launch apply -a f32:4 -a 4
	[[ ${stderr_lines[1]} == "gpurun: hint: --link FILE joins the file that defines it" ]]
	run -112 --separate-stderr gpurun "$images/parts.1.ptx" -d cpu --link "$images/parts.2.ptx" \
		--link "$images/parts.2.ptx" --launch apply -a f32:4 -a 4
	[[ $stderr == "gpurun: error: linking $images/parts.1.ptx: cuLinkComplete: CUDA_ERROR_INVALID_SOURCE (300): "*"Multiple definition of '_Z5twicef' in '$images/parts.2.ptx', first defined in '$images/parts.2.ptx'" ]]
}

@test "files that cannot be linked" {
	cd "$BATS_TEST_TMPDIR"
	run -111 gpurun "$images/parts.1.ptx" -d cpu --link nosuch --launch apply -a f32:4 -a 4
	[[ $output == "gpurun: error: nosuch: cannot open: No such file or directory" ]]
	run -112 gpurun "$images/parts.1.ptx" -d cpu --link "$images/parts.2.90.cubin" --launch apply -a f32:4 -a 4
	[[ ${lines[0]} == "gpurun: error: $images/parts.2.90.cubin: no image for the CPU device; it holds sm_90 relocatable SASS" ]]
	[[ ${lines[1]} == "gpurun: hint: the CPU device runs PTX; rebuild with -gencode arch=compute_90,code=compute_90 (a cubin: -lineinfo; clang: --cuda-include-ptx=all)" ]]
	echo noise >noise
	run -112 gpurun "$images/parts.1.ptx" -d cpu --link noise --launch apply -a f32:4 -a 4
	[[ ${lines[0]} == "gpurun: error: noise: offset 0: not a GPU image: begins with 6e 6f 69 73" ]]
	run -110 gpurun --link noise --load p="$images/parts.1.ptx" --launch apply
	[[ ${lines[0]} == "gpurun: error: --link noise: no file given" ]]
	[[ ${lines[1]} == "gpurun: hint: it is joined with FILE, not with what --load names" ]]
	run -110 gpurun "$images/parts.1.ptx" --launch apply --link
	[[ $output == "gpurun: error: --link needs a value: FILE" ]]
}

@test "--load stays a module of its own and apart from what is linked" {
	run -0 gpurun "$images/parts.1.ptx" -d cpu --link "$images/parts.2.ptx" \
		--load r="$images/reach.clang.ptx" --set factor=fill=2 --launch apply -b 4 \
		-a x=f32:4:iota -a 4 --launch r:filter -b 4 -a x -a 4 -e x=iota=0,4 --unload r
}
