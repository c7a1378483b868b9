# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs with a static CUDA runtime in them, under --exec on the CPU device: their calls lead to
# gpurun's own. Where there is no toolkit, test/host-programs/start/archive.c stands in for NVIDIA's archive.
#
# bats file_tags=plain

load helpers
eval "helpers_$(declare -f setup)"

# ---- what is built -----------------------------------------------------------------------------

# Builds each line's program; what a tool that is missing would make is not there afterwards.
build_lines() {
	xargs -d '\n' -P 2 -n 1 sh -c >>log 2>&1 || true
}

objects() {
	cat <<-LINES
		$c -O2 -c $from/archive.c -o archive.o
		$c -O2 -c $from/archive.c -DPACKED -o packed.o
		$c -O2 -c $from/archive.c -DPACKED -DNEWER -o newer.o
		$c -O2 -c $from/archive.c -DPACKED -DTWELVE -o twelve.o
		$c -O2 -c $from/archive.c -DPACKED -DMOCK -o mock.o
		$c -g -O2 -c $from/program.c -o program.o
		$c -g -O2 -c $from/work.c -o work.o
		$c -O2 -DWORK=library_work -c $from/work.c -o library_work.o
		$c -O2 -shared $from/swap.c -o swap.so
		$c -O2 -shared $from/tls.c -o libtls.so
		$c -O2 -shared $from/elsewhere.c -Wl,-soname,libcudart.so.13 -o elsewhere/libcudart.so.13
	LINES
}

programs() {
	local all="program.o work.o archive.o"

	cat <<-LINES
		$c $all -o pie
		$c -no-pie $all -o no_pie
		$c -Wl,-z,now $all -o now
		$c -Wl,-z,noseparate-code $all -o one_segment
		$c -Wl,--gc-sections -Wl,-E $all -o collected
		$c -fuse-ld=lld $all -o lld
		$c -fuse-ld=gold -Wl,--icf=all $all -o gold
		clang $i -O2 -fPIC $from/program.c $from/work.c archive.o -o clang
		$c $all -o strip_g && strip -g strip_g
		$c $all -o strip_s && strip -s strip_s
		$c -no-pie $all -o strip_no_pie && strip -s strip_no_pie
		$c program.o work.o packed.o -o packed
		$c program.o work.o packed.o -o stripped_packed && strip -s stripped_packed
		$c -Wl,--build-id program.o work.o packed.o -o debug && objcopy --only-keep-debug debug debug.dbg && strip -s debug && objcopy --add-gnu-debuglink=debug.dbg debug
		$c -fsanitize=address $from/program.c $from/work.c archive.o -o asan
		$c -fsanitize=thread $from/program.c $from/work.c archive.o -o tsan
		$c $all -L. -Wl,--no-as-needed -ltls -Wl,-rpath,. -o tls
		$c program.o work.o newer.o -o newer
		$c program.o work.o twelve.o -o twelve
		$c program.o work.o mock.o -o mock
		$c $from/alone.c -o alone
		$c $from/shared.c -Lelsewhere -l:libcudart.so.13 -Wl,--disable-new-dtags,-rpath,$PWD/elsewhere -o shared
		$c -shared library_work.o archive.o -o library.so
		$c -shared library_work.o archive.o -Wl,--exclude-libs,ALL -s -o stripped.so
		$c -shared library_work.o archive.o -L. -Wl,--no-as-needed -ltls -o broken.so
		$c -shared library_work.o packed.o -o changing.so
		$c -shared library_work.o newer.o -o other.so
		$c -shared library_work.o archive.o -o liblibrary.so && $c $all -L. -Wl,--no-as-needed -llibrary -Wl,-rpath,. -o both
	LINES
}

by_nvcc() {
	local nvcc="nvcc -Wno-deprecated-gpu-targets $from/nvcc.cu"

	command -v nvcc >/dev/null || return 0
	cat <<-LINES
		$nvcc -o nvcc_default && cp nvcc_default nvcc_strip && strip -s nvcc_strip
		$nvcc -rdc=true -o nvcc_rdc
		$nvcc -G -g -o nvcc_debug
		$nvcc -O3 -Xcompiler -O3 -o nvcc_o3
		PATH=$PWD/toolkit/bin:\$PATH $nvcc -dlto -arch=sm_80 -o nvcc_dlto
		clang-22 -w -x cuda --cuda-path=$(toolkit) --cuda-gpu-arch=sm_80 --cuda-include-ptx=all $from/nvcc.cu -o clang_cuda -L$(toolkit)/lib64 -lcudart_static -ldl -lrt -pthread
	LINES
}

