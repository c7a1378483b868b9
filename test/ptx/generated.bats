# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What generate.py makes is what its sources say now, and h100.txt holds for the cases as they
# are now: in small trees of their own, and of the kernels' cases here. No kernel is kept twice.

bats_require_minimum_version 1.5.0

# python3 may be a script that looks for the real one each time.
setup_file() {
	PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
	export PATH
}

setup() {
	here=$BATS_TEST_DIRNAME
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/test/ptx" "$tree/build/ptx" "$tree/docs"
	cd "$tree" || return 1
}

# ---- build/ptx --------------------------------------------------------------------

module() {	# MODULE FILE TEXT: a module of the generator that makes one file
	cat >"test/ptx/generator/$1.py" <<-PY
	class File:
	    name = "$2"
	    def text(self):
	        return "$3\n"
	def files():
	    return [File()]
	PY
}

generator() {
	cp "$here/../../"{Makefile,rooms.mk,VERSION} .
	cp "$here/../tests.mk" test
	mkdir -p cpu test/ptx/{generator,forms}
	cp "$here/../../cpu/cpu.mk" cpu
	cp "$here"/generator/{generate,__init__}.py test/ptx/generator
	touch test/ptx/forms/{table.txt,products.py}
	rmdir build/ptx
	module a first one
	module b second two
}

remake() {	# [STATUS]
	run "-${1:-0}" env -u MAKEFLAGS -u MAKELEVEL -u BUILD -u V make CCACHE= ptx-cases
}

