/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kinds of actions: the rows of actions.def. */
#ifndef CMD_ACTIONS_H
#define CMD_ACTIONS_H

struct action;

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

/* The kind of @action: the row of its option. */
enum action_kind action_of(const struct action *action);

/* The name of the option. */
const char *action_name(enum action_kind kind);

enum effect action_effect(enum action_kind kind);

#endif
