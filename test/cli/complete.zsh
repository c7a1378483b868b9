# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# complete.zsh FOLDER LINE: what an interactive zsh makes of LINE when it completes its end, with
# the functions in FOLDER.
zmodload zsh/zpty
zpty z "PS1='> ' TERM=dumb COLUMNS=500 zsh -f -i"
zpty -w z "fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -u -D"
zpty -w z "show() { zle complete-word; print -r -- \"<\$BUFFER>\"; zle send-break; }"
zpty -w z "zle -N show; bindkey '^X' show; print rea''dy"
zpty -r -m z line '*ready*' || exit 1
zpty -n -w z "$2"$'\C-X'
zpty -r -m z line '*<*>*' || exit 1
print -r -- "${${line##*<}%%>*}"
zpty -d z
