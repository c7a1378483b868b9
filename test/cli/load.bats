# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --load, --launch NAME:KERNEL and --unload: several files in one run.

load helpers

# A file with a variable V that holds VALUE and a kernel that stores it to its argument.
store() {	# FILE KERNEL VALUE
	printf '%s\n' '.version 8.0' '.target sm_75' '.address_size 64' \
		".visible .global .u32 v = $3;" ".visible .entry $2(.param .u64 out)" \
		'{ .reg .u64 %a; .reg .u32 %x; ld.param.u64 %a, [out]; ld.global.u32 %x, [v];' \
		'st.global.u32 [%a], %x; ret; }' >"$1"
}

# promise: With NAME: it is one of the file
# promise: A further file
# promise: NAME is made of letters
@test "a kernel of a loaded file: with its name, and without where that is enough" {
	store a.ptx one 1
	store b.ptx two 2
	prints 'y: 2' gpurun a.ptx --load b=b.ptx --launch b:two -a y=u32:1 --print y
	prints 'y: 2' gpurun a.ptx --load b=b.ptx --launch two -a y=u32:1 --print y
	prints 'y: 1' gpurun a.ptx --load b=b.ptx --launch one -a y=u32:1 --print y
	prints 'y: 2' gpurun --launch . --load=b=b.ptx -a y=u32:1 --print y
	prints 'y: 2' gpurun a.ptx --load b=b.ptx --launch b:. -a y=u32:1 --print y
}

# promise: With NAME: it is one of the file
@test "the file itself comes first; among the loaded ones a name must be unique" {
	store a.ptx k 1
	store b.ptx k 2
	store c.ptx k 3
	prints 'y: 1' gpurun a.ptx --load b=b.ptx --load c=c.ptx --launch k -a y=u32:1 --print y
	prints $'y: 2\nz: 3' gpurun a.ptx --load b=b.ptx --load c=c.ptx --launch b:k -a y=u32:1 \
		--launch c:k -a z=u32:1 --print y --print z
	fails 113 "gpurun: error: 'k' may be any of b:k, c:k
gpurun: hint: say which: b:k" gpurun --load b=b.ptx --load c=c.ptx --launch k -a u32:1
}

# promise: With NAME: it is one of the file
@test "a whole name in a loaded file is no guess, a prefix is" {
	store a.ptx kernel_a 1
	store b.ptx kernel 2
	prints 'y: 2' gpurun a.ptx --load b=b.ptx --launch kernel -a y=u32:1 --print y
	run -0 --separate-stderr gpurun a.ptx --load b=b.ptx --launch b:ker -a y=u32:1 --print y
	same "$output" 'y: 2'
	same "$stderr" 'gpurun: taking kernel for b:ker'
	fails 113 "gpurun: error: no kernel is called b:ker; it could be short for kernel
gpurun: hint: with --json and -q the whole name is needed" \
		gpurun a.ptx --load b=b.ptx -q --launch b:ker -a u32:1
}

@test "a kernel that is not there: what there is, by the names that --launch takes" {
	store a.ptx one 1
	store b.ptx two 2
	fails 113 "gpurun: error: no kernel 'b:tow'; there is b:two
gpurun: hint: did you mean 'b:two'?" gpurun a.ptx --load b=b.ptx --launch b:tow
	fails 113 "gpurun: error: no kernel 'x'; there is one, b:two" \
		gpurun a.ptx --load b=b.ptx --launch x
	fails 113 "gpurun: error: no kernel 'c:two'; there is one, b:two
gpurun: hint: nothing is loaded as c; see --load" gpurun a.ptx --load b=b.ptx --launch c:two
}

# promise: A further file
@test "a C++ name with colons is no NAME:KERNEL" {
	prints 'x: 1 2 3 4' gpurun "$data/images/host.o" --load math="$cuda/vadd.fatbin" \
		--launch 'math::axpb<int>(int*, int, int, int)' -b 4 -a x=i32:4:iota -a 1 -a 1 -a 4 \
		--print x
	prints 'x: 1 2 3 4' gpurun "$cuda/vadd.fatbin" --load math="$data/images/host.o" \
		--launch 'math:math::axpb<int>' -b 4 -a x=i32:4:iota -a 1 -a 1 -a 4 --print x
}

