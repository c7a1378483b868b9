# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every report that the tests of a file have the command write is checked by the schema at the
# end: what `run` caught, and the files that a test leaves in its folder.

# A report is one line that begins so.
report_begin='{"schema":"gpurun/'

# What is larger is a list of very many kernels, each like the others, which takes a validator
# minutes.
report_most=$((1 << 20))
report_count=0

# Keeps TEXT, if it is a report. A pattern that looks for the end of the first line would take
# time with the square of what follows it. No process is started for each of some thousand reports.
keep_report() {	# TEXT
	local line folder=$BATS_FILE_TMPDIR/reports

	[[ ${1:0:${#report_begin}} == "$report_begin" ]] && ((${#1} <= report_most)) || return 0
	[[ -d $folder ]] || mkdir "$folder"
	IFS= read -r line <<<"$1"
	printf '%s\n' "$line" >"$folder/$BATS_TEST_NUMBER.$BASHPID.$((report_count++))"
}

eval "bats_$(declare -f run)"
run() {
	local code=0

	bats_run "$@" || code=$?
	keep_report "${output-}"
	return "$code"
}

teardown() {
	local file

	while IFS= read -r -d '' file; do
		keep_report "$(head -n 1 "$file")"
	done < <(find "$BATS_TEST_TMPDIR" -mindepth 1 -maxdepth 2 -type f -readable \
		-size "-$((report_most / 1024 + 1))k" -exec grep -lsZ -m 1 "^$report_begin" {} +)
	return 0
}

teardown_file() {
	[[ -d $BATS_FILE_TMPDIR/reports ]] || return 0
	"$BATS_TEST_DIRNAME/validate" "$BATS_TEST_DIRNAME/../../cmd/gpurun.schema.json" \
		"$BATS_FILE_TMPDIR/reports"
}