# The toolkit, with libnvvm where nvlink -dlto looks for it: some packages have it in lib alone.
whole_toolkit() {
	local from

	from=$(toolkit) || return 0
	mkdir -p toolkit/bin toolkit/nvvm/lib64
	ln -s "$from"/bin/* toolkit/bin
	ln -s "$from"/* toolkit 2>/dev/null || true
	ln -s "$from"/nvvm/* toolkit/nvvm 2>/dev/null || true
	find -L "$from/nvvm/lib64" "$from/lib" "$from/lib64" -name 'libnvvm.so*' -exec ln -s {} toolkit/nvvm/lib64 \; 2>/dev/null || true
	[[ -e toolkit/nvvm/lib64/libnvvm.so ]] || ln -s libnvvm.so.4 toolkit/nvvm/lib64/libnvvm.so
}

setup_file() {
	local root from i c

	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	from=$root/test/host-programs/start
	i=-I$root/runtime/abi/cudart
	i+=" -I$root/include/cuda -I$root/lib/base -I$root/start"
	i+=" -I$root/test/conformance/cudart -I$root/test/conformance -I$root/test"
	c="cc $i -fPIC -pthread"
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir elsewhere
	whole_toolkit
	objects | build_lines
	{ by_nvcc; programs; } | build_lines
}

setup() {
	helpers_setup
	[[ -e $build/lib/gpurun/start/libgpurun-start.so ]] || skip "not for this processor"
	cd "$BATS_FILE_TMPDIR" || return 1
}

# ---- helpers -----------------------------------------------------------------------------------

# A program is there, or the tool that makes it is not.
built() {	# PROGRAM TOOL [PACKAGE]
	command -v "$2" >/dev/null || skip "needs ${3:-$2}"
	[[ -e $1 ]] || { cat log; return 1; }
}

on_cpu() {
	timeout 60 gpurun -d cpu --exec "$@"
}

# The program is right under gpurun; without it, its runtime says that there is no driver.
right() {	# PROGRAM...
	for program in "$@"; do
		echo "# $program"
		run -0 --separate-stderr "./$program"
		same "$output" "-35 -35"
		run -0 --separate-stderr on_cpu "./$program"
		same "$output" "1 2"
		same "$stderr" ""
	done
}

# What gpurun -v says of the runtimes of a program, which prints TEXT, is the line; "": no word.
says() {	# LINE TEXT PROGRAM [WORD...]
	local line=$1 text=$2

	shift 2
	run -0 --separate-stderr timeout 60 gpurun -v -d cpu --exec "$@"
	same "$output" "$text"
	same "$(grep 'CUDA runtime' <<<"$stderr" | sed "s|$BATS_FILE_TMPDIR/||")" "${line:+gpurun: $line}"
}

leads="calls of its CUDA runtime lead to gpurun's, by"
refused="its CUDA runtime is not redirected:"
nameless="it was stripped of its names, which strip -g keeps, and gpurun does not know its version without them"

# ---- programs ----------------------------------------------------------------------------------

@test "a program with a static runtime, as the linker makes it" {
	right pie no_pie now one_segment collected strip_g packed
}

@test "by lld" {
	built lld ld.lld lld
	right lld
}

@test "by gold, which folds what is the same" {
	built gold ld.gold binutils-gold
	right gold
}

@test "by clang" {
	built clang clang
	right clang
}

@test "without symbols: by the begins of its functions, where the archive is known" {
	right strip_s strip_no_pie
	says "strip_s: $leads .eh_frame" "1 2" ./strip_s
	says "pie: $leads .symtab" "1 2" ./pie
}

@test "without symbols, of an archive that is not known: it is left as it is, and named" {
	same "$(./stripped_packed)" "-35 -35"
	same "$(on_cpu ./stripped_packed 2>&1)" "-35 -35"
	says "stripped_packed: $refused $nameless" "-35 -35" ./stripped_packed
}

@test "without symbols: by the debug file beside it" {
	right debug
	says "debug: $leads the debug file" "1 2" ./debug
	(cd elsewhere && says "debug: $leads the debug file" "1 2" ../debug)
}

@test "by PATH" {
	cp pie elsewhere/static-program
	PATH=$PWD/elsewhere:$PATH run -0 --separate-stderr on_cpu static-program
	same "$output$stderr" "1 2"
}

@test "by the loader, whose argument it is" {
	local loader

	loader=$(readelf -lW pie | sed -n 's/.*interpreter: \(.*\)]$/\1/p')
	[[ -x $loader ]] || skip "the loader is not at ${loader:-a path}"
	says "./pie: $leads .symtab" "1 2" "$loader" ./pie
	says "no_pie: $leads .symtab" "1 2" "$loader" "$PWD/no_pie"
	says "strip_s: $leads .eh_frame" "1 2" "$loader" "$PWD/strip_s"
}

@test "a program of a script, a child, threads" {
	run -0 --separate-stderr on_cpu sh -c './pie; ./no_pie'
	same "$output$stderr" $'1 2\n1 2'
	run -0 --separate-stderr on_cpu ./pie fork
	same "$output$stderr" $'1 2\n1 2'
	run -0 --separate-stderr on_cpu ./pie threads
	same "$output$stderr" 8
}

@test "with the address sanitizer" {
	right asan
}

@test "with the thread sanitizer, whose library takes much thread-local data" {
	right tsan
	run -0 --separate-stderr on_cpu ./tsan threads
	same "$output$stderr" 8
}

@test "a library with 4 kB of initial-exec thread-local data" {
	right tls
	GLIBC_TUNABLES=glibc.rtld.optional_static_tls=0 run -0 --separate-stderr on_cpu ./tls
	same "$output$stderr" "1 2"
}

@test "where no memory may become executable" {
	run --separate-stderr on_cpu ./pie mdwe ./pie
	[[ $status != 77 ]] || skip "needs Linux 6.3: no PR_SET_MDWE"
	same "$output$stderr" "1 2"
}

# ---- libraries ---------------------------------------------------------------------------------

@test "two runtimes in one process: its own and a library's" {
	run -0 --separate-stderr on_cpu ./both both
	same "$output$stderr" "1 1"
	says $'both: '"$leads .symtab"$'\ngpurun: ./liblibrary.so: '"$leads .symtab" "1 1" ./both both
}

@test "a library that a program opens, also with RTLD_DEEPBIND, also without symbols" {
	for library in library.so stripped.so; do
		for word in load deep; do
			run -0 --separate-stderr on_cpu ./pie $word ./$library
			same "$output$stderr" "1 1"
		done
	done
}

@test "a library that python3 opens" {
	run -0 --separate-stderr on_cpu python3 -c \
		'import ctypes; lib = ctypes.CDLL("./library.so"); print(lib.library_work(), lib.library_work())'
	same "$output$stderr" "1 2"
}

# Threads of the C library there cannot call what the other one is linked to.
@test "a library in a namespace of its own is left as it is, and named" {
	run -0 --separate-stderr on_cpu ./pie elsewhere ./library.so
	same "$output$stderr" "-35 1"
	says $'pie: '"$leads .symtab"$'\ngpurun: ./library.so: '"$refused dlmopen() has loaded it into a namespace of its own" \
		"-35 1" ./pie elsewhere ./library.so
}

# Its runtime was found, and is gone: nothing of it is looked at again.
@test "a library that cannot be opened, for it needs another" {
	run -0 --separate-stderr on_cpu python3 -c '
import ctypes
for file in ["./broken.so", "./library.so"] * 3:
    try:
        print(ctypes.CDLL(file).library_work())
    except OSError as error:
        print(str(error).split(":")[0])'
	same "$output" $'libtls.so\n1\nlibtls.so\n2\nlibtls.so\n3'
	same "$stderr" ""
}

@test "a library that comes and goes while threads run leaves nothing mapped" {
	for library in library.so stripped.so; do
		run -0 --separate-stderr on_cpu ./pie reload ./$library
		same "$output$stderr" "0 wrong, threads right, 0 more of some"
	done
}

@test "a file that is another one by then is not patched" {
	local first="stripped_packed: $refused $nameless"$'\ngpurun: '

	cp changing.so kept.so
	says "$first./kept.so: $leads .symtab" "1 -35" ./stripped_packed load ./kept.so
	LD_AUDIT=$PWD/swap.so says \
		"$first./changing.so: $refused its file has changed since it was loaded" \
		"-35 -35" ./stripped_packed load ./changing.so
}

@test "DT_RPATH names another libcudart.so.13: it is gpurun's nevertheless" {
	prints 99 ./shared
	run -0 --separate-stderr on_cpu ./shared
	same "$output$stderr" 0
	# So it is where a program opens one by its whole path.
	open='import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).cudaMalloc(None, None))'
	prints 98 python3 -c "$open" "$PWD/elsewhere/libcudart.so.13"
	prints 1 on_cpu python3 -c "$open" "$PWD/elsewhere/libcudart.so.13"
}

# ---- what is no runtime of 13 --------------------------------------------------------------------

@test "a function that gpurun's runtime has not is named once, and returns cudaErrorNotSupported" {
	run -0 --separate-stderr on_cpu ./newer newer
	same "$output" "801 801 1"
	same "$stderr" "gpurun: the program's CUDA runtime has cudaFooBar, gpurun's, which is that of CUDA 13.0, has not: it returns cudaErrorNotSupported"
}

@test "a runtime of CUDA 12 is left as it is" {
	says "twelve: its CUDA runtime is that of CUDA 12 or older, which is not redirected" \
		"-35 -35" ./twelve
}

@test "a program's own functions of these names are left as they are" {
	says "" "-35 -35" ./mock
	says "" 1234 ./alone
}

# ---- tools -------------------------------------------------------------------------------------

@test "gdb stops in functions of the runtime, and the program is right" {
	built pie gdb
	gdb -batch -ex run --args /bin/true >gdb.log 2>&1 </dev/null || true
	grep -q 'exited normally' gdb.log || skip "needs gdb, which may trace here"
	run -0 on_cpu gdb -batch -ex 'break cudaMalloc' -ex 'break cudaMemcpy' -ex 'run >gdb.out' \
		-ex continue -ex continue -ex continue -ex continue -ex continue -ex continue \
		-ex continue -ex continue ./pie </dev/null
	same "$(<gdb.out)" "1 2"
	same "$(grep -c '^Thread 1 .*in cudaMalloc ()\|^Breakpoint.*in cudaMalloc ()' <<<"$output")" 2
	[[ $output == *"exited normally"* ]]
}

# At the end glibc frees what it had before valgrind saw it, with any audit module: not looked at.
@test "valgrind finds nothing" {
	built pie valgrind
	run -0 --separate-stderr on_cpu valgrind -q --run-libc-freeres=no --error-exitcode=99 ./pie
	same "$output$stderr" "1 2"
}

# ---- the environment -----------------------------------------------------------------------------

@test "the user's own audit module and tunables stay" {
	ours=$build/lib/gpurun/start/libgpurun-start.so
	export LD_AUDIT=$PWD/swap.so GLIBC_TUNABLES=glibc.malloc.perturb=1
	prints "$ours:$LD_AUDIT" on_cpu printenv LD_AUDIT
	prints "$GLIBC_TUNABLES:glibc.rtld.optional_static_tls=8192" on_cpu printenv GLIBC_TUNABLES
	prints "1 2" on_cpu ./pie
	GLIBC_TUNABLES=glibc.rtld.optional_static_tls=20000 prints \
		glibc.rtld.optional_static_tls=20000 on_cpu printenv GLIBC_TUNABLES
}

@test "on a GPU, and under another gpurun, there is no module of the one before" {
	[[ -e $stub ]] || skip "the stub driver is not built"
	run -0 --separate-stderr on_cpu env GPURUN_DRIVER="$stub" gpurun -d gpu --exec env
	same "$(grep '^LD_AUDIT' <<<"$output")" ""
	run -0 --separate-stderr on_cpu gpurun -d cpu --exec printenv LD_AUDIT
	same "$output" "$build/lib/gpurun/start/libgpurun-start.so"
	LD_AUDIT=/other/lib/gpurun/start/libgpurun-start.so:$PWD/swap.so \
		run -0 on_cpu printenv LD_AUDIT
	same "${lines[-1]}" "$build/lib/gpurun/start/libgpurun-start.so:$PWD/swap.so"
	LD_AUDIT=$PWD/swap.so run -0 --separate-stderr env GPURUN_DRIVER="$stub" \
		gpurun -d gpu --exec printenv LD_AUDIT
	same "$output" "$PWD/swap.so"
}

# ---- NVIDIA's archive ------------------------------------------------------------------------------------

nvcc_right() {	# PROGRAM...
	command -v nvcc >/dev/null || skip "needs NVIDIA's toolkit"
	for program in "$@"; do
		echo "# $program"
		[[ -e $program ]] || { cat log; return 1; }
		run -0 --separate-stderr on_cpu "./$program"
		same "$output" $'from the kernel\n0 wrong, ran 1, gpurun CPU device: cudaSuccess'
		same "$stderr" ""
	done
}

@test "nvcc: its default" {
	nvcc_right nvcc_default
	run -1 --separate-stderr ./nvcc_default
	says "nvcc_default: $leads .symtab" "$(on_cpu ./nvcc_default)" ./nvcc_default
}

@test "nvcc: without symbols" {
	nvcc_right nvcc_strip
	says "nvcc_strip: $leads .eh_frame" "$(on_cpu ./nvcc_strip)" ./nvcc_strip
}

@test "nvcc: -rdc=true, -G, -O3" {
	nvcc_right nvcc_rdc nvcc_debug nvcc_o3
}

@test "nvcc: -dlto" {
	[[ ! -e nvcc_default || -e nvcc_dlto ]] || skip "nvlink -dlto fails here: $(grep -m1 'nvlink fatal' log)"
	nvcc_right nvcc_dlto
}

@test "clang, with NVIDIA's archive" {
	command -v nvcc >/dev/null || skip "needs NVIDIA's toolkit"
	built clang_cuda clang-22
	nvcc_right clang_cuda
}

@test "nvcc: CMake's default" {
	command -v nvcc >/dev/null || skip "needs NVIDIA's toolkit"
	command -v cmake >/dev/null || skip "needs cmake"
	mkdir cmake
	printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(p LANGUAGES CUDA)' \
		"add_executable(nvcc_cmake $root/test/host-programs/start/nvcc.cu)" >cmake/CMakeLists.txt
	cmake -S cmake -B cmake/b -DCMAKE_CUDA_ARCHITECTURES=80 >cmake.log 2>&1 || cat cmake.log
	make -C cmake/b >>cmake.log 2>&1 || cat cmake.log
	mv cmake/b/nvcc_cmake .
	nvcc_right nvcc_cmake
}

# A whole project, unchanged, where no GPU is: it asks for the device that is there.
@test "CMake: native, the project's own choice of a static runtime, ctest, all below --exec" {
	command -v nvcc >/dev/null || skip "needs NVIDIA's toolkit"
	command -v cmake >/dev/null || skip "needs cmake"
	mkdir native
	cat >native/CMakeLists.txt <<-CMAKE
		cmake_minimum_required(VERSION 3.24)
		set(CMAKE_CUDA_ARCHITECTURES native)
		project(p LANGUAGES CXX CUDA)
		find_package(CUDAToolkit REQUIRED)
		enable_testing()
		add_executable(own $root/test/host-programs/start/nvcc.cu)
		set_target_properties(own PROPERTIES CUDA_RUNTIME_LIBRARY None)
		target_link_libraries(own PRIVATE CUDA::cudart_static)
		add_test(NAME own COMMAND own)
	CMAKE
	on_cpu cmake -S native -B native/b >native.log 2>&1 || cat native.log
	on_cpu cmake --build native/b >>native.log 2>&1 || cat native.log
	run -0 gpurun -d cpu --require-launch --exec ctest --test-dir native/b
	[[ $output == *"100% tests passed"* ]]
}

@test "a Makefile in the manner of HeCBench: machine code alone is asked for, and brings its PTX along" {
	command -v nvcc >/dev/null || skip "needs NVIDIA's toolkit"
	mkdir bench
	cat >bench/Makefile <<-MAKEFILE
		CC = nvcc
		ARCH = compute_90,code=sm_90
		CFLAGS := -std=c++14 -Xcompiler -Wall -gencode arch=\$(ARCH) -O3
		program = main
		source = $root/test/host-programs/start/nvcc.cu
		\$(program): \$(source)
		\t\$(CC) \$(CFLAGS) \$(source) -o \$@
		run: \$(program)
		\t./\$(program)
	MAKEFILE
	sed -i 's/^\\t/\t/' bench/Makefile
	run -0 gpurun -d cpu --require-launch --exec make -s -C bench run
	[[ $output == *"from the kernel"* ]]
	# Built elsewhere, it is machine code alone: the line says so.
	make -s -B -C bench >make.log 2>&1 || cat make.log
	run -112 --separate-stderr gpurun -d cpu --exec bench/main
	[[ $stderr == *"bench/main: contains sm_90 SASS only"* ]]
}

@test "a program that is linked with -static is named: nothing reaches it" {
	echo 'int main(void) { return 0; }' >main.c
	cc -static main.c -o still
	prints "" on_cpu ./still
	same "$stderr" ""
	objcopy --add-section .nv_fatbin=main.c still sealed
	prints "" on_cpu ./sealed
	same "$stderr" "gpurun: ./sealed is linked with -static: the CPU device does not reach it; link it without"
}
