# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a report says of faults, findings and events, and that there is one whatever ends the run.

load helpers

# Writes k.ptx; .loc names a source.
setup_kernels() {
	{
		copy_ptx _Z4copyPKjPj | sed -e '3a .file 1 "src/a,b:c.cu"' \
			-e '/ld\.global/i .loc 1 12 3' -e '/st\.global/i .loc 1 13 3'
		cat <<-'PTX'
			.visible .entry traps() { trap; }
			.visible .entry shared() {
				.reg .u32 %r<2>;
				.shared .align 16 .b8 s[16];
				mov.u32 %r1, s;
				st.shared.u32 [%r1+2], %r1;
				ret;
			}
		PTX
	} >k.ptx
}

# Prints the fault without its text, edited. The call that told it is C: behind the launch an event
# is recorded, then the stream is waited for.
told() {	# SED
	json out.json fault | sed "$1"'; s/"call": "cu\(EventRecord\|StreamSynchronize\)"/"call": "C"/; s/, "text".*//'
}

has_jsonschema() {
	python3 -c 'import jsonschema' || /usr/bin/python3 -c 'import jsonschema'
}

# met: faults and findings were told in whole on standard error alone
@test "--json: a fault is an object with its access, kernel, threads and source" {
	setup_kernels
	run -117 --separate-stderr gpurun k.ptx --json=out.json -l copy -b 8 -a x=u32:8 -a y=u32:6
	[[ $(json out.json fault address) == 0x[1-9a-f]* ]]
	[[ $(json out.json fault text) == "illegal address: write of 4 bytes at 0x"*"
  kernel copy, block (0,0,0), thread (6,0,0)
  PTX line 17: st.global.u32 [%rd2], %r2;
  source src/a,b:c.cu:13
  grid (1,1,1) of blocks (8,1,1)" ]]
	same "$(told 's/"address": "[^"]*"/"address": "A"/')" \
		'{"kind": "illegal-address", "access": "write", "bytes": 4, "address": "A", "space": "generic", "kernel": "copy(unsigned int const*, unsigned int*)", "mangled": "_Z4copyPKjPj", "grid": [1, 1, 1], "block_size": [8, 1, 1], "block": [0, 0, 0], "thread": [6, 0, 0], "ptx_line": 17, "source": {"file": "src/a,b:c.cu", "line": 13}, "call": "C", "error": 700, "error_name": "CUDA_ERROR_ILLEGAL_ADDRESS", "count": 1'
	same "$(json out.json exit)" '{"code": 117, "name": "fault", "source": "gpurun"}'
}

@test "--json: what is not known of a fault is null" {
	setup_kernels
	run -117 gpurun k.ptx --json=out.json -t 60s -l traps -g 2,3 -b 4
	same "$(told 's/"block": \[[0-9, ]*\]/"block": B/')" \
		'{"kind": "trap", "access": null, "bytes": null, "address": null, "space": null, "kernel": "traps", "mangled": "traps", "grid": [2, 3, 1], "block_size": [4, 1, 1], "block": B, "thread": [0, 0, 0], "ptx_line": 20, "source": null, "call": "C", "error": 719, "error_name": "CUDA_ERROR_LAUNCH_FAILED", "count": 1'
	run -117 gpurun k.ptx --json=out.json -l shared
	same "$(json out.json fault | cut -d, -f-5)" \
		'{"kind": "misaligned-address", "access": "write", "bytes": 4, "address": "0x2", "space": "shared"'
	run -0 gpurun k.ptx --json=out.json -l copy -b 8 -a x=u32:8 -a y=u32:8
	run ! json out.json fault
}

@test "--json: of a fault on a GPU the kind is known" {
	setup_kernels
	GPURUN_DRIVER=$stub GPURUN_STUB_FAIL=cuStreamSynchronize=716 run -117 --separate-stderr \
		gpurun k.ptx -d gpu --json=out.json -l traps
	same "$(json out.json fault)" '{"kind": "misaligned-address", "access": null, "bytes": null, "address": null, "space": null, "kernel": null, "mangled": null, "grid": null, "block_size": null, "block": null, "thread": null, "ptx_line": null, "source": null, "error": 716, "count": null, "text": null}'
}

@test "--json: findings are objects like that, with the check" {
	setup_kernels
	run -119 gpurun k.ptx --check all --json=out.json -l copy -b 8 -a x=u32:8:uninit -a y=u32:6
	same "$(json out.json findings 0 | sed 's/"address": "[^"]*"/"address": "A"/; s/, "text".*//')" \
		'{"check": "init", "kind": "uninitialised", "access": "read", "bytes": 4, "address": "A", "space": "generic", "kernel": "copy(unsigned int const*, unsigned int*)", "mangled": "_Z4copyPKjPj", "grid": [1, 1, 1], "block_size": [8, 1, 1], "block": [0, 0, 0], "thread": [0, 0, 0], "ptx_line": 15, "source": {"file": "src/a,b:c.cu", "line": 12}, "count": 1'
	same "$(json out.json findings 1 kind)" illegal-address
	same "$(json out.json findings 1 source line)" 13
	run -119 gpurun --check leak --json=out.json --exec "$build/test/host-programs/leak"
	same "$(json out.json findings 5 | cut -d, -f1-4)" \
		'{"check": "leak", "kind": "leak", "access": null, "bytes": 100'
}

@test "--json: events tell when they happened, from the first one on" {
	setup_kernels
	run -0 gpurun k.ptx --json=out.json --record a@s1 -l copy -b 8 -a x=u32:8 -a y=u32:8 \
		--stream s1 --event b --record c --await all
	python3 - <<-'E'
	import json
	report = json.load(open('out.json'))
	events = report['events']
	assert [(e['event'], e['stream']) for e in events] == [('a', 's1'), ('b', 's1'), ('c', 's0')], events
	times = [e['elapsed_ns'] for e in events]
	assert min(times) == 0 and times[1] > times[0], events
	E
	run -0 gpurun k.ptx --json=out.json -l copy -b 8 -a x=u32:8 -a y=u32:8
	run ! json out.json events
	# Of a run that failed there is no time.
	run -117 gpurun k.ptx --json=out.json --record a -l traps
	same "$(json out.json events)" '[{"event": "a", "stream": "s0", "elapsed_ns": null}]'
}

@test "--json: an expect has its tolerances, of a run as under --dry-run" {
	local line=(--json=out.json -l copy -b 8 -a x=u32:8 -a y=f32:8 --untyped -e y=zero \
		-e y=zero --rtol 0.25 --atol 1e-6 --ulp 3) dry

	setup_kernels
	for dry in "" --dry-run; do
		run -0 gpurun k.ptx $dry "${line[@]}"
		same "$(json out.json actions 1 | sed 's/.*"rtol"/"rtol"/')" \
			'"rtol": 0, "atol": 0, "ulp": 0}'
		same "$(json out.json actions 2 | sed 's/.*"rtol"/"rtol"/')" \
			'"rtol": 0.25, "atol": 1e-06, "ulp": 3}'
	done
}

# met: a report said which kernels ran, and not with what
@test "--json: a launch has its arguments and edges, a run its buffers and the sizes of its files" {
	local line=(--json=out.json -b 8 -l copy -a x=u32:8:@in.raw -a y=u32:8 --event done
		-l copy --stream other --after done -a x -a y --wait done --stream other
		-e y=@in.raw) dry

	setup_kernels
	head -c 32 /dev/zero >in.raw
	for dry in "" --dry-run; do
		run -0 gpurun k.ptx $dry "${line[@]}"
		same "$(json out.json buffers)" '[{"name": "x", "type": "u32", "shape": [8], "bytes": 32, "file": "in.raw"}, {"name": "y", "type": "u32", "shape": [8], "bytes": 32, "init": "zero"}]'
		same "$(json out.json actions 0 args)" '["x=u32:8:@in.raw", "y=u32:8"]'
		same "$(json out.json actions 0 after)$(json out.json actions 0 event)" '[]done'
		same "$(json out.json actions 1 after)$(json out.json actions 1 event)" '["done"]null'
		same "$(json out.json actions 2)" \
			'{"do": "wait", "event": "done", "stream": "other", "after": []}'
		same "$(json out.json actions 3 want)" @in.raw
	done
	run -0 gpurun k.ptx "${line[@]}"
	same "$(json out.json image bytes)" "$(wc -c <k.ptx)"
	# What could not be read in whole is not said in part.
	run -111 gpurun k.ptx --json=out.json -l copy -a x=@nosuch.npy -a y=u32:8
	run ! json out.json buffers
}

@test "--json: every report has the device, even where none was opened" {
	setup_kernels
	run -110 gpurun k.ptx --json=out.json --bogus
	same "$(json out.json device | cut -d, -f-2)" '{"selector": null, "kind": null'
	same "$(json out.json device memory)" null
	run -110 gpurun k.ptx --json=out.json -d cpu -l nosuch -t nonsense
	same "$(json out.json device selector)" cpu
	run -113 gpurun k.ptx --json=out.json -l nosuch
	same "$(json out.json device | cut -d, -f-2)" '{"selector": "cpu", "kind": null'
	run -110 gpurun --json=out.json
	same "$(json out.json exit)" '{"code": 110, "name": "usage", "source": "gpurun"}'
}

@test "--json: --list of a damaged file and --devices say in the object what failed" {
	head -c 4000 "$cuda/vadd.fatbin" >cut.fatbin
	run -112 gpurun cut.fatbin --list --json=out.json
	same "$(json out.json error stage)" list
	[[ $(json out.json error message) == "cut.fatbin: damaged: "* ]]
	GPURUN_DRIVER=$stub GPURUN_STUB_FAIL=cuInit=803 run -115 gpurun --devices --json=out.json
	same "$(json out.json error stage)" devices
	[[ $(json out.json error message) == *"(803)"* ]]
}

# promise: Write one JSON object
# promise: There is one whatever ends the run; gpurun-json(5)
# met: --help was longer than a screen; keys of a report were not documented
@test "gpurun-json(5) has each key of the schema where the schema has it, and no other" {
	python3 - "$root/cmd/gpurun.schema.json" "$root/man/gpurun-json.5" <<-'E'
	import json, re, sys
	schema = json.load(open(sys.argv[1]))
	want = {}
	for thing in [schema, *schema['definitions'].values()]:
	    if thing.get('properties') is not None:
	        assert thing['additionalProperties'] is False, thing['title']
	        assert thing['title'] not in want, thing['title']
	        want[thing['title']] = list(thing['properties'])
	got, at = {}, None
	for line in open(sys.argv[2]):
	    words = re.match(r'\.(Ss|Sh|It Cm) (.*)', line)
	    if words and words[1] != 'It Cm':
	        at = words[2] if words[1] == 'Ss' else None
	    elif words and at:
	        got.setdefault(at, []).append(words[2])
	for title in sorted(want.keys() | got.keys()):
	    assert sorted(want.get(title, [])) == sorted(got.get(title, [])), \
	        (title, want.get(title), got.get(title))
	E
	run -0 gpurun --help=json
	[[ $output == *"gpurun-json(5)"* && ${#lines[@]} -lt 24 ]]
}

@test "gpurun-json(5) has each word that the schema allows, at its key" {
	# Kinds have a list of their own, which kinds.bats compares, and names of statuses gpurun-exit(7).
	python3 - "$root/cmd/gpurun.schema.json" "$root/man/gpurun-json.5" <<-'E'
	import json, re, sys
	schema = json.load(open(sys.argv[1]))
	items, at, key = {}, None, None
	for line in open(sys.argv[2]):
	    words = re.match(r'\.(Ss|Sh|It Cm) (.*)', line)
	    if words and words[1] == 'It Cm':
	        key = (at, words[2])
	    elif words:
	        at, key = words[2], None
	    elif key:
	        items[key] = items.get(key, '') + line
	missing = []
	for thing in [schema, *schema['definitions'].values()]:
	    for name, value in thing.get('properties', {}).items():
	        words = [word for word in value.get('enum', []) if isinstance(word, str)]
	        if (thing['title'], name) not in [('fault, findings and failures', 'kind'), ('exit', 'name')]:
	            missing += [f"gpurun-json(5), {thing['title']}, {name}: no {word!r}" for word in words
	                        if not re.search(rf'(?<![\w-]){re.escape(word)}(?![\w-])',
	                                         items.get((thing['title'], name), ''))]
	sys.exit('\n'.join(missing) or 0)
	E
}

@test "a key or a value that the schema does not know is noticed" {
	setup_kernels
	has_jsonschema || skip "needs python3-jsonschema"
	gpurun k.ptx --json=good.json -l copy -b 8 -a x=u32:8 -a y=u32:8
	sed 's/"seed":1/"sead":1,&/' good.json >key.json
	sed 's/"name":"ok"/"name":"fine"/' good.json >value.json
	sed 's/"seed":1/"seed":NaN/' good.json >number.json
	run -0 "$root/test/cli/validate" "$root/cmd/gpurun.schema.json" good.json
	same "$output" ""
	for bad in key value number; do
		run -1 "$root/test/cli/validate" "$root/cmd/gpurun.schema.json" $bad.json
		[[ $output == "$bad.json: "* ]]
		rm $bad.json
	done
}

# Runs gpurun with --json=out.json: the report has the status, its name and the stage.
ends_with() {	# STATUS NAME STAGE COMMAND...
	local status_wanted=$1 name=$2 stage=$3

	shift 3
	rm -f out.json
	[[ " $* " == *" --exec "* ]] || set -- "$@" --json=out.json
	run "-$status_wanted" --separate-stderr "$@"
	same "$(json out.json exit)" \
		"{\"code\": $status_wanted, \"name\": \"$name\", \"source\": \"gpurun\"}"
	same "$(json out.json error stage)" "$stage"
	keep_report "$(<out.json)"
}

# promise: There is one whatever ends the run; gpurun-json(5)
@test "--json: there is a report whatever goes wrong" {
	local copy=(-l copy -b 8 -a x=u32:8 -a y=u32:8)

	setup_kernels
	ends_with 110 usage usage gpurun k.ptx --bogus
	ends_with 110 usage usage gpurun k.ptx -t nonsense "${copy[@]}"
	ends_with 110 usage usage gpurun
	ends_with 110 usage arguments gpurun k.ptx --seed x "${copy[@]}"
	ends_with 110 usage arguments gpurun k.ptx -l copy -b 8 -a x=u32:8
	ends_with 111 file image gpurun none.ptx -l copy
	ends_with 112 image image gpurun /dev/null -l copy
	ends_with 113 kernel kernel gpurun k.ptx -l nosuch
	ends_with 115 cuda memory gpurun k.ptx -l copy -b 8 -a x=u32:1000Gi:uninit -a y=u32:8
	ends_with 118 mismatch expect gpurun k.ptx "${copy[@]}" -e y=fill=1
	ends_with 111 file out gpurun k.ptx "${copy[@]}" -o y=none/y.bin
	ends_with 111 file print bash -c 'gpurun "$@" >/dev/full' bash k.ptx "${copy[@]}" -o y=-
	ends_with 114 device device env GPURUN_DRIVER=./none.so gpurun k.ptx -d gpu -l traps
	ends_with 124 timeout timeout gpurun -t 0.5s "$cuda/forever.fatbin" -l forever -a gate=i32:1
	same "$(json out.json awaited 0 launch)" 1
	ends_with 111 file exec gpurun --json=out.json --exec ./none
}

@test "--json: there is a report when a disk is full" {
	setup_kernels
	(ulimit -f 4 && ends_with 111 file out gpurun k.ptx -l copy -b 8 -a x=u32:8 -a y=u32:1Mi -o y=y.bin)
	[[ ! -e y.bin ]]
	run -111 --separate-stderr gpurun k.ptx -l copy -b 8 -a x=u32:8 -a y=u32:8 --json=/dev/full
	[[ $stderr == *"/dev/full: "* ]]
	run -111 --separate-stderr bash -c 'gpurun k.ptx -l copy -b 8 -a x=u32:8 -a y=u32:8 --json >&-'
	run -111 --separate-stderr bash -c \
		'gpurun k.ptx -l copy -b 8 -a x=u32:8 -a y=u32:8 --print y --json=out.json >&-'
	same "$(json out.json exit code)" 111
}

# promise: There is one whatever ends the run; gpurun-json(5)
@test "--json: a run that is stopped says in the report which launch hung" {
	local way hangs=(gpurun "$cuda/forever.fatbin" -l forever -a gate=i32:1)

	for way in "" "-t 60s"; do
		# shellcheck disable=SC2086 # two words, or none
		ends_with 130 signal signal timeout --preserve-status -s INT 2 "${hangs[@]}" $way
		same "$(json out.json awaited)" \
			'[{"launch": 1, "kernel": "forever", "stream": "s0"}]'
	done
	ends_with 124 timeout timeout "${hangs[@]}" -t 0.5s
	same "$(json out.json awaited 0 launch)" 1
	# The program of --exec is asked, and then killed.
	ends_with 124 timeout timeout gpurun -t 0.5s --json=out.json --exec sleep 100
}

# Prints the cases of out.xml: OUTCOME NAME, and the suite's own count of them.
cases() {
	python3 - <<-'E'
	import xml.etree.ElementTree as tree
	root = tree.parse('out.xml').getroot()
	suite = root.find('testsuite')
	kinds = {'failure': 0, 'error': 0, 'skipped': 0}
	for case in suite.iter('testcase'):
	    outcome = next((k for k in kinds if case.find(k) is not None), 'passed')
	    if outcome in kinds:
	        kinds[outcome] += 1
	    print(outcome, case.get('name'))
	for counted in root, suite:
	    assert [int(counted.get(k)) for k in ('tests', 'failures', 'errors', 'skipped')] == \
	        [len(list(suite.iter('testcase'))), *kinds.values()]
	E
}

# promise: Write the run as a test suite
# promise: Mismatches and findings are failures
@test "--junit: a case for each launch and expect, and one for the checks" {
	setup_kernels
	run -118 gpurun k.ptx --junit out.xml --check all -l copy -b 8 -a x=u32:8 -a y=u32:8 \
		-e y=zero -e y=fill=3
	same "$(cases)" "passed launch 1: copy(unsigned int const*, unsigned int*)
passed expect 1: y
failure expect 2: y
passed check"
	grep -qF 'message="expect y: 8 of 8 elements differ; the first is [0]: got 0, want 3' out.xml
	run -119 gpurun k.ptx --junit=out.xml --check init -l copy -b 8 -a x=u32:8:uninit -a y=u32:8
	same "$(cases)" "passed launch 1: copy(unsigned int const*, unsigned int*)
failure init: uninitialised in copy(unsigned int const*, unsigned int*), src/a,b:c.cu:12"
	grep -q '<failure type="uninitialised" message="init: [^&]*">  kernel ' out.xml
	gpurun k.ptx --junit=- -l copy -b 8 -a x=u32:8 -a y=u32:8 --print y >out.xml 2>err
	same "$(cases)" "passed launch 1: copy(unsigned int const*, unsigned int*)"
	same "$(<err)" "y: 0 0 0 0 0 0 0 0"
}

# promise: Mismatches and findings are failures
# promise: Standard error has what the device says
@test "--junit: a fault is an error of the launch that it is of, with the device's text" {
	setup_kernels
	run -117 gpurun k.ptx --junit out.xml -l copy -b 8 -a x=u32:8 -a y=u32:8 --await all \
		-l copy -b 8 -a x -a z=u32:4 -l copy -b 8 -a x -a y -e y=zero
	same "$(cases)" "passed launch 1: copy(unsigned int const*, unsigned int*)
error launch 2: copy(unsigned int const*, unsigned int*)
skipped launch 3: copy(unsigned int const*, unsigned int*)
skipped expect 1: y"
	grep -q '<system-err>illegal address: write of 4 bytes' out.xml
	run -117 gpurun k.ptx --junit out.xml -l copy -b 8 -a x=u32:8 -a y=u32:8 -l traps
	[[ $(cases) == *"error launch 2: traps" ]]
}

# promise: Write the run as a test suite
# promise: As with --json there is one
@test "--junit: there is one whatever ends the run" {
	local way

	setup_kernels
	run -110 gpurun k.ptx --bogus --junit out.xml
	same "$(cases)" "error usage"
	run -113 gpurun k.ptx --junit out.xml -l nosuch
	same "$(cases)" "error kernel"
	run -111 gpurun k.ptx --junit out.xml -l copy -b 8 -a x=u32:8 -a y=u32:8 -o y=none/y.bin
	[[ $(cases) == *"error out" ]]
	for way in "" "-t 60s"; do
		# shellcheck disable=SC2086 # two words, or none
		run -130 timeout --preserve-status -s INT 2 gpurun "$cuda/forever.fatbin" -l forever \
			-a gate=i32:1 -e gate=zero --junit out.xml --json=out.json $way
		same "$(cases)" "error launch 1: forever
skipped expect 1: gate"
	done
	run -124 gpurun "$cuda/forever.fatbin" -l forever -a gate=i32:1 --junit out.xml -t 0.5s
	same "$(cases)" "error launch 1: forever"
	run -124 gpurun -t 0.5s --junit out.xml --exec sleep 100
	same "$(cases)" "error program"
	run -1 gpurun --junit out.xml --annotate --exec false
	same "$(cases)" "failure program"
	run -0 gpurun --junit out.xml --exec true
	same "$(cases)" "passed program"
	run -0 gpurun --junit out.xml --exec sleep 0.3
	grep -E '<testcase classname="sleep" name="program" time="([1-9]|0\.[3-9])' out.xml
	grep -E '<testsuite name="sleep" .* time="([1-9]|0\.[3-9])' out.xml
}

# promise: A fault or failed launch of any process
# promise: What several processes report
@test "--junit, --annotate: what any process of --exec reports, and the same once" {
	local PATH=$build/test/host-programs/statuses:$PATH

	run -8 gpurun -d cpu --junit out.xml --annotate --exec sh -c \
		'runtime launch:trap sync; runtime malloc launch:far sync; runtime launch:trap sync; exit 8' 2>err
	same "$(cases | cut -d, -f1)" "failure program
failure trap in trap
failure illegal-address in far"
	grep -q '<failure type="trap" message="[^&]* (reported 2 times)">  kernel trap, ' out.xml
	same "$(grep -c '^::error' <<<"$output")" 2
	same "$(grep -c '^::error .*%0A  reported 2 times$' <<<"$output")" 1
	run -119 gpurun -d cpu --check mem --junit out.xml --exec runtime malloc launch:crooked sync
	[[ $(cases) == "passed program
failure mem: "*" in crooked, PTX line "* ]]
	run -117 gpurun -d cpu --junit out.xml --annotate --exec runtime launch:trap sync
	same "$(cases | cut -d, -f1)" "error program
failure trap in trap"
	same "$(grep -c '^::error' <<<"$output")" 1
}

@test "--junit: names of any bytes make XML that is valid" {
	local name=$'a<&>"\x01\xff\xc3(\t\xef\xbf\xbe\'.ptx'

	setup_kernels
	cp k.ptx "$name"
	run -118 gpurun "$name" --junit=out.xml --json=out.json --annotate -l copy -b 8 -a x=u32:8 \
		-a y=u32:8 -e y=fill=1
	same "$(cases)" "passed launch 1: copy(unsigned int const*, unsigned int*)
failure expect 1: y"
	grep -qF $'a&lt;&amp;&gt;&quot;\\x01\\xff\\xc3(&#9;\\ufffe\'.ptx' out.xml
	run -111 gpurun "none$name" --junit=out.xml -l copy
	same "$(cases)" "error image"
}

@test "--junit: what it does not go with" {
	setup_kernels
	run -110 --separate-stderr gpurun k.ptx --dry-run --junit=x.xml -l traps
	same "$stderr" "gpurun: error: --junit besides --dry-run, which runs nothing"
	run -110 --separate-stderr gpurun k.ptx --json --junit=- -l traps
	same "$stderr" "gpurun: error: --json and --junit=- both go to stdout
gpurun: hint: --json=FILE leaves it free"
	same "$(json /dev/stdin exit code <<<"$output")" 110
	run -110 --separate-stderr gpurun k.ptx --list --junit=x.xml
	[[ $stderr == *"--junit besides --list, which runs nothing"* ]]
	run -110 --separate-stderr gpurun k.ptx --junit=- -l copy -b 8 -a x=u32:8 -a y=u32:8 -o y=-
	[[ $stderr == "gpurun: error: "*"stdout is taken by --junit
gpurun: hint: --junit=FILE leaves it free" ]]
}

# promise: At the end, also print a line
@test "--annotate: lines that GitHub shows, with the source where it is known" {
	setup_kernels
	run -117 --separate-stderr gpurun k.ptx --annotate -l copy -b 8 -a x=u32:8 -a y=u32:6
	[[ ${stderr_lines[-1]} == "::error file=src/a%2Cb%3Ac.cu,line=13,title=gpurun%3A illegal-address::launch 1, \
copy on stream s0"*"%0Aillegal address: write of 4 bytes at 0x"*"%0A  PTX line 17: st.global.u32 [%25rd2], %25r2;%0A"* ]]
	same "$output" ""
	run -119 --separate-stderr gpurun k.ptx --annotate --check mem,init -l copy -b 8 \
		-a x=u32:8:uninit -a y=u32:6 -e y=zero
	same "$(grep -c '^::error' <<<"$stderr")" 2
	[[ $stderr == *$'\n::error file=src/a%2Cb%3Ac.cu,line=12,title=gpurun%3A uninitialised::init: '* ]]
	run -118 --separate-stderr gpurun k.ptx --annotate -t 60s -l copy -b 8 -a x=u32:8 -a y=u32:8 \
		-e y=fill=1 -e y=fill=2
	same "$(grep '^::error' <<<"$stderr" | cut -d';' -f1)" \
		"::error title=gpurun%3A mismatch::expect y: 8 of 8 elements differ
::error title=gpurun%3A mismatch::expect y: 8 of 8 elements differ"
	run -110 --separate-stderr gpurun k.ptx --annotate --bogus
	same "${stderr_lines[-1]}" \
		"::error title=gpurun%3A usage::unknown option --bogus%0Ahint: gpurun --help lists the options"
	run -0 --separate-stderr gpurun k.ptx --annotate -q -l copy -b 8 -a x=u32:8 -a y=u32:8
	same "$stderr" ""
}
