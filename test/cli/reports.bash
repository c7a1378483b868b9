# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every report that the tests of a file have the command write is held against the schema at the
# end: what `run` caught, and the files that a test leaves in its folder.

# A report is one line that begins so.
report_begin='{"schema":"gpurun/'

# What is larger is a list of very many kernels, each like the others, which takes a validator
# minutes.
report_most=$((1 << 20))

# Keeps TEXT, if it is a report. A pattern that looks for the end of the first line would take
# time with the square of what follows it.
keep_report() {	# TEXT
	[[ ${1:0:${#report_begin}} == "$report_begin" ]] && ((${#1} <= report_most)) || return 0
	mkdir -p "$BATS_FILE_TMPDIR/reports"
	head -n 1 <<<"$1" >"$(mktemp "$BATS_FILE_TMPDIR/reports/$BATS_TEST_NUMBER.XXXXXX")"
}

eval "bats_$(declare -f run)"
run() {
	local code=0

	bats_run "$@" || code=$?
	keep_report "${output-}"
	return "$code"
}

teardown() {
	local file begin

	for file in "$BATS_TEST_TMPDIR"/* "$BATS_TEST_TMPDIR"/*/*; do
		[[ -f $file && -r $file ]] || continue
		# read alone would go through all the zeros that a file may begin with.
		begin=$(head -c "${#report_begin}" "$file" | tr -d '\0')
		[[ $begin == "$report_begin" ]] && keep_report "$(head -n 1 "$file")"
	done 2>/dev/null
	return 0
}

teardown_file() {
	[[ -d $BATS_FILE_TMPDIR/reports ]] || return 0
	"$BATS_TEST_DIRNAME/validate" "$BATS_TEST_DIRNAME/../../cmd/gpurun.schema.json" \
		"$BATS_FILE_TMPDIR/reports"
}
