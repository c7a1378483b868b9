# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What kernels print on the CPU device, where the vprintf of test/ptx/generator/calls.py does not say
# it of a GPU too: fields and strings of any length, formats that a kernel makes up, what printf returns.

load helpers

# An array of characters that ends with NUL.
text() {	# NAME STRING
	local bytes

	bytes=$(printf '%b' "$2" | od -An -v -tu1 | tr -s ' \n' ',')
	echo ".global .align 1 .b8 $1[] = {${bytes#,}0};"
}

# Runs a kernel that calls vprintf with @FORMAT and what the text read from stdin leaves in local
# memory at [l]; the result goes to out.
printed() {	# FORMAT [STRING [OPTION...]]
	{
		printf '.version 8.0\n.target sm_80\n.address_size 64\n'
		text format "$1"
		text string "${2:-}"
		echo '.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);'
		echo '.visible .entry k(.param .u64 out) {'
		echo '.reg .b32 %r<4>; .reg .b64 %rd<8>; .local .align 8 .b8 l[64];'
		echo 'mov.u64 %rd5, string; cvta.global.u64 %rd5, %rd5;'
		echo 'mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1;'
		cat
		echo 'mov.u64 %rd2, l; cvta.local.u64 %rd2, %rd2;'
		echo '{ .param .b64 a; .param .b64 b; .param .b32 v; st.param.b64 [a], %rd1;'
		echo 'st.param.b64 [b], %rd2; call (v), vprintf, (a, b); ld.param.b32 %r1, [v]; }'
		echo 'ld.param.u64 %rd3, [out]; st.global.u32 [%rd3], %r1; ret; }'
	} >"$BATS_TEST_TMPDIR/print.ptx"
	run --separate-stderr timeout -s KILL 60 gpurun "$BATS_TEST_TMPDIR/print.ptx" --launch k \
		-a out=i32:1 --print out "${@:3}"
}

# COUNT times the character.
many() {	# CHARACTER COUNT
	printf '%*s' "$2" '' | tr ' ' "$1"
}

@test "h and hh: what is left of an argument" {
	printed '%hhx %hx %hd %hhd %hhu %ho\n' <<-END
		st.local.u32 [l], 0xffffffff; st.local.u32 [l+4], 0x12345678;
		st.local.u32 [l+8], 0x1fffe; st.local.u32 [l+12], 0x1ff80;
		st.local.s32 [l+16], -1; st.local.s32 [l+20], -1;
	END
	((status == 0))
	[[ $output == $'ff 5678 -2 -128 255 177777\nout: 6' && ! $stderr ]]
}

@test "a negative width is one from the left, a negative precision is none" {
	printed '%.*f|%*d|%-*d|%*.*d|\n' <<-END
		st.local.s32 [l], -1; st.local.f64 [l+8], 0d3FF8000000000000;
		st.local.s32 [l+16], -4; st.local.s32 [l+20], 42;
		st.local.s32 [l+24], -4; st.local.s32 [l+28], 43;
		st.local.s32 [l+32], 5; st.local.s32 [l+36], 3; st.local.s32 [l+40], 7;
	END
	((status == 0))
	[[ $output == $'1.500000|42  |43  |  007|\nout: 9' && ! $stderr ]]
}

@test "printf returns how many arguments it took, and -1 without a format" {
	printed 'none\n' </dev/null
	[[ $output == $'none\nout: 0' ]]
	printed '%d %s %y %%\n' word <<<'st.local.u32 [l], 5; st.local.u64 [l+8], %rd5;'
	[[ $output == $'5 word %y %\nout: 2' ]]
	printed 'x' '' <<<'mov.u64 %rd1, 0;'
	((status == 0))
	[[ $output == 'out: -1' ]]
}

@test "strings, formats and calls of any length are printed whole" {
	local longest
	longest=$(many B 3000)

	printed '%s|%.4s|%6.2s|\n' "${longest}END" <<-END
		st.local.u64 [l], %rd5; st.local.u64 [l+8], %rd5; st.local.u64 [l+16], %rd5;
	END
	((status == 0))
	[[ $output == "${longest}END|BBBB|    BB|"$'\nout: 3' && ! $stderr ]]
	printed "$longest%d\n" <<<'st.local.u32 [l], 7;'
	[[ $output == "${longest}7"$'\nout: 1' && ! $stderr ]]
	printed '%s%s%s\n' "$longest" <<-END
		st.local.u64 [l], %rd5; st.local.u64 [l+8], %rd5; st.local.u64 [l+16], %rd5;
	END
	[[ $output == "$longest$longest$longest"$'\nout: 3' && ! $stderr ]]
	printed '%.1500f|\n' <<<'st.local.f64 [l], 0d3FF8000000000000;'
	[[ $output == "1.5$(many 0 1499)|"$'\nout: 1' && ! $stderr ]]
}

@test "a string with a precision need not end" {
	# The last four bytes of out; behind them a kernel may not read.
	printed '%.4s|%.*s|\n' <<-'END'
		ld.param.u64 %rd6, [out]; st.global.u32 [%rd6], 0x41414141;
		st.local.u64 [l], %rd6; st.local.u32 [l+8], 2; st.local.u64 [l+16], %rd6;
	END
	((status == 0))
	[[ $output == $'AAAA|AA|\nout: 3' ]]
	printed '%.5s|\n' <<-'END'
		ld.param.u64 %rd6, [out]; st.global.u32 [%rd6], 0x41414141;
		st.local.u64 [l], %rd6;
	END
	((status == 117))
	[[ $stderr == *'illegal address: read of 1 bytes at'* ]]
}

@test "a field has 4095 characters at most" {
	printed '%1000000000.1000000000f|%4095d|\n' <<-END
		st.local.f64 [l], 0d3FF8000000000000; st.local.u32 [l+8], 1;
	END
	((status == 0))
	[[ $output == "1.5$(many 0 4094)|$(many ' ' 4094)1|"$'\nout: 2' ]]
	[[ $stderr == 'gpurun: k: printf with a width or precision of 1000000000: 4095 is the most' ]]
	printed '%*d|\n' <<<'st.local.s32 [l], -2147483648; st.local.u32 [l+4], 1;'
	((status == 0))
	[[ $output == "1$(many ' ' 4094)|"$'\nout: 2' ]]
	printed '%99999999999999999999999d|\n' <<<'st.local.u32 [l], 1;'
	((status == 0))
	[[ $output == "$(many ' ' 4094)1|"$'\nout: 1' ]]
}

@test "a call prints a mebibyte at most, and says when that is not all" {
	local format stretch
	stretch=$(many A 1048576)

	format=$(many A 1048576)
	printed "$format" </dev/null
	((status == 0))
	[[ $output == "${stretch}out: 0" && ! $stderr ]]
	printed "${format}B" </dev/null
	((status == 0))
	[[ $output == "${stretch}out: -2" ]]
	[[ $stderr == 'gpurun: k: a call of printf is cut: it prints at most 1048576 characters' ]]
	printed '[%s]' "$format" <<<'st.local.u64 [l], %rd5;'
	((status == 0))
	[[ $output == "[${stretch:1}out: -2" ]]
	printed '%s%5d' "${format}B" <<<'st.local.u64 [l], %rd5;'
	((status == 0))
	[[ $output == "${stretch}out: -2" ]]
}

@test "a format, string or argument that cannot be read ends the launch" {
	printed '%s\n' '' <<<'st.local.u64 [l], 64;'
	((status == 117))
	[[ $stderr == *'illegal address: read of 1 bytes at 0x40'* ]]
	printed 'x' '' <<<'mov.u64 %rd1, 64;'
	((status == 117))
}
