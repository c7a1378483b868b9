# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A host program, its source or its project in the place of a file of kernels: one hint, with the
# command line that works. What a hint says is run.

load helpers

program() {	# FILE LINE... : an executable script
	printf '#!/bin/sh\n' >"$1"
	printf '%s\n' "${@:2}" >>"$1"
	chmod +x "$1"
}

# Runs gpurun with these words, wants STATUS and the hint; then runs the command line of the hint
# and wants what it prints.
leads_to() {	# STATUS LINE OUTPUT WORD...
	run "-$1" --separate-stderr gpurun "${@:4}"
	same "$output" ""
	same "${stderr_lines[1]}" "gpurun: hint: to run a host program: $2"
	run -0 --separate-stderr bash -c "$2"
	same "$output" "$3"
}

@test "a program by its path, with words of its own and with options of gpurun" {
	program prog 'printf "[%s]" "$@"'
	mkdir 'a b'
	cp prog 'a b/it'
	leads_to 112 "gpurun --exec ./prog" "[]" ./prog
	leads_to 112 "gpurun --exec ./prog" "[]" prog
	leads_to 112 "gpurun -d cpu --exec ./prog" "[]" -d cpu ./prog
	leads_to 112 "gpurun --check all --exec ./prog" "[]" ./prog --check all
	leads_to 112 "gpurun --exec ./prog" "[]" ./prog --launch k
	leads_to 110 "gpurun --exec ./prog --size 5" "[--size][5]" ./prog --size 5
	leads_to 110 "gpurun -q --exec ./prog -n 5 'a b' '' '*'" "[-n][5][a b][][*]" \
		-q ./prog -n 5 'a b' '' '*'
	leads_to 110 "gpurun --exec ./prog one" "[one]" ./prog one
	leads_to 112 "gpurun --exec 'a b/it'" "[]" 'a b/it'
}

@test "a program after a word that others' commands have" {
	program prog 'printf "[%s]" "$@"'
	leads_to 110 "gpurun --exec ./prog" "[]" run prog
	leads_to 110 "gpurun --exec ./prog 'a b' -t" "[a b][-t]" exec ./prog 'a b' -t
	leads_to 110 "gpurun --exec ./prog" "[]" launch ./prog
	run -110 --separate-stderr gpurun run nosuch
	[[ $stderr != *--exec* ]]
	: >run
	run -110 --separate-stderr gpurun run prog
	[[ $stderr != *"--exec ./prog"* ]]
}

@test "an ELF executable, and a program that holds GPU code" {
	fails 112 "gpurun: error: /bin/true: no GPU image in this ELF executable
gpurun: hint: to run a host program: gpurun --exec /bin/true" gpurun /bin/true --launch main
	cp "$root/test/cudart/built/algo_matmul" saxpy
	run -110 --separate-stderr gpurun ./saxpy --size 7
	same "${stderr_lines[1]}" "gpurun: hint: to run a host program: gpurun --exec ./saxpy --size 7"
	run -110 --separate-stderr gpurun ./saxpy
	[[ ${stderr_lines[1]} == "gpurun: hint: its kernels: "*"; gpurun --exec ./saxpy runs the program" ]]
}

@test "programs of PATH: ctest, pytest, make, python3" {
	mkdir bin
	for name in ctest pytest make python3; do
		program "bin/$name" "printf '$name'; printf ' %s' \"\$@\""
	done
	PATH=$PWD/bin:$PATH
	leads_to 111 "gpurun --exec ctest" "ctest " ctest
	leads_to 110 "gpurun --exec ctest --test-dir build" "ctest --test-dir build" \
		ctest --test-dir build
	leads_to 110 "gpurun --exec pytest -x test.py" "pytest -x test.py" pytest -x test.py
	leads_to 110 "gpurun --exec make check" "make check" make check
	: >x.py
	leads_to 110 "gpurun --exec python3 x.py" "python3 x.py" python3 x.py
	leads_to 112 "gpurun --exec python3 x.py" "python3 x.py" x.py
	fails 111 "gpurun: error: nosuch: cannot open: No such file or directory" gpurun nosuch
}

