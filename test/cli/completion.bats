# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What bash, zsh and fish complete.
load helpers

completes() {	# WORD... : prints what the last word could become
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_gpurun
	printf '%s\n' "${COMPREPLY[@]}"
}

# bats test_tags=plain
@test "each option whose value is a name, or a word of a list, is in the completion of every shell" {
	local option shell count=0

	while read -r option; do
		((++count))
		for shell in bash zsh fish; do
			grep -Eq -- "(--|[(|])$option([ |)]|\$)" "$root/cmd/completion.$shell.in" ||
				{ echo "cmd/completion.$shell.in has no --$option"; return 1; }
		done
	done < <(sed -nE 's/^OPTION\([A-Z_]*, *"([a-z-]*)",.*, +"(BUF|EV|NAME"|S"|SEL"|TOPIC|WHAT|\[NAME:\]).*/\1/p' \
		"$root/cmd/line/options.def")
	((count >= 15))
}

@test "completion offers options, and the kernels of the file" {
	source <(sed s/@NAME@/gpurun/ "$root/cmd/completion.bash.in")
	same "$(completes gpurun "$cuda/pipeline.fatbin" --launch co)" consume
	same "$(completes gpurun k --devi)" "--device
--devices"
	same "$(completes gpurun k -d c)" cpu
	same "$(completes gpurun k --list = i)" images
	same "$(completes gpurun k --list =)" "kernels
images
names
vars"
	same "$(completes gpurun --help = a)" "args
all"
	same "$(completes gpurun "$cuda/vadd.fatbin" --load p = "$cuda/pipeline.fatbin" --launch p:c)" \
		p:consume
	same "$(completes gpurun --load p = "$cuda/pipeline.fatbin" --launch p : c)" consume
	same "$(completes gpurun --load p = "$cuda/pipeline.fatbin" --launch p :)" "produce
consume"
	same "$(completes gpurun --load = p = "$cuda/pipeline.fatbin" --launch '')" "p:produce
p:consume"
	same "$(completes gpurun --load p = "$cuda/pipeline.fatbin" --unload '')" p
	touch -- --exec-file
	same "$(completes gpurun --exec prin | grep -x printf | sort -u)" printf
	same "$(completes gpurun --exec cat --exec)" --exec-file
}

@test "completion runs nothing that a name holds" {
	printf '#!/bin/sh\necho "\$(touch touched)"\n' >fake
	chmod +x fake
	source <(sed s/@NAME@/gpurun/ "$root/cmd/completion.bash.in")
	completes ./fake fake --launch ''
	[[ ! -e touched ]]
}

@test "bash: values of options, and what was named further left" {
	source <(sed s/@NAME@/gpurun/ "$root/cmd/completion.bash.in")
	same "$(completes gpurun k --check r)" race
	same "$(completes gpurun k --color ne)" never
	same "$(completes gpurun k --check mem,r)" mem,race
	same "$(completes gpurun k --check = mem,i)" mem,init
	same "$(completes gpurun "$cuda/pipeline.fatbin" --launch = co)" consume
	same "$(completes gpurun k --stream t1 --stream '')" "s0
t1"
	same "$(completes gpurun k --event e1 --record = e2@s1 --await '')" "all
e1
e2"
	same "$(completes gpurun k --event e1 --record e2 --after e1,)" e1,e2
	same "$(completes gpurun k --buf xx = f32 : 4 -a i32 = 4 -a yy = f32 : 1 -e '')" "xx=
yy="
	same "$(completes gpurun k --buf xx = f32 : 4 --print x)" xx
	same "$(completes gpurun "$root/test/data/images/parts.1.o" \
		--link "$root/test/data/images/parts.2.o" --launch '')" "apply
zero"
	touch gfile
	same "$(completes gpurun k -o xx = gf)" gfile
	same "$(completes gpurun gf)" gfile
}

# What --launch takes: a base name that is one kernel's alone, else a symbol.
launchable="hidden
_ZN4math4axpbIiEEvPT_S1_S1_i
_ZN4math4axpbIfEEvPT_S1_S1_i
mixed
vadd"

@test "bash: kernels by base names, variables" {
	local many=$data/images/many.fatbin reach=$data/images/reach.fatbin

	source <(sed s/@NAME@/gpurun/ "$root/cmd/completion.bash.in")
	same "$(completes gpurun "$many" --launch '')" "$launchable"
	same "$(completes gpurun "$many" --launch hi)" hidden
	same "$(completes gpurun "$many" --launch _Z6)" _Z6hiddenPi
	same "$(completes gpurun --load p = "$many" --launch p : hi)" hidden
	same "$(completes gpurun --load p = "$many" --launch p:_Z6)" p:_Z6hiddenPi
	for name in hidden _Z6hiddenPi; do
		run -0 gpurun "$many" --dry-run --launch "$name" -a null
	done
	same "$(completes gpurun "$reach" --get '')" "count=
deep::seen=
factor=
table="
	same "$(completes gpurun "$reach" --set = fa)" factor=
	same "$(completes gpurun "$reach" --get deep :: s)" seen=
	touch gfile
	same "$(completes gpurun "$reach" --set factor = gf)" gfile
}

