#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# build.sh [-n] [NAME]...: builds every fuzz target of test/fuzz, or those, into $OUT, with its
# corpus, its words and its limits, as ClusterFuzzLite asks for. SRC is the folder that has the
# tree as gpurun/, CC, CFLAGS, LIB_FUZZING_ENGINE and SANITIZER are ClusterFuzzLite's; the objects
# are in WORK. -n prints the names of the targets alone.
set -euo pipefail

dry=
[[ ${1-} != -n ]] || { dry=1; shift; }
cd "${SRC:?}/gpurun"
: "${CC:=clang}" "${CFLAGS=}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}" "${SANITIZER:=address}"
work=${WORK:-build}/clusterfuzzlite
[[ $SANITIZER == address || $SANITIZER == undefined ]] || SANITIZER=
# Its coverage for the fuzzer comes with CFLAGS there; elsewhere it is added.
[[ $CFLAGS == *fuzzer-no-link* ]] || CFLAGS+=" -fsanitize=fuzzer-no-link"
# The machine that runs the targets has none of the libraries: they lie beside them.
export CFLAGS LDFLAGS="$CFLAGS -Wl,-rpath,'\$\$ORIGIN/lib'"
make=(make --no-print-directory CC="$CC" BUILD="$work" SAN="$SANITIZER" FUZZER="$LIB_FUZZING_ENGINE")

mapfile -t sources < <("${make[@]}" -s print-fuzz)
if (($#)); then
	wanted=()
	for name in "$@"; do
		for source in "${sources[@]}"; do
			[[ $(basename "$source" .c) != "$name" ]] || wanted+=("$source")
		done
	done
	sources=("${wanted[@]:?there is no such target}")
fi
if [[ $dry ]]; then
	printf '%s\n' "${sources[@]}"
	exit
fi

targets=("${sources[@]/%.c/}")
"${make[@]}" -j"$(nproc)" "${targets[@]/#/$work/}"
mkdir -p "${OUT:?}/lib"
for target in "${targets[@]}"; do
	name=${target##*/}
	cp "$work/$target" "$OUT/$name"
	ldd "$work/$target" | sed -n 's/.*=> \(.*lib\(elf\|lz4\|zstd\|z\)\.so[^ ]*\).*/\1/p' |
		xargs -r cp -uLt "$OUT/lib"
	rm -f "$OUT/${name}_seed_corpus.zip"
	python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" test/fuzz/corpus/"$name"/*
	[[ ! -e test/fuzz/$name.dict ]] || cp "test/fuzz/$name.dict" "$OUT/"
	# As scripts/fuzz: the sanitizer takes more memory of the driver's targets.
	printf '[libfuzzer]\nmax_len = 262144\ntimeout = 10\nrss_limit_mb = %d\n' \
		"$([[ $target == test/fuzz/$name ]] && echo 1024 || echo 4096)" >"$OUT/$name.options"
done
