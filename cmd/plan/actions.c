/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "actions.h"

#include "asserts.h"
#include "options.h"

/* Each row is an option that makes actions, and each such option has a row. */
enum {
#define OPTION(id, name, letter, argument, scope, ...) SCOPE_OF_##id = SCOPE_##scope,
#include "options.def"
	OPTIONS_OF_ACTIONS = 0
#define OPTION(id, name, letter, argument, scope, ...) + (SCOPE_##scope == SCOPE_ACTION)
#include "options.def"
};
#define ACTION(id, ...)                                                                          \
	static_assert((int)SCOPE_OF_##id == (int)SCOPE_ACTION, "this option makes no action");
#include "actions.def"
static_assert((int)ACTION_COUNT == (int)OPTIONS_OF_ACTIONS,
	      "an option that makes actions has no row in actions.def");

enum action_kind action_of(const struct action *action)
{
	static const enum action_kind kinds[OPTION_COUNT] = {
#define ACTION(id, ...) [OPTION_##id] = ACTION_##id,
#include "actions.def"
	};

	ASSERT(action->option->scope == SCOPE_ACTION);
	return kinds[action->option - option_table];
}

const char *action_name(enum action_kind kind)
{
	static const enum option_id options[ACTION_COUNT] = {
#define ACTION(id, ...) [ACTION_##id] = OPTION_##id,
#include "actions.def"
	};

	ASSERT(kind < ACTION_COUNT);
	return option_table[options[kind]].name;
}

enum effect action_effect(enum action_kind kind)
{
	static const enum effect effects[ACTION_COUNT] = {
#define ACTION(id, effect, ...) [ACTION_##id] = EFFECT_##effect,
#include "actions.def"
	};

	ASSERT(kind < ACTION_COUNT);
	return effects[kind];
}
