# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Processes of a parallel job: -d rank, what stands for the rank in options, [r] in lines.

load helpers

# What each launcher gives a process: NAME, the variable of its rank, that of its local rank.
launchers='OpenMPI OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_LOCAL_RANK
MVAPICH2 MV2_COMM_WORLD_RANK MV2_COMM_WORLD_LOCAL_RANK
MPICH PMI_RANK MPI_LOCALRANKID
PALS PALS_RANKID PALS_LOCAL_RANKID
Flux FLUX_TASK_RANK FLUX_TASK_LOCAL_ID
Slurm SLURM_PROCID SLURM_LOCALID'

local_variables="OMPI_COMM_WORLD_LOCAL_RANK, MV2_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID, PALS_LOCAL_RANKID, \
FLUX_TASK_LOCAL_ID, SLURM_LOCALID"
global_variables="OMPI_COMM_WORLD_RANK, MV2_COMM_WORLD_RANK, PMI_RANK, PALS_RANKID, FLUX_TASK_RANK, PMIX_RANK, \
SLURM_PROCID"
no_launcher="gpurun: hint: a launcher starts gpurun: mpirun -np 2 gpurun ..., srun -n 2 gpurun ..."

# The tests themselves may run below a launcher.
alone() {
	local variable

	while read -r _ variable; do
		# shellcheck disable=SC2086 # two words
		unset $variable
	done <<<"$launchers"
	unset PMIX_RANK GPURUN_DEVICE CUDA_VISIBLE_DEVICES
	export GPURUN_DRIVER=/nonexistent
}

# Three GPUs of the stub, on which nothing computes.
three_gpus() {
	export GPURUN_DRIVER=$stub GPURUN_STUB_DEVICES=3
}

as_rank() {	# RANK LOCAL COMMAND...
	env OMPI_COMM_WORLD_RANK="$1" OMPI_COMM_WORLD_LOCAL_RANK="$2" "${@:3}"
}

# Prints the index of the device that a launch has had.
index() {	# OPTION...
	gpurun -q --json=r.json "$data/images/counter.ptx" "$@" --launch bump -a x=u32:4 &&
		sed -n 's/.*"index":\([0-9]*\),.*/\1/p' r.json
}

# promise: With -d rank the device
# promise: The local rank is that of the first
@test "-d rank: the GPU is the local rank modulo their number, for each launcher" {
	local name global local_rank

	alone
	three_gpus
	while read -r name global local_rank; do
		for pair in 0:0 2:2 4:1; do
			run -0 --separate-stderr env "$global=9" "$local_rank=${pair%:*}" \
				bash -c "$(declare -f index); data=$data index -d rank"
			[[ $output == "${pair#*:}" ]] || { echo "$name $pair: $output $stderr"; return 1; }
		done
	done <<<"$launchers"
	# As a variable, which an option beats.
	export GPURUN_DEVICE=rank
	same "$(as_rank 5 5 bash -c "$(declare -f index); data=$data index")" 2
	same "$(as_rank 5 5 bash -c "$(declare -f index); data=$data index -d gpu:1")" 1
}

# met: SLURM_LOCALID is 0 in all that a job's script starts, other launchers' processes too
# promise: Slurm's is the last one
# promise: The rank is that of the launcher
@test "-d rank: Slurm's variables are last, and both ranks are of one launcher" {
	alone
	three_gpus
	export SLURM_LOCALID=0 SLURM_PROCID=0
	same "$(index -d rank)" 0
	export FLUX_TASK_LOCAL_ID=1 FLUX_TASK_RANK=11
	same "$(index -d rank)" 1
	run -0 --separate-stderr gpurun "$data/images/counter.ptx" --dry-run --launch bump -a x=u32:1:fill=%r
	[[ $output == *fill=11* ]]
	export PMI_RANK=12 PMIX_RANK=12
	run -0 --separate-stderr gpurun "$data/images/counter.ptx" --dry-run --launch bump -a x=u32:1:fill=%r
	[[ $output == *fill=11* ]]
	export OMPI_COMM_WORLD_LOCAL_RANK=2
	same "$(index -d rank)" 2
	# One that is empty is not set.
	export OMPI_COMM_WORLD_LOCAL_RANK=""
	same "$(index -d rank)" 1
}