# The keys are those of the table that the device reads.
# promise: Its keys, in
@test "bash: keys of the CPU device, and words of a list that are not there yet" {
	local keys

	source <(sed s/@NAME@/gpurun/ "$root/cmd/completion.bash.in")
	keys=$(sed -n 's/^CPU_KEY("\([a-z_-]*\)".*/\1=/p' "$root/lib/base/cpu_keys.def")
	[[ $(wc -l <<<"$keys") -ge 10 ]]
	same "$(completes gpurun k -d cpu :)" "$keys"
	same "$(completes gpurun k --device = cpu : th)" threads=
	same "$(completes gpurun k -d cpu : threads = 2,sc)" "2,sched=
2,sched-seed=
2,scalar="
	same "$(completes gpurun k -d cpu : threads = 2,scalar = 0,th)" ""
	same "$(completes gpurun k -d cpu : sched =)" "rr
rand"
	same "$(completes gpurun k -d cpu : threads = 2,sched = ra)" rand
	same "$(completes gpurun k -d cpu : threads =)" ""
	same "$(completes gpurun k --check all,)" "all,mem
all,init
all,race
all,sync
all,leak
all,api
all,exitcode="
	same "$(completes gpurun k --check race,exitcode = 3,r)" ""
}

@test "bash: what follows --exec is a program, and then the program's" {
	source <(sed s/@NAME@/gpurun/ "$root/cmd/completion.bash.in")
	printf '#!/bin/sh\n' >program
	touch progress
	chmod +x program
	same "$(completes gpurun --exec ./prog)" ./program
	same "$(completes gpurun --exec = ./prog)" ./program
	same "$(completes gpurun --exec ./program prog | sort)" "program
progress"
	same "$(completes gpurun --exec ./program --che)" ""
	same "$(completes gpurun --exec ./program --launch '' | sort)" "program
progress"
	_command_offset() { COMPREPLY=("own $1 ${COMP_WORDS[$1]}"); }
	same "$(completes gpurun -d cpu --exec ./program --che)" "own 4 ./program"
}

# bats test_tags=plain
@test "an old spelling is in no completion" {
	local shell

	for shell in bash zsh fish; do
		! grep -- error-exitcode "$root/cmd/completion.$shell.in"
	done
}

