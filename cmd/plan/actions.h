/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kinds of actions: the rows of actions.def. */
#ifndef CMD_ACTIONS_H
#define CMD_ACTIONS_H

#include "options.h"

enum action_kind {
#define ACTION(id, ...) ACTION_##id,
#include "actions.def"
	ACTION_COUNT
};

/* What an action does to its buffer. */
enum effect {
	EFFECT_NONE,   /* it has none */
	EFFECT_LOOKS,  /* shows or compares it */
	EFFECT_WRITES,
};

/* The kind of the actions that option @id makes, which is of SCOPE_ACTION. */
enum action_kind action_of(enum option_id id);

/* The name of the option. */
const char *action_name(enum action_kind kind);

enum effect action_effect(enum action_kind kind);

#endif
