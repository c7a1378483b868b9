# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What people who are new to the command write, and the hint that they get.

load helpers

hints() {	# HINT ARGUMENT... : a usage error with that hint
	run -110 --separate-stderr gpurun "${@:2}"
	same "${stderr_lines[1]}" "gpurun: hint: $1"
}

vadd() {	# HINT ARGUMENT...
	hints "$1" "$cuda/vadd.fatbin" --launch vadd -b 4 "${@:2}"
}

# met: an option, a type, a value or a device as other tools have them got a list, or a hint that led astray
@test "an option that others call otherwise" {
	hints "did you mean --launch?" k.ptx --kernel k
	hints "did you mean --arg?" k.ptx --args 4
	hints "did you mean --exec?" --run ls
	hints "did you mean --check?" k.ptx --memcheck
	hints "did you mean --verbose?" k.ptx --time
	hints "did you mean --out?" k.ptx --output=y
	hints "long options have two dashes: --launch" k.ptx -launch k
	hints "it begins with a dash that is no '-'" k.ptx –-launch k
}

# met: a value behind an option that takes none there was "a second file"
@test "a word that belongs to the option before it" {
	hints "a value of --json is written after =: --json=out.json" k.ptx --json out.json
	hints "a value of --list is written after =: --list=vars" k.ptx --list vars
	hints "--grid is one word: 2,3" k.ptx -g 2 3
	hints "--block is one word: 16,16" k.ptx --block 16 16
	fails 110 "gpurun: error: --check needs a value: WHAT[,WHAT][,exitcode=N], got --launch" \
		gpurun k.ptx --check --launch k
	hints "a kernel is named by --launch, its arguments are given with --arg" k.ptx k
	printf '%s\n' '--json out.json' >words
	hints "a value of --json is written after =: --json=out.json" k.ptx --json @words
}

# met: an option, a type, a value or a device as other tools have them got a list, or a hint that led astray
@test "a type that others call otherwise" {
	local row

	for row in int:i32 int32_t:i32 unsigned:u32 uint8:u8 char:i8 long:i64 half:f16 bfloat16:bf16 \
		float:f32 float32:f32 double:f64 size_t:u64; do
		vadd "did you mean ${row#*:}?" -a "x=${row%:*}:4"
		vadd "did you mean ${row#*:}?" -a "${row%:*}:4"
	done
	vadd "a buffer is TYPE:SHAPE: f32:1024 has 1024 elements" -a 'float*'
	vadd "a buffer is TYPE:SHAPE: i32:1024 has 1024 elements" -a 'x=i32[64]'
	vadd "a number has no name: 8 alone, or with its type: i32=8" -a n=8
	vadd "a number has no name: 2.0 alone, or with its type: f32=2.0" -a a=2.0
	vadd "a number has no name: 0x1E alone, or with its type: i32=0x1E" -a a=0x1E
	vadd "did you mean i64=1024?" -a index=1024
	vadd "did you mean f32=2.5?" -a float=2.5
	vadd "a file has an @ before its name: @x.npy" -a x=x.npy
	run -110 --separate-stderr gpurun "$cuda/vadd.fatbin" --launch vadd -a quad:4
	[[ ${stderr_lines[1]} == "gpurun: hint: a buffer is TYPE:SHAPE[:INIT], a number TYPE=VALUE; types are i8 u8 i16 "*" bool"* ]]
}

# met: an option, a type, a value or a device as other tools have them got a list, or a hint that led astray
@test "values that others write otherwise" {
	vadd "a number is f32=2.0, a buffer of them f32:SHAPE:fill=2.0" -a f32:2.0
	vadd "values are a list: f32:list=1,2,3" -a x=f32:1,2,3
	vadd "a buffer of values: f32:list=1,2,3,4" -a 1,2,3,4
	vadd "did you mean fill=1.0?" -a x=f32:4:1.0
	vadd "did you mean list=1,2,3,4?" -a x=f32:4:1,2,3,4
	vadd "did you mean fill=1?" -a x=f32:4:ones
	vadd "did you mean rand?" -a x=f32:4:random
	vadd "did you mean iota?" -a x=f32:4:arange
	vadd "did you mean zero?" -a x=f32:4:zeros
	vadd "a file has an @ before its name: @x.raw" -a x=f32:4:x.raw
	vadd "there are zero uninit poison fill=V iota[=START[,STEP[,MOD]]] rand[=LO,HI] \
randn[=MEAN,SD] list=V,V,... text=S @FILE" -a x=f32:4:nosuch
}