# promise: The address of a variable
@test "each launch has the variables of its own file" {
	store a.ptx k 1
	store b.ptx k 2
	printf '%s\n' '.version 8.0' '.target sm_75' '.address_size 64' \
		'.visible .entry copy(.param .u64 to, .param .u64 from)' \
		'{ .reg .u64 %a, %b; .reg .u32 %x; ld.param.u64 %a, [to]; ld.param.u64 %b, [from];' \
		'ld.global.u32 %x, [%b]; st.global.u32 [%a], %x; ret; }' >body
	cat a.ptx <(sed 1,3d body) >a2.ptx
	cat b.ptx <(sed 1,3d body) >b2.ptx
	prints $'x: 1\ny: 2' gpurun a2.ptx --load b=b2.ptx --launch copy -a x=u32:1 -a sym:v \
		--launch b:copy -a y=u32:1 -a sym:v --print x --print y
}

@test "one file under two names is loaded twice, with variables of its own each time" {
	printf '%s\n' '.version 8.0' '.target sm_75' '.address_size 64' '.global .u32 n;' \
		'.visible .entry count(.param .u64 out) { .reg .u64 %a; .reg .u32 %x;' \
		'ld.param.u64 %a, [out]; ld.global.u32 %x, [n]; add.u32 %x, %x, 1;' \
		'st.global.u32 [n], %x; st.global.u32 [%a], %x; ret; }' >n.ptx
	prints $'x: 2\ny: 1' gpurun --load a=n.ptx --load b=- --launch a:count -a x=u32:1 \
		--launch a:count -a x --launch b:count -a y=u32:1 --print x --print y <n.ptx
}

# promise: It picks in IMAGE alone.
# promise: NAME is made of letters
@test "wrong names and files of --load" {
	store b.ptx k 2
	fails 110 "gpurun: error: --load b: not NAME=FILE" gpurun --load b --launch k
	fails 110 "gpurun: error: --load b=: not NAME=FILE" gpurun --load b= --launch k
	fails 110 "gpurun: error: --load f32=b.ptx: 'f32' has a meaning of its own and is no name" \
		gpurun --load f32=b.ptx --launch k
	fails 110 "gpurun: error: --load b=b.ptx: there is a --load b already" \
		gpurun --load b=b.ptx --load b=b.ptx --launch k
	fails 111 "gpurun: error: nosuch: cannot open: No such file or directory" \
		gpurun --load b=nosuch --launch k
	fails 110 "gpurun: error: b=-: the standard input, '-', can be read once, and the kernel file has it" \
		gpurun - --load b=- --launch k <b.ptx
	fails 110 "gpurun: error: c=-: the standard input, '-', can be read once, and --load has it" \
		gpurun --load b=- --load c=- --launch k <b.ptx
	fails 110 "gpurun: error: --image ptx: no file given
gpurun: hint: it picks an image of FILE, not of what --load names" \
		gpurun --load b=b.ptx --image ptx --launch k
	fails 110 "gpurun: error: b.ptx: nothing to do: no --launch
gpurun: hint: its kernels: b:k" gpurun --load b=b.ptx
	fails 112 "gpurun: error: $data/images/vadd.90.cubin: no image for the CPU device; it holds sm_90 SASS
gpurun: hint: the CPU device runs PTX; rebuild with -gencode arch=compute_90,code=compute_90 (a cubin: -lineinfo; clang: --cuda-include-ptx=all)" \
		gpurun b.ptx --load b="$data/images/vadd.90.cubin" --launch k -a u32:1
}

# promise: A launch from it further right
# promise: IMAGE itself has no name
@test "--unload: what comes after it cannot use it, and is found before the run" {
	store a.ptx one 1
	store b.ptx two 2
	fails 110 "gpurun: error: launch 2: b:two is launched after --unload b" \
		gpurun a.ptx --load b=b.ptx --launch one -a u32:1 --unload b --launch b:two -a u32:1
	fails 110 "gpurun: error: --unload b: it is unloaded already" \
		gpurun a.ptx --load b=b.ptx --unload b --unload b
	fails 110 "gpurun: error: --unload c: nothing is loaded under that name
gpurun: hint: there is b" gpurun a.ptx --load b=b.ptx --unload c
	fails 110 "gpurun: error: --unload a.ptx: nothing is loaded under that name
gpurun: hint: what --load NAME=FILE loads can be unloaded, FILE alone cannot" \
		gpurun a.ptx --unload a.ptx
}