# promise: Where there is no GPU it is the CPU device
@test "-d rank: the CPU device where there is no GPU, with a note" {
	alone
	run -0 --separate-stderr as_rank 3 1 gpurun -d rank "$data/images/counter.ptx" --launch bump -b 1 -a x=u32:4 --print x
	same "$output" "x: 1 0 0 0"
	same "$stderr" "gpurun: [3] no GPU here: using the CPU device"
	run -77 as_rank 3 1 gpurun -d rank --no-device-exit 77 "$data/images/counter.ptx" --launch bump -a x=u32:4
	# --check asks for the CPU device, as with auto.
	three_gpus
	run -0 --separate-stderr as_rank 3 1 gpurun -d rank --check mem "$data/images/counter.ptx" \
		--launch bump -b 1 -a x=u32:4 --print x
	same "$output" "x: 1 0 0 0"
	[[ $stderr == "gpurun: [3] check: 0 findings"* || ! $stderr ]]
	# A GPU that fails is no reason for the CPU device.
	GPURUN_STUB_FAIL=cuInit=803 run -115 as_rank 3 1 gpurun -d rank "$data/images/counter.ptx" --launch bump -a x=u32:4
}

# promise: Where none of them is set, or
@test "-d rank: without a rank, or with one that is no number, nothing runs" {
	local bad file=$data/images/counter.ptx

	alone
	for how in "-d rank" "--device=rank"; do
		# shellcheck disable=SC2086 # two words
		fails 110 "gpurun: error: --device rank: no launcher has given this process a local rank; looked for \
$local_variables
$no_launcher" gpurun $how "$file" --launch bump -a x=u32:4
	done
	GPURUN_DEVICE=rank fails 110 "gpurun: error: GPURUN_DEVICE rank: no launcher has given this process a local rank; \
looked for $local_variables
$no_launcher" gpurun --exec true
	run -110 --separate-stderr gpurun -d rank --dry-run "$file" --launch bump -a x=u32:4
	run -110 --separate-stderr gpurun -d rank --info "$file"
	for bad in -1 1x 0x1 1.0 ' 1' 99999999999 $'1\n'; do
		SLURM_LOCALID=$bad run -110 --separate-stderr gpurun -d rank "$file" --launch bump -a x=u32:4
		[[ $stderr == "gpurun: error: --device rank: SLURM_LOCALID=${bad//$'\n'/\\x0a}: not a rank, a whole number" ]]
	done
	# The one that is wrong counts, whatever comes after it.
	run -110 --separate-stderr env OMPI_COMM_WORLD_LOCAL_RANK=x SLURM_LOCALID=0 gpurun -d rank --exec true
	[[ $stderr == "gpurun: error: --device rank: OMPI_COMM_WORLD_LOCAL_RANK=x: not a rank, a whole number" ]]
	run -110 --separate-stderr env OMPI_COMM_WORLD_RANK=x OMPI_COMM_WORLD_LOCAL_RANK=0 gpurun -d rank --exec true
	[[ $stderr == "gpurun: error: --device rank: OMPI_COMM_WORLD_RANK=x: not a rank, a whole number" ]]
	# What needs no device needs no rank.
	export GPURUN_DEVICE=rank
	run -0 gpurun "$file" --list
	run -0 gpurun "$file" --info
	run -0 gpurun --devices
	run -0 gpurun --help
	run -0 gpurun --version
}

