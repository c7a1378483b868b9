# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Groups of run: libraries and programs for GPUs that npm and Debian ship, with programs of this
# tree that use them. They are run by gpurun -d cpu --exec, as it is documented.
# shellcheck shell=bash disable=SC2154 # the variables are run's

on_cpu() {	# PROGRAM ARGUMENT...: with the libraries in $place and those of NVIDIA's toolkit
	LD_LIBRARY_PATH=$place:$toolkit/lib64 timeout 300 "$BUILD/bin/gpurun" -d cpu --exec "$@"
}

# A verdict for each line of TAP in FILE; a name gets PREFIX. The remarks before it are its log.
verdicts() {	# GROUP PREFIX FILE
	local line name passed

	: >"$place/remarks"
	while read -r line; do
		case $line in
		"ok - "*) name=${line#ok - } passed=1 ;;
		"not ok - "*) name=${line#not ok - } passed= ;;
		*)
			echo "$line" >>"$place/remarks"
			continue
			;;
		esac
		verdict "$1" "$2$name" "$place/remarks" "$passed"
		: >"$place/remarks"
	done <"$3"
}

# ---- llama.cpp ---------------------------------------------------------------

# The libraries of a version, which are fetched once. Prints the folder.
llama_libraries() {	# VERSION
	local kept=$BUILD/programs/llama-$1

	if [[ ! -e $kept ]]; then
		mkdir -p "$place/llama" "$BUILD/programs"
		(cd "$place/llama" && npm pack --silent "@node-llama-cpp/linux-x64-cuda@$1" >/dev/null &&
			tar -xzf ./*.tgz) >"$place/log" 2>&1 || return
		rm -f "$place/llama"/*.tgz
		mv "$place/llama" "$kept"
	fi
	realpath "$kept/package/bins/linux-x64-cuda"
}

llama_version() {	# VERSION
	local libraries cuda log=$place/llama.log

	if ! libraries=$(llama_libraries "$1"); then
		skip "llama: $1" "needs npm's registry: @node-llama-cpp/linux-x64-cuda@$1 is not to be had"
		return
	fi
	cuda=$libraries/libggml-cuda.so
	gcc -O2 -Wall -Werror test/third-party/ggml/ops*.c -o "$place/ops" -L"$libraries" -lggml-base \
		-Wl,-rpath,"$libraries" -Wl,--allow-shlib-undefined -lm || { status=1; return; }
	# It captures what it computes as a graph of CUDA, else
	GGML_CUDA_DISABLE_GRAPHS=1 GGML_NO_BACKTRACE=1 \
		on_cpu "$place/ops" "${only#"$1-"}" "$libraries/libggml-cpu-x64.so" "$cuda" >"$log" 2>&1
	verdicts llama "$1-" "$log"
	chosen "$1-graphs" || return
	GGML_NO_BACKTRACE=1 on_cpu "$place/ops" block "$libraries/libggml-cpu-x64.so" "$cuda" >"$log" 2>&1
	verdict llama "$1-graphs" "$log" "$(grep '^ok - block' "$log")"
}

llama_group() {
	local version

	command -v npm >/dev/null || { skip "llama: operations of ggml" "needs npm"; return; }
	if [[ ! -e $toolkit/lib64/libcublas.so.13 ]]; then
		skip "llama: operations of ggml" "needs NVIDIA's toolkit: there is no libcublas.so.13"
		return
	fi
	for version in 3.22.1 3.14.5; do
		[[ $only != '*' && $only != "$version"* ]] || llama_version "$version"
	done
}

# ---- VkFFT -------------------------------------------------------------------

vkfft_group() {
	local log=$place/vkfft.log

	[[ -e /usr/include/vkFFT.h ]] || { skip "vkfft: transforms" "needs libvkfft-dev"; return; }
	if [[ ! -e $toolkit/include/nvrtc.h ]] || ! compgen -G "$toolkit/lib64/libnvrtc.so*" >/dev/null; then
		skip "vkfft: transforms" "needs NVIDIA's toolkit: there is no NVRTC"
		return
	fi
	gcc -O1 -w test/third-party/clients/vkfft.c -o "$place/vkfft" -I"$toolkit/include" \
		-L"$toolkit/lib64" -L"$library" -lcudart -lnvrtc -lcuda -lm || { status=1; return; }
	on_cpu "$place/vkfft" "$only" >"$log" 2>&1
	verdicts vkfft '' "$log"
}

# ---- Halide ------------------------------------------------------------------

halide_group() {
	local log=$place/halide.log

	if [[ ! -e /usr/include/halide14/Halide.h ]]; then
		skip "halide: pipelines" "needs libhalide14-0-dev"
		return
	fi
	g++ -I/usr/include/halide14 test/third-party/clients/halide.cpp -o "$place/halide" -lHalide14 ||
		{ status=1; return; }
	on_cpu "$place/halide" "$only" >"$log" 2>&1
	verdicts halide '' "$log"
}

# ---- GStreamer ---------------------------------------------------------------

gstreamer_frames() {	# FORMAT FILE ELEMENT...: frames, to FILE
	local format=$1 file=$2

	shift 2
	gst-launch-1.0 -q videotestsrc num-buffers=3 pattern=ball ! \
		"video/x-raw,format=$format,width=160,height=120" ! "$@" filesink location="$file"
}

gstreamer_group() {
	local format passed
	local there=(cudaupload ! 'video/x-raw(memory:CUDAMemory)' ! cudadownload ! video/x-raw !)

	if ! command -v gst-launch-1.0 >/dev/null; then
		skip "gstreamer: frames on the device" "needs gstreamer1.0-tools"
		return
	fi
	if ! compgen -G '/usr/lib/*/gstreamer-1.0/libgstnvcodec.so' >/dev/null; then
		skip "gstreamer: frames on the device" "needs gstreamer1.0-plugins-bad"
		return
	fi
	gcc -shared -fPIC test/third-party/clients/nvcuvid.c -o "$place/libnvcuvid.so.1" || { status=1; return; }
	export -f gstreamer_frames
	for format in I420 YV12 NV12 NV21 RGBA BGRx ARGB RGB Y444 P010_10LE Y444_16LE RGB10A2_LE; do
		chosen "$format" || continue
		passed=
		gstreamer_frames "$format" "$place/want" >"$place/log" 2>&1
		# What elements there are is kept in a file, which is another without the device
		GST_REGISTRY=$place/registry on_cpu bash -c 'gstreamer_frames "$@"' - "$format" "$place/got" \
			"${there[@]}" >>"$place/log" 2>&1 && cmp "$place/want" "$place/got" >>"$place/log" 2>&1 &&
			passed=1
		verdict gstreamer "$format" "$place/log" "$passed"
	done
}

# ---- pygpu -------------------------------------------------------------------

# pygpu's own tests; NAME is a file of them.
pygpu_group() {
	local tests name

	tests=$("$python" -c 'import pygpu.tests as t; print(t.__path__[0])' 2>/dev/null) ||
		{ skip "pygpu: its own tests" "needs python3-pygpu"; return; }
	"$python" -c 'import pytest' 2>/dev/null ||
		{ skip "pygpu: its own tests" "needs python3-pytest"; return; }
	if ! compgen -G "$toolkit/lib64/libnvrtc.so*" >/dev/null; then
		skip "pygpu: its own tests" "needs NVIDIA's toolkit: there is no NVRTC"
		return
	fi
	for name in basic blas collectives elemwise gpu_ndarray operations reduction tools; do
		chosen "$name" || continue
		DEVICE=cuda PYTHONDONTWRITEBYTECODE=1 on_cpu "$python" -m pytest -v -p no:cacheprovider \
			--tb=line "$tests/test_$name.py" >"$place/pygpu.log" 2>&1
		sed -n "s/.*::\([A-Za-z0-9_]*\) PASSED.*/ok - \1/p; s/.*::\([A-Za-z0-9_]*\) FAILED.*/not ok - \1/p" \
			"$place/pygpu.log" >"$place/pygpu.tap"
		[[ -s $place/pygpu.tap ]] || echo "not ok - runs" >"$place/pygpu.tap"
		verdicts pygpu "$name-" "$place/pygpu.tap"
	done
}

# ---- LLVM's OpenMP -----------------------------------------------------------

# Debian has no device runtime of LLVM 22: that of 19 is taken, with its compiler, and the program
# is linked with the libomptarget of 22.
libomptarget_group() {
	local bin=/usr/lib/llvm-19/bin runtime=/usr/lib/llvm-19/lib/libomptarget-nvptx-sm_90.bc
	local host=/usr/lib/llvm-22/lib file name log passed

	for file in "$bin/clang:clang-19" "$bin/clang-offload-packager:clang-tools-19" \
		"$runtime:libomp-19-dev" "$host/libomptarget.so:liboffload-22-dev"; do
		[[ -e ${file%:*} ]] || { skip "libomptarget: programs of OpenMP" "needs ${file#*:}"; return; }
	done
	if [[ ! -x $toolkit/bin/nvlink ]]; then
		skip "libomptarget: programs of OpenMP" "needs NVIDIA's toolkit: there is no nvlink"
		return
	fi
	for file in test/third-party/gcc/openmp_*.c; do
		name=$(basename "$file" .c) log=$place/log passed=
		chosen "$name" || continue
		# The line info brings the PTX along
		PATH=$bin:$PATH clang -w -O2 -fopenmp --offload-arch=sm_90 -gline-tables-only \
			--libomptarget-nvptx-bc-path="$runtime" --cuda-path="$toolkit" -L"$host" \
			"$file" -o "$place/$name" -lm >"$log" 2>&1 &&
			OMP_TARGET_OFFLOAD=mandatory on_cpu "$place/$name" >>"$log" 2>&1 && passed=1
		verdict libomptarget "$name" "$log" "$passed"
	done
}
