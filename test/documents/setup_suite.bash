# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The documents are tried where gpurun is installed: in the tarball of a release, made and
# unpacked here, or, where RECIPES_RELEASE names a folder that has it, in the packages of Debian.

# The block of README.md that installs the tarball, run in a folder that has it.
unpack() {
	local install

	install=$(awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$1/README.md" | sed '/apt install/d')
	[[ $install == "tar "*"export "* ]] || { echo "README.md: how the tarball is installed?"; return 1; }
	cd "$BATS_SUITE_TMPDIR" && ln -s "$RECIPES_RELEASE"/*.tar.gz . && eval "$install"
}

setup_suite() {
	local path=$PATH root

	root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	: "${BUILD:=build/gcc}"
	export RECIPES_RELEASE RECIPES_DOCUMENTS RECIPES_PATH
	PATH=/usr/bin:/bin
	if [[ ! ${RECIPES_RELEASE:-} ]]; then
		RECIPES_RELEASE=$BATS_SUITE_TMPDIR/release
		(cd "$root" && PATH=$path scripts/release -b "$BUILD" "$RECIPES_RELEASE") >/dev/null || return
		unpack "$root" || return
	fi
	RECIPES_DOCUMENTS=$(dirname "$(dirname "$(command -v gpurun)")")/share/doc/gpurun
	RECIPES_PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
	PATH=$path
	# bats runs one file beside another, but the tests of one in their order.
	export BATS_NO_PARALLELIZE_WITHIN_FILE=true
}