# met: what --expect, --out and --print were given in the place of a buffer was no name
@test "what is compared, and what is written" {
	local launch=(-a y=f32:4 -a null -a null -a 1)

	vadd "did you mean fill=2?" "${launch[@]}" -e y=2
	vadd "did you mean list=1,2?" "${launch[@]}" -e y=1,2
	vadd "a file has an @ before its name: @want.npy" "${launch[@]}" -e y=want.npy
	vadd "say of which buffer: y=got.npy" "${launch[@]}" -o got.npy
	fails 110 "gpurun: error: --print count: there is no buffer count
gpurun: hint: count is a variable of the file: sym:count" gpurun "$cuda/places.fatbin" --print count
}

@test "a name in the wrong case, or nearly right" {
	local launch=(-a Out=f32:4 -a null -a null -a 1)

	fails 113 "gpurun: error: no kernel 'VADD'; there is vadd
gpurun: hint: did you mean 'vadd'?" gpurun "$cuda/vadd.fatbin" --launch VADD
	run -113 --separate-stderr gpurun "$cuda/reduce.so" --launch 'Reduce<FLOAT>'
	same "${stderr_lines[1]}" "gpurun: hint: did you mean 'reduce<float>'?"
	vadd "did you mean Out? there are: Out" "${launch[@]}" --print out
	vadd "did you mean Out? there are: Out" "${launch[@]}" -e oUt=zero
	vadd "did you mean Out? there are: Out" "${launch[@]}" -o Oout=y.npy
	vadd "did you mean X? there are: y X" -a y=f32:4 -a X=f32:4 -a x -a 1
	vadd "there are: y X" -a y=f32:4 -a X=f32:4 -a z -a 1
}

# promise: One that no launch has written yet
@test "--print before the launch that writes the buffer" {
	local launch=(-l vadd -b 2 -a f32:2 -a f32:2:fill=2 -a y=f32:2 -a 2) note rest

	note="gpurun: y is printed before any launch writes it; --print y after the --launch shows the result"
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" --print y "${launch[@]}"
	same "$output" "y: 0 0"
	same "$stderr" "$note"
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" --print y "${launch[@]}" -q
	same "$output$stderr" "y: 0 0"
	# It is looked at later, or was written before, or no launch takes it.
	for rest in "--print y" "-e y=fill=2" "-o y=/dev/null"; do
		# shellcheck disable=SC2086 # two words
		run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" --print y "${launch[@]}" $rest
		same "$stderr" ""
	done
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" --fill y=fill=1 --print y "${launch[@]}"
	same "$stderr" ""
	run -0 --separate-stderr gpurun "$cuda/vadd.fatbin" --buf z=f32:1 --print z "${launch[@]}"
	same "$stderr" ""
}

# met: a name of several kernels, a source, and a command in the place of a file had no hint
@test "a kernel of which there are several" {
	fails 113 "gpurun: error: 'reduce' may be any of reduce<float>(float const*, float*, int) (.nv_fatbin, image 0), reduce<int>(int const*, int*, int) (.nv_fatbin, image 0)
gpurun: hint: give more of the name, in quotes: 'NAME<TYPE>' or 'NAME(TYPE, ...)'" \
		gpurun "$cuda/reduce.so" --launch reduce
}

# met: a name of several kernels, a source, and a command in the place of a file had no hint
@test "what stands where a file belongs" {
	fails 111 "gpurun: error: devices: cannot open: No such file or directory
gpurun: hint: did you mean --devices?" gpurun devices
	hints "did you mean --list?" list k.ptx
}
