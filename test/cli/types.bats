# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Floats of 8 bits and complex numbers wherever a type may stand.
load helpers

types=$BATS_TEST_DIRNAME/../data/images/types.ptx

# promise: e4m3 and e5m2 are floats
@test "floats of 8 bits: buffers, numbers, printing and expecting" {
	run -0 --separate-stderr gpurun "$types" -d cpu --launch quarters -b 8 \
		-a x=e4m3:8:list=0,1,1.125,-2,240,448,0.001953125,nan -a y=e5m2:8 -a e4m3=1 -a 8 \
		--print x --print y -e y=list=1,2,2,-1,256,448,1,nan -e y=list=1,2,2.5,-1,256,448,1,nan --ulp 1
	[[ $output == "x: 0 1 1.1 -2 240 448 0.002 nan"$'\n'"y: 1 2 2 -1 256 448 1 nan" ]]
	[[ $stderr == "" ]]
}

# promise: c64 and c128 are complex
# promise: Tolerances hold for each part
@test "complex numbers: buffers, numbers, printing and expecting" {
	run -0 --separate-stderr gpurun "$types" -d cpu --launch multiply -b 3 \
		-a x=c64:3:list=1+2j,3j,4 -a y=c64:3 -a c64=2-1j -a z=c128:1 --print y --print z \
		-e y=list=4+3j,3+6j,8-4j -e y=list=4.1+3j,3+6.1j,8-4j --rtol 0.05 -e z=fill=8-4j
	[[ $output == "y: 4+3j 3+6j 8-4j"$'\n'"z: 8-4j" ]]
	[[ $stderr == "" ]]
	run -0 --separate-stderr gpurun "$types" -d cpu --set factor=c128:fill=1j \
		--launch power -b 2 -a c128=1+2j -a y=c128:2 -e y=fill=-2+1j \
		--print sym:factor=c128 --get factor=c128:1 -e sym:factor=c128:fill=1j
	[[ $output == "factor: 0+1j"$'\n'"factor: 0+1j" ]]
	[[ $stderr == "" ]]
}

@test "a mismatch of complex numbers, as text and in JSON" {
	run -118 --separate-stderr gpurun "$types" -d cpu --buf y=c64:3:iota=1j,1+1j \
		-e y=list=1j,1+2.5j,2+4j --json
	[[ ${stderr_lines[0]} == "gpurun: error: expect y: 2 of 3 elements differ; the first is [1]: got 1+2j, want 1+2.5j (at most: abs 1, rel 0.25)" ]]
	[[ ${stderr_lines[1]} == "gpurun: hint: it would pass with --rtol 0.25" ]]
	[[ $output == *'"first":{"index":[1],"want":"1+2.5j","got":"1+2j"},"max_abs":1,'* ]]
	run -0 python3 -c 'import json, sys; json.loads(sys.argv[1])' "$output"
	run -0 gpurun "$types" -d cpu --buf y=c64:3:iota=1j,1+1j -e y=list=1j,1+2.5j,2+4j --rtol 0.25
}

# promise: In a .npy file complex numbers
# promise: For a buffer of these
@test ".npy files of complex numbers and of floats of 8 bits" {
	cd "$BATS_TEST_TMPDIR"
	run -0 gpurun "$types" -d cpu --buf c=c64:2x2:iota=1j --buf d=c128:1 --buf q=e4m3:3:iota \
		--buf p=e5m2:3:iota --buf u=u8:2:fill=0x38 -o c=c.npy -o d=d.npy -o q=q.npy -o p=p.npy \
		-o u=u.npy
	[[ $(<c.npy) == *"'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), "* ]]
	[[ $(<d.npy) == *"'descr': '<c16'"* && $(<q.npy) == *"'descr': '|V1'"* ]]
	[[ $(<p.npy) == *"'descr': '|V1'"* ]]
	run -0 gpurun "$types" -d cpu --buf c=@c.npy --buf q=e4m3:@q.npy --buf p=e5m2:3:@p.npy \
		--buf u=e4m3:@u.npy --print c --print q --print p --print u -e q=@q.npy
	[[ $output == "c: 0+1j 1+1j 2+1j 3+1j"$'\n'"q: 0 1 2"$'\n'"p: 0 1 2"$'\n'"u: 1 1" ]]
	run -111 gpurun "$types" -d cpu --buf q=@q.npy --print q
	[[ ${lines[0]} == "gpurun: error: buffer q: q.npy: its elements are single bytes of no type" ]]
	[[ ${lines[1]} == "gpurun: hint: say e4m3:@q.npy if that is what they are" ]]
	run -111 gpurun "$types" -d cpu --buf q=c64:@d.npy --print q
	[[ $output == "gpurun: error: buffer q: d.npy: its elements are c128, not c64" ]]
	run -111 gpurun "$types" -d cpu --buf q=u8:@q.npy --print q
	[[ $output == "gpurun: error: buffer q: q.npy: its elements are e4m3, not u8" ]]
}

# promise: e4m3 and e5m2 are floats
# promise: What TYPE cannot hold exactly
@test "values that the types cannot hold, and parameters that are others" {
	refused() {	# MESSAGE ARG...
		run -110 gpurun "$types" -d cpu "${@:2}"
		[[ ${lines[0]} == "gpurun: error: $1" ]] || { echo "$output"; return 1; }
	}
	refused "buffer x: e4m3 cannot hold 449 exactly" --buf x=e4m3:1:fill=449 --print x
	refused "buffer x: 1e5 is too large for e5m2" --buf x=e5m2:1:fill=1e5 --print x
	refused "buffer x: list, value 1: e4m3 has no infinity" --buf x=e4m3:list=1,inf --print x
	refused "buffer x: iota: e4m3 cannot hold element 17 exactly" --buf x=e4m3:32:iota --print x
	refused "buffer x: iota=1j: f64 is not complex" --buf x=f64:2:iota=1j --print x
	refused "buffer x: list, value 0: '1+2i' is not a number" --buf x=c64:list=1+2i --print x
	refused "--expect x=zero: --rtol 1j: not a tolerance" --buf x=c64:1 -e x=zero --rtol 1j
	refused "arg0 ('1+2j') of power: the parameter is .b8[16]: say TYPE=VALUE" \
		--launch power -a 1+2j -a c128:1
	refused "arg0 ('c64=1') of power: c64 has 8 bytes, the parameter 16 (.b8[16])" \
		--launch power -a c64=1 -a c128:1
	refused "arg1 ('y=c64:2') of power: the parameter is cuda::std::__4::complex<double>*, not c64*: --untyped takes it" \
		--launch power -a c128=1 -a y=c64:2
	refused "arg2 ('e5m2=1') of quarters: the parameter is __nv_fp8_e4m3, not e5m2: --untyped takes it" \
		--launch quarters -a e4m3:1 -a e5m2:1 -a e5m2=1 -a 1
	refused "arg2 ('f64=1') of multiply: the parameter is float2, not f64: --untyped takes it" \
		--launch multiply -a c64:1 -a c64:1 -a f64=1 -a c128:1
	# float2 need not be a complex number.
	run -0 gpurun "$types" -d cpu --launch multiply -a f32:2 -a c64:1 -a c64=1 -a f64:2 --await all
}