zsh_completes() {	# LINE WANT ... : zsh makes of each line what is wanted
	local lines=() want=()

	command -v zsh >/dev/null || skip "needs zsh"
	for ((; $#; )); do
		lines+=("$1") want+=("$2")
		shift 2
	done
	mkdir -p functions
	sed s/@NAME@/gpurun/g "$root/cmd/completion.zsh.in" >functions/_gpurun
	sed s/@NAME@/fake/g "$root/cmd/completion.zsh.in" >functions/_fake
	same "$(timeout 60 zsh -f "$root/test/cli/complete.zsh" functions "${lines[@]}")" \
		"$(printf '%s\n' "${want[@]}")"
}

@test "zsh: kernels, values, names further left, files" {
	touch gfile
	zsh_completes "gpurun $cuda/pipeline.fatbin --launch co" \
			"gpurun $cuda/pipeline.fatbin --launch consume " \
		"gpurun $cuda/pipeline.fatbin --launch=co" \
			"gpurun $cuda/pipeline.fatbin --launch=consume " \
		"gpurun --load p=$cuda/vadd.fatbin -l p:v" \
			"gpurun --load p=$cuda/vadd.fatbin -l p:vadd " \
		"gpurun k --color al" "gpurun k --color always " \
		"gpurun k --check mem,ra" "gpurun k --check mem,race " \
		"gpurun k --coop" "gpurun k --cooperative " \
		"gpurun k --event ready --await r" \
			"gpurun k --event ready --await ready " \
		"gpurun k -a i32=1 --buf xy=f32:4 -o x" \
			"gpurun k -a i32=1 --buf xy=f32:4 -o xy=" \
		"gpurun k --buf xy=f32:4 -o xy=gf" \
			"gpurun k --buf xy=f32:4 -o xy=gfile "
}

@test "zsh: base names, variables, keys of the CPU device, lists, programs" {
	local many=$data/images/many.fatbin reach=$data/images/reach.fatbin

	printf '#!/bin/sh\n' >program
	chmod +x program
	touch progress file
	zsh_completes "gpurun $many -l hi" "gpurun $many -l hidden " \
		"gpurun $many -l _Z6" "gpurun $many -l _Z6hiddenPi " \
		"gpurun $reach --get fa" "gpurun $reach --get factor=" \
		"gpurun $reach --set=dee" "gpurun $reach --set=deep::seen=" \
		"gpurun k -d cpu:th" "gpurun k -d cpu:threads=" \
		"gpurun k --device=cpu:threads=2,isa=v3,bo" \
			"gpurun k --device=cpu:threads=2,isa=v3,bounds=" \
		"gpurun k -d cpu:threads=2,sched=ra" \
			"gpurun k -d cpu:threads=2,sched=rand " \
		"gpurun k -d cpu:threads=2,thr" "gpurun k -d cpu:threads=2,thr" \
		"gpurun k --check race,r" "gpurun k --check race,r" \
		"gpurun k --check race,e" "gpurun k --check race,exitcode=" \
		"gpurun --exec ./prog" "gpurun --exec ./program " \
		"gpurun --exec ./program fi" "gpurun --exec ./program file " \
		"gpurun --exec ./program --che" "gpurun --exec ./program --che"
}

@test "zsh: completion runs nothing that a name holds" {
	printf '#!/bin/sh\necho "\$(touch touched)"\n' >fake
	chmod +x fake
	zsh_completes "./fake fake --launch " './fake fake --launch \$\(touch\ touched\) '
	[[ ! -e touched ]]
}

fish_completes() {	# NAME LINE : prints what the last word of LINE could become
	command -v fish >/dev/null || skip "needs fish"
	sed "s/@NAME@/$1/g" "$root/cmd/completion.fish.in" >"$1.fish"
	HOME=$PWD fish --no-config -c 'source $argv[1].fish; complete -C $argv[2]' "$1" "$2"
}

@test "fish: kernels, values, names further left, files" {
	same "$(fish_completes gpurun "gpurun $cuda/pipeline.fatbin --launch co")" consume
	same "$(fish_completes gpurun "gpurun $cuda/pipeline.fatbin --launch=co")" --launch=consume
	same "$(fish_completes gpurun "gpurun --load p=$cuda/vadd.fatbin -l p:")" p:vadd
	same "$(fish_completes gpurun "gpurun k --check mem,r")" mem,race
	same "$(fish_completes gpurun "gpurun k --color ne")" never
	same "$(fish_completes gpurun "gpurun k --devi")" "--device
--devices"
	same "$(fish_completes gpurun "gpurun k --list=i")" --list=images
	same "$(fish_completes gpurun "gpurun k --event e1 --record e2@s1 --await e")" "e1
e2"
	same "$(fish_completes gpurun "gpurun k -a i32=1 --buf xy=f32:4 -o ")" "xy="
	touch gfile
	same "$(fish_completes gpurun "gpurun k --buf xy=f32:4 -o xy=gf")" xy=gfile
	same "$(fish_completes gpurun "gpurun --exec printen" | cut -f1)" printenv
}

@test "fish: base names, variables, keys of the CPU device, lists, programs" {
	local many=$data/images/many.fatbin reach=$data/images/reach.fatbin

	same "$(fish_completes gpurun "gpurun $many -l " | sort)" "$(sort <<<"$launchable")"
	same "$(fish_completes gpurun "gpurun $many -l _Z6")" _Z6hiddenPi
	same "$(fish_completes gpurun "gpurun $reach --get ")" "count=
deep::seen=
factor=
table="
	same "$(fish_completes gpurun "gpurun $reach --set=dee")" --set=deep::seen=
	same "$(fish_completes gpurun "gpurun k -d cpu:th")" cpu:threads=
	same "$(fish_completes gpurun "gpurun k --device=cpu:threads=2,bo")" --device=cpu:threads=2,bounds=
	same "$(fish_completes gpurun "gpurun k -d cpu:threads=2,sched=ra")" cpu:threads=2,sched=rand
	same "$(fish_completes gpurun "gpurun k -d cpu:threads=2,thr")" ""
	same "$(fish_completes gpurun "gpurun k --check race,r")" ""
	same "$(fish_completes gpurun "gpurun k --check race,e")" race,exitcode=
	printf '#!/bin/sh\n' >program
	chmod +x program
	touch progress file
	same "$(fish_completes gpurun "gpurun --exec ./prog" | cut -f1)" ./program
	same "$(fish_completes gpurun "gpurun --exec ./program fi" | cut -f1)" file
	same "$(fish_completes gpurun "gpurun --exec ./program --che")" ""
}

@test "fish: completion runs nothing that a name holds" {
	printf '#!/bin/sh\necho "\$(touch touched)"\necho "(touch touched)"\n' >fake
	chmod +x fake
	same "$(fish_completes fake "./fake fake --launch ")" '$(touch touched)
(touch touched)'
	[[ ! -e touched ]]
}