@test "CUDA source: with a main() it is a program, without one a file of kernels" {
	printf '__global__ void k() {}\nint main ( )\n{\n\tk<<<1, 1>>>();\n}\n' >x.cu
	fails 112 "gpurun: error: x.cu: not a GPU image: CUDA source
gpurun: hint: to run its main(): nvcc -lineinfo -arch=sm_80 x.cu -o x && gpurun --exec ./x; or its kernels alone: nvcc -fatbin x.cu -o out.fatbin" \
		gpurun x.cu
	printf '__global__ void domain() {}\n' >x.cu
	fails 112 "gpurun: error: x.cu: not a GPU image: CUDA source
gpurun: hint: nvcc -fatbin x.cu -o out.fatbin, or clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -S x.cu -o out.ptx" \
		gpurun x.cu
}

@test "a folder: of a project of CMake, and any other" {
	mkdir project other
	touch project/CMakeLists.txt
	fails 111 "gpurun: error: project: cannot read: Is a directory
gpurun: hint: a project: cmake -S project -B build -D CMAKE_CUDA_RUNTIME_LIBRARY=Shared && cmake --build build && gpurun --exec ctest --test-dir build" \
		gpurun project
	fails 111 "gpurun: error: other: cannot read: Is a directory
gpurun: hint: a file of GPU code is expected; gpurun --exec PROGRAM runs a host program, and all that it starts: make, ctest, pytest" \
		gpurun other
}

@test "a library is no program, nor is a file of kernels that may be executed" {
	cp "$cuda/reduce.so" .
	cp "$cuda/vadd.fatbin" kernels
	chmod +x reduce.so kernels
	for file in ./reduce.so ./kernels; do
		fails 110 "gpurun: error: unknown option --nosuch
gpurun: hint: gpurun --help lists the options" gpurun "$file" --nosuch
	done
}

# promise: The last option: all words
# promise: Options among them that only
@test "options that only gpurun has are given to the program, with one note and the line for gpurun" {
	program prog 'printf "[%s]" "$@"'
	run -0 --separate-stderr gpurun --exec ./prog --check all --require-launch=2 --json
	same "$output" "[--check][all][--require-launch=2][--json]"
	same "$stderr" "gpurun: --check all --require-launch=2 is given to ./prog; for gpurun: gpurun --check all --require-launch=2 --exec ./prog --json"
	run -0 --separate-stderr gpurun -t 1m --color=never --exec ./prog 'a b' --check=mem,-api -n 5
	same "$output" "[a b][--check=mem,-api][-n][5]"
	same "$stderr" "gpurun: --check=mem,-api is given to ./prog; for gpurun: gpurun -t 1m --color=never --check=mem,-api --exec ./prog 'a b' -n 5"
	run -0 --separate-stderr gpurun --exec=./prog -d cpu:threads=1 --no-device-exit 77 --expect-fault
	same "$stderr" "gpurun: -d cpu:threads=1 --no-device-exit 77 --expect-fault is given to ./prog; for gpurun: gpurun -d cpu:threads=1 --no-device-exit 77 --expect-fault --exec ./prog"
	run -0 --separate-stderr gpurun --exec ./prog --no-device-exit
	[[ $stderr == "gpurun: --no-device-exit is given to ./prog;"* ]]
	run -0 --separate-stderr gpurun -q --exec ./prog --check all
	same "$stderr" ""
	run -0 --separate-stderr gpurun --exec ./prog --check all "$(printf '%4000s' x)"
	same "$stderr" "gpurun: options of gpurun are given to ./prog; for gpurun they go before --exec"
}

# Words that other programs have too, with values of theirs.
@test "options that a program has as well are not noted" {
	local words

	program prog 'printf "[%s]" "$@"'
	while read -r words; do
		# shellcheck disable=SC2086 # several words
		run -0 --separate-stderr gpurun --exec ./prog $words
		same "$stderr" ""
	done <<-'E'
	-v
	--help
	--version
	--timeout 5
	-t 5
	-j 4
	--json
	--junit report.xml
	--verbose --quiet --color=always
	--device cpu
	--device cuda:0
	-d cpu:0
	-d a=b
	--check
	--check src/ tests/
	--check=strict
	--check alloc
	--error-exitcode=9 ./other
	--list --image x --load a --stream s
	--expect-faults
	--require-launches 2
	-- --check all
	-x -- --require-launch
	gpurun k.ptx --check all
	env A=1 /usr/bin/gpurun k.ptx --check all --no-device-exit 77
	E
	cp prog gpurun
	run -0 --separate-stderr gpurun --exec ./gpurun k.ptx --check all
	same "$stderr" ""
}