made() {	# NAME TEXT...: these are the files, with these texts
	[[ $(grep . build/ptx/*.ptx) == "$(printf 'build/ptx/%s.ptx:%s\n' "$@")" ]]
}

@test "an edited generator makes its file anew, and one that it no longer makes is gone" {
	generator
	remake
	made first one second two
	remake
	[[ $output != *PTX* ]]
	module a first three
	remake
	made first three second two
	module a third three
	remake
	made second two third three
	rm test/ptx/generator/b.py
	remake
	[[ $(cd build/ptx && echo *) == "made third.ptx" ]]
}

@test "a generator that fails leaves the files as they were, and fails again" {
	generator
	remake
	module b first two
	remake 2
	[[ $output == *"two modules make first.ptx"* ]]
	made first one second two
	remake 2
	echo "raise ValueError('broken')" >test/ptx/generator/b.py
	remake 2
	[[ $output == *"ValueError: broken"* ]]
	made first one second two
	module b second four
	remake
	made first one second four
	[[ $(ls -A build) == $'ptx\nptx.from\nptx.lock' ]]
}

@test "one file by its name" {
	generator
	run -0 test/ptx/generator/generate.py -o some second
	[[ $(ls some) == second.ptx ]]
	run -1 test/ptx/generator/generate.py -o some third
	[[ $output == "generate.py: no module makes third" ]]
	[[ $(ls some) == second.ptx ]]
}

# ---- kernels/*.cases ----------------------------------------------------------------

stale() {	# FOLDER: cases that are not those in made/, and kernels that have others in them
	python3 - made "$1" <<-'PY'
	import pathlib, sys
	made, there = (pathlib.Path(folder) for folder in sys.argv[1:])
	texts = {path.stem: path.read_text() for path in made.glob("*.cases")}
	for name in sorted(texts.keys() | {path.stem for path in there.glob("*.cases")}):
	    path = there / (name + ".cases")
	    if not path.exists() or path.read_text() != texts.get(name):
	        print(path.name)
	for path in sorted(there.glob("*.ptx")):
	    # Behind the licence and the command that made it.
	    if not path.read_text().split("\n", 2)[2].startswith(texts.get(path.name.split(".")[0], "?")):
	        print(path.name)
	PY
}

@test "the cases of the kernels are those that the generator makes" {
	run -0 "$here/generator/generate.py" -k -o made
	run -0 stale "$here/kernels"
	[[ -z $output ]] || { echo "generate.py -k, and kernels/compile: $output"; return 1; }
	cp -r "$here/kernels" .
	sed -i 's/block=64/block=32/' kernels/saxpy.cases
	sed -i 's/^.*@ launch/& /' kernels/aes.nvcc75.ptx
	rm kernels/scan.cases
	touch kernels/of_nothing.cases
	run -0 stale kernels
	[[ $output == "of_nothing.cases
saxpy.cases
scan.cases
aes.nvcc75.ptx" ]]
}

# ---- kernels/*.ptx: a text is kept once -----------------------------------------------

kernel() {	# NAME TARGET [COMMENT]
	mkdir -p test/ptx/kernels
	printf '%s\n' "// Made by: nvcc" "//@ launch k" "${@:3}" ".version 9.0" ".target $2" \
		>"test/ptx/kernels/$1.ptx"
}

@test "a kernel that names another target is the test of it, too" {
	generator
	cp "$here"/generator/twins.py test/ptx/generator
	kernel k.nvcc75 sm_75 "// Also: nvcc90 sm_90"
	kernel k.clang sm_80
	remake
	[[ $(ls build/ptx/kernels) == k.nvcc90.ptx ]]
	[[ $(<build/ptx/kernels/k.nvcc90.ptx) == "// Made of: k.nvcc75.ptx
//@ launch k
.version 9.0
.target sm_90" ]]
	kernel k.nvcc75 sm_75 "// Also: nvcc80 sm_80"
	remake
	[[ $(ls build/ptx/kernels) == k.nvcc80.ptx ]]
}

refused() {	# COMMENT MESSAGE [TARGET]
	kernel k.nvcc75 "${3-sm_75}" "$1"
	remake 2
	[[ $output == *"generate.py: test/ptx/kernels/k.nvcc75.ptx:3: $2"* ]]
}

@test "another target that cannot be is an error with file and line" {
	generator
	cp "$here"/generator/twins.py test/ptx/generator
	kernel k.clang sm_80
	refused "// Also: nvcc90" "expected // Also: COMPILER sm_N"
	refused "// Also: nvcc90 compute_90" "expected // Also: COMPILER sm_N"
	refused "// Also: nvcc90 sm_90 fast" "expected // Also: COMPILER sm_N"
	refused "// also nvcc90 sm_90" "expected // Also: COMPILER sm_N"
	refused "// Also: clang sm_80" "k.clang.ptx is a file of its own"
	refused "// Also: nvcc90 sm_90" "the text has 0 lines .target sm_N, not one" ""
}

twice() {	# FOLDER: kernels that are the same but for their target
	python3 - "$1" <<-'PY'
	import pathlib, re, sys
	texts = {}
	for path in sorted(pathlib.Path(sys.argv[1]).glob("*.ptx")):
	    text = re.sub(r"^(\.target|\.version|// Made by:|// Also:) .*\n", "", path.read_text(), flags=re.M)
	    first = texts.setdefault(text, path.name)
	    if first != path.name:
	        print(first, path.name)
	PY
}

@test "no kernel is kept twice" {
	run -0 twice "$here/kernels"
	[[ -z $output ]] || { echo "kernels/compile keeps these once: $output"; return 1; }
	mkdir kernels
	cp "$here"/kernels/{aes,fft}.*.ptx kernels
	sed 's/^\.target .*/.target sm_90/; s/compute_75/compute_90/; /^\/\/ Also/d' kernels/aes.nvcc75.ptx \
		>kernels/aes.nvcc90.ptx
	run -0 twice kernels
	[[ $output == "aes.nvcc75.ptx aes.nvcc90.ptx" ]]
}

# ---- forms/h100.txt -----------------------------------------------------------------

case_of() {	# FILE KERNEL OPCODE BLOCK
	cat >>"$1" <<-PTX
	//@ launch $2 block=$4
	.visible .entry $2() { $3 %r0, %r1; ret; }
	PTX
}

# Two files of cases, one of them made, and a run of all of them but for what NOT says.
evidence() {	# [NOT]
	mkdir -p kit/kit test/ptx/{cases,forms,runner}
	cp "$here"/forms/*.py test/ptx/forms
	touch test/ptx/runner/xfail.gpu none
	printf '+ %s %%r0, %%r1\n' neg.s32 abs.s32 not.b32 >test/ptx/forms/table.txt
	case_of test/ptx/cases/written.ptx neg neg.s32 1
	case_of build/ptx/made.ptx abs abs.s32 1
	case_of build/ptx/made.ptx not not.b32 1
	echo 0123456789abcdef >kit/kit/commit
	h100 digests >kit/kit/digests
	report 0123456789abcdef
	h100 note kit run.md
}

report() {	# COMMIT
	printf '%s\n' "- commit: $1" "- GPU: NVIDIA H100" "- date: today" "ok - written.ptx:1 neg" \
		"ok - made.ptx:1 abs" "not ok - made.ptx:3 not" >run.md
}

h100() {
	run "-${status_wanted:-0}" test/ptx/forms/h100.py "$@"
	echo "$output"
}

# forms-report counts these as tested, and as tested on an H100.
counted() {	# BASE TESTED H100...
	test/ptx/forms/report.py none none
	[[ $(awk '/^\| (abs|neg|not) / { print $2, $12, $14 }' docs/ptx-forms.md) == \
		"$(printf '%s %s %s\n' "$@")" ]]
}

@test "what a run says is noted for each case, by the digests of what ran" {
	evidence
	[[ $output == "h100.py: run.md: 3 kernels, 0 forms" ]]
	[[ $(grep -v '^#' test/ptx/forms/h100.txt | sed 's/ [^ ]*$//') == "run NVIDIA H100, today, commit
made.ptx abs
written.ptx neg
differs made.ptx not" ]]
	[[ $(grep -v '^[#r]' test/ptx/forms/h100.txt | sed 's/^differs //' | sort) == "$(<kit/kit/digests)" ]]
	h100 check
	[[ $output == "" ]]
	counted abs 1 1 neg 1 1 not 1 0
}

@test "an edited case loses its evidence: check names it, prune drops it, the report does not count it" {
	evidence
	sed -i 's/launch abs block=1/launch abs block=2/' build/ptx/made.ptx
	sed -i 's/ neg\b/ minus/' test/ptx/cases/written.ptx
	status_wanted=1 h100 check
	[[ $output == "h100.txt: made.ptx abs has been changed since it ran: make h100-prune
h100.txt: written.ptx neg is gone: make h100-prune" ]]
	counted abs 1 0 neg 1 0 not 1 0
	h100 prune
	[[ $output == "h100.py: 2 cases lost their evidence, 0 have it" ]]
	h100 check
	[[ $(grep -c . test/ptx/forms/h100.txt) == 5 ]]
	counted abs 1 0 neg 1 0 not 1 0
}

@test "a case that has been changed since a run has no evidence from it" {
	evidence
	sed -i 's/launch abs block=1/launch abs block=2/' build/ptx/made.ptx
	rm test/ptx/forms/h100.txt
	h100 note kit run.md
	[[ $output == *"1 of them have been changed since, and are not noted" ]]
	run ! grep 'made.ptx abs' test/ptx/forms/h100.txt
	grep 'written.ptx neg' test/ptx/forms/h100.txt
}

@test "a run of another commit than the kit's is refused, and nothing is noted" {
	evidence
	cp test/ptx/forms/h100.txt before
	report 0123456789abcdef-dirty
	status_wanted=1 h100 note kit run.md
	[[ $output == *"run.md is a run of commit 0123456789abcdef-dirty, and kit of commit 0123456789abcdef:"* ]]
	cmp before test/ptx/forms/h100.txt
	echo unknown >kit/kit/commit
	report unknown
	status_wanted=1 h100 note kit run.md
	status_wanted=1 h100 note nothing run.md
	[[ $output == *"nothing is no kit: "* ]]
	cmp before test/ptx/forms/h100.txt
	echo 0123456789abcdef-dirty >kit/kit/commit
	report 0123456789abcdef-dirty
	h100 note kit run.md
	grep '^run .*, commit 0123456789ab-dirty$' test/ptx/forms/h100.txt
}

@test "without the made cases nothing is taken for gone" {
	evidence
	cp test/ptx/forms/h100.txt before
	rm -r build/ptx
	status_wanted=1 h100 prune
	[[ $output == "build/ptx is not there: make ptx-cases" ]]
	cmp before test/ptx/forms/h100.txt
}

# ---- bases.def ---------------------------------------------------------------------

@test "every base that is executed occurs in a case with results" {
	cd "$here/../.." || return 1
	awk -F'[,( ]+' '/^BASE/ && $4 != "unsupported" { gsub(/"/, "", $3); print $3 }' \
		cpu/ptx/bases.def | sort >"$BATS_TEST_TMPDIR/bases"
	[[ $(wc -l <"$BATS_TEST_TMPDIR/bases") -gt 100 ]]
	find test/ptx/cases test/ptx/kernels build/ptx -name '*.ptx' \
		-exec grep -lE '^//@ (out|inout|expect|read|print|fault)' {} + | xargs cat |
		grep -oE '^[[:space:]]*(@!?[^[:space:]]+[[:space:]]+)?[a-z0-9]+' |
		awk '{ print $NF }' | sort -u >"$BATS_TEST_TMPDIR/used"
	run -0 comm -23 "$BATS_TEST_TMPDIR/bases" "$BATS_TEST_TMPDIR/used"
	[[ ! $output ]]
}
