# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --check race: kernels, copies and fills that streams, events and the host do not order.

load helpers

# Runs the steps (test/host-programs/streams.c) with the workers of the device one, two, and in a
# random order: there is a race, or none, whatever the time at which they come.
steps() {	# STATUS STEP...
	local status_wanted=$1 schedule

	shift
	for schedule in threads=1 threads=2 threads=2,sched=rand; do
		run "-$status_wanted" --separate-stderr gpurun -d "cpu:$schedule" --check race \
			--exec "$build/test/host-programs/streams" "$@"
		if ((status_wanted)); then
			[[ $stderr == *"; nothing orders the two: byte "* ]]
		else
			nothing_found
		fi
	done
}

racing() {	# STEP...
	steps 119 "$@"
}

silent() {	# STEP...
	steps 0 "$@"
}

@test "--check race: kernels in two streams, and what orders them" {
	racing put:m get:n
	[[ $stderr == *" of 4 bytes at 0x"*" on stream "[34]", which thread ("*",0,0) of block \
("*",0,0) of kernel "*" on stream "[34]" "*"; nothing orders the two: byte "*"PTX line "* ]]
	racing get:m put:n
	racing put:m add:n
	racing put:a get:b
	racing put:m record:m get:m wait:n put:n
	racing put:m get:m get:n
	racing write:b get:m record:m get:m wait:n put:n
	silent write:b get:m put:m get:m put:m record:m wait:n put:n get:n
	silent put:m get:m
	silent put:m record:m wait:n get:n
	silent put:m record:m wait:n get:n record:n wait:m put:m record:m wait:n get:n
	silent put:m sync:m get:n
	silent put:m sync-all get:n
	silent put:m query:m get:n
	silent put:m record:m event-sync get:n
	silent put:m record:m event-query get:n
	silent get:m get:n
	silent add:m add:n
	silent put:m put:n
}

@test "--check race: kernels beside copies and fills" {
	racing put:m out:n
	racing out:m put:n
	racing put:m in:n
	racing in:m get:n
	racing put:m fill:n
	racing fill:m get:n
	racing fill-byte:m get:n
	racing get:m fill-byte:n
	racing put:m blocking-out
	silent put:m out:m fill:m in:m get:m
	silent put:m record:m wait:n out:n
	silent fill-byte:m record:m wait:n get:n
	silent in:m record:m wait:n get:n
	silent fill:m sync:m get:n
	silent get:m out:n
	silent blocking-in get:m
	silent get:m sync:m blocking-in get:n blocking-out
}

@test "--check race: a copy that one thread waits for, and what another one does meanwhile" {
	racing beside blocking-in put:m
	[[ $stderr == *" on the NULL stream "* && $stderr == *"a copy"* ]]
	racing beside blocking-in get:m
	racing beside blocking-out put:m
	racing beside blocking-out in:m
	silent beside blocking-out get:m
	silent beside blocking-out out:m
	silent beside blocking-in get:a put:a
	silent beside blocking-out get:m sync:m put:n
	silent put:m sync:m beside blocking-out get:m put:m
}

@test "--check race: copies and fills beside each other" {
	racing in:m fill:n
	[[ $stderr == "gpurun: check: race: a "*" on stream "[34]" writes 0x"*", which a "*" on stream \
"[34]" wrote; "* ]]
	racing fill:m out:n
	silent in:m in:n
	silent out:m out:n
	silent in:m record:m wait:n fill:n
}

@test "--check race: the NULL stream orders those that block" {
	racing put:m get:0
	racing put:0 get:m
	racing put:m destroy:m get:0
	silent put:a get:0 put:b
	silent put:0 get:a get:b put:0
	silent put:a fill:0 get:b
	silent put:a blocking-out put:b
	silent put:a destroy:a get:0
}

@test "--check race: memory that is used again, and words that streams wait for" {
	silent put:m renew:m get:n
	silent put:m record:m wait:n renew:n put:n
	silent put:m write:m wait-word:n get:n
}

@test "--check race: flags that kernels give each other" {
	racing put:m tell:m get:n
	silent put:m tell:m hear:n
	silent put:m tell:m hear_by_atom:n
}

@test "--check race: flags that a kernel gives the host while it goes on" {
	silent tell_host:m host-hear get:n host-answer
	silent put:m tell_host:m host-hear get:n put:n host-answer sync:m
	silent tell_host:m host-hear out:n host-answer
	racing tell_no_host:m host-hear get:n host-answer
	# behind the kernel the host may have heard of it already, be it that it did not look
	racing get:n tell_host:m host-hear host-answer
}

@test "--check race: two stages on two streams, with and without the event" {
	local produce=(--launch produce -g 4 -b 64 -a t=f32:256 --stream s1 --event ready)
	local consume=(--launch consume -g 4 -b 64 -a t -a out=f32:256 --stream s2)

	run -119 --separate-stderr gpurun "$cuda/pipeline.fatbin" --check race -q "${produce[@]}" \
		"${consume[@]}"
	[[ $stderr == *" of kernel "*" on stream "*"; nothing orders the two: byte "* ]]
	run -0 --separate-stderr gpurun "$cuda/pipeline.fatbin" --check all -q "${produce[@]}" \
		"${consume[@]}" --after ready --await all -e out=fill=1
	nothing_found
	run -0 --separate-stderr gpurun "$cuda/pipeline.fatbin" --check all -q "${produce[@]}" \
		--await ready "${consume[@]}"
	nothing_found
}