# promise: Wait for what was launched
@test "--unload waits for what was launched, and the others run on" {
	printf '%s\n' '.version 6.3' '.target sm_75' '.address_size 64' \
		'.visible .entry slow(.param .u64 out) { .reg .u64 %t, %u, %a; .reg .pred %p;' \
		'mov.u64 %t, %globaltimer; add.u64 %t, %t, 300000000;' \
		'L: mov.u64 %u, %globaltimer; setp.lt.u64 %p, %u, %t; @%p bra L;' \
		'ld.param.u64 %a, [out]; st.global.u32 [%a], 7; ret; }' >slow.ptx
	store a.ptx one 1
	prints $'x: 7\ny: 1' gpurun a.ptx --load s=slow.ptx --launch s:slow -a x=u32:1 --stream s1 \
		--unload s --launch one -a y=u32:1 --print x --print y
}

# promise: Wait for what was launched
# promise: IMAGE itself has no name
@test "--unload runs device destructors there, and the end does for what is left" {
	cp "$data/images/structors.ptx" s.ptx
	printf '%s\n' '.visible .entry aim(.param .u64 to) { .reg .u64 %a; ld.param.u64 %a, [to];' \
		'st.global.u64 [sink], %a; ret; }' >>s.ptx
	# Constructors: 1, 12, 123. Destructors, to where the variable points: 4, 45.
	prints $'x: 123\ny: 0\ny: 45' gpurun --load s=s.ptx --launch tell -a x=u32:1 \
		--launch aim -a y=u32:1 --print x --print y --unload s --print y
	prints $'x: 123\ny: 0' gpurun s.ptx --launch tell -a x=u32:1 --print x \
		--launch aim -a y=u32:1 --print y
	same "$stderr" ""
	prints 'x: 123' gpurun "$data/images/structors.ptx" --launch . -a x=u32:1 --print x
}

# promise: Of a file, the parts
@test "--unload tells of profile counters that no program reads" {
	run -0 --separate-stderr gpurun --load p="$data/images/profiled.ptx" -q --unload p
	[[ $stderr == "gpurun: the module has profile counters, which are lost: "* ]]
	same "${#stderr_lines[@]}" 1
	run -0 --separate-stderr gpurun "$data/images/profiled.ptx" -q --launch work -a 1
	[[ $stderr == "gpurun: the module has profile counters, which are lost: "* ]]
	same "${#stderr_lines[@]}" 1
}

@test "a fault that --unload finds is the launch's" {
	printf '%s\n' '.version 6.3' '.target sm_75' '.address_size 64' \
		'.visible .entry bad() { trap; }' >bad.ptx
	run -117 --separate-stderr gpurun --load b=bad.ptx --launch bad --unload b
	[[ ${stderr_lines[-1]} == "gpurun: error: launch 1, bad on stream s0, grid 1x1x1, block 1x1x1: "* ]]
}

# promise: names prints names alone
@test "--list, --dry-run and --json tell which file is meant" {
	store a.ptx one 1
	store b.ptx two 2
	prints $'one\nb:two' gpurun a.ptx --load b=b.ptx --list=names
	prints "one  (u64@0)  0: sm_75 PTX 8.0
b:two  (u64@0)  0: sm_75 PTX 8.0" gpurun a.ptx --load b=b.ptx --list
	gpurun a.ptx --load b=b.ptx --list --json >list
	same "$(json list image)" '{"path": "a.ptx", "kind": "PTX"}'
	same "$(json list loaded)" '[{"name": "b", "path": "b.ptx", "kind": "PTX"}]'
	same "$(json list kernels 1 from)" b
	prints "device  cpu
image   a.ptx  PTX: sm_75 PTX 8.0
load    b  b.ptx  PTX: sm_75 PTX 8.0
seed    1
buffer  y  u32:1  zero  4 bytes
launch  b:two  grid 1x1x1  block 1x1x1  shared 0  stream s0  y=u32:1  (sm_75 PTX 8.0)
unload  b" gpurun a.ptx --load b=b.ptx --dry-run --launch two -a y=u32:1 --unload b
	gpurun a.ptx --load b=b.ptx --dry-run --json --launch two -a y=u32:1 --unload b >plan
	same "$(json plan loaded 0 name)" b
	same "$(json plan actions 0 from)" b
	same "$(json plan actions 1)" '{"do": "unload", "name": "b"}'
	gpurun a.ptx --load b=b.ptx --json --launch two -a y=u32:1 --unload b >report
	same "$(json report image path)" a.ptx
	same "$(json report loaded 0 chosen)" "sm_75 PTX 8.0"
	same "$(json report loaded 0 sha256)" "$(sha256sum b.ptx | cut -d ' ' -f 1)"
	same "$(json report actions 0 from)" b
	same "$(json report actions 1)" '{"do": "unload", "name": "b"}'
	same "$(json report exit code)" 0
}