# promise: It takes no keys:
@test "-d rank has no keys, and what looks like it is refused" {
	alone
	run -110 --separate-stderr as_rank 0 0 gpurun -d rank:1 --exec true
	[[ $stderr == "gpurun: error: bad device selector 'rank:1': no such kind of device
gpurun: hint: rank takes nothing after it; keys of the CPU device go into GPURUN_CPU" ]]
	run -110 --separate-stderr as_rank 0 0 gpurun -d ranks --exec true
	GPURUN_CPU=threads=1 run -0 --separate-stderr as_rank 0 0 gpurun -q -d rank --exec \
		sh -c 'echo $GPURUN_DEVICE $GPURUN_CPU'
	same "$output" "cpu threads=1"
}

# promise: In the values of
@test "%r %l %p %q{VAR} %%: in arguments and in the names of files" {
	local file=$data/images/counter.ptx name global local_rank

	alone
	export NAME='two words' EMPTY=''
	while read -r name global local_rank; do
		run -0 --separate-stderr env "$global=17" "$local_rank=3" gpurun -d cpu "$file" \
			--launch bump -a x=u32:4:iota=%r,%l --print x --out "x=$name.%r.%l.%q{NAME}.100%%%q{EMPTY}.npy"
		same "$output" "x: 1 20 23 26"
		[[ -f "$name.17.3.two words.100%.npy" ]]
	done <<<"$launchers"
	run -0 --separate-stderr env PMIX_RANK=6 gpurun -d cpu "$file" --launch bump -a x=u32:2:fill=%r --print x
	same "$output" "x: 1 6"
	# The other options, of which one reads what another run has written.
	run -0 --separate-stderr as_rank 1 0 gpurun -q -d cpu "$file" --buf y=u32:2:fill=%r --launch bump -a y \
		--out y=in.%r.npy --json=r.%r.json --junit=r.%r.xml --trace t.%r.json --seed %r
	[[ -s in.1.npy && -s r.1.json && -s r.1.xml && -s t.1.json ]]
	same "$(json r.1.json seed)" 1
	run -0 --separate-stderr as_rank 1 0 gpurun -q -d cpu "$file" --launch bump -a x=@in.%r.npy --expect x=@in.%r.npy \
		--fill x=fill=4%r --print x
	same "$output" "x: 41 41"
	GPURUN_SEED=%l run -0 as_rank 1 5 gpurun -q -d cpu "$file" --json=r.json --launch bump -a x=u32:1:rand
	same "$(json r.json seed)" 5
}

# promise: A percent sign before another letter
# promise: IMAGE and the files of --load
@test "a percent sign that is none of these" {
	local file=$data/images/counter.ptx

	alone
	run -0 --separate-stderr gpurun -d cpu "$file" --launch bump -a x=u32:4 -o x=feature%2Fx%.npy
	[[ -f feature%2Fx%.npy ]]
	run -0 --separate-stderr gpurun -d cpu "$file" --launch bump -a x=u8:4:text=10%% --dry-run
	fails 110 "gpurun: error: --out x=out.%R.npy: %R is none of %r, %l, %p, %q{VAR} and %%
gpurun: hint: a percent sign before a letter is %%" \
		gpurun -d cpu "$file" --launch bump -a x=u32:4 -o x=out.%R.npy
	for word in %q %q{ %q{} %q{HOME %qHOME; do
		fails 110 "gpurun: error: --json r.$word: expected %q{VAR}, a variable's name in braces" \
			gpurun -d cpu "$file" --launch bump -a x=u32:4 "--json=r.$word"
	done
	# Names of files with code, and of kernels, are what they are.
	cp "$file" '%r.%x.ptx'
	run -0 gpurun -d cpu '%r.%x.ptx' --launch bump -a x=u32:4
	run -0 gpurun -d cpu --load 'k=%r.%x.ptx' --launch k:bump -a x=u32:4
}

# promise: What is not there is refused
@test "a rank or a variable that is not there" {
	local file=$data/images/counter.ptx

	alone
	fails 110 "gpurun: error: --arg i32=%r: no launcher has given this process a rank; looked for $global_variables
$no_launcher" gpurun -d cpu "$file" --launch bump -a i32=%r
	fails 110 "gpurun: error: --arg i32=%l: no launcher has given this process a local rank; looked for $local_variables
$no_launcher" gpurun -d cpu "$file" --launch bump -a i32=%l
	fails 110 "gpurun: error: --out x=%q{NOT_HERE}: %q{NOT_HERE}: the environment has no such variable" \
		gpurun -d cpu "$file" --launch bump -a x=u32:4 -o 'x=%q{NOT_HERE}'
	GPURUN_SEED=%r fails 110 "gpurun: error: GPURUN_SEED %r: no launcher has given this process a rank; looked for \
$global_variables
$no_launcher" gpurun -d cpu "$file" --launch bump -a x=u32:4
	run -110 --separate-stderr env PMI_RANK=x gpurun -d cpu "$file" --launch bump -a i32=%r
	same "$stderr" "gpurun: error: --arg i32=%r: PMI_RANK=x: not a rank, a whole number"
	# The report goes where it was to go, also when something else is wrong; not to one file for all.
	run -110 as_rank 4 0 gpurun -d cpu --bogus --json=r.%r.json "$file"
	[[ $(json r.4.json exit code) == 110 ]]
	run -110 gpurun -d cpu --bogus --json=r.%r.json "$file"
	[[ ! -e r.%r.json ]]
}

# promise: What is put in is text
@test "what the environment has is text: no option, no name of another variable, no command for a terminal" {
	local file=$data/images/counter.ptx

	alone
	export EVIL=$'a\nb\e[2J%r%q{HOME}' OPTION=--bogus
	fails 111 'gpurun: error: --out x=no/a\x0ab\x1b[2J%r%q{HOME}: no/a\x0ab\x1b[2J%r%q{HOME}: there is no folder no' \
		gpurun -d cpu "$file" --launch bump -a x=u32:4 -o 'x=no/%q{EVIL}'
	run -0 gpurun -q -d cpu "$file" --launch bump -a x=u32:4 -o 'x=%q{EVIL}' --json='%q{EVIL}.json'
	[[ -f $EVIL ]]
	run -110 --separate-stderr gpurun -d cpu "$file" --launch bump -a '%q{OPTION}'
	[[ $stderr != *"unknown option"* && $stderr == *"--bogus"* ]]
	long=$(head -c 100000 /dev/zero | tr '\0' a) run -110 --separate-stderr gpurun -d cpu "$file" --launch bump \
		-a '%q{long}%q{long}%q{long}'
	run -110 --separate-stderr gpurun -d cpu "$file" --launch bump -a '%q{a=b}'
}

# promise: '%p' is the process
@test "%p is the process that was started, also of a worker, and in all names of files" {
	local file=$data/images/counter.ptx option

	alone
	for option in "" "-t 60"; do
		# shellcheck disable=SC2086 # none or two words
		sh -c 'echo $$ >pid; exec "$@"' - gpurun -q -d cpu $option "$file" --launch bump -a x=u32:2:fill=%p \
			--print x --out x=x.%p --json=r.%p.json >out
		same "$(<out)" "x: 1 $(<pid)"
		[[ -f x.$(<pid) && -f r.$(<pid).json ]]
	done
	sh -c 'echo $$ >pid; exec "$@"' - gpurun -q -d cpu -t 60 --json=r.%p.json --junit=r.%p.xml --trace t.%p.json \
		--exec true
	[[ -f r.$(<pid).json && -f r.$(<pid).xml && -f t.$(<pid).json ]]
	run -0 --separate-stderr as_rank 1 1 gpurun -q -d cpu -t 60 "$file" --launch bump -a x=u32:2:fill=%r --print x
	same "$output" "x: 1 1"
}

# promise: With it each line
@test "lines on stderr have the rank, the CPU device's and those of a program too" {
	local file=$data/images/counter.ptx

	alone
	run -113 --separate-stderr as_rank 3 0 gpurun -d rank "$file" --launch nope
	[[ ${stderr_lines[0]} == "gpurun: [3] error: no kernel 'nope'"* ]]
	# Also of a command line that is wrong before it.
	for how in "-d rank" "--device rank" -drank --device=rank; do
		# shellcheck disable=SC2086 # two words
		run -110 --separate-stderr as_rank 3 0 gpurun --bogus $how "$file"
		[[ ${stderr_lines[0]} == "gpurun: [3] error: unknown option --bogus" ]]
		[[ ${stderr_lines[1]} == "gpurun: [3] hint: "* ]]
	done
	GPURUN_DEVICE=rank run -110 --separate-stderr as_rank 3 0 gpurun --bogus
	[[ ${stderr_lines[0]} == "gpurun: [3] error: unknown option --bogus" ]]
	run -0 --separate-stderr as_rank 3 0 gpurun -v -t 60 -d rank "$file" --launch bump -a x=u32:4
	[[ ! $(grep -v '^gpurun: \[3\] \|^  ' <<<"$stderr") ]]
	[[ $stderr == *"gpurun: [3] local rank 0: device 0 of 1"* ]]
	run -119 --separate-stderr as_rank 3 0 gpurun -d rank --check mem --exec \
		"$build/test/host-programs/statuses/runtime" launch:far sync
	[[ ! $(grep -v '^gpurun: \[3\] \|^  ' <<<"$stderr") && $stderr == *"[3] check: mem: "* ]]
	# A rank without its launcher's global one is not told; another device has none.
	run -113 --separate-stderr env MPI_LOCALRANKID=1 gpurun -d rank "$file" --launch nope
	[[ ${stderr_lines[0]} == "gpurun: error: "* ]]
	run -113 --separate-stderr as_rank 3 0 gpurun -d cpu "$file" --launch nope
	[[ ${stderr_lines[0]} == "gpurun: error: "* ]]
	GPURUN_RANK=$'1\n' run -113 --separate-stderr gpurun -d cpu "$file" --launch nope
	[[ ${stderr_lines[0]} == "gpurun: error: "* ]]
}

# promise: A program of --exec finds that GPU alone
@test "--exec: the program sees its GPU, or the CPU device" {
	alone
	unset LD_LIBRARY_PATH
	run -0 --separate-stderr as_rank 1 1 gpurun -q -d rank --exec sh -c 'echo $GPURUN_DEVICE $CUDA_VISIBLE_DEVICES'
	same "$output" cpu
	three_gpus
	run -0 --separate-stderr as_rank 4 4 gpurun -d rank --exec sh -c 'echo $GPURUN_DEVICE $CUDA_VISIBLE_DEVICES'
	same "$output" "gpu 1"
	CUDA_VISIBLE_DEVICES=7,GPU-12,5 run -0 --separate-stderr as_rank 4 4 gpurun -t 60 -d rank --exec \
		sh -c 'echo $GPURUN_DEVICE $CUDA_VISIBLE_DEVICES'
	same "$output" "gpu GPU-12"
	run -7 as_rank 4 4 gpurun -d rank --exec sh -c 'exit 7'
}

# promise: A launcher, such as
# promise: The job's status is the launcher's
@test "two processes of Open MPI's mpirun: files, lines, and the status of the one that fails" {
	local mpi=(mpirun --allow-run-as-root --oversubscribe -np 2)

	command -v mpirun >/dev/null || skip "needs openmpi-bin: no mpirun"
	alone
	export GPURUN_CPU=threads=1
	run -0 --separate-stderr "${mpi[@]}" gpurun -t 60 -d rank "$data/images/counter.ptx" --launch bump \
		-a x=u32:2:fill=%r -o x=out.%r.raw --json=res.%r.json
	same "$(od -An -tu4 -v out.0.raw out.1.raw | xargs)" "1 0 1 1"
	same "$(sort <<<"$stderr")" "gpurun: [0] no GPU here: using the CPU device
gpurun: [1] no GPU here: using the CPU device"
	grep -q '"code":0' res.0.json res.1.json
	# The one of rank 1 has another result than it expects.
	run -118 --separate-stderr "${mpi[@]}" gpurun -q -d rank "$data/images/counter.ptx" --launch bump \
		-a x=u32:2:fill=%r --expect x=list=1,0 --json=res.%r.json
	[[ $stderr == *"gpurun: [1] error: "*"expect x: 1 of 2 elements differ"* && $stderr != *"[0] error"* ]]
	grep -q '"code":118' res.1.json
}
