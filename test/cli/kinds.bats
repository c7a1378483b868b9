# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What reports can be of: lib/base/report_kinds.def, the JSON Schema and the manuals have the same rows.

load helpers

# The names of the rows of MACRO, one a line, in their order.
names() {	# MACRO
	sed -n "s/^$1([A-Z_]*, *\"\([a-z-]*\)\".*/\1/p" "$root/lib/base/report_kinds.def"
}

# What KEY of a fault or finding can be, one a line; null is left out.
allowed() {	# KEY
	python3 -c 'import json, sys
for name in json.load(open(sys.argv[1]))["definitions"]["fault"]["properties"][sys.argv[2]]["enum"]:
    if name is not None: print(name)' "$root/cmd/gpurun.schema.json" "$1"
}

# The lines between the one that is BEGIN and the next one that is END.
between() {	# FILE BEGIN END
	sed -n "/^$2\$/,/^$3\$/p" "$1"
}

@test "the schema has each kind of the table, in its order, and no other" {
	# The counts of launches are an object of their own.
	same "$(allowed kind)" "$(names REPORT_KIND | grep -vx launches)"
}

@test "gpurun-json(5) has each kind of the table with its meaning, and no other" {
	between "$root/man/gpurun-json.5" 'The kinds:' '\.El' |
		awk '/^\.(Bl|El|Pp)/ || /^The kinds:/ { next }
			/^\.It Ql/ { if (line) print line; line = $3 ":"; next }
			{ sub(/^\.(Ql|Fn) /, ""); line = line " " $0 }
			END { print line }' >manual
	[ -s manual ]
	sed -n 's/^REPORT_KIND([A-Z_]*, *"\([a-z-]*\)", *[0-9]*, "\(.*\)")$/\1: \2./p' "$root/lib/base/report_kinds.def" |
		grep -v ^launches: >wanted
	# Marks of functions, a blank before a comma, and the case of the first letter are the manual's.
	for file in manual wanted; do
		tr -d '()' <$file | sed 's/ ,/,/g; s/^[^:]*: ./\L&/' >$file.plain
	done
	# A GPU's own word for a trap is more than the table says.
	sed -i 's/, which say so of a trap, too//' manual.plain
	same "$(<manual.plain)" "$(<wanted.plain)"
}

# Prints "KIND STATEMENTS" of each kind of fault that the CPU device tells: PTX that ends with it.
fault_rows() {
	cat <<-'ROWS'
		illegal-address       mov.u64 %rd2, 0; ld.global.u32 %r1, [%rd2];
		invalid-free          { .param .b64 a; st.param.b64 [a], %rd1; call free, (a); }
		assert                { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; st.param.b32 [c], 1; st.param.b64 [d], %rd1; st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); }
		barrier               bar.sync 0, %r2;
		bulk-copy             cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {%r2}], [s];
		misaligned-address    ld.global.u32 %r1, [%rd1+2];
		invalid-pc            P: .callprototype _ (); call %rd1, P;
		trap                  trap;
		stack-overflow        mov.u64 %rd2, 0x10000000; alloca.u64 %rd2, %rd2;
		stack-restore         mov.u64 %rd2, 0; stackrestore.u64 %rd2;
		deadlock              bar.sync 0, 64;
		branch-index          T: .branchtargets L; L: brx.idx %r2, T;
		mbarrier              st.shared.u64 [s], 0; mbarrier.arrive.shared.b64 _, [s];
	ROWS
}

@test "each kind of fault has a kernel that ends with it, but those of GPUs, and of a host without memory" {
	local kind text

	same "$(fault_rows | cut -d ' ' -f 1)" "$(grep -v 'GPUs only"' "$root/lib/base/report_kinds.def" |
		sed -n 's/^REPORT_KIND([A-Z_]*, *"\([a-z-]*\)", *[1-9].*/\1/p' | grep -vx out-of-memory)"
	while read -r kind text; do
		cat >k.ptx <<-PTX
			.version 8.0
			.target sm_90
			.address_size 64
			.extern .func free(.param .b64 a);
			.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,
				.param .b64 e);
			.visible .entry k(.param .u64 p)
			{
				.reg .b32 %r<3>;
				.reg .b64 %rd<3>;
				.shared .align 128 .b8 s[128];
				ld.param.u64 %rd1, [p];
				mov.u32 %r2, 7;
				$text
				ret;
			}
		PTX
		echo "$kind: $text" # printed where the test fails
		run -117 --separate-stderr gpurun k.ptx -l k -b 32 -a x=u32:32 --json=out.json
		same "$(json out.json fault kind)" "$kind"
	done < <(fault_rows)
}

@test "the schema has each check of the table, in its order, and no other" {
	same "$(allowed check)" "$(names REPORT_CHECK)"
}

# Runs saxpy, without a mistake in it.
saxpy() {	# STATUS OPTION...
	run "-$1" --separate-stderr gpurun "$cuda/saxpy.ptx" --launch saxpy -b 32 -a 2.0 -a x=f32:32:iota \
		-a y=f32:32:fill=1 -a len:x -e y=iota=1,2 "${@:2}"
}

@test "manuals, --help, messages and completions have each check, and no other" {
	local all list

	all=$(names REPORT_CHECK | tr '\n' ' ')
	# gpurun-json(5), and the items of gpurun(1) and gpurun-cpu(7).
	same "$(between "$root/man/gpurun-json.5" 'Of findings: the check that made it:' 'null in' |
		sed -n 's/^\.Ql \([a-z]*\).*/\1/p' | tr '\n' ' ')" "$all"
	same "$(between "$root/man/gpurun.1" '\.It Fl -check .*' '\.It .*' |
		sed -n '/^\.Cm all/q; s/^\.Cm \([a-z]*\)$/\1/p' | tr '\n' ' ')" "$all"
	same "$(between "$root/man/gpurun-cpu.7" '\.Sh CHECKS' '\.El' |
		sed -n 's/^\.It Cm //p' | tr '\n' ' ')" "$all"
	run -0 gpurun --help=options
	[[ $output == *"find bugs (CPU device): ${all// /, }all"* ]]
	saxpy 110 --check bugs
	[[ $stderr == *"one or more of ${all// /, }or all or none"* ]]
	for shell in bash fish zsh; do
		list=$(grep -o "${all}all" "$root/cmd/completion.$shell.in")
		same "$shell: $list" "$shell: ${all}all"
	done
}

# promise: A name with '-' before it
@test "every check is accepted alone, with others, and taken out of all" {
	for check in $(names REPORT_CHECK); do
		saxpy 0 --check "$check"
		saxpy 0 --check "all,-$check"
		saxpy 0 --check "mem,$check"
	done
	saxpy 110 --check=-api
	[[ $stderr == *"check=-api is not one or more of "* ]]
}

@test "gpurun-cpu(7) lists what check=api does not report, as the device has it" {
	sed -n '/^\.It Cm api$/,/^\.Ss\|^\.Pp What/p' "$root/man/gpurun-cpu.7" |
		awk '/^\.El/ { exit } /^\.It [0-9]/ { error = $2 } error && /^\.Ql / { print error, $2 }' |
		sort >manual
	[ -s manual ]
	same "$(<manual)" "$(sed -n 's/^HARMLESS("\([^"]*\)", *\([0-9]*\),.*/\2 \1/p' \
		"$root/cpu/base/harmless_calls.def" | sort)"
}
